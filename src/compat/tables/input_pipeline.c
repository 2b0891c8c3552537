/* tag=input_pipeline_analyzer: steps by kinds of time, the host's input operations, and what XProf
 * advises. Rules: op_stats_to_input_pipeline_analysis.cc. */
#include "input_pipeline.h"

#include "../opstats/tpu_step.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int no_room(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "the steps of this run do not fit the memory of a request");
}

/* ---- small things ---- */

struct xpd_str xpd_table_digits(struct xpd_arena *arena, int digits, double value)
{
    return isnan(value) ? XPD_STR("-nan")
                        : xpd_str_of(xpd_arena_printf(arena, "%.*f", digits, value));
}

void xpd_properties_init(struct xpd_properties *list, struct xpd_arena *arena)
{
    enum { ROOM = 64 };
    *list = (struct xpd_properties){.arena = arena, .room = ROOM};
    list->at = XPD_NEW_ARRAY(arena, struct xpd_property, ROOM);
}

void xpd_properties_put(struct xpd_properties *list, const char *name, struct xpd_str value)
{
    if (list->at && list->count < list->room)
        list->at[list->count++] = (struct xpd_property){name, value};
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct xpd_property *)a)->name, ((const struct xpd_property *)b)->name);
}

void xpd_properties_done(struct xpd_properties *list, struct xpd_data_table *table)
{
    if (list->at)
        qsort(list->at, list->count, sizeof *list->at, by_name);
    table->property = list->at;
    table->property_count = list->at ? list->count : 0;
}

static const struct xpd_column message_columns[] = {
    XPD_COLUMN(struct xpd_message, severity, "Severity"),
    XPD_COLUMN(struct xpd_message, message, "Message"),
};

int xpd_message_table(struct xpd_arena *arena, const struct xpd_message *message, uint32_t count,
                      struct xpd_data_table *table, struct xpd_err *err)
{
    *table = (struct xpd_data_table){XPD_COLUMNS(message_columns),
                                     .row = XPD_COPY_ARRAY(arena, message, count),
                                     .row_bytes = sizeof *message, .row_count = count};
    return table->row ? XPD_OK : no_room(err);
}

/* XProf's running statistics: its maximum begins with the least positive number. */
struct sample {
    uint64_t count;
    double sum, squares, least, most;
};
#define NO_SAMPLE ((struct sample){.least = DBL_MAX, .most = DBL_MIN})

static void add(struct sample *s, double value)
{
    s->count++;
    s->sum += value;
    s->squares += value * value;
    s->least = value < s->least ? value : s->least;
    s->most = value > s->most ? value : s->most;
}

static double mean(const struct sample *s)
{
    return s->count ? s->sum / (double)s->count : 0;
}

/* Of one step that took no time it is 0 / 0. */
static double deviation(const struct sample *s)
{
    if (s->count == 0 || s->least == s->most)
        return 0;
    double n = (double)s->count;
    return sqrt((s->squares - s->sum * s->sum / n) / (n - 1));
}

static void put_range(struct xpd_properties *p, int digits, const struct sample *s,
                      const char *const name[4])
{
    xpd_properties_put(p, name[0], xpd_table_digits(p->arena, digits, mean(s)));
    xpd_properties_put(p, name[1], xpd_table_digits(p->arena, digits, deviation(s)));
    xpd_properties_put(p, name[2], xpd_table_digits(p->arena, digits, s->count ? s->least : 0));
    xpd_properties_put(p, name[3], xpd_table_digits(p->arena, digits, s->count ? s->most : 0));
}

static const char *const step_time_names[4] = {"steptime_ms_average",
                                               "steptime_ms_standard_deviation",
                                               "steptime_ms_minimum", "steptime_ms_maximum"};

/* A step takes as long as on its slowest core. */
static struct sample step_times(const struct xpd_xprof_steps *steps)
{
    struct sample all = NO_SAMPLE;
    for (uint32_t s = 0; s < steps->count; s++) {
        double longest_ms = 0;
        for (uint32_t c = 0; c < steps->step[s].core_count; c++) {
            const struct xpd_step_core *core = &steps->step[s].core[c];
            double ms = (double)core->duration_ps / 1e9;
            if (core->core < XPD_STEP_SPARSE_CORE && ms > longest_ms)
                longest_ms = ms;
        }
        add(&all, longest_ms);
    }
    return all;
}

static const char *hardware_word(const struct xpd_op_stats *stats)
{
    return stats->hardware == XPD_OPS_TPU   ? "TPU"
           : stats->hardware == XPD_OPS_GPU ? "GPU"
           : stats->hardware == XPD_OPS_CPU ? "CPU_ONLY"
                                            : "UNKNOWN_HARDWARE";
}

/* ---- conclusions ---- */

static struct xpd_str sentence(struct xpd_arena *arena, const char *before, double percent,
                               const char *behind)
{
    struct xpd_str digits = xpd_table_digits(arena, 1, percent);
    return xpd_str_of(
        xpd_arena_printf(arena, "%s%.*s%s", before, (int)digits.size, digits.data, behind));
}

