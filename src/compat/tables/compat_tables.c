/* Which file answers a tag, and its tables as JSON or CSV. */
#include "compat_tables.h"

#include <stdio.h>

#define TABLE(symbol) extern const struct xpd_table_tool symbol;
#include "tables.def"
#undef TABLE

#define TABLE(symbol) &symbol,
static const struct xpd_table_tool *const tools[] = {
#include "tables.def"
    NULL};
#undef TABLE

const struct xpd_table_tool *xpd_table_tool_find(struct xpd_str tag)
{
    if (tag.size > 0 && tag.data[tag.size - 1] == '^') /* how old clients mark a tool */
        tag.size--;
    for (size_t i = 0; tools[i]; i++)
        if (xpd_str_eq(tag, xpd_str_of(tools[i]->tag)))
            return tools[i];
    return NULL;
}

static void write_json(struct xpd_strbuf *out, const struct xpd_tables *tables)
{
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, out);
    if (tables->json.size > 0 || tables->has_json) {
        if (tables->json.size > 0)
            xpd_json_raw(&w, tables->json);
        return;
    }
    if (!tables->alone)
        xpd_json_arr(&w);
    for (uint32_t i = 0; i < tables->count; i++)
        xpd_data_table_json(&w, &tables->table[i]);
    if (!tables->alone)
        xpd_json_arr_end(&w);
}

int xpd_table_tool_json(const struct xpd_table_tool *tool, const struct xpd_tool_ctx *ctx,
                        struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_tables tables = {0};
    int rc = tool->make(ctx, &tables, err);
    if (rc == XPD_OK)
        write_json(&out->body, &tables);
    return rc;
}

/* As XProf names it: TAG_RUN_HOST.csv, of the run and the host only what names may hold. */
static const char *file_name(const struct xpd_table_tool *tool, const struct xpd_tool_ctx *ctx)
{
    struct xpd_str host = xpd_param_text(ctx, "host");
    struct xpd_strbuf text = {0};
    xpd_strbuf_printf(&text, "%s_%s", tool->tag, ctx->run->entry->id);
    for (size_t i = host.size; i > 0; i--)
        if (host.data[i - 1] == '-') { /* the part after the last '-' */
            host = (struct xpd_str){host.data + i, host.size - i};
            break;
        }
    if (host.size)
        xpd_strbuf_printf(&text, "_%.*s", (int)host.size, host.data);
    for (size_t i = 0; i < text.size; i++)
        if (!((text.data[i] >= '0' && text.data[i] <= '9') ||
              (text.data[i] >= 'a' && text.data[i] <= 'z') ||
              (text.data[i] >= 'A' && text.data[i] <= 'Z') || text.data[i] == '-'))
            text.data[i] = '_';
    xpd_strbuf_puts(&text, ".csv");
    const char *kept = text.failed ? NULL : xpd_arena_strndup(ctx->arena, text.data, text.size);
    xpd_strbuf_fini(&text);
    return kept ? kept : "table.csv";
}

int xpd_table_tool_csv(const struct xpd_table_tool *tool, const struct xpd_tool_ctx *ctx,
                       struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_tables tables = {0};
    int rc = tool->make(ctx, &tables, err);
    if (rc != XPD_OK)
        return rc;
    if (tables.count == 0)
        return xpd_fail(err, XPD_EINVAL, "tag", XPD_NO_OFFSET, "%s has no table to write as CSV",
                        tool->tag);
    xpd_data_table_csv(&out->body, &tables.table[0]);
    out->type = XPD_BODY_CSV;
    out->file_name = file_name(tool, ctx);
    return XPD_OK;
}
