/* The same program as text and as proto, both written by XLA: the model from the text equals that
 * from the proto, field by field. Pairs of ours lie in testdata/hlo_text_pairs; those of
 * ../shared/data are compared where there are any, and said to be skipped where not. */
#include "parse_text.h"

#include "hlo_test.h"
#include "tempfile.h"
#include "xprofd/hlo/print.h"
#include "xspace_hlo.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

struct tally {
    uint32_t pairs, texts;
    struct pt_left_out left_out;
};

/* Gzipped or not; NULL when it is not there. */
static char *read_any(const char *path, size_t *size)
{
    enum { PIECE = 1 << 20 };
    gzFile file = gzopen(path, "rb");
    char *bytes = NULL;
    *size = 0;
    if (!file)
        return NULL;
    for (int got = PIECE; got > 0; *size += (size_t)got) {
        char *more = realloc(bytes, *size + PIECE);
        assert_non_null(more);
        bytes = more;
        got = gzread(file, bytes + *size, PIECE);
        assert_true(got >= 0);
    }
    gzclose(file);
    return bytes;
}

/* "x.txt" or "x.txt.gz" -> the proto beside it. */
static char *proto_of(const char *text, size_t *size)
{
    static const char *const endings[] = {".hlo.pb", ".hlo.pb.gz"};
    const char *end = strstr(text, ".txt");
    char path[1200];
    for (size_t i = 0; end && i < sizeof endings / sizeof endings[0]; i++) {
        snprintf(path, sizeof path, "%.*s%s", (int)(end - text), text, endings[i]);
        char *bytes = read_any(path, size);
        if (bytes)
            return bytes;
    }
    end = strstr(text, ".after_optimizations.txt");
    if (!end)
        return NULL;
    snprintf(path, sizeof path, "%.*s.hlo_proto.pb", (int)(end - text), text);
    return read_any(path, size);
}

static void compare_pair(const char *path, struct tally *tally)
{
    size_t text_size, size;
    char *text = read_any(path, &text_size), *proto;
    struct pt_module m;
    if (!text || !xpd_hlo_text_is_module((struct xpd_str){text, text_size})) {
        free(text);
        return;
    }
    pt_parse(&m, (struct xpd_str){text, text_size});
    if (m.rc != XPD_OK || m.warnings.count != 0)
        fail_msg("%s: %s", path, m.rc ? m.err.text : m.warnings.item[0].text);
    for (uint32_t i = 0; i < m.hlo->warnings.count; i++)
        if (m.hlo->warnings.item[i].severity != XPD_NOTE)
            fail_msg("%s: %s", path, m.hlo->warnings.item[i].text);
    tally->texts++;
    proto = proto_of(path, &size);
    if (proto) {
        struct xpd_hlo *hlo = ht_load_bytes(proto, size, NULL);
        assert_non_null(hlo);
        pt_compare(hlo, m.hlo, path, &tally->left_out);
        xpd_hlo_free(hlo);
        tally->pairs++;
    }
    free(proto);
    free(text);
    pt_free(&m);
}

