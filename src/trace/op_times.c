/* Times by instruction. In: a frozen trace. Out: programs, their ops, each op's share of every
 * device, sorted, in one arena.
 *
 * Rows whose names tell program and instruction are added up by name (totals.c), the rest is found
 * in the file (op_scan.c). Invariant: an op's sums are those of its shares. */
#include "op_times.h"

#include "xprofd/base/checked.h"
#include "xprofd/trace/totals.h"

#include <stdlib.h>

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
    xpd_op_add_sums(&build->slot.at[slot].sums, &sums);
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
    int rc = rows ? XPD_OK : xpd_op_no_memory(err);
    for (uint32_t p = 0; rc == XPD_OK && p < trace->process_count; p++)
        if (xpd_process_is_tpu(trace->process[p].kind))
            rc = add_process(build, p, rows, err);
    free(rows);
    return rc;
}

int xpd_op_times_make(struct xpd_op_times **out, const struct xpd_trace *trace,
                      uint64_t arena_budget_bytes, struct xpd_err *err)
{
    struct xpd_op_times *times = calloc(1, sizeof *times);
    *out = NULL;
    if (!times)
        return xpd_op_no_memory(err);
    xpd_arena_init(&times->arena, arena_budget_bytes);
    xpd_intern_init(&times->names, &times->arena);
    struct xpd_op_build build = {.trace = trace, .out = times};
    int rc = add_named(&build, err);
    if (rc == XPD_OK)
        rc = xpd_op_scan(&build, err);
    if (rc == XPD_OK)
        rc = xpd_op_freeze(&build, err);
    xpd_op_build_fini(&build);
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
