/* graph_viewer: a program's text and the neighbours of an instruction, as XProf answers them. */
#include "compat.h"

#include "xprofd/graph/dot.h"
#include "xprofd/tools/graph_table.h"

static int text(const struct xpd_tool_ctx *ctx, uint32_t module, uint32_t flags,
                struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_hlo *hlo;
    struct xpd_proto_bytes proto = {0};
    struct xpd_hlo_printer *printer = NULL;
    if (xpd_str_eq(xpd_param_text(ctx, "show_metadata"), XPD_STR("true")))
        flags |= XPD_PRINT_METADATA;
    int rc = xpd_store_module(ctx->store, ctx->run, module, &hlo, NULL, err);
    if (rc == XPD_OK)
        rc = xpd_store_module_bytes(ctx->store, ctx->run, module, &proto, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&printer, hlo, proto.at, proto.size, err);
    if (rc == XPD_OK)
        xpd_hlo_print_module(printer, flags | XPD_PRINT_XPROF, &out->body);
    xpd_hlo_printer_free(printer);
    xpd_proto_bytes_free(&proto);
    out->type = XPD_BODY_TEXT;
    return rc;
}

static int proto(const struct xpd_tool_ctx *ctx, uint32_t module, struct xpd_tool_result *out,
                 struct xpd_err *err)
{
    struct xpd_proto_bytes bytes;
    int rc = xpd_store_module_bytes(ctx->store, ctx->run, module, &bytes, err);
    if (rc == XPD_OK)
        xpd_strbuf_add(&out->body, bytes.at, bytes.size);
    xpd_proto_bytes_free(&bytes);
    out->type = XPD_BODY_TEXT;
    return rc;
}

/* ---- neighbours ---- */

static bool is_named(const struct xpd_hlo *hlo, xpd_name_id id, struct xpd_str name)
{
    struct xpd_str text = xpd_hlo_text(hlo, id);
    return text.size == name.size && xpd_str_find(text, name, true) == 0;
}

/* node_name: without a leading '%', case ignored. */
static int find_node(const struct xpd_tool_ctx *ctx, const struct xpd_hlo *hlo,
                     uint32_t *instruction, uint32_t *computation, struct xpd_err *err)
{
    struct xpd_str name = xpd_param_text(ctx, "node_name");
    struct xpd_str bare = name;
    *instruction = *computation = XPD_NO_INDEX;
    if (bare.size && bare.data[0] == '%')
        bare = (struct xpd_str){bare.data + 1, bare.size - 1};
    if (bare.size == 0)
        return xpd_fail(err, XPD_EINVAL, "node_name", XPD_NO_OFFSET,
                        "node_name should not be empty");
    for (uint32_t i = 0; i < hlo->instructions.count && *instruction == XPD_NO_INDEX; i++)
        if (is_named(hlo, hlo->instructions.name[i], bare))
            *instruction = i;
    for (uint32_t c = 0; c < hlo->computations.count && *computation == XPD_NO_INDEX; c++)
        if (is_named(hlo, hlo->computations.name[c], bare))
            *computation = c;
    if (*instruction != XPD_NO_INDEX || *computation != XPD_NO_INDEX)
        return XPD_OK;
    return xpd_fail(err, XPD_ENOTFOUND, "node_name", XPD_NO_OFFSET,
                    "Couldn't find HloInstruction or HloComputation named %.*s.", (int)name.size,
                    name.data);
}

struct neighbours {
    const struct xpd_hlo *hlo;
    struct xpd_jsonw *w;
    bool *seen; /* guards against cycles among get-tuple-elements */
};

static bool is_element(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return xpd_str_starts(xpd_hlo_text(hlo, hlo->instructions.name[instruction]),
                          "get-tuple-element");
}

static void name_operands(struct neighbours *n, uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &n->hlo->instructions;
    for (uint32_t k = ins->operand_first[instruction]; k < ins->operand_first[instruction + 1];
         k++) {
        uint32_t operand = ins->operand[k];
        if (operand == XPD_NO_INDEX)
            continue;
        if (!is_element(n->hlo, operand)) {
            xpd_json_str(n->w, xpd_hlo_text(n->hlo, ins->name[operand]));
        } else if (!n->seen[operand]) {
            n->seen[operand] = true;
            name_operands(n, operand);
            n->seen[operand] = false;
        }
    }
}

