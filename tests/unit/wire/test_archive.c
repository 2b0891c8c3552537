/* Archives as folders: what is listed, what is left out, what one entry holds, damage, limits. */
#define _GNU_SOURCE 1
#include "support/tempfile.h"
#include "xprofd/wire/archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>

#define LIMIT (1u << 20)

struct member {
    const char *path, *text;
    const char *link; /* a symbolic link to it */
    int64_t mtime_s;  /* since 1970; 0: that of most */
};

static const struct member usual[] = {
    {"./plugins/profile/b/host.xplane.pb", "second", NULL, 0},
    {"plugins/profile/a/host.xplane.pb", "first", NULL, 0},
    {"../outside.xplane.pb", "no", NULL, 0},
    {"/etc/passwd", "a name only", NULL, 0},
    {"plugins/profile/a/link.xplane.pb", "", "/etc/passwd", 0},
    {"plugins/profile/a/host.xplane.pb", "first, written again", NULL, 0},
};
enum { USUAL = sizeof usual / sizeof *usual };

enum form { ZIP, TAR, TAR_GZ };
static const char *const ending[] = {".zip", ".tar", ".tar.gz"};

static void add(struct archive *archive, const struct member *member)
{
    struct archive_entry *header = archive_entry_new();
    size_t size = member->link ? 0 : strlen(member->text);
    archive_entry_set_pathname(header, member->path);
    archive_entry_set_filetype(header, member->link ? AE_IFLNK : AE_IFREG);
    archive_entry_set_size(header, (la_int64_t)size);
    archive_entry_set_perm(header, 0644);
    archive_entry_set_mtime(header, member->mtime_s ? member->mtime_s : 1700000000, 0);
    if (member->link)
        archive_entry_set_symlink(header, member->link);
    assert_int_equal(archive_write_header(archive, header), ARCHIVE_OK);
    if (size > 0)
        assert_int_equal(archive_write_data(archive, member->text, size), size);
    archive_entry_free(header);
}

static char *pack(enum form form, const struct member *member, size_t count)
{
    char *path = temp_file("", 0, ending[form]);
    struct archive *archive = archive_write_new();
    if (form == ZIP)
        archive_write_set_format_zip(archive);
    else
        archive_write_set_format_pax_restricted(archive);
    if (form == TAR_GZ)
        archive_write_add_filter_gzip(archive);
    assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++)
        add(archive, &member[i]);
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    return path;
}

static void expect_text(const struct xpd_archive_list *list, const char *path, uint32_t entry,
                        const char *text)
{
    struct xpd_source *source = NULL;
    struct xpd_err err;
    char found[64] = "";
    assert_int_equal(
        xpd_archive_open(&source, path, &list->identity, &list->entry[entry], LIMIT, NULL, &err),
        XPD_OK);
    assert_int_equal(xpd_source_size(source), strlen(text));
    assert_int_equal(xpd_source_read(source, 0, found, strlen(text), &err), XPD_OK);
    assert_string_equal(found, text);
    assert_int_equal(xpd_source_check(source, &err), XPD_OK);
    xpd_source_close(source);
}

static void each_form_lists_its_files(void **state)
{
    (void)state;
    for (enum form form = ZIP; form <= TAR_GZ; form++) {
        char *path = pack(form, usual, USUAL);
        struct xpd_arena arena = {0};
        struct xpd_archive_list list;
        struct xpd_err err;
        assert_true(xpd_archive_is(path));
        assert_int_equal(xpd_archive_list(&list, path, &arena, &err), XPD_OK);
        assert_null(list.problem);
        assert_int_equal(list.count, 3);
        assert_int_equal(list.left_out, 2);
        assert_string_equal(list.entry[0].path, "etc/passwd");
        assert_string_equal(list.entry[1].path, "plugins/profile/a/host.xplane.pb");
        assert_string_equal(list.entry[2].path, "plugins/profile/b/host.xplane.pb");
        assert_int_equal(list.entry[1].size_bytes, strlen("first, written again"));
        assert_int_equal(list.entry[1].mtime_ns, INT64_C(1700000000) * 1000000000);
        expect_text(&list, path, 1, "first, written again");
        expect_text(&list, path, 2, "second");
        xpd_arena_fini(&arena);
        temp_remove(path);
    }
}

static void a_time_that_fits_no_nanoseconds(void **state)
{
    (void)state;
    const struct member late = {"late.xplane.pb", "x", NULL, INT64_C(1) << 60};
    char *path = pack(TAR, &late, 1);
    struct xpd_arena arena = {0};
    struct xpd_archive_list list;
    struct xpd_err err;
    assert_int_equal(xpd_archive_list(&list, path, &arena, &err), XPD_OK);
    assert_int_equal(list.entry[0].mtime_ns, INT64_MAX);
    xpd_arena_fini(&arena);
    temp_remove(path);
}

