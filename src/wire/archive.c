/* Archives through libarchive.
 *
 * In: the path of an archive. Out: a list of its regular files, or one of them in memory. Formats
 * are switched on one by one: formats not used for logdirs (iso, cab, rar ...) stay off, and so
 * does every filter but gzip. */
#include "xprofd/wire/archive.h"
#include "source_internal.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"
#include "xprofd/base/str.h"
#include "xprofd/base/vec.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES  ((size_t)256 << 10)
#define NAME_MAX_LEN 4096 /* bytes of a path */

static bool begins_as_zip(int fd)
{
    char magic[4];
    return fd >= 0 && pread(fd, magic, 4, 0) == 4 && memcmp(magic, "PK\3\4", 4) == 0;
}

bool xpd_archive_is(const char *path)
{
    static const char *const ending[] = {".zip", ".tar", ".tar.gz", ".tgz"};
    struct xpd_str name = xpd_str_of(path);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (xpd_str_ends(name, ending[i]))
            return true;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool zip = begins_as_zip(fd);
    if (fd >= 0)
        close(fd);
    return zip;
}

struct reader {
    struct archive *archive;
    struct archive_entry *header;
    const char *path;
    int fd;
    struct xpd_identity identity;
    uint64_t place;
    locale_t utf8, before; /* of this thread, while the archive is read; 0: left as it was */
};

/* libarchive keeps a name in the character set of the locale and drops one that the locale cannot
 * hold: in the C locale, each UTF-8 name of a .zip that is not ASCII. Only the thread that reads
 * the archive changes its locale. */
static void enter_utf8(struct reader *reader)
{
    reader->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (reader->utf8)
        reader->before = uselocale(reader->utf8);
}

static void leave_utf8(struct reader *reader)
{
    if (!reader->utf8)
        return;
    uselocale(reader->before);
    freelocale(reader->utf8);
}

static int no_memory(const char *path, struct xpd_err *err)
{
    return xpd_no_memory(err, path, "for the archive");
}

static const char *reason(const struct reader *reader)
{
    const char *text = archive_error_string(reader->archive);
    /* libarchive takes a cut .zip for no archive at all. */
    if (archive_format(reader->archive) == 0 && begins_as_zip(reader->fd))
        return "it begins as a zip, but the list of its files, which ends one, is missing; it is "
               "probably cut";
    return text ? text : "it is damaged";
}

static void end_reader(struct reader *reader)
{
    if (reader->archive)
        archive_read_free(reader->archive);
    if (reader->fd >= 0)
        close(reader->fd);
    leave_utf8(reader);
}

static int begin_reader(struct reader *reader, const char *path, struct xpd_err *err)
{
    struct stat st;
    *reader = (struct reader){.path = path, .fd = -1, .archive = archive_read_new()};
    if (!reader->archive)
        return no_memory(path, err);
    enter_utf8(reader);
    reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (reader->fd < 0 || fstat(reader->fd, &st) != 0)
        return xpd_fail(err, XPD_ENOTFOUND, path, XPD_NO_OFFSET, "The archive cannot be opened.");
    if (!S_ISREG(st.st_mode))
        return xpd_fail(err, XPD_EIO, path, XPD_NO_OFFSET, "This is not a regular file.");
    reader->identity = xpd_identity_from(&st);
    archive_read_support_filter_gzip(reader->archive);
    archive_read_support_format_tar(reader->archive);
    archive_read_support_format_zip_seekable(reader->archive);
    if (archive_read_open_fd(reader->archive, reader->fd, BLOCK_BYTES) < ARCHIVE_WARN)
        return xpd_fail(err, XPD_EFORMAT, path, XPD_NO_OFFSET,
                        "This is not a readable archive (zip, tar, tar.gz): %s.", reason(reader));
    return XPD_OK;
}

/* 1: `header` is the next entry, 0: there is none, below 0: it cannot be read. */
static int next_header(struct reader *reader)
{
    int rc;
    do
        rc = archive_read_next_header(reader->archive, &reader->header);
    while (rc == ARCHIVE_RETRY);
    reader->place++;
    return rc == ARCHIVE_EOF ? 0 : rc < ARCHIVE_WARN ? -1 : 1;
}

static const char *name_of(struct archive_entry *header)
{
    const char *name = archive_entry_pathname_utf8(header);
    return name ? name : archive_entry_pathname(header);
}

/* "./logdir//run/x" as "logdir/run/x"; false for what leads out of the archive or is not a file. */
static bool plain_path(char *out, const char *name)
{
    size_t length = 0;
    if (!name || strlen(name) >= NAME_MAX_LEN)
        return false;
    while (*name) {
        size_t part = strcspn(name, "/");
        if (part == 2 && memcmp(name, "..", 2) == 0)
            return false;
        if (part > 0 && !(part == 1 && *name == '.')) {
            if (length > 0)
                out[length++] = '/';
            memcpy(out + length, name, part);
            length += part;
        }
        name += part + (name[part] == '/');
    }
    out[length] = '\0';
    return length > 0;
}

