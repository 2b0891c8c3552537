/* /api/v1/trace/allocators/steps: how memory in use changes from step to step, whether it leaks,
 * what is never freed, and what the stack is beside what was compiled. */
#include "alloc_growth.h"

#include "xprofd/base/checked.h"

#include <math.h>

#define STEPS_USUAL 2000
#define STEPS_MAX   20000
#define NEVER_MAX   1000 /* groups that are listed */

#define XPD_ALLOC_STEP_ROW_FIELDS(FIELD)                                                           \
    FIELD(SIGNED, number, "of the step")                                                           \
    FIELD(SIGNED, from_ps, "start")                                                                \
    FIELD(SIGNED, to_ps, "end")                                                                    \
    FIELD(MAYBE(INT), least_bytes, "minimum in use; null: before the first event")                 \
    FIELD(MAYBE(INT), most_bytes, "maximum in use")                                                \
    FIELD(INT, allocated_bytes, "allocated in the step")                                           \
    FIELD(INT, freed_bytes, "freed in the step")                                                   \
    FIELD(INT, left_bytes, "allocated in the step and still live at its end")
XPD_RECORD(xpd_alloc_step_row, XPD_ALLOC_STEP_ROW_FIELDS)

#define XPD_ALLOC_TREND_FIELDS(FIELD)                                                              \
    FIELD(INDEX, allocator, "index in the tracks of trace/allocators")                             \
    FIELD(TEXT, title, "display name: TPU:0, mklcpu")                                              \
    FIELD(COUNT, steps, "steps with a known value")                                                \
    FIELD(WORD(XPD_ALLOC_STEPS_WORDS), what,                                                       \
          "steps of trace/steps, executions of a program, or tenths of the time")                  \
    FIELD(REAL, slope_bytes,                                                                       \
          "bytes a step: slope of the line through the lowest in use; null: below 2 steps")        \
    FIELD(REAL, r2, "R² of that line; null: all values are equal")                                 \
    FIELD(REAL, intercept_bytes, "value of that line at step 0")                                   \
    FIELD(MAYBE(INT), lowest_bytes, "in use in any step")                                          \
    FIELD(WORD(XPD_ALLOC_VERDICT_WORDS), verdict,                                                  \
          "leak: slope above 0, R² >= 0.9, and over all steps at least 1 MiB and 1 % of the "     \
          "lowest; below 8 steps: too few")                                                        \
    FIELD(MAYBE(REAL), full_in_steps, "for a leak: steps until the capacity is in use")
XPD_RECORD(xpd_alloc_trend, XPD_ALLOC_TREND_FIELDS)

#define XPD_ALLOC_NEVER_ROW_FIELDS(FIELD)                                                          \
    FIELD(TEXT, op, "as the runtime reports; \"\" not recorded")                                   \
    FIELD(TEXT, shape, "likewise")                                                                 \
    FIELD(TEXT, data_type, "of the first")                                                         \
    FIELD(TEXT, what, "purpose of the first")                                                      \
    FIELD(TEXT, program, "of the first")                                                           \
    FIELD(TEXT, source, "of the first, as in trace/allocators/live")                               \
    FIELD(INT, count, "allocations")                                                               \
    FIELD(MAYBE(INT), size_bytes, "of all of them")                                                \
    FIELD(MAYBE(INT), requested_bytes, "requested size")                                           \
    FIELD(SIGNED, from_ps, "time of the first")                                                    \
    FIELD(SIGNED, last_from_ps, "time of the last")                                                \
    FIELD(MAYBE(INT), event, "of the trace, of the first")
XPD_RECORD(xpd_alloc_never_row, XPD_ALLOC_NEVER_ROW_FIELDS)

