/* Sentences about the parts of an instruction. Private to src/explain. */
#ifndef XPROFD_SRC_EXPLAIN_WORDS_H
#define XPROFD_SRC_EXPLAIN_WORDS_H

#include "xprofd/explain/parts.h"

/* Appends the sentence of an attribute; its label. */
const char *xpd_words_attribute(struct xpd_strbuf *out, const struct xpd_hlo_line *line,
                                const struct xpd_line_attribute *attribute,
                                const struct xpd_explain_from *from, struct xpd_arena *arena);
/* The first computation the instruction calls, or XPD_NO_INDEX. */
uint32_t xpd_words_body(const struct xpd_explain_from *from);
/* Sentences about a shape. */
void xpd_words_type(struct xpd_strbuf *out, const struct xpd_shape *shape);
void xpd_words_dims(struct xpd_strbuf *out, const struct xpd_shape *shape);
void xpd_words_order(struct xpd_strbuf *out, const struct xpd_shape *shape);
void xpd_words_tiles(struct xpd_strbuf *out, const struct xpd_shape *shape);
void xpd_words_space(struct xpd_strbuf *out, int64_t space, const struct xpd_explain_from *from);
const char *xpd_words_space_name(const struct xpd_explain_from *from, int64_t space,
                                 char scratch[24]);

#endif
