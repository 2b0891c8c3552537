
	/host:CPU
	/host:metadata