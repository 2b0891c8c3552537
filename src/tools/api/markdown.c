/* The reference of a route: its section of docs/API.md. */
#include "xprofd/tools/api.h"

#include <inttypes.h>
#include <stdio.h>

static const char *param_type(const struct xpd_param_spec *spec)
{
    switch (spec->type) {
    case XPD_PARAM_INT: return "integer";
    case XPD_PARAM_SIZE: return "bytes";
    case XPD_PARAM_DOUBLE: return "number";
    case XPD_PARAM_ENUM: return "word";
    case XPD_PARAM_CHIP: return "chip";
    case XPD_PARAM_REFUSED: return "refused";
    default: return "text";
    }
}

/* "200", "1 to 10,000": what a number may be. */
static void put_limits(struct xpd_strbuf *out, const struct xpd_param_spec *spec)
{
    bool number = spec->type == XPD_PARAM_INT || spec->type == XPD_PARAM_SIZE;
    if (number && spec->max < UINT32_MAX)
        xpd_strbuf_printf(out, " %" PRId64 " to %" PRId64, spec->min, spec->max);
    else if (number && spec->min > INT64_MIN)
        xpd_strbuf_printf(out, " from %" PRId64, spec->min);
}

static void put_param_words(struct xpd_strbuf *out, const char *words)
{
    for (const char *at = words; *at;) {
        size_t size = strcspn(at, " ");
        xpd_strbuf_printf(out, "%s`%.*s`", at == words ? "" : ", ", (int)size, at);
        at += size + strspn(at + size, " ");
    }
}

static void put_param(struct xpd_strbuf *out, const struct xpd_param_spec *spec)
{
    xpd_strbuf_printf(out, "| `%s` | ", spec->name);
    if (spec->type == XPD_PARAM_ENUM) {
        put_param_words(out, spec->words);
    } else {
        xpd_strbuf_puts(out, param_type(spec));
        put_limits(out, spec);
    }
    xpd_strbuf_puts(out, " | ");
    if (spec->required)
        xpd_strbuf_puts(out, "required");
    else if (spec->type == XPD_PARAM_INT && spec->fallback != 0)
        xpd_strbuf_printf(out, "%" PRId64, spec->fallback);
    else if (spec->type == XPD_PARAM_ENUM)
        xpd_strbuf_printf(out, "`%.*s`", (int)strcspn(spec->words, " "), spec->words);
    xpd_strbuf_printf(out, " | %s |\n", spec->help);
}

static void put_params(struct xpd_strbuf *out, const struct xpd_tool *tool)
{
    if (!tool->params || !tool->params[0].name) {
        xpd_strbuf_puts(out, "\nNo parameters of its own.\n");
        return;
    }
    xpd_strbuf_puts(out, "\n| parameter | type | default | meaning |\n|---|---|---|---|\n");
    for (const struct xpd_param_spec *spec = tool->params; spec->name; spec++)
        put_param(out, spec);
}

static const char *single_type(enum xpd_kind kind)
{
    switch (kind) {
    case XPD_BOOL:
    case XPD_FLAG: return "boolean";
    case XPD_BIG:
    case XPD_ID: return "decimal string";
    case XPD_REAL: return "number";
    case XPD_TEXT:
    case XPD_STRING: return "text";
    case XPD_NAME: return "name";
    default: return "integer";
    }
}

static void put_type(struct xpd_strbuf *out, const struct xpd_record_field *field)
{
    switch (field->kind) {
    case XPD_WORD: put_param_words(out, field->words); break;
    case XPD_OBJECT: xpd_strbuf_puts(out, "object"); break;
    case XPD_COLUMNS:
    case XPD_INLINE: xpd_strbuf_puts(out, "columns"); break;
    case XPD_LIST: xpd_strbuf_puts(out, "list of objects"); break;
    case XPD_VALUES: xpd_strbuf_printf(out, "list: %s", single_type(field->item)); break;
    default: xpd_strbuf_puts(out, single_type(field->kind)); break;
    }
    xpd_strbuf_puts(out, field->maybe ? ", null" : "");
}

#define PATH_BYTES 128

/* Fields of what is inside follow their field, with its key in front. */
static void put_fields(struct xpd_strbuf *out, const struct xpd_record *record, const char *path)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct xpd_record_field *field = &record->field[i];
        char inner[PATH_BYTES];
        if (field->kind != XPD_INLINE) {
            xpd_strbuf_printf(out, "| `%s%s` | ", path, field->key);
            put_type(out, field);
            xpd_strbuf_printf(out, " | %s | %s |\n", xpd_key_unit(field->key), field->help);
        } else {
            xpd_strbuf_printf(out, "| `%sn` | integer | | rows of the columns that follow |\n",
                              path);
        }
        bool list = field->kind == XPD_LIST;
        if (field->kind == XPD_INLINE)
            snprintf(inner, sizeof inner, "%s", path);
        else
            snprintf(inner, sizeof inner, "%s%s%s.", path, field->key, list ? "[]" : "");
        if (field->of)
            put_fields(out, field->of(), inner);
    }
}

void xpd_api_section(struct xpd_strbuf *out, const struct xpd_tool *tool)
{
    xpd_strbuf_printf(out, "## %s\n%s\n", tool->route, tool->title);
    if (tool->about)
        xpd_strbuf_printf(out, "\n%s\n", tool->about);
    put_params(out, tool);
    if (tool->content) {
        xpd_strbuf_puts(out, "\nAnswer: ");
        put_param_words(out, tool->content);
        xpd_strbuf_puts(out, ".\n");
        return;
    }
    xpd_strbuf_puts(out, "\n| field | type | unit | meaning |\n|---|---|---|---|\n");
    put_fields(out, tool->answer(), "");
}
