/* The card of one buffer between its files. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_CARD_PARTS_H
#define XPROFD_SRC_TOOLS_MEMORY_CARD_PARTS_H

#include "../common/common.h"
#include "xprofd/tools/held.h"

struct xpd_card {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_mem_space *space; /* the one the buffer lies in */
    uint32_t index;                    /* of the buffer */
    const struct xpd_mem_buffer *buffer;
    uint32_t tenancy; /* first one, XPD_NO_INDEX = none */
    struct xpd_strbuf text;
};

void xpd_card_shape(struct xpd_jsonw *w, struct xpd_card *card);   /* shape, shape_words */
void xpd_card_padding(struct xpd_jsonw *w, struct xpd_card *card); /* padding */
/* life, uses, before, after, shares */
int xpd_card_life(struct xpd_jsonw *w, struct xpd_card *card, struct xpd_err *err);
void xpd_card_source(struct xpd_jsonw *w, struct xpd_card *card); /* source, links */
/* saving_bytes, peak_without_*, share_of_peak, equal */
int xpd_card_saving(struct xpd_jsonw *w, struct xpd_card *card, struct xpd_err *err);

/* Writes what card->text holds and empties it. */
static inline void xpd_card_text(struct xpd_jsonw *w, const char *key, struct xpd_card *card)
{
    xpd_json_kstr(w, key, (struct xpd_str){card->text.data, card->text.size});
    xpd_strbuf_clear(&card->text);
}

#endif
