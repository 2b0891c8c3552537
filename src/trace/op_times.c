/* Times by instruction. In: a frozen trace. Out: programs, their ops, each op's share of every
 * device, sorted, in one arena.
 *
 * Rows whose names tell program and instruction are added up by name (totals.c), the rest is found
 * in the file (op_scan.c). Invariant: an op's sums are those of its shares. */
#include "op_times.h"

#include "xprofd/base/checked.h"
#include "xprofd/trace/totals.h"

#include <stdlib.h>

static int no_memory(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, NULL, XPD_NO_OFFSET,
                    "The times of the instructions do not fit the memory budget; raise "
                    "--memory-limit.");
}

/* ---- what is counted apart ---- */

uint32_t xpd_op_program_put(struct xpd_op_build *build, bool has_id, uint64_t id, xpd_name_id name)
{
    struct xpd_map64 *map = has_id ? &build->program_of_id : &build->program_of_name;
    uint64_t key = has_id ? id : name;
    uint32_t at = xpd_map64_get(map, key);
    if (at == XPD_NO_INDEX) {
        struct xpd_op_program program = {.id = has_id ? id : 0, .has_id = has_id};
        at = (uint32_t)build->program.count;
        XPD_PUSH(&build->program, program);
        xpd_map64_put(map, key, at);
    }
    if (build->program.failed || map->failed)
        return XPD_NO_INDEX;
    if (build->program.at[at].name == 0)
        build->program.at[at].name = name;
    return at;
}

uint32_t xpd_op_device_put(struct xpd_op_build *build, uint32_t process, int64_t number)
{
    uint64_t key[2] = {process, (uint64_t)number};
    uint64_t hash = xpd_hash(key, sizeof key);
    uint32_t at = xpd_map64_get(&build->device_of, hash);
    if (at == XPD_NO_INDEX) {
        struct xpd_op_device device = {process, number};
        at = (uint32_t)build->device.count;
        XPD_PUSH(&build->device, device);
        xpd_map64_put(&build->device_of, hash, at);
    }
    return build->device.failed || build->device_of.failed ? XPD_NO_INDEX : at;
}

uint32_t xpd_op_slot_put(struct xpd_op_build *build, uint32_t program, xpd_name_id name,
                         uint32_t device)
{
    uint32_t key[3] = {program, name, device};
    uint64_t hash = xpd_hash(key, sizeof key);
    uint32_t at = xpd_map64_get(&build->slot_of, hash);
    if (at == XPD_NO_INDEX) {
        struct xpd_op_slot slot = {program, device, name, {.min_ps = INT64_MAX}};
        at = (uint32_t)build->slot.count;
        XPD_PUSH(&build->slot, slot);
        xpd_map64_put(&build->slot_of, hash, at);
    }
    return build->slot.failed || build->slot_of.failed ? XPD_NO_INDEX : at;
}

bool xpd_op_build_failed(const struct xpd_op_build *build)
{
    return build->program.failed || build->device.failed || build->slot.failed ||
           build->program_of_id.failed || build->program_of_name.failed ||
           build->device_of.failed || build->slot_of.failed || build->out->names.failed;
}

static void add_sums(struct xpd_op_sums *sums, const struct xpd_op_sums *more)
{
    sums->count += more->count;
    sums->device_count += more->device_count;
    xpd_grow_i64(&sums->total_ps, more->total_ps);
    xpd_grow_i64(&sums->self_ps, more->self_ps);
    sums->min_ps = more->min_ps < sums->min_ps ? more->min_ps : sums->min_ps;
    sums->max_ps = more->max_ps > sums->max_ps ? more->max_ps : sums->max_ps;
}

/* ---- rows whose names tell ---- */

struct xpd_str xpd_op_instruction(const struct xpd_trace *trace, const struct xpd_event_name *name)
{
    struct xpd_str text = xpd_intern_get(&trace->names, name->name);
    size_t equals = xpd_str_find(text, XPD_STR(" = "), false);
    if (equals == SIZE_MAX || equals == 0)
        return xpd_intern_get(&trace->names, name->caption);
    size_t skip = text.data[0] == '%';
    return (struct xpd_str){text.data + skip, equals - skip};
}

static void take_group(struct xpd_op_build *build, uint32_t process, const struct xpd_total *total)
{
    const struct xpd_trace *trace = build->trace;
    if (total->count == 0 || total->key >= trace->name_count)
        return;
    const struct xpd_event_name *name = &trace->name[total->key];
    struct xpd_str instruction = xpd_op_instruction(trace, name);
    if (name->program_id == 0 || instruction.size == 0)
        return;
    uint32_t program = xpd_op_program_put(build, true, name->program_id, 0);
    uint32_t device = xpd_op_device_put(build, process, trace->process[process].device);
    xpd_name_id id = xpd_intern_put(&build->out->names, instruction.data, instruction.size);
    uint32_t slot = xpd_op_slot_put(build, program, id, device);
    if (xpd_op_build_failed(build))
        return;
    struct xpd_op_sums sums = {.count = total->count,
                               .device_count = total->device_count,
                               .total_ps = total->total_ps,
                               .self_ps = total->self_ps,
                               .min_ps = total->min_ps,
                               .max_ps = total->max_ps};
    add_sums(&build->slot.at[slot].sums, &sums);
}

