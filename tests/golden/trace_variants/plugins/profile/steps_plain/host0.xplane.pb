
,	/host:CPUmain"À–±"work
î/device:TPU:0 Steps"€­â"€ÚÄ	€­â2XLA Modules"€­â" "€ÚÄ	€­â" "XLA Ops"À–±"€ÚÄ	À–±"	5"	6"jit_f(7)"tp*%fusion.1 = f32[8]{0} fusion(f32[8]{0} %p)"fusion.1**jit(f)/jit(main)/add:**loop fusion*
*a.py:3*
run_id*	tf_op*hlo_category*
source