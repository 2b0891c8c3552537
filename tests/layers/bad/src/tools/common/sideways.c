/* From below to above within a layer, from beside into it, and a folder that is not listed. */
#include "../trace/rows.h"
#include "../shed/thing.h"
#include "../hlo/load_internal.h"
