/* Op metrics of a TensorCore: of the lines of operations, by program and symbol, with what
 * SparseCores ran for them. Self time is by nesting in the order of the file, on the device's clock
 * where an event has it. Rules: XProf's xplane_to_op_metrics_db.cc and op_metrics_db_utils.cc. */
#include "tpu.h"

#include "xprofd/base/order.h"
#include "xprofd/base/vec.h"
#include "xprofd/wire/cursor.h"

#include <stdlib.h>

enum {
    DEVICE_OFFSET,
    DEVICE_DURATION,
    DMA_STALL,
    TIME_SCALE,
    ENERGY,
    TF_OP,
    IS_ASYNC,
    OFFLOAD_CORE,
    OFFLOAD_START
};
static const char *const stat_name[] = {"device_offset_ps",
                                        "device_duration_ps",
                                        "dma_stall_duration_ps",
                                        "Time Scale Multiplier",
                                        "vdd_energy_j",
                                        "tf_op",
                                        "_a",
                                        "offload_core_id",
                                        "tc_offload_start_id"};

struct facts { /* facts from a metadata entry, for all its events */
    bool read, has_program, has_symbol, is_async;
    uint32_t inner_count; /* of everything nested in it, on all levels */
    uint64_t program_id, symbol_id;
    struct xpd_ops_metrics of_one; /* amounts of one execution */
};
struct open_event { /* on the stack: later events may be nested in it */
    uint64_t begin_ps, end_ps, children_ps;
    int64_t group; /* of a SparseCore: the offload */
    uint32_t metadata;
    const struct xpd_ops_list *offloaded; /* NULL = nothing */
    uint64_t occurrences, time_ps, normalized_ps, dma_stall_ps;
    double energy_j;
};
struct module { /* an execution on a SparseCore */
    uint64_t begin_ps, end_ps;
    uint32_t offload; /* index in the list of the plane */
    uint32_t number;  /* in the order of the file */
};
struct offload { /* work of a SparseCore for one start by a TensorCore */
    uint64_t core, start, total_ps;
    bool has_ops;
};
struct sparse {
    struct xpd_map64 offload_of;
    XPD_VEC(struct offload) offload;
    XPD_VEC(struct module) module; /* by begin */
    XPD_VEC(uint32_t) sum_of;      /* the offload of each of the plane's sums */
    size_t at;                     /* in `module` */
};
struct plane {
    struct xpd_ops_walk *walk;
    struct xpd_arena *arena;  /* of the database */
    struct xpd_arena scratch; /* of stats of metadata */
    struct facts *facts;      /* by metadata */
    const struct xpd_line *line;
    bool is_tensor_core;
    int depth; /* of the metadata being read: one inside the other */
    uint64_t first_ps, last_ps;
    XPD_VEC(uint64_t) left_out; /* places in the file of Steps events that are not steps */
    size_t left_at;
    XPD_VEC(struct open_event) stack;
    XPD_VEC(struct xpd_ops_metrics) sums; /* of one program and symbol */
    struct xpd_map64 sums_of;
    struct xpd_ops_groups *groups; /* instead of sums; NULL = sums */
    xpd_ops_group_fn *group_of;
    void *user;
    const struct xpd_ops_offloads *offloads; /* NULL = none */
    struct sparse *sparse;                   /* NULL = a TensorCore */
    uint32_t line_number;
    int rc;
    struct xpd_err *err;
};

/* ---- facts from metadata ---- */

/* MemoryAccessBreakdown{MemoryAccessed{operation 1, space 2, bytes 3} 1}; damage: as if it were
 * not there. */
static void read_breakdown(struct plane *plane, struct xpd_str bytes, struct xpd_ops_metrics *op)
{
    struct xpd_cursor cursor, inner;
    struct xpd_field field, part;
    uint32_t count = 0;
    xpd_cursor_init(&cursor, bytes.data, bytes.size, 0);
    while (xpd_cursor_next(&cursor, &field))
        count += field.number == 1 && field.wire_type == 2;
    if (cursor.error_text)
        return;
    op->access = XPD_NEW_ARRAY(plane->arena, struct xpd_ops_access, count);
    op->access_count = 0;
    xpd_cursor_init(&cursor, bytes.data, bytes.size, 0);
    while (op->access && xpd_cursor_next(&cursor, &field)) {
        if (field.number != 1 || field.wire_type != 2)
            continue;
        struct xpd_ops_access *access = &op->access[op->access_count++];
        inner = xpd_cursor_sub(&field);
        while (xpd_cursor_next(&inner, &part)) {
            if (part.number == 1)
                access->operation = part.value;
            else if (part.number == 2)
                access->space = part.value;
            else if (part.number == 3)
                access->bytes = part.value;
        }
    }
}

