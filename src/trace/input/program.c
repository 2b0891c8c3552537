/* What the program did in its steps. In: the events of its thread. Out: each moment in one class.
 *
 * The outermost event of a class takes all of its time, with three exceptions: what the user says,
 * innermost, wins; a fetch of the next element wins over the call that makes it; and in a call that
 * requests the next batch and does not wait for it, the program loads and prepares it itself. */
#include "input_walk.h"
#include "sweep.h"

static uint8_t plain_class(uint8_t kind)
{
    switch (kind) {
    case KIND_FETCH:
    case KIND_GET:
    case KIND_NEXT:
    case KIND_NEXT_PLAIN: return XPD_INPUT_WAIT;
    case KIND_LOAD: return XPD_INPUT_LOAD;
    case KIND_TRANSFER: return XPD_INPUT_TRANSFER;
    case KIND_LAUNCH:
    case KIND_LAUNCH_RUNS: return XPD_INPUT_LAUNCH;
    case KIND_RESULT: return XPD_INPUT_RESULT;
    case KIND_OP: return XPD_INPUT_COMPUTE;
    default: return XPD_INPUT_OTHER;
    }
}

/* In a call that asks for a batch and does more than wait. */
static uint8_t class_in_call(uint8_t kind, uint8_t now)
{
    if (kind == KIND_FETCH || kind == KIND_GET || kind == KIND_BLOCKED)
        return XPD_INPUT_WAIT;
    if (now != XPD_INPUT_PREPROCESS)
        return now;
    return kind == KIND_LOAD ? XPD_INPUT_LOAD : kind == KIND_TRANSFER ? XPD_INPUT_TRANSFER : now;
}

/* The class inside of `parent` of an event of this name, by the rules alone. */
static uint8_t class_of(const struct input_name *name, const struct input_frame *parent)
{
    uint8_t now = parent ? parent->class : XPD_INPUT_OTHER;
    if (parent && parent->fixed)
        return now;
    if (parent && parent->asks)
        return class_in_call(name->kind, now);
    if (now == XPD_INPUT_LAUNCH && name->kind == KIND_FETCH)
        return XPD_INPUT_WAIT;
    if (now == XPD_INPUT_LAUNCH && name->kind == KIND_OP)
        return XPD_INPUT_COMPUTE;
    bool asks = name->kind == KIND_NEXT || name->kind == KIND_NEXT_PLAIN || name->brings;
    if (now != XPD_INPUT_OTHER || (parent && parent->quiet && asks))
        return now;
    return asks && !name->waits ? XPD_INPUT_PREPROCESS : plain_class(name->kind);
}

static bool in_steps(const struct input_sweep *sweep, const struct input_frame *frame)
{
    const struct input_spans *spans = sweep->account->spans;
    size_t s = input_spans_after(spans, frame->start_ps);
    return s < spans->count && spans->at[s].from_ps < frame->end_ps;
}

/* What of other time an event is about: the outermost one below the mark of the step. */
static void name_other(const struct input_sweep *sweep, struct input_frame *frame,
                       const struct input_frame *parent)
{
    bool top = !parent || parent->name == sweep->mark || parent->claim == XPD_NO_INDEX;
    frame->claim = frame->name == sweep->mark ? XPD_NO_INDEX : top ? frame->name : parent->claim;
    frame->child = XPD_NO_INDEX;
}

static void enter(void *self, struct input_frame *frame, const struct input_frame *parent)
{
    struct input_sweep *sweep = self;
    const struct input_name *name = &sweep->name[frame->name];
    struct input_account *account = sweep->account;
    uint8_t now = parent ? parent->class : XPD_INPUT_OTHER;
    bool noted = name->kind == KIND_NOTED;
    frame->class = noted ? name->class : class_of(name, parent);
    frame->fixed = noted || (parent && parent->fixed);
    frame->quiet = name->inert || (parent && parent->quiet);
    /* `open`: it launches and returns when the work is done. */
    frame->open = frame->class == XPD_INPUT_LAUNCH &&
                  (name->kind == KIND_LAUNCH_RUNS || (parent && parent->open));
    bool claims = noted || frame->class != now;
    frame->asks = !frame->fixed &&
                  ((parent && parent->asks) || (claims && frame->class == XPD_INPUT_PREPROCESS));
    if (frame->class == XPD_INPUT_OTHER && !noted) {
        name_other(sweep, frame, parent);
    } else if (claims) {
        frame->claim = frame->name;
        input_account_count(account, frame->class, frame->name, XPD_NO_INDEX, frame->start_ps,
                            frame->end_ps);
        sweep->told |= xpd_input_is_input(frame->class) && in_steps(sweep, frame);
    } else {
        frame->claim = parent->claim;
        frame->child = parent->child == XPD_NO_INDEX ? frame->name : parent->child;
        if (parent->child == XPD_NO_INDEX)
            input_account_count(account, frame->class, frame->claim, frame->child, frame->start_ps,
                                frame->end_ps);
    }
    sweep->python |= name->python && !sweep->python && in_steps(sweep, frame);
}

