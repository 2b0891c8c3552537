/* Arguments of an event as XProf shows them. */
#include "trace.h"

#include "xprofd/trace/tf_op.h"

/* Never shown, or shown elsewhere: what is not a number is an argument like any other there. The
 * old viewer shows _a and flow. */
static bool is_internal(const struct xpd_stat_value *stat)
{
    static const char *const names[] = {"_pt",   "_p",         "_ct",       "_c", "_r",
                                        "flops", "program_id", "symbol_id", "_a", "flow"};
    static const size_t always = 8;
    bool number = xpd_stat_is_integer(stat->type);
    for (size_t i = 0; i < (number ? sizeof names / sizeof *names : always); i++)
        if (xpd_str_eq(stat->name, xpd_str_of(names[i])))
            return true;
    return false;
}

bool xpd_compat_long_name(const struct xpd_compat_host *host, bool derived, uint32_t name_number,
                          struct xpd_str *text)
{
    if (derived) {
        const struct xpd_event_name *name = &host->derived->name[name_number];
        *text = xpd_intern_get(&host->derived->names, name->name);
        return name->displayed || name->caption != name->name;
    }
    const struct xpd_event_name *name = &host->trace->name[name_number];
    if (name->plane == XPD_NO_INDEX || name->metadata == XPD_NO_METADATA)
        return false;
    *text = xpd_intern_get(&host->trace->names, name->name);
    return host->trace->tables[name->plane].event[name->metadata].display_name != 0;
}

struct args {
    struct xpd_compat_arg *at;
    uint32_t count, capacity;
};

static void put(struct args *args, const struct xpd_stat_value *stat)
{
    bool number = xpd_stat_is_integer(stat->type);
    if (args->count < args->capacity && stat->type != XPD_STAT_NONE &&
        (!number || !xpd_str_eq(stat->name, XPD_STR("group_id"))))
        args->at[args->count++] = (struct xpd_compat_arg){.name = stat->name,
                                                          .type = stat->type,
                                                          .real = stat->real,
                                                          .integer = stat->integer,
                                                          .text = stat->text,
                                                          .is_internal = is_internal(stat)};
}

/* Runs of programs: the host's number of a run has only the bits that the device's has. */
#define RUN_ID_MASK ((INT64_C(1) << 27) - 1)
static bool has_masked_run(const struct xpd_compat_host *host, uint32_t name_number)
{
    static const char *const names[] = {"DoEnqueueProgram", "CompleteCallbacks",
                                        "DoEnqueueContinuationProgram"};
    struct xpd_str name = xpd_intern_get(&host->trace->names, host->trace->name[name_number].name);
    if (host->xprof->without_derived) /* a file that already has groups stays unchanged */
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xpd_str_eq(name, xpd_str_of(names[i])))
            return true;
    return false;
}

static void mask_run(struct args *args)
{
    for (uint32_t i = 0; i < args->count; i++) {
        struct xpd_compat_arg *arg = &args->at[i];
        if (xpd_str_eq(arg->name, XPD_STR("run_id")) && xpd_stat_is_integer(arg->type)) {
            arg->integer &= RUN_ID_MASK;
            arg->type = XPD_STAT_INT;
        }
    }
}

static void put_text(struct args *args, const char *name, struct xpd_str text)
{
    args->at[args->count++] =
        (struct xpd_compat_arg){.name = xpd_str_of(name), .type = XPD_STAT_TEXT, .text = text};
}

struct xpd_str xpd_compat_cut(struct xpd_str text, struct xpd_arena *arena)
{
    if (text.size <= XPD_COMPAT_LONG_BYTES)
        return text;
    const char *shorter =
        xpd_arena_printf(arena, "%.*s...<truncated>", XPD_COMPAT_LONG_BYTES, text.data);
    return xpd_str_of(shorter);
}

static void put_named(struct args *args, const struct xpd_stat_value *stats, uint32_t count,
                      const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(stats[i].name, xpd_str_of(name))) {
            put(args, &stats[i]);
            return;
        }
}

/* A bar of XProf's Host Offload rows: the size of the done, the shape of the start, as the
 * instructions have them, not single events; a size that is unsigned is 0 there. */
