/* tag=overview_page: the operations with most time, steps, environment and XProf's recommendations.
 * Rules: op_stats_to_overview_page.cc, duty_cycle_tracker.cc. */
#include "../opstats/duty.h"
#include "../opstats/framework.h"
#include "input_pipeline.h"

#include "xprofd/base/vec.h"
#include "xprofd/compat/file_order.h"

#include <stdlib.h>

struct page {
    const struct xpd_tool_ctx *ctx;
    struct xpd_arena *arena;
    struct xpd_pipeline pipeline;
    const struct xpd_op_stats *stats;
    struct xpd_ops_db framework; /* devices' operations by framework operation */
    uint32_t first_host, end_host;
    struct xpd_duty duty; /* of TPUs */
    double mxu_percent, hbm_percent;
    bool trains;
};

static int no_room(struct xpd_err *err)
{
    return xpd_no_memory(err, NULL, "for this answer");
}

static int read_duty(struct page *page, uint32_t host, struct xpd_err *err)
{
    const struct xpd_duty *one;
    int rc = xpd_duty_of_host(page->ctx, host, &one, err);
    if (rc != XPD_OK)
        return rc;
    page->duty.busy_ps += one->busy_ps;
    page->duty.idle_ps += one->idle_ps;
    page->duty.sure_busy_ps += one->sure_busy_ps;
    page->duty.sure_idle_ps += one->sure_idle_ps;
    return XPD_OK;
}

/* ---- data of hosts ---- */

static double host_percent(const struct xpd_xspace *space, const char *name)
{
    for (uint32_t p = 0; p < space->plane_count; p++) {
        const struct xpd_plane *plane = &space->plane[p];
        if (!xpd_str_eq(xpd_intern_get(&space->names, plane->name), XPD_STR("/host:CPU")))
            continue;
        for (uint32_t i = 0; i < plane->stat_count; i++)
            if (plane->stat[i].type == XPD_STAT_DOUBLE &&
                xpd_str_eq(xpd_intern_get(&space->names, plane->stat[i].name), xpd_str_of(name)))
                return plane->stat[i].real;
        break;
    }
    return 0;
}

/* Some operation of a program computes gradients. */
static bool module_trains(const struct page *page, uint32_t module)
{
    const struct xpd_hlo *hlo;
    struct xpd_err unread = {0};
    if (xpd_store_module(page->ctx->store, page->ctx->run, module, &hlo, NULL, &unread) != XPD_OK)
        return false;
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.op_name[i]);
        if (xpd_ops_is_gradient(name, XPD_STR("")) || xpd_ops_is_gradient(name, XPD_STR("X")))
            return true;
    }
    return false;
}

static bool host_trains(const struct page *page, uint32_t host)
{
    for (uint32_t m = 0; m < page->ctx->run->module_count; m++)
        if (xpd_module_is_on_host(&page->ctx->run->module[m], host) && module_trains(page, m))
            return true;
    return false;
}

/* Of several hosts the last one in XProf's order says whether the run trains. A file without a
 * byte, which has no space, is a host without programs there. */
static int read_hosts(struct page *page, struct xpd_err *err)
{
    double count = page->end_host - page->first_host;
    const uint32_t *number = xpd_host_order(page->ctx->run, page->ctx->arena);
    int rc = number ? XPD_OK : xpd_no_memory(err, NULL, "for this answer");
    for (uint32_t i = 0; rc == XPD_OK && i < page->ctx->run->host_count; i++) {
        uint32_t h = number[i];
        if (h < page->first_host || h >= page->end_host)
            continue;
        const struct xpd_xspace *space = page->ctx->run->host[h].space;
        page->trains = space && host_trains(page, h);
        if (!space)
            continue;
        page->mxu_percent += host_percent(space, "matrix_unit_utilization_percent") / count;
        page->hbm_percent += host_percent(space, "hbm_utilization_percent") / count;
        if (page->stats->hardware == XPD_OPS_TPU && xpd_host_has_events(&page->ctx->run->host[h]))
            rc = read_duty(page, h, err);
    }
    return rc;
}

