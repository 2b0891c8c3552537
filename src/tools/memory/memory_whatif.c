/* /api/v1/memory/whatif: the peak, the curve and the next peaks after a set of changes to buffers.
 */
#include "whatif.h"

#include "../tables/table_costs.h"
#include "xprofd/base/checked.h"

#define TEXT_MAX     65536
#define PEAKS_MAX    16
#define COLUMNS_MAX  4000
#define VALLEY_SHARE 0.015 /* between two peaks, of the highest */

#define XPD_WHATIF_PEAK_FIELDS(FIELD)                                                              \
    FIELD(COUNT, step, "")                                                                         \
    FIELD(INT, new_bytes, "of the changed program")                                                \
    FIELD(INT, now_bytes, "of the present program")                                                \
    FIELD(MAYBE(TEXT), instruction, "instruction that runs there")
XPD_RECORD(xpd_whatif_peak, XPD_WHATIF_PEAK_FIELDS)

#define XPD_WHATIF_COLUMN_FIELDS(FIELD)                                                            \
    FIELD(COUNT, first_step, "of the column")                                                      \
    FIELD(INT, min_bytes, "lowest in it")                                                          \
    FIELD(INT, max_bytes, "highest in it")
XPD_RECORD(xpd_whatif_column, XPD_WHATIF_COLUMN_FIELDS)

#define XPD_WHATIF_FIELDS(FIELD)                                                                   \
    FIELD(SIGNED, saving_bytes, "negative if the plan needs more memory")                          \
    FIELD(INT, new_peak_bytes, "exact for live bytes")                                             \
    FIELD(MAYBE(INDEX), new_step, "step of the new peak")                                          \
    FIELD(COUNT, count, "number of different buffers changed")                                     \
    FIELD(INT, resident_bytes, "always there after the changes")                                   \
    FIELD(INT, heap_at_least_bytes, "lower bound of the heap for any packing")                     \
    FIELD(INT, moved_bytes, "offloads, out and back")                                              \
    FIELD(INT, recomputed_bytes, "of the recomputed instructions")                                 \
    FIELD(MAYBE(INT), program_flops,                                                               \
          "of the entry computation; null when unknown or without plan")                           \
    FIELD(MAYBE(COLUMNS(xpd_whatif_row)), rows,                                                    \
          "changes of the plan; the column `adds_bytes` adds up to the saving; null without plan") \
    FIELD(MAYBE(COLUMNS(xpd_whatif_row)), try, "the further changes; null without plan")           \
    FIELD(MAYBE(COLUMNS(xpd_whatif_row)), menu,                                                    \
          "the seven actions on the item of `menu`, on top of the plan without it; null: not "     \
          "requested")                                                                             \
    FIELD(COUNT, peaks_total, "peaks, listed or not")                                              \
    FIELD(LIST(xpd_whatif_peak), peaks, "at most 16; a valley of 1.5 % between two")               \
    FIELD(MAYBE(COLUMNS(xpd_whatif_column)), curve, "of the changed program; null: not requested")
XPD_RECORD(xpd_whatif, XPD_WHATIF_FIELDS)

struct made {
    struct xpd_whatif out;
    struct xpd_whatif_list wants, tries, menu;
    struct xpd_trial trial;
};

/* What is always there after the changes. */
static int64_t resident_of(const struct xpd_trial *trial)
{
    bool overflow = false;
    return xpd_add_i64(trial->plan.space->totals.resident, -trial->plan.resident_less_bytes,
                       &overflow);
}

static struct xpd_whatif_peak peak_of(const struct xpd_tool_ctx *ctx, const struct xpd_trial *trial,
                                      const struct xpd_near_peak *peak)
{
    bool overflow = false;
    uint32_t running = xpd_mem_running(ctx->mem, ctx->space, peak->step);
    struct xpd_str name = xpd_hlo_instruction_name(ctx->hlo, running);
    return (struct xpd_whatif_peak){
        .step = peak->step,
        .new_bytes = xpd_add_i64(peak->bytes, resident_of(trial), &overflow),
        .now_bytes =
            xpd_add_i64(ctx->space->live_bytes[peak->step], ctx->space->totals.resident, &overflow),
        .instruction = name.size > 0 ? name : (struct xpd_str){NULL, 0},
    };
}

