/* Every trace tool on an XSpace of any bytes, from the file to the JSON: an answer is JSON that
 * parses, or an error that bad input may have. The input is that of fuzz_trace. */
#include "ask_run.h"

static void ask_trace(const char *tool, const char *run, const char *query)
{
    char route[64];
    snprintf(route, sizeof route, "/api/v1/trace/%s", tool);
    ask(route, run, query);
}

static const char *const questions[][2] = {
    {"rows", "derived=1"},
    {"window", ""},
    {"window", "px=3&rows=0,1,2-5"},
    {"window", "from=-9223372036854775808&to=9223372036854775807&px=1"},
    {"window", "from=9223372036854775806&to=9223372036854775807"},
    {"window", "from=0&to=1000&flat=1"},
    {"overview", "px=16"},
    {"totals", ""},
    {"totals", "by=category&clock=host&sort=p99"},
    {"totals", "by=module&clip=1&from=10&to=100000"},
    {"totals", "by=step&format=csv"},
    {"totals", "by=chip&from=5&to=5"},
    {"totals", "by=row&format=text&from=-9223372036854775808&to=0"},
    {"flame", ""},
    {"flame", "rows=0-3&from=1&to=100000"},
    {"search", "q=o&args=1&px=16"},
    {"search", "q=1&args=2&px=16"},
    {"search", "q=[a-d]=.*e&regex=1&args=2"},
    {"search", "q=.*e.*&regex=1&offset=3"},
    {"flows", ""},
    {"steps", ""},
    {"steps", "px=7&from=-9223372036854775808&to=9223372036854775807"},
    {"steps", "process=0&row=1&from=3&to=9&overlap=0&clock=host"},
    {"overlap", "from=1&to=100000"},
    {"overlap", "by=collective"},
    {"gaps", ""},
    {"gaps", "by=row&limit=3&from=-9223372036854775808&to=9223372036854775807"},
    {"gaps", "by=chip&process=0&from=5&to=5"},
    {"gaps", "rows=0-3&format=csv"},
    {"ops", "sort=lost"},
    {"ops", "percentiles=1&sort=p99_ps&order=asc&format=csv"},
    {"ops", "steps=0-9223372036854775807&group=scope&percentiles=1&format=text"},
    {"ops", "group=module&filter=self%3E0.1%25%7C-name:/e/%20avg%3C1s"},
    {"ops/tree", "by=program&px=1"},
    {"ops/tree", "by=source&px=100000&steps=1"},
    {"ops/one", "name=fusion"},
    {"ops/one", "name=dot.1&steps=0-3&format=csv"},
    {"export", "derived=1"},
    {"export", "from=0&to=5000&args=0"},
};
static const char *const about_event[][2] = {
    {"event", ""},
    {"same", ""},
    {"same", "&clock=host"},
    {"near", "&dir=next"},
    {"near", "&dir=previous&by=name"},
    {"near", "&dir=last&by=name"},
    {"flows", ""},
    {"collective", ""},
};

/* Some measured and some derived events. */
static void ask_events(const char *run, uint64_t measured, uint64_t all)
{
    const uint64_t event[] = {0, 1, measured / 2, measured - 1, measured, all - 1, all};
    for (size_t e = 0; e < sizeof event / sizeof *event; e++)
        for (size_t i = 0; i < sizeof about_event / sizeof *about_event; i++) {
            char query[128];
            snprintf(query, sizeof query, "event=%llu%s", (unsigned long long)event[e],
                     about_event[i][1]);
            ask_trace(about_event[i][0], run, query);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct xpd_run *run = NULL;
    const struct xpd_trace *trace = NULL;
    const struct xpd_derived *derived = NULL;
    struct xpd_load_state state;
    struct xpd_store_stats stats;
    struct xpd_err err = {0};
    char id[64];
    put_run("m.xplane.pb", data, size, id);
    int rc = xpd_store_acquire(store, xpd_str_of(id), -1, &run, &state, &err);
    MUST(rc == XPD_OK);
    bool loads = run->host_count > 0 &&
                 xpd_store_derived(store, run, 0, -1, &derived, NULL, &err) == XPD_OK &&
                 xpd_store_trace(store, run, 0, -1, &trace, NULL, &err) == XPD_OK;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        ask_trace(questions[i][0], id, questions[i][1]);
    if (loads)
        ask_events(id, trace->event_count, trace->event_count + derived->event_count);
    xpd_store_release(store, run);
    xpd_store_stats(store, &stats);
    MUST(stats.runs_held == 0);
    return 0;
}
