
1	/host:CPUmain"¿ç∑¿Ñ="	other
∂
/device:TPU:12XLA Modules"Ä≠‚" "Ä⁄ƒ	Ä≠‚" "XLA Ops"¿ñ±"Ä⁄ƒ	¿ñ±"jit_f(7)"tp*%fusion.1 = f32[8]{0} fusion(f32[8]{0} %p)"fusion.1**jit(f)/jit(main)/add:**loop fusion*
*a.py:3*
run_id*	tf_op*hlo_category*
source