static int offload_args(const struct xpd_compat_host *host, const struct xpd_xprof_event *event,
                        struct xpd_arena *arena, struct args *args, struct xpd_err *err)
{
    struct xpd_stat_value *start = NULL, *done = NULL;
    uint32_t starts = 0, dones = 0, all;
    int rc = xpd_trace_stats(host->trace, event->event, arena, &start, &all, &starts, err);
    if (rc == XPD_OK)
        rc = xpd_trace_stats(host->trace, event->event2, arena, &done, &all, &dones, err);
    if (rc != XPD_OK)
        return rc;
    args->at = XPD_NEW_ARRAY(arena, struct xpd_compat_arg, 4);
    args->capacity = 4;
    if (!args->at)
        return XPD_OK;
    put_text(args, "long_name", XPD_STR(""));
    for (uint32_t i = 0; i < dones; i++)
        if (done[i].type != XPD_STAT_INT && xpd_str_eq(done[i].name, XPD_STR("raw_bytes_accessed")))
            done[i] = (struct xpd_stat_value){.name = done[i].name, .type = XPD_STAT_INT};
    put_named(args, done, dones, "raw_bytes_accessed");
    put_named(args, start, starts, "shape_with_layout");
    return XPD_OK;
}

static const char idle_stat[] = "step_idle_time_ps";

/* Idle time of one Steps event of the file; false if unknown. */
static int read_idle(const struct xpd_compat_host *host, uint64_t event, struct xpd_arena *arena,
                     uint64_t *idle_ps, bool *told, struct xpd_err *err)
{
    struct xpd_stat_value *stats;
    uint32_t count, from_metadata;
    int rc = xpd_trace_stats(host->trace, event, arena, &stats, &count, &from_metadata, err);
    *told = false;
    for (uint32_t k = 0; rc == XPD_OK && k < count; k++)
        if (xpd_str_eq(stats[k].name, xpd_str_of(idle_stat))) {
            *told = true;
            *idle_ps = (uint64_t)stats[k].integer;
        }
    return rc;
}

/* XProf gives each step of a TensorCore its idle time, summed over the merged events. If the first
 * event has none, the sum continues from the previous step. */
static int sum_idle(const struct xpd_compat_host *host, const struct xpd_xprof_event *event,
                    struct xpd_arena *arena, uint64_t *sum_ps, struct xpd_err *err)
{
    const uint64_t *member = NULL;
    bool told = false;
    uint32_t before = 0;
    for (; !told && xpd_xprof_step_members(host->xprof, event, before, &member) > 0; before++) {
        int rc = read_idle(host, member[0], arena, sum_ps, &told, err);
        if (rc != XPD_OK)
            return rc;
    }
    *sum_ps = told ? *sum_ps : 0;
    for (bool first = told; before-- > 0; first = false) {
        uint32_t count = xpd_xprof_step_members(host->xprof, event, before, &member);
        for (uint32_t i = first ? 1 : 0; i < count; i++) {
            uint64_t idle_ps = 0;
            int rc = read_idle(host, member[i], arena, &idle_ps, &told, err);
            if (rc != XPD_OK)
                return rc;
            *sum_ps += idle_ps;
        }
    }
    return XPD_OK;
}

static int put_idle(const struct xpd_compat_host *host, const struct xpd_xprof_event *event,
                    struct xpd_arena *arena, struct args *args, struct xpd_err *err)
{
    const uint64_t *member;
    uint32_t kept = 0;
    uint64_t idle_ps = 0;
    if (xpd_xprof_step_members(host->xprof, event, 0, &member) == 0)
        return XPD_OK;
    if (xpd_intern_find(&host->trace->names, xpd_str_of(idle_stat)) != XPD_NO_NAME) {
        int rc = sum_idle(host, event, arena, &idle_ps, err);
        if (rc != XPD_OK)
            return rc;
    }
    for (uint32_t i = 0; i < args->count; i++)
        if (!xpd_str_eq(args->at[i].name, xpd_str_of(idle_stat)))
            args->at[kept++] = args->at[i];
    args->count = kept;
    args->at[args->count++] = (struct xpd_compat_arg){
        .name = xpd_str_of(idle_stat), .type = XPD_STAT_INT, .integer = (int64_t)idle_ps};
    return XPD_OK;
}

static void put_number(struct args *args, const char *name, int64_t value)
{
    args->at[args->count++] =
        (struct xpd_compat_arg){.name = xpd_str_of(name), .type = XPD_STAT_INT, .integer = value};
}

/* Planes whose launched events XProf takes for kernels: all but the host's threads and TPUs. */
static bool runs_kernels(const struct xpd_trace_process *process, const struct xpd_trace *trace)
{
    return !xpd_process_is_tpu(process->kind) &&
           !xpd_str_eq(xpd_intern_get(&trace->names, process->name), XPD_STR("/host:CPU"));
}

/* For events that a GPU runs for a launch, and for operations of TensorFlow, XProf derives whether
 * they ran op by op and ignores their own stats. */
