/* The store: loads once, finds modules, notices changes, keeps to its budget. */
#include "session_test.h"

#include "../../support/vectors.h"
#include "../../support/xspace_wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

static void test_module(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "plugins/profile/s/h.xplane.pb", "V1", 77);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "s");
    assert_string_equal(st_keys(run), "V1(77)");
    assert_int_equal(run->module[0].program_id, 77);
    assert_string_equal(run->host[0].name, "h");
    assert_int_equal(run->warnings->count, 0);
    assert_false(run->has_events);
    const struct xpd_hlo *hlo = NULL, *again = NULL;
    const struct xpd_mem *mem = NULL;
    struct xpd_err err = {0};
    uint32_t module = 9;
    assert_int_equal(xpd_store_module(store, run, 0, &hlo, NULL, &err), XPD_OK);
    assert_int_equal(xpd_store_module(store, run, 0, &again, &mem, &err), XPD_OK);
    assert_ptr_equal(hlo, again);
    assert_non_null(mem);
    assert_int_equal(hlo->proto_bytes, run->module[0].proto_bytes);
    assert_int_equal(xpd_store_module(store, run, 1, &hlo, &mem, &err), XPD_ENOTFOUND);
    assert_int_equal(xpd_store_default_module(store, run, &module, &err), XPD_OK);
    assert_int_equal(module, 0);
    struct xpd_store_stats stats;
    xpd_store_stats(store, &stats);
    assert_int_equal(stats.loads, 1);
    assert_int_equal(stats.runs_held, 1);
    assert_true(stats.memory_bytes > xpd_hlo_memory_bytes(hlo));
    xpd_store_release(store, run);
    const struct xpd_run *second = st_acquire(store, "s");
    assert_ptr_equal(second, run); /* kept */
    xpd_store_release(store, second);
    xpd_store_stats(store, &stats);
    assert_int_equal(stats.loads, 1);
    assert_int_equal(stats.runs_held, 0);
    assert_int_equal(stats.runs_loaded, 1);
    xpd_store_close(store);
    st_remove(root);
}

static void test_hosts(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "run/b.xplane.pb", "V1", 1);
    st_profile(root, "run/a.xplane.pb", "V1", 1);
    st_profile(root, "run/c.xplane.pb", "V1", 2);
    st_text(root, "run/d.xplane.pb", "");
    st_text(root, "run/e.xplane.pb", "<html>no profile");
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "run");
    assert_int_equal(run->host_count, 5);
    assert_string_equal(run->host[0].name, "a");
    assert_string_equal(st_keys(run), "V1(1), V1(2)"); /* one name, two programs */
    assert_int_equal(run->module[0].host_count, 2);
    assert_int_equal(run->module[0].host[0], 0);
    assert_int_equal(run->module[0].host[1], 1);
    assert_int_equal(run->module[1].host[0], 2);
    assert_int_equal(run->host[3].error.code, XPD_EFORMAT);
    assert_non_null(strstr(run->host[3].error.text, "2 GB"));
    assert_non_null(strstr(run->host[4].error.text, "HTML page"));
    assert_int_equal(run->warnings->count, 1);
    assert_int_equal(run->warnings->item[0].count, 2);

    uint32_t module;
    struct xpd_err err = {0};
    assert_int_equal(xpd_run_find_module(run, XPD_STR("V1(2)"), &module, &err), XPD_OK);
    assert_int_equal(module, 1);
    assert_int_equal(xpd_run_find_module(run, XPD_STR("V1"), &module, &err), XPD_ENOTFOUND);
    assert_non_null(strstr(err.text, "V1(1), V1(2)"));
    assert_int_equal(xpd_run_find_module(run, XPD_STR("x"), &module, &err), XPD_ENOTFOUND);
    assert_non_null(strstr(err.text, "V1(1)"));
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

