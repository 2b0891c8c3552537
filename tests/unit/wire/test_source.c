/* Plain files: what can be opened, ranges, files that change underneath. */
#define _GNU_SOURCE 1
#include "support/tempfile.h"
#include "xprofd/wire/source.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT (1u << 20)

static void ranges(void **state)
{
    (void)state;
    char *path = temp_file("0123456789", 10, ".pb");
    struct xpd_source *source = NULL;
    struct xpd_err err;
    assert_int_equal(xpd_source_open(&source, path, LIMIT, &err), XPD_OK);
    assert_int_equal(xpd_source_size(source), 10);
    assert_string_equal(xpd_source_name(source), strrchr(path, '/') + 1);
    assert_null(xpd_source_memory(source));
    assert_false(xpd_source_truncated_gzip(source));

    char into[11] = "..........";
    assert_int_equal(xpd_source_read(source, 3, into, 4, &err), XPD_OK);
    assert_memory_equal(into, "3456......", 10);
    assert_int_equal(xpd_source_read(source, 0, into, 10, &err), XPD_OK);
    assert_memory_equal(into, "0123456789", 10);
    assert_int_equal(xpd_source_read(source, 10, into, 0, &err), XPD_OK);

    assert_int_equal(xpd_source_read(source, 7, into, 4, &err), XPD_EINVAL);
    assert_int_equal(err.offset, 7);
    assert_int_equal(xpd_source_read(source, 11, into, 0, &err), XPD_EINVAL);
    assert_int_equal(err.offset, 11);
    assert_int_equal(xpd_source_read(source, UINT64_MAX, into, 2, &err), XPD_EINVAL);
    assert_int_equal(xpd_source_read(source, 2, into, SIZE_MAX, &err), XPD_EINVAL);
    assert_int_equal(xpd_source_check(source, &err), XPD_OK);
    xpd_source_close(source);
    temp_remove(path);
}

static void empty_file(void **state)
{
    (void)state;
    char *path = temp_file("", 0, NULL);
    struct xpd_source *source = NULL;
    struct xpd_err err;
    assert_int_equal(xpd_source_open(&source, path, LIMIT, &err), XPD_OK);
    assert_int_equal(xpd_source_size(source), 0);
    char byte;
    assert_int_equal(xpd_source_read(source, 0, &byte, 0, &err), XPD_OK);
    assert_int_equal(xpd_source_read(source, 0, &byte, 1, &err), XPD_EINVAL);
    xpd_source_close(source);
    temp_remove(path);
}

static void refused(const char *path, int code)
{
    struct xpd_source *source = (struct xpd_source *)(uintptr_t)8;
    struct xpd_err err;
    assert_int_equal(xpd_source_open(&source, path, LIMIT, &err), code);
    assert_null(source);
    assert_int_equal(err.code, code);
    assert_true(err.offset == XPD_NO_OFFSET);
    assert_string_equal(err.where, path);
    assert_true(strlen(err.text) > 10);
}

static void what_is_no_file(void **state)
{
    (void)state;
    char *path = temp_file("x", 1, NULL);
    char name[300];
    snprintf(name, sizeof name, "%s/below", path);
    refused(name, XPD_ENOTFOUND); /* a file is not a directory */
    snprintf(name, sizeof name, "%s.missing", path);
    refused(name, XPD_ENOTFOUND);
    refused("", XPD_ENOTFOUND);
    refused("/", XPD_EIO);
    refused("/dev/null", XPD_EIO);

    /* A FIFO without a writer: the alarm ends an open that waits. */
    snprintf(name, sizeof name, "%s.fifo", path);
    assert_int_equal(mkfifo(name, 0600), 0);
    alarm(10);
    refused(name, XPD_EIO);
    alarm(0);
    unlink(name);

    if (geteuid() != 0) { /* root may read everything */
        assert_int_equal(chmod(path, 0), 0);
        refused(path, XPD_EIO);
    }
    xpd_source_close(NULL);
    temp_remove(path);
}

static void file_that_shrinks(void **state)
{
    (void)state;
    char bytes[1000];
    memset(bytes, 'a', sizeof bytes);
    char *path = temp_file(bytes, sizeof bytes, NULL);
    struct xpd_source *source = NULL;
    struct xpd_err err;
    assert_int_equal(xpd_source_open(&source, path, LIMIT, &err), XPD_OK);
    temp_resize(path, 600);
    assert_int_equal(xpd_source_read(source, 0, bytes, 600, &err), XPD_OK);
    assert_int_equal(xpd_source_read(source, 500, bytes, 200, &err), XPD_ECHANGED);
    assert_int_equal(err.offset, 600); /* where it ended */
    assert_int_equal(xpd_source_check(source, &err), XPD_ECHANGED);
    xpd_source_close(source);
    temp_remove(path);
}

