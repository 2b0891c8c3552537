/* The records that the answers of all tools are made of, the answers as types of the page, and the
 * page's sidebar. */
#include "xprofd/tools/api.h"

#include "../common/sidebar.h"

#include <ctype.h>

#define RECORDS_MAX 512 /* checked */

struct seen {
    const struct xpd_record *at[RECORDS_MAX];
    uint32_t count;
    void (*each)(void *self, const struct xpd_record *record);
    void *self;
};

static bool is_seen(const struct seen *seen, const struct xpd_record *record)
{
    for (uint32_t i = 0; i < seen->count; i++)
        if (seen->at[i] == record)
            return true;
    return false;
}

static void visit(struct seen *seen, const struct xpd_record *record)
{
    if (is_seen(seen, record) || seen->count == RECORDS_MAX)
        return;
    seen->at[seen->count++] = record;
    for (uint32_t i = 0; i < record->count; i++)
        if (record->field[i].of)
            visit(seen, record->field[i].of());
    seen->each(seen->self, record);
}

void xpd_api_each_record(void (*each)(void *self, const struct xpd_record *record), void *self)
{
    struct seen seen = {.each = each, .self = self};
    uint32_t count;
    const struct xpd_tool *const *tools = xpd_tools(&count);
    for (uint32_t i = 0; i < count; i++)
        if (tools[i]->answer)
            visit(&seen, tools[i]->answer());
}

void xpd_api_type_name(char out[80], const char *tag)
{
    size_t size = 0;
    bool upper = true;
    for (const char *at = strncmp(tag, "xpd_", 4) == 0 ? tag + 4 : tag; *at && size < 79; at++) {
        if (*at != '_')
            out[size++] = upper ? (char)toupper((unsigned char)*at) : *at;
        upper = *at == '_';
    }
    out[size] = '\0';
}

/* ---- types of the page ---- */

static const char head[] =
    "// Made from the declarations of the tools (src/tools): XPD_UPDATE=1 ctest -R "
    "unit_tools_api_doc "
    "writes it anew.\n"
    "\n"
    "export type Maybe<T> = T | null;\n"
    "/** An index into `names` of the same answer; 0 is \"\". */\n"
    "export type Name = number;\n"
    "/** A table: a column of `n` values for each field of a row. */\n"
    "export type Columns<Row> = { n: number } & { [Key in keyof Row]: Row[Key][] };\n";

static void put_words(struct xpd_strbuf *out, const char *words)
{
    for (const char *at = words; *at;) {
        size_t size = strcspn(at, " ");
        xpd_strbuf_printf(out, "%s'%.*s'", at == words ? "" : " | ", (int)size, at);
        at += size + strspn(at + size, " ");
    }
}

static void put_single(struct xpd_strbuf *out, const struct xpd_record_field *field,
                       enum xpd_kind kind)
{
    switch (kind) {
    case XPD_BOOL:
    case XPD_FLAG: xpd_strbuf_puts(out, "boolean"); break;
    case XPD_BIG:
    case XPD_ID:
    case XPD_TEXT:
    case XPD_STRING: xpd_strbuf_puts(out, "string"); break;
    case XPD_NAME: xpd_strbuf_puts(out, "Name"); break;
    case XPD_WORD: put_words(out, field->words); break;
    default: xpd_strbuf_puts(out, "number"); break;
    }
}

static void put_type(struct xpd_strbuf *out, const struct xpd_record_field *field)
{
    char name[80] = "";
    if (field->of)
        xpd_api_type_name(name, field->of()->name);
    xpd_strbuf_puts(out, field->maybe ? "Maybe<" : "");
    if (field->kind == XPD_OBJECT) {
        xpd_strbuf_puts(out, name);
    } else if (field->kind == XPD_COLUMNS) {
        xpd_strbuf_printf(out, "Columns<%s>", name);
    } else if (field->kind == XPD_LIST) {
        xpd_strbuf_printf(out, "%s[]", name);
    } else if (field->kind == XPD_VALUES) {
        put_single(out, field, field->item);
        xpd_strbuf_puts(out, "[]");
    } else {
        put_single(out, field, field->kind);
    }
    xpd_strbuf_puts(out, field->maybe ? ">" : "");
}

