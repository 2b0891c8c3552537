/* Wrong XSpaces. */
#include "broken.h"

#include "vectors.h"
#include "xspace_wrap.h"

#include <stdlib.h>
#include <string.h>

/* ---- pieces ---- */

static void metadata(struct pbw *out, uint32_t field, int64_t id, const char *name)
{
    size_t entry = pbw_begin(out, field);
    pbw_int(out, 1, id);
    size_t value = pbw_begin(out, 2);
    pbw_int(out, 1, id);
    pbw_str(out, 2, name);
    pbw_end(out, value);
    pbw_end(out, entry);
}

/* A line with `count` events of metadata 1. */
static void line(struct pbw *out, int64_t id, const char *name, int count)
{
    size_t at = pbw_begin(out, 3);
    pbw_int(out, 1, id);
    pbw_str(out, 2, name);
    pbw_int(out, 3, 1000);
    for (int i = 0; i < count; i++) {
        size_t event = pbw_begin(out, 4);
        pbw_int(out, 1, 1);
        pbw_int(out, 2, i * 1000);
        pbw_int(out, 3, 500);
        pbw_end(out, event);
    }
    pbw_end(out, at);
}

static size_t plane(struct pbw *out, const char *name)
{
    size_t at = pbw_begin(out, 1);
    pbw_str(out, 2, name);
    return at;
}

/* ---- the cases ---- */

static void no_planes(struct pbw *out)
{
    pbw_str(out, 4, "host0");
    pbw_str(out, 2, "an error of the profiler");
    pbw_str(out, 3, "a warning of the profiler");
}

static void no_hlo(struct pbw *out)
{
    size_t at = plane(out, "/device:TPU:0");
    metadata(out, 4, 1, "jit_f(7)");
    line(out, 1, "XLA Modules", 3);
    pbw_end(out, at);
    at = plane(out, "/host:CPU");
    metadata(out, 4, 1, "python");
    line(out, 1, "main", 10);
    pbw_end(out, at);
}

static void no_device_planes(struct pbw *out)
{
    broken_good(out, "jit_no_device");
    size_t at = plane(out, "/host:CPU");
    metadata(out, 4, 1, "python");
    line(out, 1, "main", 10);
    pbw_end(out, at);
}

static void empty_plane(struct pbw *out)
{
    pbw_end(out, pbw_begin(out, 1));
    pbw_end(out, pbw_begin(out, 1));
    size_t at = plane(out, "/host:metadata");
    pbw_end(out, at);
}

/* The plane is there twice, its stat names in a plane that follows the events. */
static void plane_twice(struct pbw *out)
{
    broken_good(out, "jit_first");
    broken_good(out, "jit_second");
}

/* A "Hlo Proto" that is text, a number, empty, random bytes, an XSpace. */
static void wrong_stats(struct pbw *out)
{
    struct pbw inner = {0};
    broken_good(&inner, "jit_inner");
    size_t at = plane(out, "/host:metadata");
    metadata(out, 5, 5, "Hlo Proto");
    metadata(out, 5, 5, "Hlo Proto");
    metadata(out, 5, 6, "HLO Proto");
    metadata(out, 5, -7, "program_id");
    for (int i = 0; i < 8; i++) {
        size_t entry = pbw_begin(out, 4);
        pbw_int(out, 1, i);
        size_t value = pbw_begin(out, 2);
        pbw_int(out, 1, i);
        pbw_str(out, 2, i % 2 ? "jit_wrong(18446744073709551616)" : "jit_wrong(7");
        size_t stat = pbw_begin(out, 5);
        pbw_int(out, 1, i < 6 ? 5 : 6);
        switch (i) {
        case 0: pbw_str(out, 5, "text"); break;
        case 1: pbw_uint(out, 3, UINT64_MAX); break;
        case 2: pbw_bytes(out, 6, "", 0); break;
        case 3: pbw_bytes(out, 6, "\x08\x96\x01\xff\xff\xff\xff", 7); break;
        case 4: pbw_bytes(out, 6, inner.data, inner.len); break;
        case 5: pbw_uint(out, 7, 12345); break;
        default: pbw_uint(out, 7, 6);
        }
        pbw_end(out, stat);
        pbw_end(out, value);
        pbw_end(out, entry);
    }
    pbw_end(out, at);
    pbw_free(&inner);
}

