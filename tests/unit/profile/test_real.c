/* Real profiles, and a file beyond 4 GiB. Data: XPD_SHARED or ../shared. */
#include "profile_test.h"

#include "../../support/tempfile.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static bool shared_path(const char *name, char *path, size_t size)
{
    const char *shared = getenv("XPD_SHARED"), *source = getenv("XPD_SOURCE");
    if (shared)
        snprintf(path, size, "%s/data/%s", shared, name);
    else
        snprintf(path, size, "%s/../shared/data/%s", source ? source : ".", name);
    if (access(path, R_OK) == 0)
        return true;
    print_message("%s is not there: this test needs the shared data\n", path);
    return false;
}

static struct pt_loaded load_file(const char *path)
{
    struct pt_loaded got = {0};
    if (xpd_source_open(&got.source, path, 1u << 30, &got.err) == XPD_OK)
        xpd_xspace_load(&got.space, got.source, NULL, 0, &got.err);
    return got;
}

static void test_v6e(void **state)
{
    (void)state;
    char path[4096];
    if (!shared_path("tpu-v6e-offload/logdir/plugins/profile/2025_03_11_19_41_39/"
                     "tpu-v6e-host.xplane.pb",
                     path, sizeof path))
        skip();
    struct pt_loaded got = load_file(path);
    struct xpd_xspace *space = got.space;
    assert_non_null(space);
    assert_true(space->complete);
    assert_int_equal(space->plane_count, 7);
    assert_int_equal(space->device_count, 4);
    assert_string_equal(space->platform, "tpu");
    assert_true(pt_is(space, space->device_type, "TPU v6 Lite"));
    assert_int_equal(space->versions, 0); /* written before JAX said them */
    assert_int_equal(space->capacity_bytes, INT64_C(33550237696));
    assert_string_equal(space->capacity_from, "memory allocation events");
    const struct xpd_plane *plane = pt_plane(space, "/device:TPU:0");
    assert_int_equal(plane->line_count, 5);
    assert_int_equal(plane->line[0].event_count, 105);
    assert_int_equal(plane->line[1].event_count, 1504);
    assert_int_equal(plane->line[2].event_count, 600);
    static const struct {
        const char *key;
        uint64_t runs; /* on all four chips: 105 + 3 * 103 events */
    } want[] = {
        {"jit__psum(9646411105960254074)", 12},
        {"jit_broadcast_in_dim(11287434908481120160)", 1},
        {"jit_f(12190760917235803885)", 400},
        {"jit_convert_element_type(2433868464432466958)", 1},
    };
    assert_int_equal(space->hlo_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(pt_is(space, space->hlo[i].key, want[i].key));
        assert_int_equal(space->hlo[i].run_count, want[i].runs);
    }
    pt_free(&got);
}

static void test_truncated(void **state)
{
    (void)state;
    char path[4096];
    if (!shared_path("mlp_train_truncated/logdir/plugins/profile/run0/host0.xplane.pb", path,
                     sizeof path))
        skip();
    struct pt_loaded got = load_file(path);
    assert_non_null(got.space);
    assert_false(got.space->complete);
    assert_int_equal(got.space->hlo_count, 10); /* XProf shows none of them */
    assert_int_equal(got.space->file_bytes, 80964);
    assert_true(got.space->whole_bytes > 80964);
    assert_non_null(strstr(pt_warning(got.space, "file_cut")->text, "80964 bytes of at least"));
    pt_free(&got);
}

static void test_mangled(void **state)
{
    (void)state;
    char path[4096];
    if (!shared_path("broken/utf8-mangled.xplane.pb", path, sizeof path))
        skip();
    struct pt_loaded got = load_file(path);
    assert_null(got.space);
    assert_int_equal(got.err.code, XPD_EFORMAT);
    assert_non_null(strstr(got.err.text, "text conversion"));
    pt_free(&got);
}

/* field < 16 */
static size_t put_head(unsigned char *at, uint32_t field, uint64_t length)
{
    size_t n = 0;
    at[n++] = (unsigned char)(field << 3 | 2);
    for (; length >= 0x80; length >>= 7)
        at[n++] = (unsigned char)(length | 0x80);
    at[n++] = (unsigned char)length;
    return n;
}

/* A plane of 5 GiB: one line with one huge unknown field, mostly a hole, then events and a second
 * plane. */
static void test_beyond_4_gib(void **state)
{
    (void)state;
    const uint64_t hole = UINT64_C(5) << 30;
    struct pbw tail = {0}, second = {0};
    for (int i = 0; i < 1000; i++)
        pt_event(&tail, 1, 5, 6);
    pt_sample(&second);
    unsigned char head[64], line[32];
    size_t line_head = put_head(line, 15, hole);
    uint64_t line_size = line_head + hole + tail.len;
    unsigned char line_tag[16];
    size_t line_tag_size = put_head(line_tag, 3, line_size);
    size_t n = put_head(head, 1, 2 + 11 + line_tag_size + line_size);
    n += put_head(head + n, 2, 11);
    memcpy(head + n, "/device:big", 11);
    n += 11;
    memcpy(head + n, line_tag, line_tag_size);
    n += line_tag_size;
    memcpy(head + n, line, line_head);
    n += line_head;

    char *path = temp_file(head, n, ".xplane.pb");
    temp_write_at(path, n + hole, tail.data, tail.len);
    temp_write_at(path, n + hole + tail.len, second.data, second.len);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    struct pt_loaded got = load_file(path);
    getrusage(RUSAGE_SELF, &after);
    assert_non_null(got.space);
    assert_true(got.space->complete);
    assert_int_equal(got.space->file_bytes, n + hole + tail.len + second.len);
    assert_int_equal(got.space->plane_count, 3);
    assert_int_equal(got.space->plane[0].event_count, 1000);
    assert_true(got.space->plane[0].line[0].range.size > hole);
    assert_true(got.space->plane[1].range.offset > hole);
    assert_int_equal(got.space->hlo_count, 2);
    assert_true(got.space->hlo[0].bytes.offset > hole);
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024); /* KiB */
    pt_free(&got);

    temp_resize(path, n + hole + 500); /* cut above 4 GiB */
    got = load_file(path);
    assert_non_null(got.space);
    assert_false(got.space->complete);
    assert_true(got.space->read_until > hole);
    assert_true(got.space->plane[0].event_count > 0 && got.space->plane[0].event_count < 1000);
    pt_free(&got);
    temp_remove(path);
    pbw_free(&tail);
    pbw_free(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_v6e),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_mangled),
        cmocka_unit_test(test_beyond_4_gib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
