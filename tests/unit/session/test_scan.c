/* What the scan finds in every shape of folder somebody may point at. */
#include "session_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define CHECK_IDS(catalog, text) assert_string_equal(st_ids(catalog), text)

static char *below(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    sprintf(path, "%s/%s", folder, name);
    return path;
}

static void check_scan(const char *root, const char *name, const char *ids)
{
    char *path = below(root, name);
    struct xpd_catalog *catalog = st_scan(path);
    CHECK_IDS(catalog, ids);
    assert_null(catalog->root_problem);
    xpd_catalog_release(catalog);
    free(path);
}

/* One logdir, looked at from every level. */
static void test_levels(void **state)
{
    (void)state;
    char *root = st_folder();
    st_text(root, "log/plugins/profile/2026_01_02/h.xplane.pb", "x");
    st_text(root, "log/plugins/profile/2026_01_03/h.xplane.pb", "x");
    st_text(root, "log/sub/dir/plugins/profile/s/h.xplane.pb.gz", "x");
    st_mkdir(root, "log/plugins/profile/empty");
    check_scan(root, "log", "sub/dir/s, empty, 2026_01_03, 2026_01_02");
    check_scan(root, "log/", "sub/dir/s, empty, 2026_01_03, 2026_01_02");
    check_scan(root, "log/plugins", "empty, 2026_01_03, 2026_01_02");
    check_scan(root, "log/plugins/profile", "empty, 2026_01_03, 2026_01_02");
    check_scan(root, "log/plugins/profile/2026_01_03", "2026_01_03");
    check_scan(root, "log/plugins/profile/2026_01_03/h.xplane.pb", "h");
    check_scan(root, "log/sub/dir/plugins/profile/s/h.xplane.pb.gz", "h");
    check_scan(root, "", "log/sub/dir/s, log/empty, log/2026_01_03, log/2026_01_02");
    st_remove(root);
}

static void test_artifacts(void **state)
{
    (void)state;
    char *root = st_folder();
    st_text(root, "job-1/host.one.xplane.pb", "x");
    st_text(root, "job-2/out/a.xplane.pb", "x");
    st_text(root, "job-2/out/b.xplane.pb", "x");
    st_text(root, "node_modules/x/plugins/profile/s/h.xplane.pb", "x");
    st_text(root, "h.xplane.pb", "x");
    struct xpd_catalog *catalog = st_scan(root);
    const char *base = strrchr(root, '/') + 1;
    char want[600];
    snprintf(want, sizeof want,
             strcmp(base, "job-2/out") > 0 ? "%s, job-2/out, job-1" : "job-2/out, job-1, %s", base);
    CHECK_IDS(catalog, want);
    assert_string_equal(st_inputs(catalog, "job-2/out"), "a.xplane.pb, b.xplane.pb");
    const struct xpd_run_entry *run = xpd_catalog_find(catalog, xpd_str_of("job-2/out"));
    assert_string_equal(run->folder, "job-2");
    assert_string_equal(run->name, "out");
    assert_string_equal(run->input[0].host, "a");
    assert_int_equal(run->size_bytes, 2);
    assert_true(run->mtime_ms > INT64_C(1600000000000));
    run = xpd_catalog_find(catalog, xpd_str_of("job-1"));
    assert_string_equal(run->input[0].host, "host.one");
    xpd_catalog_release(catalog);
    st_remove(root);
}

static void test_same_id_twice(void **state)
{
    (void)state;
    char *root = st_folder();
    st_text(root, "a/s/h.xplane.pb", "x");
    st_text(root, "a/plugins/profile/s/h.xplane.pb", "x");
    struct xpd_catalog *catalog = st_scan(root);
    CHECK_IDS(catalog, "a/s, a/s (2)");
    assert_non_null(strstr(catalog->run[0].input[0].path, "plugins"));
    xpd_catalog_release(catalog);
    st_remove(root);
}

