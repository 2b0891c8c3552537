
è/device:GPU:0ÄStream #13(Compute)"ä»í„¿Ñ=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"*jit(f)/jit(main)/add"
*a.py:0"ãÿ¶††¬""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"*jit(f)/jit(main)/mul:"
*a.py:0"û»¯æ¿Ñ=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100",*(jit(f)/jit(main)/while/body/dot_general:"
*a.py:1"èÿå¸Äâz""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"*model/dense/MatMul:MatMul"
*a.py:1"ä®•ˆ¿Ñ=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"*jit(f)/jit(main)/add"
*a.py:2"ã∏π≥Äâz""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"*jit(f)/jit(main)/mul:"
*a.py:2"loop_fusion_0"loop_fusion_1*correlation_id*kernel_details*	tf_op*
source
¬	/host:CPUÆmain"Æ" " d"d2""	"Ã2""	"¥2""	"∏Æ" " e"ú2""	"Ñ 2""	"Ï'2""	"	train"LaunchKernel"cuLaunchKernel*
_r*step_num*correlation_id*	device_id