/* True if the conclusion is about other time. */
static bool judge_input(struct xpd_arena *arena, double input, double other,
                        struct xpd_str *verdict, struct xpd_str *statement)
{
    if (input >= 20) {
        *verdict = XPD_STR("host");
        *statement = sentence(arena, "Your program is HIGHLY input-bound because ", input,
                              "% of the total step time sampled is waiting for input. Therefore, "
                              "you should first focus on reducing the input time.");
    } else if (input >= 5) {
        *verdict = XPD_STR("both");
        *statement = sentence(arena, "Your program is MODERATELY input-bound because ", input,
                              "% of the total step time sampled is waiting for input. Therefore, "
                              "you would need to reduce both the input time and other time.");
    } else if (other >= 3) {
        *verdict = XPD_STR("both");
        *statement = sentence(arena, "Your program is POTENTIALLY input-bound because ", other,
                              "% of the total step time sampled is spent on 'All Others' time "
                              "(which could be due to I/O or Python execution or both).");
        return true;
    } else {
        *verdict = XPD_STR("device");
        *statement = sentence(arena, "Your program is NOT input-bound because only ", input,
                              "% of the total step time sampled is waiting for input. Therefore, "
                              "you should focus on reducing other time.");
    }
    return false;
}

static void judge_share(struct xpd_arena *arena, double percent, const char *what,
                        struct xpd_str *verdict, struct xpd_str *statement)
{
    *verdict = percent >= 15 ? XPD_STR("high") : percent >= 3 ? XPD_STR("moderate") : XPD_STR("no");
    *statement = percent >= 3 ? sentence(arena, "", percent, what) : XPD_STR("");
}

static bool uses_tf_data(const struct xpd_input_times *input)
{
    return input->demanded_read > 0 || input->advanced_read > 0 || input->preprocessing > 0;
}

static struct xpd_str next_step(const struct xpd_pipeline *p, struct xpd_str verdict)
{
    if (!xpd_str_eq(verdict, XPD_STR("host")) && !xpd_str_eq(verdict, XPD_STR("both")))
        return XPD_STR("You may skip the rest of this page.");
    if (uses_tf_data(&p->input))
        return XPD_STR("Look at Section 3 for the breakdown of input time on the host.");
    return XPD_STR("Consider using <a href=\"https://www.tensorflow.org/guide/data\" "
                   "target=\"_blank\">the tf.data API</a> to enable profiler's host-side analysis "
                   "for input pipeline. Profiler currently does not support custom input pipeline "
                   "(please ignore Section 3 below).");
}

/* ---- steps of CPUs and GPUs ---- */

struct plain_step {
    double compute, device_to_device, collectives, host_compute, launch, input, output, compile,
        other, all;
    struct xpd_str name, tooltip;
    double wait, to_device; /* of input */
};

static const struct xpd_column plain_columns[] = {
    XPD_COLUMN_AS(struct plain_step, "stepnum", name, "Step number"),
    XPD_COLUMN_AS(struct plain_step, "deviceComputeTimeMs", compute, "Device compute"),
    XPD_COLUMN_AS(struct plain_step, "deviceToDeviceTimeMs", device_to_device, "Device to device"),
    XPD_COLUMN_AS(struct plain_step, "deviceCollectivesTimeMs", collectives,
                  "Device collective communication"),
    XPD_COLUMN_AS(struct plain_step, "hostComputeTimeMs", host_compute, "Host compute"),
    XPD_COLUMN_AS(struct plain_step, "kernelLaunchTimeMs", launch, "Kernel launch"),
    XPD_COLUMN_AS(struct plain_step, "infeedTimeMs", input, "Input"),
    XPD_COLUMN_AS(struct plain_step, "outfeedTimeMs", output, "Output"),
    XPD_COLUMN_AS(struct plain_step, "compileTimeMs", compile, "Compilation"),
    XPD_COLUMN_AS(struct plain_step, "otherTimeMs", other, "All others"),
    {.id = "tooltip",
     .label = "tooltip",
     .kind = XPD_CELL_TEXT,
     .at = offsetof(struct plain_step, tooltip),
     .role = "tooltip"},
    XPD_COLUMN_AS(struct plain_step, "stepTimeMs", all, "Step time"),
};

static double ms(uint64_t ps)
{
    return (double)ps / 1e9;
}

static struct plain_step plain_of(struct xpd_arena *arena, const struct xpd_step_core *core)
{
    const uint64_t *ps = core->kind_ps;
    struct plain_step s = {
        .compute = ms(ps[XPD_STEP_COMPUTE_16]) + ms(ps[XPD_STEP_COMPUTE_32]),
        .device_to_device = ms(ps[XPD_STEP_DEVICE_TO_DEVICE]) + ms(ps[XPD_STEP_WAIT_DEVICE]),
        .collectives = ms(ps[XPD_STEP_COLLECTIVES]),
        .host_compute = ms(ps[XPD_STEP_HOST_COMPUTE]),
        .launch = ms(ps[XPD_STEP_HOST_PREPARE]),
        .wait = ms(ps[XPD_STEP_WAIT_INPUT]),
        .to_device = ms(ps[XPD_STEP_HOST_TO_DEVICE]) + ms(ps[XPD_STEP_WAIT_HOST]),
        .output = ms(ps[XPD_STEP_DEVICE_TO_HOST]),
        .compile = ms(ps[XPD_STEP_HOST_COMPILE]),
        .other = ms(ps[XPD_STEP_UNKNOWN]),
        .all = ms(core->duration_ps),
        .name = core->name};
    s.input = s.wait + s.to_device;
    if (s.name.size == 0)
        s.name = xpd_str_of(xpd_arena_printf(arena, "%u", core->number));
    s.tooltip = xpd_str_of(xpd_arena_printf(
        arena,
        "Step %.*s, duration: %.2f ms\n-All others: %.2f ms\n-Compilation: %.2f ms\n-Output: %.2f "
        "ms\n-Input: %.2f ms\n-Kernel launch: %.2f ms\n-Host compute: %.2f ms\n-Device "
        "collectives: %.2f ms\n-Device to device: %.2f ms\n-Device compute: %.2f ms",
        (int)s.name.size, s.name.data, s.all, s.other, s.compile, s.output, s.input, s.launch,
        s.host_compute, s.collectives, s.device_to_device, s.compute));
    return s;
}