/* Groups have no texts but their categories. */
static struct xpd_str keep(struct plane *plane, struct xpd_str text)
{
    struct xpd_intern *texts = plane->walk->texts;
    return plane->groups ? XPD_STR("")
                         : xpd_intern_get(texts, xpd_intern_put(texts, text.data, text.size));
}

/* "file:line"; anything else is not a source. */
static void read_source(struct plane *plane, struct xpd_str text, struct xpd_ops_metrics *op)
{
    const char *colon = text.size ? memchr(text.data, ':', text.size) : NULL;
    int64_t line = 0;
    if (!colon)
        return;
    size_t at = (size_t)(colon - text.data);
    if (xpd_str_to_i64((struct xpd_str){colon + 1, text.size - at - 1}, &line) &&
        line >= INT32_MIN && line <= INT32_MAX) {
        op->file = keep(plane, (struct xpd_str){text.data, at});
        op->line = (int32_t)line;
    }
}

static uint64_t whole(const struct xpd_stat_value *stat)
{
    return xpd_stat_is_integer(stat->type) ? (uint64_t)stat->integer : 0;
}

static void read_fact(struct plane *plane, struct facts *facts, const struct xpd_stat_value *stat)
{
    struct xpd_ops_metrics *op = &facts->of_one;
    struct xpd_str text = stat->type == XPD_STAT_TEXT ? stat->text : XPD_STR("");
    if (xpd_str_eq(stat->name, XPD_STR("program_id"))) {
        facts->has_program = true;
        facts->program_id = op->program_id = whole(stat);
    } else if (xpd_str_eq(stat->name, XPD_STR("symbol_id"))) {
        facts->has_symbol = true;
        facts->symbol_id = whole(stat);
    } else if (xpd_str_eq(stat->name, XPD_STR("hlo_category"))) {
        op->category = plane->groups ? xpd_arena_str(plane->arena, text) : keep(plane, text);
    } else if (xpd_str_eq(stat->name, XPD_STR("tf_op"))) {
        op->provenance = keep(plane, text);
    } else if (xpd_str_eq(stat->name, XPD_STR("_a"))) {
        facts->is_async = whole(stat) != 0;
    } else if (xpd_str_eq(stat->name, XPD_STR("flops"))) {
        op->flops = whole(stat);
        op->flops_v2 = (double)(int64_t)op->flops;
    } else if (xpd_str_eq(stat->name, XPD_STR("model_flops"))) {
        op->model_flops = whole(stat);
        op->model_flops_v2 = (double)(int64_t)op->model_flops;
    } else if (xpd_str_eq(stat->name, XPD_STR("bytes_accessed"))) {
        op->bytes = whole(stat);
    } else if (xpd_str_eq(stat->name, XPD_STR("memory_access_breakdown"))) {
        if (stat->type == XPD_STAT_BYTES)
            read_breakdown(plane, stat->text, op);
    } else if (xpd_str_eq(stat->name, XPD_STR("deduplicated_name"))) {
        op->dedup_name = keep(plane, text);
    } else if (xpd_str_eq(stat->name, XPD_STR("source"))) {
        read_source(plane, text, op);
    } else if (xpd_str_eq(stat->name, XPD_STR("source_stack"))) {
        op->stack = keep(plane, text);
    }
}

static const struct facts *facts_of(struct plane *plane, uint32_t metadata);

/* Ids in field 6 of a metadata entry: the operations that a fusion fuses, for one. */
static int read_inner_ids(struct plane *plane, struct xpd_wire_range range, int64_t **ids,
                          size_t *count)
{
    struct xpd_cursor cursor;
    struct xpd_field field;
    void *bytes = XPD_NEW_ARRAY(&plane->scratch, uint8_t, range.size);
    if (!bytes)
        return XPD_ENOMEM;
    int rc = xpd_source_read(plane->walk->trace->source, range.offset, bytes, (size_t)range.size,
                             plane->err);
    for (int pass = 0; pass < 2 && rc == XPD_OK; pass++) {
        size_t room = *count;
        *count = 0;
        if (pass == 1 && !(*ids = XPD_NEW_ARRAY(plane->arena, int64_t, room)))
            return XPD_ENOMEM;
        xpd_cursor_init(&cursor, bytes, (size_t)range.size, range.offset);
        while (xpd_cursor_next(&cursor, &field))
            if (field.number == 6 && !xpd_field_ints(&field, *ids, room * (size_t)pass, count))
                break;
        if (*count == 0)
            break;
    }
    return rc;
}

