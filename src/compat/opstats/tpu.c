/* Op metrics of a TensorCore: of the lines of operations, by program and symbol. Self time is by
 * nesting in the order of the file, on the device's clock where an event has it. Rules: XProf's
 * xplane_to_op_metrics_db.cc and op_metrics_db_utils.cc. */
#include "tpu.h"

#include "xprofd/base/order.h"
#include "xprofd/base/vec.h"
#include "xprofd/wire/cursor.h"

#include <stdlib.h>

enum { DEVICE_OFFSET, DEVICE_DURATION, DMA_STALL, TIME_SCALE, ENERGY, TF_OP, IS_ASYNC };
static const char *const stat_name[] = {"device_offset_ps",
                                        "device_duration_ps",
                                        "dma_stall_duration_ps",
                                        "Time Scale Multiplier",
                                        "vdd_energy_j",
                                        "tf_op",
                                        "_a"};

struct facts { /* what a metadata entry says of all its events */
    bool read, has_program, has_symbol, is_async;
    uint64_t program_id, symbol_id;
    struct xpd_ops_metrics of_one; /* amounts of one execution */
};
struct open_event { /* on the stack: what follows may lie inside it */
    uint64_t begin_ps, end_ps, children_ps;
    int64_t group;
    uint32_t metadata;
    struct xpd_ops_metrics amounts; /* its own; no texts */
};
struct plane {
    struct xpd_ops_walk *walk;
    struct xpd_arena *arena;  /* of the database: texts */
    struct xpd_arena scratch; /* of stats of metadata */
    struct facts *facts;      /* by metadata */
    const struct xpd_line *line;
    bool is_tensor_core;
    uint64_t first_ps, last_ps;
    XPD_VEC(uint64_t) left_out; /* places in the file of Steps events that are no steps */
    size_t left_at;
    XPD_VEC(struct open_event) stack;
    XPD_VEC(struct xpd_ops_metrics) sums; /* of one program and symbol */
    struct xpd_map64 sums_of;
    struct xpd_ops_groups *groups; /* instead of sums; NULL = sums */
    xpd_ops_group_fn *group_of;
    void *user;
    uint32_t line_number;
    int rc;
    struct xpd_err *err;
};

/* ---- what metadata say ---- */

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

/* "file:line"; anything else is no source. */
static void read_source(struct plane *plane, struct xpd_str text, struct xpd_ops_metrics *op)
{
    const char *colon = text.size ? memchr(text.data, ':', text.size) : NULL;
    int64_t line = 0;
    if (!colon)
        return;
    size_t at = (size_t)(colon - text.data);
    if (xpd_str_to_i64((struct xpd_str){colon + 1, text.size - at - 1}, &line) &&
        line >= INT32_MIN && line <= INT32_MAX) {
        op->file = xpd_arena_str(plane->arena, (struct xpd_str){text.data, at});
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
        op->category = xpd_arena_str(plane->arena, text);
    } else if (xpd_str_eq(stat->name, XPD_STR("tf_op"))) {
        op->provenance = xpd_arena_str(plane->arena, text);
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
        op->dedup_name = xpd_arena_str(plane->arena, text);
    } else if (xpd_str_eq(stat->name, XPD_STR("source"))) {
        read_source(plane, text, op);
    } else if (xpd_str_eq(stat->name, XPD_STR("source_stack"))) {
        op->stack = xpd_arena_str(plane->arena, text);
    }
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
    facts->of_one.name = xpd_arena_str(plane->arena, shown.size ? shown : name);
    facts->of_one.long_name = shown.size ? xpd_arena_str(plane->arena, name) : XPD_STR("");
    xpd_arena_reset(&plane->scratch);
    int rc = xpd_stats_decode(trace->source, entry->range, 5, plane->walk->tables, &trace->names,
                              &plane->scratch, &stat, &count, plane->err);
    if (rc != XPD_OK)
        plane->rc = rc;
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++)
        read_fact(plane, facts, &stat[i]);
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

static struct xpd_ops_metrics *sums_of(struct plane *plane, const struct facts *facts)
{
    uint64_t key = facts->program_id * UINT64_C(0x9e3779b97f4a7c15) ^ facts->symbol_id;
    uint32_t at = xpd_map64_get(&plane->sums_of, key);
    if (at == XPD_NO_INDEX) {
        at = (uint32_t)plane->sums.count;
        XPD_PUSH(&plane->sums, facts->of_one);
        xpd_map64_put(&plane->sums_of, key, at);
        if (plane->sums.failed || plane->sums_of.failed)
            return NULL;
    }
    return &plane->sums.at[at];
}