/* One column of all steps. */
static struct sample sample_of(const struct xpd_data_table *table, size_t at)
{
    struct sample sample = NO_SAMPLE;
    for (uint32_t i = 0; i < table->row_count; i++) {
        double value;
        memcpy(&value, (const char *)table->row + i * table->row_bytes + at, sizeof value);
        add(&sample, value);
    }
    return sample;
}

static void put_kinds(struct xpd_properties *p, const struct xpd_data_table *table)
{
    static const struct {
        const char *mean, *deviation;
        size_t at;
    } kinds[] = {
        {"device_compute_time_ms_avg", "device_compute_time_ms_sdv",
         offsetof(struct plain_step, compute)},
        {"device_to_device_time_ms_avg", "device_to_device_time_ms_sdv",
         offsetof(struct plain_step, device_to_device)},
        {"device_collectives_time_ms_avg", "device_collectives_time_ms_sdv",
         offsetof(struct plain_step, collectives)},
        {"infeed_time_ms_avg", "infeed_time_ms_sdv", offsetof(struct plain_step, input)},
        {"outfeed_time_ms_avg", "outfeed_time_ms_sdv", offsetof(struct plain_step, output)},
        {"host_compute_time_ms_avg", "host_compute_time_ms_sdv",
         offsetof(struct plain_step, host_compute)},
        {"kernel_launch_time_ms_avg", "kernel_launch_time_ms_sdv",
         offsetof(struct plain_step, launch)},
        {"compile_time_ms_avg", "compile_time_ms_sdv", offsetof(struct plain_step, compile)},
        {"other_time_ms_avg", "other_time_ms_sdv", offsetof(struct plain_step, other)}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct sample sample = sample_of(table, kinds[i].at);
        xpd_properties_put(p, kinds[i].mean, xpd_table_digits(p->arena, 1, mean(&sample)));
        xpd_properties_put(p, kinds[i].deviation,
                           xpd_table_digits(p->arena, 1, deviation(&sample)));
    }
}

static double sum_of(const struct xpd_data_table *table, size_t at)
{
    return sample_of(table, at).sum;
}

static void judge_plain(struct xpd_pipeline *p)
{
    struct xpd_arena *arena = p->ctx->arena;
    const struct xpd_data_table *t = &p->by_step;
    struct xpd_verdict *v = &p->verdict;
    struct xpd_str none = XPD_STR("");
    double all = sum_of(t, offsetof(struct plain_step, all));
    *v = (struct xpd_verdict){XPD_STR("unknown"),
                              XPD_STR("No step time measured. Therefore we cannot tell where the "
                                      "performance bottleneck is."),
                              XPD_STR("no"),
                              none,
                              XPD_STR("no"),
                              none,
                              XPD_STR("no"),
                              none};
    if (all == 0)
        return;
    double input = 100.0 * sum_of(t, offsetof(struct plain_step, input)) / all,
           other = 100.0 * sum_of(t, offsetof(struct plain_step, other)) / all;
    bool said = judge_input(arena, input, other, &v->input, &v->statement);
    judge_share(arena, 100.0 * sum_of(t, offsetof(struct plain_step, collectives)) / all,
                " % of the total step time sampled is spent on 'Device Collective Communication'.",
                &v->collectives, &v->collectives_statement);
    double launch = 100.0 * sum_of(t, offsetof(struct plain_step, launch)) / all;
    judge_share(arena, launch,
                uses_tf_data(&p->input)
                    ? " % of the total step time sampled is spent on 'Kernel Launch'. It could be "
                      "due to CPU contention with tf.data. In this case, you may try to set the "
                      "environment variable TF_GPU_THREAD_MODE=gpu_private."
                    : " % of the total step time sampled is spent on 'Kernel Launch'.",
                &v->launch, &v->launch_statement);
    if (!said)
        judge_share(arena, other,
                    " % of the total step time sampled is spent on 'All Others' time. This could "
                    "be due to Python execution overhead.",
                    &v->other, &v->other_statement);
}

static int plain_rows(struct xpd_pipeline *p, struct xpd_err *err)
{
    struct plain_step *row = XPD_NEW_ARRAY(p->ctx->arena, struct plain_step, p->steps.count);
    if (!row)
        return no_room(err);
    p->by_step =
        (struct xpd_data_table){XPD_COLUMNS(plain_columns), .row = row, .row_bytes = sizeof *row};
    for (uint32_t s = 0; s < p->steps.count; s++)
        for (uint32_t c = 0; c < p->steps.step[s].core_count; c++)
            if (p->steps.step[s].core[c].core == XPD_STEP_GPU_CORE)
                row[p->by_step.row_count++] = plain_of(p->ctx->arena, &p->steps.step[s].core[c]);
    return XPD_OK;
}

