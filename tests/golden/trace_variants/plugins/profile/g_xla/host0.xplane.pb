
“
/device:GPU:0ÌStream #13(Compute)"²È’ãÀ„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*while.1::fusion.2""*jit(f)/jit(main)/add"
*a.py:0"ªØ¦  Â""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.1""*jit(f)/jit(main)/mul:"
*a.py:0"½Èø¾À„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.2"",*(jit(f)/jit(main)/while/body/dot_general:"
*a.py:1"®ØŒü€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.0""*model/dense/MatMul:MatMul"
*a.py:1"²¨¥öÀ„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*while.1::fusion.2"	"*jit(f)/jit(main)/add"
*a.py:2"ª¸¹³€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*fusion.2"	"*jit(f)/jit(main)/mul:"
*a.py:2"loop_fusion_0"loop_fusion_1*correlation_id*kernel_details*
hlo_module*
hlo_op*
program_id*	tf_op*
source
Â	/host:CPU®main"®" " d"d2""	"Ì2""	"´2""	"¸®" " e"œ2""	"„ 2""	"ì'2""	"	train"LaunchKernel"cuLaunchKernel*
_r*step_num*correlation_id*	device_id
¶/device:TPU:02XLA Modules"€­â" "€ÚÄ	€­â" "XLA Ops"À–±"€ÚÄ	À–±"jit_f(7)"tp*%fusion.1 = f32[8]{0} fusion(f32[8]{0} %p)"fusion.1**jit(f)/jit(main)/add:**loop fusion*
*a.py:3*
run_id*	tf_op*hlo_category*
source