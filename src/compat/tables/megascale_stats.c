/* tag=megascale_stats: what chips send to other slices and how long they wait for it: sends and
 * recvs of programs on the first chip, by rendezvous. Times are whole microseconds, cut off where
 * XProf cuts them. Rules: XProf's xspace_to_dcn_slack_analysis.cc,
 * xplane_to_dcn_collective_stats.cc, dcn_slack_analysis_combiner.cc, process_megascale_dcn.cc. */
#include "../opstats/file_events.h"
#include "../opstats/opstats_modules.h"
#include "../opstats/opstats_walk.h"
#include "compat_tables.h"
#include "xprofd/wire/cursor.h"

#include <inttypes.h>

enum opcode { SEND, RECV, SEND_DONE, RECV_DONE, OTHER };

struct instruction { /* data of the program for one that an event names */
    bool known;
    enum opcode opcode;
    uint64_t channel;
    bool has_rendezvous;
    struct xpd_str rendezvous, type;
    int64_t bytes;
};
struct sums { /* of a rendezvous: first added up, then means */
    struct xpd_str rendezvous, type, send_op, recv_op;
    uint64_t slack_us, observed_us, stall_us, occurrences, bytes;
    uint64_t part_us[OTHER]; /* by opcode */
};
struct transfer { /* a rendezvous, between a send and the next */
    struct xpd_str rendezvous, type, send_op;
    uint64_t start_ns, others_ns, stall_ns;
    int64_t part_ps[OTHER]; /* by opcode: the last event */
    uint64_t group;         /* participating replicas; 0 = unknown */
    bool has_group;
    uint32_t sums; /* index + 1; 0 = nothing was received yet */
};
struct run_of { /* of a program, on the line of modules */
    struct xpd_str name;
    uint64_t begin_ps, end_ps;
};
struct tracker {
    struct xpd_arena *arena;
    struct xpd_ops_walk walk;
    struct xpd_arena scratch;
    const struct xpd_line *line;
    struct xpd_ops_modules modules;
    XPD_VEC(struct run_of) run;
    size_t run_at; /* index + 1 of the run of the last event */
    XPD_VEC(struct transfer) transfer;
    XPD_VEC(struct sums) sums;
    struct xpd_map64 transfer_of_channel;
};

/* As a compiler for x86-64 turns a double into a whole number: below 0 it wraps. */
static uint64_t whole(double value)
{
    if (value >= 9223372036854775808.0)
        return value < 18446744073709551616.0 ? (uint64_t)value : (uint64_t)INT64_MIN;
    return value > -9223372036854775808.0 ? (uint64_t)(int64_t)value : (uint64_t)INT64_MIN;
}

/* Rounds before it cuts: nanoseconds since 1970 are more than a double holds. */
static uint64_t micros(uint64_t ns)
{
    return whole((double)ns / 1e3);
}

static double ratio(double a, double b)
{
    return b < 1e-10 && b > -1e-10 ? 0 : a / b;
}

/* ---- the program ---- */

static uint64_t begin_ps(const struct tracker *t, const struct xpd_ops_event *event)
{
    return (uint64_t)t->line->timestamp_ns * 1000 + (uint64_t)event->offset_ps;
}

static struct xpd_str metadata_name(const struct tracker *t, const struct xpd_ops_event *event,
                                    bool shown)
{
    if (event->metadata == XPD_NO_METADATA)
        return XPD_STR("");
    const struct xpd_event_metadata *entry = &t->walk.tables->event[event->metadata];
    return xpd_intern_get(&t->walk.trace->names, shown ? entry->display_name : entry->name);
}

static bool add_run(void *user, const struct xpd_ops_event *event)
{
    struct tracker *t = user;
    uint64_t begin = begin_ps(t, event);
    XPD_PUSH(&t->run, ((struct run_of){metadata_name(t, event, false), begin,
                                       begin + (uint64_t)event->duration_ps}));
    return !t->run.failed;
}

static bool includes(const struct run_of *run, uint64_t begin, uint64_t end)
{
    return run->begin_ps <= begin && end <= run->end_ps;
}

