/* The facts of the headline, made once. In: a space. Out: struct xpd_facts. */
#include "table_facts.h"

#include "largest.h"

#define SAVINGS_MAX 5

/* The likeliest first; each is a known rule of XProf (reference memory.md 7.2, 7.4). */
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

/* The buffers whose absence would lower the peak most. */
static void write_savings(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                          const struct xpd_held_list *peak)
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
    struct xpd_strbuf text = {0};
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_held *row = &peak->at[best[i].row];
        xpd_json_obj(w);
        xpd_json_ku64(w, "buffer", row->buffer);
        xpd_strbuf_clear(&text);
        xpd_tools_buffer_name(&text, ctx->mem, row->buffer);
        xpd_json_kstr(w, "name", (struct xpd_str){text.data, text.size});
        xpd_strbuf_clear(&text);
        xpd_shape_text(&text, ctx->mem->buffer[row->buffer].shape, false);
        xpd_json_kstr(w, "shape", (struct xpd_str){text.data, text.size});
        xpd_json_ki64(w, "size_bytes", row->size_bytes);
        xpd_json_ki64(w, "saving_bytes", best[i].saving);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_strbuf_fini(&text);
}

/* What `text` holds now, kept; the buffer is empty afterwards. */
static struct xpd_str keep(struct xpd_arena *arena, struct xpd_strbuf *text)
{
    const char *kept = text->failed ? NULL : xpd_arena_strndup(arena, text->data, text->size);
    struct xpd_str json = {kept, kept ? text->size : 0};
    arena->failed |= !kept;
    xpd_strbuf_clear(text);
    return json;
}

static int describe_peak(struct xpd_facts *facts, struct xpd_arena *arena,
                         const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_held_list peak;
    int rc = xpd_held_at(&peak, ctx->mem, ctx->space, ctx->space->peak_step, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_strbuf text = {0};
    struct xpd_jsonw w;
    xpd_peak_split_of(&facts->split, ctx->space, &peak);
    xpd_jsonw_init(&w, &text);
    rc = xpd_largest_write(&w, ctx, &peak, err);
    if (rc == XPD_OK) {
        facts->largest = keep(arena, &text);
        xpd_jsonw_init(&w, &text);
        write_savings(&w, ctx, &peak);
        facts->savings = keep(arena, &text);
        rc = arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
    }
    xpd_strbuf_fini(&text);
    return rc;
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
