/* What a loader did in the steps. In: the events of its thread. Out: time by class.
 *
 * Frames around others (a loop that reads and puts) are no stage: the calls inside of them are.
 * Inside of a stage reading and waiting still count as what they are. */
#include "sweep.h"
#include "walk.h"

#define NO_CLASS XPD_INPUT_OTHER /* under no event that tells anything */

static uint8_t class_of(const struct input_name *name, const struct input_frame *parent)
{
    uint8_t now = parent ? parent->class : NO_CLASS;
    if (parent && parent->fixed)
        return now;
    if (now != NO_CLASS && now != XPD_INPUT_PREPROCESS)
        return now;
    switch (name->kind) {
    case KIND_PUT: return XPD_INPUT_FULL;
    case KIND_GET:
    case KIND_FETCH:
    case KIND_BLOCKED: return XPD_INPUT_REST;
    case KIND_LOAD: return XPD_INPUT_LOAD;
    case KIND_TRANSFER: return XPD_INPUT_TRANSFER;
    case KIND_HOLD: return name->tf_stage && now == NO_CLASS ? XPD_INPUT_REST : now;
    default: return name->python || name->kind == KIND_OP ? XPD_INPUT_PREPROCESS : now;
    }
}

/* An operation that an executor of TensorFlow runs: "DecodeJpeg:DecodeJpeg". */
static bool is_tf_op(struct xpd_str caption)
{
    size_t colon = xpd_str_find(caption, XPD_STR(":"), false);
    return colon != SIZE_MAX && colon + 1 < caption.size && caption.data[colon + 1] != ':' &&
           caption.data[colon + 1] != ' ';
}

static void enter(void *self, struct input_frame *frame, const struct input_frame *parent)
{
    struct input_sweep *sweep = self;
    const struct input_name *name = &sweep->name[frame->name];
    bool noted = name->kind == KIND_NOTED;
    uint8_t now = parent ? parent->class : NO_CLASS;
    frame->class = noted ? name->class : class_of(name, parent);
    if (!noted && now != XPD_INPUT_LOAD && name->kind == KIND_NONE && !name->python &&
        is_tf_op(input_full_name(sweep->view, frame->name)))
        frame->class = XPD_INPUT_PREPROCESS;
    frame->fixed = noted || (parent && parent->fixed);
    /* What a frame around stages holds begins anew. */
    frame->open = !frame->fixed && frame->class == XPD_INPUT_PREPROCESS && name->mixed &&
                  (!parent || parent->open || parent->class != XPD_INPUT_PREPROCESS);
    bool claims = noted || frame->class != now || !parent || (parent->open && name->python);
    if (claims) {
        frame->claim = frame->name;
        if (frame->class != NO_CLASS)
            input_account_count(sweep->account, frame->class, frame->name, XPD_NO_INDEX,
                                frame->start_ps, frame->end_ps);
        return;
    }
    frame->claim = parent->claim;
    frame->child = parent->child == XPD_NO_INDEX ? frame->name : parent->child;
    if (parent->child == XPD_NO_INDEX && frame->class != NO_CLASS)
        input_account_count(sweep->account, frame->class, frame->claim, frame->child,
                            frame->start_ps, frame->end_ps);
}

static void segment(void *self, struct input_frame *top, int64_t from_ps, int64_t to_ps)
{
    struct input_sweep *sweep = self;
    if (top->class != NO_CLASS)
        input_account_add(sweep->account, top->class, top->claim, top->child, from_ps, to_ps);
}

bool input_sweep_loader(struct input_sweep *sweep, uint32_t row)
{
    struct input_walk walk = {sweep, enter, segment, NULL};
    input_account_rewind(sweep->account);
    return input_walk_row(&walk, sweep->view->trace, row) && !sweep->account->failed;
}