static int fill_peaks(struct made *made, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_near_peak peak[PEAKS_MAX];
    uint32_t total = xpd_curve_peaks(&made->trial.curve, VALLEY_SHARE, peak, PEAKS_MAX);
    uint32_t n = total < PEAKS_MAX ? total : PEAKS_MAX;
    struct xpd_whatif_peak *to = XPD_NEW_ARRAY(ctx->arena, struct xpd_whatif_peak, n);
    if (!to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        to[i] = peak_of(ctx, &made->trial, &peak[i]);
    made->out.peaks_total = total;
    made->out.peaks.at = to;
    made->out.peaks.n = n;
    return XPD_OK;
}

/* The new curve in columns of steps: lowest and highest of each. */
static int fill_curve(struct made *made, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_trial *trial = &made->trial;
    uint32_t steps = ctx->space->step_count;
    int64_t columns = xpd_param_int(ctx, &xpd_tool_memory_whatif, "columns");
    uint32_t n = columns < steps ? (uint32_t)columns : steps;
    if (columns <= 0 || ctx->space->live_is_union)
        return XPD_OK;
    struct xpd_whatif_column *column = XPD_NEW_ARRAY(ctx->arena, struct xpd_whatif_column, n);
    if (!column)
        return xpd_tools_no_memory(err);
    for (uint32_t c = 0; c < n; c++) {
        uint32_t from = (uint32_t)((uint64_t)steps * c / n);
        uint32_t to = (uint32_t)((uint64_t)steps * (c + 1) / n);
        column[c].first_step = from;
        xpd_trial_extremes(trial, from, to, &column[c].min_bytes, &column[c].max_bytes);
        xpd_grow_i64(&column[c].min_bytes, resident_of(trial));
        xpd_grow_i64(&column[c].max_bytes, resident_of(trial));
    }
    made->out.curve.at = column;
    made->out.curve.n = n;
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "buffers",
     .type = XPD_PARAM_TEXT,
     .max = TEXT_MAX,
     .help = "buffer indexes separated by commas, at most 4,096: buffers to remove"},
    {.name = "plan",
     .type = XPD_PARAM_TEXT,
     .max = TEXT_MAX,
     .help =
         "instead of `buffers`: INDEX:ACTION separated by commas; 3+5-9:ACTION does it to several "
         "at once, as one row. It may be empty. At most 512 changes of 4,096 buffers"},
    {.name = "try",
     .type = XPD_PARAM_TEXT,
     .max = TEXT_MAX,
     .help = "further changes in the same form, each applied to the plan alone"},
    {.name = "menu",
     .type = XPD_PARAM_TEXT,
     .max = TEXT_MAX,
     .help = "one item without action: the effect of each of the seven actions on it"},
    {.name = "parts",
     .type = XPD_PARAM_INT,
     .min = 2,
     .max = 65536,
     .fallback = 2,
     .help = "number of shards of the menu's shard action"},
    {.name = "columns",
     .type = XPD_PARAM_INT,
     .max = COLUMNS_MAX,
     .help = "columns of the new curve; 0: none"},
    XPD_PARAM_FORMAT,
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

static void fill_result(struct made *made, const struct xpd_tool_ctx *ctx)
{
    struct xpd_trial *trial = &made->trial;
    uint32_t step = XPD_NO_STEP;
    bool overflow = false;
    int64_t peak = xpd_trial_peak(trial, &step), resident = resident_of(trial);
    made->out = (struct xpd_whatif){
        .saving_bytes = xpd_add_i64(ctx->space->peak_bytes, -peak, &overflow),
        .new_peak_bytes = peak,
        .new_step = step,
        .count = made->wants.buffers,
        .resident_bytes = resident,
        .heap_at_least_bytes = xpd_add_i64(peak, -resident, &overflow),
        .moved_bytes = trial->plan.moved_bytes,
        .recomputed_bytes = trial->plan.recomputed_bytes,
        .program_flops = -1,
    };
}

/* The work of the whole program, for shares; only where an answer speaks of work. */
static int64_t program_flops(const struct xpd_tool_ctx *ctx)
{
    struct xpd_err ignored;
    const struct xpd_costs *costs = xpd_tools_costs(ctx, &ignored);
    int64_t sum = costs && ctx->hlo->entry < ctx->hlo->computations.count ? 0 : -1;
    uint32_t first = sum < 0 ? 0 : ctx->hlo->computations.first[ctx->hlo->entry];
    uint32_t end = sum < 0 ? 0 : first + ctx->hlo->computations.instruction_count[ctx->hlo->entry];
    for (uint32_t i = first; i < end && i < costs->count; i++)
        if (costs->flops[i] > 0)
            xpd_grow_i64(&sum, costs->flops[i]);
    return sum;
}

/* An empty plan is one too, when something is tried on top of it. */
static bool is_plan(const struct xpd_tool_ctx *ctx)
{
    return xpd_param_has(ctx, "plan") || xpd_param_has(ctx, "try") || xpd_param_has(ctx, "menu");
}

static int fill_rows(struct made *made, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_whatif *out = &made->out;
    out->program_flops = program_flops(ctx);
    out->rows.at = xpd_whatif_rows(&made->wants, ctx->arena);
    out->rows.n = made->wants.count;
    out->try.at = xpd_whatif_rows(&made->tries, ctx->arena);
    out->try.n = made->tries.count;
    out->menu.at = made->menu.count > 0 ? xpd_whatif_rows(&made->menu, ctx->arena) : NULL;
    out->menu.n = made->menu.count;
    bool failed = !out->rows.at || !out->try.at || (made->menu.count > 0 && !out->menu.at);
    return failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int try_all(struct made *made, const struct xpd_tool_ctx *ctx, bool plan,
                   struct xpd_err *err)
{
    struct xpd_trial *trial = &made->trial;
    struct xpd_whatif_list *wants = &made->wants, *tries = &made->tries;
    int rc = XPD_OK;
    if (plan && (!xpd_whatif_alone(trial, wants, ctx) || !xpd_whatif_alone(trial, tries, ctx)))
        return xpd_tools_no_memory(err);
    if (plan)
        rc = xpd_whatif_menu(&made->menu, trial, wants, ctx, err);
    if (rc == XPD_OK && (!apply_all(trial, wants, ctx) || !try_each(trial, tries, ctx)))
        rc = xpd_tools_no_memory(err);
    return rc;
}

static int whatif(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    bool plan = is_plan(ctx);
    const char *name = plan ? "plan" : "buffers";
    struct made *made = XPD_NEW(ctx->arena, struct made);
    if (!made)
        return xpd_tools_no_memory(err);
    if (!plan && !xpd_param_has(ctx, name))
        return xpd_fail(err, XPD_EINVAL, "buffers", XPD_NO_OFFSET,
                        "buffers= or plan= must say what changes");
    int rc = xpd_whatif_read(ctx, name, &made->wants, err);
    if (rc == XPD_OK)
        rc = xpd_whatif_read(ctx, "try", &made->tries, err);
    if (rc == XPD_OK && !xpd_trial_init(&made->trial, ctx->mem, ctx->space, ctx->arena))
        rc = xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = try_all(made, ctx, plan, err);
    if (rc != XPD_OK)
        return rc;
    fill_result(made, ctx);
    if (plan)
        rc = fill_rows(made, ctx, err);
    if (rc == XPD_OK)
        rc = fill_peaks(made, ctx, err);
    if (rc == XPD_OK)
        rc = fill_curve(made, ctx, err);
    *out = &made->out;
    return rc;
}

const struct xpd_tool xpd_tool_memory_whatif = {
    .route = "/api/v1/memory/whatif",
    .title = "The peak, the curve and the next peaks after a set of changes to buffers.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about = "In spaces whose bytes are a union of addresses (VMEM, CMEM) only `drop` can be "
             "computed. Each buffer represents its storage, a resident one its allocation; if two "
             "changes name the same storage, the first one applies. Actions: `drop` (remove), "
             "`halve` (a type half as wide), `unpad` (remove padding), `donate` (an output takes "
             "the place of an argument), `offload` and `recompute` (not held during the longest "
             "gap between two uses, from after the first to before the second; the inputs of a "
             "recomputed buffer stay until then), `shard:N`.",
    .answer = xpd_whatif_record,
    .make = whatif,
    .file_name = "whatif.csv",
    XPD_IN_REPORT("", {220, XPD_EACH_LARGEST, "buffers={buffer}",
                       "what each of the 200 largest buffers saves by itself"}),
};
