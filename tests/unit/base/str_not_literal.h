/* Must not compile: XPD_STR of a pointer has the pointer's size (unit_base_str_not_literal). */
#include "xprofd/base/str.h"

static inline struct xpd_str no_literal(bool yes)
{
    return XPD_STR(yes ? "yes" : "no");
}