static void a_gzip_inside_is_inflated(void **state)
{
    (void)state;
    char *packed = temp_file("", 0, ".gz"), bytes[256];
    gzFile gz = gzopen(packed, "wb");
    assert_int_equal(gzwrite(gz, "twice", 5), 5);
    gzclose(gz);
    FILE *file = fopen(packed, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);

    char *path = temp_file("", 0, ".tar");
    struct archive *archive = archive_write_new();
    struct archive_entry *header = archive_entry_new();
    archive_write_set_format_ustar(archive);
    archive_write_open_filename(archive, path);
    archive_entry_set_pathname(header, "host.xplane.pb.gz");
    archive_entry_set_filetype(header, AE_IFREG);
    archive_entry_set_size(header, (la_int64_t)size);
    archive_write_header(archive, header);
    archive_write_data(archive, bytes, size);
    archive_entry_free(header);
    archive_write_close(archive);
    archive_write_free(archive);

    struct xpd_arena arena = {0};
    struct xpd_archive_list list;
    assert_int_equal(xpd_archive_list(&list, path, &arena, NULL), XPD_OK);
    expect_text(&list, path, 0, "twice");
    xpd_arena_fini(&arena);
    temp_remove(path);
    temp_remove(packed);
}

/* Python's zipfile marks a name that is not ASCII as UTF-8; it is read in any locale of the
 * process. */
static void a_zip_with_names_in_utf8(void **state)
{
    (void)state;
    /* ZipFile.writestr("l\u00e4ufe/a.xplane.pb", "text") */
    static const uint8_t bytes[] = {
        0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x6e, 0x57,
        0xc7, 0xa7, 0x8b, 0x3b, 0x04, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x12, 0x00,
        0x00, 0x00, 0x6c, 0xc3, 0xa4, 0x75, 0x66, 0x65, 0x2f, 0x61, 0x2e, 0x78, 0x70, 0x6c,
        0x61, 0x6e, 0x65, 0x2e, 0x70, 0x62, 0x74, 0x65, 0x78, 0x74, 0x50, 0x4b, 0x01, 0x02,
        0x14, 0x03, 0x14, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x6e, 0x57, 0xc7, 0xa7,
        0x8b, 0x3b, 0x04, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x12, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00,
        0x6c, 0xc3, 0xa4, 0x75, 0x66, 0x65, 0x2f, 0x61, 0x2e, 0x78, 0x70, 0x6c, 0x61, 0x6e,
        0x65, 0x2e, 0x70, 0x62, 0x50, 0x4b, 0x05, 0x06, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00,
        0x01, 0x00, 0x40, 0x00, 0x00, 0x00, 0x34, 0x00, 0x00, 0x00, 0x00, 0x00,
    };
    char *path = temp_file(bytes, sizeof bytes, ".zip");
    struct xpd_arena arena = {0};
    struct xpd_archive_list list;
    struct xpd_err err = {0};
    assert_int_equal(xpd_archive_list(&list, path, &arena, &err), XPD_OK);
    assert_null(list.problem);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.left_out, 0);
    assert_string_equal(list.entry[0].path, "l\xc3\xa4"
                                            "ufe/a.xplane.pb");
    expect_text(&list, path, 0, "text");
    xpd_arena_fini(&arena);
    temp_remove(path);
}

/* Cut anywhere: a list with its problem or an error, never bytes that were not written. */
static void cut_archives(void **state)
{
    (void)state;
    for (enum form form = ZIP; form <= TAR_GZ; form++) {
        char *path = pack(form, usual, USUAL);
        FILE *file = fopen(path, "rb");
        static char bytes[65536];
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        uint32_t told = 0;
        for (size_t cut = 0; cut < size; cut += 37) {
            char *part = temp_file(bytes, cut, ending[form]);
            struct xpd_arena arena = {0};
            struct xpd_archive_list list;
            struct xpd_err err = {0};
            int rc = xpd_archive_list(&list, part, &arena, &err);
            assert_true(rc == XPD_OK || rc == XPD_EFORMAT);
            told += rc != XPD_OK || list.problem;
            for (uint32_t i = 0; rc == XPD_OK && i < list.count; i++) {
                struct xpd_source *source = NULL;
                rc = xpd_archive_open(&source, part, &list.identity, &list.entry[i], LIMIT, NULL,
                                      &err);
                assert_true(rc == XPD_OK || rc == XPD_EFORMAT || rc == XPD_ENOTFOUND);
                xpd_source_close(source);
                rc = XPD_OK;
            }
            xpd_arena_fini(&arena);
            temp_remove(part);
        }
        assert_true(told > 0);
        temp_remove(path);
    }
}

static bool never(void *ctx, uint64_t file_bytes, uint64_t held_bytes)
{
    (void)ctx;
    (void)file_bytes;
    (void)held_bytes;
    return false;
}