/* What XProf leaves beside a profile is not shown, only its HloProtos are noted. */
static void test_caches(void **state)
{
    (void)state;
    char *root = st_folder();
    static const char *const cache[] = {"h.xplane.pb",
                                        "NO_MODULE.hlo_proto.pb",
                                        "jit_f(1).hlo_proto.pb",
                                        ".cached_tools.json",
                                        "cache_version.txt",
                                        "ALL_HOSTS.op_stats_v2.pb",
                                        "h.SSTABLE",
                                        "h.metadata.SSTABLE",
                                        "h.trace.json.gz",
                                        "h.dcn_collective_stats.pb"};
    for (size_t i = 0; i < sizeof cache / sizeof *cache; i++) {
        char name[200];
        snprintf(name, sizeof name, "plugins/profile/s/%s", cache[i]);
        st_text(root, name, "x");
    }
    struct xpd_catalog *catalog = st_scan(root);
    CHECK_IDS(catalog, "s");
    assert_string_equal(st_inputs(catalog, "s"), "h.xplane.pb, jit_f(1).hlo_proto.pb");
    assert_int_equal(catalog->run[0].kind, XPD_RUN_PROFILE);
    assert_int_equal(catalog->found_count, 0);
    xpd_catalog_release(catalog);
    st_remove(root);
}

/* "gzip -k" leaves the plain file. */
static void test_packed_copy(void **state)
{
    (void)state;
    char *root = st_folder();
    st_text(root, "plugins/profile/s/a.xplane.pb", "x");
    st_text(root, "plugins/profile/s/a.xplane.pb.gz", "x");
    st_text(root, "plugins/profile/s/b.xplane.pb.gz", "x");
    struct xpd_catalog *catalog = st_scan(root);
    assert_string_equal(st_inputs(catalog, "s"), "a.xplane.pb, b.xplane.pb.gz");
    xpd_catalog_release(catalog);
    st_remove(root);
}

static void test_dumps(void **state)
{
    (void)state;
    char *root = st_folder();
    static const char *const file[] = {
        "module_0000.jit_f.cl_1.after_optimizations.hlo.pb",
        "module_0000.jit_f.cl_1.after_optimizations_before_buffer_assignment.hlo.pb",
        "module_0000.jit_f.cl_1.before_optimizations.hlo.pb",
        "module_0000.jit_f.cl_1.after_codegen.hlo.pb",
        "module_0001.jit_g.sm_9.0_gpu_after_optimizations.hlo.pb",
        "module_0001.jit_g.before_optimizations.hlo.pb",
        "module_0002.jit_h.cl_1.before_optimizations.hlo.pb",
        "module_0002.jit_h.cl_1.oom_intermediate_module.hlo.pb",
        "module_0003.jit_f.cl_1.cpu_after_optimizations.hlo.pb.gz",
        "module_0000.jit_f.cl_1.after_optimizations.txt",
        "module_0000.jit_f.cl_1.after_optimizations-memory-usage-report.pb",
    };
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char name[200];
        snprintf(name, sizeof name, "xla/dump/%s", file[i]);
        st_text(root, name, "x");
    }
    st_text(root, "xla/error.txt", "RESOURCE_EXHAUSTED");
    struct xpd_catalog *catalog = st_scan(root);
    CHECK_IDS(catalog, "xla/dump");
    assert_string_equal(st_inputs(catalog, "xla/dump"),
                        "module_0000.jit_f.cl_1.after_optimizations.hlo.pb, "
                        "module_0001.jit_g.sm_9.0_gpu_after_optimizations.hlo.pb, "
                        "module_0002.jit_h.cl_1.oom_intermediate_module.hlo.pb, "
                        "module_0003.jit_f.cl_1.cpu_after_optimizations.hlo.pb.gz, error.txt");
    assert_int_equal(catalog->run[0].kind, XPD_RUN_DUMP);
    assert_int_equal(catalog->found_count, 0);
    xpd_catalog_release(catalog);

    st_text(root, "xla/dump/error.txt", "the nearer one");
    catalog = st_scan(root);
    const struct xpd_run_entry *run = &catalog->run[0];
    assert_non_null(strstr(run->input[run->input_count - 1].path, "dump/error.txt"));
    xpd_catalog_release(catalog);
    st_remove(root);
}

