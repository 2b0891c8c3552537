/* The steps of a run, chip by chip: those of each host that was asked for, put together by their
 * numbers. */
#ifndef XPROFD_SRC_TOOLS_STEPS_RUN_STEPS_H
#define XPROFD_SRC_TOOLS_STEPS_RUN_STEPS_H

#include "step_kept.h"

struct xpd_run_lane {
    uint32_t host; /* in run->host */
    const struct xpd_step_table *table;
    const struct xpd_step_lane *of;
    uint32_t process;  /* of the trace that shows all its hosts side by side */
    const char *name;  /* "TPU:0"; of a host that computes itself that host's name */
    const char *whole; /* the same, of several hosts "host1 TPU:0" */
    int64_t number;   /* to add to the numbers of its steps: those of all hosts are counted alike */
    int64_t moved_ps; /* to add to its host-aligned times: where its host stands among the others */
};
struct xpd_run_cell {
    uint32_t lane;
    const struct xpd_step_cell *of;
};
struct xpd_run_step { /* of equal number on all chips */
    int64_t number;
    uint32_t first, count;     /* in `cell` */
    int64_t mean_ps;           /* rounded down */
    uint32_t fastest, slowest; /* in `cell` */
};
struct xpd_run_steps {
    const char *why_not; /* there are none; NULL = there are */
    struct xpd_run_lane *lane;
    uint32_t lane_count;
    struct xpd_run_cell *cell; /* by number, then lane */
    uint32_t cell_count;
    struct xpd_run_step *step; /* by number */
    uint32_t step_count;
    enum xpd_step_what what;
    const char *program; /* whose runs they are; "" = none or markers */
    const char *without; /* "; without host1, which ran jit_g": hosts whose steps are of another
                          * kind have no lane; "; 1 more is left out, because the recording has only
                          * a part of it"; NULL = none */
    uint32_t asked;      /* the program of the parameter, in run->module; XPD_NO_INDEX = none */
    enum xpd_clock clock;
    const char *why_host;
    bool side_by_side;
    int64_t base_ps;      /* host-aligned times of an answer are after it */
    int64_t *sorted_ps;   /* durations of all cells, ascending */
    int64_t p50_ps;       /* of them */
    uint32_t outliers;    /* steps whose mean differs by more than 5 % */
    uint32_t overlapping; /* cells that begin well before an earlier one of their chip ends */
    bool nothing;         /* no operation, kernel or wait was recorded in any step */
    bool threads_mark;    /* threads of a host mark steps, be they these or not */
    const uint32_t *host; /* that were looked at, in run->host */
    uint32_t host_count;
};
/* Of the parameters host (default: all with events), program and clock. XPD_EBUSY while events are
 * read. */
int xpd_run_steps_of(struct xpd_run_steps *out, const struct xpd_tool_ctx *ctx,
                     enum xpd_clock clock, struct xpd_err *err);
bool xpd_is_outlier(int64_t ps, int64_t p50_ps);
/* Whose runs the steps of a host are: "jit_f"; "" = none, or markers. */
const char *xpd_steps_program(const struct xpd_tool_ctx *ctx, const struct xpd_step_table *table);
const char *xpd_step_what_word(enum xpd_step_what what); /* "markers", "runs", "windows" */
struct xpd_steps_said { /* marked steps, or runs of a program that was not asked for */
    enum xpd_step_what what;
    uint32_t count;
    const char *program, *without; /* as in xpd_run_steps */
    bool threads_mark;             /* likewise */
};
/* "the 100 runs of jit_f, no markers recorded" */
const char *xpd_steps_words(const struct xpd_steps_said *said, struct xpd_arena *arena);
/* The same of any steps. */
const char *xpd_steps_sentence(const struct xpd_run_steps *steps, struct xpd_arena *arena);
/* The lane that the parameter chip means; XPD_NO_INDEX: its text is none of `words` nor a lane. */
uint32_t xpd_run_lane_of(const struct xpd_run_steps *steps, struct xpd_str chip);

#define XPD_PROGRAM_PARAM                                                                          \
    {                                                                                              \
        .name = "program", .type = XPD_PARAM_TEXT,                                                 \
        .help = "program whose executions are the steps (its HLO must be in the profile); "        \
                "default: marked steps, else the program with most time"                           \
    }
#define XPD_CHIP_PARAM(words)                                                                      \
    {                                                                                              \
        .name = "chip", .type = XPD_PARAM_TEXT, .help = (words)                                    \
    }

#endif
