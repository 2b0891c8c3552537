/* The input analysis of a host, kept beside the run. In: the parameters of a call. Out: the
 * analysis and its verdict. */
#include "input_found.h"
#include "../steps/step_kept.h"
#include "../tables/tools_tables.h"
#include "../trace/overlap_kept.h"

#include "xprofd/base/time_text.h"

static int host_call(struct xpd_trace_call *call, const struct xpd_tool_ctx *ctx, uint32_t host,
                     struct xpd_err *err)
{
    *call = (struct xpd_trace_call){.ctx = ctx, .host = host};
    int rc = xpd_store_trace(ctx->store, ctx->run, host, ctx->wait_ms, &call->view.trace,
                             ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, host, ctx->wait_ms, &call->view.derived,
                               ctx->state, err);
    if (rc == XPD_OK)
        call->base_ps = call->view.trace->first_ps;
    return rc;
}

static bool marks_steps(const struct xpd_derived *derived)
{
    for (uint32_t i = 0; i < derived->step_count; i++)
        if (derived->step[i].thread != XPD_NO_INDEX)
            return true;
    return false;
}

static int analyse(struct xpd_input_run *out, const struct xpd_trace_call *call,
                   struct xpd_input_ask ask, struct xpd_arena *arena, struct xpd_err *err)
{
    const struct xpd_overlap_table *table;
    const struct xpd_step_table *steps;
    struct xpd_input_periods periods = {0};
    int rc = xpd_tools_trace_roles(&table, call, err);
    if (rc == XPD_OK && !marks_steps(call->view.derived)) {
        rc = xpd_step_table_of(&steps, call->ctx, call->host, XPD_CLOCK_DEVICE, XPD_NO_INDEX, err);
        if (rc == XPD_OK)
            rc = xpd_input_periods_of(&periods, steps, call->ctx->arena, err);
    }
    ask.view = &call->view;
    ask.table = table;
    ask.given = periods.step;
    ask.given_count = periods.count;
    return rc == XPD_OK ? xpd_input_make(out, &ask, arena, err) : rc;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    struct xpd_trace_call call;
    int rc = host_call(&call, ctx, detail, err);
    return rc == XPD_OK ? analyse(table, &call, (struct xpd_input_ask){0}, arena, err) : rc;
}

int xpd_input_of_host(const struct xpd_input_run **out, const struct xpd_tool_ctx *ctx,
                      uint32_t host, struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *ctx;
    of_run.module = XPD_NO_INDEX;
    *out = xpd_table(&of_run, XPD_TABLE_INPUT, host, false, sizeof **out, make, err);
    return xpd_table_status(*out, err);
}

/* Several hosts side by side have several programs: one of them is asked about. */
static int pick_host(const struct xpd_tool_ctx *ctx, uint32_t *host, struct xpd_err *err)
{
    int rc = xpd_tools_trace_host(ctx, host, err);
    if (rc == XPD_OK && *host == xpd_run_all_hosts(ctx->run))
        *host = xpd_tools_part_host(ctx->run, 0);
    return rc;
}

/* Some steps, or the user's rules: made for this answer. */
static int make_asked(struct xpd_input_found *out, struct xpd_str steps, struct xpd_err *err)
{
    struct xpd_step_numbers *chosen;
    struct xpd_input_run *made = XPD_NEW(out->ctx->arena, struct xpd_input_run);
    uint32_t count;
    if (!made)
        return xpd_tools_no_memory(err);
    int rc = xpd_tools_step_numbers(steps, out->ctx->arena, &chosen, &count, err);
    struct xpd_input_ask ask = {.rules = &out->rules, .chosen = chosen, .chosen_count = count};
    if (rc == XPD_OK && out->rules.count == 0)
        rc = xpd_input_of_host(&ask.same, out->ctx, out->call.host, err);
    if (rc == XPD_OK)
        rc = analyse(made, &out->call, ask, out->ctx->arena, err);
    out->input = made;
    return rc;
}

static int find(struct xpd_input_found *out, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_str steps = xpd_param_text(ctx, "steps");
    uint32_t host = 0;
    *out = (struct xpd_input_found){.ctx = ctx};
    int rc = xpd_input_rules_read(&out->rules, xpd_param_text(ctx, "rules"), err);
    if (rc == XPD_OK)
        rc = pick_host(ctx, &host, err);
    if (rc == XPD_OK)
        rc = host_call(&out->call, ctx, host, err);
    if (rc == XPD_OK)
        rc = steps.size > 0 || out->rules.count > 0
                 ? make_asked(out, steps, err)
                 : xpd_input_of_host(&out->input, ctx, host, err);
    if (rc == XPD_OK)
        xpd_input_judge(&out->verdict, out->input);
    return rc;
}

int xpd_input_answer(const struct xpd_tool_ctx *ctx, const struct xpd_record *record,
                     int (*fill)(struct xpd_input_found *found, void *answer, struct xpd_err *err),
                     const void **out, struct xpd_err *err)
{
    void *answer = xpd_arena_calloc(ctx->arena, 1, record->size);
    struct xpd_input_found *found = XPD_NEW(ctx->arena, struct xpd_input_found);
    if (!answer || !found)
        return xpd_tools_no_memory(err);
    int rc = find(found, ctx, err);
    *out = answer;
    return rc == XPD_OK ? fill(found, answer, err) : rc;
}

