/* The recorded sets: each lists the modules that XProf listed, and dumps show what failed. */
#include "session_test.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *shared;

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 65536);
    if (file) {
        size_t size = fread(text, 1, 65535, file);
        fclose(file);
        text[size] = '\0';
    } else {
        free(text);
        text = NULL;
    }
    return text;
}

/* XProf joins with "," and no space. */
static void check_modules(const char *set, const struct xpd_run *run)
{
    char path[4096], keys[65536] = "";
    snprintf(path, sizeof path, "%s/%s/xprof/%s/module_list.txt", shared, set, run->entry->id);
    char *want = read_text(path);
    if (!want)
        fail_msg("%s is missing", path);
    size_t used = 0;
    for (uint32_t i = 0; i < run->module_count; i++)
        used += (size_t)snprintf(keys + used, sizeof keys - used, "%s%s", i ? "," : "",
                                 run->module[i].key);
    if (strcmp(want, "NO_MODULE") == 0)
        want[0] = 0; /* its word for a profile without programs */
    if (strcmp(set, "mlp_train_truncated") == 0) {
        assert_string_equal(want, ""); /* XProf cannot read the cut file */
        assert_int_equal(run->module_count, 10);
    } else if (strcmp(keys, want) != 0) {
        fail_msg("%s: %s, XProf lists %s", set, keys, want);
    }
    free(want);
}

static void check_run(const char *set, struct xpd_store *store, const char *id)
{
    const struct xpd_run *run = st_acquire(store, id);
    bool tpu = strncmp(set, "tpu", 3) == 0, gpu = strncmp(set, "gpu", 3) == 0;
    uint32_t module;
    struct xpd_err err = {0};
    check_modules(set, run);
    if (run->module_count > 0 || tpu || gpu)
        assert_string_equal(run->platform, tpu ? "tpu" : gpu ? "gpu" : "cpu");
    int rc = xpd_store_default_module(store, run, &module, &err);
    if (rc != (run->module_count ? XPD_OK : XPD_ENOTFOUND))
        fail_msg("%s: %s", set, err.text);
    xpd_store_release(store, run);
}

static void test_module_lists(void **state)
{
    (void)state;
    if (!shared)
        skip();
    DIR *dir = opendir(shared);
    struct dirent *entry;
    int sets = 0;
    while ((entry = readdir(dir)) != NULL) {
        char root[4096];
        snprintf(root, sizeof root, "%s/%s/logdir", shared, entry->d_name);
        struct xpd_catalog *catalog = st_scan(root);
        bool is_set = !catalog->root_problem && entry->d_name[0] != '.';
        if (is_set) {
            struct xpd_store *store = st_open(root, 0);
            for (uint32_t i = 0; i < catalog->run_count; i++)
                check_run(entry->d_name, store, catalog->run[i].id);
            xpd_store_close(store);
            sets++;
        }
        xpd_catalog_release(catalog);
    }
    closedir(dir);
    assert_true(sets >= 28);
}

static void test_whole_tree(void **state)
{
    (void)state;
    if (!shared)
        skip();
    struct xpd_catalog *catalog = st_scan(shared);
    assert_non_null(xpd_catalog_find(catalog, XPD_STR("tpu_padded_oom/logdir/aot")));
    assert_non_null(xpd_catalog_find(catalog, XPD_STR("tpu_padded_oom/xla/xla_dump")));
    assert_non_null(xpd_catalog_find(catalog, XPD_STR("broken")));
    for (uint32_t i = 1; i < catalog->run_count; i++)
        assert_true(strcmp(catalog->run[i - 1].id, catalog->run[i].id) > 0);
    assert_false(catalog->stopped_at_limit);
    xpd_catalog_release(catalog);
}

static void test_failed_dump(void **state)
{
    (void)state;
    if (!shared)
        skip();
    static const struct {
        const char *folder, *id, *module;
    } dump[] = {
        {"tpu_padded_oom/xla", "xla_dump", "jit_padded_step"},
        {"tpu_transformer_oom/xla", "xla_dump", "jit_train_step"},
        {"tpu_vmem_oom/xla", "xla_dump", "jit_too_big"},
    };
    for (size_t i = 0; i < sizeof dump / sizeof *dump; i++) {
        char root[4096];
        snprintf(root, sizeof root, "%s/%s", shared, dump[i].folder);
        struct xpd_store *store = st_open(root, 0);
        const struct xpd_run *run = st_acquire(store, dump[i].id);
        assert_int_equal(run->module_count, 1);
        assert_string_equal(run->module[0].name, dump[i].module);
        assert_true(run->module[0].failed_to_compile);
        assert_non_null(strstr(run->error_text, "RESOURCE_EXHAUSTED"));
        assert_int_equal(run->capacity_bytes,
                         -1); /* for the tools: tools/common/common_capacity.c */
        assert_string_equal(run->platform, "tpu");
        assert_int_equal(run->entry->kind, XPD_RUN_DUMP);
        xpd_store_release(store, run);
        xpd_store_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_module_lists),
        cmocka_unit_test(test_whole_tree),
        cmocka_unit_test(test_failed_dump),
    };
    shared = st_shared();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
