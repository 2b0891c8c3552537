/* An open file: reads by ranges, what it is, and whether it is still the same. */
#define _GNU_SOURCE 1
#include "source_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct xpd_identity xpd_identity_from(const struct stat *st)
{
    /* Unsigned: a mtime far out of range may wrap, it only has to compare equal to itself. */
    uint64_t ns = (uint64_t)st->st_mtim.tv_sec * UINT64_C(1000000000);
    return (struct xpd_identity){
        .device = (uint64_t)st->st_dev,
        .inode = (uint64_t)st->st_ino,
        .size_bytes = (uint64_t)st->st_size,
        .mtime_ns = (int64_t)(ns + (uint64_t)st->st_mtim.tv_nsec),
    };
}

bool xpd_identity_of(const char *path, struct xpd_identity *out)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    *out = xpd_identity_from(&st);
    return true;
}

bool xpd_identity_eq(const struct xpd_identity *a, const struct xpd_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size_bytes == b->size_bytes &&
           a->mtime_ns == b->mtime_ns;
}

uint64_t xpd_source_size(const struct xpd_source *source)
{
    return source->size;
}

const char *xpd_source_name(const struct xpd_source *source)
{
    return source->name;
}

const struct xpd_identity *xpd_source_identity(const struct xpd_source *source)
{
    return &source->identity;
}

bool xpd_source_truncated_gzip(const struct xpd_source *source)
{
    return source->truncated_gzip;
}

const uint8_t *xpd_source_memory(const struct xpd_source *source)
{
    return source->memory;
}

int xpd_source_read(const struct xpd_source *source, uint64_t offset, void *into, size_t size,
                    struct xpd_err *err)
{
    if (offset > source->size || size > source->size - offset)
        return xpd_fail(err, XPD_EINVAL, source->name, offset,
                        "The range of %zu bytes passes the end of the file.", size);
    if (size == 0)
        return XPD_OK;
    if (source->memory) {
        memcpy(into, source->memory + offset, size);
        return XPD_OK;
    }
    uint8_t *at = into;
    while (size != 0) {
        /* st_size was positive when offset and size were checked against it: off_t holds both. */
        ssize_t n = pread(source->fd, at, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return xpd_fail(err, XPD_EIO, source->name, offset, "The file cannot be read: %s.",
                            strerror(errno));
        if (n == 0)
            return xpd_fail(err, XPD_ECHANGED, source->name, offset,
                            "The file has become shorter since it was opened; open it again.");
        at += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return XPD_OK;
}

int xpd_source_check(const struct xpd_source *source, struct xpd_err *err)
{
    if (!source->path)
        return XPD_OK;
    struct xpd_identity now;
    if (!xpd_identity_of(source->path, &now))
        return xpd_fail(err, XPD_ECHANGED, source->name, XPD_NO_OFFSET,
                        "The file is no longer where it was; scan the directory again.");
    if (!xpd_identity_eq(&now, &source->identity))
        return xpd_fail(err, XPD_ECHANGED, source->name, XPD_NO_OFFSET,
                        "The file has changed since it was opened; open it again.");
    return XPD_OK;
}
