/* Programs that were dumped in both forms: what is read from text equals what is read from the
 * proto, allocation by allocation, and so does the memory that follows from it. The reports of a
 * dump that has text only are held against XLA's own sums. */
#include "text_pair.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool exists(const char *path)
{
    return access(path, R_OK) == 0;
}

/* The text of one program; `stem` is its path without ".txt", or without
 * ".after_codegen.txt.gz" or ".after_optimizations.txt.gz" as our captures call it; scoped memory
 * is known after code generation alone. */
static void open_text(struct text_pair *pair, const char *stem, const char *stage)
{
    char module[2048], report[2048], ranges[2048], mark = '-';
    pair->notes.arena = &pair->arena;
    snprintf(module, sizeof module, "%s.txt", stem);
    if (!exists(module)) {
        snprintf(module, sizeof module, "%s.%s.txt.gz", stem, stage);
        mark = '.';
    }
    if (!exists(module))
        snprintf(module, sizeof module, "%s.after_optimizations.txt.gz", stem);
    snprintf(report, sizeof report, "%s%cbuffer-assignment.txt", stem, mark);
    snprintf(ranges, sizeof ranges, "%s%clive-range.txt", stem, mark);
    if (!exists(report))
        strcat(report, ".gz");
    if (!exists(ranges))
        strcat(ranges, ".gz");
    assert_true(text_open(&pair->text, &pair->arena, &pair->notes, module, report,
                          exists(ranges) ? ranges : NULL));
}

/* Closes both. */
static uint32_t differences_of(struct text_pair *pair, const char *title)
{
    for (uint32_t i = 0; i < pair->notes.count; i++)
        print_message("%s: %s: %s\n", title, pair->notes.item[i].code, pair->notes.item[i].text);
    uint32_t differences = text_pair_differences(pair, title) + pair->notes.count;
    mem_close(&pair->text);
    mem_close(&pair->proto);
    xpd_arena_fini(&pair->arena);
    return differences;
}

static uint32_t compare(const char *stem, const char *proto, const char *title)
{
    struct text_pair pair = {0};
    open_text(&pair, stem, "after_optimizations");
    assert_true(text_open_proto(&pair.proto, proto));
    return differences_of(&pair, title);
}

/* Three versions of JAX on the CPU: live ranges inside the report (0.4.30, 0.6.2), beside it
 * (0.10.2). */
