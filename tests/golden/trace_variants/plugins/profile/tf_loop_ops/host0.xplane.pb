
è	/host:CPU>a"„" "
"""(" " "	train"WhileOp-EvalCond"TfOpRun"a/MatMul:MatMul"ExecutorState::Process*
_r*
id*iter_num