/* POST /api/v1/paste: the one request that brings something, an HLO module in text that is kept in
 * memory (session/store.h). */
#ifndef XPROFD_SRC_SERVER_PASTE_H
#define XPROFD_SRC_SERVER_PASTE_H

#include "front.h"
#include "router.h"

struct xpd_pasting { /* of a request; any header may be NULL */
    const char *method, *origin, *fetch_site, *type, *length, *encoding;
};

/* Whether the request is for this route, with any method. */
bool xpd_paste_is(const struct xpd_front *front, const char *target);
/* False: *out has the reason. Otherwise *size is the size of the body. */
bool xpd_paste_takes(const struct xpd_front *front, const struct xpd_asked *asked,
                     const struct xpd_pasting *pasting, size_t *size, struct xpd_response *out);
/* Keeps the text: 201 with its run. */
void xpd_paste_respond(const struct xpd_site *site, struct xpd_str text, struct xpd_response *out);

#endif