static bool uses(const struct xpd_hlo *hlo, uint32_t user, uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    for (uint32_t k = ins->operand_first[user]; k < ins->operand_first[user + 1]; k++)
        if (ins->operand[k] == instruction)
            return true;
    return false;
}

static void name_users(struct neighbours *n, uint32_t instruction)
{
    const struct xpd_hlo_computations *c = &n->hlo->computations;
    uint32_t computation = n->hlo->instructions.computation[instruction];
    uint32_t first = c->first[computation];
    for (uint32_t i = first; i < first + c->instruction_count[computation]; i++) {
        if (!uses(n->hlo, i, instruction))
            continue;
        if (!is_element(n->hlo, i)) {
            xpd_json_str(n->w, xpd_hlo_text(n->hlo, n->hlo->instructions.name[i]));
        } else if (!n->seen[i]) {
            n->seen[i] = true;
            name_users(n, i);
            n->seen[i] = false;
        }
    }
}

static int adjacent(const struct xpd_tool_ctx *ctx, uint32_t module, struct xpd_tool_result *out,
                    struct xpd_err *err)
{
    const struct xpd_hlo *hlo;
    uint32_t instruction, computation;
    int rc = xpd_store_module(ctx->store, ctx->run, module, &hlo, NULL, err);
    if (rc == XPD_OK)
        rc = find_node(ctx, hlo, &instruction, &computation, err);
    if (rc != XPD_OK)
        return rc;
    if (instruction == XPD_NO_INDEX)
        return xpd_fail(err, XPD_EINVAL, "node_name", XPD_NO_OFFSET,
                        "GetAdjacentNodes is not implemented for HloComputation.");
    struct xpd_jsonw w;
    struct neighbours n = {hlo, &w, XPD_NEW_ARRAY(ctx->arena, bool, hlo->instructions.count)};
    if (!n.seen)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                        "There is no memory for this answer.");
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_key(&w, "consumer_names");
    xpd_json_arr(&w);
    name_users(&n, instruction);
    xpd_json_arr_end(&w);
    xpd_json_key(&w, "operand_names");
    xpd_json_arr(&w);
    name_operands(&n, instruction);
    xpd_json_arr_end(&w);
    xpd_json_obj_end(&w);
    return XPD_OK;
}

/* ---- the picture ---- */

/* graph_width=: digits, else XProf's default of 3. */
static uint32_t radius_of(const struct xpd_tool_ctx *ctx)
{
    int64_t width;
    if (!xpd_str_to_i64(xpd_param_text(ctx, "graph_width"), &width) || width < 0)
        return 3;
    return width < XPD_GRAPH_RADIUS_MAX ? (uint32_t)width : XPD_GRAPH_RADIUS_MAX;
}

static bool is_true(const struct xpd_tool_ctx *ctx, const char *name)
{
    return xpd_str_eq(xpd_param_text(ctx, name), XPD_STR("true"));
}

static int draw(const struct xpd_tool_ctx *ctx, struct xpd_hlo_printer *printer,
                struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_graph_index *index = xpd_table_graph(ctx, err);
    if (!index)
        return err->code;
    uint32_t instruction, computation;
    struct xpd_graph *graph = NULL;
    struct xpd_graph_options options = {radius_of(ctx), is_true(ctx, "merge_fusion")};
    int rc = find_node(ctx, ctx->hlo, &instruction, &computation, err);
    if (rc == XPD_OK && computation != XPD_NO_INDEX)
        instruction = XPD_NO_INDEX; /* a computation of that name is drawn whole */
    if (rc == XPD_OK)
        rc = xpd_graph_make(&graph, index, instruction, computation, &options, err);
    if (rc == XPD_OK)
        xpd_graph_dot(graph, printer, is_true(ctx, "show_metadata"), &out->body);
    xpd_graph_free(graph);
    return rc;
}