static void plain_properties(struct xpd_pipeline *p)
{
    struct xpd_properties list;
    struct sample times = step_times(&p->steps);
    const struct xpd_verdict *v = &p->verdict;
    xpd_properties_init(&list, p->ctx->arena);
    xpd_properties_put(
        &list, "step_time_graph_column_ids",
        XPD_STR("stepnum,deviceComputeTimeMs,deviceToDeviceTimeMs,deviceCollectivesTimeMs,"
                "hostComputeTimeMs,kernelLaunchTimeMs,infeedTimeMs,outfeedTimeMs,compileTimeMs,"
                "otherTimeMs, tooltip"));
    xpd_properties_put(&list, "hardware_type", xpd_str_of(hardware_word(p->stats)));
    put_range(&list, 1, &times, step_time_names);
    put_kinds(&list, &p->by_step);
    xpd_properties_put(&list, "input_conclusion", v->statement);
    xpd_properties_put(&list, "device_collectives_bottleneck", v->collectives_statement);
    xpd_properties_put(&list, "device_collectives_statement", v->collectives_statement);
    xpd_properties_put(&list, "kernel_launch_bottleneck", v->launch_statement);
    xpd_properties_put(&list, "kernel_launch_statement", v->launch_statement);
    xpd_properties_put(&list, "all_other_bottleneck", v->other_statement);
    xpd_properties_put(&list, "all_other_statement", v->other_statement);
    xpd_properties_put(&list, "summary_nextstep", next_step(p, v->input));
    xpd_properties_done(&list, &p->by_step);
}

/* ---- steps of TPUs ---- */

struct tpu_row {
    double compute, scv0_compute, scv0_infeed, infeed, outfeed, idle, transfer, average, least,
        most;
    struct xpd_str number, tooltip, infeed_core;
};

/* clang-format off */
#define FIRST_COLUMNS                                                                              \
    XPD_COLUMN_AS(struct tpu_row, "stepnum", number, "stepnum"),                                   \
    XPD_COLUMN_AS(struct tpu_row, "tcComputeTimeMs", compute, "TensorCore compute (in ms)")
#define LAST_COLUMNS                                                                               \
    XPD_COLUMN_AS(struct tpu_row, "tcInfeedTimeMs", infeed, "TensorCore input (in ms)"),           \
    XPD_COLUMN_AS(struct tpu_row, "tcOutfeedTimeMs", outfeed, "TensorCore output (in ms)"),        \
    XPD_COLUMN_AS(struct tpu_row, "tcIdleTimeMs", idle, "TensorCore idle (in ms)"),                \
    XPD_COLUMN_AS(struct tpu_row, "hostTransferTimeMs", transfer, "Host transfer (in ms)"),        \
    {.id = "tooltip", .label = "tooltip", .kind = XPD_CELL_TEXT,                                   \
     .at = offsetof(struct tpu_row, tooltip), .role = "tooltip"},                                  \
    XPD_COLUMN_AS(struct tpu_row, "infeedPercentAverage", average,                                 \
                  "% step time waiting for input data"),                                           \
    {.id = "infeedPercentMin", .label = "Infeed percent min", .kind = XPD_CELL_NUMBER,             \
     .at = offsetof(struct tpu_row, least), .role = "interval"},                                   \
    {.id = "infeedPercentMax", .label = "Infeed percent max", .kind = XPD_CELL_NUMBER,             \
     .at = offsetof(struct tpu_row, most), .role = "interval"}
static const struct xpd_column sparse_columns[] = {FIRST_COLUMNS, LAST_COLUMNS};
static const struct xpd_column tpu_columns[] = {
    FIRST_COLUMNS,
    XPD_COLUMN_AS(struct tpu_row, "scv0ComputeTimeMs", scv0_compute,
                  "SparseCoreV0 compute (in ms)"),
    XPD_COLUMN_AS(struct tpu_row, "scv0InfeedTimeMs", scv0_infeed, "SparseCoreV0 input (in ms)"),
    LAST_COLUMNS};
/* clang-format on */

/* "host:ordinal" if the profile has the positions of cores. */
static struct xpd_str core_name(const struct xpd_pipeline *p, int64_t core)
{
    const struct xpd_xprof_steps *steps = &p->steps;
    for (uint32_t i = 0; i < steps->place_count; i++)
        if (steps->place[i].core == core && core / 1000 < steps->host_count) {
            struct xpd_str host = steps->hostname[core / 1000];
            return xpd_str_of(xpd_arena_printf(p->ctx->arena, "%.*s:%u", (int)host.size, host.data,
                                               steps->place[i].ordinal));
        }
    return XPD_STR("unknown");
}

static struct tpu_row tpu_row_of(const struct xpd_pipeline *p, const struct xpd_tpu_step *s)
{
    struct xpd_arena *arena = p->ctx->arena;
    return (struct tpu_row){
        .infeed_core = core_name(p, s->infeed_core),
        .number = xpd_str_of(xpd_arena_printf(arena, "%lld", (long long)s->number)),
        .compute = s->compute_ms,
        .scv0_compute = s->scv0_compute_ms,
        .scv0_infeed = s->scv0_infeed_ms,
        .infeed = s->infeed_ms,
        .outfeed = s->outfeed_ms,
        .idle = s->idle_ms,
        .transfer = s->host_transfer_ms,
        .average = s->infeed_percent_average,
        .least = s->infeed_percent_minimum,
        .most = s->infeed_percent_maximum,
        .tooltip = xpd_str_of(xpd_arena_printf(
            arena, "step %lld:\nTime waiting for input data = %.3f ms, Step time = %.3f ms",
            (long long)s->number, xpd_tpu_infeed_ms(s),
            xpd_tpu_step_ms(s) - (s->reduce_ms + s->reduce_sync_ms)))};
}

