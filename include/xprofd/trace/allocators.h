/* Memory as the runtime's allocators used it: lifetime and purpose of each allocation, live
 * allocations at an instant, growth from step to step.
 *
 * Pure functions over the events that profile/allocations.h reads; all times are that reader's.
 * Rules (design/mock/profile.md):
 *  - In use = reserved + allocated; stack = reserved, heap = allocated. A value holds until the
 * next event and is unknown before the first.
 *  - An allocation ends at the next free of its address on its allocator. If the address is
 * allocated again first, its free was not recorded: the lifetime ends there.
 *  - Bytes of an event: its stat (allocation_bytes, else requested_bytes); for a free without one,
 * the size of its allocation; without a partner, the change of the heap.
 *  - Held before the capture = heap at the first event without that event; minus the bytes of each
 * free of an array allocated before the capture.
 *  - Live at an instant = allocations that began by then and have not ended. Together with bytes
 * held before and events without an address, their sum is the heap that the allocator reports;
 * `closes_by` is the difference. */
#ifndef XPROFD_TRACE_ALLOCATORS_H
#define XPROFD_TRACE_ALLOCATORS_H

#include "xprofd/profile/allocations.h"
#include "xprofd/trace/view.h"

/* ---- lives ---- */

struct xpd_alloc_lives { /* of one allocator; columns by event */
    const struct xpd_allocator *of;
    uint32_t *partner; /* an allocation's end, a free's allocation; XPD_NO_INDEX = not recorded */
    int64_t *bytes;    /* size, never negative; -1 = unknown */
    int64_t
        before_bytes; /* of the heap, before the first event; XPD_ALLOC_UNKNOWN: no heap is said */
    int64_t capacity_bytes;   /* the most that reserved, allocated and free add up to; -1 */
    int64_t heap_most_bytes;  /* -1 = no heap is said */
    uint32_t heap_most;       /* the first event with it */
    int64_t peak_ever_bytes;  /* since the process began, as the runtime says; -1 */
    uint32_t unknown_frees;   /* of arrays allocated before the capture */
    uint32_t replaced;        /* allocations whose address was allocated again without a free */
    uint32_t without_address; /* events without an address, which have no known partner */
    int64_t near_peak_ps;     /* with in use within 1 % of the peak, from first to last event */
};
#define XPD_ALLOC_UNKNOWN INT64_MIN
/* Columns in the arena. False: no memory. */
bool xpd_alloc_lives_make(struct xpd_alloc_lives *out, const struct xpd_allocator *of,
                          struct xpd_arena *arena);
/* The first event whose heap (allocated) is closest to a number of bytes; XPD_NO_INDEX: no event
 * says a heap. */
uint32_t xpd_alloc_nearest(const struct xpd_allocator *of, int64_t heap_bytes);
/* The last event at or before a time; XPD_NO_INDEX: none. */
uint32_t xpd_alloc_at(const struct xpd_allocator *of, int64_t at_ps);
/* The time at which an allocation ends; INT64_MAX = not in the capture. */
int64_t xpd_alloc_end_ps(const struct xpd_alloc_lives *lives, uint32_t event);
/* Whether the allocation is live at a time. A free, or an event without an address, never is. */
bool xpd_alloc_is_live(const struct xpd_alloc_lives *lives, uint32_t event, int64_t at_ps);

/* ---- what is live ---- */

struct xpd_alloc_sum { /* of one allocator at an instant */
    uint32_t event;    /* the last one by then; XPD_NO_INDEX = nothing is known yet */
    int64_t listed_bytes;
    uint64_t listed_count,
        unsized_count;             /* the latter among the former: nothing tells their size */
    int64_t before_bytes;          /* still held from before the capture; XPD_ALLOC_UNKNOWN */
    int64_t without_address_bytes; /* allocated less freed */
    int64_t heap_bytes;            /* as the event says; -1 */
    int64_t closes_by;             /* heap - listed - before - without address; XPD_ALLOC_UNKNOWN */
};
struct xpd_alloc_sum xpd_alloc_sum_at(const struct xpd_alloc_lives *lives, int64_t at_ps);

/* ---- what it was for ---- */