/* A file may repeat operations at each level: an operation with more than a million nested ones, or
 * more than 64 levels, is treated as having none. */
static void read_inner(struct plane *plane, struct facts *facts, struct xpd_wire_range range)
{
    enum { DEPTH_MOST = 64, INNER_MOST = 1000000 };
    static const struct facts unknown = {.read = true};
    int64_t *ids = NULL;
    size_t count = 0;
    xpd_arena_reset(&plane->scratch);
    int rc = read_inner_ids(plane, range, &ids, &count);
    if (rc != XPD_OK)
        plane->rc = rc;
    if (rc != XPD_OK || count == 0 || plane->depth == DEPTH_MOST)
        return;
    struct xpd_ops_metrics *all = XPD_NEW_ARRAY(plane->arena, struct xpd_ops_metrics, count);
    uint64_t inner = count;
    plane->depth++;
    for (size_t i = 0; all && i < count; i++) {
        uint32_t at = xpd_ops_metadata_of(plane->walk, (uint64_t)ids[i]);
        const struct facts *one = at == XPD_NO_METADATA ? &unknown : facts_of(plane, at);
        all[i] = one->of_one;
        all[i].occurrences = 1;
        inner += one->inner_count;
    }
    plane->depth--;
    if (!all || inner > INNER_MOST)
        return;
    facts->inner_count = (uint32_t)inner;
    facts->of_one.children = (struct xpd_ops_list){.at = all, .count = (uint32_t)count};
}

static void read_facts(struct plane *plane, struct facts *facts, uint32_t metadata)
{
    const struct xpd_trace *trace = plane->walk->trace;
    const struct xpd_event_metadata *entry = &plane->walk->tables->event[metadata];
    struct xpd_str name = xpd_intern_get(&trace->names, entry->name);
    struct xpd_str shown = xpd_intern_get(&trace->names, entry->display_name);
    struct xpd_stat_value *stat;
    uint32_t count = 0;
    facts->read = true;
    facts->of_one.name = keep(plane, shown.size ? shown : name);
    facts->of_one.long_name = shown.size ? keep(plane, name) : XPD_STR("");
    xpd_arena_reset(&plane->scratch);
    int rc = xpd_metadata_stats(trace, plane->walk->plane, metadata, &plane->scratch, &stat, &count,
                                plane->err);
    if (rc != XPD_OK)
        plane->rc = rc;
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++)
        read_fact(plane, facts, &stat[i]);
    read_inner(plane, facts, entry->range);
}

static const struct facts *facts_of(struct plane *plane, uint32_t metadata)
{
    static const struct facts none = {0};
    if (metadata == XPD_NO_METADATA)
        return &none;
    struct facts *facts = &plane->facts[metadata];
    if (!facts->read)
        read_facts(plane, facts, metadata);
    return facts;
}

/* ---- events ---- */

/* Those of the metadata, then the operations of a SparseCore. */
static struct xpd_ops_list both_lists(struct xpd_arena *arena, const struct xpd_ops_list *a,
                                      const struct xpd_ops_list *b)
{
    struct xpd_ops_list both = {
        XPD_NEW_ARRAY(arena, struct xpd_ops_metrics, (size_t)a->count + b->count),
        a->count + b->count, a->total_ps + b->total_ps};
    for (uint32_t i = 0; both.at && i < both.count; i++)
        both.at[i] = i < a->count ? a->at[i] : b->at[i - a->count];
    if (!both.at)
        both.count = 0; /* the arena remembers */
    return both;
}

/* Of the first event of a symbol are its texts and what is inside it. */
static struct xpd_ops_metrics *sums_of(struct plane *plane, const struct facts *facts,
                                       const struct open_event *event)
{
    uint64_t of_what[] = {facts->program_id, facts->symbol_id,
                          plane->sparse ? (uint64_t)event->group : 0};
    uint64_t key = xpd_hash(of_what, sizeof of_what);
    uint32_t at = xpd_map64_get(&plane->sums_of, key);
    if (at == XPD_NO_INDEX) {
        at = (uint32_t)plane->sums.count;
        struct xpd_ops_metrics sum = facts->of_one;
        if (event->offloaded)
            sum.children = both_lists(plane->arena, &sum.children, event->offloaded);
        XPD_PUSH(&plane->sums, sum);
        if (plane->sparse)
            XPD_PUSH(&plane->sparse->sum_of, (uint32_t)event->group);
        xpd_map64_put(&plane->sums_of, key, at);
        if (plane->sums.failed || plane->sums_of.failed ||
            (plane->sparse && plane->sparse->sum_of.failed))
            return NULL;
    }
    return &plane->sums.at[at];
}

