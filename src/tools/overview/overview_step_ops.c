/* The operations of the steps asked about. In: executions of the steps, the rows of operations with
 * their rooflines (ops/ops.h). Out: one entry an operation, with what it takes of the steps and
 * what of that the peaks allow. */
#include "../trace/ops_rows.h"
#include "overview.h"

static bool is_asked(const struct xpd_overviewing *o, uint32_t lane)
{
    return o->chip == XPD_NO_INDEX || o->chip == lane;
}

/* By op of the host's times: of the steps asked about. */
static const struct xpd_split_op *sums_of(const struct xpd_overviewing *o,
                                          const struct xpd_step_table *table, struct xpd_err *err)
{
    struct xpd_step_parts parts;
    if (!o->selected && o->chip == XPD_NO_INDEX)
        return table->op;
    struct xpd_split_op *sums =
        XPD_NEW_ARRAY(o->ctx->arena, struct xpd_split_op, table->times->op_count);
    uint32_t first = o->selected ? o->selected->first : 0;
    uint32_t end = o->selected ? first + o->selected->count : o->steps.cell_count;
    for (uint32_t i = first; sums && i < end; i++) {
        const struct xpd_run_lane *lane = &o->steps.lane[o->steps.cell[i].lane];
        if (lane->table == table && is_asked(o, o->steps.cell[i].lane))
            xpd_step_split(&parts, &lane->of->of, &o->steps.cell[i].of->span, sums);
    }
    if (!sums)
        xpd_tools_no_memory(err);
    return sums;
}

/* By op of the host's times: its row; NULL = it has none. */
static const struct xpd_op_row **rows_of(const struct xpd_overviewing *o,
                                         const struct xpd_ops_found *found,
                                         const struct xpd_op_times *times)
{
    const struct xpd_op_row **row =
        XPD_NEW_ARRAY(o->ctx->arena, const struct xpd_op_row *, times->op_count);
    for (uint32_t i = 0; row && i < found->ops.count; i++)
        if (found->program[found->ops.row[i].program].times == times)
            row[found->ops.row[i].op - times->op] = &found->ops.row[i];
    return row;
}

/* Names a program whose module the profile does not hold: programs of two hosts are the same if
 * their ids are or, without ids, their names. */
static struct xpd_str name_of(const struct xpd_overviewing *o, const struct xpd_op_times *times,
                              const struct xpd_op_program *program)
{
    struct xpd_str name = xpd_intern_get(&times->names, program->name);
    const char *text = program->has_id
                           ? xpd_arena_printf(o->ctx->arena, "(%" PRIu64 ")", program->id)
                           : xpd_arena_printf(o->ctx->arena, "%d %.*s", (int)program->loose,
                                              (int)name.size, name.size > 0 ? name.data : "");
    return xpd_str_of(text ? text : "");
}

/* Of the host's operations those before `first` in the list are of other hosts. `same`: NULL where
 * there is no other host. */
static void add_op(struct xpd_overviewing *o, struct xpd_same_ops *same, struct xpd_str program,
                   size_t first, const struct xpd_step_op *op)
{
    if (!same) {
        XPD_PUSH(&o->op, *op);
        return;
    }
    uint64_t key = xpd_same_ops_key(same, program, op);
    uint32_t at = xpd_map64_get(&same->at, key);
    if (at != XPD_NO_INDEX && at < first) {
        xpd_step_op_add(&o->op.at[at], op);
        return;
    }
    if (at == XPD_NO_INDEX)
        xpd_map64_put(&same->at, key, (uint32_t)o->op.count);
    XPD_PUSH(&o->op, *op);
}

static int add_host(struct xpd_overviewing *o, struct xpd_same_ops *same, uint32_t host,
                    const struct xpd_step_table *table, struct xpd_err *err)
{
    struct xpd_ops_found found = {0};
    struct xpd_tool_ctx ask;
    if (!xpd_tools_ops_ask(&ask, o->ctx, NULL, o->ctx->run->host[host].name))
        return xpd_tools_no_memory(err);
    int rc = xpd_tools_ops(&found, &ask, err);
    if (rc != XPD_OK)
        return rc;
    o->memory_wrong |= xpd_tools_ops_is_beyond(&found, true);
    o->compute_wrong |= xpd_tools_ops_is_beyond(&found, false);
    const struct xpd_op_times *times = table->times;
    const struct xpd_split_op *sums = sums_of(o, table, err);
    const struct xpd_op_row **row = rows_of(o, &found, times);
    if (!sums || !row)
        return xpd_tools_no_memory(err);
    size_t first = o->op.count;
    for (uint32_t p = 0; p < times->program_count; p++) {
        const struct xpd_op_program *program = &times->program[p];
        struct xpd_str name = name_of(o, times, program);
        for (uint32_t i = program->first_op; i < program->first_op + program->op_count; i++) {
            if (sums[i].count == 0 && sums[i].time_ps == 0)
                continue;
            struct xpd_step_op op = {.name = xpd_intern_get(&times->names, times->op[i].name),
                                     .part = table->places.part[i],
                                     .place = table->places.place[i],
                                     .time_ps = sums[i].time_ps,
                                     .self_ps = sums[i].self_ps,
                                     .count = (int64_t)sums[i].count};
            xpd_step_op_judge(&op, found.program, row[i]);
            add_op(o, same, name, first, &op);
        }
    }
    return o->op.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

int xpd_step_ops_make(struct xpd_overviewing *o, struct xpd_err *err)
{
    int rc = XPD_OK;
    bool several = false;
    struct xpd_same_ops same;
    for (uint32_t l = 1; l < o->steps.lane_count; l++)
        several |= o->steps.lane[l].table != o->steps.lane[0].table;
    xpd_same_ops_init(&same, o->ctx->arena);
    for (uint32_t l = 0; rc == XPD_OK && l < o->steps.lane_count; l++)
        if (l == 0 || o->steps.lane[l].table != o->steps.lane[l - 1].table)
            rc = add_host(o, several ? &same : NULL, o->steps.lane[l].host, o->steps.lane[l].table,
                          err);
    if (rc == XPD_OK && (same.at.failed || same.text.failed))
        rc = xpd_tools_no_memory(err);
    xpd_same_ops_fini(&same);
    return rc;
}