static bool is_wanted(struct archive_entry *header, char *path)
{
    return archive_entry_filetype(header) == AE_IFREG && !archive_entry_hardlink(header) &&
           plain_path(path, name_of(header));
}

static int by_path(const void *a, const void *b)
{
    const struct xpd_archive_entry *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : XPD_ORDER(x->place, y->place);
}

/* Of entries with one path the last counts, as for tar and unzip. */
static void sort_entries(struct xpd_archive_list *out)
{
    uint32_t kept = 0;
    if (out->count > 1)
        qsort(out->entry, out->count, sizeof *out->entry, by_path);
    for (uint32_t i = 0; i < out->count; i++)
        if (i + 1 == out->count || strcmp(out->entry[i].path, out->entry[i + 1].path) != 0)
            out->entry[kept++] = out->entry[i];
    out->count = kept;
}

struct listing {
    struct reader reader;
    struct xpd_arena *arena;
    XPD_VEC(struct xpd_archive_entry) entry;
    uint32_t left_out;
};

/* Nanoseconds since 1970: regardless of the archive, a number of 64 bits. */
static int64_t mtime_of(const struct listing *listing)
{
    struct archive_entry *header = listing->reader.header;
    bool overflow = false;
    if (!archive_entry_mtime_is_set(header))
        return listing->reader.identity.mtime_ns;
    int64_t time_ns = xpd_mul_i64(archive_entry_mtime(header), 1000000000, &overflow);
    return xpd_add_i64(time_ns, archive_entry_mtime_nsec(header), &overflow);
}

static bool take_entry(struct listing *listing)
{
    struct archive_entry *header = listing->reader.header;
    char path[NAME_MAX_LEN];
    if (archive_entry_filetype(header) == AE_IFDIR)
        return true;
    if (!is_wanted(header, path)) {
        listing->left_out++;
        return true;
    }
    struct xpd_archive_entry entry = {.path = xpd_arena_strndup(listing->arena, path, strlen(path)),
                                      .size_bytes = archive_entry_size_is_set(header) &&
                                                            archive_entry_size(header) > 0
                                                        ? (uint64_t)archive_entry_size(header)
                                                        : 0,
                                      .mtime_ns = mtime_of(listing),
                                      .place = listing->reader.place};
    XPD_PUSH(&listing->entry, entry);
    return entry.path && !listing->entry.failed;
}

static int read_list(struct listing *listing, const char **problem, struct xpd_err *err)
{
    const char *path = listing->reader.path;
    int step;
    *problem = NULL;
    while ((step = next_header(&listing->reader)) > 0) {
        if (!take_entry(listing))
            return no_memory(path, err);
        if (listing->entry.count < XPD_ARCHIVE_ENTRIES_MAX)
            continue;
        *problem = xpd_arena_printf(listing->arena,
                                    "Only the first %d files of the archive were "
                                    "listed: open a smaller one.",
                                    XPD_ARCHIVE_ENTRIES_MAX);
        return *problem ? XPD_OK : no_memory(path, err);
    }
    if (step < 0) {
        *problem = xpd_arena_printf(listing->arena,
                                    "The archive is damaged or ends early after %zu files: %s.",
                                    listing->entry.count, reason(&listing->reader));
        if (!*problem)
            return no_memory(path, err);
    }
    return XPD_OK;
}

int xpd_archive_list(struct xpd_archive_list *out, const char *path, struct xpd_arena *arena,
                     struct xpd_err *err)
{
    struct listing listing = {.arena = arena};
    *out = (struct xpd_archive_list){0};
    int rc = begin_reader(&listing.reader, path, err);
    if (rc == XPD_OK)
        rc = read_list(&listing, &out->problem, err);
    if (rc == XPD_OK && listing.entry.count == 0)
        rc =
            xpd_fail(err, XPD_EFORMAT, path, XPD_NO_OFFSET, "%s",
                     out->problem       ? out->problem
                     : listing.left_out ? "Each entry of this archive is a link or has a name that "
                                          "leads out of it, so none is read."
                                        : "There are no files in this archive.");
    if (rc == XPD_OK) {
        out->entry = XPD_NEW_ARRAY(arena, struct xpd_archive_entry, listing.entry.count);
        rc = out->entry ? XPD_OK : no_memory(path, err);
    }
    if (rc == XPD_OK) {
        out->count = (uint32_t)listing.entry.count;
        out->left_out = listing.left_out;
        out->identity = listing.reader.identity;
        memcpy(out->entry, listing.entry.at, listing.entry.count * sizeof *out->entry);
        sort_entries(out);
    }
    XPD_VEC_FINI(&listing.entry);
    end_reader(&listing.reader);
    return rc;
}

/* ---- one entry ---- */

struct held { /* bytes of an entry so far */
    uint8_t *bytes;
    uint64_t size, room, limit;
};

