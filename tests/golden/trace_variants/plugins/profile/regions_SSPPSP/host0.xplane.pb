
×	/host:CPU`main"À„=" " "€‰z" " "À·"€’ô"À–±" " "€›î"'#ThreadpoolListener::StartRegion"&"ThreadpoolListener::StopRegion*_ct*
_c