static void limits_and_changes_are_told(void **state)
{
    (void)state;
    char *path = pack(TAR_GZ, usual, USUAL);
    struct xpd_arena arena = {0};
    struct xpd_archive_list list;
    struct xpd_source *source = NULL;
    struct xpd_err err = {0};
    assert_int_equal(xpd_archive_list(&list, path, &arena, &err), XPD_OK);
    size_t size = list.entry[1].size_bytes;
    assert_int_equal(
        xpd_archive_open(&source, path, &list.identity, &list.entry[1], size - 1, NULL, &err),
        XPD_ELIMIT);
    assert_non_null(strstr(err.text, "19 bytes"));
    assert_int_equal(
        xpd_archive_open(&source, path, &list.identity, &list.entry[1], size, NULL, &err), XPD_OK);
    xpd_source_close(source);

    struct xpd_source_watch stop = {.go_on = never};
    assert_int_equal(
        xpd_archive_open(&source, path, &list.identity, &list.entry[1], LIMIT, &stop, &err),
        XPD_EBUSY);
    struct xpd_archive_entry other = list.entry[1];
    other.path = "plugins/profile/a/none.xplane.pb";
    assert_int_equal(xpd_archive_open(&source, path, &list.identity, &other, LIMIT, NULL, &err),
                     XPD_ENOTFOUND);
    struct xpd_identity earlier = list.identity;
    earlier.mtime_ns--;
    assert_int_equal(xpd_archive_open(&source, path, &earlier, &list.entry[1], LIMIT, NULL, &err),
                     XPD_ECHANGED);
    xpd_arena_fini(&arena);
    temp_remove(path);
}

static void what_is_no_archive(void **state)
{
    (void)state;
    char *path = temp_file("no archive at all", 17, ".zip"), *none = temp_file("PK", 2, ".pb");
    struct xpd_arena arena = {0};
    struct xpd_archive_list list;
    struct xpd_err err = {0};
    assert_true(xpd_archive_is(path));
    assert_false(xpd_archive_is(none));
    assert_int_equal(xpd_archive_list(&list, path, &arena, &err), XPD_EFORMAT);
    assert_int_equal(xpd_archive_list(&list, "/nonexistent.zip", &arena, &err), XPD_ENOTFOUND);
    char *empty = pack(ZIP, usual, 0);
    assert_int_equal(xpd_archive_list(&list, empty, &arena, &err), XPD_EFORMAT);
    assert_true(err.text[0] != '\0');
    xpd_arena_fini(&arena);
    temp_remove(empty);
    temp_remove(none);
    temp_remove(path);
}

/* What leads out of the archive is never read; an archive of nothing else says so. */
static void all_lead_out(void **state)
{
    (void)state;
    for (enum form form = ZIP; form <= TAR_GZ; form++) {
        char *path = pack(form, &usual[2], 1);
        struct xpd_arena arena = {0};
        struct xpd_archive_list list;
        struct xpd_err err = {0};
        assert_int_equal(xpd_archive_list(&list, path, &arena, &err), XPD_EFORMAT);
        assert_non_null(strstr(err.text, "leads out of it"));
        xpd_arena_fini(&arena);
        temp_remove(path);
    }
}

/* Listed as any, but not to be read without the password: that is no damage. */
static void an_encrypted_zip_says_so(void **state)
{
    (void)state;
    char *path = temp_file("", 0, ".zip");
    struct archive *archive = archive_write_new();
    archive_write_set_format_zip(archive);
    assert_int_equal(archive_write_set_options(archive, "zip:encryption=zipcrypt"), ARCHIVE_OK);
    assert_int_equal(archive_write_set_passphrase(archive, "secret"), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
    add(archive, &usual[1]);
    archive_write_close(archive);
    archive_write_free(archive);

    struct xpd_arena arena = {0};
    struct xpd_archive_list list;
    struct xpd_source *source = NULL;
    struct xpd_err err = {0};
    assert_int_equal(xpd_archive_list(&list, path, &arena, &err), XPD_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(
        xpd_archive_open(&source, path, &list.identity, &list.entry[0], LIMIT, NULL, &err),
        XPD_EFORMAT);
    assert_non_null(strstr(err.text, "encrypted"));
    assert_null(strstr(err.text, "damaged"));
    xpd_arena_fini(&arena);
    temp_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_lists_its_files),
        cmocka_unit_test(a_time_that_fits_no_nanoseconds),
        cmocka_unit_test(a_gzip_inside_is_inflated),
        cmocka_unit_test(a_zip_with_names_in_utf8),
        cmocka_unit_test(cut_archives),
        cmocka_unit_test(limits_and_changes_are_told),
        cmocka_unit_test(what_is_no_archive),
        cmocka_unit_test(all_lead_out),
        cmocka_unit_test(an_encrypted_zip_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
