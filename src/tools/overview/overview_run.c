/* What the run is: programs, memory, what was recorded and how well, where it ran. In: the run and
 * its hosts' events. Out: the parts of the answer that need no steps. */
#include "../tables/measured.h"
#include "../trace/ops_hosts.h"
#include "overview.h"

#include <string.h>
#include <time.h>

#define PROGRAMS_MAX 100
#define MARKS_MAX    20

/* ---- programs ---- */

struct programs {
    XPD_VEC(struct xpd_overview_program) at;
    int64_t self_ps;
};

static uint32_t module_of(const struct xpd_run *run, uint32_t host,
                          const struct xpd_op_program *program, struct xpd_str name)
{
    uint32_t found = XPD_NO_INDEX, named = 0;
    for (uint32_t m = 0; m < run->module_count; m++) {
        if (!xpd_module_may_run_on(run, m, host))
            continue;
        if (program->has_id && run->module[m].program_id == program->id)
            return m;
        if (!program->has_id && xpd_str_eq(name, xpd_str_of(run->module[m].name))) {
            found = m;
            named++;
        }
    }
    return named == 1 ? found : XPD_NO_INDEX;
}

static struct xpd_overview_program *entry_of(struct programs *all, const char *key)
{
    for (size_t i = 0; i < all->at.count; i++)
        if (strcmp(all->at.at[i].module, key) == 0)
            return &all->at.at[i];
    XPD_PUSH(&all->at,
             ((struct xpd_overview_program){.module = key, .runs = -1, .peak_bytes = -1}));
    return all->at.failed ? NULL : &all->at.at[all->at.count - 1];
}

/* Its name where that tells it from the others. */
static const char *name_of(const struct xpd_run *run, const struct xpd_overview_program *program)
{
    uint32_t module = XPD_NO_INDEX, named = 0;
    for (uint32_t m = 0; program->held && m < run->module_count; m++)
        if (strcmp(run->module[m].key, program->module) == 0)
            module = m;
    for (uint32_t m = 0; module != XPD_NO_INDEX && m < run->module_count; m++)
        named += strcmp(run->module[m].name, run->module[module].name) == 0;
    return named == 1           ? run->module[module].name
           : program->module[0] ? program->module
                                : "without a name";
}

/* Programs as the rows of a host's TPUs call and count them: "jit_f(7)", 24 runs. */
struct in_rows {
    const struct xpd_trace *trace;
    bool read; /* when the first program asks: those with HLO do not */
    struct xpd_map64 of_id;
    XPD_VEC(struct row_program {
        xpd_name_id caption;
        int64_t runs;
    })
    program;
};

static void add_run(struct in_rows *rows, uint64_t id, xpd_name_id caption)
{
    uint32_t at = xpd_map64_get(&rows->of_id, id);
    if (at == XPD_NO_INDEX) {
        struct row_program program = {.caption = caption};
        at = (uint32_t)rows->program.count;
        XPD_PUSH(&rows->program, program);
        xpd_map64_put(&rows->of_id, id, at);
    }
    if (!rows->program.failed)
        rows->program.at[at].runs++;
}

/* Whether a depth holds runs of programs. A SparseCore's are parts of those of its chip. */
static bool has_runs(const struct xpd_trace *trace, const struct xpd_depth *depth)
{
    const struct xpd_trace_row *row = &trace->row[depth->row];
    return row->kind == XPD_ROW_MODULES && xpd_process_is_chip(trace->process[row->process].kind);
}

static void read_rows(struct in_rows *rows)
{
    const struct xpd_trace *trace = rows->trace;
    rows->read = true;
    for (uint32_t d = 0; d < trace->depth_count; d++) {
        const struct xpd_depth *depth = &trace->depth[d];
        for (uint32_t i = 0; has_runs(trace, depth) && i < depth->count; i++) {
            const struct xpd_event_name *name = &trace->name[depth->name[i]];
            if (name->program_id != 0)
                add_run(rows, name->program_id, name->caption);
        }
    }
}

/* A program without HLO: what its runs are called if no event of an operation names it, and how
 * many the rows show. */