/* ---- operations ---- */

struct top_op {
    double share, sum, flop_rate;
    bool eligible, uses;
    struct xpd_str category, name;
};
static const struct xpd_column gpu_columns[] = {
    XPD_COLUMN_AS(struct top_op, "selfTimePercent", share, "Time (%)"),
    XPD_COLUMN_AS(struct top_op, "cumulativeTimePercent", sum, "Cumulative time (%)"),
    XPD_COLUMN(struct top_op, category, "Category"),
    XPD_COLUMN_AS(struct top_op, "operation", name, "Operation"),
    XPD_COLUMN_AS(struct top_op, "flopRate", flop_rate, "GFLOPs/Sec"),
    XPD_COLUMN_AS(struct top_op, "tcEligibility", eligible, "TensorCore eligibility"),
    XPD_COLUMN_AS(struct top_op, "tcUtilization", uses, "Op is using TensorCore"),
};
static const struct xpd_column tpu_columns[] = {
    XPD_COLUMN_AS(struct top_op, "selfTimePercent", share, "Time (%)"),
    XPD_COLUMN_AS(struct top_op, "cumulativeTimePercent", sum, "Cumulative time (%)"),
    XPD_COLUMN(struct top_op, category, "Category"),
    XPD_COLUMN_AS(struct top_op, "operation", name, "Operation"),
    XPD_COLUMN_AS(struct top_op, "flopRate", flop_rate, "Bf16 Normalized Flop Rate(GFLOPs/Sec)"),
};

enum { TOP = 10 };

static bool top_rows(struct page *page, struct xpd_data_table *table)
{
    const struct xpd_ops_db *db = &page->framework;
    struct top_op *row = XPD_NEW_ARRAY(page->arena, struct top_op, TOP);
    uint32_t count, kept = 0;
    const struct xpd_ops_metrics **op =
        xpd_ops_sorted(db->at, db->count, TOP + 1, &count, page->arena);
    double sum = 0;
    if (!row || !op)
        return false;
    for (uint32_t i = 0; i < count && kept < TOP; i++) {
        if (xpd_ops_is_idle(op[i]))
            continue;
        struct xpd_ops_tensor_cores cores = xpd_ops_tensor_cores_of(page->stats, op[i]->name);
        double share = xpd_ops_divide((double)op[i]->self_ps, (double)db->total_op_ps);
        sum += share;
        row[kept++] = (struct top_op){
            .share = share,
            .sum = sum,
            .category = op[i]->category,
            .name = op[i]->name,
            .flop_rate = xpd_ops_divide(op[i]->flops_v2, (double)op[i]->time_ps / 1e3),
            .eligible = cores.eligible,
            .uses = cores.busy_ns != 0};
    }
    table->row = row;
    table->row_bytes = sizeof *row;
    table->row_count = kept;
    return true;
}

struct shares { /* of all operations of a database */
    uint64_t occurrences, self_ps, eager_ps;
};

static struct shares shares_of(const struct xpd_ops_db *db)
{
    struct shares shares = {0};
    for (uint32_t i = 0; i < db->count; i++) {
        if (xpd_ops_is_idle(&db->at[i]))
            continue;
        shares.occurrences += db->at[i].occurrences;
        shares.self_ps += db->at[i].self_ps;
        shares.eager_ps += db->at[i].eager ? db->at[i].self_ps : 0;
    }
    return shares;
}

static void percent(struct xpd_properties *list, const char *name, double value)
{
    xpd_properties_put(list, name,
                       value >= 0 ? xpd_str_of(xpd_arena_printf(list->arena, "%.1f%%", value))
                                  : XPD_STR("unknown"));
}

static double percent_of(double part, double all)
{
    return 100.0 * xpd_ops_divide(part, all);
}

static double idle_percent(const struct xpd_ops_db *db)
{
    return (1.0 - xpd_ops_divide((double)db->total_op_ps, (double)db->total_ps)) * 100.0;
}

