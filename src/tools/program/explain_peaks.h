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
    FIELD(MAYBE(REAL), link_bytes_per_s, "one way, over one link to a neighbour")                  \
    FIELD(MAYBE(REAL), clock_hz, "of its cores")                                                   \
    FIELD(MAYBE(STRING), source, "who says so")                                                    \
    FIELD(MAYBE(REAL), vector_flops_per_s, "of its vector units, fp32")                            \
    FIELD(MAYBE(REAL), shared_bytes_per_s, "of a GPU's shared memory (LDS)")                       \
    FIELD(MAYBE(REAL), vmem_read_bytes_per_s, "of a TPU's vector memory")                          \
    FIELD(MAYBE(REAL), vmem_write_bytes_per_s, "likewise")                                         \
    FIELD(MAYBE(REAL), cmem_read_bytes_per_s, "of a TPU's common memory")                          \
    FIELD(MAYBE(REAL), cmem_write_bytes_per_s, "likewise")
const struct xpd_record *xpd_peaks_record(void);
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
     .type = XPD_PARAM_TEXT,                                                                       \
     .help = "whose peaks to use, for example `TPU v5e` or `MI300X`, instead of the run's"},       \
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
