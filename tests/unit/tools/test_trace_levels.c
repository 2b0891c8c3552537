/* Live bytes by name of a real run of four chips: made once, kept beside the run, and as high as
 * the peaks that the memory analysis gives. */
#include "tool_call.h"

#include "tools/tables/tools_tables.h"
#include "tools/trace/memory_levels.h"

static const struct xpd_trace_levels *made(struct xpd_store *store, const struct xpd_run *run,
                                           uint32_t host)
{
    struct xpd_tool_ctx ctx = {.store = store, .run = run, .module = XPD_NO_INDEX};
    return xpd_table_made(&ctx, XPD_TABLE_LEVELS, host + 1, false);
}

static void levels_are_kept(void **state)
{
    (void)state;
    const char *root = shared_set("tpu-v6e-offload/logdir");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct xpd_catalog *catalog = xpd_store_catalog(store, 0);
    struct xpd_load_state load;
    const struct xpd_run *run;
    const struct xpd_trace *trace;
    const char *id = catalog->run[0].id;
    assert_int_equal(xpd_store_acquire(store, xpd_str_of(id), -1, &run, &load, NULL), XPD_OK);
    assert_null(made(store, run, 0));
    struct answer first, again;
    ask_ok(&first, store, "/api/v1/trace/memory", "run=%s&px=300", id);
    const struct xpd_trace_levels *levels = made(store, run, 0);
    assert_non_null(levels);
    assert_true(levels->program_count > 0);
    ask_ok(&again, store, "/api/v1/trace/memory", "run=%s&px=300", id);
    assert_ptr_equal(made(store, run, 0), levels);
    assert_int_equal(first.size, again.size);
    assert_memory_equal(first.body, again.body, first.size);
    print_message("live bytes by name: made %.2f ms, then %.2f ms\n", first.ms, again.ms);
    assert_int_equal(xpd_store_trace(store, run, 0, -1, &trace, &load, NULL), XPD_OK);
    for (uint32_t p = 0; p < levels->program_count; p++) {
        struct answer summary;
        int64_t most = -1;
        for (uint32_t i = 0; i < trace->name_count; i++)
            if (levels->name[i].program == p && levels->name[i].bytes > most)
                most = levels->name[i].bytes;
        ask_ok(&summary, store, "/api/v1/memory/summary", "run=%s&module=%s", id,
               run->module[levels->program[p].module].key);
        assert_int_equal(most, number_at(summary.json, "peak.held_bytes"));
        answer_free(&summary);
    }
    answer_free(&first);
    answer_free(&again);
    xpd_store_release(store, run);
    xpd_catalog_release(catalog);
    xpd_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
