/* Takes library headers that belong elsewhere. */
# include <microhttpd.h>
#include <cjson/cJSON.h>
#include "hlo.pb-c.h"
