
	/host:CPU
/device:CUSTOM:X
0/device:TPU:0XLA Ops"„"	x
/device:TPU:1
	/host:metadata