int xpd_input_found_pieces(struct xpd_input_found *found, const struct xpd_step_numbers *chosen,
                           uint32_t count, struct xpd_err *err)
{
    struct xpd_input_run *made = XPD_NEW(found->ctx->arena, struct xpd_input_run);
    struct xpd_input_ask ask = {.rules = &found->rules,
                                .chosen = chosen,
                                .chosen_count = count,
                                .pieces = true,
                                .same = found->input};
    if (!made)
        return xpd_tools_no_memory(err);
    found->input = made;
    return analyse(made, &found->call, ask, found->ctx->arena, err);
}

/* One host, one step or all. */
static int verdict_of(struct xpd_input_of_hosts *out, const struct xpd_tool_ctx *ctx, uint32_t host,
                      const int64_t *step, struct xpd_err *err)
{
    const struct xpd_input_run *input;
    struct xpd_input_run *made = NULL;
    struct xpd_trace_call call;
    int rc = xpd_input_of_host(&input, ctx, host, err);
    if (rc == XPD_OK && step)
        rc = host_call(&call, ctx, host, err);
    if (rc == XPD_OK && step) {
        struct xpd_step_numbers chosen = {*step, *step};
        struct xpd_input_ask ask = {.chosen = &chosen, .chosen_count = 1, .same = input};
        input = made = XPD_NEW(ctx->arena, struct xpd_input_run);
        rc = made ? analyse(made, &call, ask, ctx->arena, err) : xpd_tools_no_memory(err);
    }
    if (rc != XPD_OK)
        return rc;
    *out = (struct xpd_input_of_hosts){.why_not = input->why_none,
                                       .steps = input->what,
                                       .step_count = input->step_count,
                                       .host = host};
    xpd_input_judge(&out->verdict, input);
    return XPD_OK;
}

int xpd_input_of_hosts(struct xpd_input_of_hosts *out, const struct xpd_tool_ctx *ctx,
                       const uint32_t *host, uint32_t hosts, const int64_t *step,
                       struct xpd_err *err)
{
    *out = (struct xpd_input_of_hosts){.verdict = {.says = XPD_INPUT_UNKNOWN, .share = -1},
                                       .why_not = "no host has events",
                                       .host = XPD_NO_INDEX};
    for (uint32_t i = 0; i < hosts; i++) {
        struct xpd_input_of_hosts one;
        int rc = verdict_of(&one, ctx, host[i], step, err);
        if (rc != XPD_OK)
            return rc;
        if (i == 0 || (!one.why_not && (out->why_not || one.verdict.share > out->verdict.share)))
            *out = one;
    }
    return XPD_OK;
}

int xpd_tools_input_verdict(struct xpd_input_verdict *out, const char **why_not,
                            const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_input_found found;
    int rc = find(&found, ctx, err);
    if (rc != XPD_OK)
        return rc;
    *out = found.verdict;
    *why_not = found.input->why_none;
    return XPD_OK;
}

/* ---- names ---- */

struct xpd_str xpd_input_name(const struct xpd_input_found *found, uint32_t name)
{
    if (name == XPD_NO_INDEX)
        return (struct xpd_str){0};
    struct xpd_str caption = xpd_view_caption(&found->call.view, name);
    if (caption.size > 1 && caption.data[0] == '$')
        caption = (struct xpd_str){caption.data + 1, caption.size - 1};
    static const char unknown[] = "<unknown> ";
    if (xpd_str_starts(caption, unknown) && caption.size > sizeof unknown - 1)
        caption = (struct xpd_str){caption.data + sizeof unknown - 1,
                                   caption.size - (sizeof unknown - 1)};
    return caption;
}

struct xpd_str xpd_input_source(const struct xpd_input_found *found, uint32_t name)
{
    struct xpd_str text = xpd_input_name(found, name);
    size_t at = text.data ? xpd_str_find(text, XPD_STR(".py:"), false) : SIZE_MAX;
    size_t end = at == SIZE_MAX ? 0 : at + sizeof ".py:" - 1;
    while (end > 0 && end < text.size && text.data[end] >= '0' && text.data[end] <= '9')
        end++;
    return end > 0 ? (struct xpd_str){text.data, end} : (struct xpd_str){0};
}

struct xpd_str xpd_input_thread_name(const struct xpd_input_found *found, uint32_t thread)
{
    if (thread == XPD_NO_INDEX)
        return XPD_STR("devices");
    const struct xpd_input_thread *at = &found->input->thread[thread];
    struct xpd_str name = xpd_view_row_caption(&found->call.view, at->row);
    if (name.size > 0)
        return name;
    name = xpd_input_name(found, at->name);
    return name.data ? name : XPD_STR("without a name");
}

const char *xpd_input_role_word(uint32_t role)
{
    static const char *const words[] = {"program", "loader", "device", "runtime"};
    return words[role < sizeof words / sizeof *words ? role : XPD_INPUT_RUNTIME];
}

const char *xpd_input_steps_word(enum xpd_input_steps what)
{
    static const char *const words[] = {"none", "marks", "periods", "launches", "overview"};
    return words[what];
}

const char *xpd_input_time(const struct xpd_tool_ctx *ctx, double ps)
{
    char text[XPD_TIME_TEXT_BYTES];
    const char *kept = xpd_arena_printf(ctx->arena, "%s", xpd_time_text(text, ps));
    return kept ? kept : "";
}
