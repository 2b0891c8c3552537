
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