static void add_to_sums(struct plane *plane, const struct facts *facts,
                        const struct open_event *event)
{
    struct xpd_ops_metrics *op = sums_of(plane, facts, event);
    if (!op) {
        plane->rc = XPD_ENOMEM;
        return;
    }
    op->core = plane->sparse ? XPD_OPS_SPARSE_CORE : XPD_OPS_TENSOR_CORE;
    op->occurrences += event->occurrences;
    op->time_ps += event->time_ps;
    op->self_ps += event->time_ps - event->children_ps;
    op->normalized_ps += event->normalized_ps;
    op->dma_stall_ps += event->dma_stall_ps;
    op->energy_j += event->energy_j;
}

static struct xpd_ops_group *group_put(struct plane *plane, int64_t number)
{
    struct xpd_ops_groups *groups = plane->groups;
    uint32_t at = xpd_map64_get(&groups->index, (uint64_t)number);
    if (at == XPD_NO_INDEX) {
        struct xpd_ops_group made = {.group = number};
        at = (uint32_t)groups->group.count;
        XPD_PUSH(&groups->group, made);
        xpd_map64_put(&groups->index, (uint64_t)number, at);
        if (groups->group.failed || groups->index.failed)
            return NULL;
    }
    return &groups->group.at[at];
}

static void add_to_group(struct plane *plane, const struct facts *facts,
                         const struct open_event *event)
{
    struct xpd_ops_group *group = group_put(plane, event->group);
    const struct xpd_ops_metrics *one = &facts->of_one;
    if (!group) {
        plane->rc = XPD_ENOMEM;
        return;
    }
    group->self_ps += event->time_ps - event->children_ps;
    if (xpd_ops_may_hold(one))
        return;
    struct xpd_ops_part *op = &group->part[xpd_ops_is_feed(one) ? XPD_OPS_FED : XPD_OPS_REST];
    bool model = one->model_flops > 0;
    op->occurrences += event->occurrences;
    op->time_ps += event->time_ps;
    xpd_ops_add_access(plane->groups->arena, &op->access, &op->access_count, one->access,
                       one->access_count, event->occurrences);
    op->flops_v2 += one->flops_v2 * (double)event->occurrences;
    op->model_flops_v2 +=
        (model ? one->model_flops_v2 : one->flops_v2) * (double)event->occurrences;
    op->bytes += one->bytes * event->occurrences;
}

/* An event that nothing can lie in any more is added to its operation. */
static void close_event(struct plane *plane, const struct open_event *event)
{
    const struct facts *facts = facts_of(plane, event->metadata);
    if (!facts->has_program || !facts->has_symbol || facts->symbol_id == 0)
        return;
    if (plane->groups)
        add_to_group(plane, facts, event);
    else
        add_to_sums(plane, facts, event);
}

static void span_of(const struct plane *plane, const struct xpd_ops_event *event,
                    uint64_t *begin_ps, uint64_t *duration_ps)
{
    if (event->stat[DEVICE_OFFSET].field && event->stat[DEVICE_DURATION].field) {
        *begin_ps = xpd_ops_any_int(&event->stat[DEVICE_OFFSET]);
        *duration_ps = xpd_ops_any_int(&event->stat[DEVICE_DURATION]);
        return;
    }
    *begin_ps = (uint64_t)plane->line->timestamp_ns * 1000 + (uint64_t)event->offset_ps;
    *duration_ps = (uint64_t)event->duration_ps;
}

static void extend(struct plane *plane, uint64_t begin_ps, uint64_t end_ps)
{
    if (begin_ps < plane->first_ps)
        plane->first_ps = begin_ps;
    if (end_ps > plane->last_ps)
        plane->last_ps = end_ps;
}

static bool track(void *user, const struct xpd_ops_event *event)
{
    struct plane *plane = user;
    uint64_t begin_ps, duration_ps;
    span_of(plane, event, &begin_ps, &duration_ps);
    extend(plane, begin_ps, begin_ps + duration_ps);
    return true;
}

