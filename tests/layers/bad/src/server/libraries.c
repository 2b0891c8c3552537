/* Takes library headers that belong elsewhere. */
#include "hlo.pb-c.h"
#include <cjson/cJSON.h>
#include <microhttpd.h>