static void take_row(struct xpd_overview_program *to, const struct xpd_overviewing *o,
                     struct in_rows *rows, uint64_t id, bool has_name)
{
    if (!rows->read)
        read_rows(rows);
    uint32_t at = xpd_map64_get(&rows->of_id, id);
    if (at == XPD_NO_INDEX || rows->program.failed)
        return;
    struct xpd_str caption = xpd_intern_get(&rows->trace->names, rows->program.at[at].caption);
    if (!has_name && !to->name)
        to->name = xpd_arena_strndup(o->ctx->arena, caption.data, caption.size);
    to->runs = (to->runs < 0 ? 0 : to->runs) + rows->program.at[at].runs;
}

static void add_program(struct programs *all, const struct xpd_overviewing *o, uint32_t host,
                        struct in_rows *rows, const struct xpd_op_times *times,
                        const struct xpd_op_program *program)
{
    struct xpd_str name = xpd_intern_get(&times->names, program->name);
    uint32_t module = module_of(o->ctx->run, host, program, name);
    bool other;
    const char *key = module != XPD_NO_INDEX
                          ? o->ctx->run->module[module].key
                          : xpd_tools_program_name(o->ctx, times, program, &other);
    struct xpd_overview_program *to = program->op_count > 0 && key ? entry_of(all, key) : NULL;
    if (!to)
        return;
    to->held = module != XPD_NO_INDEX;
    to->of_none = program->loose != XPD_LOOSE_NOT;
    if (to->held)
        to->runs = xpd_tools_runs_on(o->ctx->run, module, xpd_tools_host_named(o->ctx));
    else if (program->has_id)
        take_row(to, o, rows, program->id, name.size > 0);
    to->executions += (int64_t)program->count;
    for (uint32_t i = 0; i < program->op_count; i++) {
        int64_t self_ps = times->op[program->first_op + i].sums.self_ps;
        xpd_grow_i64(&to->self_ps, self_ps);
        xpd_grow_i64(&all->self_ps, self_ps);
    }
}

/* Those that ran without an operation that was timed. */
static void add_quiet(struct programs *all, const struct xpd_run *run, uint32_t named)
{
    for (uint32_t m = 0; m < run->module_count; m++) {
        int64_t runs = xpd_tools_runs_on(run, m, named);
        if (runs <= 0)
            continue;
        struct xpd_overview_program *to = entry_of(all, run->module[m].key);
        if (to) {
            to->held = true;
            to->runs = runs;
        }
    }
}

static int by_self(const void *a, const void *b)
{
    const struct xpd_overview_program *x = a, *y = b;
    if (x->self_ps != y->self_ps)
        return x->self_ps < y->self_ps ? 1 : -1;
    return strcmp(x->module, y->module);
}

static int64_t peak_of(const struct xpd_overviewing *o, const char *key)
{
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    uint32_t module;
    if (xpd_run_find_module(o->ctx->run, xpd_str_of(key), &module, NULL) != XPD_OK ||
        xpd_store_module(o->ctx->store, o->ctx->run, module, &hlo, &mem, NULL) != XPD_OK)
        return -1;
    const struct xpd_mem_space *space = xpd_mem_main_space(mem);
    return space ? space->peak_bytes : -1;
}

static int add_host(struct programs *all, const struct xpd_overviewing *o, uint32_t host,
                    struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = o->ctx;
    const struct xpd_op_times *times;
    const struct xpd_trace *trace = NULL;
    struct in_rows rows = {0};
    int rc = xpd_store_trace(ctx->store, ctx->run, host, ctx->wait_ms, &trace, ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_op_times(ctx->store, ctx->run, host, ctx->wait_ms, &times, ctx->state, err);
    rows.trace = trace;
    for (uint32_t p = 0; rc == XPD_OK && p < times->program_count; p++)
        add_program(all, o, host, &rows, times, &times->program[p]);
    if (rc == XPD_OK && (rows.program.failed || rows.of_id.failed))
        rc = xpd_tools_no_memory(err);
    xpd_map64_fini(&rows.of_id);
    XPD_VEC_FINI(&rows.program);
    return rc;
}

static int put_programs(struct xpd_overviewing *o, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = o->ctx;
    struct programs all = {0};
    int rc = XPD_OK;
    for (uint32_t i = 0; rc == XPD_OK && i < o->steps.host_count; i++)
        if (xpd_host_has_events(&ctx->run->host[o->steps.host[i]]))
            rc = add_host(&all, o, o->steps.host[i], err);
    add_quiet(&all, ctx->run, xpd_tools_host_named(ctx));
    if (all.at.count > 1)
        qsort(all.at.at, all.at.count, sizeof *all.at.at, by_self);
    uint32_t total = (uint32_t)all.at.count, n = total < PROGRAMS_MAX ? total : PROGRAMS_MAX;
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_overview_program *at = &all.at.at[i];
        at->share = all.self_ps > 0 ? (double)at->self_ps / (double)all.self_ps : 0;
        at->peak_bytes = at->held ? peak_of(o, at->module) : -1;
        at->name = at->name ? at->name : name_of(ctx->run, at);
    }
    o->out.programs_left_out = total - n;
    all.at.count = n;
    o->out.programs.at = XPD_COPY_VEC(ctx->arena, &all.at);
    o->out.programs.n = n;
    bool failed = all.at.failed || !o->out.programs.at;
    XPD_VEC_FINI(&all.at);
    return rc == XPD_OK && failed ? xpd_tools_no_memory(err) : rc;
}