static void put_common(const struct page *page, struct xpd_properties *list)
{
    struct shares host = shares_of(&page->stats->host), device = shares_of(&page->framework);
    double all = (double)(host.occurrences + device.occurrences);
    xpd_properties_put(list, "host_trace_level", XPD_STR("0"));
    percent(list, "host_tf_op_percent", percent_of((double)host.occurrences, all));
    percent(list, "device_tf_op_percent", percent_of((double)device.occurrences, all));
    percent(list, "host_op_time_eager_percent",
            percent_of((double)host.eager_ps, (double)host.self_ps));
    percent(list, "device_op_time_eager_percent",
            percent_of((double)device.eager_ps, (double)device.self_ps));
    xpd_properties_put(list, "remark_text", XPD_STR(""));
    xpd_properties_put(list, "remark_color", XPD_STR(""));
    percent(list, "mxu_utilization_percent", page->mxu_percent);
    percent(list, "hbm_utilization_percent", page->hbm_percent);
}

static void put_gpu(const struct page *page, struct xpd_properties *list)
{
    const struct xpd_xprof_steps *steps = &page->pipeline.steps;
    double all = (double)(steps->compute_16_ps + steps->compute_32_ps);
    percent(list, "device_compute_16bit_percent", percent_of((double)steps->compute_16_ps, all));
    percent(list, "device_compute_32bit_percent", percent_of((double)steps->compute_32_ps, all));
}

static void put_active(const struct page *page, struct xpd_properties *list)
{
    const struct xpd_pipeline *p = &page->pipeline;
    const struct {
        const char *name;
        int digits;
        double ms;
        bool said;
    } means[] = {{"active_steptime_ms_average", 2, p->active_ms, p->active_ms != 0},
                 {"tc_active_ms_average", 2, p->tensor_active_ms, p->tensor_active_ms != 0},
                 {"sc_active_ms_average", 2, p->sparse_active_ms, p->sparse_active_ms != 0},
                 {"sc_steptime_average", 1, p->sparse_ms, p->sparse_ms != 0},
                 {"sc_infeed_time_avg", 1, p->sparse_infeed_ms, p->sparse_ms != 0},
                 {"sc_outfeed_time_avg", 1, p->sparse_outfeed_ms, p->sparse_ms != 0},
                 {"sc_idle_time_avg", 1, p->sparse_idle_ms, p->sparse_ms != 0}};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        if (means[i].said)
            xpd_properties_put(list, means[i].name,
                               xpd_table_digits(list->arena, means[i].digits, means[i].ms));
}

/* XProf hands the limits of the chip to none of its pages, so the two shares of them are 0. */
static void put_tpu(const struct page *page, struct xpd_properties *list)
{
    bool tpu = page->stats->hardware == XPD_OPS_TPU;
    const struct xpd_duty *d = &page->duty;
    double duty = xpd_ops_divide((double)d->busy_ps, (double)(d->busy_ps + d->idle_ps));
    double sure =
        xpd_ops_divide((double)d->sure_busy_ps, (double)(d->sure_busy_ps + d->sure_idle_ps));
    percent(list, "flop_rate_utilization_relative_to_roofline", 0);
    percent(list, "memory_bw_utilization_relative_to_hw_limit", 0);
    percent(list, "device_idle_time_percent", tpu ? idle_percent(&page->stats->device) : 0);
    percent(list, "host_idle_time_percent", tpu ? idle_percent(&page->stats->host) : 0);
    percent(list, "device_duty_cycle_percent", duty * 100.0);
    percent(list, "device_duty_cycle_high_confidence_percent", sure * 100.0);
    if (d->sure_idle_ps)
        xpd_properties_put(
            list, "idle_time_high_confidence_ps",
            xpd_str_of(xpd_arena_printf(list->arena, "%g", (double)d->sure_idle_ps)));
    put_active(page, list);
}

static int make_analysis(struct page *page, struct xpd_data_table *table, struct xpd_err *err)
{
    struct xpd_properties list;
    bool gpu = xpd_str_find(page->stats->device_type, XPD_STR("GPU"), false) != SIZE_MAX;
    *table = (struct xpd_data_table){XPD_COLUMNS(tpu_columns)};
    if (gpu)
        *table = (struct xpd_data_table){XPD_COLUMNS(gpu_columns)};
    if (!top_rows(page, table))
        return no_room(err);
    xpd_properties_init(&list, page->arena);
    put_common(page, &list);
    if (gpu)
        put_gpu(page, &list);
    else
        put_tpu(page, &list);
    xpd_properties_done(&list, table);
    return XPD_OK;
}

