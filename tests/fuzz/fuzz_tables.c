/* XProf's tables on an XSpace of any bytes, as JSON and as CSV: an answer is JSON that parses, or
 * an error that bad input may have. The input is that of fuzz_trace. */
#include "ask_run.h"

#define TABLE(symbol) #symbol,
static const char *const symbols[] = {
#include "compat/tables/tables.def"
};
#undef TABLE

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char prefix[] = "xpd_table_"; /* the tag follows */
    const struct xpd_run *run = NULL;
    struct xpd_load_state state;
    struct xpd_store_stats stats;
    struct xpd_err err = {0};
    char id[64], query[128];
    put_run("m.xplane.pb", data, size, id);
    MUST(xpd_store_acquire(store, xpd_str_of(id), -1, &run, &state, &err) == XPD_OK);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        MUST(strncmp(symbols[i], prefix, sizeof prefix - 1) == 0);
        snprintf(query, sizeof query, "tag=%s", symbols[i] + sizeof prefix - 1);
        ask("/data", id, query);
        ask("/data_csv", id, query);
    }
    ask("/run_tools", id, "");
    xpd_store_release(store, run);
    xpd_store_stats(store, &stats);
    MUST(stats.runs_held == 0);
    return 0;
}