/* The run of an event, searched from that of the previous event; NULL: none. */
static const struct run_of *run_around(struct tracker *t, const struct xpd_ops_event *event)
{
    uint64_t begin = begin_ps(t, event), end = begin + (uint64_t)event->duration_ps;
    if (t->run_at && includes(&t->run.at[t->run_at - 1], begin, end))
        return &t->run.at[t->run_at - 1];
    for (size_t i = t->run_at; i < t->run.count && t->run.at[i].begin_ps <= end; i++)
        if (t->run.at[i].end_ps >= begin) {
            t->run_at = i + 1;
            return includes(&t->run.at[i], begin, end) ? &t->run.at[i] : NULL;
        }
    return NULL;
}

static enum opcode opcode_of(struct xpd_str name)
{
    static const char *const names[] = {"send", "recv", "send-done", "recv-done"};
    for (int i = 0; i < OTHER; i++)
        if (xpd_str_eq(name, xpd_str_of(names[i])))
            return (enum opcode)i;
    return OTHER;
}

static struct instruction instruction_of(struct tracker *t, struct xpd_str program,
                                         struct xpd_str name)
{
    struct xpd_ops_place at;
    struct instruction out = {0};
    bool overflow = false;
    if (!xpd_ops_modules_place(&t->modules, program, name, &at))
        return out;
    const struct xpd_shape *shape = at.hlo->instructions.shape[at.instruction];
    out.known = true;
    out.opcode = opcode_of(xpd_hlo_text(at.hlo, at.hlo->instructions.opcode[at.instruction]));
    out.channel = (uint64_t)xpd_hlo_channel(at.printer, at.instruction);
    if (xpd_hlo_frontend_attribute(at.printer, at.instruction,
                                   XPD_STR("_xla_megascale_transfer_type"), &out.type))
        out.type = xpd_arena_str(t->arena, out.type);
    out.has_rendezvous = xpd_hlo_frontend_attribute(
        at.printer, at.instruction, XPD_STR("_xla_host_transfer_rendezvous"), &out.rendezvous);
    if (shape->type != XPD_TYPE_TUPLE)
        out.bytes = xpd_shape_unpadded_bytes_xprof(shape, &overflow);
    for (uint32_t i = 0; shape->type == XPD_TYPE_TUPLE && i < shape->element_count; i++)
        out.bytes += xpd_shape_unpadded_bytes_xprof(&shape->element[i], &overflow);
    return out;
}

/* ---- sends and recvs ---- */

static uint32_t transfer_at(struct tracker *t, struct xpd_str rendezvous)
{
    for (uint32_t i = 0; i < t->transfer.count; i++)
        if (xpd_str_eq(t->transfer.at[i].rendezvous, rendezvous))
            return i;
    XPD_PUSH(&t->transfer, ((struct transfer){.rendezvous = xpd_arena_str(t->arena, rendezvous)}));
    return t->transfer.failed ? XPD_NO_INDEX : (uint32_t)t->transfer.count - 1;
}

/* Fields of DcnCollectiveInfoProto: groups of endpoints 2, pairs 3. Of pairs one is a group. */
static uint64_t group_of_info(struct xpd_str bytes)
{
    struct xpd_cursor cursor, inner;
    struct xpd_field field, endpoint;
    uint64_t pairs = 0, groups = 0, first = 0;
    xpd_cursor_init(&cursor, bytes.data, bytes.size, 0);
    while (xpd_cursor_next(&cursor, &field)) {
        pairs += field.number == 3;
        if (field.number != 2 || groups++)
            continue;
        inner = xpd_cursor_sub(&field);
        while (xpd_cursor_next(&inner, &endpoint))
            first += endpoint.number == 1;
    }
    return pairs ? 1 : first;
}

static const struct xpd_stat_value *
metadata_stat(struct tracker *t, const struct xpd_ops_event *event, const char *name)
{
    struct xpd_stat_value *stat;
    struct xpd_err unread = {0};
    uint32_t count = 0;
    xpd_arena_reset(&t->scratch);
    if (event->metadata == XPD_NO_METADATA ||
        xpd_metadata_stats(t->walk.trace, t->walk.plane, event->metadata, &t->scratch, &stat,
                           &count, &unread) != XPD_OK)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(stat[i].name, xpd_str_of(name)))
            return &stat[i];
    return NULL;
}