#define XPD_ALLOC_NEVER_FIELDS(FIELD)                                                              \
    FIELD(INT, made, "allocations made inside the steps")                                          \
    FIELD(INT, freed_in_step, "freed in the step that allocated them")                             \
    FIELD(INT, freed_later, "freed in a later step")                                               \
    FIELD(INT, kept, "never freed in the capture; the three add up to `made`")                     \
    FIELD(INT, kept_bytes, "their bytes")                                                          \
    FIELD(COUNT, groups, "groups with equal op and shape")                                         \
    FIELD(INLINE(xpd_alloc_never_row), rows, "the largest 1,000 groups")
XPD_RECORD(xpd_alloc_never_rows, XPD_ALLOC_NEVER_FIELDS)

#define XPD_ALLOC_STACK_FIELDS(FIELD)                                                              \
    FIELD(TEXT, program, "program that runs when the stack is highest")                            \
    FIELD(INDEX, module, "of the run")                                                             \
    FIELD(INT, measured_bytes, "maximum of reserved")                                              \
    FIELD(INT, compiled_bytes, "the program's temporaries, as in memory/summary")                  \
    FIELD(SIGNED, beyond_bytes, "reserved minus these")                                            \
    FIELD(SIGNED, at_ps, "when")
XPD_RECORD(xpd_alloc_stack, XPD_ALLOC_STACK_FIELDS)

#define XPD_ALLOC_STEPS_FIELDS(FIELD)                                                              \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(MAYBE(INDEX), allocator,                                                                 \
          "allocator of these steps: the requested one, else the one that leaks, else the one "    \
          "with most in use")                                                                      \
    FIELD(TEXT, title, "its name")                                                                 \
    FIELD(STRING, headline, "the main result, in a few words")                                     \
    FIELD(STRING, sentence, "the same with its largest part")                                      \
    FIELD(BOOL, cut, "a file is truncated: the free of an allocation may be in the missing part")  \
    FIELD(WORD(XPD_ALLOC_STEPS_WORDS), what, "definition of a step")                               \
    FIELD(TEXT, program, "with executions: their program")                                         \
    FIELD(MAYBE(INDEX), process, "process of the steps, in trace/rows")                            \
    FIELD(MAYBE(INDEX), row, "the thread that marked the steps")                                   \
    FIELD(COUNT, total, "total number of steps")                                                   \
    FIELD(COUNT, left_out, "steps not listed")                                                     \
    FIELD(INLINE(xpd_alloc_step_row), rows, "by time")                                             \
    FIELD(COLUMNS(xpd_alloc_trend), growth, "of each allocator")                                   \
    FIELD(OBJECT(xpd_alloc_never_rows), never,                                                     \
          "allocations made inside the steps and never freed")                                     \
    FIELD(MAYBE(OBJECT(xpd_alloc_stack)), stack,                                                   \
          "the stack compared with the compiled size; null: no stack, or no such program")
XPD_RECORD(xpd_alloc_steps_answer, XPD_ALLOC_STEPS_FIELDS)

static const char *const what_word[] = {"steps", "runs", "tenths"};
static const char *const verdict_word[] = {"leak", "no_growth", "too_few_steps"};

struct asking {
    const struct xpd_tool_ctx *ctx;
    struct xpd_trace_call call;
    struct xpd_alloc_lanes lanes;
    struct xpd_alloc_grown *grown;
    uint32_t chosen;
    const struct xpd_alloc_lane *lane;
    const struct xpd_alloc_purpose *purpose;
    struct xpd_alloc_steps_answer out;
};

/* ---- growth ---- */

static int fill_growth(struct asking *a, struct xpd_err *err)
{
    struct xpd_alloc_trend *to =
        XPD_NEW_ARRAY(a->ctx->arena, struct xpd_alloc_trend, a->lanes.count);
    if (!to)
        return xpd_tools_no_memory(err);
    for (uint32_t k = 0; k < a->lanes.count; k++) {
        const struct xpd_alloc_growth *g = &a->grown[k].growth;
        to[k] = (struct xpd_alloc_trend){
            .allocator = k,
            .title = a->lanes.at[k].title,
            .steps = g->known,
            .what = what_word[a->grown[k].spans.what],
            .slope_bytes = g->slope_bytes,
            .r2 = g->r2,
            .intercept_bytes = g->intercept_bytes,
            .lowest_bytes = g->lowest_bytes,
            .verdict = verdict_word[g->verdict],
            .full_in_steps = g->full_in_steps,
        };
    }
    a->out.growth.at = to;
    a->out.growth.n = a->lanes.count;
    return XPD_OK;
}

