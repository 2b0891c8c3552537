
Û	/device:GPU:0¨Stream #13(Compute)"¬È’ãÀ„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*while.1::fusion.2"*jit(f)/jit(main)/add"
*a.py:0"¤Ø¦  Â""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.1"*jit(f)/jit(main)/mul:"
*a.py:0"·Èø¾À„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.2",*(jit(f)/jit(main)/while/body/dot_general:"
*a.py:1"¨ØŒü€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.0"*model/dense/MatMul:MatMul"
*a.py:1"¬¨¥öÀ„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*while.1::fusion.2"*jit(f)/jit(main)/add"
*a.py:2"¤¸¹³€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*fusion.2"*jit(f)/jit(main)/mul:"
*a.py:2"loop_fusion_0"loop_fusion_1*correlation_id*kernel_details*
hlo_module*
hlo_op*	tf_op*
source
Â	/host:CPU®main"®" " d"d2""	"Ì2""	"´2""	"¸®" " e"œ2""	"„ 2""	"ì'2""	"	train"LaunchKernel"cuLaunchKernel*
_r*step_num*correlation_id*	device_id