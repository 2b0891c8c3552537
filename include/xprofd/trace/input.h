/* Input analysis: waits of the program in each step, and work of its loaders meanwhile.
 *
 * The program is the thread that marks the steps (`_r`, `step_num`); without marks the one that
 * launches programs, and the steps are those that the caller gives, of the chips or of the
 * program's operations; without these a step reaches from the end of one launch to the end of the
 * next. Each moment of a step is in exactly one part: the class of the outermost event with a class
 * (a user's annotation has priority, and a fetch of the next element over a call around it);
 * without such an event, compute while a device is busy, else other. The parts of a step add up to
 * it, to the picosecond. Where a program waits between its steps (the batch is fetched before the
 * mark), a step reaches from the end of the one before to its own end.
 *
 * A loader is another thread of the host that reads, prepares or hands over batches. Its times are
 * cut at the edges of the steps: a loader works ahead, so its work during a step may be for a later
 * one.
 *
 * All times are host-aligned. The rules are one table (src/trace/input/rules.c), after those of the
 * user. Pure; one host. */
#ifndef XPROFD_TRACE_INPUT_H
#define XPROFD_TRACE_INPUT_H

#include "xprofd/trace/idle.h"
#include "xprofd/trace/step_spans.h"
#include "xprofd/trace/step_table.h"

enum xpd_input_class {
    XPD_INPUT_WAIT,       /* for a batch */
    XPD_INPUT_LOAD,       /* reads or decompresses */
    XPD_INPUT_PREPROCESS, /* other work on a batch */
    XPD_INPUT_TRANSFER,   /* to the device */
    XPD_INPUT_LAUNCH,
    XPD_INPUT_RESULT,                 /* fetches one, and waits for it */
    XPD_INPUT_COMPUTE,                /* no class, and a device is busy */
    XPD_INPUT_OTHER,                  /* no class, and no device is busy */
    XPD_INPUT_PARTS,                  /* of a step; loaders have two more: */
    XPD_INPUT_FULL = XPD_INPUT_PARTS, /* waits until its queue has room */
    XPD_INPUT_REST,                   /* waits for something else, or hands on */
    XPD_INPUT_CLASSES
};
/* "wait", "load", ...; the words of rules and routes. */
const char *xpd_input_class_word(enum xpd_input_class class);
#define XPD_INPUT_CLASS_WORDS "wait load preprocess transfer launch result compute other full rest"
static inline bool xpd_input_is_input(enum xpd_input_class class)
{
    return class <= XPD_INPUT_PREPROCESS;
}

/* ---- rules ---- */

#define XPD_INPUT_RULES_MAX 32
struct xpd_input_rule {
    struct xpd_str text; /* events whose name contains it */
    uint8_t class;       /* enum xpd_input_class; XPD_INPUT_OTHER: of no class */
};
struct xpd_input_rules { /* the user's, before all others; the first that applies decides */
    struct xpd_input_rule rule[XPD_INPUT_RULES_MAX];
    uint32_t count;
};
/* "wait:get_batch,load:my_read,none:logging": texts are borrowed. XPD_EINVAL says what is wrong. */
int xpd_input_rules_read(struct xpd_input_rules *out, struct xpd_str text, struct xpd_err *err);
/* The built-in rules in their order, for display; false past the last one. */
struct xpd_input_known {
    const char *class, *match, *text;
};
bool xpd_input_known_rule(uint32_t number, struct xpd_input_known *out);

/* ---- the analysis ---- */

struct xpd_input_given { /* a step, host-aligned */
    int64_t number, from_ps, to_ps;
};
struct xpd_input_periods {
    struct xpd_input_given *step; /* disjoint, ascending */
    uint32_t count;               /* 0: nothing marks steps */
};
/* The steps of a host's table, where no thread marks steps. Each reaches from the end of the one
 * before to its own end: on the last chip, where the clock of the table is the host's; else by the
 * gap between them and the step, means of the chips by their own clock. The first is as long as its
 * run. In the arena. XPD_ENOMEM. */
int xpd_input_periods_of(struct xpd_input_periods *out, const struct xpd_step_table *table,
                         struct xpd_arena *arena, struct xpd_err *err);
struct xpd_input_ask {
    const struct xpd_view *view; /* of one host, with derived rows */
    const struct xpd_overlap_table *table;
    const struct xpd_input_given *given; /* disjoint, ascending; used where no thread marks steps */
    uint32_t given_count;
    const struct xpd_input_rules *rules; /* NULL: none */
    const struct xpd_step_numbers *chosen;
    uint32_t chosen_count;            /* 0: all steps */
    bool pieces;                      /* also makes the timeline of each thread: for a few steps */
    const struct xpd_input_run *same; /* of the same view and rules, of any steps: what it found of
                                         the names is not looked for again; NULL: none */
};

