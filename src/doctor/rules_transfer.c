/* Transfers: D14 buffers of transfers in flight, D19 callbacks to the host, D27 arrays that were
 * copied to the host and stay. In: the rows at the peak and their users. Out: findings. */
#include "doctor_internal.h"

static bool is_start(const struct xpd_dx *dx, uint32_t instruction)
{
    return xpd_str_ends(xpd_dx_opcode(dx, instruction), "-start");
}

/* In flight at the peak: started by then, and done after it. */
static bool in_flight(const struct xpd_dx *dx, uint32_t start)
{
    uint32_t done = dx->done[start];
    uint32_t from = xpd_mem_step_of(dx->mem, dx->space, start);
    uint32_t to = done == XPD_NO_INDEX ? XPD_NO_STEP : xpd_mem_step_of(dx->mem, dx->space, done);
    return from != XPD_NO_STEP && from <= dx->space->peak_step &&
           (to == XPD_NO_STEP || to > dx->space->peak_step);
}

static bool row_in_flight(const struct xpd_dx *dx, const struct xpd_held *row)
{
    uint32_t user[16], instruction = xpd_dx_instruction(dx, row);
    if (instruction != XPD_NO_INDEX && is_start(dx, instruction) && in_flight(dx, instruction))
        return true; /* the result of a copy that has landed stays, and is no transfer */
    if (row->buffer == XPD_NO_INDEX || !xpd_dx_big(dx, row->size_bytes))
        return false;
    uint32_t count = xpd_users_of(dx->mem, row->buffer, user, 16);
    for (uint32_t i = 0; i < count && i < 16; i++)
        if (is_start(dx, user[i]) && in_flight(dx, user[i]))
            return true;
    return false;
}

#define ENDS_OF 1000 /* buffers of a finding, the largest, whose transfers are timed */

/* Where the program waits for the transfers of the finding's buffers: their ends, each once. */
static void add_ends(struct xpd_dx *dx, struct xpd_finding *f)
{
    uint32_t buffers = f->buffer_count < ENDS_OF ? f->buffer_count : ENDS_OF;
    uint32_t *seen = XPD_NEW_ARRAY(dx->arena, uint32_t, (size_t)buffers * 17);
    for (uint32_t b = 0; seen && b < buffers; b++) {
        uint32_t start[17], count = xpd_users_of(dx->mem, f->buffer[b], start, 16);
        count = count < 16 ? count : 16;
        start[count++] = dx->mem->buffer[f->buffer[b]].instruction;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t done =
                start[k] != XPD_NO_INDEX && is_start(dx, start[k]) && in_flight(dx, start[k])
                    ? dx->done[start[k]]
                    : XPD_NO_INDEX;
            for (uint32_t i = 0; done != XPD_NO_INDEX && i < f->timed_count; i++)
                done = seen[i] == done ? XPD_NO_INDEX : done;
            if (done != XPD_NO_INDEX)
                seen[f->timed_count++] = done;
        }
    }
    f->timed = seen;
}

void xpd_rule_in_flight(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    uint32_t copies = 0;
    if (dx->space->peak_step == XPD_NO_STEP || !xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = dx->held.resident_count; i < dx->held.count; i++)
        if (row_in_flight(dx, &dx->held.at[i])) {
            xpd_dx_set_add(dx, &set, i);
            copies +=
                xpd_str_starts(xpd_dx_opcode(dx, xpd_dx_instruction(dx, &dx->held.at[i])), "copy-");
        }
    if (!xpd_dx_worth(dx, &set, dx->t->flight_share))
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_LIKELY, &set, XPD_ACTION_DROP);
    xpd_dx_claim(dx, f,
                 "Transfers in flight hold %s of the %s at the peak: %" PRIu32 " buffers, %" PRIu32
                 " of them made by copies between memory spaces. The largest is %s %s.",
                 xpd_dx_bytes(dx, set.bytes), xpd_dx_bytes(dx, dx->peak_bytes), set.count, copies,
                 xpd_dx_name(dx, f->buffer[0]), xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "buffers", set.count, "count");
    xpd_dx_number(f, "share", xpd_dx_permille(dx, set.bytes), "permille");
    add_ends(dx, f);
}

static bool is_host_call(const struct xpd_dx *dx, uint32_t i)
{
    struct xpd_str target = xpd_hlo_text(dx->hlo, dx->hlo->instructions.call_target[i]);
    return (xpd_dx_is(dx, i, "custom-call") && xpd_dx_has(target, "callback")) ||
           xpd_dx_is(dx, i, "outfeed") || xpd_dx_is(dx, i, "send");
}

