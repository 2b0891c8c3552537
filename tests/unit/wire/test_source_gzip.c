/* Gzip files: whole, several members, cut at any byte, damaged, past the limit. */
#include "support/tempfile.h"
#include "xprofd/wire/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

enum { PLAIN = 700000 };

static uint8_t plain[PLAIN]; /* does not compress: a cut anywhere leaves a part */
static uint8_t packed[PLAIN + 4096];
static size_t packed_size;

static size_t pack(const void *bytes, size_t size, uint8_t *into, size_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)size;
    z.next_out = into;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t made = room - z.avail_out;
    deflateEnd(&z);
    return made;
}

static int set_up(void **state)
{
    (void)state;
    uint32_t x = 12345;
    for (size_t i = 0; i < PLAIN; i++) {
        x = x * 1664525u + 1013904223u;
        plain[i] = (uint8_t)(x >> 24);
    }
    packed_size = pack(plain, PLAIN, packed, sizeof packed);
    return 0;
}

/* Opens the bytes as a file; the caller closes the source when the result is XPD_OK. */
static int open_bytes(const void *bytes, size_t size, const char *suffix, uint64_t limit,
                      struct xpd_source **source, struct xpd_err *err)
{
    char *path = temp_file(bytes, size, suffix);
    int rc = xpd_source_open(source, path, limit, err);
    if (rc != XPD_OK)
        assert_null(*source);
    temp_remove(path);
    return rc;
}

static void expect(const struct xpd_source *source, const void *bytes, size_t size, bool truncated)
{
    assert_int_equal(xpd_source_size(source), size);
    assert_int_equal(xpd_source_truncated_gzip(source), truncated);
    assert_non_null(xpd_source_memory(source));
    assert_int_equal(memcmp(xpd_source_memory(source), bytes, size), 0);
}

static void round_trip(void **state)
{
    (void)state;
    struct xpd_source *source;
    struct xpd_err err;
    static const char *const suffix[] = {".gz", ".pb"}; /* by name, and by magic */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(open_bytes(packed, packed_size, suffix[i], 1 << 20, &source, &err),
                         XPD_OK);
        expect(source, plain, PLAIN, false);
        assert_int_equal(xpd_source_identity(source)->size_bytes, packed_size); /* of the file */
        uint8_t part[100];
        assert_int_equal(xpd_source_read(source, PLAIN - 100, part, 100, &err), XPD_OK);
        assert_memory_equal(part, plain + PLAIN - 100, 100);
        assert_int_equal(xpd_source_read(source, PLAIN - 99, part, 100, &err), XPD_EINVAL);
        xpd_source_close(source);
    }
}

/* Bytes of the program: like a file, and told how far a file is. */
static void packed_bytes(void **state)
{
    (void)state;
    struct xpd_source *source;
    struct xpd_err err;
    assert_int_equal(xpd_source_open_packed(&source, packed, packed_size, "x.gz", 1 << 20, &err),
                     XPD_OK);
    expect(source, plain, PLAIN, false);
    assert_int_equal(xpd_source_check(source, &err), XPD_OK);
    xpd_source_close(source);
    assert_int_equal(xpd_source_open_packed(&source, packed, packed_size, "x.gz", 1000, &err),
                     XPD_ELIMIT);
    assert_null(source);
    assert_int_equal(xpd_source_open_packed(&source, plain, 100, "x.gz", 1000, &err), XPD_EFORMAT);
    assert_null(source);
}

struct told {
    uint64_t last, held;
    int calls, stop_at;
};

static bool tell(void *ctx, uint64_t file_bytes, uint64_t held_bytes)
{
    struct told *told = ctx;
    assert_true(file_bytes >= told->last && held_bytes >= told->held);
    told->last = file_bytes;
    told->held = held_bytes;
    return ++told->calls != told->stop_at;
}

