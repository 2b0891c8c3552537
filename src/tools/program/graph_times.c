/* /api/v1/graph/times: what each instruction of a program took where it ran. */
#include "../tables/graph_common.h"
#include "../tables/measured.h"
#include "graph_tree.h"

#include "xprofd/base/checked.h"

struct answer {
    const struct xpd_tool_ctx *ctx;
    struct xpd_graph_ask *ask;
    const struct xpd_measured *measured;
    uint32_t *row; /* instructions with times, in the order of the file */
    uint32_t n;
    bool shares;
};

static const struct xpd_op *op_of(const struct answer *answer, uint32_t row)
{
    return answer->measured->op[answer->row[row]];
}

/* Mean on the slowest or the fastest device: how far they drift apart. */
static double device_mean(const struct answer *answer, uint32_t row, bool slowest)
{
    const struct xpd_op *op = op_of(answer, row);
    const struct xpd_op_share *share = &answer->measured->times->share[op->first_share];
    double found = xpd_op_mean_ps(&share[0].sums);
    for (uint32_t i = 1; i < op->share_count; i++) {
        double mean = xpd_op_mean_ps(&share[i].sums);
        found = (mean > found) == slowest ? mean : found;
    }
    return found;
}

/* Null: the instruction is no half of an asynchronous pair whose done was measured. */
static void put_wait(struct xpd_jsonw *w, const struct answer *answer, uint32_t row, bool mean)
{
    const struct xpd_op *wait = answer->measured->wait[answer->row[row]];
    if (!wait)
        xpd_json_null(w);
    else if (mean)
        xpd_json_double(w, xpd_op_mean_ps(&wait->sums));
    else
        xpd_json_i64(w, wait->sums.total_ps);
}

static void put_done(struct xpd_jsonw *w, const struct answer *answer, uint32_t row)
{
    const struct xpd_measured *measured = answer->measured;
    const struct xpd_hlo *hlo = answer->ctx->hlo;
    if (!measured->wait[answer->row[row]])
        xpd_json_null(w);
    else
        xpd_json_str(w,
                     xpd_hlo_text(hlo, hlo->instructions.name[measured->done[answer->row[row]]]));
}

static void write_columns(struct xpd_jsonw *w, const struct answer *answer)
{
    const struct xpd_hlo_instructions *all = &answer->ctx->hlo->instructions;
    uint32_t n = answer->n;
#define SUMS (op_of(answer, row)->sums)
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "ix", n, xpd_json_u64(w, answer->row[row]));
    XPD_COLUMN(w, "id", n, xpd_json_i64(w, all->id[answer->row[row]]));
    XPD_COLUMN(w, "name", n,
               xpd_json_str(w, xpd_hlo_text(answer->ctx->hlo, all->name[answer->row[row]])));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, SUMS.count));
    XPD_COLUMN(w, "total_ps", n, xpd_json_i64(w, SUMS.total_ps));
    XPD_COLUMN(w, "self_ps", n, xpd_json_i64(w, SUMS.self_ps));
    XPD_COLUMN(w, "mean_ps", n, xpd_json_double(w, xpd_op_mean_ps(&SUMS)));
    XPD_COLUMN(w, "min_ps", n, xpd_json_i64(w, SUMS.min_ps));
    XPD_COLUMN(w, "max_ps", n, xpd_json_i64(w, SUMS.max_ps));
    XPD_COLUMN(w, "wait_total_ps", n, put_wait(w, answer, row, false));
    XPD_COLUMN(w, "wait_mean_ps", n, put_wait(w, answer, row, true));
    XPD_COLUMN(w, "done", n, put_done(w, answer, row));
    XPD_COLUMN(w, "devices", n, xpd_json_u64(w, op_of(answer, row)->share_count));
    XPD_COLUMN(w, "fastest_device_mean_ps", n, xpd_json_double(w, device_mean(answer, row, false)));
    XPD_COLUMN(w, "slowest_device_mean_ps", n, xpd_json_double(w, device_mean(answer, row, true)));
#undef SUMS
}

static void write_devices(struct xpd_jsonw *w, const struct answer *answer)
{
    const struct xpd_measured *measured = answer->measured;
    const struct xpd_op_times *times = measured->times;
    uint32_t n = times->device_count;
    xpd_json_key(w, "device");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "process", n, xpd_json_u64(w, times->device[row].process));
    XPD_COLUMN(
        w, "name", n,
        xpd_json_str(w, xpd_intern_get(&measured->trace->names,
                                       measured->trace->process[times->device[row].process].name)));
    XPD_COLUMN(w, "number", n, xpd_json_i64(w, times->device[row].number));
    xpd_json_obj_end(w);
}

/* One entry for each instruction and device that ran it. */
static int write_shares(struct xpd_jsonw *w, const struct answer *answer, struct xpd_err *err)
{
    const struct xpd_op_share **share;
    uint32_t *of, n = 0, at = 0;
    for (uint32_t i = 0; i < answer->n; i++)
        n += op_of(answer, i)->share_count;
    share = XPD_NEW_ARRAY(answer->ctx->arena, const struct xpd_op_share *, n);
    of = XPD_NEW_ARRAY(answer->ctx->arena, uint32_t, n);
    if (!share || !of)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < answer->n; i++)
        for (uint32_t k = 0; k < op_of(answer, i)->share_count; k++) {
            of[at] = i;
            share[at++] = &answer->measured->times->share[op_of(answer, i)->first_share + k];
        }
    xpd_json_key(w, "shares");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "row", n, xpd_json_u64(w, of[row]));
    XPD_COLUMN(w, "device", n, xpd_json_u64(w, share[row]->device));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, share[row]->sums.count));
    XPD_COLUMN(w, "total_ps", n, xpd_json_i64(w, share[row]->sums.total_ps));
    XPD_COLUMN(w, "self_ps", n, xpd_json_i64(w, share[row]->sums.self_ps));
    XPD_COLUMN(w, "min_ps", n, xpd_json_i64(w, share[row]->sums.min_ps));
    XPD_COLUMN(w, "max_ps", n, xpd_json_i64(w, share[row]->sums.max_ps));
    xpd_json_obj_end(w);
    return XPD_OK;
}