static int fill_steps(struct asking *a, struct xpd_err *err)
{
    const struct xpd_alloc_growth *g = &a->grown[a->chosen].growth;
    const struct xpd_alloc_spans *spans = &a->grown[a->chosen].spans;
    uint32_t limit = (uint32_t)xpd_param_int(a->ctx, &xpd_tool_trace_allocators_steps, "limit");
    uint32_t n = g->count < limit ? g->count : limit;
    struct xpd_alloc_step_row *to = XPD_NEW_ARRAY(a->ctx->arena, struct xpd_alloc_step_row, n);
    if (!to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_alloc_step *s = &g->step[i];
        to[i] = (struct xpd_alloc_step_row){s->number,
                                            xpd_tools_at(&a->call, s->from_ps),
                                            xpd_tools_at(&a->call, s->to_ps),
                                            s->least_bytes,
                                            s->most_bytes,
                                            s->allocated_bytes,
                                            s->freed_bytes,
                                            s->left_bytes};
    }
    a->out.what = what_word[spans->what];
    a->out.program = spans->program;
    a->out.process = spans->process;
    a->out.row = spans->row;
    a->out.total = g->count;
    a->out.left_out = g->count - n;
    a->out.rows.at = to;
    a->out.rows.n = n;
    return XPD_OK;
}

/* ---- never freed ---- */

static struct xpd_alloc_never_row never_row(const struct asking *a, const struct xpd_alloc_kept *g)
{
    const struct xpd_alloc_lane *lane = a->lane;
    const struct xpd_allocation *e = &lane->of->event[g->first];
    const struct xpd_alloc_purpose *p = &a->purpose[g->first];
    return (struct xpd_alloc_never_row){
        .op = xpd_tools_alloc_text(lane, e->op),
        .shape = xpd_tools_alloc_text(lane, e->shape),
        .data_type =
            e->data_type > 0 ? xpd_allocation_type(e->data_type, a->ctx->arena) : XPD_STR(""),
        .what = xpd_tools_alloc_what(lane, p, e),
        .program = p->program,
        .source = p->source,
        .count = (int64_t)g->count,
        .size_bytes = g->size_bytes,
        .requested_bytes = g->requested_bytes,
        .from_ps = xpd_tools_alloc_at(&a->call, lane, e->at_ps),
        .last_from_ps = xpd_tools_alloc_at(&a->call, lane, lane->of->event[g->last].at_ps),
        .event = p->event == UINT64_MAX ? -1 : (int64_t)(p->event + lane->first_event),
    };
}