static void begin_transfer(struct tracker *t, struct transfer *transfer,
                           const struct instruction *instruction, const struct xpd_ops_event *event,
                           double start_ns)
{
    transfer->start_ns = whole(start_ns);
    transfer->type = instruction->type;
    transfer->others_ns = 0;
    transfer->stall_ns = whole((double)event->duration_ps / 1e3);
    transfer->send_op = metadata_name(t, event, true);
    if (transfer->has_group)
        return;
    const struct xpd_stat_value *info = metadata_stat(t, event, "dcn_collective_info");
    transfer->has_group = true;
    transfer->group = info && info->type == XPD_STAT_BYTES ? group_of_info(info->text) : 0;
}

/* The network part of the bytes that one chip receives. */
static uint64_t bytes_sent(struct xpd_str type, int64_t received, uint64_t group)
{
    double others = ratio((double)group - 1, (double)group), bytes = (double)received;
    if (group == 0)
        return 0;
    if (xpd_str_eq(type, XPD_STR("ONE_TO_ONE")))
        return group * (uint64_t)received;
    if (xpd_str_eq(type, XPD_STR("ALL_GATHER")))
        return whole(ratio((double)((int64_t)(group - 1) * received), (double)group));
    if (xpd_str_eq(type, XPD_STR("ALL_REDUCE")))
        return whole(2 * others * bytes);
    if (xpd_str_eq(type, XPD_STR("ALL_TO_ALL")))
        return whole(others * bytes);
    if (xpd_str_eq(type, XPD_STR("REDUCE_SCATTER")))
        return (uint64_t)received * (group - 1);
    return 0;
}

static struct sums *sums_of(struct tracker *t, struct transfer *transfer)
{
    if (!transfer->sums) {
        XPD_PUSH(&t->sums, ((struct sums){.rendezvous = transfer->rendezvous}));
        transfer->sums = t->sums.failed ? 0 : (uint32_t)t->sums.count;
    }
    return transfer->sums ? &t->sums.at[transfer->sums - 1] : NULL;
}

static void end_transfer(struct tracker *t, struct transfer *transfer,
                         const struct instruction *instruction, const struct xpd_ops_event *event,
                         double start_ns)
{
    struct sums *sums = sums_of(t, transfer);
    if (!sums)
        return;
    uint64_t slack_ns = whole(start_ns) - transfer->start_ns - transfer->others_ns;
    uint64_t end_ns = whole((double)(int64_t)whole(start_ns) + (double)event->duration_ps / 1e3);
    sums->occurrences++;
    sums->type = transfer->type;
    sums->send_op = transfer->send_op;
    sums->recv_op = metadata_name(t, event, true);
    sums->bytes = bytes_sent(transfer->type, instruction->bytes, transfer->group);
    sums->slack_us += micros(slack_ns);
    sums->stall_us += micros(transfer->stall_ns);
    sums->observed_us += micros(end_ns) - micros(transfer->start_ns);
    for (int i = 0; i < OTHER; i++) {
        double us = (double)transfer->part_ps[i] / 1e6;
        sums->part_us[i] =
            whole((double)sums->part_us[i] + (i == RECV ? us / 1e6 : us)); /* as XProf has it */
    }
}

/* By its own rendezvous, or that of its channel; XPD_NO_INDEX: it was not seen yet. */
static uint32_t transfer_of(struct tracker *t, const struct instruction *instruction)
{
    if (!instruction->has_rendezvous)
        return xpd_map64_get(&t->transfer_of_channel, instruction->channel);
    uint32_t at = transfer_at(t, instruction->rendezvous);
    if (at != XPD_NO_INDEX)
        xpd_map64_put(&t->transfer_of_channel, instruction->channel, at);
    return at;
}

