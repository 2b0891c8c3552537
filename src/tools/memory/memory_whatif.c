/* /api/v1/memory/whatif: the peak, the curve and the next peaks after a set of changes to buffers.
 */
#include "whatif.h"

#include "../tables/table_costs.h"
#include "xprofd/base/checked.h"

#define TEXT_MAX     65536
#define PEAKS_MAX    16
#define COLUMNS_MAX  4000
#define VALLEY_SHARE 0.015 /* between two peaks, of the highest: report.md 3 */

/* What is always there after the changes. */
static int64_t resident_of(const struct xpd_trial *trial)
{
    bool overflow = false;
    return xpd_add_i64(trial->plan.space->totals.resident, -trial->plan.resident_less_bytes,
                       &overflow);
}

static void write_peak(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                       const struct xpd_trial *trial, const struct xpd_near_peak *peak)
{
    bool overflow = false;
    uint32_t running = xpd_mem_running(ctx->mem, ctx->space, peak->step, NULL);
    xpd_json_obj(w);
    xpd_json_ku64(w, "step", peak->step);
    xpd_json_ki64(w, "bytes", xpd_add_i64(peak->bytes, resident_of(trial), &overflow));
    xpd_json_ki64(
        w, "now_bytes",
        xpd_add_i64(ctx->space->live_bytes[peak->step], ctx->space->totals.resident, &overflow));
    xpd_tools_kstr(w, "instruction",
                   running == XPD_NO_INDEX ? XPD_STR("")
                                           : xpd_tools_instruction_name(ctx->hlo, running));
    xpd_json_obj_end(w);
}

static void write_peaks(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                        const struct xpd_trial *trial)
{
    struct xpd_near_peak peak[PEAKS_MAX];
    uint32_t n = xpd_curve_peaks(&trial->curve, VALLEY_SHARE, peak, PEAKS_MAX);
    xpd_json_ku64(w, "peaks_total", n);
    xpd_json_key(w, "peaks");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n && i < PEAKS_MAX; i++)
        write_peak(w, ctx, trial, &peak[i]);
    xpd_json_arr_end(w);
}

/* The new curve in columns of steps: lowest and highest of each. */
static int write_curve(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                       const struct xpd_trial *trial, int64_t columns, struct xpd_err *err)
{
    uint32_t steps = ctx->space->step_count;
    uint32_t n = columns < steps ? (uint32_t)columns : steps;
    if (columns <= 0 || ctx->space->live_is_union) {
        xpd_json_knull(w, "curve");
        return XPD_OK;
    }
    int64_t *low = XPD_NEW_ARRAY(ctx->arena, int64_t, n),
            *high = XPD_NEW_ARRAY(ctx->arena, int64_t, n);
    uint32_t *first = XPD_NEW_ARRAY(ctx->arena, uint32_t, n);
    if (!low || !high || !first)
        return xpd_tools_no_memory(err);
    for (uint32_t c = 0; c < n; c++) {
        uint32_t from = (uint32_t)((uint64_t)steps * c / n);
        uint32_t to = (uint32_t)((uint64_t)steps * (c + 1) / n);
        first[c] = from;
        xpd_trial_extremes(trial, from, to, &low[c], &high[c]);
        xpd_grow_i64(&low[c], resident_of(trial));
        xpd_grow_i64(&high[c], resident_of(trial));
    }
    xpd_json_key(w, "curve");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_col_u32(w, "first_step", first, n);
    xpd_json_col_i64(w, "min_bytes", low, n);
    xpd_json_col_i64(w, "max_bytes", high, n);
    xpd_json_obj_end(w);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "buffers",
     .type = XPD_PARAM_TEXT,
     .max = TEXT_MAX,
     .help = "buffer indexes separated by commas, at most 4,096: they are gone"},
    {.name = "plan",
     .type = XPD_PARAM_TEXT,
     .max = TEXT_MAX,
     .help = "INDEX:ACTION separated by commas, instead of buffers; 3+5-9:ACTION for several"},
    {.name = "try",
     .type = XPD_PARAM_TEXT,
     .max = TEXT_MAX,
     .help = "further changes, each on top of the plan but not of each other"},
    {.name = "menu",
     .type = XPD_PARAM_TEXT,
     .max = TEXT_MAX,
     .help = "one item without action: what each of the seven would do to it"},
    {.name = "parts",
     .type = XPD_PARAM_INT,
     .min = 2,
     .max = 65536,
     .fallback = 2,
     .help = "of the menu's shard"},
    {.name = "columns",
     .type = XPD_PARAM_INT,
     .max = COLUMNS_MAX,
     .help = "columns of the new curve; 0: none"},
    {.name = NULL},
};

/* Adds them in their order: what each adds to those before it, so that the column adds up. */
static bool apply_all(struct xpd_trial *trial, struct xpd_whatif_list *wants,
                      const struct xpd_tool_ctx *ctx)
{
    int64_t before = xpd_trial_peak(trial, NULL);
    for (uint32_t i = 0; i < wants->count; i++) {
        if (!xpd_whatif_apply(trial, &wants->at[i], ctx))
            return false;
        int64_t now = xpd_trial_peak(trial, NULL);
        wants->at[i].adds_bytes = before - now;
        before = now;
    }
    return true;
}