static void put_eager(const struct xpd_compat_host *host, const struct xpd_xprof_event *event,
                      struct args *args)
{
    const struct xpd_depth *depth;
    uint32_t index;
    if (host->xprof->without_derived || host->xprof->without_groups ||
        !xpd_trace_find(host->trace, event->event, &depth, &index))
        return;
    const struct xpd_trace_process *process =
        &host->trace->process[host->trace->row[depth->row].process];
    struct xpd_str name =
        xpd_intern_get(&host->trace->names, host->trace->name[event->name_number].name);
    bool told = !xpd_process_is_tpu(process->kind) &&
                (xpd_str_eq(name, XPD_STR("KernelExecute")) || xpd_is_tf_op(name));
    for (uint32_t i = 0; i < args->count; i++)
        told |= xpd_str_eq(args->at[i].name, XPD_STR("correlation_id")) &&
                runs_kernels(process, host->trace);
    if (!told)
        return;
    int64_t eager = xpd_event_is_eager(host->derived, xpd_depth_where(depth, index));
    for (uint32_t i = 0; i < args->count; i++)
        if (xpd_str_eq(args->at[i].name, XPD_STR("is_eager"))) {
            args->at[i].type = XPD_STAT_INT;
            args->at[i].integer = eager;
            return;
        }
    put_number(args, "is_eager", eager);
}

static void summary_args(const struct xpd_compat_host *host, const struct xpd_xprof_event *event,
                         struct xpd_arena *arena, struct args *args)
{
    const struct xpd_launch_stats *stats = xpd_launch_stats_of(host->derived, event->event);
    args->at = XPD_NEW_ARRAY(arena, struct xpd_compat_arg, 3);
    if (!args->at)
        return;
    if (event->tid == XPD_COMPAT_STEPS_TID) {
        if (xpd_group_is_named(host->derived, xpd_group_of(host->derived, event->event)))
            put_text(args, "step_name", event->name);
    } else if (stats) {
        put_number(args, "num_launches", (int64_t)stats->count);
        args->at[args->count++] = (struct xpd_compat_arg){.name = XPD_STR("max_launch_time_us"),
                                                          .type = XPD_STAT_DOUBLE,
                                                          .real = (double)stats->longest_ps / 1e6};
        args->at[args->count++] =
            (struct xpd_compat_arg){.name = XPD_STR("avg_launch_time_us"),
                                    .type = XPD_STAT_DOUBLE,
                                    .real = stats->sum_ps / (double)stats->count / 1e6};
    }
}

/* The command buffer of a GPU that an operation ran in. */
static void put_graph(const struct xpd_compat_host *host, uint64_t event, struct args *args)
{
    const struct xpd_derived_pair *pair = xpd_derived_pair_of(host->derived, event);
    if (!pair || pair->graph_id == 0)
        return;
    put_number(args, "cuda_graph_id", (int64_t)pair->graph_id);
    if (pair->launch_id >= 0)
        put_number(args, "correlation_id", pair->launch_id);
}

int xpd_compat_args(const struct xpd_compat_host *host, const struct xpd_xprof_event *event,
                    struct xpd_arena *arena, struct xpd_compat_arg **out, uint32_t *count,
                    struct xpd_err *err)
{
    struct args args = {0};
    struct xpd_stat_value *stats = NULL;
    uint32_t stat_count = 0, from_metadata;
    bool derived = event->event >= host->trace->event_count;
    bool summary = xpd_compat_is_summary(host, event);
    struct xpd_str text;
    int rc = XPD_OK;
    if (summary)
        summary_args(host, event, arena, &args);
    else if (event->offload)
        rc = offload_args(host, event, arena, &args, err);
    else if (!derived)
        rc = xpd_trace_stats(host->trace, event->event, arena, &stats, &stat_count, &from_metadata,
                             err);
    if (rc == XPD_OK && !event->offload && !summary) {
        args.capacity = stat_count + 4;
        args.at = XPD_NEW_ARRAY(arena, struct xpd_compat_arg, args.capacity);
        if (args.at && derived)
            put_graph(host, event->event, &args);
        if (args.at && xpd_compat_long_name(host, derived, event->name_number, &text))
            put_text(&args, "long_name", xpd_compat_cut(text, arena));
        for (uint32_t i = 0; args.at && i < stat_count; i++)
            put(&args, &stats[i]);
        if (!derived && has_masked_run(host, event->name_number))
            mask_run(&args);
        if (args.at && !derived)
            rc = put_idle(host, event, arena, &args, err);
        if (args.at && !derived)
            put_eager(host, event, &args);
        struct xpd_str step = xpd_xprof_step_name_of(host->derived, event->event);
        if (args.at && step.size > 0) /* the root of a step: its caption is an argument too */
            put_text(&args, "step_name", step);
    }
    if (rc == XPD_OK && arena->failed)
        rc = xpd_no_memory(err, NULL, "for the arguments");
    *out = args.at;
    *count = args.count;
    return rc;
}
