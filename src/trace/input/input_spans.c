/* Steps of a program as spans of its thread. In: derived steps, events of threads. Out: disjoint
 * spans in order. */
#include "input_spans.h"
#include "input_walk.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/window.h"
#include <stdlib.h>

/* Nesting of the events of a row. In: its depths. Out: opens, pieces of time and closes, in order.
 * An event that ends behind the one it began in is cut there: each moment has one innermost event.
 */

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

/* Events of a row that tell what lies in what in a range. */
struct needed {
    const struct xpd_depth *depth;
    uint32_t count, *first; /* depths; by depth the first event that is needed */
    XPD_VEC(uint64_t) left; /* to be looked into: depth, index */
    struct xpd_map64 met;
};
#define NEEDED_MOST 10000 /* of more the whole row is walked */

static void need(struct needed *n, uint32_t depth, uint32_t index)
{
    uint64_t one = (uint64_t)depth << 32 | index;
    if (index >= n->depth[depth].count || xpd_map64_put(&n->met, one, 0) != XPD_NO_INDEX)
        return;
    n->first[depth] = index < n->first[depth] ? index : n->first[depth];
    XPD_PUSH(&n->left, one);
}

/* What is open as a needed event begins holds or cuts it, and is needed, too. */
static void need_open(struct needed *n, int64_t start_ps)
{
    for (uint32_t d = 0; d < n->count; d++) {
        uint32_t open = xpd_depth_first_touching(&n->depth[d], start_ps);
        if (open < n->depth[d].count && xpd_depth_start(&n->depth[d], open) < start_ps)
            need(n, d, open);
    }
}

/* What lies in the range or reaches into it, and so on all that was open as it began. */
static bool add_from(struct xpd_merge *merge, const struct xpd_trace *trace, uint32_t row,
                     int64_t from_ps)
{
    const struct xpd_trace_row *at = &trace->row[row];
    struct needed n = {.depth = &trace->depth[at->first_depth], .count = at->depth_count};
    n.first = malloc(((size_t)n.count + 1) * sizeof *n.first);
    for (uint32_t d = 0; n.first && d < n.count; d++)
        n.first[d] = xpd_depth_first_touching(&n.depth[d], from_ps);
    if (n.first)
        need_open(&n, from_ps);
    while (n.left.count > 0 && !n.left.failed && !n.met.failed && n.met.count <= NEEDED_MOST) {
        uint64_t one = n.left.at[--n.left.count];
        need_open(&n, xpd_depth_start(&n.depth[one >> 32], (uint32_t)one));
    }
    for (uint32_t d = 0; n.first && d < n.count; d++)
        xpd_merge_add_from(merge, &n.depth[d], n.met.count > NEEDED_MOST ? 0 : n.first[d]);
    bool fine = n.first && !n.left.failed && !n.met.failed;
    free(n.first);
    XPD_VEC_FINI(&n.left);
    xpd_map64_fini(&n.met);
    return fine;
}

bool input_walk_part(const struct input_walk *walk, const struct xpd_trace *trace, uint32_t row,
                     struct xpd_time_range range)
{
    struct walking w = {.walk = walk, .at_ps = INT64_MIN};
    struct xpd_merge merge;
    struct xpd_merged event;
    xpd_merge_init(&merge, true);
    bool fine = add_from(&merge, trace, row, range.from_ps);
    while (!w.open.failed && xpd_merge_next(&merge, &event) && event.start_ps < range.to_ps) {
        close_until(&w, event.start_ps);
        open_event(&w, &event);
    }
    close_until(&w, INT64_MAX);
    fine = fine && !merge.failed && !w.open.failed;
    xpd_merge_fini(&merge);
    XPD_VEC_FINI(&w.open);
    return fine;
}

bool input_walk_row(const struct input_walk *walk, const struct xpd_trace *trace, uint32_t row)
{
    return input_walk_part(walk, trace, row, (struct xpd_time_range){INT64_MIN, INT64_MAX});
}

#define LAUNCHES_MIN 3 /* fewer tell no step */

/* ---- marks ---- */

