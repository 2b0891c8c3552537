
,	/host:CPUmain"¿ñ±"work
§/device:TPU:0XLA Modules"Ä≠‚" !XLA Ops"¿ñ±"ÄõÓÄâzCAsync XLA Ops"¿Ñ=¿ç∑" ""¿ñ±¿Ñ=" ""jit_f(7)"fusion.1"fusion.2"copy-start.1"copy-done.1*
run_id*
_a*flow