static bool track_step(void *user, const struct xpd_ops_event *event)
{
    struct plane *plane = user;
    while (plane->left_at < plane->left_out.count &&
           plane->left_out.at[plane->left_at] < event->where)
        plane->left_at++;
    bool left_out = plane->left_at < plane->left_out.count &&
                    plane->left_out.at[plane->left_at] == event->where;
    return left_out || track(user, event);
}

static void find_left_out(struct plane *plane, uint32_t number)
{
    const struct xpd_trace *trace = plane->walk->trace;
    for (uint32_t d = 0; plane->walk->derived && d < trace->depth_count; d++) {
        const struct xpd_depth *depth = &trace->depth[d];
        const struct xpd_trace_row *row = &trace->row[depth->row];
        if (row->kind != XPD_ROW_STEPS || trace->process[row->process].plane != number)
            continue;
        for (uint32_t i = 0; i < depth->count; i++)
            if (xpd_step_is_left_out(plane->walk->derived, depth, i))
                XPD_PUSH(&plane->left_out, xpd_depth_where(depth, i));
    }
    if (plane->left_out.count > 1)
        qsort(plane->left_out.at, plane->left_out.count, sizeof *plane->left_out.at, xpd_order_u64);
}

/* XProf makes a line "Framework Ops" from events that name one on any line of a TensorCore, on the
 * host's clock, and then counts it as a line of operations, so the time of the plane spans both
 * clocks. An event's own stat has priority over its metadata. */
static bool track_framework_op(void *user, const struct xpd_ops_event *event)
{
    struct plane *plane = user;
    const struct facts *facts = facts_of(plane, event->metadata);
    const struct xpd_said *op = &event->stat[TF_OP], *async = &event->stat[IS_ASYNC];
    struct xpd_str named = op->field ? xpd_ops_text(plane->walk, op) : facts->of_one.provenance;
    bool is_async = async->field ? xpd_ops_any_int(async) != 0 : facts->is_async;
    uint64_t begin_ps = (uint64_t)plane->line->timestamp_ns * 1000 + (uint64_t)event->offset_ps;
    if (named.size && !is_async)
        extend(plane, begin_ps, begin_ps + (uint64_t)event->duration_ps);
    return plane->rc == XPD_OK;
}

static void pop(struct plane *plane)
{
    close_event(plane, &plane->stack.at[--plane->stack.count]);
}

static uint64_t offload_key(uint64_t core, uint64_t start)
{
    uint64_t pair[] = {core, start};
    return xpd_hash(pair, sizeof pair);
}

/* NULL: nothing ran for it. */
static const struct xpd_ops_list *offload_of(const struct xpd_ops_offloads *offloads, uint64_t core,
                                             uint64_t start)
{
    uint32_t at = xpd_map64_get(&offloads->index, offload_key(core, start));
    return at == XPD_NO_INDEX ? NULL : &offloads->offload.at[at];
}

static void push(struct plane *plane, const struct xpd_ops_event *event, int64_t group)
{
    uint64_t begin_ps, duration_ps;
    span_of(plane, event, &begin_ps, &duration_ps);
    struct open_event open = {.begin_ps = begin_ps,
                              .end_ps = begin_ps + duration_ps,
                              .group = group,
                              .metadata = event->metadata,
                              .occurrences =
                                  event->occurrences > 1 ? (uint64_t)event->occurrences : 1,
                              .time_ps = duration_ps,
                              .dma_stall_ps = (uint64_t)xpd_ops_int(&event->stat[DMA_STALL]),
                              .energy_j = xpd_ops_double(&event->stat[ENERGY])};
    const struct xpd_said *core = &event->stat[OFFLOAD_CORE], *start = &event->stat[OFFLOAD_START];
    if (plane->offloads && core->field && start->field)
        open.offloaded =
            offload_of(plane->offloads, xpd_ops_uint(core), (uint64_t)xpd_ops_int(start));
    double scale = plane->sparse ? 0.0 : 1.0; /* a SparseCore's is not normalized without */
    if (event->stat[TIME_SCALE].field)
        scale = xpd_ops_double(&event->stat[TIME_SCALE]);
    double normalized =
        (double)(plane->sparse ? (uint64_t)event->duration_ps : duration_ps) * scale;
    open.normalized_ps = normalized >= 0 && normalized < 1.8e19 ? (uint64_t)normalized : 0;
    while (plane->stack.count) {
        struct open_event *top = &plane->stack.at[plane->stack.count - 1];
        if (top->begin_ps <= open.begin_ps && open.end_ps <= top->end_ps) {
            top->children_ps += duration_ps;
            break;
        }
        pop(plane);
    }
    XPD_PUSH(&plane->stack, open);
}

