/* tag=utilization_viewer: samples of hardware counters as shares of the units' peaks. */
#include "utilization.h"
#include "../opstats/file_events.h"
#include "../opstats/opstats_walk.h"
#include "compat_tables.h"

#include <stdlib.h>

static const struct xpd_column use_columns[] = {
    XPD_COLUMN(struct xpd_use, host, "Host"),     XPD_COLUMN(struct xpd_use, device, "Device"),
    XPD_COLUMN(struct xpd_use, sample, "Sample"), XPD_COLUMN(struct xpd_use, node, "Node"),
    XPD_COLUMN(struct xpd_use, name, "Name"),     XPD_COLUMN(struct xpd_use, achieved, "Achieved"),
    XPD_COLUMN(struct xpd_use, peak, "Peak"),     XPD_COLUMN(struct xpd_use, unit, "Unit"),
};

enum { COUNTER_ID, COUNTER_VALUE, ASKED };
static const char *const asked[ASKED] = {"performance_counter_id", "counter_value"};

struct said { /* by metadata */
    bool read, has_value;
    uint64_t id, value;
};
struct reading {
    struct xpd_ops_walk walk;
    struct xpd_arena scratch;
    struct said *said;
    XPD_VEC(struct xpd_use_counted) counted;
    struct xpd_unit_uses uses;
    bool failed;
};

/* NaN and negative numbers count as 0. */
static uint64_t whole(double value)
{
    if (!(value >= 0))
        return 0;
    return value >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)value;
}

static const struct said *said_of(struct reading *r, uint32_t metadata)
{
    struct said *said = &r->said[metadata];
    const struct xpd_trace *trace = r->walk.trace;
    struct xpd_stat_value *stat;
    uint32_t count = 0;
    struct xpd_err unread = {0};
    if (said->read)
        return said;
    said->read = true;
    xpd_arena_reset(&r->scratch);
    if (xpd_metadata_stats(trace, r->walk.plane, metadata, &r->scratch, &stat, &count, &unread) !=
        XPD_OK)
        return said;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = xpd_stat_is_integer(stat[i].type) ? (uint64_t)stat[i].integer : 0;
        if (xpd_str_eq(stat[i].name, xpd_str_of(asked[COUNTER_ID]))) {
            said->id = number;
        } else if (xpd_str_eq(stat[i].name, xpd_str_of(asked[COUNTER_VALUE]))) {
            said->has_value = true;
            said->value = stat[i].type == XPD_STAT_DOUBLE ? whole(stat[i].real) : number;
        }
    }
    return said;
}

static bool take_event(void *user, const struct xpd_ops_event *event)
{
    static const struct said none;
    struct reading *r = user;
    const struct said *said =
        event->metadata == XPD_NO_METADATA ? &none : said_of(r, event->metadata);
    const struct xpd_said *value = &event->stat[COUNTER_VALUE];
    uint64_t id =
        event->stat[COUNTER_ID].field ? xpd_ops_any_int(&event->stat[COUNTER_ID]) : said->id;
    struct xpd_use_counted one = {.id = id ? id : event->metadata_id, .order = r->counted.count};
    if (!value->field && !said->has_value)
        return true;
    one.value = said->value;
    if (value->field)
        one.value =
            value->field == XPD_SAID_DOUBLE ? whole(xpd_ops_double(value)) : xpd_ops_any_int(value);
    if (one.id != 0)
        XPD_PUSH(&r->counted, one);
    return !r->counted.failed;
}

/* The kind of chip and the device's number; NULL where XProf makes nothing of the plane. */
static const struct xpd_use_chip *chip_of(const struct xpd_xspace *space,
                                          const struct xpd_plane *plane, double *device)
{
    const struct xpd_use_chip *chip = NULL;
    bool numbered = false;
    if (!xpd_str_starts(xpd_intern_get(&space->names, plane->name), "/device:TPU:"))
        return NULL;
    for (uint32_t i = 0; i < plane->stat_count; i++) {
        const struct xpd_stat *stat = &plane->stat[i];
        struct xpd_str name = xpd_intern_get(&space->names, stat->name);
        if (xpd_str_eq(name, XPD_STR("device_id"))) {
            int64_t number = xpd_stat_is_integer(stat->type) ? stat->integer : 0;
            *device = (double)number;
            numbered = number != -1;
        } else if (xpd_str_eq(name, XPD_STR("device_type_string")) && stat->type == XPD_STAT_TEXT) {
            chip = xpd_use_chip_called(xpd_intern_get(&space->names, stat->text));
        }
    }
    return numbered ? chip : NULL;
}

static void read_plane(struct reading *r, uint32_t number)
{
    const struct xpd_xspace *space = r->walk.trace->space;
    const struct xpd_plane *plane = &space->plane[number];
    struct xpd_use_sample sample = {.uses = &r->uses};
    sample.chip = chip_of(space, plane, &sample.device);
    if (!sample.chip)
        return;
    xpd_ops_walk_plane(&r->walk, number, asked, ASKED);
    r->said = calloc((size_t)r->walk.tables->event_count + 1, sizeof *r->said);
    r->failed |= !r->said;
    for (uint32_t l = 0; !r->failed && l < plane->line_count; l++) {
        r->counted.count = 0;
        xpd_ops_walk_line(&r->walk, &plane->line[l], take_event, r);
        sample.number = (double)plane->line[l].id;
        sample.counted = r->counted.at;
        sample.count = r->counted.count;
        xpd_use_add(&sample);
        r->failed |= r->counted.failed || r->uses.list.failed;
    }
    free(r->said);
}

static int read_host(struct reading *r, const struct xpd_tool_ctx *ctx, uint32_t number,
                     struct xpd_err *err)
{
    struct xpd_file_host host;
    if (!xpd_host_has_events(&ctx->run->host[number]))
        return XPD_OK;
    int rc = xpd_file_host_open(ctx, number, &host, err);
    if (rc == XPD_OK)
        rc = xpd_ops_walk_init(&r->walk, host.trace, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t p = 0; !r->failed && p < host.trace->space->plane_count; p++)
        read_plane(r, p);
    xpd_ops_walk_fini(&r->walk);
    return XPD_OK;
}

static int utilization(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    struct reading r = {0};
    struct xpd_data_table table = {XPD_COLUMNS(use_columns), .row_bytes = sizeof(struct xpd_use)};
    const uint32_t *number;
    uint32_t count = 0;
    int rc = xpd_file_hosts(ctx, &number, &count, err);
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++)
        rc = read_host(&r, ctx, number[i], err);
    table.row = XPD_COPY_VEC(ctx->arena, &r.uses.list);
    table.row_count = (uint32_t)r.uses.list.count;
    if (rc == XPD_OK && (!table.row || r.failed))
        rc = xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                      "the samples of counters do not fit the memory of a request");
    XPD_VEC_FINI(&r.counted);
    XPD_VEC_FINI(&r.uses.list);
    xpd_arena_fini(&r.scratch);
    return rc == XPD_OK ? xpd_tables_alone(out, ctx, &table, err) : rc;
}

const struct xpd_table_tool xpd_table_utilization_viewer = {.tag = "utilization_viewer",
                                                            .make = utilization};
