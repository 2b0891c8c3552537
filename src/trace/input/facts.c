/* Facts that one name cannot tell: whether a call spends its time blocked, or reading. In: all
 * threads of the host. Out: kinds by name, the same for all calls of a name. */
#include "facts.h"
#include "../steps/overlap_work.h"
#include "account.h"
#include "input_spans.h"
#include "input_walk.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/threads.h"
#include <stdlib.h>

/* Sums over the steps. In: pieces of time with their class. Out: by step, by event, by inner call;
 * each piece counts once in each. */

bool input_account_open(struct input_account *account, const struct input_spans *spans)
{
    *account = (struct input_account){.spans = spans};
    for (int c = 0; c < XPD_INPUT_CLASSES; c++) {
        account->sum[c] = calloc(spans->count + 1, sizeof *account->sum[c]);
        account->failed |= !account->sum[c];
    }
    return !account->failed;
}

void input_account_close(struct input_account *account)
{
    for (int c = 0; c < XPD_INPUT_CLASSES; c++)
        free(account->sum[c]);
    xpd_map64_fini(&account->claim_of);
    xpd_map64_fini(&account->inner_of);
    XPD_VEC_FINI(&account->claim);
    XPD_VEC_FINI(&account->inner);
    XPD_VEC_FINI(&account->input);
    XPD_VEC_FINI(&account->transfer);
    XPD_VEC_FINI(&account->piece);
}

void input_account_rewind(struct input_account *account)
{
    account->at = 0;
}

static uint32_t claim_of(struct input_account *a, uint8_t class, uint32_t name)
{
    uint64_t key = (uint64_t) class << 32 | name;
    uint32_t at = xpd_map64_get(&a->claim_of, key);
    if (at == XPD_NO_INDEX) {
        at = (uint32_t)a->claim.count;
        XPD_PUSH(&a->claim, ((struct input_claim){.name = name, .class = class}));
        xpd_map64_put(&a->claim_of, key, at);
    }
    a->failed |= a->claim.failed || a->claim_of.failed;
    return at < a->claim.count ? at : XPD_NO_INDEX;
}

static struct input_inner *inner_of(struct input_account *a, uint32_t claim, uint32_t name)
{
    uint64_t key = (uint64_t)claim << 32 | name;
    uint32_t at = xpd_map64_get(&a->inner_of, key);
    if (at == XPD_NO_INDEX) {
        at = (uint32_t)a->inner.count;
        XPD_PUSH(&a->inner, ((struct input_inner){.claim = claim, .name = name}));
        xpd_map64_put(&a->inner_of, key, at);
    }
    a->failed |= a->inner.failed || a->inner_of.failed;
    return at < a->inner.count ? &a->inner.at[at] : NULL;
}

static void add_named(struct input_account *a, uint8_t class, uint32_t claim, uint32_t inner,
                      int64_t ps)
{
    uint32_t at = claim_of(a, class, claim);
    if (at == XPD_NO_INDEX)
        return;
    xpd_grow_i64(&a->claim.at[at].total_ps, ps);
    struct input_inner *in = inner == XPD_NO_INDEX ? NULL : inner_of(a, at, inner);
    if (in)
        xpd_grow_i64(&in->total_ps, ps);
}

static void keep_piece(struct input_account *a, uint8_t class, int64_t from_ps, int64_t to_ps)
{
    struct xpd_input_piece *last = a->piece.count > 0 ? &a->piece.at[a->piece.count - 1] : NULL;
    if (last && last->class == class && last->to_ps == from_ps)
        last->to_ps = to_ps;
    else
        XPD_PUSH(&a->piece,
                 ((struct xpd_input_piece){.class = class, .from_ps = from_ps, .to_ps = to_ps}));
    a->failed |= a->piece.failed;
}

