/* /api/v1/card: what the start page shows of a run without opening it. */
#include "../common/rail.h"
#include "run_problem.h"
#include "split.h"

#define CURVE_MAX 160

struct card {
    uint32_t module; /* XPD_NO_INDEX = none readable */
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space;
    struct xpd_peak_split split; /* of the space's peak, when there is one */
};

static void open_card(const struct xpd_tool_ctx *ctx, struct card *card)
{
    memset(card, 0, sizeof *card);
    if (xpd_store_default_module(ctx->store, ctx->run, &card->module, NULL) != XPD_OK ||
        xpd_store_module(ctx->store, ctx->run, card->module, &card->hlo, &card->mem, NULL) !=
            XPD_OK) {
        *card = (struct card){.module = XPD_NO_INDEX};
        return;
    }
    card->space = xpd_mem_main_space(card->mem);
}

static int write_memory(const struct xpd_tool_ctx *ctx, struct xpd_jsonw *w, struct card *card,
                        struct xpd_err *err)
{
    const struct xpd_mem_space *space = card->space;
    struct xpd_held_list peak;
    int rc = xpd_held_at(&peak, card->mem, space, space->peak_step, ctx->arena, err);
    struct xpd_curve_column *column = XPD_NEW_ARRAY(ctx->arena, struct xpd_curve_column, CURVE_MAX);
    if (rc != XPD_OK || !column)
        return rc != XPD_OK ? rc : xpd_tools_no_memory(err);
    xpd_peak_split_of(&card->split, space, &peak);
    xpd_peak_split_write(w, &card->split);
    struct xpd_step_window all = {0, space->step_count};
    uint32_t n = space->step_count ? xpd_curve(space, all, CURVE_MAX, column) : 0;
    xpd_json_key(w, "curve");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "min", n, xpd_json_i64(w, column[row].min_live));
    XPD_COLUMN(w, "max", n, xpd_json_i64(w, column[row].max_live));
    xpd_json_ki64(w, "resident_bytes", space->totals.resident);
    xpd_json_obj_end(w);
    xpd_json_ku64(w, "steps", space->step_count);
    return XPD_OK;
}

static void write_holds(const struct xpd_tool_ctx *ctx, struct xpd_jsonw *w,
                        const struct card *card)
{
    xpd_json_key(w, "holds");
    xpd_json_obj(w);
    xpd_json_ktext(w, "memory", xpd_rail_memory_reason(ctx->run, card->space != NULL));
    xpd_json_ktext(w, "trace", xpd_rail_trace_reason(ctx->run));
    xpd_json_ktext(w, "graph", xpd_rail_graph_reason(ctx->run));
    xpd_json_obj_end(w);
}

static void write_files(struct xpd_jsonw *w, const struct xpd_run_entry *entry)
{
    enum { FILES_MAX = 200 };
    uint32_t n = entry->input_count < FILES_MAX ? entry->input_count : FILES_MAX;
    xpd_json_key(w, "files");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        xpd_json_obj(w);
        xpd_json_ktext(w, "name", entry->input[i].name);
        xpd_json_ku64(w, "size_bytes", entry->input[i].identity.size_bytes);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "files_left_out", entry->input_count - n);
}

static void write_head(const struct xpd_tool_ctx *ctx, struct xpd_jsonw *w, const struct card *card)
{
    const struct xpd_run *run = ctx->run;
    const struct xpd_module *module =
        card->module == XPD_NO_INDEX ? NULL : &run->module[card->module];
    struct xpd_capacity capacity;
    xpd_tools_capacity(ctx, card->space ? card->space->color : 0, &capacity);
    xpd_json_ktext(w, "id", run->entry->id);
    xpd_json_ktext(w, "kind", xpd_run_kind_word(run->entry->kind));
    xpd_tools_kstr(w, "platform", xpd_str_of(run->platform));
    xpd_tools_kstr(w, "device_type", xpd_str_of(run->device_type));
    xpd_json_ku64(w, "device_count", run->device_count);
    XPD_COLUMN(w, "hosts", run->host_count, xpd_json_text(w, run->host[row].name));
    xpd_json_ktext(w, "module", module ? module->key : NULL);
    xpd_json_ktext(w, "module_name", module ? module->name : NULL);
    xpd_json_ku64(w, "other_modules", module ? run->module_count - 1 : run->module_count);
    xpd_tools_kknown(w, "peak_bytes", card->space ? card->space->peak_bytes : -1);
    xpd_json_key(w, "peak_space");
    if (card->space)
        xpd_json_i64(w, card->space->color);
    else
        xpd_json_null(w);
    xpd_tools_capacity_write(w, &capacity);
    int same = run->entry->lead ? xpd_tools_same_program(ctx) : -1;
    xpd_json_key(w, "same_program");
    if (same < 0)
        xpd_json_null(w);
    else
        xpd_json_bool(w, same > 0);
}

static int card_tool(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                     struct xpd_err *err)
{
    struct card card;
    open_card(ctx, &card);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    write_head(ctx, &w, &card);
    int rc = XPD_OK;
    if (card.space) {
        rc = write_memory(ctx, &w, &card, err);
    } else {
        xpd_json_knull(&w, "split");
        xpd_json_knull(&w, "curve");
        xpd_json_knull(&w, "steps");
    }
    if (card.hlo)
        xpd_json_ku64(&w, "instructions", card.hlo->instructions.count);
    else
        xpd_json_knull(&w, "instructions");
    xpd_json_ku64(&w, "events", ctx->run->event_count);
    write_holds(ctx, &w, &card);
    xpd_run_problem_write(&w, ctx, card.space, card.space ? &card.split : NULL);
    write_files(&w, ctx->run->entry);
    xpd_json_obj_end(&w);
    return rc;
}

const struct xpd_tool xpd_tool_card = {
    .route = "/api/v1/card",
    .title = "What the start page shows of a run without opening it.",
    .needs = XPD_NEEDS_RUN,
    .run = card_tool,
};
