/* Uses the other, which uses this: circles.txt allows it. */
#include "uses.h"

int xpd_allowed(int n)
{
    return n > 0 ? xpd_other(n - 1) : 0;
}
