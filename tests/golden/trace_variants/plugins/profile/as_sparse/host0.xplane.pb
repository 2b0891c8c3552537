
,	/host:CPUmain"À–±"work
¯/device:TPU:0 SparseCore 07Async XLA Ops"À„=""€‰zÀ„=" "Sparse Core Ops"À„="	c"	d"	k*flow*
_a
š/device:TPU:0XLA Modules"€­â" !XLA Ops"À–±"€›î€‰z"jit_f(7)"fusion.1"fusion.2*
run_id