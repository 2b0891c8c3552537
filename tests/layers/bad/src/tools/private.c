/* Reaches into another folder, and sideways. */
#include "../hlo/load_internal.h"
#include "xprofd/compat/routes.h"
