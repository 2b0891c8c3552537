/* Text inside markup. In: any bytes. Out: the same with what begins a tag or ends a value replaced.
 */
#include "xprofd/base/markup.h"

void xpd_markup_putc(struct xpd_strbuf *out, char c)
{
    switch (c) {
    case '&': xpd_strbuf_puts(out, "&amp;"); break;
    case '<': xpd_strbuf_puts(out, "&lt;"); break;
    case '>': xpd_strbuf_puts(out, "&gt;"); break;
    case '"': xpd_strbuf_puts(out, "&quot;"); break;
    default: xpd_strbuf_putc(out, c);
    }
}

void xpd_markup_put(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++)
        xpd_markup_putc(out, text.data[i]);
}