/* ---- environment ---- */

struct job {
    struct xpd_str host_id, command_line, start_time, bns_address;
};
static const struct xpd_column job_columns[] = {
    XPD_COLUMN(struct job, host_id, "host_id"),
    XPD_COLUMN(struct job, command_line, "command_line"),
    XPD_COLUMN(struct job, start_time, "start_time"),
    XPD_COLUMN(struct job, bns_address, "bns_address"),
};

static uint32_t different(const struct xpd_str *text, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < i && !xpd_str_eq(text[k], text[i]))
            k++;
        found += k == i;
    }
    return found;
}

static void make_environment(const struct page *page, struct xpd_data_table *table)
{
    struct xpd_properties list;
    const struct xpd_xprof_steps *steps = &page->pipeline.steps;
    uint32_t hosts = different(steps->hostname, steps->host_count), tasks = steps->host_count;
    *table = (struct xpd_data_table){XPD_COLUMNS(job_columns)};
    xpd_properties_init(&list, page->arena);
    xpd_properties_put(&list, "host_count", xpd_str_of(xpd_arena_printf(page->arena, "%u", hosts)));
    xpd_properties_put(&list, "task_count",
                       xpd_str_of(xpd_arena_printf(page->arena, "%u (num tasks per host = %u)",
                                                   tasks, hosts ? tasks / hosts : 0)));
    xpd_properties_put(&list, "device_type", page->stats->device_type);
    xpd_properties_put(&list, "device_core_count",
                       xpd_str_of(xpd_arena_printf(page->arena, "%u", page->stats->core_count)));
    xpd_properties_put(&list, "is_training", page->trains ? XPD_STR("true") : XPD_STR("false"));
    xpd_properties_done(&list, table);
}

/* ---- recommendations ---- */

struct tip {
    struct xpd_str type, link, description;
};
static const struct xpd_column tip_columns[] = {
    XPD_COLUMN_AS(struct tip, "tip_type", type, "tip_type"),
    XPD_COLUMN(struct tip, link, "link"),
    XPD_COLUMN(struct tip, description, "description"),
};

static bool tip_rows(const struct page *page, struct xpd_data_table *table)
{
    enum { TIPS = 7 };
    bool tpu = page->stats->hardware == XPD_OPS_TPU;
    const char *device = tpu                                    ? "TPU"
                         : page->stats->hardware == XPD_OPS_GPU ? "GPU"
                         : page->stats->hardware == XPD_OPS_CPU ? "CPU_ONLY"
                                                                : "UNKNOWN_HARDWARE";
    struct xpd_str host = XPD_STR("host"),
                   on_host = XPD_STR("Next steps for reducing the Host time"),
                   on_device = XPD_STR("Next steps for reducing the Device time"),
                   more = XPD_STR("Other useful resources");
    const struct tip tips[TIPS] = {
        {XPD_STR("faq"), XPD_STR("Refer to the TF2 Profiler FAQ"),
         XPD_STR("Tool troubleshooting / FAQ")},
        {host,
         XPD_STR("input_pipeline_analyzer (especially Section 3 for the breakdown of input "
                 "operations on the Host)"),
         on_host},
        {host,
         XPD_STR("trace_viewer (look at the activities on the timeline of each Host Thread near "
                 "the bottom of the trace view)"),
         on_host},
        {XPD_STR("device"),
         xpd_str_of(xpd_arena_printf(
             page->arena, "%s (identify the time-consuming operations executed on the %s)",
             tpu ? "op_profile" : "framework_op_stats", device)),
         on_device},
        {XPD_STR("device"),
         xpd_str_of(xpd_arena_printf(
             page->arena,
             "trace_viewer (look at the activities on the timeline of each %s in the trace view)",
             tpu ? "TPU core" : device)),
         on_device},
        {XPD_STR("doc"),
         XPD_STR("<a href=\"https://www.tensorflow.org/guide/data_performance_analysis\" "
                 "target=\"_blank\">Analyze tf.data performance with the TF Profiler</a>"),
         more},
        {XPD_STR("doc"),
         XPD_STR("<a href=\"https://www.tensorflow.org/guide/data_performance\" "
                 "target=\"_blank\">Better performance with the tf.data API</a>"),
         more}};
    *table = (struct xpd_data_table){XPD_COLUMNS(tip_columns),
                                     .row = XPD_COPY_ARRAY(page->arena, tips, TIPS),
                                     .row_bytes = sizeof *tips, .row_count = TIPS};
    return table->row != NULL;
}

