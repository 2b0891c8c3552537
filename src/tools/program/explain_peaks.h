/* The peaks that rates of a run are against, wherever they stand: Explain, operations, Trace. */
#ifndef XPROFD_SRC_TOOLS_PROGRAM_EXPLAIN_PEAKS_H
#define XPROFD_SRC_TOOLS_PROGRAM_EXPLAIN_PEAKS_H

#include "../common/common.h"
#include "xprofd/tools/explanation.h"

/* Of its planes, else of the table. */
bool xpd_explain_peaks(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out);
/* The same, or of the chip that the call names. */
bool xpd_explain_peaks_said(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out);
/* The same with what the call types in its parameters. */
bool xpd_explain_peaks_typed(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out);
/* The parameter that a limit is typed with. */
const char *xpd_peak_param(enum xpd_peak peak);
#define XPD_PEAK_PARAM(word, text)                                                                 \
    {                                                                                              \
        .name = (word), .type = XPD_PARAM_DOUBLE, .min = 1, .help = (text)                         \
    }
/* Of every route that judges. */
#define XPD_PEAKS_PARAMS                                                                           \
    {.name = "device",                                                                             \
     .type = XPD_PARAM_CHIP,                                                                       \
     .help = "chip whose peaks to use, for example `TPU v5e` or `MI300X`, instead of the run's"},  \
        XPD_PEAK_PARAM("peak_flops", "FLOP/s of the matrix units for every type of number, "       \
                                     "entered by hand: `1.3e15`"),                                 \
        XPD_PEAK_PARAM("peak_vector", "FLOP/s of the vector units, entered by hand"),              \
        XPD_PEAK_PARAM("peak_bandwidth", "B/s of the main memory, entered by hand: `5.3e12`"),     \
        XPD_PEAK_PARAM("peak_shared", "B/s of a GPU's shared memory, likewise"),                   \
        XPD_PEAK_PARAM("peak_vmem_read", "B/s read from a TPU's vector memory, likewise"),         \
        XPD_PEAK_PARAM("peak_vmem_write", "B/s written to it, likewise"),                          \
        XPD_PEAK_PARAM("peak_cmem_read", "B/s read from a TPU's common memory, likewise"),         \
        XPD_PEAK_PARAM("peak_cmem_write", "B/s written to it, likewise"),                          \
        XPD_PEAK_PARAM("peak_link", "B/s over one link to a neighbour, likewise")

#endif