static void watched(void **state)
{
    (void)state;
    struct xpd_source *source;
    struct xpd_err err;
    struct told told = {0};
    struct xpd_source_watch watch = {tell, &told};
    char *path = temp_file(packed, packed_size, ".gz");
    assert_int_equal(xpd_source_open_watched(&source, path, 1 << 20, &watch, &err), XPD_OK);
    assert_true(told.calls >= 3);
    assert_int_equal(told.last, packed_size);
    assert_true(told.held > packed_size / 2 && told.held <= xpd_source_size(source));
    xpd_source_close(source);
    told = (struct told){.stop_at = 2};
    assert_int_equal(xpd_source_open_watched(&source, path, 1 << 20, &watch, &err), XPD_EBUSY);
    assert_null(source);
    temp_remove(path);
}

static void members_and_padding(void **state)
{
    (void)state;
    static uint8_t file[2000];
    struct xpd_source *source;
    struct xpd_err err;
    size_t size = pack("first ", 6, file, 500);
    size += pack("", 0, file + size, 500);
    size += pack("second", 6, file + size, 500);
    assert_int_equal(open_bytes(file, size, ".gz", 100, &source, &err), XPD_OK);
    expect(source, "first second", 12, false);
    xpd_source_close(source);
    /* Zeros behind the last member are padding, as gzip -d takes them. */
    assert_int_equal(open_bytes(file, size + 512, ".gz", 100, &source, &err), XPD_OK);
    expect(source, "first second", 12, false);
    xpd_source_close(source);
    /* The second member's header is cut: the first is kept, and it says so. */
    size = pack("first ", 6, file, 500);
    uint8_t again[1000];
    memcpy(again, file, size);
    memcpy(again + size, file, 5);
    assert_int_equal(open_bytes(again, size + 5, ".gz", 100, &source, &err), XPD_OK);
    expect(source, "first ", 6, true);
    xpd_source_close(source);
}

static void nothing_inside(void **state)
{
    (void)state;
    uint8_t file[100];
    struct xpd_source *source;
    struct xpd_err err;
    size_t size = pack("", 0, file, sizeof file);
    assert_int_equal(open_bytes(file, size, ".gz", 100, &source, &err), XPD_OK);
    expect(source, "", 0, false);
    xpd_source_close(source);
}

static void cut_short(void **state)
{
    (void)state;
    struct xpd_source *source;
    struct xpd_err err;
    static const size_t cut_at[] = {300000, 262144, 600000, 20000};
    for (size_t i = 0; i < sizeof cut_at / sizeof cut_at[0]; i++) {
        assert_int_equal(open_bytes(packed, cut_at[i], ".gz", 1 << 20, &source, &err), XPD_OK);
        /* Stored nearly byte by byte: what is lost is at most what deflate had not finished. */
        uint64_t size = xpd_source_size(source);
        assert_in_range(size, cut_at[i] - 18000, cut_at[i]);
        expect(source, plain, (size_t)size, true);
        xpd_source_close(source);
    }
    for (size_t lost = 1; lost <= 8; lost++) { /* only the checksum and the size are missing */
        assert_int_equal(open_bytes(packed, packed_size - lost, ".gz", 1 << 20, &source, &err),
                         XPD_OK);
        expect(source, plain, PLAIN, true);
        xpd_source_close(source);
    }
}

static void refused(const void *bytes, size_t size, const char *suffix)
{
    struct xpd_source *source;
    struct xpd_err err;
    assert_int_equal(open_bytes(bytes, size, suffix, 1 << 20, &source, &err), XPD_EFORMAT);
    assert_int_equal(err.code, XPD_EFORMAT);
    assert_non_null(strstr(err.where, "xpdtest-"));
}

static void plain_by_another_name(const char *text)
{
    struct xpd_source *source;
    struct xpd_err err;
    assert_int_equal(open_bytes(text, strlen(text), ".gz", 1 << 20, &source, &err), XPD_OK);
    assert_int_equal(xpd_source_size(source), strlen(text));
    xpd_source_close(source);
}

static void no_gzip_at_all(void **state)
{
    (void)state;
    plain_by_another_name("HloModule x");
    plain_by_another_name("");
    refused("\x1f\x8b", 2, ".pb");
    refused(packed, 10, ".gz");                                    /* the header alone */
    uint8_t file[50] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x07}; /* block type 3 does not exist */
    refused(file, sizeof file, ".gz");
    file[2] = 7; /* an unknown method */
    refused(file, sizeof file, ".gz");
}

