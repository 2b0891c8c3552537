/* Inflates a gzip file into memory.
 *
 * In: a source read through its fd. Out: all bytes of all members, at most the limit. A file that
 * ends early or is damaged gives what came before; one that gives nothing at all is XPD_EFORMAT.
 * Invariants: size <= capacity <= limit + 1; the one byte beyond is how passing the limit shows. */
#include "source_gzip.h"

#include <stdlib.h>
#include <zlib.h>

#define INPUT_BYTES  ((size_t)256 << 10)
#define FIRST_BYTES  ((size_t)256 << 10)
#define OUTPUT_BYTES ((size_t)1 << 30) /* per call: zlib counts in unsigned int */

struct inflater {
    const struct xpd_source *source;
    const struct xpd_source_watch *watch; /* NULL: not watched */
    struct xpd_err *err;
    z_stream z;
    uint8_t *input;
    uint64_t input_offset; /* next byte of the file to take */
    uint8_t *bytes;
    size_t size, capacity, most; /* most: where capacity ends */
    uint64_t limit_bytes;
};

static int no_memory(struct inflater *in)
{
    return xpd_no_memory(in->err, xpd_source_name(in->source), "for more than %zu inflated bytes",
                         in->size);
}

/* Takes more input when there is none left. At the end of the file avail_in stays 0. */
static int fill(struct inflater *in)
{
    if (in->z.avail_in != 0)
        return XPD_OK;
    uint64_t left = xpd_source_size(in->source) - in->input_offset;
    size_t size = left < INPUT_BYTES ? (size_t)left : INPUT_BYTES;
    int rc = xpd_source_read(in->source, in->input_offset, in->input, size, in->err);
    if (rc != XPD_OK)
        return rc;
    in->input_offset += size;
    in->z.next_in = in->input;
    in->z.avail_in = (uInt)size;
    if (in->watch && !in->watch->go_on(in->watch->ctx, in->input_offset, in->size))
        return xpd_fail(in->err, XPD_EBUSY, xpd_source_name(in->source), in->input_offset,
                        "Inflating was stopped on request.");
    return XPD_OK;
}

static int make_room(struct inflater *in)
{
    if (in->size < in->capacity)
        return XPD_OK;
    if (in->capacity >= in->most)
        return xpd_fail(in->err, XPD_ELIMIT, xpd_source_name(in->source), XPD_NO_OFFSET,
                        "The file inflates to more than the limit of %llu bytes.",
                        (unsigned long long)in->limit_bytes);
    size_t capacity = in->capacity > in->most / 2 ? in->most : in->capacity * 2;
    uint8_t *bytes = realloc(in->bytes, capacity);
    if (!bytes)
        return no_memory(in);
    in->bytes = bytes;
    in->capacity = capacity;
    return XPD_OK;
}

/* One member. *status is that of zlib: Z_STREAM_END, or Z_BUF_ERROR when the file ends, or worse.
 */
static int inflate_member(struct inflater *in, int *status)
{
    do {
        int rc = fill(in);
        if (rc == XPD_OK)
            rc = make_room(in);
        if (rc != XPD_OK)
            return rc;
        size_t room = in->capacity - in->size;
        if (room > OUTPUT_BYTES)
            room = OUTPUT_BYTES;
        in->z.next_out = in->bytes + in->size;
        in->z.avail_out = (uInt)room;
        bool at_end = in->z.avail_in == 0;
        *status = inflate(&in->z, Z_NO_FLUSH);
        size_t made = room - in->z.avail_out;
        in->size += made;
        if (*status == Z_OK && at_end && made == 0)
            *status = Z_BUF_ERROR; /* no progress without input: the file is cut */
    } while (*status == Z_OK);
    return *status == Z_MEM_ERROR ? no_memory(in) : XPD_OK;
}

/* True when another member follows; padding behind the last one is not damage. */
static int another_member(struct inflater *in, bool *more)
{
    *more = false;
    int rc = fill(in);
    if (rc == XPD_OK && in->z.avail_in != 0 && in->z.next_in[0] == 0x1F)
        *more = inflateReset(&in->z) == Z_OK;
    return rc;
}

static int inflate_members(struct inflater *in, bool *truncated)
{
    int status = Z_OK;
    bool more;
    do {
        int rc = inflate_member(in, &status);
        if (rc == XPD_OK && status == Z_STREAM_END)
            rc = another_member(in, &more);
        else
            more = false;
        if (rc != XPD_OK)
            return rc;
    } while (more);
    *truncated = status != Z_STREAM_END;
    if (in->limit_bytes != 0 && in->size > in->limit_bytes)
        return make_room(in); /* the byte beyond is taken: this reports the limit */
    if (*truncated && in->size == 0)
        return xpd_fail(in->err, XPD_EFORMAT, xpd_source_name(in->source),
                        in->input_offset - in->z.avail_in,
                        "This is not gzip data, or it is cut at the start; write the file again.");
    return XPD_OK;
}

int xpd_inflate_file(const struct xpd_source *source, uint64_t limit_bytes,
                     const struct xpd_source_watch *watch, struct xpd_inflated *result,
                     struct xpd_err *err)
{
    *result = (struct xpd_inflated){0};
    struct inflater in = {.source = source, .watch = watch, .err = err, .limit_bytes = limit_bytes};
    in.most = limit_bytes == 0 || limit_bytes >= SIZE_MAX / 2 ? SIZE_MAX / 2 : limit_bytes + 1;
    in.capacity = in.most < FIRST_BYTES ? in.most : FIRST_BYTES;
    in.input = malloc(INPUT_BYTES);
    in.bytes = malloc(in.capacity);
    int rc = XPD_OK;
    /* 16 + 15: gzip framing only, largest window */
    if (!in.input || !in.bytes || inflateInit2(&in.z, 16 + 15) != Z_OK) {
        rc = no_memory(&in);
    } else {
        rc = inflate_members(&in, &result->truncated);
        inflateEnd(&in.z);
    }
    free(in.input);
    if (rc != XPD_OK) {
        free(in.bytes);
        return rc;
    }
    uint8_t *exact = realloc(in.bytes, in.size ? in.size : 1);
    result->bytes = exact ? exact : in.bytes;
    result->size = in.size;
    return XPD_OK;
}
