/* /api/v1/graph/path: the shortest way of a value from one instruction to another. */
#include "graph_rows.h"
#include "xprofd/graph/path.h"

static const struct xpd_param_spec params[] = {
    {.name = "from",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .help = "an instruction: id or name"},
    {.name = "to", .type = XPD_PARAM_TEXT, .required = true, .help = "an instruction: id or name"},
    {0}};

static void put_operand(struct xpd_graph_ask *ask, uint32_t operand)
{
    if (operand == XPD_NO_INDEX)
        xpd_json_null(&ask->w);
    else
        xpd_json_u64(&ask->w, operand);
}

static void put_why(struct xpd_graph_ask *ask, uint32_t from, uint32_t to)
{
    const xpd_name_id *name = ask->hlo->instructions.name;
    struct xpd_str a = xpd_hlo_text(ask->hlo, name[from]), b = xpd_hlo_text(ask->hlo, name[to]);
    struct xpd_strbuf *text = &ask->scratch;
    xpd_strbuf_clear(text);
    xpd_strbuf_puts(text, "No value flows from ");
    xpd_strbuf_add(text, a.data, a.size);
    xpd_strbuf_puts(text, " to ");
    xpd_strbuf_add(text, b.data, b.size);
    xpd_strbuf_puts(text, " or back; neither depends on the other.");
    xpd_json_key(&ask->w, "why");
    xpd_json_str(&ask->w, (struct xpd_str){text->data ? text->data : "", text->size});
}

static void put_path(struct xpd_graph_ask *ask, const struct xpd_path *path, uint32_t from,
                     uint32_t to)
{
    struct xpd_jsonw *w = &ask->w;
    xpd_json_obj(w);
    xpd_json_kbool(w, "found", path->found);
    xpd_json_kbool(w, "reversed", path->reversed);
    xpd_json_ku64(w, "n", path->count);
    xpd_graph_columns(ask, "name opcode shape bytes group line computation cycles",
                      path->instruction, path->count);
    XPD_COLUMN(w, "operand", path->count, put_operand(ask, path->operand[row]));
    if (path->found)
        xpd_json_ktext(w, "why", "");
    else
        put_why(ask, from, to);
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct xpd_path path;
    uint32_t from, to;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK && xpd_graph_find(&ask, "from", &from, out) &&
        xpd_graph_find(&ask, "to", &to, out)) {
        rc = xpd_graph_path(&path, ctx->arena, ask.index, from, to, err);
        if (rc == XPD_OK)
            put_path(&ask, &path, from, to);
    }
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_path = {
    .route = "/api/v1/graph/path",
    .title = "The shortest way of a value from one instruction to another.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = run};
