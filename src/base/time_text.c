/* Spans of time for people. In: picoseconds. Out: text with a unit. */
#include "xprofd/base/time_text.h"

#include <math.h>
#include <stdio.h>

const char *xpd_time_text(char out[XPD_TIME_TEXT_BYTES], double ps)
{
    static const struct {
        double ps;
        const char *word;
    } unit[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "µs"}, {1e3, "ns"}};
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        if (fabs(ps) >= 0.99995 * unit[i].ps) { /* not "1000.0 µs" */
            snprintf(out, XPD_TIME_TEXT_BYTES, "%.1f %s", ps / unit[i].ps, unit[i].word);
            return out;
        }
    snprintf(out, XPD_TIME_TEXT_BYTES, "%.0f ps", ps);
    return out;
}
