#include "profile_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void pt_metadata(struct pbw *plane, uint32_t field, uint64_t id, const char *name)
{
    size_t entry = pbw_begin(plane, field);
    pbw_uint(plane, 1, id);
    size_t value = pbw_begin(plane, 2);
    pbw_uint(plane, 1, id);
    pbw_str(plane, 2, name);
    pbw_end(plane, value);
    pbw_end(plane, entry);
}

size_t pt_line(struct pbw *plane, int64_t id, const char *name)
{
    size_t line = pbw_begin(plane, 3);
    pbw_int(plane, 1, id);
    pbw_str(plane, 2, name);
    return line;
}

void pt_event(struct pbw *line, uint64_t metadata_id, uint64_t offset_ps, uint64_t duration_ps)
{
    size_t event = pbw_begin(line, 4);
    pbw_uint(line, 1, metadata_id);
    pbw_uint(line, 2, offset_ps);
    pbw_uint(line, 3, duration_ps);
    pbw_end(line, event);
}

void pt_stat_uint(struct pbw *in, uint32_t field, uint64_t metadata_id, uint64_t value)
{
    size_t stat = pbw_begin(in, field);
    pbw_uint(in, 1, metadata_id);
    pbw_uint(in, 3, value);
    pbw_end(in, stat);
}

void pt_stat_bytes(struct pbw *in, uint32_t field, uint64_t metadata_id, const void *bytes,
                   size_t size)
{
    size_t stat = pbw_begin(in, field);
    pbw_uint(in, 1, metadata_id);
    pbw_bytes(in, 6, bytes, size);
    pbw_end(in, stat);
}

static void write_shape(struct pbw *w, uint32_t field, bool tiled)
{
    size_t shape = pbw_begin(w, field);
    pbw_uint(w, 2, 11);
    size_t layout = pbw_begin(w, 5);
    pbw_uint(w, 1, 0);
    if (tiled) {
        size_t tile = pbw_begin(w, 6);
        pbw_uint(w, 1, 128);
        pbw_end(w, tile);
    }
    pbw_end(w, layout);
    pbw_end(w, shape);
}

void pt_hlo(struct pbw *out, const char *name, uint64_t module_id, bool tiled)
{
    size_t module = pbw_begin(out, 1);
    pbw_str(out, 1, name);
    pbw_str(out, 2, "main");
    size_t computation = pbw_begin(out, 3);
    pbw_str(out, 1, "main");
    pbw_uint(out, 5, 1);
    pbw_end(out, computation);
    size_t program = pbw_begin(out, 4);
    write_shape(out, 1, tiled);
    write_shape(out, 2, tiled);
    pbw_end(out, program);
    pbw_uint(out, 5, module_id);
    pbw_end(out, module);
}

static void write_program(struct pbw *plane, uint64_t id, const char *name, const char *key,
                          bool tiled)
{
    struct pbw hlo = {0};
    pt_hlo(&hlo, name, 7, tiled);
    size_t entry = pbw_begin(plane, 4);
    pbw_uint(plane, 1, id);
    size_t value = pbw_begin(plane, 2);
    pbw_uint(plane, 1, id);
    pbw_str(plane, 2, key);
    pt_stat_bytes(plane, 5, 5, hlo.data, hlo.len);
    pbw_end(plane, value);
    pbw_end(plane, entry);
    pbw_free(&hlo);
}

void pt_sample(struct pbw *out)
{
    size_t plane = pbw_begin(out, 1);
    pbw_uint(out, 1, 2);
    pbw_str(out, 2, "/device:TPU:0");
    size_t line = pt_line(out, 2, "XLA Modules");
    for (uint64_t i = 0; i < 5; i++)
        pt_event(out, 11, i * 1000, 900);
    pt_event(out, 12, 9000, 10);
    pbw_end(out, line);
    line = pt_line(out, 3, "XLA Ops");
    for (uint64_t i = 0; i < 40; i++)
        pt_event(out, 13, i * 100, 90);
    pbw_end(out, line);
    pt_metadata(out, 4, 11, "jit_f(1001)");
    pt_metadata(out, 4, 12, "jit_g(1002)");
    pt_metadata(out, 4, 13, "%fusion.1 = f32[] fusion()");
    pt_metadata(out, 5, 1, "device_type_string");
    size_t stat = pbw_begin(out, 6);
    pbw_uint(out, 1, 1);
    pbw_str(out, 5, "TPU v6 Lite");
    pbw_end(out, stat);
    pbw_end(out, plane);

    plane = pbw_begin(out, 1);
    pbw_str(out, 2, "/host:metadata");
    write_program(out, 1001, "jit_f", "jit_f(1001)", true);
    write_program(out, 1002, "jit_g", "jit_g(1002)", true);
    pt_metadata(out, 5, 5, "Hlo Proto");
    pbw_end(out, plane);
    pbw_str(out, 4, "vm");
}

struct pt_loaded pt_load(const void *bytes, size_t size)
{
    struct pt_loaded loaded = {0};
    assert_int_equal(
        xpd_source_open_memory(&loaded.source, bytes, size, "test.xplane.pb", &loaded.err), XPD_OK);
    int rc = xpd_xspace_load(&loaded.space, loaded.source, NULL, 64u << 20, &loaded.err);
    assert_true(rc == loaded.err.code && (rc == XPD_OK) == (loaded.space != NULL));
    return loaded;
}

void pt_free(struct pt_loaded *loaded)
{
    xpd_xspace_free(loaded->space);
    xpd_source_close(loaded->source);
}

const struct xpd_plane *pt_plane(const struct xpd_xspace *space, const char *name)
{
    for (uint32_t i = 0; i < space->plane_count; i++)
        if (pt_is(space, space->plane[i].name, name))
            return &space->plane[i];
    return NULL;
}

bool pt_is(const struct xpd_xspace *space, xpd_name_id id, const char *text)
{
    return xpd_str_eq(xpd_intern_get(&space->names, id), xpd_str_of(text));
}

const struct xpd_warning *pt_warning(const struct xpd_xspace *space, const char *code)
{
    for (uint32_t i = 0; i < space->warnings.count; i++)
        if (strcmp(space->warnings.item[i].code, code) == 0)
            return &space->warnings.item[i];
    return NULL;
}
