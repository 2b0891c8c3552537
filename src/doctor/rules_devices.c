/* Several devices: D13 gathered weights, D23 full copies on each. In: the rows at the peak, and the
 * sharding of arguments. Out: findings. */
#include "internal.h"

#include "xprofd/base/checked.h"

/* The result of an all-gather whose data is an argument. */
static bool is_gathered(const struct xpd_dx *dx, uint32_t instruction)
{
    struct xpd_dx_origin o;
    if (instruction == XPD_NO_INDEX)
        return false;
    xpd_dx_trace(dx, instruction, true, &o);
    if (!o.gathered || o.instruction == XPD_NO_INDEX || !xpd_dx_is(dx, o.instruction, "parameter"))
        return false;
    uint32_t c = dx->hlo->instructions.computation[o.instruction];
    return c == dx->hlo->entry || (c < dx->hlo->computations.count &&
                                   dx->caller[c] != XPD_NO_INDEX); /* of a loop's state too */
}

void xpd_rule_gathered(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    int64_t two[2] = {0, 0};
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = dx->held.resident_count; i < dx->held.count; i++) {
        int64_t size = dx->held.at[i].size_bytes;
        if (!is_gathered(dx, xpd_dx_instruction(dx, &dx->held.at[i])))
            continue;
        xpd_dx_set_add(dx, &set, i);
        if (size > two[0]) {
            two[1] = two[0];
            two[0] = size;
        } else if (size > two[1]) {
            two[1] = size;
        }
    }
    int64_t beyond = set.bytes - two[0] - two[1];
    if (set.count < 2 || (double)beyond < dx->t->big_bytes ||
        beyond < xpd_dx_share(dx, dx->t->gathered_share))
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_LIKELY, &set, XPD_ACTION_DROP);
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " gathered weights are held at the same time: %s, %s beyond the two "
                 "largest. The largest is %s %s.",
                 set.count, xpd_dx_bytes(dx, set.bytes), xpd_dx_bytes(dx, beyond),
                 xpd_dx_name(dx, f->buffer[0]), xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "weights", set.count, "count");
    xpd_dx_number(f, "beyond_two_bytes", beyond, "bytes");
}

void xpd_rule_not_sharded(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    const struct xpd_hlo_sharding *sharding = dx->hlo->parameter_sharding;
    uint32_t count = dx->hlo->parameter_sharding_count;
    int64_t devices = 1;
    for (uint32_t i = 0; i < count; i++)
        devices = sharding[i].devices > devices ? sharding[i].devices : devices;
    if (devices < 2 || !xpd_dx_set_init(dx, &set))
        return; /* not partitioned, or nothing says over how many devices */
    for (uint32_t i = 0; i < dx->held.resident_count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        const struct xpd_hlo_allocation *a = &dx->hlo->allocation[row->allocation];
        if (row->mem_class == XPD_CLASS_PARAMETER && a->parameter_number >= 0 &&
            a->parameter_number < count && sharding[a->parameter_number].replicated &&
            xpd_dx_big(dx, row->size_bytes) &&
            row->size_bytes >= xpd_dx_share(dx, dx->t->replicated_share))
            xpd_dx_set_add(dx, &set, i);
    }
    if (set.count == 0)
        return;
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, set.bytes);
    xpd_dx_rows(dx, f, &set);
    xpd_dx_save(dx, f, XPD_ACTION_SHARD, devices);
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " argument%s (%s) %s a full copy on each of %" PRId64
                 " devices; the largest is %s %s. The saving assumes sharding over all of them.",
                 set.count, set.count == 1 ? "" : "s", xpd_dx_bytes(dx, set.bytes),
                 set.count == 1 ? "is" : "are", devices, xpd_dx_name(dx, f->buffer[0]),
                 xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "devices", devices, "count");
    xpd_dx_number(f, "arguments", set.count, "count");
}
