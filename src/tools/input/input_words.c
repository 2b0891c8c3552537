/* What the numbers of the input mean, in sentences that page and command line show alike. */
#include "../steps/run_steps.h"
#include "input_found.h"

#include "xprofd/base/bytes_text.h"
#include "xprofd/base/checked.h"

static const char *percent(const struct xpd_tool_ctx *ctx, double share)
{
    if (share > 0 && share < 0.0005)
        return "under 0.1 %";
    const char *text =
        xpd_arena_printf(ctx->arena, share >= 0.1 ? "%.0f %%" : "%.1f %%", share * 100);
    return text ? text : "";
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* "1 step", "4,967 steps", as the page writes counts. */
static const char *steps_text(const struct xpd_input_found *f)
{
    char count[32];
    xpd_number_text(count, f->input->step_count);
    const char *text =
        xpd_arena_printf(f->ctx->arena, "%s step%s", count, plural(f->input->step_count));
    return text ? text : "";
}

static double mean(const struct xpd_input_run *in, int64_t total_ps)
{
    return in->step_count > 0 ? (double)total_ps / in->step_count : 0;
}

static const char *headline(const struct xpd_input_found *f)
{
    const struct xpd_input_verdict *v = &f->verdict;
    const struct xpd_tool_ctx *ctx = f->ctx;
    if (f->input->step_count == 0)
        return "No steps: how long the program waits for input is unknown";
    switch (v->says) {
    case XPD_INPUT_YES:
        return xpd_arena_printf(ctx->arena, "%s of each step %s", percent(ctx, v->share),
                                v->side == XPD_INPUT_ITSELF ? "goes into the program's own input"
                                                            : "waits for input");
    case XPD_INPUT_SOME:
        return xpd_arena_printf(ctx->arena, "Partly input bound: %s of each step waits for input",
                                percent(ctx, v->share));
    case XPD_INPUT_NO: return "Not input bound";
    default: return "Cannot tell whether the input keeps up";
    }
}

static const char *idle(const struct xpd_input_found *f)
{
    const struct xpd_input_run *in = f->input;
    if (!in->devices)
        return "no work of a device was recorded";
    const char *text =
        xpd_arena_printf(f->ctx->arena, "the device is idle for %s",
                         percent(f->ctx, 1 - (double)in->sum.busy_ps / (double)in->length_ps));
    return text ? text : "";
}

static const char *detail(const struct xpd_input_found *f)
{
    const struct xpd_input_run *in = f->input;
    const struct xpd_input_verdict *v = &f->verdict;
    if (in->step_count == 0)
        return in->why_none;
    if (v->says == XPD_INPUT_YES || v->says == XPD_INPUT_SOME) /* the headline has the share */
        return xpd_arena_printf(
            f->ctx->arena, "%s of %s in %s; %s", xpd_input_time(f->ctx, (double)v->wait_ps),
            xpd_input_time(f->ctx, (double)in->length_ps), steps_text(f), idle(f));
    if (v->wait_ps == 0)
        return xpd_arena_printf(
            f->ctx->arena, "No recorded wait for input in %s of %s together; %s", steps_text(f),
            xpd_input_time(f->ctx, (double)in->length_ps), idle(f));
    return xpd_arena_printf(f->ctx->arena, "%s of each step waits for input: %s of %s in %s; %s",
                            percent(f->ctx, v->share), xpd_input_time(f->ctx, (double)v->wait_ps),
                            xpd_input_time(f->ctx, (double)in->length_ps), steps_text(f), idle(f));
}

/* The loaders' stage with most time: load or preprocess. */
static const struct xpd_input_stage *main_stage(const struct xpd_input_run *in)
{
    for (uint32_t i = 0; i < in->stage_count; i++) {
        const struct xpd_input_stage *at = &in->stage[i];
        bool loader = at->thread != XPD_NO_INDEX &&
                      in->thread[at->thread].role == XPD_INPUT_LOADER &&
                      (at->class == XPD_INPUT_LOAD || at->class == XPD_INPUT_PREPROCESS);
        if (at->parent == XPD_NO_INDEX && loader)
            return at;
    }
    return NULL;
}

static const char *about_loaders(const struct xpd_input_found *f)
{
    const struct xpd_input_run *in = f->input;
    const struct xpd_tool_ctx *ctx = f->ctx;
    const struct xpd_input_stage *stage = main_stage(in);
    struct xpd_str name = stage ? xpd_input_name(f, stage->name) : (struct xpd_str){0};
    const char *most =
        !stage
            ? ""
            : xpd_arena_printf(ctx->arena, " Most of it is %s, %s%s%.*s.",
                               stage->class == XPD_INPUT_LOAD ? "loading" : "preprocessing",
                               xpd_input_time(ctx, mean(in, stage->total_ps)),
                               name.data ? " in " : "", (int)name.size, name.data ? name.data : "");
    return xpd_arena_printf(ctx->arena,
                            "%" PRIu32 " thread%s load%s and preprocess%s a batch in %s; the rest "
                            "of a step takes %s.%s",
                            in->loaders, plural(in->loaders), in->loaders == 1 ? "s" : "",
                            in->loaders == 1 ? "es" : "", xpd_input_time(ctx, f->verdict.batch_ps),
                            xpd_input_time(ctx, f->verdict.free_ps), most ? most : "");
}

static const char *about_maps(const struct xpd_input_found *f)
{
    const struct xpd_input_run *in = f->input;
    const struct xpd_tool_ctx *ctx = f->ctx;
    struct xpd_str name = xpd_input_name(f, in->map_name);
    const char *part = !name.data ? ""
                                  : xpd_arena_printf(ctx->arena, " (%s of it %.*s)",
                                                     xpd_input_time(ctx, mean(in, in->map_name_ps)),
                                                     (int)name.size, name.data);
    return xpd_arena_printf(
        ctx->arena,
        "The threads of tf.data's map functions work %s per batch%s, and a step takes %s; the "
        "program waits %s for each batch.",
        xpd_input_time(ctx, mean(in, in->map_busy_ps)), part ? part : "",
        xpd_input_time(ctx, f->verdict.step_ps), xpd_input_time(ctx, mean(in, f->verdict.wait_ps)));
}

/* " (7 % of a step in backward)": the largest named part of what nothing is known of. */
static const char *longest_other(const struct xpd_input_found *f)
{
    const struct xpd_input_run *in = f->input;
    if (in->other_name == XPD_NO_INDEX)
        return "";
    struct xpd_str name = xpd_input_name(f, in->other_name);
    return xpd_arena_printf(
        f->ctx->arena, " (%s of a step in %.*s)",
        percent(f->ctx, mean(in, in->other_name_ps) / (double)f->verdict.step_ps), (int)name.size,
        name.data);
}

static const char *sentence(const struct xpd_input_found *f)
{
    const struct xpd_input_run *in = f->input;
    const struct xpd_tool_ctx *ctx = f->ctx;
    if (in->step_count == 0)
        return "";
    if (f->verdict.says == XPD_INPUT_UNKNOWN)
        return xpd_arena_printf(
            ctx->arena,
            "The recording has no event about input, and for %s of each step neither the program "
            "nor a device has an event%s: the program may wait, or compute.",
            percent(ctx, f->verdict.most_share - f->verdict.share), longest_other(f));
    if (in->map_busy_ps > 0)
        return about_maps(f);
    if (in->loaders > 0)
        return about_loaders(f);
    struct xpd_str name = xpd_input_name(f, in->waits.name);
    double wait_ps = mean(in, f->verdict.wait_ps);
    return xpd_arena_printf(ctx->arena, "The program spends %s of a step of %s on input%s%.*s.",
                            wait_ps > 0 ? xpd_input_time(ctx, wait_ps) : "no time",
                            xpd_input_time(ctx, f->verdict.step_ps),
                            name.data ? ", the largest part in " : "", (int)name.size,
                            name.data ? name.data : "");
}

static const char *by_side(const struct xpd_input_found *f)
{
    const struct xpd_input_verdict *v = &f->verdict;
    const struct xpd_tool_ctx *ctx = f->ctx;
    switch (v->side) {
    case XPD_INPUT_SLOW:
        return xpd_arena_printf(
            ctx->arena,
            "The loaders never rest: their queue was full %s of the time. %" PRId64
            " of them would keep up; cheaper work for each batch, or preprocessing on the device, "
            "does the same.",
            percent(ctx, v->full_share), v->needed);
    case XPD_INPUT_ASKS_LATE:
        return xpd_arena_printf(
            ctx->arena,
            "The loaders are idle for %s of the time because their queue is "
            "full: the program takes batches too late. Take the next batch before the step, or "
            "prefetch it to the device.",
            percent(ctx, v->full_share));
    case XPD_INPUT_LOADER_WAITS:
        return "The loaders themselves wait more than they work: for files, for their own workers, "
               "or for the processor. More reads in flight or local copies help.";
    case XPD_INPUT_ITSELF:
        return "The program's own thread loads and prepares each batch: do it in another thread "
               "or process (prefetch, num_workers), one batch ahead.";
    case XPD_INPUT_INFEED: return "The chips wait in infeed: the host sends batches too late.";
    default:
        return "What prepares the batches was not recorded: a profile never includes worker "
               "processes, and includes threads only with the Python tracer.";
    }
}

static const char *what_to_record(const struct xpd_input_found *f)
{
    if (!f->input->python)
        return "Record Python's calls: jax.profiler.ProfileOptions().python_tracer_level = 1, or "
               "tf.profiler.experimental.ProfilerOptions(python_tracer_level=1); or put "
               "jax.profiler.TraceAnnotation(\"wait\") (torch_xla: xp.Trace(\"wait\")) around the "
               "line that fetches the batch.";
    return "If that call fetches the batch, say so with a rule (rules=wait:NAME), or put "
           "jax.profiler.TraceAnnotation(\"wait\") around the line that does.";
}

static const char *advice(const struct xpd_input_found *f)
{
    if (f->input->step_count == 0)
        return "";
    switch (f->verdict.says) {
    case XPD_INPUT_NO:
        return xpd_arena_printf(f->ctx->arena,
                                "The wait is below %.0f %% of a step. A faster pipeline would not "
                                "make the steps faster.",
                                XPD_INPUT_PARTLY * 100);
    case XPD_INPUT_UNKNOWN: return what_to_record(f);
    default: return by_side(f);
    }
}

/* "784.1 ms each, and 1.4 µs from one to the next" */
static const char *step_lengths(const struct xpd_input_found *f, const struct xpd_step_table *table)
{
    int64_t gap_ps = 0;
    uint64_t gaps = 0;
    for (uint32_t l = 0; l < table->lane_count; l++)
        for (uint32_t i = 0; i < table->lane[l].count; i++) {
            const struct xpd_step_cell *cell = &table->lane[l].cell[i];
            gaps += cell->gap_ps >= 0;
            xpd_grow_i64(&gap_ps, cell->gap_ps >= 0 ? cell->gap_ps : 0);
        }
    const char *each = xpd_input_time(f->ctx, (double)table->total_ps / (double)table->cells);
    if (gaps == 0)
        return each;
    return xpd_arena_printf(f->ctx->arena, "%s each, and %s from one to the next", each,
                            xpd_input_time(f->ctx, (double)gap_ps / (double)gaps));
}

static int steps_of_overview(const char **out, const struct xpd_input_found *f, struct xpd_err *err)
{
    const struct xpd_step_table *table;
    const uint32_t count = f->input->given_count;
    int rc = xpd_step_table_of(&table, f->ctx, f->call.host, XPD_CLOCK_DEVICE, XPD_NO_INDEX, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_steps_said said = {table->what, count, xpd_steps_program(f->ctx, table), NULL,
                                  table->threads_mark};
    const char *sentence = xpd_steps_words(&said, f->ctx->arena);
    const char *length = step_lengths(f, table);
    *out = xpd_arena_printf(
        f->ctx->arena, "Steps are those of Overview, %s: %s.%s%s", sentence ? sentence : "",
        length ? length : "",
        count <= 1 ? ""
        : table->clock == XPD_CLOCK_HOST && table->lane_count > 1
            ? " Here a step reaches from the end of the one before to its own end, on the chip "
              "that ends last."
            : " Here a step reaches from the end of the one before to its own end.",
        f->input->program == XPD_NO_INDEX
            ? " No thread launches programs, so the activity of the program is unknown."
            : "");
    return *out ? XPD_OK : xpd_tools_no_memory(err);
}

static int what_a_step_is(const char **out, const struct xpd_input_found *f, struct xpd_err *err)
{
    *out = NULL;
    switch (f->input->what) {
    case XPD_INPUT_GIVEN: return steps_of_overview(out, f, err);
    case XPD_INPUT_LAUNCHES:
        *out = "Nothing marks steps, and no operation of a program was recorded: a step here "
               "reaches from the end of one launch of the program to the end of the next. Annotate "
               "with jax.profiler.StepTraceAnnotation.";
        return XPD_OK;
    case XPD_INPUT_PERIODS:
        *out = "The program waits between its marks, so a step here reaches from the end of one "
               "mark to the end of the next.";
        return XPD_OK;
    default: return XPD_OK;
    }
}

const char *xpd_input_step_reach(enum xpd_input_steps what, uint32_t steps)
{
    switch (what) {
    case XPD_INPUT_PERIODS: return "from the end of one mark of the program to the end of the next";
    case XPD_INPUT_LAUNCHES:
        return "from the end of one launch of the program to the end of the next";
    case XPD_INPUT_GIVEN:
        return steps <= 1 ? "from its start on the first chip to its end on the last"
                          : "from the end of the step before to its own end, over all chips";
    default: return "what the program marked, by the host's clock";
    }
}

static int apart(const char **out, const struct xpd_input_found *f, struct xpd_err *err)
{
    const struct xpd_input_run *in = f->input;
    const struct xpd_step_table *table;
    *out = NULL;
    if (in->step_count == 0 || xpd_param_text(f->ctx, "steps").size > 0)
        return XPD_OK;
    int rc = xpd_step_table_of(&table, f->ctx, f->call.host, XPD_CLOCK_DEVICE, XPD_NO_INDEX, err);
    if (rc != XPD_OK || table->what == XPD_STEPS_WINDOWS || table->cells == 0)
        return rc;
    double overview_ps = (double)table->total_ps / (double)table->cells;
    double input_ps = mean(in, in->length_ps);
    if (!xpd_input_steps_apart(input_ps, overview_ps))
        return XPD_OK;
    const char *each = xpd_input_time(f->ctx, overview_ps);
    *out = xpd_arena_printf(
        f->ctx->arena, "Overview's step takes %s%s: %s. A step here takes %s: %s.", each,
        f->ctx->run->host_count > 1 ? " on this host" : "",
        table->lane_count > 1             ? "the mean of each chip's own time"
        : table->what == XPD_STEPS_MARKED ? "what is marked as a step"
                                          : "one run of the program",
        xpd_input_time(f->ctx, input_ps), xpd_input_step_reach(in->what, in->step_count));
    return *out ? XPD_OK : xpd_tools_no_memory(err);
}

int xpd_input_words(struct xpd_input_words *out, const struct xpd_input_found *found,
                    struct xpd_err *err)
{
    const char *text[] = {headline(found), detail(found), sentence(found), advice(found)};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (!text[i])
            text[i] = "";
    *out = (struct xpd_input_words){text[0], text[1], text[2], text[3], NULL, NULL};
    int rc = what_a_step_is(&out->step, found, err);
    return rc == XPD_OK ? apart(&out->apart, found, err) : rc;
}