static const struct xpd_warning *warning_of(const struct xpd_run *run, const char *code)
{
    static const struct xpd_warning none = {.text = ""};
    for (uint32_t i = 0; i < run->warnings->count; i++)
        if (strcmp(run->warnings->item[i].code, code) == 0)
            return &run->warnings->item[i];
    return &none;
}

static const char *said(const struct xpd_run *run, const char *code)
{
    return warning_of(run, code)->text;
}

/* The profile of st_profile whose HLO has a field more. */
static void write_other(const char *root, const char *name)
{
    struct pbw hlo = {0}, space = {0};
    vec_find("V1")->build(&hlo);
    pbw_uint(&hlo, 1000, 7);
    xspace_wrap(&space, "V1", 1, &hlo);
    st_write(root, name, space.data, space.len);
    pbw_free(&hlo);
    pbw_free(&space);
}

/* Programs of one name and id that differ are one module, of the first host: the run says so. Only
 * beside a larger one that is alike it is no problem. */
static void test_unlike_programs(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "run/a.xplane.pb", "V1", 1);
    st_profile(root, "run/b.xplane.pb", "V1", 1);
    write_other(root, "run/c.xplane.pb");
    st_profile(root, "small/a.xplane.pb", "V1", 1);
    write_other(root, "small/b.xplane.pb");
    st_profile(root, "small/c.xplane.pb", "V5", 2);
    st_profile(root, "alike/a.xplane.pb", "V1", 1);
    st_profile(root, "alike/b.xplane.pb", "V1", 1);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "run");
    assert_string_equal(st_keys(run), "V1(1)");
    assert_int_equal(run->module[0].host_count, 3);
    assert_int_equal(run->module[0].unlike_host, 2);
    assert_string_equal(said(run, "unlike_programs"),
                        "The HLO of program V1(1) is not the same on host a and host c. That of a "
                        "is used for both; open the file of c alone to see its own.");
    assert_int_equal(warning_of(run, "unlike_programs")->severity, XPD_WARNING);
    xpd_store_release(store, run);
    run = st_acquire(store, "small");
    assert_true(run->module[0].proto_bytes != run->module[1].proto_bytes);
    assert_int_equal(warning_of(run, "unlike_programs")->severity, XPD_NOTE);
    xpd_store_release(store, run);
    run = st_acquire(store, "alike");
    assert_int_equal(run->module[0].unlike_host, XPD_NO_INDEX);
    assert_string_equal(said(run, "unlike_programs"), "");
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

static void test_dump(void **state)
{
    (void)state;
    char *root = st_folder();
    st_hlo(root, "x/module_0001.V1.after_optimizations.hlo.pb", "V1");
    st_hlo(root, "x/module_0002.V2.after_optimizations.hlo.pb", "V2");
    st_hlo(root, "x/V7(123).hlo_proto.pb", "V7");
    st_hlo(root, "x/same.hlo.pb", "V3");
    st_hlo(root, "x/same.hlo.pb.gz", "V4"); /* not gzip: read as it is */
    st_text(root, "error.txt", "RESOURCE_EXHAUSTED: HLO module: V2. Used more than V21.\n");
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "x");
    assert_string_equal(st_keys(run), "V7(123), module_0001.V1.after_optimizations, "
                                      "module_0002.V2.after_optimizations, same");
    assert_int_equal(run->module[0].program_id, 123);
    assert_string_equal(run->module[1].name, "V1");
    assert_false(run->module[1].failed_to_compile);
    assert_true(run->module[2].failed_to_compile);
    assert_non_null(strstr(run->error_text, "RESOURCE_EXHAUSTED"));
    uint32_t module;
    assert_int_equal(xpd_run_find_module(run, XPD_STR("V2"), &module, NULL), XPD_OK);
    assert_int_equal(module, 2);
    const struct xpd_mem *mem;
    struct xpd_err err = {0};
    assert_int_equal(xpd_store_module(store, run, module, NULL, &mem, &err), XPD_OK);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

/* A proto whose program tells no platform: the file's name does, as it does of the text beside it.
 */
