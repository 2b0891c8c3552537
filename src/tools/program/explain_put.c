/* Texts of an explanation, from the scratch to the request's arena. */
#include "explain.h"

struct xpd_str xpd_explain_keep(struct xpd_explaining *e)
{
    return xpd_strbuf_keep(&e->text, e->ctx->arena);
}
