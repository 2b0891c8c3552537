/* Sums of operations as a row of an answer; what is not the same in all of them is left unknown. */
#include "ops_sum.h"
#include "xprofd/base/intern.h"

static double rate(double work, double time_ps)
{
    return time_ps > 0 ? work / time_ps * 1e12 : -1;
}

void xpd_ops_sum_show(struct xpd_ops_row *to, const struct xpd_ops_sum *sum,
                      const struct xpd_ops_found *found)
{
    int64_t all_ps = found->ops.self_ps;
    enum xpd_ops_bound bound = xpd_ops_sum_bound(sum);
    enum xpd_ops_against against;
    int64_t lost_ps = xpd_ops_sum_lost(sum, &against);
    *to = (struct xpd_ops_row){
        .module = "",
        .group = xpd_op_group_word(xpd_ops_sum_group(sum)),
        .phase = xpd_phase_word(xpd_ops_sum_phase(sum)),
        .operations = sum->operations,
        .count = sum->count,
        .executions = sum->executions,
        .total_ps = sum->total_ps,
        .self_ps = sum->self_ps,
        .self_share = all_ps > 0 ? (double)sum->self_ps / (double)all_ps : 0,
        .mean_ps = -1,
        .p50_ps = -1,
        .p99_ps = -1,
        .min_ps = -1,
        .max_ps = -1,
        .other_total_ps = -1,
        .wait_total_ps = -1,
        .chip_spread = -1,
        .host_spread = -1,
        .flops = -1,
        .moved_bytes = -1,
        .hbm_bytes = -1,
        .vmem_bytes = -1,
        .cmem_bytes = -1,
        .other_bytes = -1,
        .flops_per_s = rate(sum->flops, sum->flops_ps),
        .flops_peak_per_s = -1,
        .hbm_bytes_per_s = rate(sum->hbm_bytes, sum->hbm_ps),
        .vmem_bytes_per_s = rate(sum->vmem_bytes, sum->vmem_ps),
        .intensity = sum->hbm_bytes > 0 && sum->flops_ps > 0 ? sum->flops / sum->hbm_bytes : -1,
        .bound = xpd_ops_bound_word(bound),
        .bound_reason = bound == XPD_BOUND_UNKNOWN ? "it is not the same in all of them" : NULL,
        .roofline_ps = -1,
        .roofline_share = xpd_ops_sum_share(sum),
        .lost_ps = lost_ps,
        .lost_against = xpd_ops_against_word(against),
        .cycles = -1,
    };
}

/* Groups of operations. In: lines and the word they are grouped by. Out: a line for each value of
 * it, in the order of the first of each. */

/* By the order of XPD_OPS_GROUP_WORDS; the last one is the program. */
static const enum xpd_op_text column_of[] = {
    XPD_OPS_NAME,  XPD_OPS_OPCODE, XPD_OPS_CATEGORY, XPD_OPS_GROUP,  XPD_OPS_SCOPE,
    XPD_OPS_PHASE, XPD_OPS_SHAPE,  XPD_OPS_DTYPE,    XPD_OPS_SOURCE, XPD_OPS_BOUND};
enum { BY_MODULE = sizeof column_of / sizeof *column_of };

struct grouping {
    const struct xpd_ops_found *found;
    int by;
    struct xpd_intern names;
    struct xpd_strbuf text;
    XPD_VEC(struct xpd_ops_sum) sum;
    XPD_VEC(xpd_name_id) name;
    uint32_t *of_name; /* by name: group + 1; 0 = none yet */
};

static struct xpd_str value_of(struct grouping *g, const struct xpd_op_row *row)
{
    if (g->by == BY_MODULE)
        return xpd_str_of(g->found->program[row->program].name);
    xpd_strbuf_clear(&g->text);
    xpd_op_row_text(&g->text, column_of[g->by], row, &g->found->program[row->program]);
    return (struct xpd_str){g->text.data, g->text.size};
}

static bool add_up(struct grouping *g, const struct xpd_ops_lines *lines)
{
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct xpd_op_row *row = lines->at[i].row;
        struct xpd_str value = value_of(g, row);
        xpd_name_id id = xpd_intern_put(&g->names, value.data, value.size);
        if (g->names.failed)
            return false;
        if (g->of_name[id] == 0) {
            XPD_PUSH(&g->sum, (struct xpd_ops_sum){0});
            XPD_PUSH(&g->name, id);
            if (g->sum.failed || g->name.failed)
                return false;
            g->of_name[id] = (uint32_t)g->sum.count;
        }
        xpd_ops_sum_add(&g->sum.at[g->of_name[id] - 1], row);
    }
    return !g->text.failed;
}

static void name_line(struct xpd_ops_row *to, int by, struct xpd_str value)
{
    to->name = value;
    switch (by) {
    case 1: to->opcode = value; break;
    case 2: to->category = value; break;
    case 4: to->scope = value; break;
    case 6: to->shape = value; break;
    case 7: to->dtype = value; break;
    case 8: to->source = value; break;
    case BY_MODULE: to->module = value.data; break;
    default: break;
    }
}

static bool show(struct grouping *g, struct xpd_ops_lines *lines, struct xpd_arena *arena)
{
    uint32_t n = (uint32_t)g->sum.count;
    struct xpd_ops_line *line = XPD_NEW_ARRAY(arena, struct xpd_ops_line, n);
    for (uint32_t i = 0; line && i < n; i++) {
        struct xpd_str value = xpd_arena_str(arena, xpd_intern_get(&g->names, g->name.at[i]));
        xpd_ops_sum_show(&line[i].shown, &g->sum.at[i], g->found);
        name_line(&line[i].shown, g->by, value.data ? value : XPD_STR(""));
    }
    *lines = (struct xpd_ops_lines){line, n, true};
    return line && !arena->failed;
}

/* The lines of one group; "-": of what has no such word. */
static bool keep_group(struct grouping *g, struct xpd_ops_lines *lines, struct xpd_str wanted)
{
    uint32_t kept = 0;
    if (xpd_str_eq(wanted, XPD_STR("-")))
        wanted.size = 0;
    for (uint32_t i = 0; i < lines->count; i++)
        if (xpd_str_eq(value_of(g, lines->at[i].row), wanted))
            lines->at[kept++] = lines->at[i];
    lines->count = kept;
    return !g->text.failed;
}

int xpd_ops_group(struct xpd_ops_lines *lines, const struct xpd_ops_found *found,
                  const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct grouping g = {.found = found,
                         .by = xpd_word_index(XPD_OPS_GROUP_WORDS, xpd_param_text(ctx, "group"))};
    struct xpd_arena names = {0};
    if (g.by < 0)
        return XPD_OK;
    xpd_intern_init(&g.names, &names);
    g.of_name = XPD_NEW_ARRAY(&names, uint32_t, (size_t)lines->count + 1);
    bool ok = g.of_name;
    if (ok && xpd_param_has(ctx, "of"))
        ok = keep_group(&g, lines, xpd_param_text(ctx, "of"));
    else
        ok = ok && add_up(&g, lines) && show(&g, lines, ctx->arena);
    XPD_VEC_FINI(&g.sum);
    XPD_VEC_FINI(&g.name);
    xpd_strbuf_fini(&g.text);
    xpd_intern_fini(&g.names);
    xpd_arena_fini(&names);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}
