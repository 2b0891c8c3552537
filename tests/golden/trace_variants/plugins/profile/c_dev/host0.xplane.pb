
,	/host:CPUmain"À–±"work
Ú/device:TPU:0XLA Modules"€­â" !XLA Ops"À–±"€›î€‰z&	
_counters_"" "À„=" "jit_f(7)"fusion.1"fusion.2"mem*
run_id*	v