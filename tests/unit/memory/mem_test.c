#include "mem_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void mem_open_bytes(struct mem_case *c, const void *bytes, size_t size)
{
    struct xpd_err err = {0};
    *c = (struct mem_case){.hlo = NULL};
    if (xpd_hlo_load(&c->hlo, bytes, size, 0, "test", NULL, &err) != XPD_OK)
        fail_msg("%s", err.text);
    if (xpd_mem_analyse(&c->mem, c->hlo, 0, &err) != XPD_OK)
        fail_msg("%s", err.text);
}

void mem_open_builder(struct mem_case *c, struct hb *hb)
{
    struct pbw out = {0};
    hb_finish(hb, &out);
    mem_open_bytes(c, out.data, out.len);
    pbw_free(&out);
}

void mem_open_vector(struct mem_case *c, const char *name)
{
    struct pbw out = {0};
    const struct vec *v = vec_find(name);
    assert_non_null(v);
    v->build(&out);
    mem_open_bytes(c, out.data, out.len);
    pbw_free(&out);
}

void mem_close(struct mem_case *c)
{
    xpd_mem_free(c->mem);
    xpd_hlo_free(c->hlo);
    xpd_arena_fini(&c->arena);
}

uint32_t mem_buffer(const struct mem_case *c, int64_t id)
{
    uint32_t i = xpd_map64_get(&c->hlo->buffer_by_id, (uint64_t)id);
    assert_int_not_equal(i, XPD_NO_INDEX);
    return i;
}

const struct xpd_mem_space *mem_space(const struct mem_case *c, int64_t color)
{
    const struct xpd_mem_space *space = xpd_mem_space_of(c->mem, color);
    assert_non_null(space);
    return space;
}

uint64_t mem_warned(const struct mem_case *c, const char *code)
{
    for (uint32_t i = 0; i < c->mem->warnings.count; i++)
        if (strcmp(c->mem->warnings.item[i].code, code) == 0)
            return c->mem->warnings.item[i].count;
    return 0;
}

static char *page(void)
{
    static char pages[4][8192];
    static unsigned next;
    char *p = pages[next++ % 4];
    p[0] = '\0';
    return p;
}

static void add(char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *fmt, ...)
{
    size_t n = strlen(text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + n, 8192 - n, fmt, args);
    va_end(args);
}

const char *mem_text(const int64_t *value, uint32_t count, int64_t plus)
{
    char *text = page();
    for (uint32_t i = 0; i < count; i++)
        add(text, "%s%" PRId64, i ? " " : "", value[i] + plus);
    return text;
}

const char *mem_tenancies(const struct mem_case *c, int64_t color)
{
    const struct xpd_mem_space *space = mem_space(c, color);
    char *text = page();
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        add(text, "%s%" PRId64 "[%u,%u)", i ? " " : "",
            c->hlo->buffers.id[space->tenancy[i].buffer], space->tenancy[i].start_step,
            space->tenancy[i].end_step);
    return text;
}

const char *mem_spans(const struct mem_case *c, const struct xpd_xprof_memory *x)
{
    char *text = page();
    int64_t last = -1;
    for (uint32_t done = 0; done < x->span_count; done++) {
        uint32_t best = XPD_NO_INDEX;
        for (uint32_t i = 0; i < x->span_count; i++) {
            int64_t id = c->hlo->buffers.id[x->span[i].buffer];
            if (id > last &&
                (best == XPD_NO_INDEX || id < c->hlo->buffers.id[x->span[best].buffer]))
                best = i;
        }
        last = c->hlo->buffers.id[x->span[best].buffer];
        add(text, "%s%" PRId64 "[%d,%d]", done ? " " : "", last, x->span[best].start,
            x->span[best].limit);
    }
    return text;
}

const char *mem_bars(const struct mem_case *c, const struct xpd_xprof_memory *x)
{
    char *text = page();
    for (uint32_t i = 0; i < x->bar_count; i++) {
        if (x->bar[i].buffer == XPD_NO_INDEX) {
            add(text, "%ssmall(%" PRId64 ")", i ? " " : "", x->bar[i].size_bytes);
            continue;
        }
        struct xpd_str name = xpd_hlo_text(
            c->hlo, c->hlo->instructions.name[c->mem->buffer[x->bar[i].buffer].instruction]);
        add(text, "%s%.*s", i ? " " : "", (int)name.size, name.data);
    }
    return text;
}

struct xpd_xprof_memory mem_xprof(struct mem_case *c, int64_t color, int64_t small)
{
    struct xpd_xprof_memory x;
    assert_int_equal(xpd_xprof_memory(&x, c->mem, color, small, &c->arena, NULL), XPD_OK);
    return x;
}

bool mem_has_shared(void)
{
    if (shared_dir()[0] != '\0')
        return true;
    print_message("no shared data: set XPD_SHARED; skipped\n");
    return false;
}

bool mem_hlos(struct xspace_hlos *out, const char *set)
{
    char path[2048];
    return mem_has_shared() && shared_xplane(set, path, sizeof path) && xspace_hlos_load(out, path);
}