/* Text dumps: one program is its files together, listed without reading them. */
static void test_text_dumps(void **state)
{
    (void)state;
    char *root = st_folder();
    static const char *const file[] = {
        "module_0001.jit_f.cpu_after_optimizations.txt",
        "module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt",
        "module_0001.jit_f.cpu_after_optimizations-live-range.txt",
        "module_0001.jit_f.cpu_after_optimizations-memory-usage-report.txt",
        "module_0001.jit_f.before_optimizations.txt",
        "module_0001.jit_f.thunk_sequence.txt",
        "module_0003.jit_g.sm_8.0_gpu_after_optimizations.txt",
        "module_0003.jit_g.0001.spmd-partitioner.after_a.before_b.txt",
        "module_0005.jit_h.cl_9.before_optimizations.txt",
        "module_0007.jit_p.cpu_after_optimizations.txt",
        "module_0007.jit_p.cpu_after_optimizations.hlo.pb",
        "module_0009.jit_q.cpu_after_optimizations.txt",
        "module_0009.jit_q.before_optimizations.hlo.pb",
    };
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char name[200];
        snprintf(name, sizeof name, "dump/%s", file[i]);
        st_text(root, name, "not read");
    }
    static const char *const odd[] = {
        /* the program's name is left out where it is too long */
        "module_0011.before_optimizations.txt",
        "module_0011.sm_9.0_gpu_after_optimizations.txt",
        "module_0011.sm_9.0_gpu_after_optimizations-buffer-assignment.txt",
        /* --xla_dump_include_timestamp */
        "1764291130000000.module_0013.jit_t.before_optimizations.txt",
        "1764291130000000.module_0013.jit_t.cpu_after_optimizations.txt",
        "1764291130000000.module_0013.jit_t.cpu_after_optimizations-buffer-assignment.txt",
        "1764291130000000.module_0013.jit_t.thunk_sequence.txt",
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char name[200];
        snprintf(name, sizeof name, "odd/%s", odd[i]);
        st_text(root, name, "HloModule jit_r\n");
    }
    st_text(root, "dump/pasted.txt", "HloModule jit_r\n");
    st_text(root, "dump/notes.txt", "no module");
    struct xpd_catalog *catalog = st_scan(root);
    CHECK_IDS(catalog, "odd, dump");
    assert_string_equal(st_inputs(catalog, "odd"),
                        "1764291130000000.module_0013.jit_t.cpu_after_optimizations.txt, "
                        "1764291130000000.module_0013.jit_t.cpu_after_optimizations-"
                        "buffer-assignment.txt, "
                        "module_0011.sm_9.0_gpu_after_optimizations.txt, "
                        "module_0011.sm_9.0_gpu_after_optimizations-buffer-assignment.txt");
    assert_string_equal(st_inputs(catalog, "dump"),
                        "module_0001.jit_f.cpu_after_optimizations.txt, "
                        "module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt, "
                        "module_0001.jit_f.cpu_after_optimizations-live-range.txt, "
                        "module_0003.jit_g.sm_8.0_gpu_after_optimizations.txt, "
                        "module_0005.jit_h.cl_9.before_optimizations.txt, "
                        "module_0007.jit_p.cpu_after_optimizations.hlo.pb, "
                        "module_0009.jit_q.cpu_after_optimizations.txt, pasted.txt");
    const struct xpd_run_entry *run = &catalog->run[1];
    assert_int_equal(run->kind, XPD_RUN_DUMP);
    assert_ptr_equal(run->input[0].assignment, &run->input[1]);
    assert_ptr_equal(run->input[0].live_range, &run->input[2]);
    assert_null(run->input[3].assignment);
    xpd_catalog_release(catalog);
    /* Beside a profile text adds nothing. */
    st_text(root, "dump/host.xplane.pb", "x");
    catalog = st_scan(root);
    assert_string_equal(st_inputs(catalog, "dump"),
                        "host.xplane.pb, module_0007.jit_p.cpu_after_optimizations.hlo.pb, "
                        "module_0009.jit_q.before_optimizations.hlo.pb");
    xpd_catalog_release(catalog);
    st_remove(root);
}

