#include "../common/words.h"
#include "rows.h"
