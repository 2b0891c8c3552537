/* /api/v1/memory/whatif: the peak, the curve and the next peaks after a set of changes to buffers.
 */
#include "common.h"
#include "xprofd/base/checked.h"
#include "xprofd/memory/plan.h"

#define BUFFERS_MAX  4096
#define TEXT_MAX     65536
#define PARTS_MAX    65536
#define STEPS_MAX    16 /* changes whose own part of the saving is computed: one pass each */
#define PEAKS_MAX    16
#define COLUMNS_MAX  4000
#define VALLEY_SHARE 0.015 /* between two peaks, of the highest: report.md 3 */

struct want {
    uint32_t buffer;
    enum xpd_action action;
    int64_t parts;
    const char *impossible; /* or NULL */
};
struct wants {
    struct want *at;
    uint32_t count;
};

static int wrong(const struct xpd_tool_ctx *ctx, const char *where, struct xpd_str item,
                 struct xpd_err *err)
{
    return xpd_fail(err, XPD_EINVAL, where, XPD_NO_OFFSET,
                    "%s is a list of buffer indexes below %" PRIu32
                    " separated by commas%s; \"%.*s\" is none",
                    where, ctx->hlo->buffers.count,
                    where[0] == 'p' ? ", each with :drop, :halve, :unpad, :donate, :offload, "
                                      ":recompute or :shard:N"
                                    : "",
                    (int)(item.size < 40 ? item.size : 40), item.data);
}

static struct xpd_str cut(struct xpd_str *rest, char end)
{
    const char *at = memchr(rest->data, end, rest->size);
    struct xpd_str part = {rest->data, at ? (size_t)(at - rest->data) : rest->size};
    size_t taken = part.size + (at != NULL);
    *rest = (struct xpd_str){rest->data + taken, rest->size - taken};
    return part;
}

/* "17", or "17:shard:4" when `actions`. */
static bool read_item(const struct xpd_tool_ctx *ctx, struct xpd_str item, bool actions,
                      struct want *out)
{
    int64_t index;
    struct xpd_str rest = item, number = cut(&rest, ':');
    *out = (struct want){.action = XPD_ACTION_DROP};
    if (!xpd_str_to_i64(number, &index) || index < 0 || index >= ctx->hlo->buffers.count)
        return false;
    out->buffer = (uint32_t)index;
    if (!actions)
        return number.size == item.size;
    struct xpd_str word = cut(&rest, ':');
    unsigned a = 0;
    while (a < XPD_ACTION_COUNT &&
           !xpd_str_eq(word, xpd_str_of(xpd_action_word((enum xpd_action)a))))
        a++;
    out->action = (enum xpd_action)a;
    if (a == XPD_ACTION_COUNT)
        return false;
    if (a != XPD_ACTION_SHARD)
        return rest.size == 0;
    return xpd_str_to_i64(rest, &out->parts) && out->parts >= 2 && out->parts <= PARTS_MAX;
}

static int read_list(const struct xpd_tool_ctx *ctx, struct wants *wants, struct xpd_err *err)
{
    bool actions = xpd_param_has(ctx, "plan");
    const char *where = actions ? "plan" : "buffers";
    struct xpd_str rest = xpd_param_text(ctx, where);
    bool *seen = XPD_NEW_ARRAY(ctx->arena, bool, ctx->hlo->buffers.count);
    *wants = (struct wants){.at = XPD_NEW_ARRAY(ctx->arena, struct want, BUFFERS_MAX)};
    if (!seen || !wants->at)
        return xpd_tools_no_memory(err);
    if (!actions && !xpd_param_has(ctx, "buffers"))
        return xpd_fail(err, XPD_EINVAL, "buffers", XPD_NO_OFFSET,
                        "buffers= or plan= says what changes");
    while (rest.size > 0) {
        struct want want;
        struct xpd_str item = cut(&rest, ',');
        if (!read_item(ctx, item, actions, &want))
            return wrong(ctx, where, item, err);
        if (seen[want.buffer])
            continue;
        if (wants->count == BUFFERS_MAX)
            return xpd_fail(err, XPD_ELIMIT, where, XPD_NO_OFFSET, "at most %d buffers at a time",
                            BUFFERS_MAX);
        seen[want.buffer] = true;
        wants->at[wants->count++] = want;
    }
    return XPD_OK;
}

/* The first `count` of them. */
static bool run_plan(const struct xpd_tool_ctx *ctx, struct wants *wants, uint32_t count,
                     struct xpd_arena *arena, struct xpd_plan *plan, struct xpd_plan_result *out)
{
    xpd_plan_init(plan, ctx->mem, ctx->space, arena);
    for (uint32_t i = 0; i < count; i++)
        wants->at[i].impossible =
            xpd_plan_add(plan, wants->at[i].buffer, wants->at[i].action, wants->at[i].parts);
    return xpd_plan_run(plan, out);
}