/* ---- memory ---- */

static int64_t host_peak(const struct xpd_mem *mem)
{
    for (uint32_t i = 0; i < mem->space_count; i++)
        if (mem->space[i].color == XPD_SPACE_HOST)
            return mem->space[i].peak_bytes;
    return 0;
}

static int default_module(struct xpd_tool_ctx *ctx, struct xpd_err *why)
{
    uint32_t named = xpd_tools_host_named(ctx);
    return named == XPD_NO_INDEX
               ? xpd_store_default_module(ctx->store, ctx->run, &ctx->module, why)
               : xpd_store_default_on_host(ctx->store, ctx->run, named, &ctx->module, why);
}

static int put_memory(struct xpd_overviewing *o, struct xpd_err *err)
{
    struct xpd_tool_ctx one = *o->ctx;
    struct xpd_str wanted = xpd_param_text(o->ctx, "module");
    if (wanted.size == 0)
        wanted = xpd_param_text(o->ctx, "program");
    struct xpd_err why = {0};
    char scratch[24];
    int rc = wanted.size > 0 ? xpd_run_find_module(one.run, wanted, &one.module, err)
                             : default_module(&one, &why);
    if (wanted.size > 0 && rc != XPD_OK)
        return rc;
    if (rc == XPD_OK)
        rc = xpd_store_module(one.store, one.run, one.module, &one.hlo, &one.mem, &why);
    const struct xpd_mem_space *space = rc == XPD_OK ? xpd_mem_main_space(one.mem) : NULL;
    if (!space) {
        o->out.no_memory = rc == XPD_OK ? "the program has no buffer assignment"
                                        : xpd_arena_strndup(one.arena, why.text, strlen(why.text));
        return XPD_OK;
    }
    struct xpd_overview_memory *memory = XPD_NEW(one.arena, struct xpd_overview_memory);
    if (!memory)
        return xpd_tools_no_memory(err);
    struct xpd_capacity capacity;
    one.space = space;
    one.color = space->color;
    xpd_tools_capacity(&one, space->color, &capacity);
    uint32_t at = space->peak_step == XPD_NO_STEP
                      ? XPD_NO_INDEX
                      : xpd_mem_running(one.mem, space, space->peak_step);
    const char *name = xpd_space_name(one.run->platform, space->color, scratch);
    *memory = (struct xpd_overview_memory){
        .module = one.run->module[one.module].key,
        .space = xpd_arena_strndup(one.arena, name, strlen(name)),
        .peak_bytes = space->peak_bytes,
        .capacity_bytes = capacity.bytes,
        .capacity_from = capacity.from,
        .capacity_unknown = capacity.unknown,
        .share = capacity.bytes > 0 ? (double)space->peak_bytes / (double)capacity.bytes : -1,
        .host_bytes = host_peak(one.mem),
        .instruction = xpd_hlo_instruction_name(one.hlo, at),
    };
    o->out.memory = memory;
    return XPD_OK;
}

/* ---- the recording ---- */

