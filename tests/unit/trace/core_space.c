#include "core_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

size_t core_plane(struct pbw *w, const char *name)
{
    size_t plane = pbw_begin(w, 1);
    pbw_str(w, 2, name);
    return plane;
}

void core_name(struct pbw *plane, uint32_t field, uint64_t id, const char *name)
{
    size_t entry = pbw_begin(plane, field);
    pbw_uint(plane, 1, id);
    size_t body = pbw_begin(plane, 2);
    pbw_uint(plane, 1, id);
    pbw_str(plane, 2, name);
    pbw_end(plane, body);
    pbw_end(plane, entry);
}

void core_names(struct pbw *plane, uint32_t names)
{
    for (uint32_t i = 1; i <= names; i++) {
        char name[24];
        snprintf(name, sizeof name, "op%u", i);
        core_name(plane, 4, i, name);
    }
}

void core_line(struct pbw *plane, int64_t id, const char *name, const struct core_event *event,
               size_t count)
{
    size_t line = pbw_begin(plane, 3);
    pbw_int(plane, 1, id);
    pbw_str(plane, 2, name);
    for (size_t i = 0; i < count; i++) {
        size_t at = pbw_begin(plane, 4);
        pbw_uint(plane, 1, event[i].metadata);
        pbw_uint(plane, 2, (uint64_t)event[i].start_ps);
        pbw_uint(plane, 3, (uint64_t)event[i].duration_ps);
        pbw_end(plane, at);
    }
    pbw_end(plane, line);
}

void core_stat(struct pbw *event, uint64_t id, uint32_t kind, uint64_t value)
{
    size_t stat = pbw_begin(event, 4);
    pbw_uint(event, 1, id);
    pbw_uint(event, kind, value);
    pbw_end(event, stat);
}

void core_stat_text(struct pbw *event, uint64_t id, const char *text)
{
    size_t stat = pbw_begin(event, 4);
    pbw_uint(event, 1, id);
    pbw_str(event, 5, text);
    pbw_end(event, stat);
}

static struct core_trace load(struct xpd_source *directory, struct xpd_source *source,
                              uint32_t threads)
{
    struct core_trace core = {0};
    struct xpd_trace_options options = {.threads = threads};
    struct xpd_err err = {0};
    assert_int_equal(xpd_xspace_load(&core.space, directory, NULL, 0, &err), XPD_OK);
    int rc = xpd_trace_load(&core.trace, core.space, source, &options, NULL, 0, &err);
    if (rc != XPD_OK)
        print_error("%s\n", err.text);
    assert_int_equal(rc, XPD_OK);
    xpd_source_close(directory);
    return core;
}

struct core_trace core_load(const void *bytes, size_t size, uint32_t threads)
{
    struct xpd_source *directory, *source;
    assert_int_equal(xpd_source_open_memory(&directory, bytes, size, "test", NULL), XPD_OK);
    assert_int_equal(xpd_source_open_memory(&source, bytes, size, "test", NULL), XPD_OK);
    return load(directory, source, threads);
}

struct core_trace core_load_file(const char *path, uint32_t threads)
{
    struct xpd_source *directory, *source;
    assert_int_equal(xpd_source_open(&directory, path, 0, NULL), XPD_OK);
    assert_int_equal(xpd_source_open(&source, path, 0, NULL), XPD_OK);
    return load(directory, source, threads);
}

void core_free(struct core_trace *core)
{
    xpd_trace_free(core->trace);
    xpd_xspace_free(core->space);
}

static void check_depth(const struct xpd_trace *trace, const struct xpd_depth *depth)
{
    int64_t longest = 0;
    for (uint32_t i = 0; i < depth->count; i++) {
        assert_true(depth->duration_ps[i] >= 0 && depth->name[i] < trace->name_count);
        if (depth->duration_ps[i] > longest)
            longest = depth->duration_ps[i];
        if (i == 0)
            continue;
        int64_t end = depth->start_ps[i - 1] + depth->duration_ps[i - 1];
        assert_true(depth->overlapping || end <= depth->start_ps[i]);
        assert_true(depth->start_ps[i - 1] <= depth->start_ps[i]);
    }
    assert_int_equal(depth->longest_ps, longest);
}

void core_check(const struct xpd_trace *trace)
{
    uint64_t events = 0, hidden = 0;
    uint32_t depths = 0, rows = 0;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        const struct xpd_trace_process *process = &trace->process[p];
        uint64_t in_process = 0;
        assert_int_equal(process->first_row, rows);
        for (uint32_t r = rows; r < rows + process->row_count; r++) {
            const struct xpd_trace_row *row = &trace->row[r];
            uint64_t in_row = 0;
            assert_int_equal(row->process, p);
            assert_int_equal(row->first_depth, depths);
            for (uint32_t d = depths; d < depths + row->depth_count; d++) {
                assert_int_equal(trace->depth[d].row, r);
                assert_int_equal(trace->depth[d].depth, d - depths);
                assert_int_equal(trace->depth[d].first_event, events);
                check_depth(trace, &trace->depth[d]);
                events += trace->depth[d].count;
                in_row += trace->depth[d].count;
            }
            depths += row->depth_count;
            assert_int_equal(in_row, row->event_count);
            in_process += in_row;
            hidden += row->kind == XPD_ROW_INTERNAL ? in_row : 0;
        }
        rows += process->row_count;
        assert_int_equal(in_process, process->event_count);
    }
    assert_int_equal(events, trace->event_count);
    assert_int_equal(hidden, trace->hidden_count);
    assert_int_equal(depths, trace->depth_count);
    assert_int_equal(rows, trace->row_count);
}

const char *core_text(const struct xpd_trace *trace, xpd_name_id id)
{
    return xpd_intern_get(&trace->names, id).data;
}

const struct xpd_trace_row *core_row(const struct xpd_trace *trace, const char *caption,
                                     enum xpd_row_kind kind)
{
    for (uint32_t i = 0; i < trace->row_count; i++)
        if (trace->row[i].kind == kind &&
            strcmp(core_text(trace, trace->row[i].caption), caption) == 0)
            return &trace->row[i];
    return NULL;
}

const struct xpd_warning *core_warning(const struct xpd_trace *trace, const char *code)
{
    for (uint32_t i = 0; i < trace->warnings.count; i++)
        if (strcmp(trace->warnings.item[i].code, code) == 0)
            return &trace->warnings.item[i];
    return NULL;
}

uint64_t core_random(uint64_t *state, uint64_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return below ? *state % below : 0;
}
