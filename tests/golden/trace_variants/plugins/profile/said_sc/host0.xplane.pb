
u	/host:CPU0main/1"À„=€•õ*" " "€‰z€è’&"	train"	f*
_r*step_num
í/device:TPU:0,XLA Modules"¨F" "N¨F" )XLA Ops"èĞ" Ğ"à]Ğ"jit_f(1)"@<%add.1 = f32[] add()"add.1**jit(f)/add:*
*a.py:1*
run_id*	tf_op*
source
»/device:TPU:0 SparseCore 0.Sparse Core Modules"¨F" "Nˆ'-Sparse Core Ops"èè"øUè" "	m"	n"	a"	b*group_id