/* The thread with most marks. */
static uint32_t marking_row(const struct xpd_view *view, uint32_t *steps)
{
    uint32_t most = XPD_NO_INDEX;
    for (uint32_t i = 0; i < view->derived->step_count; i++)
        if (view->derived->step[i].thread != XPD_NO_INDEX)
            steps[view->derived->step[i].thread]++;
    for (uint32_t row = 0; row < view->trace->row_count; row++)
        if (steps[row] > 0 && (most == XPD_NO_INDEX || steps[row] > steps[most]))
            most = row;
    return most;
}

/* Steps of one thread in order; one that reaches into the next is cut there. */
static void take_steps(struct input_spans *out, const struct xpd_view *view, uint32_t thread)
{
    const struct xpd_step *step = view->derived->step;
    uint32_t first, end;
    xpd_steps_of(view->derived, view->trace->row[thread].process, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        if (step[i].thread != thread || step[i].end_ps <= step[i].start_ps)
            continue;
        struct xpd_input_given span = {step[i].number, step[i].start_ps, step[i].end_ps};
        struct xpd_input_given *last = out->count > 0 ? &out->at[out->count - 1] : NULL;
        if (last && last->to_ps > span.from_ps)
            last->to_ps = span.from_ps;
        if (last && last->to_ps <= last->from_ps)
            out->count--;
        XPD_PUSH(out, span);
    }
}

static uint32_t mark_name(const struct xpd_view *view, uint32_t row)
{
    for (uint32_t i = 0; i < view->derived->step_count; i++) {
        struct xpd_event event;
        if (view->derived->step[i].thread == row &&
            xpd_view_event(view, view->derived->step[i].event, &event))
            return event.name;
    }
    return XPD_NO_INDEX;
}

static bool from_marks(struct input_spans *out, const struct xpd_view *view)
{
    uint32_t *steps = calloc((size_t)view->trace->row_count + 1, sizeof *steps);
    uint32_t row = steps ? marking_row(view, steps) : XPD_NO_INDEX;
    free(steps);
    if (!steps)
        out->failed = true;
    if (row == XPD_NO_INDEX)
        return false;
    out->program = row;
    out->mark = mark_name(view, row);
    out->what = XPD_INPUT_MARKS;
    take_steps(out, view, row);
    return out->count > 0;
}

/* ---- launches ---- */

struct launched { /* outermost launches of a name */
    uint32_t name, count;
    int64_t total_ps;
};
struct launching {
    const struct input_name *name;
    struct xpd_map64 index; /* by name: in `of` */
    XPD_VEC(struct launched) of;
    struct input_spans *out; /* takes those of `wanted` */
    uint32_t wanted;
};

static bool launches(const struct input_name *name)
{
    return name->kind == KIND_LAUNCH || name->kind == KIND_LAUNCH_RUNS;
}

static void enter_launch(void *self, struct input_frame *frame, const struct input_frame *parent)
{
    struct launching *l = self;
    frame->fixed = parent && parent->fixed;
    if (frame->fixed || !launches(&l->name[frame->name]))
        return;
    frame->fixed = true;
    if (l->out) {
        struct xpd_input_given span = {(int64_t)l->out->count, frame->start_ps, frame->end_ps};
        if (frame->name == l->wanted && span.to_ps > span.from_ps)
            XPD_PUSH(l->out, span);
        return;
    }
    uint32_t at = xpd_map64_get(&l->index, frame->name);
    if (at == XPD_NO_INDEX) {
        at = (uint32_t)l->of.count;
        XPD_PUSH(&l->of, ((struct launched){frame->name, 0, 0}));
        xpd_map64_put(&l->index, frame->name, at);
    }
    if (at < l->of.count) {
        l->of.at[at].count++;
        xpd_grow_i64(&l->of.at[at].total_ps, frame->end_ps - frame->start_ps);
    }
}

