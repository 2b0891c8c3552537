/* The order of texts with numbers in them: fusion.2 before fusion.10; a1 and a01 are equal. */
#ifndef XPROFD_BASE_NATURAL_H
#define XPROFD_BASE_NATURAL_H

#include "xprofd/base/arena.h"
#include "xprofd/base/intern.h"
#include "xprofd/base/strbuf.h"

/* Adds the key of a text: xpd_str_order of two keys is this order of their texts. */
void xpd_natural_key(struct xpd_strbuf *out, struct xpd_str text);
/* By text of the table: its place, from 0, among those that differ in this order. Kept in `arena`,
 * as is what is needed meanwhile; NULL without memory. */
uint32_t *xpd_natural_ranks(const struct xpd_intern *texts, struct xpd_arena *arena);

#endif
