/* A public header counts as well. */
#include <xprofd/session/store.h>
