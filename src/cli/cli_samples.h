/* The profiles that the program carries. */
#ifndef XPROFD_SRC_CLI_SAMPLES_H
#define XPROFD_SRC_CLI_SAMPLES_H

#include "xprofd/session/catalog.h"

/* Static; called once, before any thread starts. */
const struct xpd_sample *xpd_cli_samples(uint32_t *count);

#endif
