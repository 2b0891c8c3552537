
Ô	/host:CPU3a"d" " "
2" " "
Gtf_data"ôd" " "þ2"ˆ" " "¼2$only" " " "	¥"	train"PrefetchProduce"Iterator::Map"ParallelMapConsume"Iterator::Batch"step"	o"MapAndBatchConsume"		MemoryAllocation*
_r*step_num*_pt*
_p*_ct*
_c*iter_num