static bool take_op(void *user, const struct xpd_ops_event *event)
{
    struct plane *plane = user;
    int64_t group = 0;
    if (plane->groups)
        group = plane->group_of(plane->user, plane->line_number, event->where);
    if (group < 0)
        return true;
    if (plane->is_tensor_core)
        track_framework_op(plane, event);
    track(user, event);
    push(plane, event, group);
    return !plane->stack.failed && plane->rc == XPD_OK;
}

static bool is_op_line(struct xpd_str name)
{
    return xpd_str_eq(name, XPD_STR("XLA Ops")) || xpd_str_eq(name, XPD_STR("Framework Ops")) ||
           xpd_str_eq(name, XPD_STR("Sparse Core Ops"));
}

static bool is_step_line(struct xpd_str name)
{
    return xpd_str_eq(name, XPD_STR("Steps")) || xpd_str_eq(name, XPD_STR("Sparse Core Steps"));
}

/* ---- the plane ---- */

/* Converts values of one execution to those of all. */
static void multiply(struct xpd_ops_metrics *op)
{
    op->flops *= op->occurrences;
    op->flops_v2 *= (double)op->occurrences;
    op->bytes *= op->occurrences;
    if (op->model_flops > 0) {
        op->model_flops *= op->occurrences;
        op->model_flops_v2 *= (double)op->occurrences;
    } else {
        op->model_flops = op->flops;
        op->model_flops_v2 = op->flops_v2;
    }
    for (uint32_t i = 0; i < op->access_count; i++)
        op->access[i].bytes *= op->occurrences;
}

static double safe_divide(double a, double b)
{
    return b < 1e-10 && b > -1e-10 ? 0 : a / b;
}

static void collect_sum(struct xpd_ops_db *db, const struct xpd_ops_metrics *sum)
{
    struct xpd_ops_metrics op = *sum;
    op.access = XPD_COPY_ARRAY(db->arena, op.access, op.access_count);
    op.access_count = op.access ? op.access_count : 0;
    multiply(&op);
    double share = safe_divide((double)op.normalized_ps, (double)op.time_ps);
    db->total_op_ps += op.self_ps;
    db->normalized_op_ps = (uint64_t)((double)db->normalized_op_ps + (double)op.self_ps * share);
    struct xpd_ops_db one = {.at = &op, .count = 1};
    xpd_ops_db_combine(db, &one);
}

static void collect(struct plane *plane, struct xpd_ops_db *db)
{
    for (size_t i = 0; i < plane->sums.count; i++)
        collect_sum(db, &plane->sums.at[i]);
    xpd_ops_db_finish(db, plane->last_ps - plane->first_ps);
}

/* In steps the last line of operations that has events replaces those before. */
static bool counts_in_steps(const struct xpd_line *line)
{
    return line->event_count > 0 && !xpd_ops_is_made(line);
}

static void walk_lines(struct plane *plane, const struct xpd_plane *of)
{
    for (uint32_t i = 0; i < of->line_count && plane->rc == XPD_OK; i++) {
        struct xpd_str name = xpd_ops_line_name(plane->walk, &of->line[i]);
        plane->line = &of->line[i];
        plane->line_number = i;
        plane->left_at = 0;
        if (plane->is_tensor_core && !is_op_line(name)) /* else take_op does */
            xpd_ops_walk_line(plane->walk, plane->line, track_framework_op, plane);
        if (is_step_line(name))
            xpd_ops_walk_line(plane->walk, plane->line, track_step, plane);
        if (!is_op_line(name) || (plane->groups && !counts_in_steps(plane->line)))
            continue;
        if (plane->groups)
            xpd_ops_groups_fini(plane->groups);
        xpd_ops_walk_line(plane->walk, plane->line, take_op, plane);
        while (plane->stack.count)
            pop(plane);
    }
    if (plane->stack.failed)
        plane->rc = XPD_ENOMEM;
}

static int begin_plane(struct plane *plane, uint32_t number)
{
    xpd_ops_walk_plane(plane->walk, number, stat_name, sizeof stat_name / sizeof *stat_name);
    plane->first_ps = UINT64_MAX;
    plane->facts = calloc((size_t)plane->walk->tables->event_count + 1, sizeof *plane->facts);
    return plane->rc = plane->facts ? XPD_OK : XPD_ENOMEM;
}