static void test_cpu(void **state)
{
    static const char *const version[] = {"jax_0.4.30", "jax_0.6.2", "jax_0.10.2"};
    const char *source = getenv("XPD_SOURCE");
    uint32_t compared = 0;
    (void)state;
    for (size_t v = 0; v < sizeof version / sizeof *version; v++) {
        char pattern[2048], proto[2048];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/testdata/cpu_text/%s/*after_optimizations.txt",
                 source ? source : ".", version[v]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char stem[2048];
            snprintf(stem, sizeof stem, "%.*s", (int)strlen(found.gl_pathv[i]) - 4,
                     found.gl_pathv[i]);
            const char *name = strrchr(stem, '/') + 1;
            snprintf(proto, sizeof proto, "%s/testdata/cpu_text/protos/%s/%s.hlo.pb",
                     source ? source : ".", version[v], name);
            char title[512];
            snprintf(title, sizeof title, "%s %s", version[v], name);
            assert_int_equal(compare(stem, proto, title), 0);
            compared++;
        }
        globfree(&found);
    }
    assert_int_equal(compared, 12);
}

static bool shared_folder(char *path, size_t size)
{
    const char *shared = getenv("XPD_SHARED"), *source = getenv("XPD_SOURCE");
    if (shared)
        snprintf(path, size, "%s/data", shared);
    else
        snprintf(path, size, "%s/../shared/data", source ? source : ".");
    if (exists(path))
        return true;
    print_message("no data in %s: set XPD_SHARED; skipped\n", path);
    return false;
}

static void test_tpu(void **state)
{
    char folder[1024], pattern[2048], proto[2048], stem[2048];
    glob_t found;
    (void)state;
    if (!shared_folder(folder, sizeof folder))
        skip();
    snprintf(pattern, sizeof pattern, "%s/*/xla/*.hlo_proto.pb", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    uint32_t differences = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        snprintf(proto, sizeof proto, "%s", found.gl_pathv[i]);
        snprintf(stem, sizeof stem, "%.*s", (int)(strlen(proto) - strlen(".hlo_proto.pb")), proto);
        differences += compare(stem, proto, stem + strlen(folder));
    }
    globfree(&found);
    assert_int_equal(differences, 0);
}

/* Programs whose proto lies in a profile. In tpu_transformer_v6e three buffers of operations that
 * are offloaded to the SparseCore (65,536 bytes in HBM, 48 in space 8) have live ranges, but the
 * compiler writes no heap events for them; tpu_big_transformer has no text from after code
 * generation, which alone says how large the kernels' own memory is. */
static void test_tpu_profiles(void **state)
{
    static const struct {
        const char *name, *module;
        uint32_t differences;
    } set[] = {
        {"tpu_convnet", "jit_train_step", 0},
        {"tpu_decode_kvcache", "jit_decode", 0},
        {"tpu_host_offload", "jit_offload_step", 0},
        {"tpu_scan_layers", "jit_train_step", 0},
        {"tpu_sharded_lm", "jit_train_step", 0},
        {"tpu_transformer_nodonate", "jit_train_step", 0},
        {"tpu_transformer_noremat", "jit_train_step", 0},
        {"tpu_transformer_oom", "jit_train_step", 0},
        {"tpu_transformer_remat", "jit_train_step", 0},
        {"tpu_transformer_v6e", "jit_train_step", 26},
        {"tpu_big_transformer", "jit_train_step", 1},
    };
    char folder[1024], stem[2048];
    uint32_t differences = 0;
    (void)state;
    if (!shared_folder(folder, sizeof folder))
        skip();
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        struct xspace_hlos hlos = {0};
        struct text_pair pair = {0};
        assert_true(mem_hlos(&hlos, set[i].name));
        snprintf(stem, sizeof stem, "%s/%s/xla/%s", folder, set[i].name, set[i].module);
        size_t at = 0;
        while (at < hlos.count &&
               strncmp(hlos.at[at].name, set[i].module, strlen(set[i].module)) != 0)
            at++;
        assert_true(at < hlos.count);
        open_text(&pair, stem, "after_codegen");
        mem_open_bytes(&pair.proto, hlos.at[at].bytes, hlos.at[at].size);
        uint32_t found = differences_of(&pair, set[i].name);
        if (found != set[i].differences)
            print_message("%s: %u differences, %u expected\n", set[i].name, found,
                          set[i].differences);
        differences += found != set[i].differences;
        xspace_hlos_free(&hlos);
    }
    assert_int_equal(differences, 0);
}

/* "Total bytes: 2364 (2.3KiB)" of a memory-usage-report.txt. */
static int64_t reported(const char *path)
{
    char line[512];
    long long bytes = -1;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (bytes < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "Total bytes: %lld", &bytes) != 1)
            sscanf(line, "Total bytes used: %lld", &bytes);
    fclose(file);
    return bytes;
}

/* Text alone, of an NVIDIA A100: what every program sets aside is what XLA reports. */
static void test_gpu(void **state)
{
    char folder[1024], pattern[2048];
    glob_t found;
    (void)state;
    if (!shared_folder(folder, sizeof folder))
        skip();
    snprintf(pattern, sizeof pattern, "%s/text_dumps/gpu_a100*/*gpu_after_optimizations.txt",
             folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char stem[1024], report[2048];
        struct text_pair pair = {0};
        snprintf(stem, sizeof stem, "%.*s", (int)strlen(found.gl_pathv[i]) - 4, found.gl_pathv[i]);
        open_text(&pair, stem, "");
        snprintf(report, sizeof report, "%s-memory-usage-report.txt", stem);
        const struct xpd_mem_space *space = mem_space(&pair.text, 0);
        assert_int_equal(space->totals.reserved + space->totals.thread_local_, reported(report));
        assert_true(space->peak_bytes <= space->totals.reserved);
        assert_int_equal(pair.notes.count, 0);
        mem_close(&pair.text);
        xpd_arena_fini(&pair.arena);
    }
    assert_int_equal(found.gl_pathc, 48);
    globfree(&found);
}

/* Texts after optimizations that are named, each beside its reports and its proto: dumps of your
 * own. */
static void test_named(void **state)
{
    uint32_t differences = 0;
    for (char **path = *state; *path; path++) {
        char stem[1024], proto[2048];
        snprintf(stem, sizeof stem, "%.*s", (int)strlen(*path) - 4, *path);
        snprintf(proto, sizeof proto, "%s.hlo.pb", stem);
        differences += compare(stem, proto, *path);
    }
    assert_int_equal(differences, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        const struct CMUnitTest named[] = {cmocka_unit_test_prestate(test_named, argv + 1)};
        return cmocka_run_group_tests(named, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cpu), cmocka_unit_test(test_tpu),
                                       cmocka_unit_test(test_tpu_profiles),
                                       cmocka_unit_test(test_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
