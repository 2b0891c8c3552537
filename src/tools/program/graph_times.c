/* /api/v1/graph/times: what each instruction of a program took where it ran. */
#include "../tables/graph_common.h"
#include "../tables/measured.h"
#include "graph_tree.h"

#include "xprofd/base/checked.h"

#define XPD_GRAPH_TIME_FIELDS(FIELD)                                                               \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    FIELD(INT, count, "events: an execution on a GPU can be several kernels")                      \
    FIELD(INT, total_ps, "of all executions")                                                      \
    FIELD(INT, self_ps, "without the operations nested in it, such as the body of a loop")         \
    FIELD(REAL, mean_ps, "of the total")                                                           \
    FIELD(INT, min_ps, "")                                                                         \
    FIELD(INT, max_ps, "")                                                                         \
    FIELD(MAYBE(INT), wait_total_ps,                                                               \
          "for each half of an asynchronous pair: the time the chip waited, which is the time of " \
          "the done; null: not a half, or the done was not measured")                              \
    FIELD(MAYBE(REAL), wait_mean_ps, "likewise")                                                   \
    FIELD(MAYBE(TEXT), done, "name of the done")                                                   \
    FIELD(COUNT, devices, "number of devices that ran it")                                         \
    FIELD(REAL, fastest_device_mean_ps, "")                                                        \
    FIELD(REAL, slowest_device_mean_ps, "")
XPD_RECORD(xpd_graph_time, XPD_GRAPH_TIME_FIELDS)

#define XPD_GRAPH_TIMES_DEVICE_FIELDS(FIELD)                                                       \
    FIELD(INDEX, process, "of the trace")                                                          \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(SIGNED, number, "-1: none")
XPD_RECORD(xpd_graph_times_device, XPD_GRAPH_TIMES_DEVICE_FIELDS)

#define XPD_GRAPH_TIMES_SHARE_FIELDS(FIELD)                                                        \
    FIELD(INDEX, row, "of the instructions")                                                       \
    FIELD(INDEX, device, "row of `device`")                                                        \
    FIELD(INT, count, "events")                                                                    \
    FIELD(INT, total_ps, "")                                                                       \
    FIELD(INT, self_ps, "")                                                                        \
    FIELD(INT, min_ps, "")                                                                         \
    FIELD(INT, max_ps, "")
XPD_RECORD(xpd_graph_times_share, XPD_GRAPH_TIMES_SHARE_FIELDS)

#define XPD_GRAPH_TIMES_FIELDS(FIELD)                                                              \
    FIELD(BOOL, known, "the times are known; false: the rows and the fields below are empty")      \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(MAYBE(STRING), host, "host of the events; null: all hosts together")                     \
    FIELD(VALUES(STRING), other_hosts,                                                             \
          "other hosts that ran the program; their times are not in this answer, ask with `host`") \
    FIELD(MAYBE(INT), runs, "executions of the program on all hosts")                              \
    FIELD(MAYBE(WORD("device host mixed")), clock,                                                 \
          "device: all durations are the device's own; host: aligned with the host's clock")       \
    FIELD(COUNT, joined, "instructions with times")                                                \
    FIELD(COUNT, not_joined, "operations of the trace that name no instruction")                   \
    FIELD(INT, nesting_unchecked, "events whose nesting was not checked")                          \
    FIELD(INLINE(xpd_graph_time), rows, "")                                                        \
    FIELD(COLUMNS(xpd_graph_times_device), device, "that ran the program")                         \
    FIELD(MAYBE(COLUMNS(xpd_graph_times_share)), shares,                                           \
          "with `shares`: an entry for each instruction and device that ran it")                   \
    FIELD(MAYBE(INT), all_self_ps, "of all operations; not with `instruction`")                    \
    FIELD(MAYBE(OBJECT(xpd_graph_heaviest_list)), heaviest,                                        \
          "as in `graph/overview`, by time; not with `instruction`")
XPD_RECORD(xpd_graph_times, XPD_GRAPH_TIMES_FIELDS)

