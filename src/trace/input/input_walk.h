/* The events of a row in order, with their nesting. */
#ifndef XPROFD_SRC_TRACE_INPUT_WALK_H
#define XPROFD_SRC_TRACE_INPUT_WALK_H

#include "xprofd/trace/merge.h"
#include "xprofd/trace/view.h"

struct input_frame {          /* an open event */
    int64_t start_ps, end_ps; /* the end no later than that of the frame around it */
    uint64_t event;
    uint32_t name;
    /* Data of the caller. */
    uint32_t claim, child; /* the name that decided; the call right inside of it */
    uint8_t class;         /* enum xpd_input_class, or what the walk is about */
    bool fixed;            /* the class is from the user */
    bool asks;             /* a call that requests the next batch */
    bool open;             /* calls inside may be stages themselves */
    bool quiet;            /* next() inside means nothing */
    int64_t blocked_ps, load_ps;
    bool puts, launches;
};
struct input_walk {
    void *self;
    /* A frame opens inside of `parent` (NULL: none). */
    void (*enter)(void *self, struct input_frame *frame, const struct input_frame *parent);
    /* [from_ps, to_ps) belongs to `top`, the innermost open frame. In order of time. */
    void (*segment)(void *self, struct input_frame *top, int64_t from_ps, int64_t to_ps);
    /* NULL: nothing to do. */
    void (*leave)(void *self, const struct input_frame *frame, struct input_frame *parent);
};
/* What is open or begins in the range, as if all of the row were walked: pieces of time outside may
 * be missing. False: no memory. */
bool input_walk_part(const struct input_walk *walk, const struct xpd_trace *trace, uint32_t row,
                     struct xpd_time_range range);
/* All of it. */
bool input_walk_row(const struct input_walk *walk, const struct xpd_trace *trace, uint32_t row);

#endif
