/* A file to read by ranges: plain file through pread, or a .gz inflated into memory (bounded).
 *
 * Never mmap: truncating a mapped file would kill the process. The identity taken at open
 * (device, inode, size, mtime) is checked again by xpd_source_check; a file that changed is
 * XPD_ECHANGED, never a mix of old and new bytes. */
#ifndef XPROFD_WIRE_SOURCE_H
#define XPROFD_WIRE_SOURCE_H

#include "xprofd/base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpd_identity {
    uint64_t device, inode, size_bytes;
    int64_t mtime_ns;
};

struct xpd_source; /* thread safe after open: all reads are positional */

/* Opens a regular file (the scanner uses O_NOFOLLOW on the last part; this function follows
 * links). What begins as gzip is inflated, whatever its name, at most `inflate_limit_bytes`
 * (XPD_ELIMIT with the number otherwise). Errors: XPD_ENOTFOUND, XPD_EIO (no permission, not
 * a regular file), XPD_EFORMAT (damaged gzip: the inflated part is kept and *truncated is
 * set). */
int xpd_source_open(struct xpd_source **out, const char *path, uint64_t inflate_limit_bytes,
                    struct xpd_err *err);
/* The same with progress of inflating: go_on(ctx, bytes of the file read so far, inflated bytes
 * held) is called after each piece; false ends the call with XPD_EBUSY. Not called for plain files.
 */
struct xpd_source_watch {
    bool (*go_on)(void *ctx, uint64_t file_bytes, uint64_t held_bytes);
    void *ctx;
};
int xpd_source_open_watched(struct xpd_source **out, const char *path, uint64_t inflate_limit_bytes,
                            const struct xpd_source_watch *watch, struct xpd_err *err);
/* Wraps bytes that the caller keeps alive (tests, fuzzers). XPD_ENOMEM. */
int xpd_source_open_memory(struct xpd_source **out, const void *bytes, size_t size,
                           const char *name, struct xpd_err *err);
/* The same for a gzip: reads give the inflated bytes. XPD_ENOMEM. */
int xpd_source_open_packed(struct xpd_source **out, const void *bytes, size_t size,
                           const char *name, uint64_t inflate_limit_bytes, struct xpd_err *err);
void xpd_source_close(struct xpd_source *source); /* NULL is legal */

uint64_t xpd_source_size(const struct xpd_source *source);    /* bytes after inflating */
const char *xpd_source_name(const struct xpd_source *source); /* last part of the path */
const struct xpd_identity *xpd_source_identity(const struct xpd_source *source);
/* Whether a .gz ended early; the inflated part is available. */
bool xpd_source_truncated_gzip(const struct xpd_source *source);
struct stat;
struct xpd_identity xpd_identity_from(const struct stat *st);
bool xpd_identity_of(const char *path, struct xpd_identity *out); /* false when stat fails */
bool xpd_identity_eq(const struct xpd_identity *a, const struct xpd_identity *b);

/* Reads exactly size bytes; a short read is XPD_ECHANGED (the file shrank) or XPD_EIO. */
int xpd_source_read(const struct xpd_source *source, uint64_t offset, void *into, size_t size,
                    struct xpd_err *err);
/* XPD_ECHANGED when the file is not the one that was opened. */
int xpd_source_check(const struct xpd_source *source, struct xpd_err *err);
/* The bytes themselves when they are in memory (inflated or wrapped), else NULL. */
const uint8_t *xpd_source_memory(const struct xpd_source *source);

#endif
