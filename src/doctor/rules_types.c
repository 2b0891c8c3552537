/* Types: D11 wide copies of narrow arrays, D12 everything in 32 bits, D20 random bits. In: the rows
 * at the peak. Out: findings. */
#include "doctor_internal.h"

static bool is_type(const struct xpd_shape *shape, const char *name)
{
    char scratch[16];
    return strcmp(xpd_type_name(shape->type, scratch), name) == 0;
}

static bool is_half(const struct xpd_shape *shape)
{
    return is_type(shape, "bf16") || is_type(shape, "f16");
}

void xpd_rule_widened(struct xpd_dx *dx)
{
    struct xpd_dx_set wide, narrow;
    uint32_t source = XPD_NO_INDEX, back = XPD_NO_INDEX;
    if (!xpd_dx_set_init(dx, &wide) || !xpd_dx_set_init(dx, &narrow))
        return;
    for (uint32_t i = 0; i < dx->held.count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        const struct xpd_shape *shape = xpd_dx_shape_of(dx, row);
        struct xpd_dx_origin o;
        if (row->mem_class == XPD_CLASS_PARAMETER || !xpd_dx_big(dx, row->size_bytes) ||
            (!is_type(shape, "f32") && !is_half(shape)))
            continue;
        xpd_dx_trace(dx, xpd_dx_instruction(dx, row), false, &o);
        uint32_t from = o.converted
                            ? xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, o.instruction, o.element))
                            : XPD_NO_INDEX;
        if (from == XPD_NO_INDEX || from == i)
            continue;
        const struct xpd_shape *other = xpd_dx_shape_of(dx, &dx->held.at[from]);
        if (is_type(shape, "f32") && is_half(other) &&
            row->unpadded_bytes == 2 * dx->held.at[from].unpadded_bytes) {
            xpd_dx_set_add(dx, &wide, i);
            source = source == XPD_NO_INDEX ? from : source;
        } else if (is_half(shape) && is_type(other, "f32") &&
                   dx->held.at[from].unpadded_bytes == 2 * row->unpadded_bytes) {
            xpd_dx_set_add(dx, &narrow, i);
            back = back == XPD_NO_INDEX ? from : back;
        }
    }
    for (int k = 0; k < 2; k++) {
        const struct xpd_dx_set *set = k == 0 ? &wide : &narrow;
        if (set->count == 0)
            continue;
        struct xpd_finding *f = xpd_dx_find_set(dx, k == 0 ? XPD_DOCTOR_WARN : XPD_DOCTOR_INFO,
                                                XPD_DOCTOR_FACT, set, XPD_ACTION_DROP);
        uint32_t of = dx->held.at[k == 0 ? source : back].buffer;
        xpd_dx_claim(dx, f,
                     "%" PRIu32 " array%s held twice, as %s: %s of %s copies, e.g. %s %s of %s.",
                     set->count, set->count == 1 ? " is" : "s are",
                     k == 0 ? "16 bits and widened to f32" : "f32 and as a 16-bit copy",
                     xpd_dx_bytes(dx, set->bytes), k == 0 ? "wide" : "narrow",
                     xpd_dx_name(dx, dx->held.at[set->row[0]].buffer),
                     xpd_dx_shape(dx, dx->held.at[set->row[0]].buffer, false), xpd_dx_name(dx, of));
        xpd_dx_number(f, "copies", set->count, "count");
    }
}

void xpd_rule_all_f32(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->held.count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        const struct xpd_shape *shape = xpd_dx_shape_of(dx, row);
        if (row->buffer == XPD_NO_INDEX || (!is_type(shape, "f32") && !is_type(shape, "s32")))
            continue;
        if (row->mem_class == XPD_CLASS_PARAMETER &&
            xpd_dx_is_state_name(xpd_dx_op_name(dx, xpd_dx_instruction(dx, row))))
            return; /* its width is a choice */
        xpd_dx_set_add(dx, &set, i);
    }
    if (!xpd_dx_worth(dx, &set, dx->t->all_f32_share))
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_INFO, XPD_DOCTOR_HINT, &set, XPD_ACTION_HALVE);
    xpd_dx_claim(dx, f, "%s of the peak (%s) is in 32-bit types.",
                 xpd_dx_percent(dx, set.bytes, dx->peak_bytes), xpd_dx_bytes(dx, set.bytes));
    xpd_dx_number(f, "share", xpd_dx_permille(dx, set.bytes), "permille");
}

void xpd_rule_random(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->held.count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        const struct xpd_shape *shape = xpd_dx_shape_of(dx, row);
        uint32_t instruction = xpd_dx_instruction(dx, row);
        struct xpd_str name = xpd_dx_op_name(dx, instruction);
        if (row->mem_class == XPD_CLASS_PARAMETER ||
            (!is_type(shape, "u8") && !is_type(shape, "u16") && !is_type(shape, "u32")))
            continue;
        if (xpd_dx_has(name, "random_bits") || xpd_dx_has(name, "threefry") ||
            xpd_dx_has(name, "rng_bit_generator") || xpd_dx_has(name, "random_") ||
            xpd_dx_is(dx, xpd_dx_root(dx, instruction), "rng-bit-generator"))
            xpd_dx_set_add(dx, &set, i);
    }
    if (!xpd_dx_worth(dx, &set, dx->t->random_share))
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_LIKELY, &set, XPD_ACTION_DROP);
    xpd_dx_claim(dx, f, "%s of the peak (%s) is raw random bits: %s %s.",
                 xpd_dx_percent(dx, set.bytes, dx->peak_bytes), xpd_dx_bytes(dx, set.bytes),
                 xpd_dx_name(dx, f->buffer[0]), xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "share", xpd_dx_permille(dx, set.bytes), "permille");
}