void input_account_add(struct input_account *a, uint8_t class, uint32_t claim, uint32_t inner,
                       int64_t from_ps, int64_t to_ps)
{
    const struct input_spans *spans = a->spans;
    int64_t sum_ps = 0;
    if (a->failed)
        return;
    while (a->at < spans->count && spans->at[a->at].to_ps <= from_ps)
        a->at++;
    for (size_t s = a->at; s < spans->count && spans->at[s].from_ps < to_ps; s++) {
        const struct xpd_input_given *span = &spans->at[s];
        int64_t start_ps = from_ps > span->from_ps ? from_ps : span->from_ps;
        int64_t end_ps = to_ps < span->to_ps ? to_ps : span->to_ps;
        xpd_grow_i64(&a->sum[class][s], end_ps - start_ps);
        xpd_grow_i64(&sum_ps, end_ps - start_ps);
        if (a->keeps)
            keep_piece(a, class, start_ps, end_ps);
        if (xpd_input_is_input(class))
            xpd_intervals_put(&a->input, INT64_MIN, INT64_MAX, start_ps, end_ps);
        else if (class == XPD_INPUT_TRANSFER)
            xpd_intervals_put(&a->transfer, INT64_MIN, INT64_MAX, start_ps, end_ps);
    }
    if (sum_ps <= 0)
        return;
    xpd_grow_i64(&a->all[class], sum_ps);
    add_named(a, class, claim, inner, sum_ps);
    a->failed |= a->input.failed || a->transfer.failed;
}

void input_account_count(struct input_account *a, uint8_t class, uint32_t claim, uint32_t inner,
                         int64_t from_ps, int64_t to_ps)
{
    size_t s = input_spans_after(a->spans, from_ps);
    if (a->failed || s >= a->spans->count || a->spans->at[s].from_ps >= to_ps)
        return;
    uint32_t at = claim_of(a, class, claim);
    if (at == XPD_NO_INDEX)
        return;
    struct input_inner *in = inner == XPD_NO_INDEX ? NULL : inner_of(a, at, inner);
    if (in)
        in->count++;
    else if (inner == XPD_NO_INDEX)
        a->claim.at[at].count++;
}

/* When devices were busy, and when threads beside the program fetched. In: events. Out: joined
 * intervals. */

/* Events of a row whose names are wanted, outermost or not. */
static void put_named(struct xpd_intervals *out, const struct xpd_view *view, uint32_t row,
                      const bool *wanted)
{
    const struct xpd_trace_row *of = xpd_view_row(view, row);
    for (uint32_t d = 0; d < of->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(view, row, d);
        for (uint32_t i = 0; i < depth->count; i++) {
            int64_t end_ps = xpd_depth_start(depth, i);
            xpd_grow_i64(&end_ps, xpd_depth_duration(depth, i));
            if (wanted[depth->name[i]])
                xpd_intervals_put(out, INT64_MIN, INT64_MAX, xpd_depth_start(depth, i), end_ps);
        }
    }
}

/* Of a device in a stretch of time, on average: a list that stays small. */
#define BUSY_EVENTS 512

/* The part of a stretch outside of which devices are known to be busy: devices that work together
 * fill each other's short gaps, and little or nothing of it is left for those that come last. */
static struct xpd_time_range not_yet(const struct xpd_intervals *busy, struct xpd_time_range range)
{
    if (busy->count > 0 && busy->at[0].start_ps <= range.from_ps)
        range.from_ps = busy->at[0].end_ps;
    if (busy->count > 0 && busy->at[busy->count - 1].end_ps >= range.to_ps)
        range.to_ps = busy->at[busy->count - 1].start_ps;
    return range;
}

/* When a device was busy in [range.from_ps, range.to_ps), behind what is in `out`. */
static bool add_stretch(struct xpd_intervals *out, struct xpd_intervals *stretch,
                        struct xpd_overlapping *device, uint32_t processes,
                        struct xpd_time_range range)
{
    stretch->count = 0;
    for (uint32_t p = 0; p < processes; p++) {
        struct xpd_time_range left = not_yet(stretch, range);
        if (!device[p].view || left.from_ps >= left.to_ps)
            continue;
        xpd_overlap_collect(&device[p], p, left);
        xpd_intervals_add(stretch, &device[p].compute);
        xpd_intervals_add(stretch, &device[p].comm);
        xpd_intervals_add(stretch, &device[p].copy);
        stretch->failed |= xpd_overlap_failed(&device[p]);
        xpd_intervals_join(stretch); /* what one does fills the gaps of another */
    }
    for (size_t i = 0; i < stretch->count; i++) /* one that goes on behind a cut stays one */
        xpd_intervals_put(out, INT64_MIN, INT64_MAX, stretch->at[i].start_ps,
                          stretch->at[i].end_ps);
    return !stretch->failed && !out->failed;
}

