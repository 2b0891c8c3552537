/* The boxes of some rows in a window as the columns of an answer: whole quanta, names in a table of
 * the answer's own. */
#ifndef XPD_TOOLS_TRACE_PICTURE_H
#define XPD_TOOLS_TRACE_PICTURE_H

#include "trace_common.h"
#include "xprofd/base/vec.h"

/* Of one answer; beyond it the cell doubles, and the answer says so. */
#define XPD_BOXES_MAX 120000
/* Below so many boxes, a second thread costs what it brings. */
#define XPD_PICTURE_THREAD_FROM 8000

struct xpd_picture_run { /* consecutive boxes of one depth */
    uint32_t row, depth, first_box, box_count;
    uint64_t first_event;
};

struct xpd_picture {
    const struct xpd_view *view;
    int64_t from_ps; /* of the window */
    uint8_t cell_shift, quantum_shift;
    bool with_scopes; /* name scopes are written beside the names */
    uint64_t events;  /* in the boxes */

    uint32_t box_count, merged_count;
    /* Of each box: start from the one before in its run, else from from_ps; place of its name. */
    int64_t *start, *length, *name;
    /* Of boxes of more than one event: distance from the one before among them, ... */
    int64_t *at, *count, *busy, *longest;
    XPD_VEC(struct xpd_picture_run) run;
    XPD_VEC(uint32_t) used_name; /* names of the view, by place */

    /* While it is read. */
    uint32_t *place; /* by name of the view: place + 1 */
    int64_t *memory;
    uint32_t row, depth, last_merged;
    int64_t before; /* start of the last box */
    uint64_t first_event, next_event;
    bool too_many;
};

/* Busy times are in sixteenths of a quantum: an operation is often shorter than a quantum. */
static inline uint8_t xpd_picture_busy_shift(const struct xpd_picture *picture)
{
    return picture->quantum_shift > 4 ? (uint8_t)(picture->quantum_shift - 4) : 0;
}

/* Cells double until the boxes are at most XPD_BOXES_MAX; too_many stays set when no cell is coarse
 * enough. XPD_ENOMEM as other tools say it. */
int xpd_picture_read(struct xpd_picture *picture, const struct xpd_trace_call *call,
                     const struct xpd_row_list *rows, bool flat,
                     const struct xpd_trace_window *window, struct xpd_err *err);
void xpd_picture_fini(struct xpd_picture *picture);

/* trace_picture_json.c: "box" and "merged" of an answer; its "names" become a text of their own,
 * for they stand behind all else. XPD_ENOMEM as other tools say it. */
int xpd_picture_write(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                      const struct xpd_picture *picture, struct xpd_strbuf *names,
                      struct xpd_err *err);
/* trace_picture_names.c: an object. */
int xpd_picture_write_names(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                            const struct xpd_picture *picture, struct xpd_err *err);

/* trace_picture_parts.c: all depths of the rows asked for, cut into parts for two threads. */
#define XPD_PICTURE_PARTS 64
struct xpd_picture_depth {
    uint32_t row, depth;
};
struct xpd_picture_plan {
    struct xpd_picture_depth *depth;
    uint32_t depth_count, part_count, threads; /* one thread: one part */
    uint32_t part[XPD_PICTURE_PARTS + 1];      /* where each begins; the last one is the end */
};
/* In the arena of the call. False: out of memory. */
bool xpd_picture_plan(struct xpd_picture_plan *plan, const struct xpd_trace_call *call,
                      const struct xpd_row_list *rows, bool flat,
                      const struct xpd_trace_window *window);
/* `more` is of the second thread, and is not looked at with one. The first picture becomes that of
 * both, unless there are too many boxes. */
void xpd_picture_read_parts(struct xpd_picture *picture, struct xpd_picture *more,
                            const struct xpd_picture_plan *plan,
                            const struct xpd_trace_window *window);

/* trace_picture_boxes.c */
void xpd_picture_begin(struct xpd_picture *picture, uint8_t cell_shift);
/* The boxes of some depths behind those that are there, until they are too many. */
void xpd_picture_read_depths(struct xpd_picture *picture, const struct xpd_picture_depth *depth,
                             uint32_t count, const struct xpd_trace_window *window);
/* Of a name of the view in the answer's table; put there when new. */
uint32_t xpd_picture_place(struct xpd_picture *picture, uint32_t name);

#endif
