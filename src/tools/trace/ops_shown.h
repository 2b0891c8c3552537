/* A row of operations as answers show it: of trace/ops, of its groups, of one operation. */
#ifndef XPROFD_SRC_TOOLS_TRACE_OPS_SHOWN_H
#define XPROFD_SRC_TOOLS_TRACE_OPS_SHOWN_H

#include "../program/graph_rows.h"
#include "ops_rows.h"

#define XPD_OPS_ROW_FIELDS(FIELD)                                                                  \
    FIELD(TEXT, name, "name of the instruction; for a group, the shared value")                    \
    FIELD(STRING, module, "key of its program, or its name in the events; \"\" several")           \
    FIELD(TEXT, opcode, "\"\" unknown, or several")                                                \
    FIELD(TEXT, category, "XProf's category; \"\" unknown, or several")                            \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work, which sets the colour")                     \
    FIELD(TEXT, scope,                                                                             \
          "scope in the model's code, without jit(...), pass markers and the operation; \"\" "     \
          "unknown")                                                                               \
    FIELD(MAYBE(WORD(XPD_PHASE_WORDS)), phase, "pass, from JAX's markers; null: no markers")       \
    FIELD(TEXT, shape, "of the result, without layout; \"\" unknown")                              \
    FIELD(TEXT, source, "file and line of the model's code, \"\" unknown")                         \
    FIELD(COUNT, operations, "1; for a group, the number of rows in it")                           \
    FIELD(INT, count, "events: on a GPU one execution can be several kernels")                     \
    FIELD(INT, executions, "")                                                                     \
    FIELD(INT, total_ps, "of all executions")                                                      \
    FIELD(INT, self_ps, "total minus nested time")                                                 \
    FIELD(REAL, self_share, "share of the self time of all operations")                            \
    FIELD(MAYBE(REAL), mean_ps, "total of one execution; null of a group")                         \
    FIELD(MAYBE(INT), p50_ps, "median of the executions on all chips; with `percentiles`")         \
    FIELD(MAYBE(INT), p99_ps, "with fewer than 20 executions, the longest")                        \
    FIELD(MAYBE(INT), min_ps, "the shortest execution")                                            \
    FIELD(MAYBE(INT), max_ps, "the longest one")                                                   \
    FIELD(MAYBE(INT), other_total_ps,                                                              \
          "the total by the other clock: host-aligned where total_ps is the device's")             \
    FIELD(MAYBE(INT), wait_total_ps,                                                               \
          "waits of the chips for the asynchronous pair that it belongs to")                       \
    FIELD(COUNT, chips, "number of devices that ran it, SparseCores included")                     \
    FIELD(MAYBE(REAL), chip_spread,                                                                \
          "mean on the slowest chip divided by the mean on the fastest; SparseCores are compared " \
          "with each other, if no main core ran it")                                               \
    FIELD(MAYBE(STRING), slowest_host,                                                             \
          "host with the longest mean execution; null: one host ran it, or was requested")         \
    FIELD(MAYBE(REAL), host_spread, "mean on the slowest host divided by the mean on the fastest") \
    FIELD(MAYBE(INT), flops, "of one execution, as graph/explain computes it")                     \
    FIELD(TEXT, dtype,                                                                             \
          "number type that the matrix unit multiplies, else type of the result; \"\" unknown")    \
    FIELD(MAYBE(INT), moved_bytes, "of one execution, read and written in all memories")           \
    FIELD(MAYBE(INT), hbm_bytes, "part of these in HBM")                                           \
    FIELD(MAYBE(INT), vmem_bytes, "in a TPU's vector memory")                                      \
    FIELD(MAYBE(INT), vmem_read_bytes, "part of these that is read; the rest is written")          \
    FIELD(MAYBE(INT), cmem_bytes, "in its common memory")                                          \
    FIELD(MAYBE(INT), cmem_read_bytes, "part of these that is read; the rest is written")          \
    FIELD(MAYBE(INT), other_bytes, "in all others")                                                \
    FIELD(MAYBE(REAL), flops_per_s, "of the total time")                                           \
    FIELD(MAYBE(REAL), flops_peak_per_s,                                                           \
          "peak to compare flops_per_s with: that of the unit that does the work, for its number " \
          "type; null: no FLOPs, or the peak is unknown")                                          \
    FIELD(MAYBE(REAL), hbm_bytes_per_s, "")                                                        \
    FIELD(MAYBE(REAL), vmem_bytes_per_s, "")                                                       \
    FIELD(MAYBE(REAL), intensity, "FLOPs a byte of HBM")                                           \
    FIELD(MAYBE(WORD(XPD_PLACE_WORDS)), place,                                                     \
          "position in Roofline: a point, or outside the chart for one of four reasons; none: "    \
          "its called or started operations are listed separately; null for a group")              \
    FIELD(WORD(XPD_BOUND_WORDS), bound,                                                            \
          "what limits its time; latency: shorter than 10 us and below 5 % of its roofline; "      \
          "wait: for other chips, for asynchronous work it started, or for a GPU's memory copy")   \
    FIELD(MAYBE(STRING), bound_reason, "why that is unknown")                                      \
    FIELD(MAYBE(WORD(XPD_BOUNDS)), roof, "what sets its roofline")                                 \
    FIELD(MAYBE(INT), roofline_ps,                                                                 \
          "expected time of one execution at the peaks; null for loops, calls, collectives and "   \
          "asynchronous halves")                                                                   \
    FIELD(MAYBE(REAL), roofline_share, "roofline over mean")                                       \
    FIELD(MAYBE(INT), lost_ps, "largest possible saving in all executions")                        \
    FIELD(                                                                                         \
        MAYBE(WORD("roofline best nothing several")), lost_against,                                \
        "what lost_ps is measured against: the roofline of all executions; the best rates of "     \
        "this run, which rank rows but are not a limit; nothing: at most the whole wait is lost; " \
        "several: of a group that has more than one of these")                                     \
    FIELD(MAYBE(INT), cycles, "of one execution, as the compiler estimates")
XPD_RECORD_TYPE(xpd_ops_row, XPD_OPS_ROW_FIELDS)

/* Numbers and words of a row, without its texts. */
void xpd_ops_show(struct xpd_ops_row *to, const struct xpd_ops_found *found,
                  const struct xpd_op_row *row);
/* Its texts, in the arena; `scratch` is for the making. */
void xpd_ops_show_texts(struct xpd_ops_row *to, const struct xpd_ops_found *found,
                        const struct xpd_op_row *row, struct xpd_strbuf *scratch,
                        struct xpd_arena *arena);

#endif
