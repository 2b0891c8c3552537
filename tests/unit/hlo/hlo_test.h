/* Helpers of the hlo tests: a frozen module from a builder, the text of a shape, shapes by hand. */
#ifndef TESTS_UNIT_HLO_TEST_H
#define TESTS_UNIT_HLO_TEST_H

#include "xprofd/hlo/module.h"

#include "../../support/hlo_builder.h"

/* Loads what the builder holds and checks that this works; free with xpd_hlo_free. */
struct xpd_hlo *ht_load(struct hb *hb);
/* Loads bytes; NULL when refused (err may be NULL). */
struct xpd_hlo *ht_load_bytes(const void *bytes, size_t size, struct xpd_err *err);
/* A module whose only instruction has this shape. */
struct xpd_hlo *ht_load_shape(const struct hb_shape *shape);
/* The text of a shape, in a static buffer. */
const char *ht_text(const struct xpd_shape *shape, bool with_layout);
/* How often a warning of this code was given. */
uint64_t ht_warned(const struct xpd_hlo *hlo, const char *code);
bool ht_is(const struct xpd_hlo *hlo, xpd_name_id id, const char *text);

/* An array shape by hand: dims, order (minor first) and up to three tiles, each ended by 0. */
struct ht_array {
    int32_t type;
    int64_t dims[6], minor[6];
    uint32_t rank;
    int64_t tiles[3][6];
    int64_t bits, tail;
};
/* Valid until the next call. */
const struct xpd_shape *ht_array(const struct ht_array *from);

#endif
