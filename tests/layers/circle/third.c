/* See first.c. */
#include "uses.h"

int xpd_third(int n)
{
    return n > 0 ? xpd_first(n - 1) : 0;
}
