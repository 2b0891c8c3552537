/* Nothing wrong here. */
#include "fine.h"
#include "xprofd/compat/routes.h"
#include <stdio.h>
