/* Regions of thread pools in XProf's picture, as XProf 2.24.2 drew each of these (trace_variants).
 */
#include "derive_space.h"
#include "xprofd/compat/viewer.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool put_region(void *user, const struct xpd_xprof_event *event)
{
    char *text = user;
    size_t used = strlen(text);
    if (xpd_str_eq(event->name, XPD_STR("ThreadpoolListener::Region")))
        snprintf(text + used, 100 - used, "%" PRId64 "+%" PRId64 " ", event->start_ps,
                 event->duration_ps);
    return true;
}

/* 'S' a start that names its consumer, 'n' one that does not, 'P' a stop, '.' nothing: one
 * picosecond apart, from `first` on. */
static void draws(const char *events, int64_t first_ps, const char *wanted)
{
    struct dspace d = {0};
    struct xpd_xprof *xprof;
    char text[100] = "";
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t start = dspace_name(&d, "ThreadpoolListener::StartRegion", NULL, NO_STATS);
    uint32_t stop = dspace_name(&d, "ThreadpoolListener::StopRegion", NULL, NO_STATS);
    dspace_line(&d, "pool", 1);
    for (int64_t i = 0; events[i]; i++) {
        const struct dstat consumer[] = {{"_ct", 15, NULL}, {"_c", i + 1, NULL}, {0}};
        if (events[i] != '.')
            dspace_event(&d, events[i] == 'P' ? stop : start, first_ps + i, 0,
                         events[i] == 'S' ? consumer : NO_STATS);
    }
    dspace_load(&d);
    for (int old = 0; old < 2; old++) {
        struct xpd_xprof_input input = {
            .trace = d.trace, .derived = d.derived, .flows = d.flows, .old = old};
        struct xpd_xprof_query query = {0};
        text[0] = 0;
        assert_int_equal(xpd_xprof_open(&xprof, &input, 0, NULL), XPD_OK);
        assert_int_equal(xpd_xprof_each(xprof, &query, put_region, text, NULL), XPD_OK);
        if (strcmp(text, wanted) != 0)
            fail_msg("%s: %s instead of %s", events, text, wanted);
        xpd_xprof_close(xprof);
    }
    dspace_free(&d);
}

static void regions(void **state)
{
    (void)state;
    draws("SP", 1, "1+1 ");
    draws("SPSP", 1, "1+1 3+1 ");
    draws("S..P", 1, "1+3 ");
    draws("SSPP", 1, "2+2 2+1 "); /* every stop from the last start */
    draws("SPPP", 1, "1+3 1+2 1+1 ");
    draws("SSPPSP", 1, "2+2 2+1 5+1 ");
    draws("PSP", 1, "2+1 ");
    draws("SPS", 1, "1+1 ");
    draws("nP", 1, "");
    draws("nPSP", 1, "3+1 ");
    draws("SnP", 1, "1+2 "); /* a start without a consumer is none */
    draws("SPnP", 1, "1+3 1+1 ");
    draws("SPSP", 0, "2+1 "); /* a start at time 0 is none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(regions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
