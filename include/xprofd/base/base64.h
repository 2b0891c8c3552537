/* Base64 (RFC 4648, with padding), for bytes inside other
 * text. */
#ifndef XPROFD_BASE_BASE64_H
#define XPROFD_BASE_BASE64_H

#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

void xpd_base64_add(struct xpd_strbuf *out, const void *bytes, size_t size);
/* Number of letters of the result. */
size_t xpd_base64_size(size_t size);
/* Decodes: `out` needs 3 bytes for every 4 letters, and 3 more. Padding is optional. False for any
 * other letter. */
bool xpd_base64_read(uint8_t *out, size_t *size, struct xpd_str text);

#endif
