#include "thing.h"
