
Ä/device:TPU:0/XLA Modules"¸”"
*m/mod:"
*mod.py7	XLA TraceMe"èè"	*t/tm:"¸è"*q:1"jit_f(1)"
tm"
tn*	tf_op*
source