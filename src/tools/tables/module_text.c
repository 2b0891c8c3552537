/* Attributes of single instructions. In: the bytes of a module. Out: texts in an arena. */
#include "module_text.h"

int xpd_module_text_open(struct xpd_module_text *text, const struct xpd_tool_ctx *ctx,
                         struct xpd_err *err)
{
    if (text->printer)
        return XPD_OK;
    int rc = xpd_store_module_bytes(ctx->store, ctx->run, ctx->module, &text->proto, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&text->printer, ctx->hlo, text->proto.at, text->proto.size, err);
    return rc;
}

void xpd_module_text_close(struct xpd_module_text *text)
{
    xpd_hlo_printer_free(text->printer);
    xpd_proto_bytes_free(&text->proto);
    *text = (struct xpd_module_text){0};
}

struct xpd_str xpd_module_attribute(struct xpd_hlo_printer *printer, uint32_t instruction,
                                    const char *key, struct xpd_arena *arena)
{
    struct xpd_strbuf text = {0};
    struct xpd_str rest, found = XPD_STR(""), name = xpd_str_of(key);
    xpd_hlo_print_attributes(printer, instruction, 0, '\n', &text);
    for (size_t at = 0; at < text.size; at += rest.size + 1) { /* each ends with a line break */
        rest = (struct xpd_str){text.data + at, text.size - at};
        const char *end = memchr(rest.data, '\n', rest.size);
        rest.size = end ? (size_t)(end - rest.data) : rest.size;
        if (!xpd_str_starts(rest, key) || rest.size == name.size || rest.data[name.size] != '=')
            continue;
        size_t size = rest.size - name.size - 1;
        const char *kept = xpd_arena_strndup(arena, rest.data + name.size + 1, size);
        found = kept ? (struct xpd_str){kept, size} : found;
        break;
    }
    xpd_strbuf_fini(&text);
    return found;
}