static void damaged(void **state)
{
    (void)state;
    struct xpd_source *source;
    struct xpd_err err;
    uint8_t *file = malloc(packed_size);
    assert_non_null(file);
    memcpy(file, packed, packed_size);
    file[packed_size - 8] ^= 1; /* checksum: all bytes are there, and they are not to be trusted */
    assert_int_equal(open_bytes(file, packed_size, ".gz", 1 << 20, &source, &err), XPD_OK);
    expect(source, plain, PLAIN, true);
    xpd_source_close(source);
    free(file);
}

static void limit(void **state)
{
    (void)state;
    struct xpd_source *source;
    struct xpd_err err;
    assert_int_equal(open_bytes(packed, packed_size, ".gz", PLAIN, &source, &err), XPD_OK);
    expect(source, plain, PLAIN, false);
    xpd_source_close(source);
    assert_int_equal(open_bytes(packed, packed_size, ".gz", PLAIN - 1, &source, &err), XPD_ELIMIT);
    assert_non_null(strstr(err.text, "699999"));
    assert_int_equal(open_bytes(packed, packed_size, ".gz", 1, &source, &err), XPD_ELIMIT);
    assert_int_equal(open_bytes(packed, packed_size, ".gz", 0, &source, &err), XPD_OK); /* none */
    xpd_source_close(source);

    /* Exactly the limit, and the checksum comes with the next read of 256 KiB: all is there, but
     * the end is not yet seen. */
    size_t size = 261900, file_size = 0;
    static uint8_t file[300000];
    while (file_size <= 262144)
        file_size = pack(plain, ++size, file, sizeof file);
    assert_in_range(file_size, 262145, 262151);
    assert_int_equal(open_bytes(file, file_size, ".gz", size, &source, &err), XPD_OK);
    expect(source, plain, size, false);
    xpd_source_close(source);
    assert_int_equal(open_bytes(file, file_size, ".gz", size - 1, &source, &err), XPD_ELIMIT);

    /* A bomb: 64 MiB of zeros in 64 kB is stopped at 1 MiB. */
    size = (size_t)64 << 20;
    uint8_t *zeros = calloc(size, 1), *bomb = malloc(100000);
    assert_non_null(zeros);
    assert_non_null(bomb);
    size_t bomb_size = pack(zeros, size, bomb, 100000);
    assert_int_equal(open_bytes(bomb, bomb_size, ".gz", 1 << 20, &source, &err), XPD_ELIMIT);
    assert_non_null(strstr(err.text, "1048576"));
    assert_int_equal(open_bytes(bomb, bomb_size, ".gz", size, &source, &err), XPD_OK);
    expect(source, zeros, size, false);
    xpd_source_close(source);
    free(zeros);
    free(bomb);
}

static void check_looks_at_the_file(void **state)
{
    (void)state;
    struct xpd_source *source;
    struct xpd_err err;
    char *path = temp_file(packed, packed_size, ".gz");
    assert_int_equal(xpd_source_open(&source, path, 1 << 20, &err), XPD_OK);
    assert_int_equal(xpd_source_check(source, &err), XPD_OK);
    temp_resize(path, 10);
    assert_int_equal(xpd_source_check(source, &err), XPD_ECHANGED);
    expect(source, plain, PLAIN, false); /* the bytes are ours */
    xpd_source_close(source);
    temp_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),     cmocka_unit_test(packed_bytes),
        cmocka_unit_test(watched),        cmocka_unit_test(members_and_padding),
        cmocka_unit_test(nothing_inside), cmocka_unit_test(cut_short),
        cmocka_unit_test(no_gzip_at_all), cmocka_unit_test(damaged),
        cmocka_unit_test(limit),          cmocka_unit_test(check_looks_at_the_file),
    };
    return cmocka_run_group_tests_name("source_gzip", tests, set_up, NULL);
}
