/* The meaning of an event's name for input. */
#ifndef XPROFD_SRC_TRACE_INPUT_RULES_H
#define XPROFD_SRC_TRACE_INPUT_RULES_H

#include "xprofd/trace/input.h"

enum input_kind {
    KIND_NONE,
    KIND_NOTED,      /* the user says its class: an annotation, or a rule of theirs */
    KIND_FETCH,      /* the runtime fetches the next element */
    KIND_NEXT,       /* a Python call that asks for the next batch, by its name */
    KIND_NEXT_PLAIN, /* Python's own next(): counts only where it waits */
    KIND_GET,        /* takes from a queue */
    KIND_PUT,        /* puts into one */
    KIND_BLOCKED,    /* waits for a lock, a pipe, a time */
    KIND_LOAD,
    KIND_HOLD, /* a frame around the work of others: tf.data stages, executors */
    KIND_TRANSFER,
    KIND_LAUNCH,
    KIND_LAUNCH_RUNS, /* launches, and returns when the work is done */
    KIND_RESULT,
    KIND_OP /* an operation of a program, run by this thread */
};
struct input_name {
    uint8_t kind;  /* enum input_kind */
    uint8_t class; /* KIND_NOTED: enum xpd_input_class */
    bool python;   /* a frame of the Python tracer */
    bool inert;    /* Python of a library that calls next() for its own purposes */
    bool waits;    /* facts.c: half of its time it is blocked */
    bool mixed;    /* facts.c: a frame around stages, no stage itself */
    bool brings; /* facts.c: reads a good part of its time and launches nothing: it makes batches */
    bool tf_stage; /* input_is_stage */
};
/* A stage of tf.data: "Iterator::...". */
bool input_is_stage(struct xpd_str caption);
/* By name alone. */
struct input_name input_name_of(struct xpd_str caption, const struct xpd_input_rules *rules);

#endif
