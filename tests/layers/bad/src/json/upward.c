/* Breaks the rules on purpose: tests/layers/check_layers.cmake must say so. */
#include "xprofd/base/arena.h"
#include "xprofd/hlo/module.h"
#include "xprofd/nowhere/thing.h"
#include <cjson/cJSON.h>
