/* Bytes as text of 64 letters (RFC 4648, with padding): for what must not break out of the text
 * around it. */
#ifndef XPROFD_BASE_BASE64_H
#define XPROFD_BASE_BASE64_H

#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

void xpd_base64_add(struct xpd_strbuf *out, const void *bytes, size_t size);
/* How many letters that is. */
size_t xpd_base64_size(size_t size);
/* Back: at most 3 bytes for 4 letters, and 3 more. Padding may be left out. False for any other
 * letter. */
bool xpd_base64_read(uint8_t *out, size_t *size, struct xpd_str text);

#endif
