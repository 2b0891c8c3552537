/* Measured times beside what is held: the self times of the instructions of each group, where the
 * program ran. Asked for with `times`, since events may have to be read first. */
#ifndef XPROFD_SRC_TOOLS_REPORT_REPORT_TIMES_H
#define XPROFD_SRC_TOOLS_REPORT_REPORT_TIMES_H

#include "../tables/measured.h"

#define XPD_REPORT_TIMES_PARAM                                                                     \
    {                                                                                              \
        .name = "times", .type = XPD_PARAM_INT, .max = 1,                                          \
        .help = "1: adds the measured times of the instructions, once the events are read"         \
    }

struct xpd_report_times { /* zeroed: not asked for */
    bool asked;
    struct xpd_measured measured; /* why_not: there are none */
    int64_t *self_ps;             /* by key, over all executions and devices */
    uint64_t *executions;         /* by key: events */
    int64_t *wait_ps;             /* by key: what the chips waited for pairs with a half in it */
    int64_t total_ps;             /* of all instructions that have a key */
};

/* `key_of` by instruction, XPD_NO_INDEX = in no group; NULL: the groups are not of instructions.
 * XPD_EBUSY while events are read. Lives in ctx->arena. */
int xpd_report_times_make(struct xpd_report_times *out, const struct xpd_tool_ctx *ctx,
                          const uint32_t *key_of, uint32_t keys, struct xpd_err *err);

#define XPD_REPORT_TIMED_FIELDS(FIELD)                                                             \
    FIELD(BOOL, known, "")                                                                         \
    FIELD(MAYBE(STRING), reason, "why there are no times")                                         \
    FIELD(MAYBE(STRING), host, "host of the events; null: all hosts together")                     \
    FIELD(MAYBE(WORD("device host mixed")), clock, "clock of the times")                           \
    FIELD(INT, total_ps, "of all instructions in a group")
XPD_RECORD_TYPE(xpd_report_timed, XPD_REPORT_TIMED_FIELDS)
/* NULL: not asked for. */
const struct xpd_report_timed *xpd_report_timed_of(const struct xpd_report_times *times,
                                                   const struct xpd_tool_ctx *ctx);

/* Of a group, in its row. */
#define XPD_REPORT_TIMES_FIELDS(FIELD)                                                             \
    FIELD(MAYBE(INT), self_ps, "with `times`: over all executions and devices")                    \
    FIELD(MAYBE(INT), executions, "over all executions and devices: events")                       \
    FIELD(MAYBE(INT), wait_ps,                                                                     \
          "over all executions and devices: waits of chips for pairs with a half in the group")
#define XPD_REPORT_TIMES_OF(times, key)                                                            \
    .self_ps = (times)->self_ps ? (times)->self_ps[key] : -1,                                      \
    .executions = (times)->self_ps ? (int64_t)(times)->executions[key] : -1,                       \
    .wait_ps = (times)->self_ps ? (times)->wait_ps[key] : -1

/* The same as columns of a CSV, where the times are known. */
void xpd_report_times_csv_head(struct xpd_csv *csv, const struct xpd_report_timed *times);
#define XPD_REPORT_TIMES_CSV(csv, times, row)                                                      \
    xpd_report_times_csv((csv), (times), (row)->self_ps, (row)->executions, (row)->wait_ps)
/* Below 0 is an empty cell. */
void xpd_report_times_csv(struct xpd_csv *csv, const struct xpd_report_timed *times,
                          int64_t self_ps, int64_t executions, int64_t wait_ps);

#endif
