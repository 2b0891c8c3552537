/* graph_viewer's format=html: one page that shows the DOT text as it is, to copy into any Graphviz.
 * XProf's page loads Graphviz from the internet and puts the text inside a script, where the name
 * of an operation can become code; here it is data, and there is no script at all. */
#include "graph_viewer.h"

#include "xprofd/base/markup.h"

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

void xpd_compat_graph_html(struct xpd_str node, struct xpd_str module, const struct xpd_strbuf *dot,
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
