/* /api/v1/graph/node: one instruction: what it uses, who uses it, what it calls, who calls it,
 * where it comes from. */
#include "graph_rows.h"

#define ROWS_MAX 2000 /* operands, users */

static const struct xpd_param_spec params[] = {{.name = "node",
                                                .type = XPD_PARAM_TEXT,
                                                .required = true,
                                                .help = "an instruction: id or name"},
                                               {0}};

static const char columns[] = "name opcode shape bytes space line group";

/* The operands that are in the module, with their numbers. */
static void put_operands(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &ask->hlo->instructions;
    struct xpd_jsonw *w = &ask->w;
    uint32_t first = ins->operand_first[i], count = ins->operand_first[i + 1] - first, n = 0;
    uint32_t *at = XPD_NEW_ARRAY(ask->ctx->arena, uint32_t, ROWS_MAX);
    uint32_t *number = XPD_NEW_ARRAY(ask->ctx->arena, uint32_t, ROWS_MAX), missing = 0;
    for (uint32_t k = 0; at && number && k < count; k++) {
        missing += ins->operand[first + k] == XPD_NO_INDEX;
        if (ins->operand[first + k] == XPD_NO_INDEX || n == ROWS_MAX)
            continue;
        number[n] = k;
        at[n++] = ins->operand[first + k];
    }
    xpd_json_key(w, "operands");
    xpd_json_obj(w);
    xpd_json_ku64(w, "total", count);
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "missing", missing);
    XPD_COLUMN(w, "operand", n, xpd_json_u64(w, number[row]));
    xpd_graph_columns(ask, columns, at, n);
    XPD_COLUMN(w, "label", n, xpd_graph_put_label(ask, at[row]));
    xpd_json_obj_end(w);
}

static void put_rows(struct xpd_graph_ask *ask, const char *key, const uint32_t *at, uint32_t total)
{
    struct xpd_jsonw *w = &ask->w;
    uint32_t n = total < ROWS_MAX ? total : ROWS_MAX;
    xpd_json_key(w, key);
    xpd_json_obj(w);
    xpd_json_ku64(w, "total", total);
    xpd_json_ku64(w, "n", n);
    xpd_graph_columns(ask, columns, at, n);
    xpd_json_obj_end(w);
}

static void put_head_line(struct xpd_graph_ask *ask, uint32_t computation)
{
    uint32_t line = computation != XPD_NO_INDEX ? ask->index->head_line[computation] : 0;
    if (line)
        xpd_json_u64(&ask->w, line);
    else
        xpd_json_null(&ask->w);
}

static void put_computations(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_hlo *hlo = ask->hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    const uint32_t *called = ins->called + ins->called_first[i];
    uint32_t n = ins->called_first[i + 1] - ins->called_first[i];
    struct xpd_jsonw *w = &ask->w;
    n = n < ROWS_MAX ? n : ROWS_MAX;
    xpd_json_key(w, "calls");
    xpd_json_obj(w);
    xpd_json_ku64(w, "total", ins->called_first[i + 1] - ins->called_first[i]);
    XPD_COLUMN(w, "computation", n,
               xpd_json_str(w, called[row] != XPD_NO_INDEX
                                   ? xpd_hlo_text(hlo, hlo->computations.name[called[row]])
                                   : XPD_STR("")));
    XPD_COLUMN(w, "ops", n,
               xpd_json_u64(w, called[row] != XPD_NO_INDEX
                                   ? hlo->computations.instruction_count[called[row]]
                                   : 0));
    XPD_COLUMN(w, "line", n, put_head_line(ask, called[row]));
    XPD_COLUMN(w, "does", n,
               xpd_json_text(w, called[row] != XPD_NO_INDEX && ask->index->trivial[called[row]]
                                    ? ask->index->trivial[called[row]]
                                    : ""));
    xpd_json_obj_end(w);
}

static void put_frame(struct xpd_jsonw *w, const struct xpd_hlo *hlo, uint32_t id)
{
    const struct xpd_hlo_frame *frame = &hlo->frame[id - 1];
    xpd_json_obj(w);
    xpd_json_kstr(w, "file", xpd_hlo_text(hlo, frame->file));
    xpd_json_kstr(w, "function", xpd_hlo_text(hlo, frame->function));
    xpd_json_ki64(w, "line", frame->line);
    xpd_json_obj_end(w);
}

static void put_source(struct xpd_graph_ask *ask, uint32_t i)
{
    struct xpd_jsonw *w = &ask->w;
    struct xpd_source_info source;
    xpd_source_of(ask->hlo, i, &source);
    xpd_json_key(w, "source");
    xpd_json_obj(w);
    xpd_tools_kstr(w, "file", source.file);
    xpd_tools_kknown(w, "line", source.file.size ? source.line : -1);
    xpd_json_key(w, "stack");
    xpd_json_arr(w);
    for (uint32_t k = 0; k < source.frame_count; k++)
        put_frame(w, ask->hlo, source.frame[k]);
    xpd_json_arr_end(w);
    xpd_json_kbool(w, "stack_cut", source.frames_cut);
    xpd_json_kbool(w, "inside_fusion", source.from != i);
    xpd_json_obj_end(w);
}

static void put_caller(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_hlo *hlo = ask->hlo;
    uint32_t computation = hlo->instructions.computation[i];
    uint32_t caller = ask->index->caller_of[computation];
    struct xpd_jsonw *w = &ask->w;
    xpd_json_key(w, "computation");
    xpd_json_obj(w);
    xpd_json_kstr(w, "name", xpd_hlo_text(hlo, hlo->computations.name[computation]));
    xpd_json_kbool(w, "is_entry", computation == hlo->entry);
    xpd_json_kbool(w, "is_fusion", ask->index->fusion_of[computation] != XPD_NO_INDEX);
    xpd_json_ku64(w, "ops", hlo->computations.instruction_count[computation]);
    xpd_json_key(w, "line");
    put_head_line(ask, computation);
    xpd_json_obj_end(w);
    put_rows(ask, "caller", &caller, caller != XPD_NO_INDEX);
}

static void put_node(struct xpd_graph_ask *ask, uint32_t i)
{
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_graph_index *index = ask->index;
    uint32_t users = xpd_index_users(index, i), pair = index->pair[i];
    if (index->op[i] == XPD_GOP_DONE)
        pair = index->fold[i];
    xpd_json_obj(w);
    xpd_json_key(w, "node");
    xpd_json_obj(w); /* columns of one row each, as everywhere */
    xpd_graph_columns(ask,
                      "name label opcode kind op_name shape bytes elements space group scheme line "
                      "is_root collective cycles flops moved_bytes matmul",
                      &i, 1);
    xpd_json_obj_end(w);
    put_caller(ask, i);
    put_operands(ask, i);
    put_rows(ask, "users", index->user + index->user_first[i], users);
    put_rows(ask, "control", index->control + index->control_first[i],
             index->control_first[i + 1] - index->control_first[i]);
    put_rows(ask, "pair", &pair, pair != XPD_NO_INDEX);
    put_computations(ask, i);
    put_source(ask, i);
    xpd_json_ku64(w, "rows_limit", ROWS_MAX);
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    uint32_t i;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK)
        rc = xpd_graph_find(&ask, "node", &i, err);
    if (rc == XPD_OK)
        put_node(&ask, i);
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_node = {
    .route = "/api/v1/graph/node",
    .title = "One instruction: what it uses, who uses it, what it calls, where it comes from.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = run,
    .not_found = xpd_graph_nearest};
