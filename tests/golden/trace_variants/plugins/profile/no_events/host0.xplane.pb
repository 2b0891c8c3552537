
	/host:CPU
0/device:TPU:0XLA Ops"„"	x
/device:TPU:1XLA Ops