static int collect(struct answer *answer, struct xpd_err *err)
{
    const struct xpd_hlo *hlo = answer->ctx->hlo;
    const struct xpd_measured *measured = answer->measured;
    struct xpd_str wanted = xpd_param_text(answer->ctx, "instruction");
    uint32_t first = 0, end = hlo->instructions.count;
    if (wanted.size) {
        xpd_name_id name = xpd_intern_find(&hlo->names, xpd_tools_bare_name(wanted));
        first = name == XPD_NO_NAME ? XPD_NO_INDEX : hlo->instruction_by_name[name];
        if (first == XPD_NO_INDEX)
            return xpd_fail(err, XPD_ENOTFOUND, "instruction", XPD_NO_OFFSET,
                            "The module has no instruction %.*s.",
                            (int)(wanted.size < 200 ? wanted.size : 200), wanted.data);
        end = first + 1;
    }
    answer->row = XPD_NEW_ARRAY(answer->ctx->arena, uint32_t, end - first);
    if (!answer->row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = first; measured->op && i < end; i++)
        if (measured->op[i])
            answer->row[answer->n++] = i;
    return XPD_OK;
}

/* Hosts that ran the program too: their times are not in the answer. */
static void write_other_hosts(struct xpd_jsonw *w, const struct answer *answer)
{
    const struct xpd_run *run = answer->ctx->run;
    const struct xpd_module *module = &run->module[answer->ctx->module];
    xpd_json_key(w, "other_hosts");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < module->host_count; i++)
        if (module->host[i] != answer->measured->host &&
            xpd_host_has_events(&run->host[module->host[i]]))
            xpd_json_text(w, run->host[module->host[i]].name);
    xpd_json_arr_end(w);
}

/* Of all instructions: what they took by themselves, so that the rows add up to `self_ps`. */
static int write_heaviest(const struct answer *answer, struct xpd_err *err)
{
    struct xpd_graph_ask *ask = answer->ask;
    struct xpd_heaviest heaviest;
    const struct xpd_outline_index *tree = xpd_table_outline(ask, err);
    uint32_t count = ask->hlo->instructions.count;
    int64_t *self_ps = XPD_NEW_ARRAY(answer->ctx->arena, int64_t, count), all_ps = 0;
    if (!tree || !self_ps)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        if (answer->measured->op[i]) {
            self_ps[i] = answer->measured->op[i]->sums.self_ps;
            xpd_grow_i64(&all_ps, self_ps[i]);
        }
    int rc = xpd_graph_heaviest(&heaviest, answer->ctx->arena, ask->index, tree, ask->costs,
                                self_ps, XPD_HEAVIEST, err);
    if (rc != XPD_OK)
        return rc;
    xpd_json_ki64(&ask->w, "all_self_ps", all_ps);
    xpd_graph_put_heaviest(ask, &heaviest);
    return XPD_OK;
}

static void write_head(struct xpd_jsonw *w, const struct answer *answer)
{
    const struct xpd_measured *measured = answer->measured;
    const struct xpd_run *run = answer->ctx->run;
    xpd_json_kbool(w, "known", !measured->why_not);
    xpd_json_ktext(w, "reason", measured->why_not);
    xpd_json_ktext(w, "host",
                   measured->host == XPD_NO_INDEX ? NULL : run->host[measured->host].name);
    write_other_hosts(w, answer);
    xpd_json_key(w, "runs");
    xpd_tools_run_count(w, &run->module[answer->ctx->module]);
}

static int write(const struct answer *answer, struct xpd_err *err)
{
    struct xpd_jsonw *w = &answer->ask->w;
    const struct xpd_measured *measured = answer->measured;
    int rc = XPD_OK;
    xpd_json_obj(w);
    write_head(w, answer);
    if (!measured->why_not) {
        const struct xpd_op_program *program = measured->program;
        xpd_json_ktext(w, "clock", xpd_op_clock(program->count, program->device_count));
        xpd_json_ku64(w, "joined", measured->joined_count);
        xpd_json_ku64(w, "not_joined", program->op_count - measured->joined_count);
        xpd_json_ku64(w, "nesting_unchecked", measured->times->unchecked);
        write_columns(w, answer);
        write_devices(w, answer);
        if (answer->shares)
            rc = write_shares(w, answer, err);
        if (rc == XPD_OK && !xpd_param_has(answer->ctx, "instruction"))
            rc = write_heaviest(answer, err);
    }
    xpd_json_obj_end(w);
    return rc;
}

static int graph_times(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                       struct xpd_err *err)
{
    struct xpd_measured measured;
    struct xpd_graph_ask ask;
    struct answer answer = {.ctx = ctx, .ask = &ask, .measured = &measured};
    int rc = xpd_measured_make(&measured, ctx, err);
    if (rc == XPD_OK)
        rc = collect(&answer, err);
    if (rc != XPD_OK)
        return rc;
    answer.shares = xpd_param_int(ctx, &xpd_tool_graph_times, "shares") != 0;
    rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK)
        rc = write(&answer, err);
    xpd_graph_ask_fini(&ask);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "instruction", .type = XPD_PARAM_TEXT, .help = "only this one; a name"},
    {.name = "shares",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: with what each device contributed to each instruction"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_graph_times = {
    .route = "/api/v1/graph/times",
    .title = "What each instruction of a program took where it ran.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = graph_times,
};
