/* Nesting of the events of a row. In: its depths. Out: opens, pieces of time and closes, in order.
 * An event that ends behind the one it began in is cut there: each moment has one innermost event.
 */
#include "walk.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"

struct walking {
    const struct input_walk *walk;
    XPD_VEC(struct input_frame) open;
    int64_t at_ps; /* told up to here */
};

static void tell(struct walking *w, int64_t to_ps)
{
    if (w->open.count > 0 && to_ps > w->at_ps && w->walk->segment)
        w->walk->segment(w->walk->self, &w->open.at[w->open.count - 1], w->at_ps, to_ps);
    w->at_ps = to_ps > w->at_ps ? to_ps : w->at_ps;
}

static void close_until(struct walking *w, int64_t start_ps)
{
    while (w->open.count > 0 && w->open.at[w->open.count - 1].end_ps <= start_ps) {
        struct input_frame *top = &w->open.at[w->open.count - 1];
        tell(w, top->end_ps);
        if (w->walk->leave)
            w->walk->leave(w->walk->self, top, w->open.count > 1 ? top - 1 : NULL);
        w->open.count--;
    }
    tell(w, start_ps);
}

static void open_event(struct walking *w, const struct xpd_merged *event)
{
    const struct input_frame *parent = w->open.count > 0 ? &w->open.at[w->open.count - 1] : NULL;
    struct input_frame frame = {.start_ps = event->start_ps,
                                .end_ps = event->start_ps,
                                .event = event->event,
                                .name = event->name,
                                .claim = XPD_NO_INDEX,
                                .child = XPD_NO_INDEX};
    xpd_grow_i64(&frame.end_ps, event->duration_ps);
    if (parent && frame.end_ps > parent->end_ps)
        frame.end_ps = parent->end_ps;
    w->walk->enter(w->walk->self, &frame, parent);
    XPD_PUSH(&w->open, frame);
}

bool input_walk_row(const struct input_walk *walk, const struct xpd_trace *trace, uint32_t row)
{
    struct walking w = {.walk = walk, .at_ps = INT64_MIN};
    struct xpd_merge merge;
    struct xpd_merged event;
    xpd_merge_init(&merge, true);
    xpd_merge_add_row(&merge, trace, row);
    while (!w.open.failed && xpd_merge_next(&merge, &event)) {
        close_until(&w, event.start_ps);
        open_event(&w, &event);
    }
    close_until(&w, INT64_MAX);
    bool fine = !merge.failed && !w.open.failed;
    xpd_merge_fini(&merge);
    XPD_VEC_FINI(&w.open);
    return fine;
}