struct tpu_totals {
    double all, infeed, idle, reduce;
    struct sample active, tensor, sparse, sparse_compute, sparse_infeed, sparse_outfeed,
        sparse_idle, sparse_active;
};

/* What is not input: idle time and collectives have sentences that this page does not show; where
 * all cores are profiled, as XProf assumes, they change nothing of the sentence on input. */
static void judge_tpu(struct xpd_pipeline *p, const struct tpu_totals *t, struct xpd_str *verdict,
                      struct xpd_str *statement)
{
    *verdict = XPD_STR("unknown");
    *statement = XPD_STR("No step time measured. Therefore we cannot tell where the performance "
                         "bottleneck is.");
    if (t->all != 0)
        (void)judge_input(p->ctx->arena, 100.0 * t->infeed / t->all, 0, verdict, statement);
}

static struct xpd_str judge_output(struct xpd_arena *arena, double percent)
{
    if (percent >= 20)
        return sentence(arena, "Your program is HIGHLY output-bound because ", percent,
                        "% of the total step time sampled is spent on output. Therefore, you "
                        "should first focus on reducing the output time.");
    if (percent >= 5)
        return sentence(arena, "Your program is MODERATELY output-bound because ", percent,
                        "% of the total step time sampled is spent on output. Therefore, you would "
                        "need to reduce both the output time and other time.");
    return XPD_STR("");
}

static void put_sparse(struct xpd_properties *list, const struct xpd_pipeline *p)
{
    const struct {
        const char *name;
        int digits;
        double ms;
    } means[] = {{"sc_compute_ms_average", 2, p->sparse_compute_ms},
                 {"sc_infeed_ms_average", 2, p->sparse_infeed_ms},
                 {"sc_outfeed_ms_average", 2, p->sparse_outfeed_ms},
                 {"sc_idle_ms_average", 2, p->sparse_idle_ms},
                 {"sc_active_ms_average", 2, p->sparse_active_ms},
                 {"sc_step_time_ms_average", 1, p->sparse_ms}};
    for (size_t i = 0; p->sparse_least_ms > 0 && i < sizeof means / sizeof *means; i++)
        xpd_properties_put(list, means[i].name,
                           xpd_table_digits(list->arena, means[i].digits, means[i].ms));
}

static void put_tpu_means(struct xpd_properties *list, const struct xpd_pipeline *p)
{
    const struct xpd_data_table *t = &p->by_step;
    static const struct {
        const char *name;
        size_t at;
    } means[] = {{"scv0_compute_ms_average", offsetof(struct tpu_row, scv0_compute)},
                 {"scv0_infeed_ms_average", offsetof(struct tpu_row, scv0_infeed)},
                 {"tc_compute_ms_average", offsetof(struct tpu_row, compute)},
                 {"tc_infeed_ms_average", offsetof(struct tpu_row, infeed)},
                 {"tc_outfeed_ms_average", offsetof(struct tpu_row, outfeed)},
                 {"tc_idle_ms_average", offsetof(struct tpu_row, idle)},
                 {"host_transfer_ms_average", offsetof(struct tpu_row, transfer)}};
    for (size_t i = p->sparse ? 2 : 0; i < sizeof means / sizeof *means; i++) {
        struct sample sample = sample_of(t, means[i].at);
        xpd_properties_put(list, means[i].name, xpd_table_digits(list->arena, 2, mean(&sample)));
    }
    xpd_properties_put(list, "tc_active_ms_average",
                       xpd_table_digits(list->arena, 2, p->tensor_active_ms));
    xpd_properties_put(list, "active_steptime_ms_average",
                       xpd_table_digits(list->arena, 2, p->active_ms));
    put_sparse(list, p);
}

static void tpu_properties(struct xpd_pipeline *p, const struct tpu_totals *totals)
{
    static const char *const infeed_names[4] = {"infeed_percent_average",
                                                "infeed_percent_standard_deviation",
                                                "infeed_percent_minimum", "infeed_percent_maximum"};
    struct xpd_properties list;
    struct sample times = step_times(&p->steps),
                  infeed = sample_of(&p->by_step, offsetof(struct tpu_row, most));
    struct xpd_str verdict, statement, output = XPD_STR("");
    xpd_properties_init(&list, p->ctx->arena);
    judge_tpu(p, totals, &verdict, &statement);
    if (totals->all != 0)
        output = judge_output(p->ctx->arena,
                              100.0 * sum_of(&p->by_step, offsetof(struct tpu_row, outfeed)) /
                                  totals->all);
    xpd_properties_put(&list, "hardware_type", XPD_STR("TPU"));
    put_range(&list, 2, &times, step_time_names);
    put_range(&list, 1, &infeed, infeed_names);
    xpd_properties_put(&list, "step_time_graph_column_ids",
                       p->sparse ? XPD_STR("stepnum,tcComputeTimeMs,tcInfeedTimeMs,"
                                           "tcOutfeedTimeMs,tcIdleTimeMs,hostTransferTimeMs,"
                                           "tooltip")
                                 : XPD_STR("stepnum,tcComputeTimeMs,scv0ComputeTimeMs,"
                                           "scv0InfeedTimeMs,tcInfeedTimeMs,tcOutfeedTimeMs,"
                                           "tcIdleTimeMs,hostTransferTimeMs,tooltip"));
    put_tpu_means(&list, p);
    xpd_properties_put(&list, "input_conclusion", statement);
    xpd_properties_put(&list, "output_conclusion", output);
    xpd_properties_put(&list, "summary_nextstep", next_step(p, verdict));
    xpd_properties_done(&list, &p->by_step);
}