static int fill_never(struct asking *a, struct xpd_err *err)
{
    struct xpd_alloc_never never;
    struct xpd_alloc_never_rows *out = XPD_NEW(a->ctx->arena, struct xpd_alloc_never_rows);
    if (!out || !xpd_alloc_never_make(&never, a->lane->lives, &a->grown[a->chosen].spans,
                                      a->lane->shift_ps, a->ctx->arena))
        return xpd_tools_no_memory(err);
    uint32_t n = never.group_count < NEVER_MAX ? never.group_count : NEVER_MAX;
    struct xpd_alloc_never_row *row = XPD_NEW_ARRAY(a->ctx->arena, struct xpd_alloc_never_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        row[i] = never_row(a, &never.group[i]);
    *out = (struct xpd_alloc_never_rows){.made = (int64_t)never.made,
                                         .freed_in_step = (int64_t)never.freed_in_step,
                                         .freed_later = (int64_t)never.freed_later,
                                         .kept = (int64_t)never.kept,
                                         .kept_bytes = never.kept_bytes,
                                         .groups = never.group_count,
                                         .rows = {row, n}};
    a->out.never = out;
    return XPD_OK;
}

/* ---- the stack ---- */

static uint32_t module_called(const struct xpd_run *run, struct xpd_str name)
{
    for (uint32_t i = 0; name.size > 0 && i < run->module_count; i++)
        if (xpd_str_eq(name, xpd_str_of(run->module[i].name)))
            return i;
    return XPD_NO_INDEX;
}

/* The program that runs when the stack is highest: what is reserved then is its temporaries. */
static int fill_stack(struct asking *a, struct xpd_err *err)
{
    const struct xpd_allocator *of = a->lane->of;
    const struct xpd_hlo *hlo = NULL;
    const struct xpd_mem *mem = NULL;
    uint32_t most = 0;
    for (uint32_t i = 1; i < of->count; i++)
        if (of->event[i].reserved_bytes > of->event[most].reserved_bytes)
            most = i;
    struct xpd_str program = xpd_tools_alloc_running(a->lane, most);
    uint32_t module = module_called(a->ctx->run, program);
    if (of->event[most].reserved_bytes <= 0 || module == XPD_NO_INDEX)
        return XPD_OK;
    int rc = xpd_store_module(a->ctx->store, a->ctx->run, module, &hlo, &mem, err);
    const struct xpd_mem_space *space = rc == XPD_OK && mem ? xpd_mem_main_space(mem) : NULL;
    if (rc != XPD_OK || !space)
        return rc;
    struct xpd_alloc_stack *out = XPD_NEW(a->ctx->arena, struct xpd_alloc_stack);
    if (!out)
        return xpd_tools_no_memory(err);
    int64_t measured = of->event[most].reserved_bytes;
    *out = (struct xpd_alloc_stack){program,
                                    module,
                                    measured,
                                    space->heap_bytes,
                                    measured - space->heap_bytes,
                                    xpd_tools_alloc_at(&a->call, a->lane, of->event[most].at_ps)};
    a->out.stack = out;
    return XPD_OK;
}

/* ---- in words ---- */

static const char *bytes(char out[48], int64_t value)
{
    xpd_bytes_text_own(out, value);
    return out;
}

/* Of what is told for each step: two digits, where a table would round them away. */
static const char *bytes_each(char out[48], double value)
{
    if (value < 1024 || value >= 10 * 1048576.0)
        return bytes(out, (int64_t)(value + 0.5));
    bool mib = value >= 1048576.0;
    snprintf(out, 48, "%.2f %s", value / (mib ? 1048576.0 : 1024.0), mib ? "MiB" : "KiB");
    return out;
}

static const char *step_word(const struct asking *a)
{
    static const char *const word[] = {"step", "run", "tenth of the time"};
    return word[a->grown[a->chosen].spans.what];
}

/* "8 runs" */
static const char *count_text(const struct asking *a, uint32_t n)
{
    static const char *const words[] = {"steps", "runs", "tenths of the time"};
    const char *text =
        xpd_arena_printf(a->ctx->arena, "%" PRIu32 " %s", n,
                         n == 1 ? step_word(a) : words[a->grown[a->chosen].spans.what]);
    return text ? text : "";
}

static const char *step_count(const struct asking *a)
{
    return count_text(a, a->grown[a->chosen].growth.known);
}

/* " of 31.25 GiB" */
static const char *say_capacity(const struct asking *a)
{
    char capacity[48];
    int64_t size = a->lane->lives->capacity_bytes;
    const char *text = size < 0 ? ", capacity unknown"
                                : xpd_arena_printf(a->ctx->arena, " of %s", bytes(capacity, size));
    return text ? text : "";
}

/* "; the 4 chips differ by 0.1 MiB": how even the peaks are of the devices that are of one kind
 * with the one that is spoken of. */
static const char *say_spread(const struct asking *a)
{
    int64_t least = INT64_MAX, most = 0;
    uint32_t count = 0;
    char by[48];
    const struct xpd_trace *trace = a->call.view.trace;
    if (a->lane->process == XPD_NO_INDEX)
        return "";
    enum xpd_process_kind kind = trace->process[a->lane->process].kind;
    for (uint32_t k = 0; kind != XPD_PROCESS_HOST && k < a->lanes.count; k++) {
        const struct xpd_alloc_lane *lane = &a->lanes.at[k];
        if (lane->process == XPD_NO_INDEX || trace->process[lane->process].kind != kind)
            continue;
        count++;
        least = lane->of->most_bytes < least ? lane->of->most_bytes : least;
        most = lane->of->most_bytes > most ? lane->of->most_bytes : most;
    }
    const char *text =
        count < 2 ? ""
        : most == least
            ? xpd_arena_printf(a->ctx->arena, "; the same on all %" PRIu32 " devices", count)
            : xpd_arena_printf(a->ctx->arena, "; the %" PRIu32 " devices differ by %s", count,
                               bytes(by, most - least));
    return text ? text : "";
}

static void say_leak(struct asking *a)
{
    const struct xpd_alloc_growth *g = &a->grown[a->chosen].growth;
    const struct xpd_alloc_never_rows *never = a->out.never;
    char slope[48], peak[48], size[48], asked[48];
    const char *of_capacity = say_capacity(a);
    a->out.headline = xpd_arena_printf(
        a->ctx->arena, "+%s a %s in use at the lowest point of each of %s, R² %.2f; peak %s%s",
        bytes_each(slope, g->slope_bytes), step_word(a), step_count(a), g->r2,
        bytes(peak, a->lane->of->most_bytes), of_capacity);
    if (never->rows.n == 0) {
        a->out.sentence = "Yet everything allocated is freed in the capture: what grows was "
                          "allocated before it, or has no address.";
        return;
    }
    const struct xpd_alloc_never_row *row = never->rows.at;
    const char *keeps = a->lanes.cut ? "The file is cut: their frees may not be in the capture."
                                     : "Something in the program keeps them.";
    const char *each = row->requested_bytes < 0
                           ? ""
                           : xpd_arena_printf(a->ctx->arena, ", %s requested for each",
                                              bytes_each(asked, (double)row->requested_bytes /
                                                                    (double)row->count));
    a->out.sentence = xpd_arena_printf(
        a->ctx->arena, "%" PRId64 " x %.*s%s%.*s allocated in %s%s%.*s and not freed: %s%s. %s",
        row->count, (int)row->op.size, row->op.data ? row->op.data : "", row->op.size ? " " : "",
        row->shape.size ? (int)row->shape.size : 7, row->shape.size ? row->shape.data : "no name",
        step_count(a), row->source.size ? ", first by " : "", (int)row->source.size,
        row->source.size ? row->source.data : "",
        bytes(size, row->size_bytes > 0 ? row->size_bytes : 0), each ? each : "", keeps);
}

static const char *say_growth(const struct asking *a)
{
    const struct xpd_alloc_growth *g = &a->grown[a->chosen].growth;
    static const char few[] = "too few to tell whether it grows";
    if (g->verdict == XPD_ALLOC_FEW_STEPS && g->known < g->count)
        return xpd_arena_printf(a->ctx->arena,
                                "Only %" PRIu32
                                " of %s have a known value, from the first allocation on: %s.",
                                g->known, count_text(a, g->count), few);
    if (g->verdict == XPD_ALLOC_FEW_STEPS)
        return xpd_arena_printf(a->ctx->arena, "Only %s: %s.", step_count(a), few);
    return xpd_arena_printf(a->ctx->arena, "Nothing grows from %s to %s.", step_word(a),
                            step_word(a));
}

/* Where the stack is most of the peak, arrays may have held most at another time, on another
 * device. */
static const char *say_arrays(const struct asking *a)
{
    const struct xpd_alloc_lane *most = NULL;
    char heap[48], time[XPD_TIME_TEXT_BYTES];
    for (uint32_t k = 0; k < a->lanes.count; k++)
        if (a->lanes.at[k].lives->heap_most_bytes >= 0 &&
            (!most || a->lanes.at[k].lives->heap_most_bytes > most->lives->heap_most_bytes))
            most = &a->lanes.at[k];
    if (!most)
        return "";
    int64_t at_ps =
        xpd_tools_alloc_at(&a->call, most, most->of->event[most->lives->heap_most].at_ps);
    return xpd_arena_printf(a->ctx->arena, " Arrays held at most %s, on %.*s at %s.",
                            bytes(heap, most->lives->heap_most_bytes), (int)most->title.size,
                            most->title.data, xpd_tools_alloc_time(time, at_ps));
}

static void say_peak(struct asking *a)
{
    const struct xpd_allocator *of = a->lane->of;
    const struct xpd_allocation *at = &of->event[of->most];
    char peak[48], part[48], time[XPD_TIME_TEXT_BYTES];
    struct xpd_arena *arena = a->ctx->arena;
    const char *of_capacity = say_capacity(a), *spread = say_spread(a);
    int64_t at_ps = xpd_tools_alloc_at(&a->call, a->lane, at->at_ps);
    a->out.headline = xpd_arena_printf(
        arena, "Peak %s%s, on %.*s at %s%s", bytes(peak, of->most_bytes), of_capacity,
        (int)a->lane->title.size, a->lane->title.data, xpd_tools_alloc_time(time, at_ps), spread);
    const char *grows = say_growth(a);
    bool stack = at->reserved_bytes > at->allocated_bytes;
    bytes(part, stack ? at->reserved_bytes : at->allocated_bytes);
    struct xpd_str program = xpd_tools_alloc_running(a->lane, of->most);
    const char *whose = stack && program.size > 0
                            ? xpd_arena_printf(arena, "the stack of %.*s: its temporaries",
                                               (int)program.size, program.data)
                        : stack ? "the stack: temporaries of programs"
                                : "the heap: arrays";
    const char *arrays = stack ? say_arrays(a) : "";
    a->out.sentence = xpd_arena_printf(arena, "%s of it is %s.%s %s", part, whose ? whose : "",
                                       arrays ? arrays : "", grows ? grows : "");
}

/* ---- the answer ---- */

static uint32_t choose(const struct asking *a)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < a->lanes.count; k++) {
        bool leaks = a->grown[k].growth.verdict == XPD_ALLOC_LEAK;
        bool leaked = a->grown[best].growth.verdict == XPD_ALLOC_LEAK;
        if (leaks != leaked ? leaks
            : leaks         ? xpd_alloc_grows_more(&a->grown[k].growth, &a->grown[best].growth)
                            : a->lanes.at[k].of->most_bytes > a->lanes.at[best].of->most_bytes)
            best = k;
    }
    return best;
}

