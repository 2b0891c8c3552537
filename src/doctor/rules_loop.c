/* Loops: D10 slices stacked by a scan, D17 loop state that is copied each turn. In: while
 * instructions and the rows at the peak. Out: findings. */
#include "doctor_internal.h"

#include <stdlib.h>

static uint32_t operand(const struct xpd_dx *dx, uint32_t i, uint32_t number)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    uint32_t first = ins->operand_first[i];
    return number < ins->operand_first[i + 1] - first ? ins->operand[first + number] : XPD_NO_INDEX;
}

/* The body of a while is the first computation it calls. */
static uint32_t body_of(const struct xpd_dx *dx, uint32_t loop)
{
    uint32_t first = dx->hlo->instructions.called_first[loop];
    uint32_t c = first < dx->hlo->instructions.called_first[loop + 1]
                     ? dx->hlo->instructions.called[first]
                     : XPD_NO_INDEX;
    return c < dx->hlo->computations.count ? c : XPD_NO_INDEX;
}

/* Reads configs of instructions; made when a rule first asks, as it goes through all bytes of the
 * proto. NULL without them. */
static struct xpd_hlo_printer *printer_of(struct xpd_dx *dx)
{
    const uint8_t *bytes;
    size_t size;
    if (!dx->printer && !dx->no_printer)
        dx->no_printer = !dx->in->read_proto ||
                         dx->in->read_proto(dx->in->of, &bytes, &size) != XPD_OK ||
                         xpd_hlo_printer_new(&dx->printer, dx->hlo, bytes, size, NULL) != XPD_OK;
    return dx->printer;
}

/* known_trip_count of the loop's backend config; -1 when it is not at hand. */
static int64_t trip_count(struct xpd_dx *dx, uint32_t loop)
{
    struct xpd_hlo_printer *printer = printer_of(dx);
    if (!printer)
        return -1;
    struct xpd_str config = xpd_hlo_config(printer, loop, 0);
    size_t at = xpd_str_find(config, XPD_STR("known_trip_count"), false);
    int64_t count = -1;
    if (at == SIZE_MAX)
        return -1;
    while (at < config.size && (config.data[at] < '0' || config.data[at] > '9') &&
           config.data[at] != '}')
        at++;
    for (; at < config.size && config.data[at] >= '0' && config.data[at] <= '9' && count < 1 << 28;
         at++)
        count = (count < 0 ? 0 : count * 10) + (config.data[at] - '0');
    return count;
}

/* The instruction writes one slice of the element `e` of its loop's state: the slice's shape. */
static const struct xpd_shape *slice_of(const struct xpd_dx *dx, uint32_t value)
{
    for (int hop = 0; hop < 8 && value != XPD_NO_INDEX; hop++) {
        value = xpd_dx_root(dx, value);
        if (xpd_dx_is(dx, value, "dynamic-update-slice")) {
            uint32_t slice = operand(dx, value, 1);
            return slice == XPD_NO_INDEX ? NULL : dx->hlo->instructions.shape[slice];
        }
        if (!xpd_dx_is(dx, value, "bitcast") && !xpd_dx_is(dx, value, "copy") &&
            !xpd_dx_is(dx, value, "reshape"))
            return NULL;
        value = operand(dx, value, 0);
    }
    return NULL;
}

/* One slice a turn: the slice has length 1 where the array has the number of turns. */
static bool is_stash(const struct xpd_shape *array, const struct xpd_shape *slice)
{
    return slice && array->rank > 0 && slice->rank == array->rank && slice->dims[0] == 1 &&
           array->dims[0] > 1;
}

static void look_at_loop(struct xpd_dx *dx, uint32_t loop, struct xpd_dx_set *set, bool *seen,
                         int64_t *turns, bool *known)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    uint32_t body = body_of(dx, loop);
    uint32_t root = body == XPD_NO_INDEX ? XPD_NO_INDEX : dx->hlo->computations.root[body];
    if (root == XPD_NO_INDEX || !xpd_dx_is(dx, root, "tuple"))
        return;
    const struct xpd_shape *state = ins->shape[loop];
    for (uint32_t e = 0; e < state->element_count; e++) {
        uint32_t value = operand(dx, root, e);
        const struct xpd_shape *array = &state->element[e];
        if (value == XPD_NO_INDEX || !is_stash(array, slice_of(dx, value)))
            continue;
        uint32_t row = xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, loop, e));
        if (row == XPD_NO_INDEX)
            row = xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, value, -1));
        if (row == XPD_NO_INDEX || seen[row])
            continue;
        int64_t trips = trip_count(dx, loop); /* only here: it may read the whole proto */
        if (trips >= 0 && array->dims[0] != trips)
            continue;
        seen[row] = true;
        xpd_dx_set_add(dx, set, row);
        *turns = array->dims[0] > *turns ? array->dims[0] : *turns;
        *known = *known || trips >= 0;
    }
}

