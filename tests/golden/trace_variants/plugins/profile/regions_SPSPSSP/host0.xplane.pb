
ì	/host:CPUumain"À„=" " "€‰z"À·" " "€’ô"À–±" " "€›î" " "ÀŸ«"'#ThreadpoolListener::StartRegion"&"ThreadpoolListener::StopRegion*_ct*
_c