static void test_platform_of_a_dump(void **state)
{
    (void)state;
    char *root = st_folder();
    st_hlo(root, "c/module_0001.V1.cpu_after_optimizations.hlo.pb", "V1");
    st_hlo(root, "g/module_0001.V1.sm_8.0_gpu_after_optimizations.hlo.pb", "V1");
    st_hlo(root, "n/V1(7).hlo_proto.pb", "V1");
    struct xpd_store *store = st_open(root, 0);
    static const char *const want[][2] = {{"c", "cpu"}, {"g", "gpu"}, {"n", ""}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct xpd_run *run = st_acquire(store, want[i][0]);
        assert_string_equal(run->platform, want[i][1]);
        xpd_store_release(store, run);
    }
    xpd_store_close(store);
    st_remove(root);
}

/* Two files of one stem are two modules. */
static void test_same_stem(void **state)
{
    (void)state;
    char *root = st_folder();
    st_hlo(root, "x/a.hlo_proto.pb", "V1");
    st_hlo(root, "x/b.hlo_proto.pb", "V1");
    st_profile(root, "y/h.xplane.pb", "V1", 5);
    st_hlo(root, "y/V1(5).hlo_proto.pb", "V1");
    st_hlo(root, "y/V1(6).hlo_proto.pb", "V1");
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "x");
    assert_string_equal(st_keys(run), "a, b");
    xpd_store_release(store, run);
    run = st_acquire(store, "y"); /* XProf's copy is not shown twice; what the profile lost is */
    assert_string_equal(st_keys(run), "V1(5), V1(6)");
    assert_int_equal(run->host_count, 2);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

/* A HloModuleProto without the HloProto around it. */
static void test_bare_module(void **state)
{
    (void)state;
    char *root = st_folder();
    st_hlo(root, "x/whole.hlo_proto.pb", "V1");
    char path[600];
    unsigned char bytes[100000];
    snprintf(path, sizeof path, "%s/x/whole.hlo_proto.pb", root);
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    size_t head = bytes[1] < 0x80 ? 2 : 3;
    size_t length = head == 2 ? bytes[1] : (size_t)(bytes[1] & 0x7F) | (size_t)bytes[2] << 7;
    assert_true(head + length <= size);
    unlink(path);
    st_write(root, "x/bare.hlo.pb", bytes + head, length);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "x");
    assert_string_equal(st_keys(run), "bare");
    const struct xpd_hlo *hlo;
    struct xpd_err err = {0};
    assert_int_equal(xpd_store_module(store, run, 0, &hlo, NULL, &err), XPD_OK);
    assert_true(xpd_str_eq(xpd_hlo_text(hlo, hlo->name), XPD_STR("V1")));
    assert_false(hlo->has_buffer_assignment);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

static void test_gzip(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "x/h.xplane.pb", "V1", 5);
    char from[600], to[620];
    unsigned char bytes[100000];
    snprintf(from, sizeof from, "%s/x/h.xplane.pb", root);
    snprintf(to, sizeof to, "%s.gz", from);
    FILE *file = fopen(from, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    gzFile packed = gzopen(to, "wb");
    assert_int_equal(gzwrite(packed, bytes, (unsigned)size), size);
    gzclose(packed);
    unlink(from);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "x");
    assert_string_equal(st_keys(run), "V1(5)");
    const struct xpd_mem *mem;
    assert_int_equal(xpd_store_module(store, run, 0, NULL, &mem, NULL), XPD_OK);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

