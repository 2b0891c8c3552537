
,	/host:CPUmain"À–±"work
z/device:GPU:0&	
_counters_"" "À„=" Stream #7(Compute)"À„="mem"	k*	v