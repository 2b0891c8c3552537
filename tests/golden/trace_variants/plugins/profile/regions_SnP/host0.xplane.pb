
§	/host:CPU-main"¿Ñ=" " "Äâz"¿ç∑"'#ThreadpoolListener::StartRegion"&"ThreadpoolListener::StopRegion*_ct*
_c