static void test_links(void **state)
{
    (void)state;
    char *root = st_folder(), *outside = st_folder();
    char to[600];
    st_text(outside, "plugins/profile/secret/h.xplane.pb", "x");
    st_text(outside, "h.xplane.pb", "x");
    st_text(root, "blobs/123.data", "a profile");
    st_link(root, "run/inside.xplane.pb", "../blobs/123.data");
    snprintf(to, sizeof to, "%s/h.xplane.pb", outside);
    st_link(root, "run/outside.xplane.pb", to);
    st_link(root, "run/dangling.xplane.pb", "nowhere");
    st_link(root, "run/loop.xplane.pb", "loop.xplane.pb");
    snprintf(to, sizeof to, "%s/plugins", outside);
    st_link(root, "plugins", to);
    st_link(root, "run/up", "..");
    st_link(root, "run/folder.xplane.pb", "../blobs");
    struct xpd_catalog *catalog = st_scan(root);
    CHECK_IDS(catalog, "run");
    assert_string_equal(st_inputs(catalog, "run"), "inside.xplane.pb");
    const struct xpd_input *input = &catalog->run[0].input[0];
    assert_string_equal(input->host, "inside");
    assert_int_equal(input->identity.size_bytes, 9);
    assert_int_equal(catalog->links_skipped, 4);
    assert_int_equal(catalog->found_count, 4);
    xpd_catalog_release(catalog);

    /* the root itself may be a link */
    st_link(outside, "to_root", root);
    char *path = below(outside, "to_root");
    catalog = st_scan(path);
    CHECK_IDS(catalog, "run");
    assert_string_equal(catalog->root, path);
    xpd_catalog_release(catalog);
    free(path);
    st_remove(root);
    st_remove(outside);
}

static void test_special_files(void **state)
{
    (void)state;
    char *root = st_folder();
    char *path = below(root, "fifo.xplane.pb");
    assert_int_equal(mkfifo(path, 0644), 0);
    struct xpd_catalog *catalog = st_scan(root); /* must not hang */
    CHECK_IDS(catalog, "");
    xpd_catalog_release(catalog);
    catalog = st_scan(path);
    CHECK_IDS(catalog, "");
    assert_non_null(catalog->root_problem);
    xpd_catalog_release(catalog);
    free(path);
    st_remove(root);
}

static void test_problems(void **state)
{
    (void)state;
    char *root = st_folder();
    st_text(root, "run/zero.xplane.pb", "");
    struct xpd_catalog *catalog = st_scan(root);
    assert_non_null(strstr(catalog->run[0].input[0].problem, "2 GB"));
    xpd_catalog_release(catalog);

    char *path = below(root, "nothing/here");
    catalog = st_scan(path);
    assert_int_equal(catalog->run_count, 0);
    assert_non_null(catalog->root_problem);
    xpd_catalog_release(catalog);
    free(path);

    if (geteuid() == 0) {
        print_message("running as root: permission is not tested\n");
    } else {
        st_text(root, "locked/h.xplane.pb", "x");
        st_text(root, "unreadable/h.xplane.pb", "x");
        path = below(root, "locked");
        char *file = below(root, "unreadable/h.xplane.pb");
        chmod(path, 0);
        chmod(file, 0);
        catalog = st_scan(root);
        assert_int_equal(catalog->unreadable_folders, 1);
        const struct xpd_run_entry *run = xpd_catalog_find(catalog, xpd_str_of("unreadable"));
        assert_non_null(strstr(run->input[0].problem, "permission"));
        xpd_catalog_release(catalog);
        chmod(path, 0755);
        free(file);
        free(path);
    }
    st_remove(root);
}

