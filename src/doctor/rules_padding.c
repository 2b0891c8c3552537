/* Padding: D03 its share of the peak, D04 arrays of a few columns stored 128 wide, D22 masks in
 * wide types. In: the rows at the peak. Out: findings. */
#include "doctor_internal.h"

#include "xprofd/hlo/tiling.h"

void xpd_rule_padding(struct xpd_dx *dx)
{
    int64_t padding = dx->held.bytes - dx->held.unpadded_bytes;
    struct xpd_dx_set set;
    if ((double)padding < dx->t->padding_bytes ||
        padding < xpd_dx_share(dx, dx->t->padding_share) || !xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->held.count; i++)
        if (xpd_held_padding(&dx->held.at[i]) > 0)
            xpd_dx_set_add(dx, &set, i);
    bool warn = padding >= xpd_dx_share(dx, dx->t->padding_warn_share);
    struct xpd_finding *f =
        xpd_dx_find(dx, warn ? XPD_DOCTOR_WARN : XPD_DOCTOR_INFO, XPD_DOCTOR_FACT, padding);
    xpd_dx_rows(dx, f, &set);
    xpd_dx_claim(dx, f, "%s of the %s at the peak is padding (%s), in %" PRIu32 " buffer%s.",
                 xpd_dx_bytes(dx, padding), xpd_dx_bytes(dx, dx->peak_bytes),
                 xpd_dx_percent(dx, padding, dx->peak_bytes), set.count, set.count == 1 ? "" : "s");
    xpd_dx_number(f, "padding_bytes", padding, "bytes");
    xpd_dx_number(f, "share", xpd_dx_permille(dx, padding), "permille");
    /* without any padding, at every step: the unpadded curve */
    int64_t most = 0;
    for (uint32_t i = 0; i < dx->space->step_count; i++)
        if (i == 0 || dx->space->unpadded_bytes[i] > most) {
            most = dx->space->unpadded_bytes[i];
            f->new_step = i;
        }
    f->action = "unpad";
    f->new_peak_bytes = most + dx->space->totals.resident_unpadded;
    f->saving_bytes = dx->peak_bytes > f->new_peak_bytes ? dx->peak_bytes - f->new_peak_bytes : 0;
}

/* The dimension that costs most, from the tiling. */
static const struct xpd_tiled_dim *worst_dim(const struct xpd_tiling *tiling)
{
    const struct xpd_tiled_dim *worst = NULL;
    for (uint32_t i = 0; tiling->known && i < tiling->dim_count; i++)
        if (tiling->dim[i].padded_size > tiling->dim[i].size &&
            (!worst || tiling->dim[i].cost_bytes > worst->cost_bytes))
            worst = &tiling->dim[i];
    return worst;
}

static void say_order(struct xpd_dx *dx, struct xpd_finding *f, const struct xpd_held *row)
{
    struct xpd_order_choice choice;
    const struct xpd_shape *shape = xpd_dx_shape_of(dx, row);
    if (xpd_tiling_orders(shape, &choice, 1) == 0 || choice.tiled_bytes >= row->size_bytes)
        return;
    struct xpd_strbuf order = {0};
    xpd_strbuf_i64_list(&order, choice.minor_to_major, shape->rank);
    xpd_dx_advice(
        dx, f,
        "Store it with the dimensions in the order {%s}: %s takes %s instead of %s. Or drop "
        "a trailing dimension of 1, or pack short rows together.",
        order.data ? order.data : "", xpd_dx_shape(dx, row->buffer, false),
        xpd_dx_bytes(dx, choice.tiled_bytes), xpd_dx_bytes(dx, row->size_bytes));
    xpd_dx_number(f, "best_order_bytes", choice.tiled_bytes, "bytes");
    xpd_strbuf_fini(&order);
}

static bool is_padded(const struct xpd_dx *dx, const struct xpd_held *row,
                      struct xpd_tiling *tiling)
{
    if (row->buffer == XPD_NO_INDEX || !xpd_dx_big(dx, row->size_bytes) ||
        xpd_held_padding(row) < xpd_dx_share(dx, dx->t->padded_share) ||
        (double)row->size_bytes < (double)row->unpadded_bytes * dx->t->padded_factor)
        return false;
    xpd_tiling_of(tiling, xpd_dx_shape_of(dx, row));
    return true;
}

/* The first of the largest rows: in a damaged file a buffer need not lead back to its row. */
static const struct xpd_held *largest_of(const struct xpd_dx *dx, const struct xpd_dx_set *set)
{
    const struct xpd_held *largest = &dx->held.at[set->row[0]];
    for (uint32_t i = 1; i < set->count; i++) {
        const struct xpd_held *row = &dx->held.at[set->row[i]];
        if (row->size_bytes > largest->size_bytes ||
            (row->size_bytes == largest->size_bytes && row->buffer < largest->buffer))
            largest = row;
    }
    return largest;
}

