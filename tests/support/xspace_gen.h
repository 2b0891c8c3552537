/* Writes XSpaces of any size straight to a file: profiles as TPU hosts write them, and shapes made
 * to be hard. The same options give the same bytes. */
#ifndef TESTS_SUPPORT_XSPACE_GEN_H
#define TESTS_SUPPORT_XSPACE_GEN_H

#include <stdbool.h>
#include <stdint.h>

enum xsg_shape {
    XSG_TPU,       /* 8 chips (steps, modules, nested ops, async ops, trace marks) and a host of 200
                      threads up to 24 deep; about 40 bytes an event */
    XSG_FAT,       /* the same with five stats of five kinds on every event: about 75 bytes each */
    XSG_ONE_ROW,   /* all events one after another on one line */
    XSG_MANY_ROWS, /* one event on each line */
    XSG_DEEP,      /* nested 250 deep */
    XSG_INSTANT,   /* all at one instant, with the same duration: as many depths as there are */
    XSG_ZERO,      /* all at one instant, without duration */
    XSG_UNSORTED,  /* in random order */
    XSG_PYTHON,    /* 16 threads of Python frames up to 40 deep, native calls with stats, steps */
    XSG_GPU,       /* 4 GPUs of 4 streams: each kernel, of five stats, and the launch it links to */
    XSG_EXECUTOR,  /* TensorFlow: 64 threads of a pool, tasks with ids of steps and iterations */
    XSG_WIDE,      /* 1,000 threads with linked events */
    XSG_SHAPE_COUNT
};
const char *xsg_shape_name(enum xsg_shape shape);

/* About `events` events. False with a message on stderr when the file cannot be written. */
bool xsg_write(const char *path, enum xsg_shape shape, uint64_t events);

#endif