/* What each change adds to those before it, so that the column adds up to the saving. */
static void write_rows(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx, struct wants *wants)
{
    uint32_t n = wants->count;
    int64_t adds[STEPS_MAX], before = 0;
    bool known = n <= STEPS_MAX;
    for (uint32_t i = 0; i < n && known; i++) {
        struct xpd_arena scratch;
        struct xpd_plan plan;
        struct xpd_plan_result result;
        xpd_arena_init(&scratch, ctx->arena->budget_bytes);
        known = run_plan(ctx, wants, i + 1, &scratch, &plan, &result);
        adds[i] = result.saving_bytes - before;
        before = result.saving_bytes;
        xpd_arena_fini(&scratch);
    }
    xpd_json_key(w, "rows");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "buffer", n, xpd_json_u64(w, wants->at[row].buffer));
    XPD_COLUMN(w, "action", n, xpd_json_text(w, xpd_action_word(wants->at[row].action)));
    XPD_COLUMN(w, "impossible", n, xpd_json_text(w, wants->at[row].impossible));
    xpd_json_key(w, "adds_bytes");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        if (known)
            xpd_json_i64(w, adds[i]);
        else
            xpd_json_null(w);
    }
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

static void write_peaks(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                        const struct xpd_plan_result *result)
{
    struct xpd_near_peak peak[PEAKS_MAX];
    uint32_t n = result->live_bytes ? xpd_curve_peaks(result->live_bytes, ctx->space->step_count,
                                                      VALLEY_SHARE, peak, PEAKS_MAX)
                                    : 0;
    xpd_json_ku64(w, "peaks_total", n);
    xpd_json_key(w, "peaks");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n && i < PEAKS_MAX; i++) {
        bool overflow = false;
        xpd_json_obj(w);
        xpd_json_ku64(w, "step", peak[i].step);
        xpd_json_ki64(w, "bytes", xpd_add_i64(peak[i].bytes, result->resident_bytes, &overflow));
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

/* The new curve in columns of steps: lowest and highest of each. */
static int write_curve(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                       const struct xpd_plan_result *result, int64_t columns, struct xpd_err *err)
{
    uint32_t steps = ctx->space->step_count;
    uint32_t n = columns < steps ? (uint32_t)columns : steps;
    if (columns <= 0 || !result->live_bytes) {
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
        low[c] = high[c] = result->live_bytes[from];
        for (uint32_t i = from + 1; i < to; i++) {
            low[c] = result->live_bytes[i] < low[c] ? result->live_bytes[i] : low[c];
            high[c] = result->live_bytes[i] > high[c] ? result->live_bytes[i] : high[c];
        }
        xpd_grow_i64(&low[c], result->resident_bytes);
        xpd_grow_i64(&high[c], result->resident_bytes);
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
     .help = "INDEX:ACTION separated by commas, instead of buffers"},
    {.name = "columns",
     .type = XPD_PARAM_INT,
     .max = COLUMNS_MAX,
     .help = "columns of the new curve; 0: none"},
    {.name = NULL},
};

static int whatif(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct wants wants;
    struct xpd_plan plan;
    struct xpd_plan_result result;
    struct xpd_jsonw w;
    int rc = read_list(ctx, &wants, err);
    if (rc != XPD_OK)
        return rc;
    if (!run_plan(ctx, &wants, wants.count, ctx->arena, &plan, &result))
        return xpd_tools_no_memory(err);
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ki64(&w, "saving_bytes", result.saving_bytes);
    xpd_json_ki64(&w, "new_peak_bytes", result.peak_bytes);
    xpd_tools_kindex(&w, "new_step", result.peak_step);
    xpd_json_ku64(&w, "count", wants.count);
    bool overflow = false;
    xpd_json_ki64(&w, "heap_at_least_bytes",
                  xpd_add_i64(result.peak_bytes, -result.resident_bytes, &overflow));
    xpd_json_ki64(&w, "moved_bytes", plan.moved_bytes);
    xpd_json_ki64(&w, "recomputed_bytes", plan.recomputed_bytes);
    if (xpd_param_has(ctx, "plan"))
        write_rows(&w, ctx, &wants);
    write_peaks(&w, ctx, &result);
    int64_t columns = 0;
    xpd_str_to_i64(xpd_param_text(ctx, "columns"), &columns);
    rc = write_curve(&w, ctx, &result, columns, err);
    xpd_json_obj_end(&w);
    return rc;
}

const struct xpd_tool xpd_tool_memory_whatif = {
    .route = "/api/v1/memory/whatif",
    .title = "The peak, the curve and the next peaks after a set of changes to buffers.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = whatif,
};