static void test_changed(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "run/h.xplane.pb", "V1", 1);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *old = st_acquire(store, "run");
    st_profile(root, "run/h.xplane.pb", "V2", 2);
    struct xpd_err err = {0};
    const struct xpd_hlo *hlo;
    assert_int_equal(xpd_store_module(store, old, 0, &hlo, NULL, &err), XPD_ECHANGED);
    const struct xpd_run *fresh = st_acquire(store, "run");
    assert_ptr_not_equal(old, fresh);
    assert_string_equal(st_keys(fresh), "V2(2)");
    assert_string_equal(st_keys(old), "V1(1)"); /* the holder keeps what it had */
    assert_int_equal(xpd_store_module(store, fresh, 0, &hlo, NULL, &err), XPD_OK);
    xpd_store_release(store, old);

    /* a second host appears */
    st_profile(root, "run/i.xplane.pb", "V1", 1);
    xpd_catalog_release(xpd_store_catalog(store, 0));
    const struct xpd_run *both = st_acquire(store, "run");
    assert_string_equal(st_keys(both), "V1(1), V2(2)");
    xpd_store_release(store, fresh);
    xpd_store_release(store, both);

    /* and the run goes away */
    char path[600];
    snprintf(path, sizeof path, "%s/run/h.xplane.pb", root);
    unlink(path);
    snprintf(path, sizeof path, "%s/run/i.xplane.pb", root);
    unlink(path);
    const struct xpd_run *run;
    struct xpd_load_state load;
    assert_int_equal(xpd_store_acquire(store, XPD_STR("run"), -1, &run, &load, &err),
                     XPD_ENOTFOUND);
    assert_non_null(strstr(err.text, "\"run\" was deleted or moved while xprofd was running"));
    assert_int_equal(xpd_store_acquire(store, XPD_STR("never"), -1, &run, &load, &err),
                     XPD_ENOTFOUND);
    assert_non_null(strstr(err.text, "There is no run \"never\""));
    struct xpd_store_stats stats;
    xpd_store_stats(store, &stats);
    assert_int_equal(stats.runs_loaded, 0);
    assert_int_equal(stats.memory_bytes, 0);
    xpd_store_close(store);
    st_remove(root);
}

/* A session folder that lost its files is not one that never had any. */
static void test_emptied(void **state)
{
    (void)state;
    char *root = st_folder(), path[600];
    st_profile(root, "plugins/profile/was/h.xplane.pb", "V1", 1);
    st_mkdir(root, "plugins/profile/never");
    struct xpd_store *store = st_open(root, 0);
    xpd_store_release(store, st_acquire(store, "was"));
    snprintf(path, sizeof path, "%s/plugins/profile/was/h.xplane.pb", root);
    unlink(path);
    for (int round = 0; round < 2; round++) { /* also when it is looked at once more */
        xpd_catalog_release(xpd_store_catalog(store, 0));
        const struct xpd_run *was = st_acquire(store, "was"), *never = st_acquire(store, "never");
        struct xpd_err err = {0};
        assert_int_equal(xpd_run_no_modules(was, &err), XPD_ENOTFOUND);
        assert_non_null(strstr(err.text, "deleted or moved while xprofd was running"));
        assert_string_equal(was->warnings->item[0].code, "files_gone");
        assert_int_equal(xpd_run_no_modules(never, &err), XPD_ENOTFOUND);
        assert_non_null(strstr(err.text, "the profiler may have failed"));
        xpd_store_release(store, was);
        xpd_store_release(store, never);
        st_text(root, "plugins/profile/other/note.txt", "x");
    }
    xpd_store_close(store);
    st_remove(root);
}

static void test_generation(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "run/h.xplane.pb", "V1", 1);
    struct xpd_store *store = st_open(root, 0);
    struct xpd_catalog *one = xpd_store_catalog(store, 0), *two = xpd_store_catalog(store, 0);
    assert_ptr_equal(one, two); /* nothing new: the same catalog */
    st_profile(root, "run2/h.xplane.pb", "V1", 1);
    struct xpd_catalog *aged = xpd_store_catalog(store, 60000);
    assert_ptr_equal(aged, one);
    struct xpd_catalog *three = xpd_store_catalog(store, 0);
    assert_int_equal(three->generation, one->generation + 1);
    assert_int_equal(three->run_count, 2);
    xpd_catalog_release(one);
    xpd_catalog_release(two);
    xpd_catalog_release(aged);
    xpd_catalog_release(three);
    xpd_store_close(store);
    st_remove(root);
}