enum xpd_alloc_what { /* by the events that enclose it on its thread, first match */
                      XPD_ALLOC_PROGRAM_CODE,
                      XPD_ALLOC_FROM_HOST,
                      XPD_ALLOC_OUTPUT,
                      XPD_ALLOC_TUPLE_TABLE,
                      XPD_ALLOC_LAUNCH,
                      XPD_ALLOC_REGION, /* otherwise: the event's own region_type */
                      XPD_ALLOC_OTHER,
                      XPD_ALLOC_WHAT_COUNT
};
struct xpd_alloc_purpose {
    uint64_t event; /* of the trace; UINT64_MAX = it is not there */
    uint32_t row;   /* its thread; XPD_NO_INDEX */
    enum xpd_alloc_what what;
    struct xpd_str program; /* "jit_f"; "" = not said */
    struct xpd_str source; /* "train.py:41 step", the innermost Python frame around it; "" = none */
};
/* By event. `process`: whose memory it is (xpd_alloc_process). A free has the purpose of its
 * allocation. NULL: out of memory. */
struct xpd_alloc_purpose *xpd_alloc_purposes(const struct xpd_alloc_lives *lives,
                                             const struct xpd_allocations *all,
                                             const struct xpd_view *view, uint32_t process,
                                             struct xpd_arena *arena);
/* The first run on a device that ends after a time of the trace, without its number: "jit_f"; "" =
 * its runs are not known. */
struct xpd_str xpd_alloc_program_at(const struct xpd_view *view, uint32_t process, int64_t at_ps);
/* The process of the trace whose memory an allocator manages: "0" is a chip of a TPU, "GPU_0_bfc"
 * a GPU; without a known device, the first host; XPD_NO_INDEX: none. */
uint32_t xpd_alloc_process(const struct xpd_trace *trace, struct xpd_str name);
/* Offset from times of the events to times of the trace, where lines count from 1970. */
int64_t xpd_alloc_shift_ps(const struct xpd_allocations *all, const struct xpd_trace *trace);

/* ---- which are live, and equal ---- */

enum xpd_alloc_state { XPD_ALLOC_AT_BOTH, XPD_ALLOC_ONLY_A, XPD_ALLOC_ONLY_B };
struct xpd_alloc_one { /* one allocation */
    const struct xpd_alloc_lives *lives;
    const struct xpd_alloc_purpose *purpose;
    uint32_t lane, event; /* lane: number of its allocator, the caller's */
    enum xpd_alloc_state state;
};
/* Those of one allocator at a time, or at either of two; one time (`b_ps` is NULL) is both. `out`
 * has room for lives->of->count. Returns the number written. */
uint32_t xpd_alloc_live_add(struct xpd_alloc_one *out, const struct xpd_alloc_lives *lives,
                            const struct xpd_alloc_purpose *purpose, uint32_t lane, int64_t a_ps,
                            const int64_t *b_ps);

struct xpd_alloc_group { /* equal in lane, state, size, purpose and what the runtime says of it */
    const struct xpd_alloc_one *first; /* the earliest */
    uint32_t count;
    int64_t size_bytes, requested_bytes; /* sums; -1 = not all are said */
    int64_t last_from_ps;                /* of its last allocation */
    int64_t to_ps; /* of the last end; INT64_MAX = one is not in the capture */
};
/* Sorts `live`; without `fold` each is a group. `out` has room for `count`. Returns the number
 * written. */
uint32_t xpd_alloc_groups(struct xpd_alloc_group *out, struct xpd_alloc_one *live, uint32_t count,
                          bool fold);

/* ---- growth over steps ---- */

enum xpd_alloc_steps {                         /* what a step is here */
                       XPD_ALLOC_STEPS_MARKED, /* as in trace/steps */
                       XPD_ALLOC_STEPS_RUNS,  /* runs of the program with most time on its device */
                       XPD_ALLOC_STEPS_TENTHS /* equal tenths of the time from the first to the last
                                                 event */
};
#define XPD_ALLOC_STEPS_WORDS "steps runs tenths"
struct xpd_alloc_span {
    int64_t number, from_ps, to_ps; /* [from, to) */
};
struct xpd_alloc_spans {
    struct xpd_alloc_span *at; /* by time */
    uint32_t count;
    enum xpd_alloc_steps what;
    uint32_t process, row;  /* whose steps: row XPD_NO_INDEX = a device's */
    struct xpd_str program; /* RUNS: of what */
};
/* Of the process whose memory it is; else of the lane with most steps. Times are the trace's.
 * False: no memory. */
