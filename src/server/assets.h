/* The files of the page: those in the binary, or those of --web-dir. */
#ifndef XPROFD_SRC_SERVER_ASSETS_H
#define XPROFD_SRC_SERVER_ASSETS_H

#include "response.h"

struct xpd_asset { /* a row of the table that pack_assets writes; do not change one without the
                      other */
    const char *name;
    const char *tag;          /* ETag with its quotes */
    const unsigned char *raw; /* NULL: packed only */
    uint64_t raw_size;
    const unsigned char *gzip; /* NULL when it is not smaller */
    uint64_t gzip_size;
    const unsigned char *brotli; /* NULL when it is not a tenth smaller than gzip */
    uint64_t brotli_size;
};
_Static_assert(sizeof(struct xpd_asset) == 64, "pack_assets writes eight 8-byte words");

struct xpd_assets;

/* web_dir = NULL: those in the binary. Otherwise the folder is listed for each request, which picks
 * an entry of that list and never forms a path. XPD_ENOTFOUND when the folder has no index.html. */
int xpd_assets_open(struct xpd_assets **out, const char *web_dir, struct xpd_err *err);
void xpd_assets_close(struct xpd_assets *assets);
/* False when there is no such file. */
bool xpd_assets_respond(const struct xpd_assets *assets, struct xpd_str name,
                        const struct xpd_request_headers *headers, struct xpd_response *out);
/* A file of the page, appended to `out`; `assets` is a struct xpd_assets (tools/tool.h: page_file).
 */
int xpd_assets_file(void *assets, struct xpd_str name, struct xpd_strbuf *out, struct xpd_err *err);
const char *xpd_asset_type(const char *name);
/* "app.3FA9C07B.js": a hash of 8 or more hexadecimal or base32 digits before the ending. */
bool xpd_asset_is_hashed(const char *name);

#endif