static void each(const char *folder, const char *pattern, struct tally *tally)
{
    char path[1200];
    glob_t found;
    snprintf(path, sizeof path, "%s/%s", folder, pattern);
    if (glob(path, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        compare_pair(found.gl_pathv[i], tally);
    globfree(&found);
}

static void say(const char *what, const struct tally *tally)
{
    const struct pt_left_out *out = &tally->left_out;
    print_message(
        "%s: %u texts read, %u compared with their proto: %llu instructions of %llu "
        "computations equal; %llu folded, %llu in another order in the file, %llu fusions "
        "not marked, %llu scheduled in the text only, %llu without their stack\n",
        what, tally->texts, tally->pairs, (unsigned long long)out->instructions,
        (unsigned long long)out->computations, (unsigned long long)out->folded,
        (unsigned long long)out->reordered, (unsigned long long)out->unmarked,
        (unsigned long long)out->unscheduled, (unsigned long long)out->unframed);
}

static void test_ours(void **state)
{
    struct tally tally = {0};
    char folder[1100];
    const char *source = getenv("XPD_SOURCE");
    (void)state;
    snprintf(folder, sizeof folder, "%s/testdata/hlo_text_pairs", source ? source : ".");
    each(folder, "*.txt*", &tally);
    say("testdata", &tally);
    assert_int_equal(tally.pairs, 4);
    assert_int_equal(tally.left_out.folded, 0);
    assert_int_equal(tally.left_out.unframed, 0);
}

static void test_shared(void **state)
{
    struct tally tally = {0};
    char folder[1100];
    (void)state;
    if (!shared_dir()[0]) {
        print_message("no data beside the source: set XPD_SHARED; skipped\n");
        skip();
    }
    snprintf(folder, sizeof folder, "%s/data", shared_dir());
    each(folder, "*/xla/*.txt", &tally);
    each(folder, "*/xla/*.txt.gz", &tally);
    each(folder, "*/xla/xla_dump/*.txt", &tally);
    each(folder, "text_dumps/*/*.txt", &tally);
    say("shared data", &tally);
    assert_true(tally.pairs >= 30 && tally.texts >= 150);
    assert_int_equal(tally.left_out.folded, 0);
    assert_int_equal(tally.left_out.unframed, 0);
}

/* Whether the text of a program, read and printed again, is the same, and nothing was to be said.
 */
static bool comes_back(const struct xspace_hlo *of)
{
    struct xpd_strbuf want = {0}, got = {0};
    struct pt_module m;
    pt_print(of->bytes, of->size, XPD_PRINT_LONG | XPD_PRINT_PERCENT, &want);
    pt_parse(&m, (struct xpd_str){want.data, want.size});
    if (m.rc == XPD_OK)
        pt_print((const uint8_t *)m.bytes.data, m.bytes.size, XPD_PRINT_LONG | XPD_PRINT_PERCENT,
                 &got);
    bool same = m.rc == XPD_OK && m.warnings.count == 0 && got.size == want.size &&
                memcmp(got.data, want.data, got.size) == 0;
    xpd_strbuf_fini(&want);
    xpd_strbuf_fini(&got);
    pt_free(&m);
    return same;
}

/* 2,346 small programs with everything the printer knows. Some are protos with names, keys or
 * numbers that XLA never writes and that no text can hold (blanks and commas in names,
 * "parameter-start"). */
static void test_variants(void **state)
{
    enum { ODD = 45 };
    char path[1100];
    size_t size;
    struct xspace_hlos hlos;
    uint32_t same = 0;
    const char *source = getenv("XPD_SOURCE");
    (void)state;
    snprintf(path, sizeof path, "%s/testdata/hlo_variants/plugins/profile/run0/host0.xplane.pb.gz",
             source ? source : ".");
    char *bytes = read_any(path, &size);
    assert_non_null(bytes);
    char *file = temp_file(bytes, size, ".xplane.pb");
    free(bytes);
    assert_true(xspace_hlos_load(&hlos, file));
    temp_remove(file);
    for (size_t i = 0; i < hlos.count; i++)
        same += comes_back(&hlos.at[i]);
    print_message("hlo_variants: %u of %zu programs come back the same\n", same, hlos.count);
    assert_true(same + ODD >= hlos.count && hlos.count > 2000);
    xspace_hlos_free(&hlos);
}

/* Texts that are named, each beside its proto: dumps of your own. */
static void test_named(void **state)
{
    struct tally tally = {0};
    for (char **path = *state; *path; path++)
        compare_pair(*path, &tally);
    say("named", &tally);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        const struct CMUnitTest named[] = {cmocka_unit_test_prestate(test_named, argv + 1)};
        return cmocka_run_group_tests(named, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ours), cmocka_unit_test(test_variants),
                                       cmocka_unit_test(test_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