enum xpd_input_steps { /* what a step is */
                       XPD_INPUT_NO_STEPS,
                       XPD_INPUT_MARKS,
                       XPD_INPUT_PERIODS,  /* from the end of one mark to that of the next */
                       XPD_INPUT_LAUNCHES, /* from the end of one launch to that of the next */
                       XPD_INPUT_GIVEN     /* those of the caller */
};
struct xpd_input_step {
    int64_t number, from_ps, to_ps;
    int64_t part_ps[XPD_INPUT_PARTS]; /* add up to to_ps - from_ps */
    /* All loaders together, and the one that worked most. */
    int64_t load_ps, preprocess_ps, full_ps, most_ps;
    /* All devices idle or any busy; add up to the step. 0 without devices. */
    int64_t busy_ps, idle_input_ps, idle_transfer_ps, idle_other_ps;
    int64_t infeed_ps; /* mean of the chips: waits in infeed operations */
};
struct xpd_input_stage {
    uint8_t class;
    uint32_t thread; /* in `thread`, the first of its pool; XPD_NO_INDEX: the devices */
    uint32_t parent; /* in `stage`; XPD_NO_INDEX = top */
    uint32_t name;   /* of the view: what decided, or the inner call; XPD_NO_INDEX = none */
    uint64_t count;  /* of events of `name` that decided; 0: without events */
    int64_t total_ps;
    int64_t p50_ps, most_ps, most_step; /* over steps; -1 for inner calls */
};
enum xpd_input_role { XPD_INPUT_PROGRAM, XPD_INPUT_LOADER, XPD_INPUT_DEVICE, XPD_INPUT_RUNTIME };
struct xpd_input_thread {
    uint32_t row, name; /* name: of the view, of its longest call where the row has no name */
    uint8_t role;       /* enum xpd_input_role */
    int64_t ps[XPD_INPUT_CLASSES]; /* in the steps; of roles that are no loader and no program 0 */
    int64_t busy_ps;               /* in the steps: under any event */
};
struct xpd_input_piece { /* of a program or loader: one class without a break */
    uint32_t thread;     /* in `thread`; XPD_NO_INDEX: some device of the host is busy */
    uint8_t class;
    int64_t from_ps, to_ps;
};
struct xpd_input_tf_stage { /* of tf.data, by path: "Root::Prefetch::MapAndBatch" */
    struct xpd_str path;    /* without "Iterator::" and "[n]"; in the arena */
    uint32_t parent;        /* XPD_NO_INDEX = last stage of its pipeline */
    uint32_t threads;       /* that called it */
    uint64_t calls;
    int64_t total_ps, self_ps; /* self: without stages that it called on the same thread */
    uint64_t event;            /* the last one: its stats say the parameters */
};
struct input_name;
struct xpd_input_run {
    const struct input_name *name_facts; /* by name of the view; of this analysis alone */
    const uint8_t *row_names;            /* by row: what its names are about; likewise */
    enum xpd_input_steps what;
    uint32_t given_count; /* steps that the caller gave; 0: none */
    const char *why_none; /* no steps: why; NULL = there are */
    uint32_t program;     /* row; XPD_NO_INDEX: no thread is known */
    uint32_t launch;      /* name of the launches it is known by; XPD_NO_INDEX: marks, or nothing */
    bool python;          /* frames of the Python tracer lie in its steps */
    bool devices;         /* some device's work was recorded */
    bool told;            /* some event or infeed is about input */
    struct xpd_input_step *step;
    uint32_t step_count;
    struct xpd_input_step sum; /* of them; from_ps and to_ps: first and last */
    int64_t length_ps;         /* all steps */
    struct xpd_input_stage *stage;
    uint32_t stage_count;
    struct xpd_input_thread *thread;
    uint32_t thread_count, loaders;
    struct xpd_input_piece *piece; /* when asked for: by thread, then time */
    size_t piece_count;
    struct xpd_input_tf_stage *tf;
    uint32_t tf_count;
    uint32_t tf_bounds;           /* most self time; XPD_NO_INDEX without stages */
    int64_t map_busy_ps;          /* union of the threads that run map functions; -1 = none */
    uint32_t map_name;            /* operation with most time on them */
    int64_t map_name_ps;          /* -1 = none */
    struct xpd_input_waits waits; /* of the program: wait, load, preprocess */
    uint32_t other_name;          /* of the call with most of OTHER; XPD_NO_INDEX */
    int64_t other_name_ps;
};
/* Results are in `arena`. XPD_ENOMEM. No steps is not an error. */
int xpd_input_make(struct xpd_input_run *out, const struct xpd_input_ask *ask,
                   struct xpd_arena *arena, struct xpd_err *err);

/* ---- the verdict ---- */

#define XPD_INPUT_BOUND  0.20 /* of the steps: input bound */
#define XPD_INPUT_PARTLY 0.05 /* partly */
#define XPD_INPUT_RESTS  0.20 /* of their time loaders stand before a full queue: they rest */

enum xpd_input_says { XPD_INPUT_NO, XPD_INPUT_SOME, XPD_INPUT_YES, XPD_INPUT_UNKNOWN };
enum xpd_input_side { /* why the program waits */
                      XPD_INPUT_NO_SIDE,
                      XPD_INPUT_ASKS_LATE, /* the queue is full, but the program waits */
                      XPD_INPUT_SLOW,      /* loaders work all the time */
                      XPD_INPUT_LOADER_WAITS,
                      XPD_INPUT_ITSELF, /* the program reads and prepares its own input */
                      XPD_INPUT_INFEED
};
struct xpd_input_verdict {
    enum xpd_input_says says;
    enum xpd_input_side side;
    double share, most_share; /* of the steps: waits for input; including unexplained time */
    int64_t wait_ps;          /* of all steps: the program's wait, load, preprocess, or the chips'
                                 infeed, whichever is more */
    double step_ps, free_ps;  /* means: a step, and a step without waiting */
    double batch_ps;          /* work of all loaders for a step; -1 = no loader */
    int64_t needed;           /* loaders that keep up; -1 = unknown */
    double full_share;        /* of the loaders' time; -1 = no loader */
    bool from_infeed;
};
void xpd_input_judge(struct xpd_input_verdict *out, const struct xpd_input_run *input);

#endif