static int add_process(struct xpd_op_build *build, uint32_t process, uint32_t *rows,
                       struct xpd_err *err)
{
    const struct xpd_trace_process *at = &build->trace->process[process];
    struct xpd_view view = {.trace = build->trace};
    struct xpd_totals_ask ask = {.view = &view,
                                 .by = XPD_BY_ENTRY,
                                 .clock = XPD_CLOCK_DEVICE,
                                 .row = rows,
                                 .range = xpd_view_all(&view)};
    struct xpd_totals totals;
    for (uint32_t r = at->first_row; r < at->first_row + at->row_count; r++)
        if (build->trace->row[r].kind == XPD_ROW_OPS)
            rows[ask.row_count++] = r;
    if (ask.row_count == 0)
        return XPD_OK;
    int rc = xpd_totals_make(&totals, &ask, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t g = 0; g < totals.group_count; g++)
        take_group(build, process, &totals.group[g]);
    build->out->unchecked += totals.unchecked;
    xpd_totals_fini(&totals);
    return XPD_OK;
}

static int add_named(struct xpd_op_build *build, struct xpd_err *err)
{
    const struct xpd_trace *trace = build->trace;
    uint32_t *rows = malloc(((size_t)trace->row_count + 1) * sizeof *rows);
    int rc = rows ? XPD_OK : no_memory(err);
    for (uint32_t p = 0; rc == XPD_OK && p < trace->process_count; p++)
        if (trace->process[p].kind == XPD_PROCESS_TPU ||
            trace->process[p].kind == XPD_PROCESS_SPARSE_CORE)
            rc = add_process(build, p, rows, err);
    free(rows);
    return rc;
}

/* ---- freezing ---- */

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_text(struct xpd_str a, struct xpd_str b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared ? memcmp(a.data, b.data, shared) : 0;
    return order ? order : ORDER(a.size, b.size);
}

static int by_program(const void *a, const void *b, void *ctx)
{
    const struct xpd_op_build *build = ctx;
    const struct xpd_op_program *x = &build->program.at[*(const uint32_t *)a];
    const struct xpd_op_program *y = &build->program.at[*(const uint32_t *)b];
    if (x->has_id != y->has_id)
        return x->has_id ? 1 : -1;
    if (x->id != y->id)
        return ORDER(x->id, y->id);
    return compare_text(xpd_intern_get(&build->out->names, x->name),
                        xpd_intern_get(&build->out->names, y->name));
}

static int by_device(const void *a, const void *b, void *ctx)
{
    const struct xpd_op_build *build = ctx;
    const struct xpd_op_device *x = &build->device.at[*(const uint32_t *)a];
    const struct xpd_op_device *y = &build->device.at[*(const uint32_t *)b];
    return x->process != y->process ? ORDER(x->process, y->process) : ORDER(x->number, y->number);
}

static int by_slot(const void *a, const void *b, void *ctx)
{
    const struct xpd_intern *names = ctx;
    const struct xpd_op_slot *x = a, *y = b;
    if (x->program != y->program)
        return ORDER(x->program, y->program);
    if (x->name != y->name)
        return compare_text(xpd_intern_get(names, x->name), xpd_intern_get(names, y->name));
    return ORDER(x->device, y->device);
}

/* place[i]: where the i-th of `count` comes in that order; NULL without memory. */
static uint32_t *places(struct xpd_op_build *build, size_t count,
                        int (*compare)(const void *, const void *, void *), uint32_t **order)
{
    *order = XPD_NEW_ARRAY(&build->out->arena, uint32_t, count);
    uint32_t *place = XPD_NEW_ARRAY(&build->out->arena, uint32_t, count);
    if (!*order || !place)
        return NULL;
    for (size_t i = 0; i < count; i++)
        (*order)[i] = (uint32_t)i;
    qsort_r(*order, count, sizeof **order, compare, build);
    for (size_t i = 0; i < count; i++)
        place[(*order)[i]] = (uint32_t)i;
    return place;
}

static bool sort_parts(struct xpd_op_build *build)
{
    struct xpd_op_times *out = build->out;
    uint32_t *order, *place = places(build, build->program.count, by_program, &order);
    out->program = XPD_NEW_ARRAY(&out->arena, struct xpd_op_program, build->program.count);
    if (!place || !out->program)
        return false;
    for (size_t i = 0; i < build->program.count; i++)
        out->program[i] = build->program.at[order[i]];
    for (size_t i = 0; i < build->slot.count; i++)
        build->slot.at[i].program = place[build->slot.at[i].program];
    out->program_count = (uint32_t)build->program.count;

    place = places(build, build->device.count, by_device, &order);
    out->device = XPD_NEW_ARRAY(&out->arena, struct xpd_op_device, build->device.count);
    if (!place || !out->device)
        return false;
    for (size_t i = 0; i < build->device.count; i++)
        out->device[i] = build->device.at[order[i]];
    for (size_t i = 0; i < build->slot.count; i++)
        build->slot.at[i].device = place[build->slot.at[i].device];
    out->device_count = (uint32_t)build->device.count;
    if (build->slot.count)
        qsort_r(build->slot.at, build->slot.count, sizeof *build->slot.at, by_slot, &out->names);
    return true;
}

