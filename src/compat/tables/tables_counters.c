/* tag=perf_counters: the samples of hardware counters in a profile, one row each. And
 * kernel_utilization, which makes shares of peaks of them by kernel: it refuses a profile that has
 * samples, since these shares are not computed here. */
#include "../opstats/file_events.h"
#include "compat_tables.h"

#include "xprofd/base/vec.h"

#include <inttypes.h>

struct sample {
    double chip, line, value;
    struct xpd_str host, kernel, counter, hex, description, sets;
};

static const struct xpd_column counter_columns[] = {
    XPD_COLUMN_AS(struct sample, "Host", host, "Host"),
    XPD_COLUMN_AS(struct sample, "Chip", chip, "Chip"),
    XPD_COLUMN_AS(struct sample, "Kernel", kernel, "Kernel"),
    XPD_COLUMN_AS(struct sample, "Sample", line, "Sample"),
    XPD_COLUMN_AS(struct sample, "Counter", counter, "Counter"),
    {.id = "Value",
     .label = "Value (Hex)",
     .kind = XPD_CELL_NUMBER,
     .at = offsetof(struct sample, value),
     .shown_at = offsetof(struct sample, hex)},
    XPD_COLUMN_AS(struct sample, "Description", description, "Description"),
    XPD_COLUMN_AS(struct sample, "Set", sets, "Set"),
};

struct reading {
    const struct xpd_tool_ctx *ctx;
    struct xpd_file_host host;
    struct xpd_file_plane plane;
    struct xpd_arena scratch;
    XPD_VEC(struct sample) sample;
};

/* The last stat of that name that is a number; -1 = none. */
static int64_t plane_number(const struct xpd_xspace *space, const struct xpd_plane *plane,
                            const char *name)
{
    int64_t number = -1;
    for (uint32_t i = 0; i < plane->stat_count; i++)
        if (xpd_str_eq(xpd_intern_get(&space->names, plane->stat[i].name), xpd_str_of(name)))
            number = xpd_stat_is_integer(plane->stat[i].type) ? plane->stat[i].integer : 0;
    return number;
}

static const struct xpd_stat_value *find(const struct xpd_stat_value *stat, uint32_t count,
                                         const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(stat[i].name, xpd_str_of(name)))
            return &stat[i];
    return NULL;
}

static struct xpd_str kept_text(struct xpd_arena *arena, const struct xpd_stat_value *stat)
{
    struct xpd_str text = stat ? xpd_stat_text(stat) : XPD_STR("");
    return xpd_str_of(xpd_arena_strndup(arena, text.data, text.size));
}

static struct xpd_str lower(struct xpd_arena *arena, struct xpd_str text)
{
    char *copy = xpd_arena_strndup(arena, text.data, text.size);
    for (size_t i = 0; copy && i < text.size; i++)
        if (copy[i] >= 'A' && copy[i] <= 'Z')
            copy[i] = (char)(copy[i] + ('a' - 'A'));
    return (struct xpd_str){copy ? copy : "", copy ? text.size : 0};
}

static int read_sample(struct reading *r, const struct xpd_file_line *line,
                       const struct xpd_file_event *event, double chip, struct xpd_err *err)
{
    struct xpd_arena *arena = r->ctx->arena;
    struct xpd_stat_value *stat;
    uint32_t count;
    xpd_arena_reset(&r->scratch);
    int rc = xpd_file_stats(&r->plane, event, &r->scratch, &stat, &count, err);
    const struct xpd_stat_value *value = rc == XPD_OK ? find(stat, count, "counter_value") : NULL;
    if (!value)
        return rc;
    uint64_t number = xpd_stat_is_integer(value->type) ? (uint64_t)value->integer : 0;
    struct sample sample = {
        .host = xpd_str_of(r->host.host->name),
        .chip = chip,
        .kernel = line->name,
        .line = (double)line->line->id,
        .counter = lower(arena, xpd_file_name(&r->plane, event)),
        .value = (double)number,
        .hex = xpd_str_of(xpd_arena_printf(arena, "0x%" PRIx64, number)),
        .description = kept_text(arena, find(stat, count, "performance_counter_description")),
        .sets = kept_text(arena, find(stat, count, "performance_counter_sets"))};
    XPD_PUSH(&r->sample, sample);
    return XPD_OK;
}

