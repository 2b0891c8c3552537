/* Facts that one name cannot tell: whether a call spends its time blocked, or reading. In: all
 * threads of the host. Out: kinds by name, the same for all calls of a name. */
#include "facts.h"
#include "walk.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

/* Shares of a frame's time. */
#define MOSTLY_LOADS 0.80 /* from here on it is a load itself */
#define MIXED        0.20 /* from here on it is a frame around stages */
#define WAITS        0.50
#define BRINGS       0.05 /* Python's own next(): of its time at least it waits or reads */

struct sums {
    int64_t total_ps, blocked_ps, load_ps;
    bool puts, launches;
};
struct looking {
    const struct input_name *name;
    struct sums *sum; /* by name */
};
enum { NEITHER, BLOCKED, LOADS }; /* frame->class */

static void enter(void *self, struct input_frame *frame, const struct input_frame *parent)
{
    const struct looking *l = self;
    uint8_t kind = l->name[frame->name].kind;
    frame->class = parent ? parent->class : NEITHER;
    if (kind == KIND_GET || kind == KIND_BLOCKED || kind == KIND_FETCH)
        frame->class = BLOCKED;
    else if (kind == KIND_LOAD && frame->class == NEITHER)
        frame->class = LOADS;
    frame->puts = kind == KIND_PUT;
    frame->launches = kind == KIND_LAUNCH || kind == KIND_LAUNCH_RUNS || kind == KIND_OP;
}

static void segment(void *self, struct input_frame *top, int64_t from_ps, int64_t to_ps)
{
    (void)self;
    if (top->class == BLOCKED)
        xpd_grow_i64(&top->blocked_ps, to_ps - from_ps);
    else if (top->class == LOADS)
        xpd_grow_i64(&top->load_ps, to_ps - from_ps);
}

static void leave(void *self, const struct input_frame *frame, struct input_frame *parent)
{
    const struct looking *l = self;
    struct sums *sum = &l->sum[frame->name];
    xpd_grow_i64(&sum->total_ps, frame->end_ps - frame->start_ps);
    xpd_grow_i64(&sum->blocked_ps, frame->blocked_ps);
    xpd_grow_i64(&sum->load_ps, frame->load_ps);
    sum->puts |= frame->puts;
    sum->launches |= frame->launches;
    if (!parent)
        return;
    xpd_grow_i64(&parent->blocked_ps, frame->blocked_ps);
    xpd_grow_i64(&parent->load_ps, frame->load_ps);
    parent->puts |= frame->puts;
    parent->launches |= frame->launches;
}

static bool at_least(int64_t part_ps, int64_t total_ps, double share)
{
    return part_ps > 0 && (double)part_ps >= share * (double)total_ps;
}

static void conclude(struct input_name *name, const struct sums *sum)
{
    if (!name->python)
        return;
    name->waits = at_least(sum->blocked_ps, sum->total_ps, WAITS);
    bool loads = at_least(sum->load_ps, sum->total_ps, MIXED);
    if (name->kind == KIND_NEXT_PLAIN && !at_least(sum->blocked_ps, sum->total_ps, BRINGS) &&
        !at_least(sum->load_ps, sum->total_ps, BRINGS))
        name->kind = KIND_NONE;
    if (name->kind != KIND_NONE)
        return;
    if (!sum->puts && at_least(sum->load_ps, sum->total_ps, MOSTLY_LOADS))
        name->kind = KIND_LOAD;
    else
        name->mixed = sum->puts || loads || at_least(sum->blocked_ps, sum->total_ps, MIXED);
    name->brings = name->kind == KIND_NONE && loads && !sum->puts && !sum->launches;
}

struct xpd_str input_full_name(const struct xpd_view *view, uint32_t name)
{
    return xpd_view_text(view, name, xpd_view_name(view, name)->name);
}

bool input_is_thread(const struct xpd_view *view, uint32_t row)
{
    const struct xpd_trace *trace = view->trace;
    return trace->process[trace->row[row].process].kind == XPD_PROCESS_HOST &&
           trace->row[row].kind == XPD_ROW_LINE && trace->row[row].event_count > 0;
}

struct input_name *input_facts(const struct xpd_view *view, const struct xpd_input_rules *rules,
                               struct xpd_arena *arena)
{
    const struct xpd_trace *trace = view->trace;
    struct input_name *name = XPD_NEW_ARRAY(arena, struct input_name, trace->name_count);
    struct sums *sum = calloc((size_t)trace->name_count + 1, sizeof *sum);
    struct looking looking = {name, sum};
    struct input_walk walk = {&looking, enter, segment, leave};
    bool fine = name && sum;
    for (uint32_t n = 0; fine && n < trace->name_count; n++) {
        name[n] = input_name_of(input_full_name(view, n), rules);
        if (trace->name[n].op && name[n].kind != KIND_NOTED)
            name[n].kind = KIND_OP;
    }
    for (uint32_t row = 0; fine && row < trace->row_count; row++)
        if (input_is_thread(view, row))
            fine = input_walk_row(&walk, trace, row);
    for (uint32_t n = 0; fine && n < trace->name_count; n++)
        conclude(&name[n], &sum[n]);
    free(sum);
    return fine ? name : NULL;
}
