/* How the values of a type lie in a LiteralProto, and how exactly XLA prints them: read by the
 * printer of literals and by their reader. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_VALUE_KINDS_H
#define XPROFD_SRC_HLO_VALUE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

enum xpd_value_how {
    XPD_VALUE_INT_VARINT,
    XPD_VALUE_UINT_VARINT,
    XPD_VALUE_BOOL_VARINT,
    XPD_VALUE_INT_BYTES,
    XPD_VALUE_UINT_BYTES,
    XPD_VALUE_REAL_BYTES,
    XPD_VALUE_SMALL_REAL
};

struct xpd_value_kind {
    int32_t type;
    uint32_t field;
    enum xpd_value_how how;
    uint32_t bytes; /* of one value; complex: of one part */
    int short_digits, digits;
    bool complex;
    int exponent_bits, mantissa_bits, bias; /* SMALL_REAL */
    char special; /* 'i': has inf and nan as IEEE; 'n': only nan (all ones); 'z': nan = minus zero;
                     'f': finite only; 'e': exponent only */
};

/* NULL: the type has no values that are known. */
const struct xpd_value_kind *xpd_value_kind_of(int32_t type);

#endif
