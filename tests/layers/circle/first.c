/* Uses the second, which uses the third, which uses this: a circle that nothing allows. */
#include "uses.h"

int xpd_first(int n)
{
    return n > 0 ? xpd_second(n - 1) : 0;
}