/* Which core waited longest for input in each step. */
static int core_table(struct xpd_pipeline *p, const struct tpu_row *step, struct xpd_err *err)
{
    struct xpd_arena *arena = p->ctx->arena;
    uint32_t count = p->by_step.row_count;
    struct xpd_column *column = XPD_NEW_ARRAY(arena, struct xpd_column, (size_t)count + 1);
    struct xpd_str *cell = XPD_NEW_ARRAY(arena, struct xpd_str, 2 * ((size_t)count + 1));
    if (!column || !cell)
        return no_room(err);
    cell[0] = XPD_STR("Step number");
    cell[count + 1] = XPD_STR("Core name");
    column[0] = (struct xpd_column){.id = "index", .label = "Index", .kind = XPD_CELL_TEXT};
    for (uint32_t i = 0; i < count; i++) {
        const char *number = xpd_arena_printf(arena, "%u", i);
        column[i + 1] = (struct xpd_column){.id = number ? number : "",
                                            .label = number ? number : "",
                                            .kind = XPD_CELL_TEXT,
                                            .at = ((size_t)i + 1) * sizeof *cell};
        cell[i + 1] = step[i].number;
        cell[count + 2 + i] = step[i].infeed_core;
    }
    p->cores = (struct xpd_data_table){.column = column,
                                       .column_count = count + 1,
                                       .row = cell,
                                       .row_bytes = ((size_t)count + 1) * sizeof *cell,
                                       .row_count = 2};
    return XPD_OK;
}

/* A step is active as long as the busier kind of core. */
static void add_active(struct tpu_totals *totals, const struct xpd_tpu_step *step)
{
    add(&totals->tensor, step->active_ms);
    add(&totals->active,
        step->sparse_active_ms > step->active_ms ? step->sparse_active_ms : step->active_ms);
    add(&totals->sparse, step->sparse_ms);
    add(&totals->sparse_compute, step->sparse_compute_ms);
    add(&totals->sparse_infeed, step->sparse_infeed_ms);
    add(&totals->sparse_outfeed, step->sparse_outfeed_ms);
    add(&totals->sparse_idle, step->sparse_idle_ms);
    add(&totals->sparse_active, step->sparse_active_ms);
}

static void take_active(struct xpd_pipeline *p, const struct tpu_totals *totals)
{
    p->active_ms = mean(&totals->active);
    p->tensor_active_ms = mean(&totals->tensor);
    p->sparse_ms = mean(&totals->sparse);
    p->sparse_compute_ms = mean(&totals->sparse_compute);
    p->sparse_infeed_ms = mean(&totals->sparse_infeed);
    p->sparse_outfeed_ms = mean(&totals->sparse_outfeed);
    p->sparse_idle_ms = mean(&totals->sparse_idle);
    p->sparse_active_ms = mean(&totals->sparse_active);
    p->sparse_least_ms = totals->sparse.count ? totals->sparse.least : 0;
}

static int tpu_rows(struct xpd_pipeline *p, struct xpd_err *err)
{
    struct tpu_row *row = XPD_NEW_ARRAY(p->ctx->arena, struct tpu_row, p->steps.count);
    struct tpu_totals totals = {.active = NO_SAMPLE,
                                .tensor = NO_SAMPLE,
                                .sparse = NO_SAMPLE,
                                .sparse_compute = NO_SAMPLE,
                                .sparse_infeed = NO_SAMPLE,
                                .sparse_outfeed = NO_SAMPLE,
                                .sparse_idle = NO_SAMPLE,
                                .sparse_active = NO_SAMPLE};
    if (!row)
        return no_room(err);
    p->by_step =
        (struct xpd_data_table){XPD_COLUMNS(tpu_columns), .row = row, .row_bytes = sizeof *row};
    for (uint32_t s = 0; s < p->steps.count; s++) {
        struct xpd_tpu_step step;
        xpd_tpu_step_of(&p->steps.step[s], &step);
        row[p->by_step.row_count++] = tpu_row_of(p, &step);
        totals.all += xpd_tpu_step_ms(&step);
        totals.infeed += xpd_tpu_infeed_ms(&step);
        add_active(&totals, &step);
    }
    take_active(p, &totals);
    p->sparse = p->steps.sparse;
    if (p->sparse) {
        p->by_step.column = sparse_columns;
        p->by_step.column_count = sizeof sparse_columns / sizeof *sparse_columns;
    }
    tpu_properties(p, &totals);
    return core_table(p, row, err);
}

/* ---- operations of the host ---- */

struct host_op {
    double count, time_ms, share, self_ms, self_share;
    struct xpd_str name, category;
};
static const struct xpd_column host_columns[] = {
    XPD_COLUMN_AS(struct host_op, "opName", name, "Input Op"),
    XPD_COLUMN(struct host_op, count, "Count"),
    XPD_COLUMN_AS(struct host_op, "timeInMs", time_ms, "Total Time (in ms)"),
    XPD_COLUMN_AS(struct host_op, "timeInPercent", share,
                  "Total Time (as % of total input-processing time)"),
    XPD_COLUMN_AS(struct host_op, "selfTimeInMs", self_ms, "Total Self Time (in ms)"),
    XPD_COLUMN_AS(struct host_op, "selfTimeInPercent", self_share,
                  "Total Self Time (as % of total input-processing time)"),
    XPD_COLUMN(struct host_op, category, "Category"),
};

