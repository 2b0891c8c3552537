
,	/host:CPUmain"¿ñ±"work
ç/device:TPU:0XLA Modules"Ä≠‚" !XLA Ops"¿ñ±"ÄõÓÄâz7Async XLA Ops"¿Ñ=¿ç∑""Äâz¿ç∑""jit_f(7)"fusion.1"fusion.2"copy-start.1"copy-start.2*
run_id*flow