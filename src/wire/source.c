/* Opens files that are read by ranges.
 *
 * In: a path, or bytes the caller keeps alive. Out: a source for positional reads (source_read.c)
 * and the identity taken at open. Invariants: exactly one of fd >= 0 and memory != NULL holds; size
 * is the readable size; nothing changes after open, so any thread may read. Inflating is in
 * source_gzip.c, which reads the compressed file. */
#define _GNU_SOURCE 1
#include "source_gzip.h"
#include "source_internal.h"

#include "xprofd/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int out_of_memory(struct xpd_err *err, const char *where)
{
    return xpd_no_memory(err, where, "to open the file");
}

static int open_failed(int error, const char *path, struct xpd_err *err)
{
    if (error == ENOENT || error == ENOTDIR)
        return xpd_fail(err, XPD_ENOTFOUND, path, XPD_NO_OFFSET, "There is no such file.");
    if (error == ENXIO || error == ENODEV)
        return xpd_fail(err, XPD_EIO, path, XPD_NO_OFFSET, "This is not a regular file.");
    return xpd_fail(err, XPD_EIO, path, XPD_NO_OFFSET, "The file cannot be opened: %s.",
                    strerror(error));
}

/* O_NONBLOCK: opening a FIFO without a writer would block forever. It has no effect on a file. */
static int open_regular(struct xpd_source *source, const char *path, struct xpd_err *err)
{
    do
        source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (source->fd < 0 && errno == EINTR);
    if (source->fd < 0)
        return open_failed(errno, path, err);
    struct stat st;
    if (fstat(source->fd, &st) != 0)
        return open_failed(errno, path, err);
    if (!S_ISREG(st.st_mode))
        return xpd_fail(err, XPD_EIO, path, XPD_NO_OFFSET, "This is not a regular file.");
    source->identity = xpd_identity_from(&st);
    source->size = source->identity.size_bytes;
    return XPD_OK;
}

/* By its bytes: browsers and servers inflate a download and leave it the name .gz. */
static bool is_gzip(const struct xpd_source *source)
{
    uint8_t magic[2];
    return source->size >= 2 && xpd_source_read(source, 0, magic, 2, NULL) == XPD_OK &&
           magic[0] == 0x1F && magic[1] == 0x8B;
}

static int inflate_all(struct xpd_source *source, uint64_t limit_bytes,
                       const struct xpd_source_watch *watch, struct xpd_err *err)
{
    struct xpd_inflated result;
    int rc = xpd_inflate_file(source, limit_bytes, watch, &result, err);
    if (rc != XPD_OK)
        return rc;
    source->owned = result.bytes;
    /* Written to while we inflated: what we have may be neither the old nor the new file. */
    struct stat st;
    struct xpd_identity now = source->fd < 0 ? source->identity : (struct xpd_identity){0};
    if (source->fd >= 0 && fstat(source->fd, &st) == 0)
        now = xpd_identity_from(&st);
    if (!xpd_identity_eq(&now, &source->identity))
        return xpd_fail(err, XPD_ECHANGED, source->name, XPD_NO_OFFSET,
                        "The file changes while it is read; open it again.");
    source->memory = result.bytes;
    source->size = result.size;
    source->truncated_gzip = result.truncated;
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
    return XPD_OK;
}

int xpd_source_open(struct xpd_source **out, const char *path, uint64_t inflate_limit_bytes,
                    struct xpd_err *err)
{
    return xpd_source_open_watched(out, path, inflate_limit_bytes, NULL, err);
}

int xpd_source_open_watched(struct xpd_source **out, const char *path, uint64_t inflate_limit_bytes,
                            const struct xpd_source_watch *watch, struct xpd_err *err)
{
    *out = NULL;
    struct xpd_source *source = calloc(1, sizeof *source);
    if (!source)
        return out_of_memory(err, path);
    source->fd = -1;
    source->path = strdup(path);
    source->name = strdup(xpd_last_part(path));
    if (!source->path || !source->name) {
        xpd_source_close(source);
        return out_of_memory(err, path);
    }
    int rc = open_regular(source, path, err);
    if (rc == XPD_OK && is_gzip(source))
        rc = inflate_all(source, inflate_limit_bytes, watch, err);
    if (rc != XPD_OK) {
        xpd_source_close(source);
        return rc;
    }
    /* A hint only: the directory pass reads forward. */
    if (source->fd >= 0)
        (void)posix_fadvise(source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    *out = source;
    return XPD_OK;
}

int xpd_source_open_memory(struct xpd_source **out, const void *bytes, size_t size,
                           const char *name, struct xpd_err *err)
{
    static const uint8_t nothing[1];
    *out = NULL;
    struct xpd_source *source = calloc(1, sizeof *source);
    if (!source)
        return out_of_memory(err, name);
    source->fd = -1;
    source->memory = bytes ? bytes : nothing;
    source->size = bytes ? size : 0;
    source->identity.size_bytes = source->size;
    source->name = strdup(name ? name : "");
    if (!source->name) {
        xpd_source_close(source);
        return out_of_memory(err, name);
    }
    *out = source;
    return XPD_OK;
}

int xpd_source_open_packed(struct xpd_source **out, const void *bytes, size_t size,
                           const char *name, uint64_t inflate_limit_bytes, struct xpd_err *err)
{
    int rc = xpd_source_open_memory(out, bytes, size, name, err);
    if (rc == XPD_OK)
        rc = inflate_all(*out, inflate_limit_bytes, NULL, err);
    if (rc != XPD_OK) {
        xpd_source_close(*out);
        *out = NULL;
    }
    return rc;
}

void xpd_source_close(struct xpd_source *source)
{
    if (!source)
        return;
    if (source->fd >= 0)
        close(source->fd);
    free(source->owned);
    free(source->path);
    free(source->name);
    free(source);
}