/* Two modules of one program id, two of one name. */
static void same_ids(struct pbw *out)
{
    struct pbw a = {0}, b = {0};
    vec_V1(&a);
    vec_V8(&b);
    const struct xspace_module modules[] = {{"V1", 7, a.data, a.len},
                                            {"V8", 7, b.data, b.len},
                                            {"V1", 8, a.data, a.len},
                                            {"V1", UINT64_MAX, b.data, b.len}};
    xspace_wrap_all(out, modules, 4, true);
    pbw_free(&a);
    pbw_free(&b);
}

/* Times and counts at their limits. */
static void odd_lines(struct pbw *out)
{
    broken_good(out, "jit_odd_lines");
    size_t at = plane(out, "/device:TPU:0");
    pbw_int(out, 1, -1);
    metadata(out, 4, 1, "jit_odd_lines(7)");
    size_t mark = pbw_begin(out, 3);
    pbw_str(out, 2, "XLA Modules");
    pbw_int(out, 1, INT64_MIN);
    pbw_int(out, 3, INT64_MAX);
    pbw_int(out, 9, INT64_MIN);
    pbw_int(out, 10, -1);
    static const int64_t odd[] = {INT64_MAX, INT64_MIN, -1, 0};
    for (int i = 0; i < 4; i++) {
        size_t event = pbw_begin(out, 4);
        pbw_uint(out, 1, (uint64_t)odd[i]);
        pbw_uint(out, 2, (uint64_t)odd[3 - i]);
        pbw_uint(out, 3, (uint64_t)odd[i]);
        pbw_uint(out, 5, (uint64_t)odd[i]);
        pbw_end(out, event);
    }
    pbw_end(out, mark);
    for (int i = 0; i < 2000; i++)
        line(out, 1, "same id", 0);
    pbw_end(out, at);
}

/* Unknown fields, with every wire type, groups too. */
static void unknown_fields(struct pbw *out)
{
    pbw_uint(out, 15, 1);
    pbw_bytes(out, 536870911, "x", 1);
    broken_good(out, "jit_unknown_fields");
    static const unsigned char group[] = {0x7b, 0x08, 0x01, 0x7c};
    pbw_raw(out, group, sizeof group);
}

/* A length that says 8 EiB. */
static void huge_length(struct pbw *out)
{
    broken_good(out, "jit_huge_length");
    static const unsigned char tail[] = {0x0a, 0xff, 0xff, 0xff, 0xff, 0xff,
                                         0xff, 0xff, 0xff, 0x7f, 0x12, 0x00};
    pbw_raw(out, tail, sizeof tail);
}

static void long_varint(struct pbw *out)
{
    broken_good(out, "jit_long_varint");
    unsigned char tail[40];
    memset(tail, 0xff, sizeof tail);
    pbw_raw(out, tail, sizeof tail);
}

/* 100,000 messages, each inside of the one before, in a plane and at the top. */
static void deep_messages(struct pbw *out)
{
    enum { DEPTH = 100000 };
    unsigned char *bytes = malloc(DEPTH * 4);
    size_t at = DEPTH * 4;
    if (!bytes)
        abort();
    for (int i = 0; i < DEPTH; i++) {
        size_t size = DEPTH * 4 - at;
        unsigned char header[4];
        size_t n = 0;
        header[n++] = i % 2 ? 0x0a : 0x12;
        for (; size > 127; size >>= 7)
            header[n++] = (unsigned char)(size & 127) | 128;
        header[n++] = (unsigned char)size;
        if (at < n)
            break;
        at -= n;
        memcpy(bytes + at, header, n);
    }
    pbw_raw(out, bytes + at, DEPTH * 4 - at);
    free(bytes);
}

static void many_planes(struct pbw *out)
{
    for (int i = 0; i < 20000; i++) {
        size_t at = plane(out, i % 2 ? "/device:TPU:0" : "/host:metadata");
        pbw_end(out, at);
    }
}

const struct broken broken_spaces[] = {{"no_planes", no_planes, false},
                                       {"no_hlo", no_hlo, false},
                                       {"no_device_planes", no_device_planes, false},
                                       {"empty_plane", empty_plane, false},
                                       {"plane_twice", plane_twice, false},
                                       {"wrong_stats", wrong_stats, false},
                                       {"same_ids", same_ids, false},
                                       {"odd_lines", odd_lines, false},
                                       {"unknown_fields", unknown_fields, false},
                                       {"huge_length", huge_length, false},
                                       {"long_varint", long_varint, false},
                                       {"deep_messages", deep_messages, true},
                                       {"many_planes", many_planes, true}};
const size_t n_broken_spaces = sizeof broken_spaces / sizeof *broken_spaces;