enum input_kind { ENQUEUE, DEMANDED, ADVANCED, PREPROCESSING, UNKNOWN_INPUT, NO_INPUT };
static const char *const input_words[] = {"Enqueue", "Demanded file read", "Advanced file read",
                                          "Preprocessing", "Unknown"};

static bool ends_with_any(struct xpd_str text, const char *const *ending)
{
    for (; *ending; ending++)
        if (xpd_str_ends(text, *ending))
            return true;
    return false;
}

static bool has_any(struct xpd_str text, const char *const *piece)
{
    for (; *piece; piece++)
        if (xpd_str_find(text, xpd_str_of(*piece), false) != SIZE_MAX)
            return true;
    return false;
}

static bool is_word(struct xpd_str text, const char *word)
{
    return text.size == strlen(word) && xpd_str_find(text, xpd_str_of(word), true) == 0;
}

static enum input_kind kind_of(const struct xpd_ops_metrics *op)
{
    static const char *const readers[] = {"::TFRecord", "::TextLine", "::FixedLengthRecord",
                                          "::SSTable",  "::RecordIO", "::ArrayRecord",
                                          NULL};
    static const char *const ahead[] = {"::MemoryReader", "::MemoryWriter", "::Interleave",
                                        "::Prefetch",     "::ParallelMap",  NULL};
    struct xpd_str category = op->category;
    if (is_word(category, "enqueue"))
        return ENQUEUE;
    if (is_word(category, "read"))
        return DEMANDED;
    if (is_word(category, "preprocessing"))
        return PREPROCESSING;
    if (is_word(category, "unknown"))
        return UNKNOWN_INPUT;
    if (xpd_str_starts(category, "InfeedEnqueue") || xpd_str_starts(category, "MemcpyHToD"))
        return ENQUEUE;
    if (!xpd_str_eq(category, XPD_STR("Dataset")))
        return NO_INPUT;
    if (!ends_with_any(op->name, readers))
        return PREPROCESSING;
    return has_any(op->name, ahead) ? ADVANCED : DEMANDED;
}

/* Of input only what the steps wait for counts: the rest is scaled to it. */
static void divide_input(struct xpd_pipeline *p, const double us[UNKNOWN_INPUT + 1])
{
    double all_us = us[DEMANDED] + us[ADVANCED] + us[PREPROCESSING], ratio = 0;
    struct sample times = step_times(&p->steps);
    const struct xpd_ops_db *host = &p->stats->host;
    if (host->infeed_gap_ps > 0) {
        ratio = (double)host->infeed_ps / (double)host->infeed_gap_ps;
    } else if (p->stats->hardware != XPD_OPS_TPU && mean(&times) > 0) {
        struct sample sent = sample_of(&p->by_step, offsetof(struct plain_step, to_device));
        ratio = xpd_ops_divide(mean(&sent), mean(&times));
    }
    ratio = ratio < 1 ? ratio : 1;
    double rest_us = ratio != 0 ? us[ENQUEUE] * (1.0 - ratio) / ratio : all_us;
    struct xpd_input_times *in = &p->input;
    in->enqueue = us[ENQUEUE];
    in->demanded_read = xpd_ops_divide(rest_us * us[DEMANDED], all_us);
    in->advanced_read = xpd_ops_divide(rest_us * us[ADVANCED], all_us);
    in->preprocessing = xpd_ops_divide(rest_us * us[PREPROCESSING], all_us);
    double left_us = rest_us - in->demanded_read - in->advanced_read - in->preprocessing;
    in->unclassified = left_us > 0 ? left_us : 0;
}

static void host_properties(struct xpd_pipeline *p)
{
    struct xpd_properties list;
    struct xpd_arena *arena = p->ctx->arena;
    xpd_properties_init(&list, arena);
    xpd_properties_put(&list, "enqueue_us", xpd_table_digits(arena, 3, p->input.enqueue));
    xpd_properties_put(&list, "demanded_file_read_us",
                       xpd_table_digits(arena, 3, p->input.demanded_read));
    xpd_properties_put(&list, "advanced_file_read_us",
                       xpd_table_digits(arena, 3, p->input.advanced_read));
    xpd_properties_put(&list, "preprocessing_us",
                       xpd_table_digits(arena, 3, p->input.preprocessing));
    xpd_properties_put(&list, "unclassified_nonequeue_us",
                       xpd_table_digits(arena, 3, p->input.unclassified));
    xpd_properties_done(&list, &p->host_ops);
}

