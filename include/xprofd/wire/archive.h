/* Archives read as folders: .zip, .tar, .tar.gz, as CI stores a logdir.
 *
 * libarchive reads them. Nothing is unpacked to disk: an entry that is opened is inflated into
 * memory. The names in an archive are only compared with each other; they never name a file. */
#ifndef XPROFD_WIRE_ARCHIVE_H
#define XPROFD_WIRE_ARCHIVE_H

#include "xprofd/base/arena.h"
#include "xprofd/wire/source.h"

#define XPD_ARCHIVE_ENTRIES_MAX 1000000 /* beyond it the list ends with a note */

struct xpd_archive_entry {
    const char *path;    /* "plugins/profile/run/host.xplane.pb"; no "/" first, no "." or ".." */
    uint64_t size_bytes; /* unpacked */
    int64_t mtime_ns;    /* since 1970; that of the archive where the entry says none */
    uint64_t place;      /* index of its header among all headers: a name may occur twice */
};

struct xpd_archive_list {
    struct xpd_archive_entry
        *entry; /* regular files, by path; of one path the last that was added */
    uint32_t count;
    uint32_t left_out; /* links, devices, names that point out of the archive */
    const char
        *problem; /* the archive ends early or is damaged behind these entries; NULL = whole */
    struct xpd_identity identity; /* of the archive */
};

/* Whether a file is an archive, by its name or by the first bytes of a zip. */
bool xpd_archive_is(const char *path);
/* Reads the names. XPD_EFORMAT if no entry can be read, else the readable entries and `problem`. In
 * the arena. */
int xpd_archive_list(struct xpd_archive_list *out, const char *path, struct xpd_arena *arena,
                     struct xpd_err *err);
/* One entry as a source; an entry that is itself gzip is inflated too, like a file. Of a
 * .tar.gz everything before it is inflated and dropped. XPD_ENOTFOUND, XPD_ECHANGED when the
 * archive is not the one that was listed, XPD_ELIMIT with the number of bytes allowed,
 * XPD_EFORMAT. */
int xpd_archive_open(struct xpd_source **out, const char *path, const struct xpd_identity *identity,
                     const struct xpd_archive_entry *entry, uint64_t inflate_limit_bytes,
                     const struct xpd_source_watch *watch, struct xpd_err *err);

#endif