static void visit(struct tracker *t, const struct instruction *instruction,
                  const struct xpd_ops_event *event)
{
    uint32_t at = transfer_of(t, instruction);
    double start_ns = (double)t->line->timestamp_ns + (double)event->offset_ps / 1e3;
    double duration_ns = (double)event->duration_ps / 1e3;
    if (at == XPD_NO_INDEX)
        return;
    struct transfer *transfer = &t->transfer.at[at];
    transfer->stall_ns = whole((double)transfer->stall_ns + duration_ns);
    if (instruction->opcode != OTHER)
        transfer->part_ps[instruction->opcode] = event->duration_ps;
    if (instruction->opcode == SEND)
        begin_transfer(t, transfer, instruction, event, start_ns);
    else if (instruction->opcode == RECV_DONE && transfer->start_ns != 0)
        end_transfer(t, transfer, instruction, event, start_ns);
    for (size_t i = 0; i < t->transfer.count; i++)
        t->transfer.at[i].others_ns += whole(duration_ns);
}

static bool take_operation(void *user, const struct xpd_ops_event *event)
{
    struct tracker *t = user;
    const struct run_of *run = run_around(t, event);
    const struct xpd_stat_value *category = run ? metadata_stat(t, event, "hlo_category") : NULL;
    struct xpd_str text = category ? xpd_stat_text(category) : XPD_STR("");
    if (xpd_str_find(text, XPD_STR("host send"), false) == SIZE_MAX &&
        xpd_str_find(text, XPD_STR("host recv"), false) == SIZE_MAX)
        return true;
    struct instruction instruction = instruction_of(t, run->name, metadata_name(t, event, true));
    if (instruction.known)
        visit(t, &instruction, event);
    return !t->transfer.failed && !t->sums.failed && !t->transfer_of_channel.failed;
}

/* ---- a host ---- */

static void make_means(struct sums *sums)
{
    double n = (double)sums->occurrences;
    sums->slack_us = whole(ratio((double)sums->slack_us, n));
    sums->stall_us = whole(ratio((double)sums->stall_us, n));
    sums->observed_us = whole(ratio((double)sums->observed_us, n));
    for (int i = 0; i < OTHER; i++)
        sums->part_us[i] = whole(ratio((double)sums->part_us[i], n));
}

static void read_chip(struct tracker *t, uint32_t number)
{
    const struct xpd_plane *plane = &t->walk.trace->space->plane[number];
    xpd_ops_walk_plane(&t->walk, number, NULL, 0);
    for (uint32_t l = 0; l < plane->line_count; l++)
        if (xpd_str_eq(xpd_ops_line_name(&t->walk, &plane->line[l]), XPD_STR("XLA Modules"))) {
            t->line = &plane->line[l];
            xpd_ops_walk_line(&t->walk, t->line, add_run, t);
            break;
        }
    for (uint32_t l = 0; l < plane->line_count; l++)
        if (xpd_str_eq(xpd_ops_line_name(&t->walk, &plane->line[l]), XPD_STR("XLA Ops"))) {
            t->line = &plane->line[l];
            xpd_ops_walk_line(&t->walk, t->line, take_operation, t);
        }
    for (size_t i = 0; i < t->sums.count; i++)
        make_means(&t->sums.at[i]);
}

/* Whether some event name of the host's threads contains MegaScale. */
static bool has_traffic(const struct xpd_trace *trace)
{
    uint32_t plane = xpd_file_plane_called(trace, "/host:CPU");
    const struct xpd_plane_tables *tables = &trace->tables[plane == XPD_NO_INDEX ? 0 : plane];
    for (uint32_t i = 0; plane != XPD_NO_INDEX && i < tables->event_count; i++)
        if (xpd_str_starts(xpd_intern_get(&trace->names, tables->event[i].name), "MegaScale:"))
            return true;
    return false;
}

struct all { /* of the requested hosts, sums over all executions */
    XPD_VEC(struct sums) list;
    uint32_t hosts, hosts_without;
};