static struct xpd_str precision(const struct page *page)
{
    const struct xpd_xprof_steps *steps = &page->pipeline.steps;
    uint64_t all_ps = steps->compute_16_ps + steps->compute_32_ps;
    double percent_16 = all_ps ? 100.0 * (double)steps->compute_16_ps / (double)all_ps : 100;
    if (percent_16 >= 10)
        return XPD_STR("");
    return xpd_str_of(xpd_arena_printf(
        page->arena,
        "Only %.1f%% of device computation is 16 bit. So you might want to replace more 32-bit Ops "
        "by 16-bit Ops to improve performance (if the reduced accuracy is acceptable).",
        percent_16));
}

static void put_verdict(const struct page *page, struct xpd_properties *list)
{
    struct xpd_verdict v = page->pipeline.verdict;
    bool tpu = page->stats->hardware == XPD_OPS_TPU;
    if (tpu && page->pipeline.steps.count == 0) {
        v.input = XPD_STR("unknown");
        v.statement = XPD_STR("No step time measured. Therefore we cannot tell where the "
                              "performance bottleneck is.");
        v.launch = v.other = v.collectives = XPD_STR("no");
    } /* else XProf cannot read a TPU's steps here: all are empty */
    xpd_properties_put(list, "bottleneck", v.input);
    xpd_properties_put(list, "statement", v.statement);
    xpd_properties_put(list, "kernel_launch_bottleneck", v.launch);
    xpd_properties_put(list, "kernel_launch_statement", v.launch_statement);
    xpd_properties_put(list, "all_other_bottleneck", v.other);
    xpd_properties_put(list, "all_other_statement", v.other_statement);
    xpd_properties_put(list, "device_collectives_bottleneck", v.collectives);
    xpd_properties_put(list, "device_collectives_statement", v.collectives_statement);
    xpd_properties_put(list, "precision_statement", precision(page));
    xpd_properties_put(list, "non_bottleneck_tip_types",
                       xpd_str_eq(v.input, XPD_STR("host"))     ? XPD_STR("device")
                       : xpd_str_eq(v.input, XPD_STR("device")) ? XPD_STR("host")
                                                                : XPD_STR(""));
}

static int make_tips(const struct page *page, struct xpd_data_table *table, struct xpd_err *err)
{
    struct xpd_properties list;
    if (!tip_rows(page, table))
        return no_room(err);
    xpd_properties_init(&list, page->arena);
    put_verdict(page, &list);
    xpd_properties_done(&list, table);
    return XPD_OK;
}

/* ---- diagnostics ---- */

static bool has_message(const struct xpd_message *list, uint32_t count, struct xpd_str text)
{
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(list[i].message, text))
            return true;
    return false;
}

static int by_text(const void *a, const void *b)
{
    return xpd_str_order(((const struct xpd_message *)a)->message,
                         ((const struct xpd_message *)b)->message);
}

