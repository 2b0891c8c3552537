#include "heap_build.h"

#include "xprofd/base/map64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t hb_text(struct hb *b, const char *text)
{
    for (int i = 0; i < b->texts; i++)
        if (strcmp(b->text[i], text) == 0)
            return i;
    b->text[b->texts] = text;
    return b->texts++;
}

void hb_begin(struct hb *b, const char *const (*type)[2], int types)
{
    *b = (struct hb){0};
    hb_text(b, "");
    for (int i = 0; i < types; i++) {
        size_t mark = pbw_begin(&b->out, 1);
        pbw_int(&b->out, 1, hb_text(b, type[i][0]));
        pbw_int(&b->out, 2, hb_text(b, type[i][1]));
        pbw_end(&b->out, mark);
    }
}

void hb_begin_jax(struct hb *b)
{
    static const char *const type[2][2] = {{"allocations", "count"}, {"space", "bytes"}};
    hb_begin(b, type, 2);
}

void hb_frame(struct hb *b, uint64_t id, const char *function, const char *file, int64_t line)
{
    size_t mark = pbw_begin(&b->out, 5);
    pbw_uint(&b->out, 1, id);
    pbw_int(&b->out, 2, hb_text(b, function));
    pbw_int(&b->out, 4, hb_text(b, file));
    pbw_end(&b->out, mark);
    mark = pbw_begin(&b->out, 4);
    pbw_uint(&b->out, 1, id);
    size_t inner = pbw_begin(&b->out, 4);
    pbw_uint(&b->out, 1, id);
    pbw_int(&b->out, 2, line);
    pbw_end(&b->out, inner);
    pbw_end(&b->out, mark);
}

static void put_label(struct hb *b, const char *key, const char *value)
{
    size_t mark = pbw_begin(&b->out, 3);
    pbw_int(&b->out, 1, hb_text(b, key));
    pbw_int(&b->out, 2, hb_text(b, value));
    pbw_end(&b->out, mark);
}

void hb_sample(struct hb *b, const uint64_t *location, const char *kind, const char *device,
               int64_t count, int64_t bytes)
{
    int64_t id[HB_FRAMES], value[2] = {count, bytes};
    size_t n = 0;
    while (location[n] != 0 && n < HB_FRAMES) {
        id[n] = (int64_t)location[n];
        n++;
    }
    size_t mark = pbw_begin(&b->out, 2);
    pbw_ints(&b->out, 1, id, n, true);
    pbw_ints(&b->out, 2, value, 2, true);
    if (kind)
        put_label(b, "kind", kind);
    if (device)
        put_label(b, "device", device);
    pbw_end(&b->out, mark);
}

void hb_end(struct hb *b)
{
    for (int i = 0; i < b->texts; i++)
        pbw_bytes(&b->out, 6, b->text[i], strlen(b->text[i]));
}

void hb_free(struct hb *b)
{
    pbw_free(&b->out);
}

int hb_load(struct xpd_pprof *heap, struct xpd_arena *arena, const struct hb *b,
            struct xpd_err *err)
{
    struct xpd_source *source;
    *heap = (struct xpd_pprof){0};
    int rc = xpd_source_open_memory(&source, b->out.data, b->out.len, "test.prof", err);
    if (rc == XPD_OK)
        rc = xpd_heap_load(heap, arena, source, err);
    xpd_source_close(source);
    return rc;
}

uint64_t hb_warned(const struct xpd_pprof *heap, const char *code)
{
    for (uint32_t i = 0; i < heap->warnings.count; i++)
        if (strcmp(heap->warnings.item[i].code, code) == 0)
            return heap->warnings.item[i].count;
    return 0;
}

struct xpd_heap_member hb_member(const struct xpd_pprof *heap, struct xpd_arena *arena)
{
    return (struct xpd_heap_member){heap, heap->default_type, xpd_heap_library_flags(heap, arena)};
}

uint32_t hb_row(const struct xpd_heap_groups *groups, const char *key)
{
    for (uint32_t i = 0; i < groups->row_count; i++)
        if (xpd_str_ends(groups->row[i].key, key))
            return i;
    return XPD_NO_INDEX;
}

int hb_load_file(struct xpd_pprof *heap, struct xpd_arena *arena, const char *name)
{
    char path[600];
    struct xpd_source *source;
    struct xpd_err err = {0};
    const char *root = getenv("XPD_SOURCE");
    snprintf(path, sizeof path, "%s/testdata/%s", root ? root : ".", name);
    *heap = (struct xpd_pprof){0};
    int rc = xpd_source_open(&source, path, (uint64_t)64 << 20, &err);
    if (rc == XPD_OK)
        rc = xpd_heap_load(heap, arena, source, &err);
    if (rc != XPD_OK)
        fprintf(stderr, "%s: %s\n", path, err.text);
    xpd_source_close(source);
    return rc;
}

int hb_load_step(struct xpd_pprof *heap, struct xpd_arena *arena, int step)
{
    char name[80];
    snprintf(name, sizeof name, "device_memory/memory.step%d.prof", step);
    return hb_load_file(heap, arena, name);
}