bool xpd_alloc_spans_make(struct xpd_alloc_spans *out, const struct xpd_view *view,
                          uint32_t process, const struct xpd_allocator *of, int64_t shift_ps,
                          struct xpd_arena *arena);

struct xpd_alloc_step {
    int64_t number, from_ps, to_ps;
    int64_t least_bytes, most_bytes; /* in use; -1 = before the first event */
    int64_t allocated_bytes, freed_bytes;
    int64_t left_bytes; /* allocated in it and live at its end */
};
enum xpd_alloc_verdict { XPD_ALLOC_LEAK, XPD_ALLOC_NO_GROWTH, XPD_ALLOC_FEW_STEPS };
#define XPD_ALLOC_VERDICT_WORDS "leak no_growth too_few_steps"
#define XPD_ALLOC_STEPS_MIN     8 /* with fewer there is no verdict */
struct xpd_alloc_growth {
    struct xpd_alloc_step *step;
    uint32_t count, known; /* known: with a value in use */
    /* Least squares through (number, least); NAN below 2 known steps. r2 is NAN where all are
     * equal. */
    double slope_bytes, intercept_bytes, r2;
    int64_t lowest_bytes; /* of all steps; -1 */
    enum xpd_alloc_verdict verdict;
    double full_in_steps; /* of a leak, until the capacity is in use; NAN = unknown */
};
/* False: no memory. */
bool xpd_alloc_growth_make(struct xpd_alloc_growth *out, const struct xpd_alloc_lives *lives,
                           const struct xpd_alloc_spans *spans, int64_t shift_ps,
                           struct xpd_arena *arena);
/* Whether one grows more than another: a leak before all others, an unknown slope last. */
bool xpd_alloc_grows_more(const struct xpd_alloc_growth *x, const struct xpd_alloc_growth *y);

struct xpd_alloc_kept {   /* allocated inside the steps, without an end: equal op and shape */
    uint32_t first, last; /* events */
    uint64_t count;
    int64_t size_bytes, requested_bytes; /* sums; -1 = not all are said */
};
struct xpd_alloc_never {          /* ends of the allocations made inside the steps */
    struct xpd_alloc_kept *group; /* largest first */
    uint32_t group_count;
    uint64_t made, kept, freed_in_step, freed_later; /* made = kept + the other two */
    int64_t kept_bytes;
};
bool xpd_alloc_never_make(struct xpd_alloc_never *out, const struct xpd_alloc_lives *lives,
                          const struct xpd_alloc_spans *spans, int64_t shift_ps,
                          struct xpd_arena *arena);

/* ---- the largest use of a device's memory ---- */

struct xpd_alloc_peak {
    const struct xpd_allocator *most;    /* with the most in use; NULL = nothing was recorded */
    const struct xpd_allocator *pieces;  /* whose free memory was most in pieces at its peak */
    double fragmentation;                /* there; -1 = not said */
    const struct xpd_allocator *refused; /* the one whose largest request fitted into the total free
                                          * memory at the peak, but into no piece; NULL = none */
};
/* Adds one more allocator; start with {.fragmentation = -1}. True: it is the new
 * `most`. */
bool xpd_alloc_peak_add(struct xpd_alloc_peak *peak, const struct xpd_allocator *of);

/* ---- the curve in columns ---- */

struct xpd_alloc_value { /* value from at_ps on */
    int64_t at_ps, last_bytes, least_bytes, most_bytes;
    const struct xpd_allocation *peak, *end; /* the event of `most`; the last one */
};
struct xpd_alloc_window {
    int64_t from_ps, to_ps, cell_ps;
};
/* In use along a window: for each column with an event, its extremes and its value at the end.
 * `out` needs two elements a column and one more. Returns the number written. */
uint32_t xpd_alloc_columns(struct xpd_alloc_value *out, const struct xpd_alloc_window *window,
                           const struct xpd_allocator *of);

#endif
