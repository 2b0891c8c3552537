/* graph_viewer: a program's text and the neighbours of an instruction, as XProf answers them. */
#include "graph_viewer.h"

#include "xprofd/base/markup.h"
#include "xprofd/graph/dot.h"
#include "xprofd/hlo/print.h"
#include "xprofd/tools/graph_table.h"
#include "xprofd/tools/program_text.h"

/* ---- format=html ---- */

/* A page that shows the DOT text as it is, to copy into any Graphviz. XProf's page loads Graphviz
 * from the internet and puts the text inside a script, where the name of an operation can become
 * code; here it is data, and there is no script at all. */
static void put_escaped(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        switch (c) {
        case '\'': xpd_strbuf_puts(out, "&#39;"); break;
        case '`': xpd_strbuf_puts(out, "&#96;"); break;
        case '$': xpd_strbuf_puts(out, "&#36;"); break;
        case '\0': xpd_strbuf_puts(out, "\xEF\xBF\xBD"); break; /* what a browser makes of it */
        default: xpd_markup_putc(out, c);
        }
    }
}

static void write_html(struct xpd_str node, struct xpd_str module, const struct xpd_strbuf *dot,
                       struct xpd_strbuf *out)
{
    xpd_strbuf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
    put_escaped(out, node);
    xpd_strbuf_puts(out, "</title>\n<h1>");
    put_escaped(out, node);
    xpd_strbuf_puts(out, "</h1>\n<p>Module ");
    put_escaped(out, module);
    xpd_strbuf_puts(out, ". The graph as text for Graphviz (<code>dot -Tsvg</code>); the Graph "
                         "page of <a href=\"/\">xprofd</a> draws it.</p>\n<pre>");
    put_escaped(out, (struct xpd_str){dot->data ? dot->data : "", dot->size});
    xpd_strbuf_puts(out, "</pre>\n</html>\n");
}

/* ---- texts ---- */

static bool is_true(const struct xpd_tool_ctx *ctx, const char *name)
{
    return xpd_str_eq(xpd_param_text(ctx, name), XPD_STR("true"));
}

static int text(const struct xpd_tool_ctx *ctx, uint32_t module, uint32_t flags,
                struct xpd_tool_result *out, struct xpd_err *err)
{
    if (is_true(ctx, "show_metadata"))
        flags |= XPD_PRINT_METADATA;
    int rc = xpd_program_write(ctx, module, XPD_PROGRAM_HLO, flags | XPD_PRINT_XPROF, out, err);
    out->type = XPD_BODY_BYTES;
    return rc;
}

static int proto(const struct xpd_tool_ctx *ctx, uint32_t module, enum xpd_program_form form,
                 struct xpd_tool_result *out, struct xpd_err *err)
{
    int rc = xpd_program_write(ctx, module, form, 0, out, err);
    out->type = XPD_BODY_BYTES;
    return rc;
}

/* ---- custom_call ---- */

/* What a custom call hands to its backend. A Mosaic kernel is MLIR
 * bytecode, which XProf prints with LLVM; hlo/kernel.h prints the same. format=bytes (not XProf's)
 * gives the bytecode as it is, for mlir-opt. */
/* For a call by XLA's typed interface XProf answers the whole module's text. */
static bool is_typed(struct xpd_hlo_printer *printer, uint32_t instruction)
{
    struct xpd_strbuf text = {0};
    xpd_hlo_print_attributes(printer, instruction, 0, '\n', &text);
    bool typed =
        text.data && xpd_str_find((struct xpd_str){text.data, text.size},
                                  XPD_STR("api_version=API_VERSION_TYPED_FFI"), false) != SIZE_MAX;
    xpd_strbuf_fini(&text);
    return typed;
}