/* Up to `to_ps` the parts of [at, to) inside of a joined list are of `class`. */
static int64_t next_edge(const struct xpd_intervals *list, size_t *at, int64_t from_ps,
                         int64_t to_ps, bool *inside)
{
    while (*at < list->count && list->at[*at].end_ps <= from_ps)
        ++*at;
    *inside = *at < list->count && list->at[*at].start_ps <= from_ps;
    if (*at >= list->count)
        return to_ps;
    int64_t edge_ps = *inside ? list->at[*at].end_ps : list->at[*at].start_ps;
    return edge_ps < to_ps ? edge_ps : to_ps;
}

/* Time that devices and fetches tell apart: uncovered, or in a launch that returns when the work
 * is done. */
static void split(struct input_sweep *sweep, uint8_t class, uint32_t claim, uint32_t inner,
                  int64_t from_ps, int64_t to_ps, bool fetches)
{
    while (from_ps < to_ps) {
        bool busy, fetch = false;
        int64_t end_ps = next_edge(sweep->busy, &sweep->busy_at, from_ps, to_ps, &busy);
        if (fetches && !busy)
            end_ps = next_edge(sweep->fetch_idle, &sweep->fetch_at, from_ps, end_ps, &fetch);
        if (busy)
            input_account_add(sweep->account, XPD_INPUT_COMPUTE, XPD_NO_INDEX, XPD_NO_INDEX,
                              from_ps, end_ps);
        else if (fetch)
            input_account_add(sweep->account, XPD_INPUT_WAIT, claim, XPD_NO_INDEX, from_ps, end_ps);
        else
            input_account_add(sweep->account, class, claim, inner, from_ps, end_ps);
        sweep->told |= fetch;
        from_ps = end_ps;
    }
}

/* Before the next event: nothing covers it. */
static void fill(struct input_sweep *sweep, int64_t to_ps)
{
    if (to_ps > sweep->at_ps)
        split(sweep, XPD_INPUT_OTHER, XPD_NO_INDEX, XPD_NO_INDEX, sweep->at_ps, to_ps,
              sweep->whole);
    sweep->at_ps = to_ps > sweep->at_ps ? to_ps : sweep->at_ps;
}

static void segment(void *self, struct input_frame *top, int64_t from_ps, int64_t to_ps)
{
    struct input_sweep *sweep = self;
    fill(sweep, from_ps);
    if (to_ps <= sweep->at_ps)
        return;
    from_ps = from_ps > sweep->at_ps ? from_ps : sweep->at_ps;
    if (top->class == XPD_INPUT_OTHER || top->open)
        split(sweep, top->class, top->claim, top->child, from_ps, to_ps, top->open);
    else
        input_account_add(sweep->account, top->class, top->claim, top->child, from_ps, to_ps);
    sweep->at_ps = to_ps;
}

bool input_sweep_program(struct input_sweep *sweep, uint32_t row)
{
    const struct input_spans *spans = sweep->account->spans;
    struct input_walk walk = {sweep, enter, segment, NULL};
    if (spans->count == 0)
        return true;
    struct xpd_time_range range = input_spans_range(spans);
    sweep->at_ps = range.from_ps;
    sweep->busy_at = sweep->fetch_at = 0;
    sweep->whole = row == XPD_NO_INDEX;
    input_account_rewind(sweep->account);
    bool fine = sweep->whole || input_walk_part(&walk, sweep->view->trace, row, range);
    fill(sweep, range.to_ps);
    return fine && !sweep->account->failed;
}
