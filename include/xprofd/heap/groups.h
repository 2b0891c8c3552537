/* Samples of one or several pprof files of one kind, summed by line, function, file, stack,
 * size, device or kind. The only place that sums values of files, so that every page, route and
 * command shows the same numbers.
 *
 * The line of a sample is its innermost frame of the user's own code; without one, its
 * innermost frame. Executables are a separate row where rows are code. Rows of two files are
 * the same when their keys are. Values are in the unit of the type's kind; sums saturate at
 * INT64_MAX. */
#ifndef XPROFD_HEAP_GROUPS_H
#define XPROFD_HEAP_GROUPS_H

#include "xprofd/heap/heap.h"

enum xpd_heap_by {
    XPD_HEAP_BY_LINE,
    XPD_HEAP_BY_FUNCTION,
    XPD_HEAP_BY_FILE,
    XPD_HEAP_BY_STACK,
    XPD_HEAP_BY_SIZE,
    XPD_HEAP_BY_DEVICE,
    XPD_HEAP_BY_KIND
};
#define XPD_HEAP_BY_WORDS "line function file stack size device kind"

struct xpd_heap_member { /* a file that takes part */
    const struct xpd_pprof *heap;
    uint32_t type;       /* whose values */
    const bool *library; /* by frame */
};

/* Which samples count; "" = all. */
struct xpd_heap_filter {
    struct xpd_str device, kind;
    struct xpd_str line; /* key of a row by line */
};

struct xpd_heap_row {
    struct xpd_str key;
    const struct xpd_pprof *heap; /* of the first file that has it: */
    uint32_t frame;               /* frame of the row; XPD_NO_INDEX = none */
    uint32_t stack;               /* the largest stack of that file; XPD_NO_INDEX = none */
    int64_t size_bytes;           /* by size; -1 = not known */
    bool executables;             /* compiled programs, not arrays */
    bool own;                     /* the user's code */
};

struct xpd_heap_groups {
    struct xpd_heap_row *row;
    uint32_t row_count, member_count;
    int64_t *value, *count;       /* row * member_count + member */
    int64_t *total, *total_count; /* by member: of all rows */
    int64_t *buffers;             /* by member: total_count without executables */
};

/* Library flags of a file by the usual rule (heap.h), in the arena. NULL: no memory. */
bool *xpd_heap_library_flags(const struct xpd_pprof *heap, struct xpd_arena *arena);

/* Everything in the arena. XPD_ENOMEM. */
int xpd_heap_group(struct xpd_heap_groups *out, const struct xpd_heap_member *member,
                   uint32_t member_count, enum xpd_heap_by by, const struct xpd_heap_filter *filter,
                   struct xpd_arena *arena, struct xpd_err *err);

/* How a value changed over the files of a series. */
enum xpd_heap_verdict {
    XPD_HEAP_UNKNOWN, /* one file */
    XPD_HEAP_STEADY,  /* the same in the last two files */
    XPD_HEAP_GREW,    /* more than in the file before, but not in each of at least three */
    XPD_HEAP_GROWS,   /* every one of at least three files has more than the one before */
    XPD_HEAP_SHRANK
};
#define XPD_HEAP_VERDICT_WORDS "unknown steady grew grows shrank"
const char *xpd_heap_verdict_word(enum xpd_heap_verdict verdict);

struct xpd_heap_growth {
    enum xpd_heap_verdict verdict;
    double last_per_step; /* (last - the one before) / steps between; NAN with one file */
    double per_step;      /* least squares over all files; NAN with one file */
    double r2;            /* of it; 1 where all values are equal, NAN with one file */
};
/* `step` grows from file to file. */
struct xpd_heap_growth xpd_heap_growth_of(const int64_t *value, const int64_t *step,
                                          uint32_t count);

/* Whether two files seem to come from one program: at least half of the lines of the smaller file
 * are also in the other. */
bool xpd_heap_same_program(const struct xpd_heap_groups *lines, uint32_t a, uint32_t b);

#endif
