/* What XProf's "timeline" link shows. XProf answers a page whose drawing scripts come from the
 * internet; this one is a plain table of the same boxes (offset, size, first and last step),
 * readable without a script. The drawn map is in xprofd's own page. */
#include "compat.h"
#include "memory_json.h"
#include "xprofd/base/markup.h"

static void row(struct xpd_strbuf *out, struct xpd_compat_json *j, const struct xpd_xprof_block *b)
{
    const struct xpd_mem_buffer *buffer = &j->mem->buffer[b->buffer];
    xpd_strbuf_printf(out, "<tr><td>%lld<td>", (long long)j->hlo->buffers.id[b->buffer]);
    xpd_markup_put(out, xpd_compat_name(j, b->buffer));
    xpd_strbuf_puts(out, "<td>");
    xpd_markup_put(out, xpd_compat_shape(j, buffer));
    xpd_strbuf_printf(out, "<td>%lld<td>%lld<td>%lld<td>%d<td>%d\n", (long long)b->size_bytes,
                      (long long)buffer->xprof_unpadded_bytes, (long long)b->offset_bytes,
                      b->start_step, b->end_step);
}

int xpd_compat_memory_timeline(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                               struct xpd_err *err)
{
    struct xpd_compat_memory memory;
    int rc = xpd_compat_open_memory(ctx, &memory, out, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_compat_json j;
    xpd_compat_json_init(&j, &memory, ctx->arena);
    out->type = XPD_BODY_HTML;
    struct xpd_strbuf *body = &out->body;
    xpd_strbuf_puts(body,
                    "<!doctype html><html lang=en><meta charset=utf-8><title>Memory allocation "
                    "timeline</title><h1>Memory allocation timeline of ");
    xpd_markup_put(body, xpd_hlo_text(memory.hlo, memory.hlo->name));
    xpd_strbuf_puts(body, "</h1>\n");
    if (memory.numbers.block_count == 0) {
        xpd_strbuf_printf(body,
                          "<p>No timeline: this module has no heap trace in memory space %lld.\n",
                          (long long)memory.color);
    } else {
        xpd_strbuf_puts(body, "<p>Boxes in file order; the drawn map is on xprofd's Memory page.\n"
                              "<table><tr><th>buffer_id<th>hlo_op<th>shape<th>size<th>unpadded_size"
                              "<th>offset<th>first step<th>last step\n");
        for (uint32_t i = 0; i < memory.numbers.block_count; i++)
            if (memory.numbers.block[i].buffer != XPD_NO_INDEX)
                row(body, &j, &memory.numbers.block[i]);
        xpd_strbuf_puts(body, "</table>\n");
    }
    xpd_compat_json_fini(&j);
    return XPD_OK;
}