/* Stretch by stretch, so that what is put in order at once stays small; what is kept is little
 * beside what ran. */
static bool add_busy(struct xpd_intervals *out, struct xpd_overlapping *device,
                     const struct xpd_view *view, const struct xpd_overlap_table *table,
                     struct xpd_time_range range)
{
    const struct xpd_trace *trace = view->trace;
    struct xpd_intervals stretch = {0};
    uint64_t events = 0, devices = 0;
    for (uint32_t p = 0; p < trace->process_count; p++)
        if (xpd_trace_computes(trace, p) && trace->process[p].event_count > 0) {
            device[p] = (struct xpd_overlapping){.view = view, .table = table};
            events += trace->process[p].event_count;
            devices++;
        }
    uint64_t count = devices > 0 ? events / devices / BUSY_EVENTS + 1 : 0;
    uint64_t long_ps = (uint64_t)range.to_ps - (uint64_t)range.from_ps;
    bool fine = true;
    for (uint64_t i = 0; fine && range.from_ps < range.to_ps && i < count; i++) {
        uint64_t each_ps = long_ps / count, from_ps = (uint64_t)range.from_ps + each_ps * i;
        struct xpd_time_range part = {(int64_t)from_ps, (int64_t)(from_ps + each_ps)};
        part.to_ps = i + 1 == count ? range.to_ps : part.to_ps;
        if (part.from_ps < part.to_ps)
            fine = add_stretch(out, &stretch, device, trace->process_count, part);
    }
    for (uint32_t p = 0; p < trace->process_count; p++)
        xpd_overlap_close(&device[p]);
    XPD_VEC_FINI(&stretch);
    xpd_intervals_join(out);
    return fine && !out->failed;
}

int input_busy(struct xpd_intervals *out, const struct xpd_view *view,
               const struct xpd_overlap_table *table, struct xpd_time_range range,
               struct xpd_err *err)
{
    struct xpd_overlapping *device = calloc((size_t)view->trace->process_count + 1, sizeof *device);
    bool fine = device && add_busy(out, device, view, table, range);
    free(device);
    return fine ? XPD_OK : xpd_no_memory(err, NULL, "for busy times");
}

bool input_fetches(struct xpd_intervals *out, const struct xpd_view *view,
                   const struct input_name *name, uint32_t program)
{
    uint32_t names = view->trace->name_count;
    bool *wanted = calloc((size_t)names + 1, sizeof *wanted), any = false;
    for (uint32_t n = 0; wanted && n < names; n++) {
        wanted[n] = name[n].kind == KIND_FETCH && !name[n].tf_stage;
        any |= wanted[n];
    }
    for (uint32_t row = 0; any && row < view->trace->row_count; row++)
        if (row != program && input_is_thread(view, row))
            put_named(out, view, row, wanted);
    free(wanted);
    xpd_intervals_join(out);
    return wanted && !out->failed;
}

bool input_without(struct xpd_intervals *out, const struct xpd_intervals *a,
                   const struct xpd_intervals *b)
{
    size_t k = 0;
    for (size_t i = 0; i < a->count; i++) {
        int64_t at_ps = a->at[i].start_ps, end_ps = a->at[i].end_ps;
        while (k < b->count && b->at[k].end_ps <= at_ps)
            k++;
        for (size_t j = k; at_ps < end_ps; j++) {
            bool more = j < b->count && b->at[j].start_ps < end_ps;
            int64_t stop_ps = more ? b->at[j].start_ps : end_ps;
            if (stop_ps > at_ps)
                XPD_PUSH(out, ((struct xpd_interval){at_ps, stop_ps}));
            if (!more)
                break;
            at_ps = b->at[j].end_ps;
        }
    }
    return !out->failed;
}

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

/* By name of the trace: whether an event of a thread has it. NULL: no memory. */
static bool *names_of_threads(const struct xpd_view *view)
{
    bool *met = calloc((size_t)view->trace->name_count + 1, sizeof *met);
    for (uint32_t row = 0; met && row < view->trace->row_count; row++)
        for (uint32_t d = 0; input_is_thread(view, row) && d < xpd_view_row(view, row)->depth_count;
             d++) {
            const struct xpd_depth *depth = xpd_view_depth(view, row, d);
            for (uint32_t i = 0; i < depth->count; i++)
                met[depth->name[i]] = true;
        }
    return met;
}