/* A second root: its runs have ids of their own, and are in no list. */
static void test_base_root(void **state)
{
    (void)state;
    char *root = st_folder(), *other = st_folder();
    st_profile(root, "run/h.xplane.pb", "V1", 1);
    st_profile(other, "run/h.xplane.pb", "V2", 2);
    struct xpd_store *store;
    struct xpd_store_options options = {.base_root = other};
    struct xpd_err err = {0};
    struct xpd_load_state load;
    const struct xpd_run *run;
    assert_int_equal(xpd_store_open(&store, root, &options, &err), XPD_OK);
    assert_string_equal(st_ids(xpd_store_base(store)), "base:run");
    struct xpd_catalog *listed = xpd_store_catalog(store, 0);
    assert_string_equal(st_ids(listed), "run");
    xpd_catalog_release(listed);
    const struct xpd_run *own = st_acquire(store, "run"), *base = st_acquire(store, "base:run");
    assert_string_equal(st_keys(own), "V1(1)");
    assert_string_equal(st_keys(base), "V2(2)");
    assert_string_equal(base->entry->id, "base:run");
    assert_string_equal(base->entry->name, "run");
    assert_int_equal(xpd_store_acquire(store, XPD_STR("base:other"), -1, &run, &load, &err),
                     XPD_ENOTFOUND);

    /* it is not scanned again: a changed file is noticed when it is read */
    xpd_store_release(store, base);
    st_profile(other, "run/h.xplane.pb", "V1", 3);
    base = st_acquire(store, "base:run");
    assert_string_equal(st_keys(base), "V2(2)");
    const struct xpd_hlo *hlo;
    assert_int_equal(xpd_store_module(store, base, 0, &hlo, NULL, &err), XPD_ECHANGED);
    xpd_store_release(store, base);
    xpd_store_release(store, own);
    xpd_store_close(store);

    /* a root that is not there is a catalog that says so */
    char nowhere[600];
    snprintf(nowhere, sizeof nowhere, "%s/nowhere", other);
    options.base_root = nowhere;
    assert_int_equal(xpd_store_open(&store, root, &options, &err), XPD_OK);
    assert_int_equal(xpd_store_base(store)->run_count, 0);
    assert_string_equal(xpd_store_base(store)->root_problem, "This path does not exist.");
    xpd_store_close(store);
    store = st_open(root, 0);
    assert_null(xpd_store_base(store));
    xpd_store_close(store);
    st_remove(root);
    st_remove(other);
}

