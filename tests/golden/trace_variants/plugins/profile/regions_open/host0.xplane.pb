
´	/host:CPU2main""€’ô" " "À–±À„="&"ThreadpoolListener::StopRegion"'#ThreadpoolListener::StartRegion"	y*_ct*
_c