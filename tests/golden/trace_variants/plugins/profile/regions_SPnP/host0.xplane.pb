
­	/host:CPU6main"À„=" " "€‰z"À·"€’ô"'#ThreadpoolListener::StartRegion"&"ThreadpoolListener::StopRegion*_ct*
_c