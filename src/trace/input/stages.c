/* Stages of the input by class and thread. In: the sums of a lane. Out: rows with their spread over
 * the steps. */
#include "stages.h"
#include "input_walk.h"
#include "sweep.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/totals.h"
#include <stdlib.h>

/* A loader's time in the steps. In: the events of its thread. Out: time by class.
 *
 * Frames around others (a loop that reads and puts) are no stage: the calls inside of them are.
 * Inside a stage, reading and waiting keep their class. */

#define NO_CLASS XPD_INPUT_OTHER /* under no event with a class */

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
    const struct input_spans *spans = sweep->account->spans;
    struct input_walk walk = {sweep, enter, segment, NULL};
    input_account_rewind(sweep->account);
    return (spans->count == 0 ||
            input_walk_part(&walk, sweep->view->trace, row, input_spans_range(spans))) &&
           !sweep->account->failed;
}

#define SHOWN 0.01 /* of a stage: what is less inside of it has no row */
#define ALL   0.98 /* an only call that takes this much tells no more than the stage */

static void spread(struct xpd_input_stage *row, const struct input_spans *spans,
                   const int64_t *by_step, bool *failed)
{
    int64_t *sorted = malloc((spans->count + 1) * sizeof *sorted);
    row->most_ps = -1;
    *failed |= !sorted;
    for (size_t s = 0; sorted && s < spans->count; s++) {
        sorted[s] = by_step[s];
        if (by_step[s] > row->most_ps) {
            row->most_ps = by_step[s];
            row->most_step = spans->at[s].number;
        }
    }
    row->p50_ps = sorted && spans->count > 0
                      ? xpd_select_i64(sorted, spans->count, xpd_rank_of(0.5, spans->count))
                      : -1;
    free(sorted);
}

static bool shows(int64_t part_ps, int64_t all_ps)
{
    return part_ps > 0 && (double)part_ps >= SHOWN * (double)all_ps;
}

static void put(struct input_stages *stages, struct xpd_input_stage row)
{
    XPD_PUSH(&stages->row, row);
    stages->failed |= stages->row.failed;
}

static struct xpd_input_stage inside(uint8_t class, uint32_t thread, uint32_t parent)
{
    return (struct xpd_input_stage){.class = class,
                                    .thread = thread,
                                    .parent = parent,
                                    .p50_ps = -1,
                                    .most_ps = -1,
                                    .most_step = -1};
}

/* The events that decided where there are several; else the calls right inside of the only one. */
static void put_inside(struct input_stages *stages, const struct input_account *a, uint32_t thread,
                       uint8_t class, uint32_t only)
{
    uint32_t parent = (uint32_t)stages->row.count - 1;
    int64_t all_ps = a->all[class];
    for (size_t i = 0; only == XPD_NO_INDEX && i < a->claim.count; i++) {
        const struct input_claim *claim = &a->claim.at[i];
        struct xpd_input_stage row = inside(class, thread, parent);
        row.name = claim->name;
        row.count = claim->count;
        row.total_ps = claim->total_ps;
        if (claim->class == class && claim->name != XPD_NO_INDEX && shows(row.total_ps, all_ps))
            put(stages, row);
    }
    for (size_t i = 0; only != XPD_NO_INDEX && i < a->inner.count; i++) {
        const struct input_inner *in = &a->inner.at[i];
        struct xpd_input_stage row = inside(class, thread, parent);
        row.name = in->name;
        row.count = in->count;
        row.total_ps = in->total_ps;
        if (in->claim == only && shows(row.total_ps, all_ps))
            put(stages, row);
    }
}

static void put_class(struct input_stages *stages, const struct input_account *a, uint32_t thread,
                      uint8_t class)
{
    struct xpd_input_stage row = inside(class, thread, XPD_NO_INDEX);
    uint32_t shown = 0, most = XPD_NO_INDEX;
    row.name = XPD_NO_INDEX;
    row.total_ps = a->all[class];
    spread(&row, a->spans, a->sum[class], &stages->failed);
    for (size_t i = 0; i < a->claim.count; i++) {
        if (a->claim.at[i].class != class || a->claim.at[i].name == XPD_NO_INDEX)
            continue;
        row.count += a->claim.at[i].count;
        shown += shows(a->claim.at[i].total_ps, row.total_ps);
        if (most == XPD_NO_INDEX || a->claim.at[i].total_ps > a->claim.at[most].total_ps)
            most = (uint32_t)i;
    }
    row.name = most == XPD_NO_INDEX ? XPD_NO_INDEX : a->claim.at[most].name;
    put(stages, row);
    size_t first = stages->row.count;
    if (most != XPD_NO_INDEX && !stages->failed)
        put_inside(stages, a, thread, class, shown > 1 ? XPD_NO_INDEX : most);
    if (stages->row.count == first + 1 &&
        (double)stages->row.at[first].total_ps >= ALL * (double)row.total_ps)
        stages->row.count--;
}

void input_stages_add(struct input_stages *stages, const struct input_account *account,
                      uint32_t thread, uint32_t classes)
{
    for (int c = 0; c < XPD_INPUT_CLASSES; c++)
        if (classes & 1u << c && account->all[c] > 0)
            put_class(stages, account, thread, (uint8_t)c);
}

void input_stages_add_time(struct input_stages *stages, uint8_t class,
                           const struct input_spans *spans, const int64_t *by_step)
{
    struct xpd_input_stage row = inside(class, XPD_NO_INDEX, XPD_NO_INDEX);
    row.name = XPD_NO_INDEX;
    for (size_t s = 0; s < spans->count; s++)
        xpd_grow_i64(&row.total_ps, by_step[s]);
    spread(&row, spans, by_step, &stages->failed);
    if (row.total_ps > 0)
        put(stages, row);
}

/* ---- order ---- */

struct place {
    int64_t group_ps, own_ps; /* of the stage, of the row */
    uint32_t group, row;
};

static int by_time(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->group_ps != y->group_ps)
        return x->group_ps > y->group_ps ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if ((x->row == x->group) != (y->row == y->group))
        return x->row == x->group ? -1 : 1;
    if (x->own_ps != y->own_ps)
        return x->own_ps > y->own_ps ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

bool input_stages_keep(struct xpd_input_run *out, struct input_stages *stages,
                       struct xpd_arena *arena)
{
    size_t n = stages->row.count;
    struct place *place = malloc((n + 1) * sizeof *place);
    struct xpd_input_stage *row = XPD_NEW_ARRAY(arena, struct xpd_input_stage, n);
    bool fine = place && row && !stages->failed;
    uint32_t top = XPD_NO_INDEX;
    for (size_t i = 0; fine && i < n; i++) {
        const struct xpd_input_stage *at = &stages->row.at[i];
        uint32_t group = at->parent == XPD_NO_INDEX ? (uint32_t)i : at->parent;
        place[i] = (struct place){stages->row.at[group].total_ps, at->total_ps, group, (uint32_t)i};
    }
    if (fine && n > 1)
        qsort(place, n, sizeof *place, by_time);
    for (uint32_t i = 0; fine && i < n; i++) {
        row[i] = stages->row.at[place[i].row];
        if (row[i].parent == XPD_NO_INDEX)
            top = i;
        else
            row[i].parent = top;
    }
    out->stage = row;
    out->stage_count = fine ? (uint32_t)n : 0;
    free(place);
    return fine;
}