static void test_limits(void **state)
{
    (void)state;
    char *root = st_folder();
    st_text(root, "1/2/3/h.xplane.pb", "x");
    st_text(root, "1/2/3/4/h.xplane.pb", "x");
    for (int i = 0; i < 20; i++) {
        char name[64];
        snprintf(name, sizeof name, "runs/%02d/h.xplane.pb", i);
        st_text(root, name, "x");
    }
    struct xpd_catalog *catalog;
    struct xpd_scan_limits limits = {.max_depth = 3};
    assert_int_equal(xpd_catalog_scan(&catalog, root, &limits, 1, NULL), XPD_OK);
    assert_true(catalog->stopped_at_limit);
    assert_non_null(strstr(catalog->limit_text, "--scan-depth"));
    assert_non_null(strstr(catalog->limit_text, "1/2/3/4"));
    assert_int_equal(catalog->run_count, 21);
    xpd_catalog_release(catalog);

    limits = (struct xpd_scan_limits){.max_folders = 7};
    assert_int_equal(xpd_catalog_scan(&catalog, root, &limits, 1, NULL), XPD_OK);
    assert_true(catalog->stopped_at_limit);
    assert_int_equal(catalog->folder_count, 7);
    assert_string_equal(catalog->run[0].id, "runs/19"); /* the newest are seen first */
    assert_int_equal(catalog->run_count, 5);
    assert_non_null(strstr(catalog->limit_text, "7 folders"));
    xpd_catalog_release(catalog);

    limits = (struct xpd_scan_limits){.max_files = 3};
    assert_int_equal(xpd_catalog_scan(&catalog, root, &limits, 1, NULL), XPD_OK);
    assert_true(catalog->stopped_at_limit);
    assert_int_equal(catalog->run_count, 3);
    xpd_catalog_release(catalog);
    st_remove(root);
}

/* The empty page: what was there instead, nearest first, at most 20. */
static void test_found(void **state)
{
    (void)state;
    char *root = st_folder();
    st_text(root, "deep/down/x.trace.json", "{\"traceEvents\":[]}");
    st_text(root, "memory.pb", "\x0A\x04\x08\x01\x10\x02\x12\x03\x0A\x01\x85");
    st_text(root, "all.zip", "PK");
    st_text(root, "readme.md", "nothing");
    st_profile(root, "sub/profile.pb", "V1", 1);
    struct xpd_catalog *catalog = st_scan(root);
    assert_int_equal(catalog->run_count, 0);
    assert_int_equal(catalog->found_count, 4);
    assert_null(strchr(catalog->found[0].name, '/'));
    assert_null(strchr(catalog->found[1].name, '/'));
    assert_string_equal(catalog->found[2].name, "sub/profile.pb");
    assert_non_null(strstr(catalog->found[2].what, "XSpace"));
    assert_string_equal(catalog->found[3].name, "deep/down/x.trace.json");
    assert_non_null(strstr(catalog->found[3].what, "Chrome trace"));
    for (uint32_t i = 0; i < 2; i++)
        assert_non_null(
            strstr(catalog->found[i].what, catalog->found[i].name[0] == 'm' ? "pprof" : "archive"));
    xpd_catalog_release(catalog);
    for (int i = 0; i < 50; i++) {
        char name[64];
        snprintf(name, sizeof name, "d%d/x.html.pb", i);
        st_text(root, name, "<html>");
    }
    catalog = st_scan(root);
    assert_int_equal(catalog->found_count, 20);
    assert_null(strchr(catalog->found[0].name, '/'));
    xpd_catalog_release(catalog);
    st_remove(root);
}