static void file_that_changes(void **state)
{
    (void)state;
    struct xpd_source *source = NULL;
    struct xpd_err err;
    char *path = temp_file("0123456789", 10, NULL);

    /* Same size, same inode, other time. */
    assert_int_equal(xpd_source_open(&source, path, LIMIT, &err), XPD_OK);
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000, .tv_nsec = 5}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(xpd_source_check(source, &err), XPD_ECHANGED);
    xpd_source_close(source);

    assert_int_equal(xpd_source_open(&source, path, LIMIT, &err), XPD_OK);
    assert_int_equal(xpd_source_identity(source)->mtime_ns, 1000000000005);
    assert_int_equal(xpd_source_identity(source)->size_bytes, 10);
    struct xpd_identity now = {0};
    assert_true(xpd_identity_of(path, &now));
    assert_true(xpd_identity_eq(&now, xpd_source_identity(source)));

    /* Another file under the name, the same in size and time: only the inode tells. */
    char *other = temp_file("abcdefghij", 10, NULL);
    assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
    assert_int_equal(rename(other, path), 0);
    assert_int_equal(xpd_source_check(source, &err), XPD_ECHANGED);
    char into[10];
    assert_int_equal(xpd_source_read(source, 0, into, 10, &err), XPD_OK);
    assert_memory_equal(into, "0123456789", 10); /* never a mix: the old bytes */
    free(other);

    unlink(path);
    assert_int_equal(xpd_source_check(source, &err), XPD_ECHANGED);
    assert_false(xpd_identity_of(path, &now));
    xpd_source_close(source);
    free(path);
}

static void memory(void **state)
{
    (void)state;
    struct xpd_source *source = NULL;
    struct xpd_err err;
    static const uint8_t bytes[] = {1, 2, 3, 4};
    assert_int_equal(xpd_source_open_memory(&source, bytes, 4, "vector", &err), XPD_OK);
    assert_ptr_equal(xpd_source_memory(source), bytes);
    assert_int_equal(xpd_source_size(source), 4);
    assert_string_equal(xpd_source_name(source), "vector");
    uint8_t into[2];
    assert_int_equal(xpd_source_read(source, 2, into, 2, &err), XPD_OK);
    assert_memory_equal(into, bytes + 2, 2);
    assert_int_equal(xpd_source_read(source, 3, into, 2, &err), XPD_EINVAL);
    assert_string_equal(err.where, "vector");
    assert_int_equal(err.offset, 3);
    assert_int_equal(xpd_source_check(source, &err), XPD_OK);
    xpd_source_close(source);

    assert_int_equal(xpd_source_open_memory(&source, NULL, 0, NULL, &err), XPD_OK);
    assert_non_null(xpd_source_memory(source)); /* in memory, though there is nothing */
    assert_int_equal(xpd_source_size(source), 0);
    assert_string_equal(xpd_source_name(source), "");
    xpd_source_close(source);
}

static void beyond_4_gib(void **state)
{
    (void)state;
    char *path = temp_file("", 0, NULL);
    temp_write_at(path, UINT64_C(5000000000), "far", 3);
    struct xpd_source *source = NULL;
    struct xpd_err err;
    char into[8] = "........";
    assert_int_equal(xpd_source_open(&source, path, LIMIT, &err), XPD_OK);
    assert_true(xpd_source_size(source) == UINT64_C(5000000003));
    assert_int_equal(xpd_source_read(source, UINT64_C(4999999999), into, 4, &err), XPD_OK);
    assert_memory_equal(into, "\0far....", 8);
    assert_int_equal(xpd_source_read(source, UINT64_C(5000000001), into, 3, &err), XPD_EINVAL);
    assert_true(err.offset == UINT64_C(5000000001));
    xpd_source_close(source);
    temp_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),
        cmocka_unit_test(empty_file),
        cmocka_unit_test(what_is_no_file),
        cmocka_unit_test(file_that_shrinks),
        cmocka_unit_test(file_that_changes),
        cmocka_unit_test(memory),
        cmocka_unit_test(beyond_4_gib),
    };
    return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
