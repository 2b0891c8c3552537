#include "derive_space.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t stat_id(struct dspace *d, const char *name)
{
    for (uint32_t i = 0; i < d->stats; i++)
        if (strcmp(d->stat_name[i], name) == 0)
            return i + 1;
    assert_true(d->stats < 64);
    d->stat_name[d->stats++] = name;
    return d->stats;
}

const char dspace_real[] = "a double";

static void put_real(struct pbw *out, double real)
{
    const uint8_t tag = 2 << 3 | 1;
    pbw_raw(out, &tag, 1);
    pbw_raw(out, &real, sizeof real);
}

static void put_stats(struct dspace *d, struct pbw *out, uint32_t field, const struct dstat *stat)
{
    for (; stat->name; stat++) {
        size_t mark = pbw_begin(out, field);
        pbw_uint(out, 1, stat_id(d, stat->name));
        if (stat->text == dspace_real)
            put_real(out, (double)stat->number);
        else if (stat->text)
            pbw_bytes(out, 5, stat->text, strlen(stat->text));
        else
            pbw_uint(out, 4, (uint64_t)stat->number);
        pbw_end(out, mark);
    }
}

static void end_line(struct dspace *d)
{
    if (d->in_line)
        pbw_msg(&d->plane, 3, &d->line);
    pbw_free(&d->line);
    d->line = (struct pbw){0};
    d->in_line = false;
}

static void end_plane(struct dspace *d)
{
    end_line(d);
    if (!d->in_plane)
        return;
    pbw_raw(&d->plane, d->tables.data, d->tables.len);
    for (uint32_t i = 0; i < d->stats; i++) {
        size_t entry = pbw_begin(&d->plane, 5);
        pbw_uint(&d->plane, 1, i + 1);
        size_t value = pbw_begin(&d->plane, 2);
        pbw_uint(&d->plane, 1, i + 1);
        pbw_str(&d->plane, 2, d->stat_name[i]);
        pbw_end(&d->plane, value);
        pbw_end(&d->plane, entry);
    }
    pbw_msg(&d->file, 1, &d->plane);
    pbw_free(&d->plane);
    pbw_free(&d->tables);
    d->plane = d->tables = (struct pbw){0};
    d->in_plane = false;
}

void dspace_plane(struct dspace *d, const char *name, int64_t id)
{
    end_plane(d);
    d->in_plane = true;
    d->stats = d->metadata = 0;
    pbw_int(&d->plane, 1, id);
    pbw_str(&d->plane, 2, name);
}

void dspace_line(struct dspace *d, const char *name, int64_t id)
{
    end_line(d);
    d->in_line = true;
    pbw_int(&d->line, 1, id);
    pbw_str(&d->line, 2, name);
}

uint32_t dspace_name(struct dspace *d, const char *name, const char *display,
                     const struct dstat *stat)
{
    uint32_t id = ++d->metadata;
    size_t entry = pbw_begin(&d->tables, 4);
    pbw_uint(&d->tables, 1, id);
    size_t value = pbw_begin(&d->tables, 2);
    pbw_uint(&d->tables, 1, id);
    pbw_str(&d->tables, 2, name);
    pbw_str(&d->tables, 4, display);
    put_stats(d, &d->tables, 5, stat);
    pbw_end(&d->tables, value);
    pbw_end(&d->tables, entry);
    return id;
}

void dspace_event(struct dspace *d, uint32_t name, int64_t start_ps, int64_t duration_ps,
                  const struct dstat *stat)
{
    size_t event = pbw_begin(&d->line, 4);
    pbw_uint(&d->line, 1, name);
    pbw_int(&d->line, 2, start_ps);
    pbw_int(&d->line, 3, duration_ps);
    put_stats(d, &d->line, 4, stat);
    pbw_end(&d->line, event);
}

void dspace_load(struct dspace *d)
{
    struct xpd_err err = {0};
    struct xpd_source *again;
    end_plane(d);
    assert_int_equal(xpd_source_open_memory(&d->source, d->file.data, d->file.len, "by hand", &err),
                     XPD_OK);
    assert_int_equal(xpd_source_open_memory(&again, d->file.data, d->file.len, "by hand", &err),
                     XPD_OK);
    assert_int_equal(xpd_xspace_load(&d->space, d->source, NULL, 0, &err), XPD_OK);
    struct xpd_trace_options options = {.threads = 1};
    if (xpd_trace_load(&d->trace, d->space, again, &options, NULL, 0, &err) != XPD_OK)
        fail_msg("%s", err.text);
    if (xpd_derived_make(&d->derived, d->trace, 0, &err) != XPD_OK)
        fail_msg("%s", err.text);
    if (xpd_flows_make(&d->flows, d->trace, 0, &err) != XPD_OK)
        fail_msg("%s", err.text);
}

void dspace_free(struct dspace *d)
{
    xpd_flows_free(d->flows);
    xpd_derived_free(d->derived);
    xpd_trace_free(d->trace);
    xpd_xspace_free(d->space);
    xpd_source_close(d->source);
    pbw_free(&d->file);
    *d = (struct dspace){0};
}

const struct xpd_trace_row *dspace_row(const struct dspace *d, const char *caption,
                                       uint32_t process)
{
    for (uint32_t i = 0; i < d->derived->row_count; i++) {
        const struct xpd_trace_row *row = &d->derived->row[i];
        if (row->process == process &&
            xpd_str_eq(xpd_intern_get(&d->derived->names, row->caption), xpd_str_of(caption)))
            return row;
    }
    return NULL;
}

const char *dspace_events(const struct dspace *d, const char *caption, uint32_t process)
{
    static char text[4096];
    const struct xpd_trace_row *row = dspace_row(d, caption, process);
    size_t used = 0;
    text[0] = 0;
    for (uint32_t k = 0; row && k < row->depth_count; k++) {
        const struct xpd_depth *depth = &d->derived->depth[row->first_depth + k];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", k ? "| " : "");
        for (uint32_t i = 0; i < depth->count && used < sizeof text - 200; i++) {
            const struct xpd_event_name *name =
                &d->derived->name[depth->name[i] - d->trace->name_count];
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s %" PRId64 " %" PRId64 "; ",
                                 xpd_intern_get(&d->derived->names, name->caption).data,
                                 xpd_depth_start(depth, i), xpd_depth_end(depth, i));
        }
    }
    return text;
}

uint64_t dspace_find(const struct dspace *d, const char *row, int64_t start_ps)
{
    for (uint32_t k = 0; k < d->trace->depth_count; k++) {
        const struct xpd_depth *depth = &d->trace->depth[k];
        if (!xpd_str_eq(xpd_intern_get(&d->trace->names, d->trace->row[depth->row].caption),
                        xpd_str_of(row)))
            continue;
        for (uint32_t i = 0; i < depth->count; i++)
            if (xpd_depth_start(depth, i) == start_ps)
                return depth->first_event + i;
    }
    fail_msg("no event at %" PRId64 " in %s", start_ps, row);
    return 0;
}