static int end_plane(struct plane *plane)
{
    if (plane->left_out.failed || plane->stack.failed)
        plane->rc = XPD_ENOMEM;
    XPD_VEC_FINI(&plane->left_out);
    XPD_VEC_FINI(&plane->stack);
    XPD_VEC_FINI(&plane->sums);
    xpd_map64_fini(&plane->sums_of);
    xpd_arena_fini(&plane->scratch);
    free(plane->facts);
    return plane->rc == XPD_ENOMEM ? xpd_no_memory(plane->err, NULL, "for op metrics") : plane->rc;
}

static int walk_plane(struct plane *plane, uint32_t number, struct xpd_ops_db *db)
{
    const struct xpd_xspace *space = plane->walk->trace->space;
    if (begin_plane(plane, number) == XPD_OK) {
        if (db) {
            plane->is_tensor_core =
                xpd_ops_is_tensor_core(xpd_intern_get(&space->names, space->plane[number].name));
            find_left_out(plane, number);
        }
        walk_lines(plane, &space->plane[number]);
        if (plane->rc == XPD_OK && db)
            collect(plane, db);
    }
    return end_plane(plane);
}

int xpd_ops_tpu_plane(struct xpd_ops_db *db, const struct xpd_ops_offloads *offloads,
                      struct xpd_ops_walk *walk, uint32_t number, struct xpd_err *err)
{
    struct plane plane = {.walk = walk, .arena = db->arena, .offloads = offloads, .err = err};
    return walk_plane(&plane, number, db);
}

int xpd_ops_tpu_groups(struct xpd_ops_groups *out, struct xpd_ops_walk *walk, uint32_t number,
                       xpd_ops_group_fn *group_of, void *user, struct xpd_err *err)
{
    struct plane plane = {.walk = walk,
                          .arena = out->arena,
                          .groups = out,
                          .group_of = group_of,
                          .user = user,
                          .err = err};
    return walk_plane(&plane, number, NULL);
}

void xpd_ops_groups_fini(struct xpd_ops_groups *groups)
{
    XPD_VEC_FINI(&groups->group);
    xpd_map64_fini(&groups->index);
    groups->index = (struct xpd_map64){0};
}

/* ---- SparseCores ---- */

static bool take_module(void *user, const struct xpd_ops_event *event)
{
    struct plane *plane = user;
    struct sparse *sparse = plane->sparse;
    if (!event->stat[OFFLOAD_CORE].field || !event->stat[OFFLOAD_START].field)
        return true;
    uint64_t begin_ps, duration_ps, core = xpd_ops_uint(&event->stat[OFFLOAD_CORE]),
                                    start = xpd_ops_uint(&event->stat[OFFLOAD_START]);
    span_of(plane, event, &begin_ps, &duration_ps);
    uint32_t at = xpd_map64_get(&sparse->offload_of, offload_key(core, start));
    if (at == XPD_NO_INDEX) {
        at = (uint32_t)sparse->offload.count;
        XPD_PUSH(&sparse->offload, ((struct offload){.core = core, .start = start}));
        xpd_map64_put(&sparse->offload_of, offload_key(core, start), at);
    }
    XPD_PUSH(&sparse->module, ((struct module){begin_ps, begin_ps + duration_ps, at,
                                               (uint32_t)sparse->module.count}));
    return !sparse->module.failed && !sparse->offload.failed && !sparse->offload_of.failed;
}