static bool has_names(const struct xpd_record *record)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct xpd_record_field *field = &record->field[i];
        if (field->kind == XPD_NAME || (field->kind == XPD_VALUES && field->item == XPD_NAME) ||
            (field->of && has_names(field->of())))
            return true;
    }
    return false;
}

static void put_interface(void *self, const struct xpd_record *record)
{
    struct xpd_strbuf *out = self;
    char name[80];
    xpd_api_type_name(name, record->name);
    xpd_strbuf_printf(out, "\nexport interface %s", name);
    for (uint32_t i = 0; i < record->count; i++) {
        if (record->field[i].kind != XPD_INLINE || !record->field[i].of)
            continue;
        xpd_api_type_name(name, record->field[i].of()->name);
        xpd_strbuf_printf(out, " extends Columns<%s>", name);
    }
    xpd_strbuf_puts(out, " {\n");
    for (uint32_t i = 0; i < record->count; i++) {
        const struct xpd_record_field *field = &record->field[i];
        if (field->kind == XPD_INLINE)
            continue;
        if (*field->help)
            xpd_strbuf_printf(out, "  /** %s */\n", field->help);
        xpd_strbuf_printf(out, "  %s: ", field->key);
        put_type(out, field);
        xpd_strbuf_puts(out, ";\n");
    }
    xpd_strbuf_puts(out, "}\n");
}

void xpd_api_types(struct xpd_strbuf *out)
{
    uint32_t count;
    const struct xpd_tool *const *tools = xpd_tools(&count);
    xpd_strbuf_puts(out, head);
    xpd_api_each_record(put_interface, out);
    xpd_strbuf_puts(
        out, "\n/** The answer of each route below /api/v1/. */\nexport interface Answers {\n");
    for (uint32_t i = 0; i < count; i++) {
        char name[80];
        if (!tools[i]->answer)
            continue;
        xpd_api_type_name(name, tools[i]->answer()->name);
        xpd_strbuf_printf(out, "  '%s': %s%s;\n", tools[i]->route + strlen("/api/v1/"), name,
                          has_names(tools[i]->answer()) ? " & { names: string[] }" : "");
    }
    xpd_strbuf_puts(out, "}\n");
}

/* ---- the sidebar ---- */

static const char from_sidebar[] =
    "// Made from src/tools/common/sidebar.def: XPD_UPDATE=1 ctest -R unit_tools_api_doc writes it "
    "anew.\n";

void xpd_api_sidebar(struct xpd_strbuf *out)
{
    xpd_strbuf_printf(out, "%s\nexport const SIDEBAR = [\n", from_sidebar);
#define PART_FIRST(title)
#define PART_LATER(title) "    part: '" #title "View',\n"
#define TOOL(id, title, shows, chunk, reason, stroke, icon)                                        \
    xpd_strbuf_puts(out, "  {\n    id: '" #id "',\n    title: '" #title "',\n    shows: '" shows   \
                         "',\n" PART_##chunk(title) "    stroke: " stroke ",\n    icon: '" icon    \
                                                    "',\n  },\n");
    XPD_SIDEBAR(TOOL)
#undef TOOL
    xpd_strbuf_puts(out, "] as const;\n");
}

void xpd_api_views(struct xpd_strbuf *out)
{
    xpd_strbuf_printf(out, "%s", from_sidebar);
#define VIEW_FIRST(id, title)
#define VIEW_LATER(id, title)              xpd_strbuf_puts(out, "export { " #title "View } from './" #id "';\n");
#define TOOL(id, title, shows, chunk, ...) VIEW_##chunk(id, title)
    XPD_SIDEBAR(TOOL)
#undef TOOL
}