/* Errors and warnings of the files, each once a host and in order. */
static uint32_t add_messages(const struct page *page, struct xpd_message *list, bool errors)
{
    uint32_t count = 0;
    for (uint32_t h = page->first_host; h < page->end_host; h++) {
        const struct xpd_xspace *space = page->ctx->run->host[h].space;
        uint32_t of_host = count;
        uint32_t most = !space ? 0 : errors ? space->error_count : space->warning_count;
        for (uint32_t i = 0; i < most; i++) {
            struct xpd_str text =
                xpd_intern_get(&space->names, errors ? space->error[i] : space->warning[i]);
            if (!has_message(list + of_host, count - of_host, text))
                list[count++] =
                    (struct xpd_message){errors ? XPD_STR("ERROR") : XPD_STR("WARNING"), text};
        }
    }
    if (count > 1)
        qsort(list, count, sizeof *list, by_text);
    return count;
}

static int make_diagnostics(const struct page *page, struct xpd_data_table *table,
                            struct xpd_err *err)
{
    size_t room = 2;
    for (uint32_t h = page->first_host; h < page->end_host; h++)
        if (page->ctx->run->host[h].space)
            room += page->ctx->run->host[h].space->error_count +
                    page->ctx->run->host[h].space->warning_count;
    struct xpd_message *list = XPD_NEW_ARRAY(page->arena, struct xpd_message, room);
    const char *warning = xpd_step_warning(&page->pipeline.steps);
    if (!list)
        return no_room(err);
    uint32_t count = add_messages(page, list, false);
    if (warning)
        list[count++] = (struct xpd_message){XPD_STR("WARNING"), xpd_str_of(warning)};
    uint32_t errors = add_messages(page, list + count, true);
    if (errors == 0 && page->stats->core_count == 0 &&
        !xpd_str_eq(page->stats->device_type, XPD_STR("CPU")))
        list[count + errors++] = (struct xpd_message){
            XPD_STR("ERROR"),
            XPD_STR("No TensorCore device trace was collected. This might happen if your job "
                    "hadn't been run on the device when sampling was turned on. You could try the "
                    "sampling again later.")};
    return xpd_message_table(page->arena, list, count + errors, table, err);
}

/* ---- the page ---- */

enum { ANALYSIS, STEPS, ENVIRONMENT, TIPS_TABLE, LATENCY, NOTHING, DIAGNOSTICS, PAGE_TABLES };

static int fill(struct page *page, struct xpd_data_table *table, struct xpd_err *err)
{
    int rc = read_hosts(page, err);
    xpd_ops_db_init(&page->framework, page->arena);
    xpd_ops_by_framework(&page->framework, page->stats);
    if (rc == XPD_OK)
        rc = page->framework.failed ? no_room(err) : make_analysis(page, &table[ANALYSIS], err);
    if (rc == XPD_OK)
        rc = make_tips(page, &table[TIPS_TABLE], err);
    if (rc == XPD_OK)
        rc = make_diagnostics(page, &table[DIAGNOSTICS], err);
    table[STEPS] = page->pipeline.by_step;
    make_environment(page, &table[ENVIRONMENT]);
    if (rc == XPD_OK)
        rc = xpd_request_latencies(page->ctx, page->trains, &table[LATENCY], err);
    table[NOTHING] = (struct xpd_data_table){.nothing = true};
    xpd_ops_db_fini(&page->framework);
    return rc;
}

static int make(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    /* Steps need op stats at their end, and take longest of the three. */
    static const struct xpd_host_table *const ahead[] = {&xpd_op_stats_table,
                                                         &xpd_xprof_steps_table, &xpd_duty_table};
    struct page page = {.ctx = ctx, .arena = ctx->arena};
    struct xpd_data_table *table = XPD_NEW_ARRAY(ctx->arena, struct xpd_data_table, PAGE_TABLES);
    if (!table)
        return no_room(err);
    int rc = xpd_file_hosts_meant(ctx, &page.first_host, &page.end_host, err);
    if (rc == XPD_OK) {
        xpd_host_tables_ahead(ctx, ahead, sizeof ahead / sizeof *ahead);
        rc = xpd_pipeline_of(ctx, &page.pipeline, err);
    }
    page.stats = page.pipeline.stats;
    if (rc == XPD_OK)
        rc = fill(&page, table, err);
    *out = (struct xpd_tables){.table = table, .count = PAGE_TABLES};
    return rc;
}

const struct xpd_table_tool xpd_table_overview_page = {.tag = "overview_page", .make = make};