void xpd_rule_callbacks(struct xpd_dx *dx)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    struct xpd_dx_set set;
    uint32_t calls = 0, first = XPD_NO_INDEX;
    bool *seen = XPD_NEW_ARRAY(dx->arena, bool, dx->held.count);
    if (!seen || !xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < ins->count; i++) {
        if (!is_host_call(dx, i))
            continue;
        calls++;
        for (uint32_t o = ins->operand_first[i]; o < ins->operand_first[i + 1]; o++) {
            struct xpd_dx_origin from;
            if (ins->operand[o] == XPD_NO_INDEX)
                continue;
            uint32_t row = xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, ins->operand[o], -1));
            if (row == XPD_NO_INDEX) {
                xpd_dx_trace(dx, ins->operand[o], false, &from);
                row = xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, from.instruction, from.element));
            }
            if (row == XPD_NO_INDEX || seen[row] || !xpd_dx_big(dx, dx->held.at[row].size_bytes))
                continue;
            seen[row] = true;
            first = first == XPD_NO_INDEX ? i : first;
            xpd_dx_set_add(dx, &set, row);
        }
    }
    if (set.count == 0)
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_LIKELY, &set, XPD_ACTION_DROP);
    f->instruction = first;
    struct xpd_str name = xpd_hlo_text(dx->hlo, ins->name[first]);
    xpd_dx_claim(
        dx, f,
        "A call to the host (%%%.*s; jax.debug.print?) keeps %s in memory at the peak: %s %s.",
        (int)(name.size < 120 ? name.size : 120), name.data, xpd_dx_bytes(dx, set.bytes),
        xpd_dx_name(dx, f->buffer[0]), xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "calls", calls, "count");
}

/* The space that the copy's result lies in; its first element is the destination. */
static int64_t goes_to(const struct xpd_dx *dx, uint32_t start)
{
    const struct xpd_shape *shape = dx->hlo->instructions.shape[start];
    if (shape->element_count > 0)
        shape = &shape->element[0];
    return shape->layout ? shape->layout->memory_space : 0;
}

void xpd_rule_offloaded(struct xpd_dx *dx)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    struct xpd_dx_set set;
    uint32_t least = xpd_dx_steps(dx, dx->t->late_share), arguments = 0, last = 0;
    bool *seen = XPD_NEW_ARRAY(dx->arena, bool, dx->held.count);
    if (!seen || dx->space->peak_step == XPD_NO_STEP || !xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < ins->count; i++) {
        if (!xpd_dx_is(dx, i, "copy-start") || goes_to(dx, i) != XPD_SPACE_HOST ||
            ins->operand_first[i] == ins->operand_first[i + 1])
            continue;
        uint32_t source = ins->operand[ins->operand_first[i]], done = dx->done[i];
        struct xpd_dx_origin from;
        if (source == XPD_NO_INDEX || done == XPD_NO_INDEX)
            continue;
        uint32_t row = xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, source, -1));
        if (row == XPD_NO_INDEX) {
            xpd_dx_trace(dx, source, false, &from);
            row = xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, from.instruction, from.element));
        }
        uint32_t at = xpd_mem_step_of(dx->mem, dx->space, done);
        if (row == XPD_NO_INDEX || seen[row] || at == XPD_NO_STEP || at > dx->space->peak_step ||
            !xpd_dx_big(dx, dx->held.at[row].size_bytes))
            continue;
        uint32_t end = dx->held.at[row].end;
        if (end <= dx->space->peak_step || end - at < least)
            continue;
        seen[row] = true;
        arguments += dx->held.at[row].mem_class == XPD_CLASS_PARAMETER;
        last = end > last ? end : last;
        xpd_dx_set_add(dx, &set, row);
    }
    if (set.count == 0)
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_LIKELY, &set, XPD_ACTION_DROP);
    xpd_dx_claim(dx, f,
                 "%" PRIu32
                 " array%s copied to the host, but the device copy (%s) stays until step %" PRIu32
                 "%s: %s %s.",
                 set.count, set.count == 1 ? " is" : "s are", xpd_dx_bytes(dx, set.bytes), last,
                 arguments == set.count ? ", because they are arguments that are not donated" : "",
                 xpd_dx_name(dx, f->buffer[0]), xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "arrays", set.count, "count");
    xpd_dx_number(f, "arguments", arguments, "count");
    xpd_dx_number(f, "until_step", last, "step");
}
