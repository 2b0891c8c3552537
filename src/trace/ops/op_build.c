/* Entities that are counted separately while instructions are summed: programs, devices, an
 * instruction on a device. In: their ids. Out: indexes, made if new. */
#include "../load/core.h"
#include "op_times.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"
#include "xprofd/trace/op_loose.h"
#include "xprofd/trace/op_times.h"
#include <stdlib.h>

/* Looks up programs and instructions among the times of instructions. */

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
        if (!times->program[i].loose &&
            xpd_str_eq(xpd_intern_get(&times->names, times->program[i].name), name))
            return &times->program[i];
    return NULL;
}

const struct xpd_op_program *xpd_op_program_same(const struct xpd_op_times *times,
                                                 const struct xpd_op_program *program,
                                                 struct xpd_str name)
{
    if (program->has_id)
        return xpd_op_program_of(times, program->id);
    if (!program->loose)
        return xpd_op_program_named(times, name);
    for (uint32_t i = 0; i < times->program_count; i++)
        if (times->program[i].loose == program->loose)
            return &times->program[i];
    return NULL;
}

const struct xpd_op *xpd_op_of(const struct xpd_op_times *times,
                               const struct xpd_op_program *program, struct xpd_str name)
{
    uint32_t low = program->first_op, high = low + program->op_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = xpd_str_order(xpd_intern_get(&times->names, times->op[middle].name), name);
        if (order == 0)
            return &times->op[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

uint32_t xpd_op_device_of(const struct xpd_op_times *times, uint32_t process, int64_t number)
{
    for (uint32_t i = 0; i < times->device_count; i++)
        if (times->device[i].process == process && times->device[i].number == number)
            return i;
    return XPD_NO_INDEX;
}

const char *xpd_op_clock(uint64_t count, uint64_t device_count)
{
    if (device_count == 0)
        return "host";
    return device_count == count ? "device" : "mixed";
}

/* Instructions that were added up, sorted and in one arena.
 *
 * In: a build. Out: programs by name, devices by number, ops by name, each with its shares. */

static int by_program(const void *a, const void *b, void *ctx)
{
    const struct xpd_op_build *build = ctx;
    const struct xpd_op_program *x = &build->program.at[*(const uint32_t *)a];
    const struct xpd_op_program *y = &build->program.at[*(const uint32_t *)b];
    if (x->has_id != y->has_id)
        return x->has_id ? 1 : -1;
    if (x->id != y->id)
        return XPD_ORDER(x->id, y->id);
    if (x->loose != y->loose)
        return XPD_ORDER(x->loose, y->loose);
    int order = xpd_str_order(xpd_intern_get(&build->out->names, x->name),
                              xpd_intern_get(&build->out->names, y->name));
    return order ? order : XPD_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int by_device(const void *a, const void *b, void *ctx)
{
    const struct xpd_op_build *build = ctx;
    const struct xpd_op_device *x = &build->device.at[*(const uint32_t *)a];
    const struct xpd_op_device *y = &build->device.at[*(const uint32_t *)b];
    return x->process != y->process ? XPD_ORDER(x->process, y->process)
                                    : XPD_ORDER(x->number, y->number);
}

static int by_text(const void *a, const void *b, void *ctx)
{
    const struct xpd_op_build *build = ctx;
    return xpd_str_order(xpd_intern_get(&build->out->names, *(const uint32_t *)a),
                         xpd_intern_get(&build->out->names, *(const uint32_t *)b));
}

static int by_slot(const void *a, const void *b, void *ctx)
{
    const uint32_t *rank = ctx; /* of a name, among all as bytes */
    const struct xpd_op_slot *x = a, *y = b;
    if (x->program != y->program)
        return XPD_ORDER(x->program, y->program);
    if (x->name != y->name)
        return XPD_ORDER(rank[x->name], rank[y->name]);
    return XPD_ORDER(x->device, y->device);
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
    build->program_place = place;

    place = places(build, build->device.count, by_device, &order);
    out->device = XPD_NEW_ARRAY(&out->arena, struct xpd_op_device, build->device.count);
    if (!place || !out->device)
        return false;
    for (size_t i = 0; i < build->device.count; i++)
        out->device[i] = build->device.at[order[i]];
    for (size_t i = 0; i < build->slot.count; i++)
        build->slot.at[i].device = place[build->slot.at[i].device];
    out->device_count = (uint32_t)build->device.count;
    /* Eight chips have eight slots of a name, whose text is compared once. */
    uint32_t *rank = places(build, out->names.count, by_text, &order);
    if (rank && build->slot.count)
        qsort_r(build->slot.at, build->slot.count, sizeof *build->slot.at, by_slot, rank);
    return rank != NULL;
}

static void xpd_op_add_sums(struct xpd_op_sums *sums, const struct xpd_op_sums *more);

static void put_slot(struct xpd_op_build *build, const struct xpd_op_slot *slot, bool is_new)
{
    struct xpd_op_times *out = build->out;
    struct xpd_op_program *program = &out->program[slot->program];
    if (is_new) {
        if (program->op_count++ == 0)
            program->first_op = out->op_count;
        out->op[out->op_count++] = (struct xpd_op){.name = slot->name,
                                                   .category = slot->category,
                                                   .group = slot->group,
                                                   .said = slot->said,
                                                   .sums = {.min_ps = INT64_MAX},
                                                   .first_share = out->share_count};
    }
    struct xpd_op *op = &out->op[out->op_count - 1];
    xpd_op_add_sums(&op->sums, &slot->sums);
    op->most_count += slot->most_count;
    op->share_count++;
    program->count += slot->sums.count;
    program->device_count += slot->sums.device_count;
    out->share[out->share_count++] = (struct xpd_op_share){slot->device, slot->sums};
    build->op_of_slot[slot->number] = out->op_count - 1;
}

/* Whether a slot is the first one of its op. */
static bool begins_op(const struct xpd_op_build *build, size_t i)
{
    const struct xpd_op_slot *slot = &build->slot.at[i];
    return i == 0 || slot->program != slot[-1].program || slot->name != slot[-1].name;
}

/* Of many chips, far less than there are slots. */
static size_t count_ops(const struct xpd_op_build *build)
{
    size_t count = 0;
    for (size_t i = 0; i < build->slot.count; i++)
        count += begins_op(build, i);
    return count;
}

int xpd_op_freeze(struct xpd_op_build *build, struct xpd_err *err)
{
    struct xpd_op_times *out = build->out;
    if (xpd_op_build_failed(build) || build->slot.count > UINT32_MAX / 2 || !sort_parts(build))
        return xpd_op_no_memory(err);
    out->op = XPD_NEW_ARRAY(&out->arena, struct xpd_op, count_ops(build));
    out->share = XPD_NEW_ARRAY(&out->arena, struct xpd_op_share, build->slot.count);
    build->op_of_slot = calloc(build->slot.count + 1, sizeof *build->op_of_slot);
    if (!out->op || !out->share || !build->op_of_slot)
        return xpd_op_no_memory(err);
    for (size_t i = 0; i < build->slot.count; i++)
        put_slot(build, &build->slot.at[i], begins_op(build, i));
    return XPD_OK;
}

int xpd_op_no_memory(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, NULL, XPD_NO_OFFSET,
                    "The times of the instructions do not fit the memory budget; raise "
                    "--memory-limit.");
}

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

uint32_t xpd_op_loose_put(struct xpd_op_build *build, enum xpd_op_loose loose)
{
    uint32_t *at = &build->loose_program[loose];
    if (*at == 0) {
        struct xpd_str name = xpd_op_loose_word(loose);
        struct xpd_op_program program = {
            .loose = loose, .name = xpd_intern_put(&build->out->names, name.data, name.size)};
        *at = (uint32_t)build->program.count + 1;
        XPD_PUSH(&build->program, program);
    }
    return build->program.failed ? XPD_NO_INDEX : *at - 1;
}

uint32_t xpd_op_device_put(struct xpd_op_build *build, uint32_t process, int64_t number)
{
    uint64_t key[2] = {process, (uint64_t)number};
    uint64_t hash = xpd_hash(key, sizeof key);
    uint32_t at = xpd_map64_get(&build->device_of, hash);
    if (at == XPD_NO_INDEX) {
        enum xpd_process_kind kind = build->trace->process[process].kind;
        struct xpd_op_device device = {process, number, kind == XPD_PROCESS_SPARSE_CORE};
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
        struct xpd_op_slot slot = {program, device, name, {.min_ps = INT64_MAX}, 0, 0, 0, false, 0};
        slot.number = at = (uint32_t)build->slot.count;
        XPD_PUSH(&build->slot, slot);
        xpd_map64_put(&build->slot_of, hash, at);
    }
    return build->slot.failed || build->slot_of.failed ? XPD_NO_INDEX : at;
}

uint32_t xpd_op_named_run_put(struct xpd_op_build *build, uint32_t program, uint32_t device,
                              uint64_t run_id)
{
    uint64_t key[3] = {program, device, run_id}, hash = xpd_hash(key, sizeof key);
    uint32_t at = xpd_map64_get(&build->named_of, hash);
    if (at == XPD_NO_INDEX) {
        struct xpd_op_named_run named = {device, {program, INT64_MAX, INT64_MIN}};
        at = (uint32_t)build->named.count;
        XPD_PUSH(&build->named, named);
        xpd_map64_put(&build->named_of, hash, at);
    }
    return build->named.failed || build->named_of.failed ? XPD_NO_INDEX : at;
}

void xpd_op_slot_kind(struct xpd_op_build *build, uint32_t slot, struct xpd_str category,
                      uint8_t group, bool said)
{
    if (slot == XPD_NO_INDEX)
        return;
    struct xpd_op_slot *at = &build->slot.at[slot];
    at->category = xpd_intern_put(&build->out->names, category.data, category.size);
    at->group = group;
    at->said = said;
}

static void keep(struct xpd_op_build *build, uint32_t device, const struct xpd_op_run *run)
{
    while (build->kept.count <= device && !build->kept.failed)
        XPD_PUSH(&build->kept, (struct xpd_op_kept){0});
    if (build->kept.failed)
        return;
    struct xpd_op_kept *kept = &build->kept.at[device];
    uint32_t at = (uint32_t)kept->run.count;
    if (kept->piece_number != build->piece_number) {
        struct xpd_op_piece piece = {at, at, kept->inside.count, run->start_ps};
        XPD_PUSH(&kept->piece, piece);
        kept->piece_number = build->piece_number;
    }
    XPD_PUSH(&kept->run, *run);
    if (run->inside_ps > 0) {
        struct xpd_op_inside inside = {at, run->inside_ps};
        XPD_PUSH(&kept->inside, inside);
    }
    kept->clockless |= !run->device;
    build->kept.failed |= kept->run.failed || kept->inside.failed || kept->piece.failed ||
                          kept->run.count == XPD_NO_INDEX;
    if (!build->kept.failed)
        kept->piece.at[kept->piece.count - 1].end = at + 1;
}

void xpd_op_take(struct xpd_op_build *build, const struct xpd_op_run *run)
{
    struct xpd_op_slot *slot = &build->slot.at[run->slot];
    xpd_op_sum(&slot->sums, run);
    keep(build, slot->device, run);
}

bool xpd_op_build_failed(const struct xpd_op_build *build)
{
    return build->program.failed || build->device.failed || build->slot.failed ||
           build->kept.failed || build->program_of_id.failed || build->program_of_name.failed ||
           build->device_of.failed || build->slot_of.failed || build->named.failed ||
           build->named_of.failed || build->out->names.failed;
}

static void xpd_op_add_sums(struct xpd_op_sums *sums, const struct xpd_op_sums *more)
{
    sums->count += more->count;
    sums->device_count += more->device_count;
    xpd_grow_i64(&sums->total_ps, more->total_ps);
    xpd_grow_i64(&sums->self_ps, more->self_ps);
    xpd_grow_i64(&sums->host_total_ps, more->host_total_ps);
    sums->min_ps = more->min_ps < sums->min_ps ? more->min_ps : sums->min_ps;
    sums->max_ps = more->max_ps > sums->max_ps ? more->max_ps : sums->max_ps;
}

void xpd_op_kept_fini(struct xpd_op_kept *kept)
{
    XPD_VEC_FINI(&kept->run);
    XPD_VEC_FINI(&kept->inside);
    XPD_VEC_FINI(&kept->piece);
}

void xpd_op_build_fini(struct xpd_op_build *build)
{
    XPD_VEC_FINI(&build->program);
    XPD_VEC_FINI(&build->device);
    XPD_VEC_FINI(&build->slot);
    free(build->op_of_slot);
    for (size_t i = 0; i < build->kept.count; i++)
        xpd_op_kept_fini(&build->kept.at[i]);
    XPD_VEC_FINI(&build->kept);
    XPD_VEC_FINI(&build->found);
    XPD_VEC_FINI(&build->named);
    xpd_map64_fini(&build->program_of_id);
    xpd_map64_fini(&build->program_of_name);
    xpd_map64_fini(&build->device_of);
    xpd_map64_fini(&build->slot_of);
    xpd_map64_fini(&build->named_of);
}