static int picture(const struct xpd_tool_ctx *ctx, uint32_t module, struct xpd_tool_result *out,
                   struct xpd_err *err)
{
    const struct xpd_hlo *hlo;
    struct xpd_proto_bytes bytes = {0};
    struct xpd_hlo_printer *printer = NULL;
    if (!xpd_str_eq(xpd_param_text(ctx, "format"), XPD_STR("dot")))
        return xpd_fail(err, XPD_EINVAL, "format", XPD_NO_OFFSET,
                        "xprofd gives the graph as format=dot; XProf's html needs the internet");
    int rc = xpd_store_module(ctx->store, ctx->run, module, &hlo, NULL, err);
    if (rc == XPD_OK)
        rc = xpd_store_module_bytes(ctx->store, ctx->run, module, &bytes, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&printer, hlo, bytes.at, bytes.size, err);
    struct xpd_tool_ctx of_module = *ctx;
    of_module.module = module;
    of_module.hlo = hlo;
    if (rc == XPD_OK)
        rc = draw(&of_module, printer, out, err);
    xpd_hlo_printer_free(printer);
    xpd_proto_bytes_free(&bytes);
    out->type = XPD_BODY_TEXT;
    return rc;
}

/* Without a module: the first one that has an instruction of that name. */
static int pick_by_node(const struct xpd_tool_ctx *ctx, uint32_t *module, struct xpd_err *err)
{
    for (uint32_t i = 0; i < ctx->run->module_count; i++) {
        const struct xpd_hlo *hlo;
        uint32_t instruction, computation;
        struct xpd_err why = {0}; /* of this module; another one may have the instruction */
        if (xpd_store_module(ctx->store, ctx->run, i, &hlo, NULL, &why) == XPD_OK &&
            find_node(ctx, hlo, &instruction, &computation, &why) == XPD_OK &&
            instruction != XPD_NO_INDEX) {
            *module = i;
            return XPD_OK;
        }
    }
    struct xpd_str name = xpd_param_text(ctx, "node_name");
    return xpd_fail(err, XPD_ENOTFOUND, "node_name", XPD_NO_OFFSET,
                    "no module of run %s has an instruction %.*s", ctx->run->entry->id,
                    (int)name.size, name.data);
}

static int pick(const struct xpd_tool_ctx *ctx, uint32_t *module, struct xpd_err *err)
{
    if (!xpd_param_has(ctx, "module_name") && !xpd_param_has(ctx, "program_id") &&
        xpd_param_text(ctx, "node_name").size)
        return pick_by_node(ctx, module, err);
    return xpd_compat_pick_module(ctx, "graph_viewer", module, err);
}

int xpd_compat_graph_viewer(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                            struct xpd_err *err)
{
    struct xpd_str type = xpd_param_text(ctx, "type");
    uint32_t module = 0;
    int rc = xpd_compat_check_host(ctx, err);
    if (type.size == 0)
        return xpd_fail(err, XPD_EINVAL, "type", XPD_NO_OFFSET,
                        "Graph viewer must provide a type option.");
    if (rc == XPD_OK)
        rc = pick(ctx, &module, err);
    if (rc != XPD_OK)
        return rc;
    if (xpd_str_eq(type, XPD_STR("short_txt")))
        return text(ctx, module, XPD_PRINT_SHORT, out, err);
    if (xpd_str_eq(type, XPD_STR("long_txt")))
        return text(ctx, module, XPD_PRINT_LONG, out, err);
    if (xpd_str_eq(type, XPD_STR("pb")))
        return proto(ctx, module, out, err);
    if (xpd_str_eq(type, XPD_STR("adj_nodes")))
        return adjacent(ctx, module, out, err);
    if (xpd_str_eq(type, XPD_STR("graph")))
        return picture(ctx, module, out, err);
    return xpd_fail(err, XPD_EINVAL, "type", XPD_NO_OFFSET,
                    "xprofd answers the types graph, short_txt, long_txt, pb and adj_nodes of "
                    "graph_viewer, not \"%.*s\"",
                    (int)type.size, type.data);
}
