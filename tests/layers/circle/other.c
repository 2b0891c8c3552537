/* See allowed.c. */
#include "uses.h"

int xpd_other(int n)
{
    return n > 0 ? xpd_allowed(n - 1) : 0;
}