/* One finding for all arrays in which the same length is padded to the same length. */
static void one_length(struct xpd_dx *dx, uint32_t first, bool *told)
{
    struct xpd_tiling tiling = {.known = false}, other = {.known = false};
    struct xpd_dx_set set;
    const struct xpd_held *row = &dx->held.at[first];
    is_padded(dx, row, &tiling);
    const struct xpd_tiled_dim *dim = worst_dim(&tiling), *same;
    struct xpd_tiled_dim keep = dim ? *dim : (struct xpd_tiled_dim){0};
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = first; i < dx->held.count; i++) {
        if (told[i] || !is_padded(dx, &dx->held.at[i], &other))
            continue;
        same = worst_dim(&other);
        if (i != first &&
            (!same || !dim || same->size != keep.size || same->padded_size != keep.padded_size))
            continue;
        told[i] = true;
        xpd_dx_set_add(dx, &set, i);
    }
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, set.padding_bytes);
    xpd_dx_rows(dx, f, &set);
    xpd_dx_save(dx, f, XPD_ACTION_UNPAD, 0);
    int64_t data = set.bytes - set.padding_bytes;
    double factor = data > 0 ? (double)set.bytes / (double)data : 0;
    if (dim)
        xpd_dx_claim(dx, f,
                     "%" PRId64 " elements stored as %" PRId64 ": %" PRIu32
                     " array%s hold%s %s for "
                     "%s of data, %.1f times as much. The largest is %s %s.",
                     keep.size, keep.padded_size, set.count, set.count == 1 ? "" : "s",
                     set.count == 1 ? "s" : "", xpd_dx_bytes(dx, set.bytes), xpd_dx_bytes(dx, data),
                     factor, xpd_dx_name(dx, f->buffer[0]), xpd_dx_shape(dx, f->buffer[0], true));
    else
        xpd_dx_claim(dx, f, "%s %s takes %s for %s of data; its layout does not explain why.",
                     xpd_dx_name(dx, f->buffer[0]), xpd_dx_shape(dx, f->buffer[0], true),
                     xpd_dx_bytes(dx, set.bytes), xpd_dx_bytes(dx, data));
    xpd_dx_number(f, "size_bytes", set.bytes, "bytes");
    xpd_dx_number(f, "data_bytes", data, "bytes");
    xpd_dx_number(f, "logical", keep.size, "count");
    xpd_dx_number(f, "padded", keep.padded_size, "count");
    say_order(dx, f, largest_of(dx, &set));
}

void xpd_rule_padded(struct xpd_dx *dx)
{
    bool *told = XPD_NEW_ARRAY(dx->arena, bool, dx->held.count);
    struct xpd_tiling tiling = {.known = false};
    uint32_t findings = 0;
    for (uint32_t i = 0; told && i < dx->held.count && findings < XPD_DX_GROUPS; i++) {
        if (told[i] || !is_padded(dx, &dx->held.at[i], &tiling))
            continue;
        one_length(dx, i, told);
        findings++;
    }
}

static int64_t elements_of(const struct xpd_shape *shape)
{
    bool overflow = false;
    uint32_t bits = xpd_type_bits(shape->type);
    int64_t bytes = xpd_shape_unpadded_bytes(shape, &overflow);
    return bits < 8 || overflow ? 0 : bytes / (bits / 8);
}

void xpd_rule_masks(struct xpd_dx *dx)
{
    static const char *const made[] = {"iota", "broadcast", "compare", "select",
                                       "not",  "and",       "or"};
    struct xpd_dx_set set;
    uint32_t masks = 0;
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->held.count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        if (row->mem_class == XPD_CLASS_PARAMETER || !xpd_dx_big(dx, row->size_bytes))
            continue;
        const struct xpd_shape *shape = xpd_dx_shape_of(dx, row);
        char scratch[16];
        const char *type = xpd_type_name(shape->type, scratch);
        int64_t elements = elements_of(shape);
        struct xpd_str root = xpd_dx_opcode(dx, xpd_dx_root(dx, xpd_dx_instruction(dx, row)));
        bool pred = strcmp(type, "pred") == 0 && elements > 0 && row->size_bytes / 4 >= elements;
        bool plain = false;
        for (size_t k = 0; k < sizeof made / sizeof *made; k++)
            plain |= xpd_str_eq(root, xpd_str_of(made[k]));
        bool wide = (strcmp(type, "s32") == 0 || strcmp(type, "f32") == 0) && plain;
        if (pred || (wide && !xpd_str_eq(root, XPD_STR("select")))) {
            xpd_dx_set_add(dx, &set, i);
            masks += pred;
        }
    }
    if (set.count == 0)
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_INFO, XPD_DOCTOR_LIKELY, &set, XPD_ACTION_DROP);
    if (masks > 0)
        xpd_dx_claim(
            dx, f, "%" PRIu32 " yes/no mask%s take%s 4 bytes or more per entry: %s %s, %s.", masks,
            masks == 1 ? "" : "s", masks == 1 ? "s" : "", xpd_dx_name(dx, f->buffer[0]),
            xpd_dx_shape(dx, f->buffer[0], false), xpd_dx_bytes(dx, set.bytes));
    else
        xpd_dx_claim(dx, f,
                     "%" PRIu32 " table%s of numbers that could be made where they are used (iota, "
                     "compare): %s %s, %s.",
                     set.count, set.count == 1 ? "" : "s", xpd_dx_name(dx, f->buffer[0]),
                     xpd_dx_shape(dx, f->buffer[0], false), xpd_dx_bytes(dx, set.bytes));
    xpd_dx_number(f, "buffers", set.count, "count");
}
