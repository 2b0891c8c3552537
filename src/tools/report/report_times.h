/* Measured times beside what is held: the self times of the instructions of each group, where the
 * program ran. Asked for with `times`, since events may have to be read first. */
#ifndef XPROFD_SRC_TOOLS_REPORT_REPORT_TIMES_H
#define XPROFD_SRC_TOOLS_REPORT_REPORT_TIMES_H

#include "../tables/measured.h"

#define XPD_REPORT_TIMES_PARAM                                                                     \
    {                                                                                              \
        .name = "times", .type = XPD_PARAM_INT, .max = 1,                                          \
        .help = "1: with the measured times of the instructions, once the events are read"         \
    }

struct xpd_report_times { /* zeroed: not asked for */
    bool asked;
    struct xpd_measured measured; /* why_not: there are none */
    int64_t *self_ps;             /* by key, over all executions and devices of the host */
    uint64_t *executions;         /* by key: events */
    int64_t *wait_ps;             /* by key: what the chips waited for pairs with a half in it */
    int64_t total_ps;             /* of all instructions that have a key */
};

/* `key_of` by instruction, XPD_NO_INDEX = in no group; NULL: the groups are not of instructions.
 * XPD_EBUSY while events are read. Lives in ctx->arena. */
int xpd_report_times_make(struct xpd_report_times *out, const struct xpd_tool_ctx *ctx,
                          const uint32_t *key_of, uint32_t keys, struct xpd_err *err);

/* "times":{known,reason,host,clock,total_ps}; null when not asked for. */
void xpd_report_times_write(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                            const struct xpd_report_times *times);
/* "self_ps","executions","wait_ps" of a key, where times are known. */
void xpd_report_times_row(struct xpd_jsonw *w, const struct xpd_report_times *times, uint32_t key);
/* The same as columns; XPD_NO_INDEX: empty cells. */
void xpd_report_times_csv_head(struct xpd_csv *csv, const struct xpd_report_times *times);
void xpd_report_times_csv_row(struct xpd_csv *csv, const struct xpd_report_times *times,
                              uint32_t key);

#endif