struct answer {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_measured *measured;
    uint32_t *row; /* instructions with times, in the order of the file */
    uint32_t n;
    struct xpd_graph_times out;
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

static struct xpd_graph_time time_of(const struct answer *answer, uint32_t row)
{
    const struct xpd_measured *measured = answer->measured;
    const struct xpd_hlo *hlo = answer->ctx->hlo;
    uint32_t i = answer->row[row];
    const struct xpd_op *op = measured->op[i], *wait = measured->wait[i];
    const xpd_name_id *name = hlo->instructions.name;
    return (struct xpd_graph_time){.ix = i,
                                   .id = hlo->instructions.id[i],
                                   .name = xpd_hlo_text(hlo, name[i]),
                                   .count = (int64_t)op->sums.count,
                                   .total_ps = op->sums.total_ps,
                                   .self_ps = op->sums.self_ps,
                                   .mean_ps = xpd_op_mean_ps(&op->sums),
                                   .min_ps = op->sums.min_ps,
                                   .max_ps = op->sums.max_ps,
                                   .wait_total_ps = wait ? wait->sums.total_ps : -1,
                                   .wait_mean_ps = wait ? xpd_op_mean_ps(&wait->sums) : -1,
                                   .done = wait ? xpd_hlo_text(hlo, name[measured->done[i]])
                                                : (struct xpd_str){NULL, 0},
                                   .devices = op->share_count,
                                   .fastest_device_mean_ps = device_mean(answer, row, false),
                                   .slowest_device_mean_ps = device_mean(answer, row, true)};
}

static int put_rows(struct answer *answer, struct xpd_err *err)
{
    struct xpd_graph_time *row =
        XPD_NEW_ARRAY(answer->ctx->arena, struct xpd_graph_time, answer->n);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < answer->n; i++)
        row[i] = time_of(answer, i);
    answer->out.rows.at = row;
    answer->out.rows.n = answer->n;
    return XPD_OK;
}

static int put_devices(struct answer *answer, struct xpd_err *err)
{
    const struct xpd_measured *measured = answer->measured;
    const struct xpd_op_times *times = measured->times;
    struct xpd_graph_times_device *device =
        XPD_NEW_ARRAY(answer->ctx->arena, struct xpd_graph_times_device, times->device_count);
    if (!device)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < times->device_count; i++) {
        uint32_t process = times->device[i].process;
        device[i] = (struct xpd_graph_times_device){
            .process = process,
            .name = xpd_intern_get(&measured->trace->names, measured->trace->process[process].name),
            .number = times->device[i].number};
    }
    answer->out.device.at = device;
    answer->out.device.n = times->device_count;
    return XPD_OK;
}

/* One entry for each instruction and device that ran it. */
static int put_shares(struct answer *answer, struct xpd_err *err)
{
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < answer->n; i++)
        n += op_of(answer, i)->share_count;
    struct xpd_graph_times_share *to =
        XPD_NEW_ARRAY(answer->ctx->arena, struct xpd_graph_times_share, n);
    if (!to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < answer->n; i++)
        for (uint32_t k = 0; k < op_of(answer, i)->share_count; k++) {
            const struct xpd_op_share *share =
                &answer->measured->times->share[op_of(answer, i)->first_share + k];
            to[at++] = (struct xpd_graph_times_share){.row = i,
                                                      .device = share->device,
                                                      .count = (int64_t)share->sums.count,
                                                      .total_ps = share->sums.total_ps,
                                                      .self_ps = share->sums.self_ps,
                                                      .min_ps = share->sums.min_ps,
                                                      .max_ps = share->sums.max_ps};
        }
    answer->out.shares.at = to;
    answer->out.shares.n = n;
    return XPD_OK;
}

