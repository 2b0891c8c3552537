/* In no circle, though it leads into two: what circles.txt allows of it is not needed. */
#include "uses.h"

int xpd_above(int n)
{
    return n > 0 ? xpd_first(n - 1) + xpd_allowed(n - 1) : 0;
}
