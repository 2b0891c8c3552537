/* What was put into the text of an explanation, as JSON. */
#include "explain.h"

/* A buffer that nothing was put into has no bytes. */
static struct xpd_str scratch_of(const struct xpd_explaining *e)
{
    return e->text.size ? (struct xpd_str){e->text.data, e->text.size} : XPD_STR("");
}

void xpd_explain_ktext(struct xpd_explaining *e, const char *key)
{
    xpd_json_kstr(e->w, key, scratch_of(e));
    xpd_strbuf_clear(&e->text);
}

void xpd_explain_words(struct xpd_explaining *e)
{
    xpd_json_str(e->w, scratch_of(e));
    xpd_strbuf_clear(&e->text);
}