static void add_to_sums(struct plane *plane, const struct facts *facts,
                        const struct open_event *event)
{
    struct xpd_ops_metrics *op = sums_of(plane, facts);
    const struct xpd_ops_metrics *own = &event->amounts;
    if (!op) {
        plane->rc = XPD_ENOMEM;
        return;
    }
    op->core = XPD_OPS_TENSOR_CORE;
    op->occurrences += own->occurrences;
    op->time_ps += own->time_ps;
    op->self_ps += own->time_ps - event->children_ps;
    op->normalized_ps += own->normalized_ps;
    op->dma_stall_ps += own->dma_stall_ps;
    op->energy_j += own->energy_j;
}

static struct xpd_ops_group *group_put(struct plane *plane, int64_t number)
{
    struct xpd_ops_groups *groups = plane->groups;
    uint32_t at = xpd_map64_get(&groups->index, (uint64_t)number);
    if (at == XPD_NO_INDEX) {
        struct xpd_ops_group made = {.group = number};
        made.part[XPD_OPS_FED].category = XPD_STR("infeed");
        at = (uint32_t)groups->group.count;
        XPD_PUSH(&groups->group, made);
        xpd_map64_put(&groups->index, (uint64_t)number, at);
        if (groups->group.failed || groups->index.failed)
            return NULL;
    }
    return &groups->group.at[at];
}

static void add_access(struct plane *plane, struct xpd_ops_metrics *op,
                       const struct xpd_ops_metrics *of_one, uint64_t times)
{
    for (uint32_t i = 0; i < of_one->access_count; i++) {
        const struct xpd_ops_access *access = &of_one->access[i];
        uint32_t at = 0;
        while (at < op->access_count && (op->access[at].space != access->space ||
                                         op->access[at].operation != access->operation))
            at++;
        if (at == op->access_count)
            xpd_ops_add_access(plane->groups->arena, op, access, 1, times);
        else
            op->access[at].bytes += access->bytes * times;
    }
}

