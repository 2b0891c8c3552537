/* Encoding of the values of each element type in a LiteralProto. */
#include "value_kinds.h"

#include <stddef.h>

/* Types of a byte or less lie in byte fields, one value a byte. */
static const struct xpd_value_kind kinds[] = {
    {1, 2, XPD_VALUE_BOOL_VARINT, 0, 0, 0, false, 0, 0, 0, 0},
    {4, 4, XPD_VALUE_INT_VARINT, 4, 0, 0, false, 0, 0, 0, 0},
    {5, 5, XPD_VALUE_INT_VARINT, 8, 0, 0, false, 0, 0, 0, 0},
    {8, 6, XPD_VALUE_UINT_VARINT, 4, 0, 0, false, 0, 0, 0, 0},
    {9, 7, XPD_VALUE_UINT_VARINT, 8, 0, 0, false, 0, 0, 0, 0},
    {6, 3, XPD_VALUE_UINT_BYTES, 1, 0, 0, false, 0, 0, 0, 0},
    {2, 15, XPD_VALUE_INT_BYTES, 1, 0, 0, false, 0, 0, 0, 0},
    {7, 16, XPD_VALUE_UINT_BYTES, 2, 0, 0, false, 0, 0, 0, 0},
    {3, 17, XPD_VALUE_INT_BYTES, 2, 0, 0, false, 0, 0, 0, 0},
    {21, 21, XPD_VALUE_INT_BYTES, 1, 0, 0, false, 0, 0, 0, 0},
    {22, 22, XPD_VALUE_UINT_BYTES, 1, 0, 0, false, 0, 0, 0, 0},
    {26, 26, XPD_VALUE_INT_BYTES, 1, 0, 0, false, 0, 0, 0, 0},
    {27, 27, XPD_VALUE_UINT_BYTES, 1, 0, 0, false, 0, 0, 0, 0},
    {30, 30, XPD_VALUE_INT_BYTES, 1, 0, 0, false, 0, 0, 0, 0},
    {31, 31, XPD_VALUE_UINT_BYTES, 1, 0, 0, false, 0, 0, 0, 0},
    {11, 8, XPD_VALUE_REAL_BYTES, 4, 6, 9, false, 0, 0, 0, 0},
    {12, 9, XPD_VALUE_REAL_BYTES, 8, 15, 17, false, 0, 0, 0, 0},
    {15, 12, XPD_VALUE_REAL_BYTES, 4, 6, 9, true, 0, 0, 0, 0},
    {18, 18, XPD_VALUE_REAL_BYTES, 8, 15, 17, true, 0, 0, 0, 0},
    {10, 11, XPD_VALUE_SMALL_REAL, 2, 5, 5, false, 5, 10, 15, 'i'},
    {16, 13, XPD_VALUE_SMALL_REAL, 2, 4, 4, false, 8, 7, 127, 'i'},
    {19, 19, XPD_VALUE_SMALL_REAL, 1, 2, 2, false, 5, 2, 15, 'i'},
    {20, 20, XPD_VALUE_SMALL_REAL, 1, 3, 3, false, 4, 3, 7, 'n'},
    {23, 23, XPD_VALUE_SMALL_REAL, 1, 3, 3, false, 4, 3, 11, 'z'},
    {24, 24, XPD_VALUE_SMALL_REAL, 1, 2, 2, false, 5, 2, 16, 'z'},
    {25, 25, XPD_VALUE_SMALL_REAL, 1, 3, 3, false, 4, 3, 8, 'z'},
    {28, 28, XPD_VALUE_SMALL_REAL, 1, 3, 3, false, 4, 3, 7, 'i'},
    {29, 29, XPD_VALUE_SMALL_REAL, 1, 3, 3, false, 3, 4, 3, 'i'},
    {32, 32, XPD_VALUE_SMALL_REAL, 1, 2, 2, false, 2, 1, 1, 'f'},
    {33, 33, XPD_VALUE_SMALL_REAL, 1, 2, 2, false, 8, 0, 127, 'e'},
};

const struct xpd_value_kind *xpd_value_kind_of(int32_t type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}