static int custom_call(const struct xpd_tool_ctx *ctx, uint32_t module, struct xpd_tool_result *out,
                       struct xpd_err *err)
{
    const struct xpd_hlo *hlo;
    struct xpd_proto_bytes bytes = {0};
    struct xpd_hlo_printer *printer = NULL;
    uint32_t instruction = XPD_NO_INDEX, computation;
    int rc = xpd_store_module(ctx->store, ctx->run, module, &hlo, NULL, err);
    if (rc == XPD_OK)
        rc = xpd_compat_find_node(ctx, hlo, &instruction, &computation, err);
    if (rc == XPD_OK && instruction == XPD_NO_INDEX)
        rc = xpd_fail(err, XPD_ENOTFOUND, "node_name", XPD_NO_OFFSET, "HLO Instruction not found");
    if (rc == XPD_OK)
        rc = xpd_store_module_bytes(ctx->store, ctx->run, module, &bytes, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&printer, hlo, bytes.at, bytes.size, err);
    bool typed = rc == XPD_OK && is_typed(printer, instruction);
    if (rc == XPD_OK && !typed)
        rc = xpd_program_kernel(ctx, xpd_hlo_config(printer, instruction, XPD_PRINT_XPROF),
                                xpd_str_eq(xpd_param_text(ctx, "format"), XPD_STR("bytes")), out,
                                err);
    xpd_hlo_printer_free(printer);
    xpd_proto_bytes_free(&bytes);
    if (typed)
        rc = xpd_program_write(ctx, module, XPD_PROGRAM_HLO,
                               XPD_PRINT_LONG | XPD_PRINT_METADATA | XPD_PRINT_XPROF, out, err);
    return rc;
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

static int draw(const struct xpd_tool_ctx *ctx, struct xpd_hlo_printer *printer,
                struct xpd_strbuf *out, struct xpd_err *err)
{
    const struct xpd_graph_index *index = xpd_table_graph(ctx, err);
    if (!index)
        return err->code;
    uint32_t instruction, computation;
    struct xpd_graph *graph = NULL;
    struct xpd_graph_options options = {radius_of(ctx), is_true(ctx, "merge_fusion")};
    int rc = xpd_compat_find_node(ctx, ctx->hlo, &instruction, &computation, err);
    if (rc == XPD_OK && computation != XPD_NO_INDEX)
        instruction = XPD_NO_INDEX; /* a computation of that name is drawn whole */
    if (rc == XPD_OK)
        rc = xpd_graph_make(&graph, index, instruction, computation, &options, err);
    if (rc == XPD_OK)
        xpd_graph_dot(graph, printer, is_true(ctx, "show_metadata"), out);
    xpd_graph_free(graph);
    return rc;
}

static int picture(const struct xpd_tool_ctx *ctx, uint32_t module, struct xpd_tool_result *out,
                   struct xpd_err *err)
{
    const struct xpd_hlo *hlo;
    struct xpd_proto_bytes bytes = {0};
    struct xpd_hlo_printer *printer = NULL;
    struct xpd_str format = xpd_param_text(ctx, "format");
    bool html = xpd_str_eq(format, XPD_STR("html"));
    if (xpd_param_text(ctx, "node_name").size == 0)
        return xpd_fail(err, XPD_EINVAL, "node_name", XPD_NO_OFFSET,
                        "node_name should not be empty");
    if (!html && !xpd_str_eq(format, XPD_STR("dot")))
        return xpd_fail(err, XPD_EINVAL, "format", XPD_NO_OFFSET,
                        "Can't render as URL; no URL renderer was registered.");
    int rc = xpd_store_module(ctx->store, ctx->run, module, &hlo, NULL, err);
    if (rc == XPD_OK)
        rc = xpd_store_module_bytes(ctx->store, ctx->run, module, &bytes, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&printer, hlo, bytes.at, bytes.size, err);
    struct xpd_tool_ctx of_module = *ctx;
    of_module.module = module;
    of_module.hlo = hlo;
    struct xpd_strbuf dot = {.limit_bytes = out->body.limit_bytes};
    if (rc == XPD_OK)
        rc = draw(&of_module, printer, html ? &dot : &out->body, err);
    if (rc == XPD_OK && html)
        write_html(xpd_param_text(ctx, "node_name"), xpd_str_of(ctx->run->module[module].key), &dot,
                   &out->body);
    out->body.failed = out->body.failed || dot.failed;
    xpd_strbuf_fini(&dot);
    xpd_hlo_printer_free(printer);
    xpd_proto_bytes_free(&bytes);
    out->type = html ? XPD_BODY_HTML : XPD_BODY_TEXT;
    return rc;
}

static int pick(const struct xpd_tool_ctx *ctx, uint32_t *module, struct xpd_tool_result *out,
                struct xpd_err *err)
{
    if (!xpd_param_has(ctx, "module_name") && !xpd_param_has(ctx, "program_id") &&
        xpd_param_text(ctx, "node_name").size)
        return xpd_compat_pick_by_node(ctx, module, out, err);
    return xpd_compat_pick_module(ctx, "graph_viewer", module, out, err);
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
        rc = pick(ctx, &module, out, err);
    if (rc != XPD_OK)
        return rc;
    if (xpd_str_eq(type, XPD_STR("short_txt")))
        return text(ctx, module, XPD_PRINT_SHORT, out, err);
    if (xpd_str_eq(type, XPD_STR("long_txt")))
        return text(ctx, module, XPD_PRINT_LONG, out, err);
    if (xpd_str_eq(type, XPD_STR("pb")))
        return proto(ctx, module, XPD_PROGRAM_PB, out, err);
    if (xpd_str_eq(type, XPD_STR("pbtxt")))
        return proto(ctx, module, XPD_PROGRAM_PBTXT, out, err);
    if (xpd_str_eq(type, XPD_STR("adj_nodes")))
        return xpd_compat_adjacent(ctx, module, out, err);
    if (xpd_str_eq(type, XPD_STR("custom_call")))
        return custom_call(ctx, module, out, err);
    if (xpd_str_eq(type, XPD_STR("graph")))
        return picture(ctx, module, out, err);
    if (xpd_str_eq(type, XPD_STR("json"))) /* XProf's answer; ours is /api/v1/graph/proto */
        return xpd_fail(err, XPD_EINVAL, "type", XPD_NO_OFFSET, "Not implemented");
    return xpd_fail(err, XPD_EINVAL, "type", XPD_NO_OFFSET,
                    "graph_viewer has the types graph, adj_nodes, custom_call, short_txt, "
                    "long_txt, pb and pbtxt, not \"%.*s\"",
                    (int)(type.size < 200 ? type.size : 200), type.data);
}
