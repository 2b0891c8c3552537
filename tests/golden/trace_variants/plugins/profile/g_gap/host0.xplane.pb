
Ù/device:GPU:0’Stream #7(Compute)"²ØãâÀ„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*while.1::fusion.2""*jit(f)/jit(main)/add"
*a.py:0"ª˜ïÆ Â""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.1""*jit(f)/jit(main)/mul:"
*a.py:0"½¸¸Œ"À„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.2"",*(jit(f)/jit(main)/while/body/dot_general:"
*a.py:1"®øÃð0€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.0""*model/dense/MatMul:MatMul"
*a.py:1"²øÓ‘@À„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*while.1::fusion.2""*jit(f)/jit(main)/add"
*a.py:2"ª¸ßõN€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.2""*jit(f)/jit(main)/mul:"
*a.py:2"½¸ï–^€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.0"",*(jit(f)/jit(main)/while/body/dot_general:"
*a.py:3"®¸ÿ·m€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.1""*model/dense/MatMul:MatMul"
*a.py:3"²¸Ù| Â"	"Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*while.1::fusion.2"	"*jit(f)/jit(main)/add"
*a.py:4"«ØØž‹€‰z"
"Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*fusion.0"	"*jit(f)/jit(main)/mul:"
*a.py:4"¾Øè¿šÀ„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*fusion.1"	",*(jit(f)/jit(main)/while/body/dot_general:"
*a.py:5"¯˜ô£©À„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*fusion.2"	"*model/dense/MatMul:MatMul"
*a.py:5"loop_fusion_0"loop_fusion_1*correlation_id*kernel_details*
hlo_module*
hlo_op*
program_id*	tf_op*
source
Ö	/host:CPUÂmain"–" " d"d2""	"Ì2""	"´2""	"œ2""	" –" " e"„ 2""	"ì'2""	"Ô/2""	"¼72""	"À>–" " f"¤?2"	"	"ŒG2"
"	"ôN2""	"ÜV2""	"	train"LaunchKernel"cuLaunchKernel*
_r*step_num*correlation_id*	device_id