/* Escaping of text for markup. */
#ifndef XPROFD_BASE_MARKUP_H
#define XPROFD_BASE_MARKUP_H

#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

/* & < > and " as references; all else as it is. For HTML, XML and what Graphviz calls HTML. */
void xpd_markup_putc(struct xpd_strbuf *out, char c);
void xpd_markup_put(struct xpd_strbuf *out, struct xpd_str text);

#endif
