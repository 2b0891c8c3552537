
Ø/device:TPU:0XLA Modules"¨FXLA Ops"èè"¸è	
_counters_"¸" "!MapAndBatchProduce"shown"62#a name of more than sixteen letters"	shown too"	j*	v