/* Text functions of the writer. */
#ifndef XPROFD_JSON_TEXT_H
#define XPROFD_JSON_TEXT_H

#include "xprofd/base/strbuf.h"

/* Nothing in it has to be escaped or looked at as UTF-8; `text` may be NULL when it is empty. */
bool xpd_json_is_plain(const char *text, size_t size);
/* Appends it with its quotes. */
void xpd_json_quote(struct xpd_strbuf *out, const char *text, size_t size);

#endif
