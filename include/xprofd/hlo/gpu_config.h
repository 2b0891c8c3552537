/* What XProf 2.24.2 writes beside a convolution or matrix product of a GPU's library: read
 * from the JSON of the call's backend config, as protobuf reads it into XLA's messages. An
 * unknown field (of another version of XLA) makes the whole config unreadable, and nothing is
 * written. */
#ifndef XPROFD_HLO_GPU_CONFIG_H
#define XPROFD_HLO_GPU_CONFIG_H

#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

/* Appends lines "name=value", each ended by '\n', and returns how many properties they are (the
 * dimensions of a product are one). 0: the target is neither, or its config cannot be read.
 * `is_complex`: the result is an array of complex numbers. */
uint32_t xpd_gpu_config_lines(struct xpd_str target, struct xpd_str config, bool is_complex,
                              struct xpd_strbuf *out);

#endif
