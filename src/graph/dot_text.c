/* Texts of a program inside HTML-like labels of Graphviz: nothing in them is markup. */
#include "dot_parts.h"

#include <string.h>

void xpd_dot_quoted(struct xpd_strbuf *out, struct xpd_str text)
{
    while (text.size > 0) {
        const char *slash = memchr(text.data, '\\', text.size);
        size_t size = slash ? (size_t)(slash - text.data) : text.size;
        xpd_markup_put(out, (struct xpd_str){text.data, size});
        if (slash)
            xpd_strbuf_puts(out, "&#92;");
        size += slash != NULL;
        text.data += size;
        text.size -= size;
    }
}
