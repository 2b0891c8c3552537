/* The peaks that rates of a run are against, wherever they stand: Explain, operations, Trace. */
#ifndef XPROFD_SRC_TOOLS_PROGRAM_EXPLAIN_PEAKS_H
#define XPROFD_SRC_TOOLS_PROGRAM_EXPLAIN_PEAKS_H

#include "../common/common.h"
#include "xprofd/profile/chips.h"

/* A figure that is negative where it is unknown: null then. */
void xpd_explain_kdouble(struct xpd_jsonw *w, const char *key, double value);
/* What a chip can do, as an answer has it (struct xpd_peaks). */
#define XPD_PEAKS_FIELDS(FIELD)                                                                    \
    FIELD(STRING, device, "its name")                                                              \
    FIELD(MAYBE(REAL), flops_per_s, "of its matrix units")                                         \
    FIELD(MAYBE(REAL), hbm_bytes_per_s, "of its main memory")                                      \
    FIELD(MAYBE(REAL), link_bytes_per_s, "of all its links together")                              \
    FIELD(MAYBE(REAL), clock_hz, "of its cores")                                                   \
    FIELD(MAYBE(STRING), source, "who says so")
const struct xpd_record *xpd_peaks_record(void);
/* Of its planes, else of the table. */
bool xpd_explain_peaks(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out);
/* The same where the call says otherwise in its parameters. */
bool xpd_explain_peaks_typed(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out);
#define XPD_PEAKS_PARAMS                                                                           \
    {.name = "device",                                                                             \
     .type = XPD_PARAM_TEXT,                                                                       \
     .help = "whose peaks to use, for example `TPU v5e` or `MI300X`, instead of the run's"},       \
        {.name = "peak_flops",                                                                     \
         .type = XPD_PARAM_DOUBLE,                                                                 \
         .help = "FLOP/s that the device can do, entered by hand: `1.3e15`"},                      \
    {                                                                                              \
        .name = "peak_bandwidth", .type = XPD_PARAM_DOUBLE,                                        \
        .help = "B/s of its memory, entered by hand: `5.3e12`"                                     \
    }

#endif
