
±/device:GPU:0êStream #13(Compute)"²È’ãÀ„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*while.1::fusion.2""*jit(f)/jit(main)/add"
*a.py:0"ªØ¦  Â""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.1""*jit(f)/jit(main)/mul:"
*a.py:0"½Èø¾À„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*fusion.2"	",*(jit(f)/jit(main)/while/body/dot_general:"
*a.py:1"®ØŒü€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*fusion.0"	"*model/dense/MatMul:MatMul"
*a.py:1âStream #14(MemcpyH2D)"A°šãÀ„="".**kind_src:pageable size:4096 dest:0 async:1"AÀ® €‰z"".**kind_src:pageable size:4096 dest:0 async:1"AÇš€‰z"".**kind_src:pageable size:4096 dest:0 async:1ÖStream #20(Compute,MemcpyD2H)"² Éã€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*while.1::fusion.2""*jit(f)/jit(main)/add"
*a.py:0"ªğáİ Â"	"Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.1""*jit(f)/jit(main)/mul:"
*a.py:0"½à³ü€‰z"
"Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.2"",*(jit(f)/jit(main)/while/body/dot_general:"
*a.py:1"®°ÌöÀ„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_f"*fusion.0""*model/dense/MatMul:MatMul"
*a.py:1"²Àà³À„=""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*while.1::fusion.2"	"*jit(f)/jit(main)/add"
*a.py:2"ªĞôğ€‰z""Q*Mregs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100"	*jit_g"*fusion.2"	"*jit(f)/jit(main)/mul:"
*a.py:2”
Stream #21"AˆÑãÀ„="".**kind_src:pageable size:4096 dest:0 async:1"A˜å €‰z"".**kind_src:pageable size:4096 dest:0 async:1"loop_fusion_0"loop_fusion_1"	MemcpyH2D*correlation_id*kernel_details*
hlo_module*
hlo_op*
program_id*	tf_op*
source*memcpy_details
Á	/host:CPU­main"®" " d"d2""	"Ì2""	"´2""	"¸®" " e"œ2""	"„ 2""	"ì'2""	"ğ.®" " f"Ô/2""	"¼72""	"¤?2"	"	"¨F®" " g"ŒG2"
"	"ôN2""	"ÜV2""	"à]®" " h"Ä^2""	"¬f2""	"”n2""	"	train"LaunchKernel"cuLaunchKernel*
_r*step_num*correlation_id*	device_id