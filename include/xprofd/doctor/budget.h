/* A budget: limits for the memory of programs, in a file that lies in the repository of the
 * program.
 *
 *     # comment
 *     [jit_train_step]              module name, glob
 *     peak_bytes.HBM   <= 14.5GiB   also reserved_bytes, temp_bytes, argument_bytes
 *     growth.HBM       <= 2%        against the baseline of `xprofd diff`
 *     padding_share    <= 15%       of the peak of the main memory
 *     fragmentation    <= 8%        of its heap
 *     doctor           no error     or: no warn, no info
 *     doctor.D06       <= 64MiB     what its findings would save
 *     step_time.p50    <= 190ms +-5%  also p90, max; broken beyond the band; needs 5 steps
 *     step_ms          <= 190 +-5%  the same as step_time.p50, in ms
 *     exposed_comm     <= 12%       communication that no computation hides, of the steps' time
 *     exposed_ms       <= 12 +-5%   communication and copies that none hides, of a mean step
 *     idle_share       <= 10%       nothing done, of the time from step to step
 *     measured_peak    <= 14.5GiB   most in use, as the runtime's allocators reported it
 *     growth_per_step  <= 1MiB      of the lowest in use from step to step; needs 8 steps
 *
 * All from step_time on are measured: a section [*] judges them in a run without HLO, too.
 */
#ifndef XPROFD_DOCTOR_BUDGET_H
#define XPROFD_DOCTOR_BUDGET_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/str.h"

enum xpd_measure {
    XPD_MEASURE_PEAK,
    XPD_MEASURE_RESERVED,
    XPD_MEASURE_TEMP,
    XPD_MEASURE_ARGUMENT,
    XPD_MEASURE_GROWTH,
    XPD_MEASURE_PADDING,
    XPD_MEASURE_FRAGMENTATION,
    XPD_MEASURE_DOCTOR,      /* no finding of this severity or worse */
    XPD_MEASURE_DOCTOR_RULE, /* bytes of one rule */
    XPD_MEASURE_STEP_TIME,   /* a percentile of the steps */
    XPD_MEASURE_EXPOSED_COMM,
    XPD_MEASURE_EXPOSED_TIME, /* of communication and copies, of a mean step */
    XPD_MEASURE_IDLE,
    XPD_MEASURE_MEASURED_PEAK,
    XPD_MEASURE_GROWTH_PER_STEP, /* of the allocator that grows most */
    XPD_MEASURE_COUNT
};

struct xpd_limit {
    enum xpd_measure measure;
    struct xpd_str name;  /* "peak_bytes.HBM", as written */
    struct xpd_str space; /* "HBM" or "0"; "" = the main memory */
    struct xpd_str rule;  /* "D06" */
    struct xpd_str text;  /* "<= 14.5GiB", as written */
    struct xpd_str value; /* "14.5GiB" */
    int64_t bytes;        /* of sizes */
    int64_t time_ps;      /* of times */
    double band;          /* of times: broken from time_ps * (1 + band) */
    double quantile;      /* of STEP_TIME: 0.5, 0.9, 1 = the longest */
    double share;         /* of percentages: 0.15 */
    int severity;         /* of DOCTOR: 0 error, 1 warn, 2 info */
    uint32_t line;        /* from 1 */
};

struct xpd_budget_section {
    struct xpd_str pattern;
    uint32_t line, first, count; /* in limit[] */
};

struct xpd_budget {
    struct xpd_budget_section *section;
    uint32_t section_count;
    struct xpd_limit *limit;
    uint32_t limit_count;
};

/* Borrowed text: it must outlive the budget. XPD_EINVAL with err->where = "FILE:LINE:COLUMN". */
int xpd_budget_read(struct xpd_budget *out, struct xpd_str text, const char *file,
                    struct xpd_arena *arena, struct xpd_err *err);
static inline bool xpd_measure_is_share(enum xpd_measure m)
{
    return m == XPD_MEASURE_GROWTH || m == XPD_MEASURE_PADDING || m == XPD_MEASURE_FRAGMENTATION ||
           m == XPD_MEASURE_EXPOSED_COMM || m == XPD_MEASURE_IDLE;
}
static inline bool xpd_measure_is_time(enum xpd_measure m)
{
    return m == XPD_MEASURE_STEP_TIME || m == XPD_MEASURE_EXPOSED_TIME;
}

#endif