static int make_room(struct held *held, uint64_t more, const char *where, struct xpd_err *err)
{
    uint64_t wanted = held->size + more;
    if (wanted > held->limit)
        return xpd_fail(err, XPD_ELIMIT, where, XPD_NO_OFFSET,
                        "This file takes more than %" PRIu64 " bytes when unpacked; raise "
                        "--memory-limit or unpack the archive.",
                        held->limit);
    if (wanted <= held->room)
        return XPD_OK;
    uint64_t room = held->room * 2 > wanted ? held->room * 2 : wanted;
    uint8_t *bytes = realloc(held->bytes, room < held->limit ? room : held->limit);
    if (!bytes)
        return no_memory(where, err);
    held->bytes = bytes;
    held->room = room < held->limit ? room : held->limit;
    return XPD_OK;
}

/* Bytes of the archive read so far; the watch may end the work. */
static bool go_on(const struct reader *reader, const struct xpd_source_watch *watch, uint64_t held)
{
    off_t at = lseek(reader->fd, 0, SEEK_CUR);
    return !watch || watch->go_on(watch->ctx, at > 0 ? (uint64_t)at : 0, held);
}

static int read_entry(struct reader *reader, struct held *held,
                      const struct xpd_source_watch *watch, const char *where, struct xpd_err *err)
{
    for (;;) {
        int rc = make_room(
            held, BLOCK_BYTES < held->limit - held->size ? BLOCK_BYTES : held->limit - held->size,
            where, err);
        uint8_t one;
        if (rc != XPD_OK)
            return rc;
        bool full = held->size == held->limit; /* checks for an extra byte */
        la_ssize_t got = archive_read_data(reader->archive, full ? &one : held->bytes + held->size,
                                           full ? 1 : (size_t)(held->room - held->size));
        if (got == 0)
            return XPD_OK;
        if (got == ARCHIVE_RETRY)
            continue;
        if (got < 0 && archive_entry_is_data_encrypted(reader->header))
            return xpd_fail(err, XPD_EFORMAT, where, XPD_NO_OFFSET,
                            "This file is encrypted: unpack the archive with its password and open "
                            "the folder.");
        if (got < 0)
            return xpd_fail(err, XPD_EFORMAT, where, held->size,
                            "The archive is damaged inside this file: %s.", reason(reader));
        if (full)
            return make_room(held, 1, where, err);
        held->size += (uint64_t)got;
        if (!go_on(reader, watch, held->size))
            return xpd_fail(err, XPD_EBUSY, where, XPD_NO_OFFSET, "Reading was stopped.");
    }
}

static int find_entry(struct reader *reader, const struct xpd_archive_entry *entry,
                      const struct xpd_source_watch *watch, struct xpd_err *err)
{
    char path[NAME_MAX_LEN];
    int step;
    while ((step = next_header(reader)) > 0) {
        if (reader->place == entry->place && is_wanted(reader->header, path) &&
            strcmp(path, entry->path) == 0)
            return XPD_OK;
        if (!go_on(reader, watch, 0))
            return xpd_fail(err, XPD_EBUSY, entry->path, XPD_NO_OFFSET, "Reading was stopped.");
    }
    return step < 0 ? xpd_fail(err, XPD_EFORMAT, entry->path, XPD_NO_OFFSET,
                               "The archive is damaged before this file: %s.", reason(reader))
                    : xpd_fail(err, XPD_ENOTFOUND, entry->path, XPD_NO_OFFSET,
                               "There is no such file in the archive.");
}

/* Takes over the bytes. */
static int make_source(struct xpd_source **out, struct held *held, const char *name,
                       const struct xpd_identity *identity, struct xpd_err *err)
{
    bool packed = held->size >= 2 && held->bytes[0] == 0x1F && held->bytes[1] == 0x8B;
    int rc = packed ? xpd_source_open_packed(out, held->bytes, held->size, name, held->limit, err)
                    : xpd_source_open_memory(out, held->bytes, held->size, name, err);
    if (rc == XPD_OK) {
        (*out)->identity = *identity;
        if (!packed) {
            (*out)->owned = held->bytes;
            held->bytes = NULL;
        }
    }
    free(held->bytes);
    return rc;
}

int xpd_archive_open(struct xpd_source **out, const char *path, const struct xpd_identity *identity,
                     const struct xpd_archive_entry *entry, uint64_t inflate_limit_bytes,
                     const struct xpd_source_watch *watch, struct xpd_err *err)
{
    struct reader reader;
    struct held held = {.limit = inflate_limit_bytes};
    *out = NULL;
    int rc = begin_reader(&reader, path, err);
    if (rc == XPD_OK && !xpd_identity_eq(&reader.identity, identity))
        rc = xpd_fail(err, XPD_ECHANGED, xpd_last_part(path), XPD_NO_OFFSET,
                      "The archive has changed since it was listed; open it again.");
    if (rc == XPD_OK)
        rc = find_entry(&reader, entry, watch, err);
    if (rc == XPD_OK)
        rc = read_entry(&reader, &held, watch, entry->path, err);
    if (rc == XPD_OK)
        rc = make_source(out, &held, xpd_last_part(entry->path), identity, err);
    else
        free(held.bytes);
    end_reader(&reader);
    return rc;
}