/* A run that was not scanned yet is found by asking for it. */
static void test_brand_new(void **state)
{
    (void)state;
    char *root = st_folder();
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run;
    struct xpd_load_state load;
    struct xpd_err err = {0};
    assert_int_equal(xpd_store_acquire(store, XPD_STR("new"), 0, &run, &load, &err), XPD_ENOTFOUND);
    st_profile(root, "new/h.xplane.pb", "V1", 1);
    run = st_acquire(store, "new");
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

static void test_busy(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "run/h.xplane.pb", "V1", 1);
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run;
    struct xpd_load_state load = {0};
    struct xpd_err err = {0};
    int rc;
    while ((rc = xpd_store_acquire(store, XPD_STR("run"), 0, &run, &load, &err)) == XPD_EBUSY) {
        assert_null(run);
        assert_true(load.done_bytes <= load.total_bytes);
        assert_true(load.what[0] != '\0');
    }
    assert_int_equal(rc, XPD_OK);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

static void test_eviction(void **state)
{
    (void)state;
    char *root = st_folder();
    char name[64];
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "r%d/h.xplane.pb", i);
        st_profile(root, name, "V1", 1);
    }
    struct xpd_store *probe = st_open(root, 0);
    xpd_store_release(probe, st_acquire(probe, "r0"));
    struct xpd_store_stats stats;
    xpd_store_stats(probe, &stats);
    uint64_t one = stats.memory_bytes;
    xpd_store_close(probe);

    struct xpd_store *store = st_open(root, one * 3 + one / 2);
    const struct xpd_run *held = st_acquire(store, "r0"), *run;
    for (int i = 1; i < 6; i++) {
        snprintf(name, sizeof name, "r%d", i);
        run = st_acquire(store, name);
        xpd_store_release(store, run);
        xpd_store_stats(store, &stats);
        assert_true(stats.memory_bytes <= stats.memory_limit_bytes);
    }
    assert_true(stats.evictions >= 3);
    uint64_t loads = stats.loads;
    run = st_acquire(store, "r0"); /* held: never evicted */
    assert_ptr_equal(run, held);
    xpd_store_release(store, run);
    run = st_acquire(store, "r5"); /* the last one is still there */
    xpd_store_stats(store, &stats);
    assert_int_equal(stats.loads, loads);
    xpd_store_release(store, run);
    run = st_acquire(store, "r1"); /* this one is not */
    xpd_store_stats(store, &stats);
    assert_int_equal(stats.loads, loads + 1);
    xpd_store_release(store, run);
    xpd_store_release(store, held);
    xpd_store_close(store);
    st_remove(root);
}

static void test_module_over_budget(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "run/h.xplane.pb", "V1", 1);
    struct xpd_store *store = st_open(root, 0);
    xpd_store_release(store, st_acquire(store, "run"));
    struct xpd_store_stats stats;
    xpd_store_stats(store, &stats);
    uint64_t limit = stats.memory_bytes + 100;
    xpd_store_close(store);

    store = st_open(root, limit);
    const struct xpd_run *run = st_acquire(store, "run");
    const struct xpd_hlo *hlo;
    struct xpd_err err = {0};
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)limit);
    assert_int_equal(xpd_store_module(store, run, 0, &hlo, NULL, &err), XPD_ELIMIT);
    assert_non_null(strstr(err.text, number));
    assert_non_null(strstr(err.text, "--memory-limit"));
    uint32_t module;
    assert_int_equal(xpd_store_default_module(store, run, &module, &err), XPD_ELIMIT);
    xpd_store_stats(store, &stats);
    assert_true(stats.memory_bytes <= limit); /* nothing stays counted */
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

static void test_default_module(void **state)
{
    (void)state;
    char *root = st_folder();
    st_hlo(root, "x/small.hlo_proto.pb", "V16");
    st_hlo(root, "x/large.hlo_proto.pb", "V21"); /* beyond 4 GiB */
    st_hlo(root, "x/zz.hlo_proto.pb", "V1");
    st_mkdir(root, "plugins/profile/none");
    struct xpd_store *store = st_open(root, 0);
    const struct xpd_run *run = st_acquire(store, "x");
    uint32_t module;
    struct xpd_err err = {0};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(xpd_store_default_module(store, run, &module, &err), XPD_OK);
        assert_string_equal(run->module[module].key, "large");
    }
    xpd_store_release(store, run);
    run = st_acquire(store, "none");
    assert_int_equal(run->host_count, 0);
    assert_int_equal(run->warnings->count, 1);
    assert_int_equal(xpd_store_default_module(store, run, &module, &err), XPD_ENOTFOUND);
    xpd_store_release(store, run);
    xpd_store_close(store);
    st_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_module),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_unlike_programs),
        cmocka_unit_test(test_dump),
        cmocka_unit_test(test_platform_of_a_dump),
        cmocka_unit_test(test_same_stem),
        cmocka_unit_test(test_bare_module),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_generation),
        cmocka_unit_test(test_emptied),
        cmocka_unit_test(test_brand_new),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_eviction),
        cmocka_unit_test(test_module_over_budget),
        cmocka_unit_test(test_default_module),
        cmocka_unit_test(test_base_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