/* A single file under any name is judged by its bytes. */
static void test_single_files(void **state)
{
    (void)state;
    char *root = st_folder();
    st_profile(root, "upload", "V1", 1);
    st_hlo(root, "program.bin", "V1");
    st_text(root, "notes", "just text");
    check_scan(root, "upload", "upload");
    check_scan(root, "program.bin", "program.bin");
    char *path = below(root, "notes");
    struct xpd_catalog *catalog = st_scan(path);
    assert_int_equal(catalog->run_count, 0);
    assert_non_null(strstr(catalog->root_problem, "text"));
    assert_int_equal(catalog->found_count, 1);
    xpd_catalog_release(catalog);
    free(path);
    st_remove(root);
}

static void test_fingerprint(void **state)
{
    (void)state;
    char *root = st_folder();
    st_text(root, "run/a.xplane.pb", "x");
    struct xpd_catalog *one = st_scan(root), *two = st_scan(root);
    assert_int_equal(one->run[0].fingerprint, two->run[0].fingerprint);
    xpd_catalog_release(two);
    st_text(root, "run/b.xplane.pb", "x");
    two = st_scan(root);
    assert_int_not_equal(one->run[0].fingerprint, two->run[0].fingerprint);
    xpd_catalog_release(two);
    xpd_catalog_release(one);
    st_remove(root);
}

static void check_label(const struct xpd_catalog *catalog, const char *id, const char *label,
                        const char *lead)
{
    const struct xpd_run_entry *run = xpd_catalog_find(catalog, xpd_str_of(id));
    assert_non_null(run);
    assert_string_equal(run->label, label);
    if (lead)
        assert_string_equal(run->lead ? run->lead : "(none)", lead);
    else
        assert_null(run->lead);
}

