/* /api/v1/graph/overview: a module in a few numbers, and its most expensive operations. */
#include "explain.h"
#include "graph_tree.h"
#include "xprofd/answer/write.h"

static void put_entry(struct xpd_graph_ask *ask)
{
    const struct xpd_hlo *hlo = ask->hlo;
    struct xpd_jsonw *w = &ask->w;
    xpd_json_key(w, "entry");
    if (hlo->entry == XPD_NO_INDEX) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    xpd_json_kstr(w, "name", xpd_hlo_text(hlo, hlo->computations.name[hlo->entry]));
    xpd_json_key(w, "id");
    xpd_json_i64_string(w, hlo->computations.id[hlo->entry]);
    xpd_json_ku64(w, "ops", hlo->computations.instruction_count[hlo->entry]);
    xpd_json_ku64(w, "first_line", ask->index->head_line[hlo->entry]);
    xpd_json_obj_end(w);
}

static void put_kinds(struct xpd_graph_ask *ask, const struct xpd_outline_index *tree)
{
    static const char *const names[] = {NULL,
                                        "called computations",
                                        "fusion bodies",
                                        "called regions",
                                        "async wrappers",
                                        "other computations"};
    uint32_t count[XPD_OUTLINE_OTHER + 1] = {0};
    for (uint32_t c = 0; c < ask->hlo->computations.count; c++)
        count[tree->class_of[c]]++;
    xpd_json_key(&ask->w, "kinds");
    xpd_json_obj(&ask->w);
    for (int k = XPD_OUTLINE_NESTED; k <= XPD_OUTLINE_OTHER; k++)
        xpd_json_ku64(&ask->w, names[k], count[k]);
    xpd_json_obj_end(&ask->w);
}

/* What the chip can do, for shares of it: of the device that ran it, or that it was compiled for.
 */
static void put_device(struct xpd_graph_ask *ask)
{
    struct xpd_jsonw *w = &ask->w;
    struct xpd_peaks peaks;
    xpd_json_ktext(w, "device_type", ask->ctx->run->device_type);
    xpd_json_key(w, "peaks");
    xpd_answer_put(w, xpd_peaks_record(), xpd_explain_peaks(ask->ctx, &peaks) ? &peaks : NULL);
}

static void put_overview(struct xpd_graph_ask *ask, const struct xpd_outline_index *tree,
                         const struct xpd_graph_heaviest_list *heaviest)
{
    const struct xpd_hlo *hlo = ask->hlo;
    const struct xpd_module *module = &ask->ctx->run->module[ask->ctx->module];
    struct xpd_jsonw *w = &ask->w;
    xpd_json_obj(w);
    xpd_json_ktext(w, "module", module->key);
    xpd_json_ktext(w, "name", module->name);
    xpd_json_key(w, "program_id");
    xpd_json_u64_string(w, module->program_id);
    xpd_json_ku64(w, "instructions", hlo->instructions.count);
    xpd_json_ku64(w, "computations", hlo->computations.count);
    xpd_json_ku64(w, "lines", ask->index->line_count);
    put_entry(ask);
    xpd_json_key(w, "ticks_total");
    xpd_graph_put_known(ask, hlo->entry != XPD_NO_INDEX ? tree->inside[hlo->entry].cycles : -1);
    put_device(ask);
    put_kinds(ask, tree);
    xpd_json_key(w, "heaviest");
    xpd_answer_put(w, xpd_graph_heaviest_list_record(), heaviest);
    xpd_json_warnings(w, "warnings", ask->index->warnings);
    xpd_json_ku64(w, "warnings_left_out", ask->index->warnings->dropped);
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_heaviest heaviest;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    const struct xpd_outline_index *tree = rc == XPD_OK ? xpd_table_outline(&ask, err) : NULL;
    if (rc == XPD_OK && !tree)
        rc = XPD_ENOMEM;
    if (rc == XPD_OK)
        rc = xpd_graph_heaviest(&heaviest, ctx->arena, ask.index, tree, ask.costs, NULL,
                                XPD_HEAVIEST, err);
    if (rc == XPD_OK)
        put_overview(&ask, tree, xpd_graph_heaviest_rows(&ask, &heaviest));
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_overview = {
    .route = "/api/v1/graph/overview",
    .title = "A module in a few numbers, and its most expensive operations.",
    .needs = XPD_NEEDS_MODULE,
    .run = run};