static void add_sums(struct all *all, const struct sums *one)
{
    size_t at = 0;
    while (at < all->list.count && !xpd_str_eq(all->list.at[at].rendezvous, one->rendezvous))
        at++;
    if (at == all->list.count)
        XPD_PUSH(&all->list, (struct sums){.rendezvous = one->rendezvous});
    if (all->list.failed)
        return;
    struct sums *sums = &all->list.at[at], had = *sums;
    *sums = *one; /* texts and bytes: of the last host */
    sums->occurrences += had.occurrences;
    sums->slack_us = had.slack_us + one->slack_us * one->occurrences;
    sums->stall_us = had.stall_us + one->stall_us * one->occurrences;
    sums->observed_us = had.observed_us + one->observed_us * one->occurrences;
    for (int i = 0; i < OTHER; i++)
        sums->part_us[i] = had.part_us[i] + one->part_us[i] * one->occurrences;
}

static int read_traffic(const struct xpd_tool_ctx *ctx, uint32_t number,
                        const struct xpd_file_host *host, struct all *all, struct xpd_err *err)
{
    struct tracker t = {.arena = ctx->arena};
    uint32_t chip = xpd_file_plane_called(host->trace, "/device:TPU:0");
    if (chip == XPD_NO_INDEX)
        return XPD_OK;
    int rc = xpd_ops_walk_init(&t.walk, host->trace, err);
    if (rc == XPD_OK)
        rc = xpd_ops_modules_init(&t.modules, ctx, number, false, ctx->arena);
    if (rc == XPD_OK) {
        read_chip(&t, chip);
        xpd_ops_modules_fini(&t.modules);
    }
    for (size_t i = 0; rc == XPD_OK && i < t.sums.count; i++)
        add_sums(all, &t.sums.at[i]);
    xpd_ops_walk_fini(&t.walk);
    all->list.failed |=
        t.run.failed || t.transfer.failed || t.sums.failed || t.transfer_of_channel.failed;
    XPD_VEC_FINI(&t.run);
    XPD_VEC_FINI(&t.transfer);
    XPD_VEC_FINI(&t.sums);
    xpd_map64_fini(&t.transfer_of_channel);
    xpd_arena_fini(&t.scratch);
    if (all->list.failed || rc == XPD_ENOMEM)
        rc = xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                      "the transfers of this host do not fit the memory of a request");
    return rc;
}

/* XProf makes nothing of a run in which one host has no such traffic. */
static int read_hosts(const struct xpd_tool_ctx *ctx, struct all *all, struct xpd_err *err)
{
    const uint32_t *number;
    uint32_t count = 0;
    int rc = xpd_file_hosts(ctx, &number, &count, err);
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++) {
        struct xpd_file_host host;
        if (!xpd_host_has_events(&ctx->run->host[number[i]]))
            continue;
        rc = xpd_file_host_open(ctx, number[i], &host, err);
        if (rc == XPD_OK && !has_traffic(host.trace))
            all->hosts_without++;
        else if (rc == XPD_OK)
            rc = read_traffic(ctx, number[i], &host, all, err);
    }
    if (all->hosts_without)
        all->list.count = 0;
    for (size_t i = 0; i < all->list.count; i++)
        make_means(&all->list.at[i]);
    return rc;
}

/* ---- the table ---- */

struct row {
    double slack_ms, observed_ms, send_ms, send_done_ms, recv_ms, recv_done_ms, stall_ms, total_ms,
        occurrences, bytes, gbps;
    struct xpd_str rendezvous, recv_op, send_op, type, host_stall, bytes_text;
};

