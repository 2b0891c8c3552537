
«	/host:CPUImain/1"À„=À¨¥" " " "€‰z€¤è" 	"À·À„="	train"	f"	g*group_id*
_r*step_num
™/device:GPU:0ÚStream #14(Compute)"Pèˆ'""
*regs:1"	*jit_f"*fusion.1"*jit(f)/add:" " "3À>ˆ'"
*regs:1"	*jit_f"*fusion.2" ":ÐŒˆ'"
*regs:1"	*jit_f"*fusion.2" " "
k1"
k2"
k3*correlation_id*kernel_details*
hlo_module*
hlo_op*	tf_op*
program_id*group_id