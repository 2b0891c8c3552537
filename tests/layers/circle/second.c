/* See first.c. */
#include "uses.h"

int xpd_second(int n)
{
    return n > 0 ? xpd_third(n - 1) : 0;
}
