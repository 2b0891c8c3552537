/* Instructions that were added up, sorted and in one arena.
 *
 * In: a build. Out: programs by name, devices by number, ops by name, each with its shares. */
#include "op_times.h"

#include "xprofd/base/order.h"

#include <stdlib.h>

static int by_program(const void *a, const void *b, void *ctx)
{
    const struct xpd_op_build *build = ctx;
    const struct xpd_op_program *x = &build->program.at[*(const uint32_t *)a];
    const struct xpd_op_program *y = &build->program.at[*(const uint32_t *)b];
    if (x->has_id != y->has_id)
        return x->has_id ? 1 : -1;
    if (x->id != y->id)
        return XPD_ORDER(x->id, y->id);
    return xpd_str_order(xpd_intern_get(&build->out->names, x->name),
                         xpd_intern_get(&build->out->names, y->name));
}

static int by_device(const void *a, const void *b, void *ctx)
{
    const struct xpd_op_build *build = ctx;
    const struct xpd_op_device *x = &build->device.at[*(const uint32_t *)a];
    const struct xpd_op_device *y = &build->device.at[*(const uint32_t *)b];
    return x->process != y->process ? XPD_ORDER(x->process, y->process)
                                    : XPD_ORDER(x->number, y->number);
}

static int by_slot(const void *a, const void *b, void *ctx)
{
    const struct xpd_intern *names = ctx;
    const struct xpd_op_slot *x = a, *y = b;
    if (x->program != y->program)
        return XPD_ORDER(x->program, y->program);
    if (x->name != y->name)
        return xpd_str_order(xpd_intern_get(names, x->name), xpd_intern_get(names, y->name));
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
    xpd_op_add_sums(&op->sums, &slot->sums);
    op->share_count++;
    program->count += slot->sums.count;
    program->device_count += slot->sums.device_count;
    out->share[out->share_count++] = (struct xpd_op_share){slot->device, slot->sums};
}

int xpd_op_freeze(struct xpd_op_build *build, struct xpd_err *err)
{
    struct xpd_op_times *out = build->out;
    if (xpd_op_build_failed(build) || build->slot.count > UINT32_MAX / 2 || !sort_parts(build))
        return xpd_op_no_memory(err);
    out->op = XPD_NEW_ARRAY(&out->arena, struct xpd_op, build->slot.count);
    out->share = XPD_NEW_ARRAY(&out->arena, struct xpd_op_share, build->slot.count);
    if (!out->op || !out->share)
        return xpd_op_no_memory(err);
    for (size_t i = 0; i < build->slot.count; i++) {
        const struct xpd_op_slot *slot = &build->slot.at[i];
        bool is_new = i == 0 || slot->program != slot[-1].program || slot->name != slot[-1].name;
        put_slot(out, slot, is_new);
    }
    return XPD_OK;
}