void xpd_rule_stash(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    int64_t turns = 0;
    bool known = false, *seen = XPD_NEW_ARRAY(dx->arena, bool, dx->held.count);
    if (!seen || !xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->hlo->instructions.count; i++)
        if (xpd_dx_is(dx, i, "while"))
            look_at_loop(dx, i, &set, seen, &turns, &known);
    if (set.count == 0 || set.bytes < xpd_dx_share(dx, dx->t->stash_share))
        return;
    bool result = true;
    for (uint32_t k = 0; k < set.count; k++)
        result = result && dx->held.at[set.row[k]].mem_class != XPD_CLASS_TEMPORARY;
    struct xpd_finding *f = xpd_dx_find_set(dx, result ? XPD_DOCTOR_INFO : XPD_DOCTOR_WARN,
                                            known && !result ? XPD_DOCTOR_LIKELY : XPD_DOCTOR_HINT,
                                            &set, XPD_ACTION_DROP);
    xpd_dx_claim(dx, f,
                 "A loop of %" PRId64 " iterations stores a slice in each: %" PRIu32
                 " stacked array%s, %s. The largest is %s %s.",
                 turns, set.count, set.count == 1 ? "" : "s", xpd_dx_bytes(dx, set.bytes),
                 xpd_dx_name(dx, f->buffer[0]), xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "turns", turns, "count");
    xpd_dx_number(f, "arrays", set.count, "count");
    xpd_dx_number(f, "share", xpd_dx_permille(dx, set.bytes), "permille");
}

/* The row of the loop state that a copy in the body reads, XPD_NO_INDEX when it reads something
 * else. */
static uint32_t state_row(const struct xpd_dx *dx, uint32_t loop, uint32_t body, uint32_t copy)
{
    uint32_t get = operand(dx, copy, 0);
    if (get == XPD_NO_INDEX || !xpd_dx_is(dx, get, "get-tuple-element"))
        return XPD_NO_INDEX;
    uint32_t parameter = operand(dx, get, 0);
    if (parameter == XPD_NO_INDEX || !xpd_dx_is(dx, parameter, "parameter") ||
        dx->hlo->instructions.computation[parameter] != body)
        return XPD_NO_INDEX;
    int64_t element = dx->hlo->instructions.tuple_index[get];
    uint32_t row = xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, loop, element));
    return row != XPD_NO_INDEX ? row : xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, parameter, element));
}

void xpd_rule_loop_copy(struct xpd_dx *dx)
{
    const struct xpd_hlo_computations *c = &dx->hlo->computations;
    struct xpd_dx_set set;
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->hlo->instructions.count; i++) {
        uint32_t body = xpd_dx_is(dx, i, "while") ? body_of(dx, i) : XPD_NO_INDEX;
        if (body == XPD_NO_INDEX)
            continue;
        for (uint32_t k = c->first[body]; k < c->first[body] + c->instruction_count[body]; k++) {
            if (!xpd_dx_is(dx, k, "copy"))
                continue;
            uint32_t copied = xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, k, -1));
            uint32_t state = state_row(dx, i, body, k);
            if (copied != XPD_NO_INDEX && state != XPD_NO_INDEX && copied != state &&
                xpd_dx_big(dx, dx->held.at[copied].size_bytes))
                xpd_dx_set_add(dx, &set, copied);
        }
    }
    if (set.count == 0)
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_LIKELY, &set, XPD_ACTION_DROP);
    xpd_dx_claim(dx, f,
                 "The loop copies %s of its state in each iteration because it is read after it is "
                 "overwritten: %s %s%s.",
                 xpd_dx_bytes(dx, set.bytes), xpd_dx_name(dx, f->buffer[0]),
                 xpd_dx_shape(dx, f->buffer[0], false), set.count > 1 ? " and others" : "");
    xpd_dx_number(f, "copies", set.count, "count");
}