static int collect(struct answer *answer, struct xpd_err *err)
{
    const struct xpd_hlo *hlo = answer->ctx->hlo;
    const struct xpd_measured *measured = answer->measured;
    struct xpd_str wanted = xpd_param_text(answer->ctx, "instruction");
    uint32_t first = 0, end = hlo->instructions.count;
    if (wanted.size) {
        first = xpd_hlo_named(hlo, xpd_tools_bare_name(wanted));
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
static int put_other_hosts(struct answer *answer, struct xpd_err *err)
{
    const struct xpd_run *run = answer->ctx->run;
    const struct xpd_module *module = &run->module[answer->ctx->module];
    const char **name = XPD_NEW_ARRAY(answer->ctx->arena, const char *, module->host_count);
    uint32_t n = 0;
    if (!name)
        return xpd_tools_no_memory(err);
    bool all = answer->measured->host == xpd_run_all_hosts(run);
    for (uint32_t i = 0; !all && i < module->host_count; i++)
        if (module->host[i] != answer->measured->host &&
            xpd_host_has_events(&run->host[module->host[i]]))
            name[n++] = run->host[module->host[i]].name;
    answer->out.other_hosts.at = name;
    answer->out.other_hosts.n = n;
    return XPD_OK;
}

/* Of all instructions: what they took by themselves, so that the rows add up to `self_ps`. */
static int put_heaviest(struct answer *answer, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_heaviest heaviest;
    struct xpd_arena *arena = answer->ctx->arena;
    uint32_t count = answer->ctx->hlo->instructions.count;
    int64_t *self_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    int rc = xpd_graph_ask_init(&ask, answer->ctx, err);
    const struct xpd_outline_index *tree = rc == XPD_OK ? xpd_table_outline(&ask, err) : NULL;
    if (rc == XPD_OK && (!tree || !self_ps))
        rc = xpd_tools_no_memory(err);
    answer->out.all_self_ps = 0;
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++)
        if (answer->measured->op[i]) {
            self_ps[i] = answer->measured->op[i]->sums.self_ps;
            xpd_grow_i64(&answer->out.all_self_ps, self_ps[i]);
        }
    if (rc == XPD_OK)
        rc = xpd_graph_heaviest(&heaviest, arena, ask.index, tree, ask.costs, self_ps, XPD_HEAVIEST,
                                err);
    if (rc == XPD_OK)
        answer->out.heaviest = xpd_graph_heaviest_rows(&ask, &heaviest);
    xpd_graph_ask_fini(&ask);
    return rc;
}

static void put_head(struct answer *answer)
{
    const struct xpd_measured *measured = answer->measured;
    const struct xpd_run *run = answer->ctx->run;
    const struct xpd_module *module = &run->module[answer->ctx->module];
    struct xpd_graph_times *out = &answer->out;
    out->known = !measured->why_not;
    out->reason = measured->why_not;
    out->host = xpd_tools_whose(run, measured->host);
    out->runs = module->run_count_known ? (int64_t)module->run_count : -1;
    out->all_self_ps = -1;
    if (measured->why_not)
        return;
    const struct xpd_op_program *program = measured->program;
    out->clock = xpd_op_clock(program->count, program->device_count);
    out->joined = measured->joined_count;
    out->not_joined = program->op_count - measured->joined_count;
    out->nesting_unchecked = (int64_t)measured->times->unchecked;
}

static int put_times(struct answer *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->ctx;
    int rc = put_rows(answer, err);
    if (rc == XPD_OK)
        rc = put_devices(answer, err);
    if (rc == XPD_OK && xpd_param_int(ctx, &xpd_tool_graph_times, "shares") != 0)
        rc = put_shares(answer, err);
    if (rc == XPD_OK && !xpd_param_has(ctx, "instruction"))
        rc = put_heaviest(answer, err);
    return rc;
}

static int graph_times(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct xpd_measured *measured = XPD_NEW(ctx->arena, struct xpd_measured);
    struct answer *answer = XPD_NEW(ctx->arena, struct answer);
    if (!measured || !answer)
        return xpd_tools_no_memory(err);
    answer->ctx = ctx;
    answer->measured = measured;
    *out = &answer->out;
    int rc = xpd_measured_make(measured, ctx, err);
    if (rc == XPD_OK)
        rc = collect(answer, err);
    if (rc == XPD_OK)
        rc = put_other_hosts(answer, err);
    if (rc != XPD_OK)
        return rc;
    put_head(answer);
    return measured->why_not ? XPD_OK : put_times(answer, err);
}

static const struct xpd_param_spec params[] = {
    {.name = "instruction",
     .type = XPD_PARAM_TEXT,
     .help = "only this instruction; a name, with or without `%`. 404 if not found"},
    {.name = "host",
     .type = XPD_PARAM_TEXT,
     .help = "host of the events; default, and ALL: all hosts together"},
    {.name = "shares",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: adds the share of each device in each instruction"},
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_graph_times = {
    .route = "/api/v1/graph/times",
    .title = "Measured times of each instruction of a program.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_times_record,
    .make = graph_times,
    .about =
        "Events are joined by (program id, instruction name). TPUs: the rows `XLA Ops` and `Sparse "
        "Core Ops` (not `Async XLA Ops`, which repeat the same copies). GPUs: kernels and copies "
        "of the streams by their `hlo_op`; host calls that launch them do not count. CPUs: the "
        "host events with `hlo_op`, if no chip has events.",
    .file_name = "times.csv",
    XPD_IN_REPORT("", {245, XPD_EACH_MODULE, "", "the times of the instructions"}),
};