static void put_slot(struct xpd_op_times *out, const struct xpd_op_slot *slot, bool is_new)
{
    struct xpd_op_program *program = &out->program[slot->program];
    if (is_new) {
        if (program->op_count++ == 0)
            program->first_op = out->op_count;
        out->op[out->op_count++] = (struct xpd_op){
            .name = slot->name, .sums = {.min_ps = INT64_MAX}, .first_share = out->share_count};
    }
    struct xpd_op *op = &out->op[out->op_count - 1];
    add_sums(&op->sums, &slot->sums);
    op->share_count++;
    program->count += slot->sums.count;
    program->device_count += slot->sums.device_count;
    out->share[out->share_count++] = (struct xpd_op_share){slot->device, slot->sums};
}

static int freeze(struct xpd_op_build *build, struct xpd_err *err)
{
    struct xpd_op_times *out = build->out;
    if (xpd_op_build_failed(build) || build->slot.count > UINT32_MAX / 2 || !sort_parts(build))
        return no_memory(err);
    out->op = XPD_NEW_ARRAY(&out->arena, struct xpd_op, build->slot.count);
    out->share = XPD_NEW_ARRAY(&out->arena, struct xpd_op_share, build->slot.count);
    if (!out->op || !out->share)
        return no_memory(err);
    for (size_t i = 0; i < build->slot.count; i++) {
        const struct xpd_op_slot *slot = &build->slot.at[i];
        bool is_new = i == 0 || slot->program != slot[-1].program || slot->name != slot[-1].name;
        put_slot(out, slot, is_new);
    }
    return XPD_OK;
}

static void fini(struct xpd_op_build *build)
{
    XPD_VEC_FINI(&build->program);
    XPD_VEC_FINI(&build->device);
    XPD_VEC_FINI(&build->slot);
    xpd_map64_fini(&build->program_of_id);
    xpd_map64_fini(&build->program_of_name);
    xpd_map64_fini(&build->device_of);
    xpd_map64_fini(&build->slot_of);
}

int xpd_op_times_make(struct xpd_op_times **out, const struct xpd_trace *trace,
                      uint64_t arena_budget_bytes, struct xpd_err *err)
{
    struct xpd_op_times *times = calloc(1, sizeof *times);
    *out = NULL;
    if (!times)
        return no_memory(err);
    xpd_arena_init(&times->arena, arena_budget_bytes);
    xpd_intern_init(&times->names, &times->arena);
    struct xpd_op_build build = {.trace = trace, .out = times};
    int rc = add_named(&build, err);
    if (rc == XPD_OK)
        rc = xpd_op_scan(&build, err);
    if (rc == XPD_OK)
        rc = freeze(&build, err);
    fini(&build);
    if (rc == XPD_OK)
        *out = times;
    else
        xpd_op_times_free(times);
    return rc;
}

void xpd_op_times_free(struct xpd_op_times *times)
{
    if (!times)
        return;
    xpd_intern_fini(&times->names);
    xpd_arena_fini(&times->arena);
    free(times);
}

uint64_t xpd_op_times_memory_bytes(const struct xpd_op_times *times)
{
    const struct xpd_intern *names = &times->names;
    return sizeof *times + times->arena.used_bytes +
           names->capacity * (uint64_t)(sizeof *names->text + sizeof *names->hash) +
           names->slot_count * (uint64_t)sizeof *names->slot;
}

/* ---- asking ---- */

const struct xpd_op_program *xpd_op_program_of(const struct xpd_op_times *times, uint64_t id)
{
    for (uint32_t i = 0; i < times->program_count; i++)
        if (times->program[i].has_id && times->program[i].id == id)
            return &times->program[i];
    return NULL;
}

const struct xpd_op_program *xpd_op_program_named(const struct xpd_op_times *times,
                                                  struct xpd_str name)
{
    for (uint32_t i = 0; i < times->program_count && !times->program[i].has_id; i++)
        if (xpd_str_eq(xpd_intern_get(&times->names, times->program[i].name), name))
            return &times->program[i];
    return NULL;
}

const struct xpd_op *xpd_op_of(const struct xpd_op_times *times,
                               const struct xpd_op_program *program, struct xpd_str name)
{
    uint32_t low = program->first_op, high = low + program->op_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_text(xpd_intern_get(&times->names, times->op[middle].name), name);
        if (order == 0)
            return &times->op[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *xpd_op_clock(uint64_t count, uint64_t device_count)
{
    if (device_count == 0)
        return "host";
    return device_count == count ? "device" : "mixed";
}