static int by_start(const void *a, const void *b)
{
    const struct xpd_overview_mark *x = a, *y = b;
    return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

/* Where the first step of a chip begins; where it has none, `first_ps`. */
static int64_t first_of_chip(const struct xpd_step_table *table, uint32_t process, int64_t first_ps)
{
    for (uint32_t l = 0; l < table->lane_count; l++)
        if (table->lane[l].process == process && table->lane[l].count > 0)
            return table->lane[l].cell[0].span.from_ps;
    return first_ps;
}

/* The run that a step which begins then is made of: the first that has not ended. */
static uint32_t run_of_step(const struct xpd_depth *depth, int64_t first_ps)
{
    uint32_t i = 0;
    while (i < depth->count && xpd_depth_end(depth, i) <= first_ps)
        i++;
    return i;
}

/* Runs of programs on chips that end before the first step of their chip. A SparseCore's runs are
 * parts of those of its chip. */
static int put_marks(struct xpd_overviewing *o, struct xpd_overview_capture *out,
                     const struct xpd_trace *trace, int64_t first_ps, struct xpd_err *err)
{
    XPD_VEC(struct xpd_overview_mark) mark = {0};
    for (uint32_t d = 0; d < trace->depth_count; d++) {
        const struct xpd_depth *depth = &trace->depth[d];
        if (!has_runs(trace, depth))
            continue;
        uint32_t chip = trace->row[depth->row].process;
        int64_t chip_ps = first_of_chip(o->steps.lane[0].table, chip, first_ps);
        uint32_t own = run_of_step(depth, chip_ps);
        for (uint32_t i = 0; i < own; i++) {
            xpd_name_id caption = trace->name[depth->name[i]].caption;
            struct xpd_overview_mark one = {xpd_depth_start(depth, i) - trace->first_ps,
                                            xpd_depth_end(depth, i) - trace->first_ps,
                                            xpd_intern_get(&trace->names, caption)};
            XPD_PUSH(&mark, one);
            out->before_own +=
                own < depth->count && caption == trace->name[depth->name[own]].caption;
        }
    }
    if (mark.count > 1)
        qsort(mark.at, mark.count, sizeof *mark.at, by_start);
    out->before = (uint32_t)mark.count;
    mark.count = mark.count < MARKS_MAX ? mark.count : MARKS_MAX;
    out->marks.at = XPD_COPY_VEC(o->ctx->arena, &mark);
    out->marks.n = (uint32_t)mark.count;
    bool failed = mark.failed || !out->marks.at;
    XPD_VEC_FINI(&mark);
    return failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static void find_steps(const struct xpd_overviewing *o, int64_t *first_ps, int64_t *last_ps)
{
    const struct xpd_step_table *table = o->steps.lane[0].table;
    *first_ps = INT64_MAX;
    *last_ps = INT64_MIN;
    for (uint32_t l = 0; l < table->lane_count; l++)
        for (uint32_t i = 0; i < table->lane[l].count; i++) {
            const struct xpd_split_span *span = &table->lane[l].cell[i].span;
            *first_ps = span->from_ps < *first_ps ? span->from_ps : *first_ps;
            *last_ps = span->to_ps > *last_ps ? span->to_ps : *last_ps;
        }
}

static const char *damage_of(const struct xpd_run *run)
{
    static const char *const code[] = {"file_cut",       "gzip_cut",         "file_damaged",
                                       "profiler_error", "profiler_warning", "unreadable_file"};
    for (uint32_t i = 0; i < run->warnings->count; i++)
        for (size_t k = 0; k < sizeof code / sizeof *code; k++)
            if (strcmp(run->warnings->item[i].code, code[k]) == 0)
                return run->warnings->item[i].text;
    for (uint32_t h = 0; h < run->host_count; h++)
        if (run->host[h].space && !run->host[h].space->complete)
            return "a file is cut: no sum includes the missing part";
    return NULL;
}

static bool any_without_hlo(const struct xpd_overviewing *o)
{
    for (size_t i = 0; i < o->op.count; i++)
        if (o->op.at[i].place.module == XPD_NO_INDEX && !o->op.at[i].place.loose &&
            o->op.at[i].time_ps > 0)
            return true;
    return false;
}

/* Kernels, that is: a copy belongs to no operation. */
static bool any_loose(const struct xpd_overviewing *o)
{
    for (size_t i = 0; i < o->op.count; i++)
        if (o->op.at[i].place.loose && o->op.at[i].part >= XPD_PART_COMPUTE &&
            o->op.at[i].time_ps > 0)
            return true;
    return false;
}

/* What records the operations of programs. Of JAX on a CPU: 0.4.38, 0.5.3 and 0.7.2 to 0.9.0 record
 * them; 0.4.13 to 0.4.31 and 0.6.2 do not. */
static const char *operations_by(const struct xpd_trace *trace)
{
    return xpd_trace_has_devices(trace)
               ? "a device that traces them (device_tracer_level=1), and the program running while "
                 "the profiler records"
               : "JAX 0.7.2 or later on a CPU, or a device that traces them "
                 "(device_tracer_level=1), and the program running while the profiler records";
}

static void put_missing(struct xpd_overviewing *o, const struct xpd_trace *trace,
                        struct xpd_overview_capture *out)
{
    struct xpd_overview_missing *at = XPD_NEW_ARRAY(o->ctx->arena, struct xpd_overview_missing, 5);
    uint32_t n = 0;
    if (!at)
        return;
    if (o->steps.why_not || o->steps.nothing)
        at[n++] = (struct xpd_overview_missing){"operations of programs", operations_by(trace)};
    if (!o->steps.why_not && o->steps.what != XPD_STEPS_MARKED && !o->steps.threads_mark &&
        o->steps.asked == XPD_NO_INDEX)
        at[n++] = (struct xpd_overview_missing){
            "markers of steps",
            "jax.profiler.StepTraceAnnotation(\"train\", step_num=n), xp.StepTrace of torch_xla or "
            "tf.profiler.experimental.Trace(_r=1) around each step"};
    if (any_without_hlo(o))
        at[n++] = (struct xpd_overview_missing){"HLO of programs that ran",
                                                "enable_hlo_proto=True in the profiler's options"};
    if (o->unnamed_ps > 0 || any_loose(o))
        at[n++] = (struct xpd_overview_missing){
            "the work of some kernels",
            "programs compiled by XLA: other kernels do not record shapes"};
    out->missing.at = at;
    out->missing.n = n;
}

static const char *before_text(const struct xpd_overviewing *o,
                               const struct xpd_overview_capture *at)
{
    if (at->first_ps < 0)
        return "no step of a device was recorded";
    const char *time = xpd_overview_time(o, (double)at->first_ps);
    const char *unit = xpd_overview_unit(o);
    if (at->first_ps == 0)
        return xpd_arena_printf(o->ctx->arena, "begins with the first %s", unit);
    if (at->before == 0)
        return xpd_arena_printf(o->ctx->arena, "%s before the first %s", time, unit);
    uint32_t own = at->before_own, others = at->before - own;
    const char *on = o->steps.lane[0].table->lane_count == 1 ? "" : ", on all chips";
    if (others == 0)
        return xpd_arena_printf(o->ctx->arena,
                                "%s before the first %s: %" PRIu32 " run%s of its program%s", time,
                                unit, own, own == 1 ? "" : "s", on);
    const char *more =
        own > 0 ? xpd_arena_printf(o->ctx->arena, ", %" PRIu32 " of its own", own) : "";
    return xpd_arena_printf(o->ctx->arena,
                            "%s before the first %s: %" PRIu32 " run%s of other programs%s%s", time,
                            unit, others, others == 1 ? "" : "s", more ? more : "", on);
}

static int put_capture(struct xpd_overviewing *o, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = o->ctx;
    const struct xpd_trace *trace = NULL;
    struct xpd_overview_capture *out = XPD_NEW(ctx->arena, struct xpd_overview_capture);
    if (!out)
        return xpd_tools_no_memory(err);
    uint32_t host = o->steps.lane_count > 0 ? o->steps.lane[0].host : o->steps.host[0];
    int rc = xpd_store_trace(ctx->store, ctx->run, host, ctx->wait_ms, &trace, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    *out = (struct xpd_overview_capture){.span_ps = trace->end_ps - trace->first_ps,
                                         .first_ps = -1,
                                         .last_ps = -1,
                                         .compute_ps = -1,
                                         .outside_ps = -1};
    if (o->steps.lane_count > 0) {
        xpd_overview_outside(o, &out->compute_ps, &out->outside_ps);
        int64_t first_ps, last_ps;
        find_steps(o, &first_ps, &last_ps);
        out->first_ps = first_ps > trace->first_ps ? first_ps - trace->first_ps : 0;
        out->last_ps = last_ps > trace->first_ps ? last_ps - trace->first_ps : 0;
        rc = put_marks(o, out, trace, first_ps, err);
    }
    out->sentence = before_text(o, out);
    out->damage = damage_of(ctx->run);
    out->complete = !out->damage;
    put_missing(o, trace, out);
    o->out.capture = out;
    struct xpd_lost_runs lost;
    return rc == XPD_OK ? xpd_measured_lost(&lost, &out->lost, ctx, host, err) : rc;
}

/* ---- where it ran ---- */

/* When the first host that says so began to record; NULL in *out = none does. */
static int recorded(const struct xpd_overviewing *o, const char **out, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = o->ctx;
    int64_t ns = 0;
    int rc = XPD_OK;
    for (uint32_t i = 0; rc == XPD_OK && ns <= 0 && i < o->steps.host_count; i++) {
        const struct xpd_trace *trace;
        rc = xpd_store_trace(ctx->store, ctx->run, o->steps.host[i], ctx->wait_ms, &trace,
                             ctx->state, err);
        ns = rc == XPD_OK ? trace->profile_start_ns : 0;
    }
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm utc;
    char text[40];
    bool known = ns > 0 && gmtime_r(&seconds, &utc) &&
                 strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc) > 0;
    *out = known ? xpd_arena_strndup(ctx->arena, text, strlen(text)) : NULL;
    return rc;
}

static const char *capacity_text(const struct xpd_overviewing *o)
{
    char bytes[48];
    const struct xpd_overview_memory *memory = o->out.memory;
    if (!memory || memory->capacity_bytes < 0)
        return NULL;
    xpd_bytes_text_own(bytes, memory->capacity_bytes);
    return xpd_arena_printf(o->ctx->arena, "%s, %s", bytes, memory->capacity_from);
}

static const char *programs_text(const struct xpd_overviewing *o)
{
    const struct xpd_overview_program *most = NULL;
    uint32_t n = o->out.programs_left_out;
    for (uint32_t i = 0; i < o->out.programs.n; i++) {
        const struct xpd_overview_program *at = &o->out.programs.at[i];
        most = most || at->of_none ? most : at;
        n += !at->of_none;
    }
    if (!most)
        return o->out.programs.n > 0 ? "none of XLA" : NULL;
    return xpd_arena_printf(o->ctx->arena, "%" PRIu32 ", %s %.1f %% of the time of operations", n,
                            most->name, most->share * 100);
}

static int put_environment(struct xpd_overviewing *o, struct xpd_err *err)
{
    const struct xpd_run *run = o->ctx->run;
    struct xpd_arena *arena = o->ctx->arena;
    struct xpd_overview_fact *at = XPD_NEW_ARRAY(arena, struct xpd_overview_fact, 6);
    uint32_t n = 0;
    if (!at)
        return xpd_tools_no_memory(err);
    uint32_t named = xpd_tools_host_named(o->ctx);
    const struct xpd_xspace *space = named != XPD_NO_INDEX ? run->host[named].space : NULL;
    uint32_t chips = space ? space->device_count : run->device_count;
    const char *device = o->out.device[0] == '\0' || chips == 0
                             ? o->out.device
                             : xpd_arena_printf(arena, "%s, %" PRIu32 " chip%s", o->out.device,
                                                chips, chips == 1 ? "" : "s");
    at[n++] = (struct xpd_overview_fact){"device", device && device[0] ? device : NULL};
    at[n++] = (struct xpd_overview_fact){"memory of each", capacity_text(o)};
    at[n++] = (struct xpd_overview_fact){"programs run", programs_text(o)};
    const char *start;
    int rc = recorded(o, &start, err);
    at[n++] = (struct xpd_overview_fact){"recorded", start};
    const char *versions =
        space ? xpd_intern_get(&space->names, space->versions).data : run->versions;
    at[n++] = (struct xpd_overview_fact){"versions", versions[0] != '\0' ? versions : NULL};
    o->out.environment.at = at;
    o->out.environment.n = n;
    return rc;
}

int xpd_overview_run(struct xpd_overviewing *o, struct xpd_err *err)
{
    int rc = put_programs(o, err);
    if (rc == XPD_OK)
        rc = put_memory(o, err);
    if (rc == XPD_OK && o->steps.host_count > 0)
        rc = put_capture(o, err);
    return rc == XPD_OK ? put_environment(o, err) : rc;
}