/* The launch with most time in all threads, of those that come again: its thread and name. */
static void find_launch(struct input_spans *out, const struct xpd_view *view,
                        const struct input_name *name)
{
    int64_t most_ps = -1;
    for (uint32_t row = 0; row < view->trace->row_count && !out->failed; row++) {
        struct launching l = {.name = name};
        struct input_walk walk = {&l, enter_launch, NULL, NULL};
        if (!input_is_thread(view, row))
            continue;
        out->failed = !input_walk_row(&walk, view->trace, row) || l.of.failed || l.index.failed;
        for (size_t i = 0; i < l.of.count; i++)
            if (l.of.at[i].count >= LAUNCHES_MIN && l.of.at[i].total_ps > most_ps) {
                most_ps = l.of.at[i].total_ps;
                out->program = row;
                out->launch = l.of.at[i].name;
            }
        XPD_VEC_FINI(&l.of);
        xpd_map64_fini(&l.index);
    }
}

/* Those given, and what the thread that launches did in them; else from launch to launch. */
static bool from_launches(struct input_spans *out, const struct xpd_input_ask *ask,
                          const struct input_name *name)
{
    if (ask->same) {
        out->program = ask->same->program;
        out->launch = ask->same->launch;
    } else {
        find_launch(out, ask->view, name);
    }
    for (uint32_t i = 0; i < ask->given_count; i++)
        XPD_PUSH(out, ask->given[i]);
    out->what = XPD_INPUT_GIVEN;
    if (ask->given_count > 0 || out->program == XPD_NO_INDEX || out->failed)
        return out->count > 0;
    struct launching l = {.name = name, .out = out, .wanted = out->launch};
    struct input_walk walk = {&l, enter_launch, NULL, NULL};
    out->failed = !input_walk_row(&walk, ask->view->trace, out->program) || out->failed;
    out->what = XPD_INPUT_LAUNCHES;
    input_spans_stretch(out);
    return out->count > 0;
}

/* Loops that begin anew mark the same numbers again: then steps are counted in their order. */
static void number_in_order(struct input_spans *out)
{
    bool ascending = true;
    for (size_t i = 1; i < out->count; i++)
        ascending &= out->at[i].number > out->at[i - 1].number;
    for (size_t i = 0; i < out->count && !ascending; i++)
        out->at[i].number = (int64_t)i;
}

bool input_spans_find(struct input_spans *out, const struct xpd_input_ask *ask,
                      const struct input_name *name)
{
    *out =
        (struct input_spans){.program = XPD_NO_INDEX, .mark = XPD_NO_INDEX, .launch = XPD_NO_INDEX};
    if (from_marks(out, ask->view) || from_launches(out, ask, name)) {
        number_in_order(out);
        return !out->failed;
    }
    out->program = XPD_NO_INDEX;
    out->what = XPD_INPUT_NO_STEPS;
    out->why_none =
        "nothing marks steps and no program was launched three times: annotate the loop with "
        "jax.profiler.StepTraceAnnotation, tf.profiler.experimental.Trace(_r=1) or torch_xla's "
        "xp.StepTrace, or record more steps";
    return !out->failed;
}

void input_spans_stretch(struct input_spans *spans)
{
    for (size_t i = spans->count; i-- > 1;)
        spans->at[i].from_ps = spans->at[i - 1].to_ps;
    for (size_t i = 1; i < spans->count; i++)
        spans->at[i - 1] = spans->at[i];
    spans->count -= spans->count > 0;
}

bool input_spans_between(struct input_spans *out, const struct input_spans *spans)
{
    *out = *spans;
    out->at = NULL;
    out->count = out->capacity = 0;
    for (size_t i = 1; i < spans->count; i++) {
        struct xpd_input_given gap = {spans->at[i].number, spans->at[i - 1].to_ps,
                                      spans->at[i].from_ps};
        if (gap.to_ps > gap.from_ps)
            XPD_PUSH(out, gap);
    }
    return !out->failed;
}

void input_spans_keep(struct input_spans *spans, const struct xpd_step_numbers *chosen,
                      uint32_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < spans->count; i++) {
        bool wanted = count == 0;
        for (uint32_t k = 0; k < count && !wanted; k++)
            wanted = spans->at[i].number >= chosen[k].from && spans->at[i].number <= chosen[k].to;
        if (wanted)
            spans->at[kept++] = spans->at[i];
    }
    spans->count = kept;
}

size_t input_spans_after(const struct input_spans *spans, int64_t at_ps)
{
    size_t low = 0;
    XPD_BISECT(low, spans->count, middle, spans->at[middle].to_ps <= at_ps);
    return low;
}