static int read_plane(struct reading *r, uint32_t number, struct xpd_err *err)
{
    const struct xpd_xspace *space = r->host.trace->space;
    const struct xpd_plane *plane = &space->plane[number];
    struct xpd_str name = xpd_intern_get(&space->names, plane->name);
    int64_t chip = plane_number(space, plane, "global_chip_id");
    if (chip == -1)
        chip = plane_number(space, plane, "device_id");
    if (chip == -1 ||
        (!xpd_str_starts(name, "/device:TPU:") && !xpd_str_starts(name, "/device:GPU:")))
        return XPD_OK;
    int rc = xpd_file_plane_open(&r->plane, &r->host, number, NULL, r->ctx->arena, err);
    if (rc != XPD_OK || !xpd_file_knows(&r->plane, "counter_value"))
        return rc;
    for (uint32_t l = 0; rc == XPD_OK && l < r->plane.line_count; l++)
        for (uint32_t i = 0; rc == XPD_OK && i < r->plane.line[l].count; i++)
            rc = read_sample(r, &r->plane.line[l], &r->plane.line[l].event[i], (double)chip, err);
    return rc;
}

static int read_hosts(struct reading *r, struct xpd_err *err)
{
    const uint32_t *number;
    uint32_t count = 0;
    int rc = xpd_file_hosts(r->ctx, &number, &count, err);
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++) {
        if (!xpd_host_has_events(&r->ctx->run->host[number[i]]))
            continue;
        rc = xpd_file_host_open(r->ctx, number[i], &r->host, err);
        for (uint32_t p = 0; rc == XPD_OK && p < r->host.trace->space->plane_count; p++)
            rc = read_plane(r, p, err);
    }
    return rc;
}

static int make_table(struct reading *r, struct xpd_data_table *table, struct xpd_err *err)
{
    int rc = read_hosts(r, err);
    table->row = XPD_COPY_VEC(r->ctx->arena, &r->sample);
    table->row_count = (uint32_t)r->sample.count;
    if (rc == XPD_OK && (!table->row || r->sample.failed))
        rc = xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                      "the samples of counters do not fit the memory of a request");
    XPD_VEC_FINI(&r->sample);
    xpd_arena_fini(&r->scratch);
    return rc;
}

static int counters(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    struct reading r = {.ctx = ctx};
    struct xpd_data_table *table = XPD_NEW(ctx->arena, struct xpd_data_table);
    if (!table)
        return xpd_no_memory(err, NULL, "for this answer");
    *table =
        (struct xpd_data_table){XPD_COLUMNS(counter_columns), .row_bytes = sizeof(struct sample)};
    *out = (struct xpd_tables){.table = table, .count = 1, .alone = true};
    return make_table(&r, table, err);
}

const struct xpd_table_tool xpd_table_perf_counters = {.tag = "perf_counters", .make = counters};

/* ---- kernel_utilization ---- */

/* XProf computes shares only for counters of v6e and v7x. */
static bool has_shares(struct xpd_str type)
{
    return xpd_str_eq(type, XPD_STR("TPU v6 Lite")) || xpd_str_eq(type, XPD_STR("TPU v7x"));
}

/* XPD_EINVAL where there are samples to make shares of. */
static int refuse_samples(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_data_table samples = {.row_bytes = sizeof(struct sample)};
    struct reading r = {.ctx = ctx};
    int rc = make_table(&r, &samples, err);
    if (rc == XPD_OK && samples.row_count > 0 && has_shares(xpd_str_of(ctx->run->device_type)))
        rc = xpd_fail(err, XPD_EINVAL, "tag", XPD_NO_OFFSET,
                      "kernel_utilization of a profile with counters is not computed by xprofd; "
                      "perf_counters has the samples");
    return rc;
}