static int by_begin(const void *a, const void *b)
{
    const struct module *x = a, *y = b;
    if (x->begin_ps != y->begin_ps)
        return x->begin_ps < y->begin_ps ? -1 : 1;
    if (x->end_ps != y->end_ps)
        return x->end_ps > y->end_ps ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* By time; of those at the same time the first counts. */
static void sort_modules(struct sparse *sparse)
{
    size_t kept = 0;
    struct module *all = sparse->module.at;
    if (sparse->module.count > 1)
        qsort(all, sparse->module.count, sizeof *all, by_begin);
    for (size_t i = 0; i < sparse->module.count; i++) {
        if (kept && all[kept - 1].begin_ps == all[i].begin_ps &&
            all[kept - 1].end_ps == all[i].end_ps)
            continue;
        all[kept++] = all[i];
        sparse->offload.at[all[kept - 1].offload].total_ps += all[i].end_ps - all[i].begin_ps;
    }
    sparse->module.count = kept;
}

/* An operation counts for the module that contains it. */
static bool take_sparse_op(void *user, const struct xpd_ops_event *event)
{
    struct plane *plane = user;
    struct sparse *sparse = plane->sparse;
    uint64_t begin_ps, duration_ps;
    span_of(plane, event, &begin_ps, &duration_ps);
    while (sparse->at < sparse->module.count && sparse->module.at[sparse->at].end_ps < begin_ps)
        sparse->at++;
    if (sparse->at == sparse->module.count)
        return false;
    const struct module *module = &sparse->module.at[sparse->at];
    if (module->begin_ps > begin_ps || begin_ps + duration_ps > module->end_ps)
        return true;
    sparse->offload.at[module->offload].has_ops = true;
    push(plane, event, module->offload);
    return !plane->stack.failed && plane->rc == XPD_OK;
}

static void walk_sparse(struct plane *plane, const struct xpd_plane *of)
{
    for (int pass = 0; pass < 2; pass++) {
        struct xpd_str wanted = pass ? XPD_STR("Sparse Core Ops") : XPD_STR("Sparse Core Modules");
        for (uint32_t i = 0; i < of->line_count && plane->rc == XPD_OK; i++) {
            plane->line = &of->line[i];
            plane->sparse->at = 0;
            if (xpd_str_eq(xpd_ops_line_name(plane->walk, plane->line), wanted))
                xpd_ops_walk_line(plane->walk, plane->line, pass ? take_sparse_op : take_module,
                                  plane);
            while (plane->stack.count)
                pop(plane);
        }
        if (pass == 0)
            sort_modules(plane->sparse);
    }
}

static void keep_offload(struct xpd_ops_offloads *out, const struct offload *offload,
                         struct xpd_ops_db *db)
{
    uint64_t key = offload_key(offload->core, offload->start);
    uint32_t at = xpd_map64_get(&out->index, key);
    xpd_ops_db_finish(db, offload->total_ps);
    xpd_ops_db_freeze(db);
    struct xpd_ops_list ops = {db->at, db->count, db->total_ps};
    db->at = NULL; /* the arena's */
    if (at != XPD_NO_INDEX) {
        out->offload.at[at] = ops; /* of the last plane */
        return;
    }
    xpd_map64_put(&out->index, key, (uint32_t)out->offload.count);
    XPD_PUSH(&out->offload, ops);
}

static int keep_offloads(struct xpd_ops_offloads *out, struct plane *plane)
{
    struct sparse *sparse = plane->sparse;
    struct xpd_ops_db *db = calloc(sparse->offload.count + 1, sizeof *db);
    bool failed = !db;
    for (size_t i = 0; db && i < sparse->offload.count; i++)
        xpd_ops_db_init(&db[i], out->arena);
    for (size_t i = 0; db && i < plane->sums.count; i++)
        collect_sum(&db[sparse->sum_of.at[i]], &plane->sums.at[i]);
    for (size_t i = 0; db && i < sparse->offload.count; i++) {
        if (sparse->offload.at[i].has_ops)
            keep_offload(out, &sparse->offload.at[i], &db[i]);
        failed |= db[i].failed;
        xpd_ops_db_fini(&db[i]);
    }
    free(db);
    return failed || out->offload.failed || out->index.failed ? XPD_ENOMEM : XPD_OK;
}

int xpd_ops_sparse_plane(struct xpd_ops_offloads *out, struct xpd_ops_walk *walk, uint32_t number,
                         struct xpd_err *err)
{
    struct sparse sparse = {0};
    struct plane plane = {.walk = walk, .arena = out->arena, .sparse = &sparse, .err = err};
    if (begin_plane(&plane, number) == XPD_OK)
        walk_sparse(&plane, &walk->trace->space->plane[number]);
    if (sparse.module.failed || sparse.offload.failed || sparse.offload_of.failed ||
        sparse.sum_of.failed || plane.sums.failed)
        plane.rc = XPD_ENOMEM;
    if (plane.rc == XPD_OK)
        plane.rc = keep_offloads(out, &plane);
    XPD_VEC_FINI(&sparse.offload);
    XPD_VEC_FINI(&sparse.module);
    XPD_VEC_FINI(&sparse.sum_of);
    xpd_map64_fini(&sparse.offload_of);
    return end_plane(&plane);
}

void xpd_ops_offloads_fini(struct xpd_ops_offloads *offloads)
{
    XPD_VEC_FINI(&offloads->offload);
    xpd_map64_fini(&offloads->index);
}