static bool try_each(struct xpd_trial *trial, struct xpd_whatif_list *tries,
                     const struct xpd_tool_ctx *ctx)
{
    struct xpd_trial_mark plan = xpd_trial_mark(trial);
    int64_t now = xpd_trial_peak(trial, NULL);
    for (uint32_t i = 0; i < tries->count; i++) {
        if (!xpd_whatif_apply(trial, &tries->at[i], ctx))
            return false;
        tries->at[i].adds_bytes = now - xpd_trial_peak(trial, NULL);
        xpd_trial_back(trial, plan);
    }
    return true;
}

static void write_result(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                         struct xpd_trial *trial, uint32_t buffers)
{
    uint32_t step = XPD_NO_STEP;
    bool overflow = false;
    int64_t peak = xpd_trial_peak(trial, &step), resident = resident_of(trial);
    xpd_json_ki64(w, "saving_bytes", xpd_add_i64(ctx->space->peak_bytes, -peak, &overflow));
    xpd_json_ki64(w, "new_peak_bytes", peak);
    xpd_tools_kindex(w, "new_step", step);
    xpd_json_ku64(w, "count", buffers);
    xpd_json_ki64(w, "resident_bytes", resident);
    xpd_json_ki64(w, "heap_at_least_bytes", xpd_add_i64(peak, -resident, &overflow));
    xpd_json_ki64(w, "moved_bytes", trial->plan.moved_bytes);
    xpd_json_ki64(w, "recomputed_bytes", trial->plan.recomputed_bytes);
}

/* The work of the whole program, for shares; only where an answer speaks of work. */
static void write_flops(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx)
{
    struct xpd_err ignored;
    const struct xpd_costs *costs = xpd_tools_costs(ctx, &ignored);
    int64_t sum = costs && ctx->hlo->entry < ctx->hlo->computations.count ? 0 : -1;
    uint32_t first = sum < 0 ? 0 : ctx->hlo->computations.first[ctx->hlo->entry];
    uint32_t end = sum < 0 ? 0 : first + ctx->hlo->computations.instruction_count[ctx->hlo->entry];
    for (uint32_t i = first; i < end && i < costs->count; i++)
        if (costs->flops[i] > 0)
            xpd_grow_i64(&sum, costs->flops[i]);
    xpd_tools_kknown(w, "program_flops", sum);
}

/* An empty plan is one too, when something is tried on top of it. */
static bool is_plan(const struct xpd_tool_ctx *ctx)
{
    return xpd_param_has(ctx, "plan") || xpd_param_has(ctx, "try") || xpd_param_has(ctx, "menu");
}

static int answer(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx, struct xpd_trial *trial,
                  struct xpd_whatif_list *wants, struct xpd_whatif_list *tries, struct xpd_err *err)
{
    bool plan = is_plan(ctx);
    int64_t columns = 0;
    int rc = XPD_OK;
    xpd_json_obj(w);
    if (plan && (!xpd_whatif_alone(trial, wants, ctx) || !xpd_whatif_alone(trial, tries, ctx)))
        return xpd_tools_no_memory(err);
    if (plan)
        rc = xpd_whatif_menu(w, trial, wants, ctx, err);
    if (rc == XPD_OK && (!apply_all(trial, wants, ctx) || !try_each(trial, tries, ctx)))
        rc = xpd_tools_no_memory(err);
    if (rc != XPD_OK)
        return rc;
    write_result(w, ctx, trial, wants->buffers);
    if (plan) {
        write_flops(w, ctx);
        xpd_whatif_write(w, "rows", wants);
        xpd_whatif_write(w, "try", tries);
    }
    write_peaks(w, ctx, trial);
    xpd_str_to_i64(xpd_param_text(ctx, "columns"), &columns);
    rc = write_curve(w, ctx, trial, columns, err);
    xpd_json_obj_end(w);
    return rc;
}

static int whatif(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_whatif_list wants, tries;
    struct xpd_trial trial;
    struct xpd_jsonw w;
    const char *name = is_plan(ctx) ? "plan" : "buffers";
    if (!is_plan(ctx) && !xpd_param_has(ctx, name))
        return xpd_fail(err, XPD_EINVAL, "buffers", XPD_NO_OFFSET,
                        "buffers= or plan= must say what changes");
    int rc = xpd_whatif_read(ctx, name, &wants, err);
    if (rc == XPD_OK)
        rc = xpd_whatif_read(ctx, "try", &tries, err);
    if (rc != XPD_OK)
        return rc;
    if (!xpd_trial_init(&trial, ctx->mem, ctx->space, ctx->arena))
        return xpd_tools_no_memory(err);
    xpd_jsonw_init(&w, &out->body);
    return answer(&w, ctx, &trial, &wants, &tries, err);
}

const struct xpd_tool xpd_tool_memory_whatif = {
    .route = "/api/v1/memory/whatif",
    .title = "The peak, the curve and the next peaks after a set of changes to buffers.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = whatif,
};
