
Ù/device:TPU:0 SparseCore 0%Sparse Core Modules"¸”" :Sparse Core Ops"%èè"*jit(g)/add:"
*a.py:1"jit_f(1)"%add.1"add.1*
run_id*	tf_op*
source