static const struct xpd_column columns[] = {
    XPD_COLUMN_AS(struct row, "rendezvous_name", rendezvous, "Rendezvous Name"),
    XPD_COLUMN_AS(struct row, "recv_op_name", recv_op, "Recv Op Name"),
    XPD_COLUMN_AS(struct row, "send_op_name", send_op, "Send Op Name"),
    XPD_COLUMN_AS(struct row, "transfer_type", type, "Transfer Type"),
    XPD_COLUMN_AS(struct row, "slack_time", slack_ms, "Slack Time (ms)"),
    XPD_COLUMN_AS(struct row, "host_stall", host_stall, "Host Stall (ms)"),
    XPD_COLUMN_AS(struct row, "observed_duration", observed_ms, "Observed Duration (ms)"),
    XPD_COLUMN_AS(struct row, "send_stall", send_ms, "Send Stall (ms)"),
    XPD_COLUMN_AS(struct row, "send_done_stall", send_done_ms, "SendDone Stall (ms)"),
    XPD_COLUMN_AS(struct row, "recv_stall", recv_ms, "Recv Stall (ms)"),
    XPD_COLUMN_AS(struct row, "recv_done_stall", recv_done_ms, "RecvDone Stall (ms)"),
    XPD_COLUMN_AS(struct row, "stall_duration", stall_ms, "Stall Duration (ms)"),
    XPD_COLUMN_AS(struct row, "total_stall", total_ms, "Aggregated Total Stall (ms)"),
    XPD_COLUMN(struct row, occurrences, "Occurrences"),
    {.id = "net_tx_bytes",
     .label = "Data Transmitted Size",
     .kind = XPD_CELL_NUMBER,
     .at = offsetof(struct row, bytes),
     .shown_at = offsetof(struct row, bytes_text)},
    XPD_COLUMN_AS(struct row, "required_bandwidth", gbps, "Required Bandwidth (Gbps)"),
};

/* "77B", "1.0K", "3.25M". */
static struct xpd_str bytes_text(struct xpd_arena *arena, uint64_t bytes)
{
    static const char units[] = "KMGTPE";
    const char *unit = units;
    for (; bytes >= 1024 * 1024 && unit[1]; unit++)
        bytes /= 1024;
    const char *text = bytes < 1024 ? xpd_arena_printf(arena, "%" PRIu64 "B", bytes)
                                    : xpd_arena_printf(arena, "%.*f%c", *unit == 'K' ? 1 : 2,
                                                       (double)bytes / 1024, *unit);
    return text ? xpd_str_of(text) : XPD_STR("");
}

static struct row row_of(struct xpd_arena *arena, const struct sums *sums)
{
    double bits_us = ratio((double)sums->bytes, (double)sums->slack_us);
    return (struct row){.rendezvous = sums->rendezvous,
                        .recv_op = sums->recv_op,
                        .send_op = sums->send_op,
                        .type = sums->type,
                        .slack_ms = (double)sums->slack_us / 1e3,
                        .host_stall = XPD_STR("-"), /* XProf reads no host's events for it */
                        .observed_ms = (double)sums->observed_us / 1e3,
                        .send_ms = (double)sums->part_us[SEND] / 1e3,
                        .send_done_ms = (double)sums->part_us[SEND_DONE] / 1e3,
                        .recv_ms = (double)sums->part_us[RECV] / 1e3,
                        .recv_done_ms = (double)sums->part_us[RECV_DONE] / 1e3,
                        .stall_ms = (double)sums->stall_us / 1e3,
                        .total_ms = (double)(sums->stall_us * sums->occurrences) / 1e3,
                        .occurrences = (double)sums->occurrences,
                        .bytes = (double)sums->bytes,
                        .bytes_text = bytes_text(arena, sums->bytes),
                        .gbps = sums->slack_us ? bits_us * (8e-9 / 1e-6) : INT32_MAX};
}

static int megascale(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    struct all all = {0};
    struct xpd_data_table table = {XPD_COLUMNS(columns), .row_bytes = sizeof(struct row)};
    int rc = read_hosts(ctx, &all, err);
    struct row *row = XPD_NEW_ARRAY(ctx->arena, struct row, all.list.count);
    for (size_t i = 0; row && i < all.list.count; i++)
        row[i] = row_of(ctx->arena, &all.list.at[i]);
    table.row = row;
    table.row_count = row ? (uint32_t)all.list.count : 0;
    if (rc == XPD_OK && !row)
        rc = xpd_no_memory(err, NULL, "for this answer");
    XPD_VEC_FINI(&all.list);
    if (rc != XPD_OK)
        return rc;
    rc = xpd_tables_alone(out, ctx, &table, err);
    out->alone = false; /* a list of one table */
    return rc;
}

const struct xpd_table_tool xpd_table_megascale_stats = {.tag = "megascale_stats",
                                                         .make = megascale};