/* Chips have by far the most names, and only threads are asked what theirs mean. A stage of tf.data
 * counts even if no event of it was recorded. */
static struct input_name name_of(const struct xpd_view *view, uint32_t name, bool met,
                                 const struct xpd_input_rules *rules)
{
    struct xpd_str text = input_full_name(view, name);
    if (!met && !input_is_stage(text))
        return (struct input_name){0};
    struct input_name out = input_name_of(text, rules);
    if (view->trace->name[name].op && out.kind != KIND_NOTED)
        out.kind = KIND_OP;
    return out;
}

/* Threads of the host side by side: what is nested in what is a matter of each. */
struct sweeping {
    const struct xpd_view *view;
    const struct input_name *name;
    uint32_t *row; /* those with frames of Python: only these are asked what lies in them */
    uint32_t row_count;
    struct sums *sum[XPD_THREADS_MAX]; /* by thread of this machine, by name; NULL: not begun */
    bool failed[XPD_THREADS_MAX];
};

static bool has_python(const struct sweeping *sweeping, uint32_t row)
{
    const struct xpd_trace_row *of = xpd_view_row(sweeping->view, row);
    for (uint32_t d = 0; input_is_thread(sweeping->view, row) && d < of->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(sweeping->view, row, d);
        for (uint32_t i = 0; i < depth->count; i++)
            if (sweeping->name[depth->name[i]].python)
                return true;
    }
    return false;
}

static void sweep_row(void *context, uint32_t item, uint32_t thread)
{
    struct sweeping *sweeping = context;
    const struct xpd_trace *trace = sweeping->view->trace;
    struct sums **sum = &sweeping->sum[thread];
    if (!*sum)
        *sum = calloc((size_t)trace->name_count + 1, sizeof **sum);
    struct looking looking = {sweeping->name, *sum};
    struct input_walk walk = {&looking, enter, segment, leave};
    if (!*sum || !input_walk_row(&walk, trace, sweeping->row[item]))
        sweeping->failed[thread] = true;
}

static void add_sums(struct sums *to, const struct sums *from)
{
    xpd_grow_i64(&to->total_ps, from->total_ps);
    xpd_grow_i64(&to->blocked_ps, from->blocked_ps);
    xpd_grow_i64(&to->load_ps, from->load_ps);
    to->puts |= from->puts;
    to->launches |= from->launches;
}

/* False: no memory. */
static bool look_inside(const struct xpd_view *view, struct input_name *name)
{
    enum { FEW = 100000 }; /* events that are not worth another thread */
    const struct xpd_trace *trace = view->trace;
    struct sweeping sweeping = {.view = view, .name = name};
    sweeping.row = malloc(((size_t)trace->row_count + 1) * sizeof *sweeping.row);
    bool fine = sweeping.row != NULL;
    for (uint32_t row = 0; fine && row < trace->row_count; row++)
        if (has_python(&sweeping, row))
            sweeping.row[sweeping.row_count++] = row;
    if (fine)
        xpd_threads_each(trace->event_count < FEW, sweeping.row_count, sweep_row, &sweeping);
    for (uint32_t t = 0; t < XPD_THREADS_MAX; t++)
        fine = fine && !sweeping.failed[t];
    for (uint32_t n = 0; fine && n < trace->name_count; n++) {
        struct sums sum = {0};
        for (uint32_t t = 0; t < XPD_THREADS_MAX; t++)
            if (sweeping.sum[t])
                add_sums(&sum, &sweeping.sum[t][n]);
        conclude(&name[n], &sum);
    }
    for (uint32_t t = 0; t < XPD_THREADS_MAX; t++)
        free(sweeping.sum[t]);
    free(sweeping.row);
    return fine;
}

struct input_name *input_facts(const struct xpd_view *view, const struct xpd_input_rules *rules,
                               struct xpd_arena *arena)
{
    const struct xpd_trace *trace = view->trace;
    struct input_name *name = XPD_NEW_ARRAY(arena, struct input_name, trace->name_count);
    bool *met = names_of_threads(view);
    bool fine = name && met;
    for (uint32_t n = 0; fine && n < trace->name_count; n++)
        name[n] = name_of(view, n, met[n], rules);
    free(met);
    return fine && look_inside(view, name) ? name : NULL;
}
