/* The facts of the headline, made once. In: a space. Out: struct xpd_facts. */
#include "table_facts.h"

#define SAVINGS_MAX 5

/* The likeliest first; each is a rule of XProf: docs/XPROF-DIFFERENCES.md. */
static const char *peak_reason(const struct xpd_mem_space *space,
                               const struct xpd_xprof_memory *xprof)
{
    if (xprof->error_text)
        return "XProf fails on this heap trace";
    if (space->live_is_union)
        return "XProf adds up nested slices; here overlapping bytes count once";
    if (space->lane_count > 1)
        return "XProf reads one heap trace of this memory space; there are several";
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        if (space->tenancy[i].size_bytes != space->tenancy[i].listed_bytes)
            return "XProf counts shared storage by its first value, not its largest";
    return "XProf leaves out allocations whose buffers have no size";
}

/* The lists are for the compatible routes, which ask for themselves. */
static void keep_numbers(struct xpd_xprof_memory *xprof, struct xpd_arena *arena)
{
    if (xprof->error_text)
        xprof->error_text = xpd_arena_strndup(arena, xprof->error_text, strlen(xprof->error_text));
    xprof->heap_bytes = xprof->unpadded_heap_bytes = NULL;
    xprof->instruction_name = NULL;
    xprof->bar = NULL;
    xprof->by_size = xprof->indefinite = NULL;
    xprof->span = NULL;
    xprof->block = NULL;
    xprof->bar_count = xprof->span_count = xprof->block_count = xprof->indefinite_count = 0;
    xprof->point_count = 0;
}

XPD_RECORD_TABLE(xpd_saving_row, XPD_SAVING_ROW_FIELDS)

/* The buffers whose absence would lower the peak most. */
static void find_savings(struct xpd_facts *facts, struct xpd_arena *arena,
                         const struct xpd_tool_ctx *ctx, const struct xpd_held_list *peak)
{
    struct {
        uint32_t row;
        int64_t saving;
    } best[SAVINGS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < peak->count; i++) {
        const struct xpd_held *row = &peak->at[i];
        /* nothing saves more than it holds */
        if (row->buffer == XPD_NO_INDEX ||
            (n == SAVINGS_MAX && row->size_bytes <= best[n - 1].saving))
            continue;
        int64_t saving = xpd_held_saving(row, ctx->mem, ctx->space, ctx->arena);
        if (n == SAVINGS_MAX && saving <= best[n - 1].saving)
            continue;
        uint32_t at = n < SAVINGS_MAX ? n++ : n - 1;
        for (; at > 0 && best[at - 1].saving < saving; at--)
            best[at] = best[at - 1];
        best[at].row = i;
        best[at].saving = saving;
    }
    struct xpd_saving_row *out = XPD_NEW_ARRAY(arena, struct xpd_saving_row, n);
    struct xpd_strbuf text = {0};
    for (uint32_t i = 0; out && i < n; i++) {
        const struct xpd_held *row = &peak->at[best[i].row];
        out[i].buffer = row->buffer;
        xpd_tools_buffer_name(&text, ctx->mem, row->buffer);
        out[i].name = xpd_strbuf_keep(&text, arena);
        xpd_shape_text(&text, ctx->mem->buffer[row->buffer].shape, false);
        out[i].shape = xpd_strbuf_keep(&text, arena);
        out[i].size_bytes = row->size_bytes;
        out[i].saving_bytes = best[i].saving;
    }
    arena->failed |= text.failed;
    xpd_strbuf_fini(&text);
    facts->saving = out;
    facts->saving_count = n;
}

static int describe_peak(struct xpd_facts *facts, struct xpd_arena *arena,
                         const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_held_list peak;
    int rc = xpd_held_at(&peak, ctx->mem, ctx->space, ctx->space->peak_step, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    xpd_peak_split_of(&facts->split, ctx->space, &peak);
    rc = xpd_largest_of(&facts->largest, arena, ctx, &peak, err);
    if (rc == XPD_OK)
        find_savings(facts, arena, ctx, &peak);
    return rc == XPD_OK && arena->failed ? xpd_tools_no_memory(err) : rc;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_facts *facts = table;
    struct xpd_arena scratch;
    xpd_arena_init(&scratch, arena->budget_bytes);
    int rc =
        xpd_xprof_memory(&facts->xprof, ctx->mem, ctx->color, XPD_XPROF_SMALL_BYTES, &scratch, err);
    if (rc == XPD_OK) {
        keep_numbers(&facts->xprof, arena);
        facts->peak_reason = peak_reason(ctx->space, &facts->xprof);
        xpd_mem_jax_analysis(ctx->mem, ctx->run->platform, &facts->jax);
        if (ctx->space->step_count > 0)
            facts->near_peak_count =
                xpd_near_peaks(ctx->space, 0.10, facts->near_peak, XPD_FACTS_PEAKS);
    }
    xpd_arena_fini(&scratch);
    return rc == XPD_OK ? describe_peak(facts, arena, ctx, err) : rc;
}

const struct xpd_facts *xpd_table_facts(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_FACTS, 0, true, sizeof(struct xpd_facts), make, err);
}