static void add_to_group(struct plane *plane, const struct facts *facts,
                         const struct open_event *event)
{
    struct xpd_ops_group *group = group_put(plane, event->group);
    const struct xpd_ops_metrics *own = &event->amounts, *one = &facts->of_one;
    if (!group) {
        plane->rc = XPD_ENOMEM;
        return;
    }
    group->self_ps += own->time_ps - event->children_ps;
    if (xpd_ops_may_hold(one))
        return;
    struct xpd_ops_metrics *op = &group->part[xpd_ops_is_feed(one) ? XPD_OPS_FED : XPD_OPS_REST];
    bool model = one->model_flops > 0;
    op->occurrences += own->occurrences;
    op->time_ps += own->time_ps;
    add_access(plane, op, one, own->occurrences);
    op->flops_v2 += one->flops_v2 * (double)own->occurrences;
    op->model_flops_v2 += (model ? one->model_flops_v2 : one->flops_v2) * (double)own->occurrences;
    op->bytes += one->bytes * own->occurrences;
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

/* XProf makes a line "Framework Ops" of what names one in any line of a TensorCore, on the host's
 * clock, and then counts it among the lines of operations: the time of the plane spans both clocks.
 * What an event says stands before what its metadata says. */
static bool track_framework_op(void *user, const struct xpd_ops_event *event)
{
    struct plane *plane = user;
    const struct facts *facts = facts_of(plane, event->metadata);
    const struct xpd_ops_stat *op = &event->stat[TF_OP], *async = &event->stat[IS_ASYNC];
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

static bool take_op(void *user, const struct xpd_ops_event *event)
{
    struct plane *plane = user;
    uint64_t begin_ps, duration_ps;
    int64_t group = 0;
    if (plane->groups)
        group = plane->group_of(plane->user, plane->line_number, event->where);
    if (group < 0)
        return true;
    track(user, event);
    span_of(plane, event, &begin_ps, &duration_ps);
    struct open_event open = {.begin_ps = begin_ps,
                              .end_ps = begin_ps + duration_ps,
                              .group = group,
                              .metadata = event->metadata};
    double scale = event->stat[TIME_SCALE].field ? xpd_ops_double(&event->stat[TIME_SCALE]) : 1.0;
    double normalized = (double)duration_ps * scale;
    open.amounts = (struct xpd_ops_metrics){
        .occurrences = event->occurrences > 1 ? (uint64_t)event->occurrences : 1,
        .time_ps = duration_ps,
        .normalized_ps = normalized >= 0 && normalized < 1.8e19 ? (uint64_t)normalized : 0,
        .dma_stall_ps = (uint64_t)xpd_ops_int(&event->stat[DMA_STALL]),
        .energy_j = xpd_ops_double(&event->stat[ENERGY])};
    while (plane->stack.count) {
        struct open_event *top = &plane->stack.at[plane->stack.count - 1];
        if (top->begin_ps <= open.begin_ps && open.end_ps <= top->end_ps) {
            top->children_ps += duration_ps;
            break;
        }
        pop(plane);
    }
    XPD_PUSH(&plane->stack, open);
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

/* What was of one execution becomes that of all. */
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

static void collect(struct plane *plane, struct xpd_ops_db *db)
{
    for (size_t i = 0; i < plane->sums.count; i++) {
        struct xpd_ops_metrics op = plane->sums.at[i];
        op.access = XPD_COPY_ARRAY(db->arena, op.access, op.access_count);
        op.access_count = op.access ? op.access_count : 0;
        multiply(&op);
        double share = safe_divide((double)op.normalized_ps, (double)op.time_ps);
        db->total_op_ps += op.self_ps;
        db->normalized_op_ps =
            (uint64_t)((double)db->normalized_op_ps + (double)op.self_ps * share);
        struct xpd_ops_db one = {.at = &op, .count = 1};
        xpd_ops_db_combine(db, &one);
    }
    xpd_ops_db_finish(db, plane->last_ps - plane->first_ps);
}

static void walk_lines(struct plane *plane, const struct xpd_plane *of)
{
    for (uint32_t i = 0; i < of->line_count && plane->rc == XPD_OK; i++) {
        struct xpd_str name = xpd_ops_line_name(plane->walk, &of->line[i]);
        plane->line = &of->line[i];
        plane->line_number = i;
        plane->left_at = 0;
        if (plane->is_tensor_core)
            xpd_ops_walk_line(plane->walk, plane->line, track_framework_op, plane);
        if (is_step_line(name))
            xpd_ops_walk_line(plane->walk, plane->line, track_step, plane);
        if (!is_op_line(name))
            continue;
        xpd_ops_walk_line(plane->walk, plane->line, take_op, plane);
        while (plane->stack.count)
            pop(plane);
    }
    if (plane->stack.failed)
        plane->rc = XPD_ENOMEM;
}

static int walk_plane(struct plane *plane, uint32_t number, struct xpd_ops_db *db)
{
    xpd_ops_walk_plane(plane->walk, number, stat_name, sizeof stat_name / sizeof *stat_name);
    plane->first_ps = UINT64_MAX;
    plane->facts = calloc((size_t)plane->walk->tables->event_count + 1, sizeof *plane->facts);
    plane->rc = plane->facts ? XPD_OK : XPD_ENOMEM;
    if (db) {
        plane->is_tensor_core = xpd_ops_is_tensor_core(xpd_intern_get(
            &plane->walk->trace->space->names, plane->walk->trace->space->plane[number].name));
        find_left_out(plane, number);
    }
    walk_lines(plane, &plane->walk->trace->space->plane[number]);
    if (plane->rc == XPD_OK && db)
        collect(plane, db);
    if (plane->left_out.failed)
        plane->rc = XPD_ENOMEM;
    XPD_VEC_FINI(&plane->left_out);
    XPD_VEC_FINI(&plane->stack);
    XPD_VEC_FINI(&plane->sums);
    xpd_map64_fini(&plane->sums_of);
    xpd_arena_fini(&plane->scratch);
    free(plane->facts);
    return plane->rc == XPD_ENOMEM
               ? xpd_fail(plane->err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for op metrics")
               : plane->rc;
}

int xpd_ops_tpu_plane(struct xpd_ops_db *db, struct xpd_ops_walk *walk, uint32_t number,
                      struct xpd_err *err)
{
    struct plane plane = {.walk = walk, .arena = db->arena, .err = err};
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
}

const struct xpd_ops_group *xpd_ops_groups_get(const struct xpd_ops_groups *groups, int64_t group)
{
    uint32_t at = xpd_map64_get(&groups->index, (uint64_t)group);
    return at == XPD_NO_INDEX ? NULL : &groups->group.at[at];
}