static int nothing(struct asking *a, struct xpd_err *err)
{
    a->out.allocator = XPD_NO_INDEX;
    a->out.what = what_word[XPD_ALLOC_STEPS_TENTHS];
    a->out.process = a->out.row = XPD_NO_INDEX;
    a->out.headline = "No allocations were recorded";
    a->out.sentence = "The runtime recorded no allocations. They need host tracer level 2 and a "
                      "TPU or GPU (JAX on the CPU records none).";
    a->out.never = XPD_NEW(a->ctx->arena, struct xpd_alloc_never_rows);
    return a->out.never ? XPD_OK : xpd_tools_no_memory(err);
}

static int make(struct asking *a, struct xpd_err *err)
{
    uint32_t first, end;
    int rc = xpd_tools_alloc_choice(&a->lanes, a->ctx, &first, &end, err);
    a->grown = rc == XPD_OK ? xpd_tools_alloc_growth(&a->call, &a->lanes, err) : NULL;
    if (!a->grown)
        return rc == XPD_OK ? xpd_table_status(NULL, err) : rc;
    a->chosen = end - first == 1 ? first : choose(a);
    a->lane = &a->lanes.at[a->chosen];
    a->purpose = xpd_tools_alloc_purposes(&a->call, a->lane, err);
    if (!a->purpose)
        return xpd_table_status(NULL, err);
    a->out.allocator = a->chosen;
    a->out.title = a->lane->title;
    rc = fill_growth(a, err);
    if (rc == XPD_OK)
        rc = fill_steps(a, err);
    if (rc == XPD_OK)
        rc = fill_never(a, err);
    if (rc == XPD_OK)
        rc = fill_stack(a, err);
    if (rc != XPD_OK)
        return rc;
    if (a->grown[a->chosen].growth.verdict == XPD_ALLOC_LEAK)
        say_leak(a);
    else
        say_peak(a);
    return a->ctx->arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int steps(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct asking *a = XPD_NEW(ctx->arena, struct asking);
    if (!a)
        return xpd_tools_no_memory(err);
    a->ctx = ctx;
    *answer = &a->out;
    if (xpd_run_traced_hosts(ctx->run) == 0)
        return nothing(a, err);
    int rc = xpd_tools_trace(ctx, XPD_WANT_DERIVED, &a->call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_alloc_lanes(&a->lanes, &a->call, err);
    a->out.base_ps = a->call.base_ps;
    a->out.cut = a->lanes.cut;
    if (rc != XPD_OK)
        return rc;
    return a->lanes.count > 0 ? make(a, err) : nothing(a, err);
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_alloc_steps_answer *a = answer;
    const struct xpd_record *record = xpd_alloc_steps_answer_record();
    xpd_strbuf_printf(out, "%s\n%s\n", a->headline, a->sentence);
    if (a->cut)
        xpd_strbuf_puts(out, "A file is cut: the frees may come after the cut.\n");
    if (a->growth.n == 0)
        return;
    xpd_strbuf_puts(out, "\nGrowth of the lowest in use:\n");
    xpd_answer_table(out, xpd_record_table(record, "growth"), a,
                     "title verdict steps what slope_bytes r2 lowest_bytes full_in_steps");
    xpd_strbuf_printf(out,
                      "\n%.*s: %" PRId64 " allocated in the steps; %" PRId64
                      " freed in the same step, %" PRId64 " in a later one, %" PRId64 " %s%s\n",
                      (int)a->title.size, a->title.data, a->never->made, a->never->freed_in_step,
                      a->never->freed_later, a->never->kept,
                      a->cut ? "not in the capture" : "never", a->never->rows.n > 0 ? ":" : ".");
    if (a->never->rows.n > 0)
        xpd_answer_table(
            out, xpd_record_table(xpd_alloc_never_rows_record(), "rows"), a->never,
            "size_bytes requested_bytes count what op shape data_type program source?");
    if (a->stack) {
        char measured[48], compiled[48], beyond[48];
        xpd_strbuf_printf(out, "\nStack of %.*s: %s measured, %s compiled, %s beyond\n",
                          (int)a->stack->program.size, a->stack->program.data,
                          bytes(measured, a->stack->measured_bytes),
                          bytes(compiled, a->stack->compiled_bytes),
                          bytes(beyond, a->stack->beyond_bytes));
    }
}

static const struct xpd_param_spec params[] = {
    XPD_PARAM_ALLOCATOR,
    XPD_PARAM_LIMIT(STEPS_USUAL, STEPS_MAX, "steps, 2,000 by default, 20,000 at most"),
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_allocators_steps = {
    .route = "/api/v1/trace/allocators/steps",
    .title = "Memory in use from step to step: growth, leaks, allocations never freed.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .about =
        "Steps are those of trace/steps of the device, else of the thread that marks most; else "
        "executions of the program with most time on the device; else tenths of the time from the "
        "first event to the last. `least_bytes` includes the value at the start of the step.",
    .answer = xpd_alloc_steps_answer_record,
    .make = steps,
    .text = text,
    .file_name = "memory_steps.csv",
    XPD_IN_REPORT("", {145, XPD_EACH_HOST, "", "the allocators of the trace"}),
};