/* The least of each path that no other run has; clocks alone are no name. */
static void test_labels(void **state)
{
    (void)state;
    char *root = st_folder();
    static const char *const files[] = {
        "a/log/plugins/profile/aot/h.xplane.pb",
        "b/log/plugins/profile/aot/h.xplane.pb",
        "b/xla/m.hlo_proto.pb",
        "b/xla/dump/m.hlo_proto.pb",
        "c/log/plugins/profile/gemm/h.xplane.pb",
        "d/log/plugins/profile/2026_01_02/h.xplane.pb",
        "e/log/plugins/profile/2026_01_03/h.xplane.pb",
        "grid/x/1/run/h.xplane.pb",
        "grid/x/2/run/h.xplane.pb",
        "grid/y/1/run/h.xplane.pb",
        "grid/y/2/run/h.xplane.pb",
        "dumps/one/m.hlo_proto.pb",
        "dumps/one/passes/m.hlo_proto.pb",
        "ci/2026_01_04/log/plugins/profile/s/h.xplane.pb",
        "ci/2026_01_04/xla/m.hlo_proto.pb",
        "ci/2026_01_05/later/m.hlo_proto.pb",
        "ci/c41d9e2/other/m.hlo_proto.pb",
        "day/2026_02_01/go/h.xplane.pb",
        "day/2026_02_02/go/h.xplane.pb",
        "deep/2026_02_01/go/h.xplane.pb",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        st_text(root, files[i], "x");
    struct xpd_catalog *catalog = st_scan(root);
    check_label(catalog, "a/log/aot", "a/\xe2\x80\xa6/aot", NULL);
    check_label(catalog, "b/log/aot", "b/\xe2\x80\xa6/aot", NULL);
    check_label(catalog, "b/xla", "b/xla", "b/log/aot");
    check_label(catalog, "b/xla/dump", "dump", "b/log/aot");
    check_label(catalog, "c/log/gemm", "gemm", NULL);
    check_label(catalog, "d/log/2026_01_02", "d/\xe2\x80\xa6/2026_01_02", NULL);
    check_label(catalog, "e/log/2026_01_03", "e/\xe2\x80\xa6/2026_01_03", NULL);
    check_label(catalog, "grid/x/1/run", "x/1/run", NULL);
    check_label(catalog, "grid/y/2/run", "y/2/run", NULL);
    /* a day tells two runs apart only where no other folder does */
    check_label(catalog, "day/2026_02_02/go", "2026_02_02/go", NULL);
    check_label(catalog, "deep/2026_02_01/go", "deep/\xe2\x80\xa6/go", NULL);
    /* several logdirs around: which one it belongs to is unknown; the dump around it still is one
     */
    check_label(catalog, "dumps/one", "one", NULL);
    check_label(catalog, "dumps/one/passes", "passes", "dumps/one");
    /* of another day, of another commit: another experiment */
    check_label(catalog, "ci/2026_01_04/xla", "ci/\xe2\x80\xa6/xla", "ci/2026_01_04/log/s");
    check_label(catalog, "ci/2026_01_05/later", "later", NULL);
    check_label(catalog, "ci/c41d9e2/other", "other", NULL);
    xpd_catalog_release(catalog);
    st_remove(root);
}

/* Runs of one logdir need their clock alone, and no two labels are ever equal. */
static void test_labels_differ(void **state)
{
    (void)state;
    char *root = st_folder();
    st_text(root, "log/plugins/profile/2026_01_02/h.xplane.pb", "x");
    st_text(root, "log/plugins/profile/2026_01_03/h.xplane.pb", "x");
    st_text(root, "run/h.xplane.pb", "x");
    st_text(root, "p/q/run/h.xplane.pb", "x");
    st_text(root, "p/r/q/run/h.xplane.pb", "x");
    st_text(root, "s/r/q/run/h.xplane.pb", "x");
    struct xpd_catalog *catalog = st_scan(root);
    check_label(catalog, "log/2026_01_02", "2026_01_02", NULL);
    check_label(catalog, "run", "run", NULL);
    for (uint32_t i = 0; i < catalog->run_count; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_string_not_equal(catalog->run[i].label, catalog->run[j].label);
    xpd_catalog_release(catalog);
    st_remove(root);
}

/* pprof files are a run of their own, beside a profile too; Python's cProfile has the same ending.
 */
static void test_heap_files(void **state)
{
    (void)state;
    static const char pprof[] = "\x0A\x04\x08\x01\x10\x02\x12\x03\x0A\x01\x85";
    char *root = st_folder();
    st_text(root, "heaps/memory.step20.prof", pprof);
    st_text(root, "heaps/memory.step40.prof", pprof);
    st_text(root, "both/h.xplane.pb", "x");
    st_text(root, "both/memory.prof", pprof);
    st_text(root, "plugins/profile/r/memory.pprof", "\x1F\x8B");
    st_text(root, "py/x.prof", "{\xDA");
    struct xpd_catalog *catalog = st_scan(root);
    CHECK_IDS(catalog, "r (heap files), r, heaps, both (heap files), both");
    assert_int_equal(catalog->run[2].kind, XPD_RUN_HEAP);
    assert_string_equal(st_inputs(catalog, "heaps"), "memory.step20.prof, memory.step40.prof");
    assert_int_equal(catalog->run[2].input[0].format, XPD_INPUT_HEAP);
    assert_string_equal(st_inputs(catalog, "both"), "h.xplane.pb");
    assert_int_equal(catalog->found_count, 1); /* py/x.prof */
    xpd_catalog_release(catalog);
    char *one = below(root, "heaps/memory.step20.prof");
    catalog = st_scan(one);
    assert_int_equal(catalog->run_count, 1);
    assert_int_equal(catalog->run[0].kind, XPD_RUN_HEAP);
    xpd_catalog_release(catalog);
    free(one);
    st_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),        cmocka_unit_test(test_artifacts),
        cmocka_unit_test(test_same_id_twice), cmocka_unit_test(test_caches),
        cmocka_unit_test(test_packed_copy),   cmocka_unit_test(test_dumps),
        cmocka_unit_test(test_text_dumps),    cmocka_unit_test(test_links),
        cmocka_unit_test(test_special_files), cmocka_unit_test(test_problems),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_found),
        cmocka_unit_test(test_heap_files),    cmocka_unit_test(test_single_files),
        cmocka_unit_test(test_fingerprint),   cmocka_unit_test(test_labels),
        cmocka_unit_test(test_labels_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
