
û/device:TPU:0áXLA Ops" Â"
À„= Â"
€‰z Â"À· Â"€’ô Â"À–± Â"€›î Â"ÀŸ« Â"	€¤è Â"
À¨¥ Â"€­â Â"À±Ÿ Â"€¶Ü Â"Àº™ Â"€¿Ö Â"ÀÃ“ Â"€ÈĞ Â"MemoryAllocation"MemoryDeallocation"PrefetchProduce"PrefetchConsume"!ParallelInterleaveProduce"!ParallelInterleaveConsume")%!ParallelInterleaveInitializeInput"*&"ParallelInterleaveInitializedInput"		ParallelMapProduce"

ParallelMapConsume"MapAndBatchProduce"MapAndBatchConsume"ParseExampleProduce"ParseExampleConsume"ParallelBatchProduce"ParallelBatchConsume"MemoryAllocation2
./host:CPU 9main"À–±"work