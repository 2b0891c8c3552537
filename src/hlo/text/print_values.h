/* The values of a literal, to be printed one by one. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_PRINT_VALUES_H
#define XPROFD_SRC_HLO_PRINT_VALUES_H

#include "print_internal.h"
#include "value_kinds.h"

struct xpd_values {
    const struct xpd_value_kind *kind; /* NULL: not known */
    const int64_t *integer;            /* the varint kinds */
    const uint8_t *bytes;              /* the others */
    uint64_t count;                    /* values there are */
    const struct xpd_shape *shape;     /* NULL: in order of indices */
    const uint64_t *stride;            /* of each dimension of the shape, else */
};

struct xpd_values xpd_read_values(struct xpd_print *p, const struct xpd_shape *shape,
                                  const struct xpd_raw *literal);
/* Elements of the shape; UINT64_MAX: more than that. */
uint64_t xpd_values_of(const struct xpd_shape *shape);
/* Whether the file has the index-th value, counted by the indices. */
bool xpd_value_is_there(const struct xpd_values *values, uint64_t index);
/* The value, or the text of xpd_put_missing. */
void xpd_put_value(struct xpd_strbuf *out, const struct xpd_values *values, uint64_t index,
                   const struct xpd_shape *shape);
void xpd_put_missing(struct xpd_strbuf *out, const struct xpd_values *values,
                     const struct xpd_shape *shape);

#endif