static int host_rows(struct xpd_pipeline *p, struct xpd_err *err)
{
    struct xpd_arena *arena = p->ctx->arena;
    const struct xpd_ops_db *db = &p->stats->host;
    uint32_t count = 0;
    const struct xpd_ops_metrics **op = xpd_ops_sorted(db->at, db->count, db->count, &count, arena);
    struct host_op *row = XPD_NEW_ARRAY(arena, struct host_op, db->count);
    double us[UNKNOWN_INPUT + 1] = {0};
    uint64_t all_ps = 0;
    if (!op || !row)
        return no_room(err);
    for (uint32_t i = 0; i < count; i++)
        all_ps += kind_of(op[i]) != NO_INPUT ? op[i]->self_ps : 0;
    p->host_ops =
        (struct xpd_data_table){XPD_COLUMNS(host_columns), .row = row, .row_bytes = sizeof *row};
    for (uint32_t i = 0; i < count; i++) {
        enum input_kind kind = kind_of(op[i]);
        if (kind == NO_INPUT)
            continue;
        us[kind] += (double)op[i]->self_ps / 1e6;
        row[p->host_ops.row_count++] = (struct host_op){
            .name = op[i]->name,
            .count = (double)op[i]->occurrences,
            .time_ms = ms(op[i]->time_ps),
            .share = 100.0 * xpd_ops_divide((double)op[i]->time_ps, (double)all_ps) / 100.0,
            .self_ms = ms(op[i]->self_ps),
            .self_share = 100.0 * xpd_ops_divide((double)op[i]->self_ps, (double)all_ps) / 100.0,
            .category = xpd_str_of(input_words[kind])};
    }
    if (p->host_ops.row_count > 0)
        divide_input(p, us);
    host_properties(p);
    return XPD_OK;
}

/* ---- the answer ---- */

#define ANCHOR(url, text) "<a href=\"" url "\" target=\"_blank\">" text "</a>"
#define DATASET           "https://www.tensorflow.org/api_docs/python/tf/data/Dataset#"
#define RECORDS                                                                                    \
    "https://www.tensorflow.org/api_docs/python/tf/data/TFRecordDataset#class_tfrecorddataset"

struct advice {
    struct xpd_str link;
};
static const struct xpd_column advice_columns[] = {XPD_COLUMN(struct advice, link, "link")};
#define TEXT(literal)                                                                              \
    {                                                                                              \
        {                                                                                          \
            literal, sizeof(literal) - 1                                                           \
        }                                                                                          \
    }
static const struct advice advices[] = {
    TEXT("Enqueuing data: you may want to combine small input data chunks into fewer but larger "
         "chunks."),
    TEXT("Data preprocessing: you may increase num_parallel_calls in " ANCHOR(
        DATASET "map", "Dataset map()") " or preprocess the data OFFLINE."),
    TEXT("Reading data from files in advance: you may tune parameters in the following tf.data API "
         "(" ANCHOR(DATASET "prefetch", "prefetch size") ", " ANCHOR(
             DATASET "interleave",
             "interleave cycle_length") ", " ANCHOR(RECORDS, "reader buffer_size") ")"),
    TEXT("Reading data from files on demand: you should read data IN ADVANCE using the following "
         "tf.data API (" ANCHOR(DATASET "prefetch", "prefetch") ", " ANCHOR(
             DATASET "interleave", "interleave") ", " ANCHOR(RECORDS, "reader buffer") ")"),
    TEXT("Other data reading or processing: you may consider using the " ANCHOR(
        "https://www.tensorflow.org/programmers_guide/datasets",
        "tf.data API") " (if you are not using it now)"),
};

static int diagnose(struct xpd_pipeline *p, struct xpd_err *err)
{
    const char *warning = xpd_step_warning(&p->steps);
    struct xpd_message message = {XPD_STR("WARNING"), xpd_str_of(warning)};
    return xpd_message_table(p->ctx->arena, &message, warning != NULL, &p->diagnostics, err);
}

int xpd_pipeline_of(const struct xpd_tool_ctx *ctx, struct xpd_pipeline *out, struct xpd_err *err)
{
    struct xpd_str none = XPD_STR("");
    *out = (struct xpd_pipeline){.ctx = ctx,
                                 .verdict = {none, none, none, none, none, none, none, none}};
    int rc = xpd_op_stats_of(ctx, &out->stats, err);
    if (rc == XPD_OK)
        rc = xpd_xprof_steps_of(ctx, &out->steps, err);
    if (rc != XPD_OK)
        return rc;
    out->advice = (struct xpd_data_table){XPD_COLUMNS(advice_columns), .row = advices,
                                          .row_bytes = sizeof *advices,
                                          .row_count = sizeof advices / sizeof *advices};
    bool tpu = out->stats->hardware == XPD_OPS_TPU;
    rc = tpu ? XPD_OK : plain_rows(out, err);
    if (rc == XPD_OK)
        rc = host_rows(out, err);
    if (rc == XPD_OK && tpu)
        rc = tpu_rows(out, err);
    if (rc == XPD_OK && !tpu) {
        judge_plain(out);
        plain_properties(out);
    }
    return rc == XPD_OK ? diagnose(out, err) : rc;
}

static int make(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    static const struct xpd_host_table *const ahead[] = {&xpd_op_stats_table,
                                                         &xpd_xprof_steps_table};
    struct xpd_pipeline *p = XPD_NEW(ctx->arena, struct xpd_pipeline);
    struct xpd_data_table *table = XPD_NEW_ARRAY(ctx->arena, struct xpd_data_table, 5);
    if (!p || !table)
        return no_room(err);
    xpd_host_tables_ahead(ctx, ahead, sizeof ahead / sizeof *ahead);
    int rc = xpd_pipeline_of(ctx, p, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_data_table all[] = {p->cores, p->by_step, p->host_ops, p->advice,
                                         p->diagnostics};
    memcpy(table, all, sizeof all);
    *out = (struct xpd_tables){.table = table, .count = 5};
    return XPD_OK;
}

const struct xpd_table_tool xpd_table_input_pipeline_analyzer = {.tag = "input_pipeline_analyzer",
                                                                 .make = make};