struct device {
    double id;
    struct xpd_str type;
};
static const struct xpd_column device_columns[] = {
    XPD_COLUMN_AS(struct device, "device_id", id, "Device"),
    XPD_COLUMN_AS(struct device, "device_type", type, "Device type"),
};

static struct xpd_str plane_text(const struct xpd_xspace *space, const struct xpd_plane *plane,
                                 const char *name)
{
    struct xpd_str text = XPD_STR("");
    for (uint32_t i = 0; i < plane->stat_count; i++)
        if (xpd_str_eq(xpd_intern_get(&space->names, plane->stat[i].name), xpd_str_of(name)) &&
            plane->stat[i].type == XPD_STAT_TEXT)
            text = xpd_intern_get(&space->names, plane->stat[i].text);
    return text;
}

/* In XProf's way of writing: indented by two, with a blank behind each colon. */
static void write_devices(struct xpd_strbuf *out, const struct xpd_xspace *space,
                          struct xpd_data_table *table, struct device *device)
{
    xpd_strbuf_puts(out, "{\n  \"devices\": [");
    for (uint32_t p = 0; p < space->plane_count; p++) {
        const struct xpd_plane *plane = &space->plane[p];
        struct xpd_str type = plane_text(space, plane, "device_type_string");
        struct xpd_str name = xpd_intern_get(&space->names, plane->name);
        size_t prefix = sizeof "/device:TPU:" - 1;
        int64_t id; /* from the plane's name */
        if (!xpd_str_starts(name, "/device:TPU:") || !has_shares(type) ||
            !xpd_str_to_i64((struct xpd_str){name.data + prefix, name.size - prefix}, &id))
            continue;
        xpd_strbuf_printf(out,
                          "%s\n    {\n      \"device_id\": %" PRId64
                          ",\n      \"device_type\": \"%.*s\",\n      \"kernels\": []\n    }",
                          table->row_count ? "," : "", id, (int)type.size, type.data);
        device[table->row_count++] = (struct device){(double)id, type};
    }
    xpd_strbuf_puts(out, table->row_count ? "\n  ]" : "]");
    xpd_strbuf_puts(out, ",\n  \"status\": \"SUCCESS\"\n}");
}

static int kernel_use(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    uint32_t first, end;
    int rc = xpd_file_hosts_meant(ctx, &first, &end, err);
    if (rc == XPD_OK && (end - first != 1 || !ctx->run->host[first].space))
        rc = xpd_fail(err, XPD_EINVAL, "host", XPD_NO_OFFSET,
                      "kernel_utilization is of one host with a profile; host= chooses");
    if (rc == XPD_OK)
        rc = refuse_samples(ctx, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_xspace *space = ctx->run->host[first].space;
    struct xpd_data_table *table = XPD_NEW(ctx->arena, struct xpd_data_table);
    struct device *device = XPD_NEW_ARRAY(ctx->arena, struct device, space->plane_count);
    struct xpd_strbuf text = {0};
    if (!table || !device)
        return xpd_no_memory(err, NULL, "for this answer");
    *table = (struct xpd_data_table){XPD_COLUMNS(device_columns), .row = device,
                                     .row_bytes = sizeof *device};
    write_devices(&text, space, table, device);
    *out = (struct xpd_tables){.table = table, .count = 1};
    if (!text.failed)
        out->json = xpd_str_of(xpd_arena_strndup(ctx->arena, text.data, text.size));
    xpd_strbuf_fini(&text);
    return XPD_OK;
}

const struct xpd_table_tool xpd_table_kernel_utilization = {.tag = "kernel_utilization",
                                                            .make = kernel_use};
