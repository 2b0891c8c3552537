/* tag=pod_viewer: each step on each core, divided by kinds of time, in XProf's proto3 JSON. */
#include "../opstats/opstats.h"
#include "../opstats/opstats_steps.h"
#include "compat_tables.h"

#include <stdio.h>

/* Names on the page, by number from 1 on. */
static const char *const kinds[] = {
    "Device compute", "Device to device", "Device collective communication",
    "Host compute",   "Kernel launch",    "Input",
    "Output",         "Compilation",      "All others"};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct row { /* a step on a core */
    double step, core, total_us, kind_us[KINDS];
    struct xpd_str host, bottleneck;
};

#define KIND_COLUMN(number, title)                                                                 \
    {                                                                                              \
        .id = "kind_" #number, .label = (title), .kind = XPD_CELL_NUMBER,                          \
        .at = offsetof(struct row, kind_us) + ((number)-1) * sizeof(double)                        \
    }
static const struct xpd_column columns[] = {
    XPD_COLUMN_AS(struct row, "step_num", step, "Step"),
    XPD_COLUMN_AS(struct row, "core", core, "Core"),
    XPD_COLUMN_AS(struct row, "host_name", host, "Host"),
    XPD_COLUMN_AS(struct row, "total_duration_us", total_us, "Step time (us)"),
    XPD_COLUMN(struct row, bottleneck, "Bottleneck"),
    KIND_COLUMN(1, "Device compute (us)"),
    KIND_COLUMN(2, "Device to device (us)"),
    KIND_COLUMN(3, "Device collective communication (us)"),
    KIND_COLUMN(4, "Host compute (us)"),
    KIND_COLUMN(5, "Kernel launch (us)"),
    KIND_COLUMN(6, "Input (us)"),
    KIND_COLUMN(7, "Output (us)"),
    KIND_COLUMN(8, "Compilation (us)"),
    KIND_COLUMN(9, "All others (us)"),
};

enum { DEVICE_COMPUTE, DEVICE_TO_DEVICE, COLLECTIVES, HOST_COMPUTE, LAUNCH, INPUT, OUTPUT };
enum { ALL_OTHERS = KINDS - 1 };

/* Categories of a TPU's operations that are not compute. */
static int kind_of_category(struct xpd_str name)
{
    static const struct {
        const char *name;
        int kind;
    } special[] = {{"IDLE", ALL_OTHERS},
                   {"infeed", INPUT},
                   {"host recv", INPUT},
                   {"host recv-done", INPUT},
                   {"sparsecorev0 infeed", INPUT},
                   {"outfeed", OUTPUT},
                   {"host send", OUTPUT},
                   {"host send-done", OUTPUT},
                   {"sparsecorev0 outfeed", OUTPUT},
                   {"send", DEVICE_TO_DEVICE},
                   {"send-done", DEVICE_TO_DEVICE},
                   {"recv", DEVICE_TO_DEVICE},
                   {"recv-done", DEVICE_TO_DEVICE},
                   {"async-done", DEVICE_TO_DEVICE},
                   {"megacore fusion", DEVICE_TO_DEVICE},
                   {"all-reduce", COLLECTIVES},
                   {"all-reduce fusion", COLLECTIVES},
                   {"all-to-all", COLLECTIVES}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (xpd_str_eq(name, xpd_str_of(special[i].name)))
            return special[i].kind;
    return DEVICE_COMPUTE;
}

static void divide_categories(const struct xpd_step_core *core, uint64_t ps[KINDS])
{
    memset(ps, 0, KINDS * sizeof *ps);
    for (uint32_t i = 0; i < core->category_count; i++)
        ps[kind_of_category(core->category[i].name)] += core->category[i].self_ps;
}

static void divide(const struct xpd_step_core *core, uint64_t ps[KINDS])
{
    if (core->category_count > 0) {
        divide_categories(core, ps);
        return;
    }
    const uint64_t *of = core->kind_ps;
    const uint64_t all[KINDS] = {of[XPD_STEP_COMPUTE_32] + of[XPD_STEP_COMPUTE_16],
                                 of[XPD_STEP_DEVICE_TO_DEVICE] + of[XPD_STEP_WAIT_DEVICE],
                                 of[XPD_STEP_COLLECTIVES],
                                 of[XPD_STEP_HOST_COMPUTE],
                                 of[XPD_STEP_HOST_PREPARE],
                                 of[XPD_STEP_WAIT_INPUT] + of[XPD_STEP_HOST_TO_DEVICE] +
                                     of[XPD_STEP_WAIT_HOST],
                                 of[XPD_STEP_DEVICE_TO_HOST],
                                 of[XPD_STEP_HOST_COMPILE],
                                 of[XPD_STEP_UNKNOWN]};
    memcpy(ps, all, sizeof all);
}

/* The longest; of equal ones the last by name. */
static const char *bottleneck(const uint64_t ps[KINDS])
{
    int most = 0;
    for (int i = 1; i < KINDS; i++)
        if (ps[i] > ps[most] || (ps[i] == ps[most] && strcmp(kinds[i], kinds[most]) > 0))
            most = i;
    return kinds[most];
}

static struct row row_of(const struct xpd_xprof_steps *steps, const struct xpd_step_core *core)
{
    uint64_t ps[KINDS];
    uint32_t host = core->core / 1000;
    struct row row = {
        .step = core->number, .core = core->core, .total_us = (double)core->duration_ps / 1e6};
    divide(core, ps);
    for (int i = 0; i < KINDS; i++)
        row.kind_us[i] = (double)ps[i] / 1e6;
    row.bottleneck = xpd_str_of(bottleneck(ps));
    row.host = host < steps->host_count ? steps->hostname[host] : XPD_STR("");
    return row;
}

/* XProf leaves out TPU cores without a position. */
static bool is_shown(const struct xpd_xprof_steps *steps, const struct xpd_step_core *core)
{
    bool placed = core->category_count == 0;
    for (uint32_t i = 0; !placed && i < steps->place_count; i++)
        placed = steps->place[i].core == core->core;
    return placed;
}

/* ---- JSON ---- */

static void write_core(struct xpd_jsonw *w, const struct row *row)
{
    char key[16];
    (void)snprintf(key, sizeof key, "%u", (uint32_t)row->core);
    xpd_json_key(w, key);
    xpd_json_obj(w);
    xpd_json_kstr(w, "hostName", row->host);
    xpd_json_ki64(w, "chipId", 0);
    xpd_json_ki64(w, "nodeId", 0);
    xpd_json_ki64(w, "stepNum", (int64_t)row->step);
    xpd_json_kdouble(w, "totalDurationUs", row->total_us);
    xpd_json_kstr(w, "bottleneck", row->bottleneck);
    xpd_json_key(w, "stepBreakdownUs");
    xpd_json_obj(w);
    for (int i = 0; i < KINDS; i++) {
        (void)snprintf(key, sizeof key, "%d", i + 1);
        xpd_json_kdouble(w, key, row->kind_us[i]);
    }
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

static void empty(struct xpd_jsonw *w, const char *key, bool list)
{
    xpd_json_key(w, key);
    if (list) {
        xpd_json_arr(w);
        xpd_json_arr_end(w);
    } else {
        xpd_json_obj(w);
        xpd_json_obj_end(w);
    }
}

static void write_steps(struct xpd_jsonw *w, const struct xpd_xprof_steps *steps,
                        const struct row *row)
{
    xpd_json_key(w, "podStatsSequence");
    xpd_json_obj(w);
    xpd_json_key(w, "podStatsMap");
    xpd_json_arr(w);
    for (uint32_t s = 0; s < steps->count; s++) {
        xpd_json_obj(w);
        xpd_json_ki64(w, "stepNum", steps->step[s].number);
        xpd_json_key(w, "podStatsPerCore");
        xpd_json_obj(w);
        for (uint32_t c = 0; c < steps->step[s].core_count; c++)
            if (is_shown(steps, &steps->step[s].core[c]))
                write_core(w, row++);
        xpd_json_obj_end(w);
        empty(w, "channelDb", true);
        empty(w, "coreIdToReplicaIdMap", false);
        empty(w, "allReduceOpDb", true);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

static void write_diagnostics(struct xpd_jsonw *w, const struct xpd_xprof_steps *steps)
{
    const char *warning = xpd_step_warning(steps);
    xpd_json_key(w, "diagnostics");
    xpd_json_obj(w);
    empty(w, "info", true);
    xpd_json_key(w, "warnings");
    xpd_json_arr(w);
    if (warning)
        xpd_json_text(w, warning);
    xpd_json_arr_end(w);
    empty(w, "errors", true);
    xpd_json_obj_end(w);
}

static void write_json(struct xpd_jsonw *w, const struct xpd_xprof_steps *steps,
                       const struct row *row, struct xpd_str device_type)
{
    xpd_json_obj(w);
    write_steps(w, steps, row);
    write_diagnostics(w, steps);
    xpd_json_key(w, "stepBreakdownEvents");
    xpd_json_arr(w);
    for (int i = 0; i < KINDS; i++) {
        xpd_json_obj(w);
        xpd_json_ki64(w, "id", i + 1);
        xpd_json_ktext(w, "name", kinds[i]);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_kstr(w, "deviceType", device_type);
    xpd_json_obj_end(w);
}

static int answer(const struct xpd_tool_ctx *ctx, const struct xpd_xprof_steps *steps,
                  struct xpd_tables *out, struct xpd_err *err)
{
    const struct xpd_op_stats *stats;
    int rc = xpd_op_stats_of(ctx, &stats, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t count = 0;
    for (uint32_t s = 0; s < steps->count; s++)
        count += steps->step[s].core_count;
    struct xpd_data_table *table = XPD_NEW(ctx->arena, struct xpd_data_table);
    struct row *row = XPD_NEW_ARRAY(ctx->arena, struct row, count);
    if (!table || !row)
        return xpd_no_memory(err, NULL, "for this answer");
    *table = (struct xpd_data_table){XPD_COLUMNS(columns), .row = row, .row_bytes = sizeof *row};
    for (uint32_t s = 0; s < steps->count; s++)
        for (uint32_t c = 0; c < steps->step[s].core_count; c++)
            if (is_shown(steps, &steps->step[s].core[c]))
                row[table->row_count++] = row_of(steps, &steps->step[s].core[c]);
    struct xpd_strbuf text = {0};
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &text);
    write_json(&w, steps, row, stats->device_type);
    if (!text.failed)
        out->json = xpd_str_of(xpd_arena_strndup(ctx->arena, text.data, text.size));
    xpd_strbuf_fini(&text);
    out->table = table;
    out->count = 1;
    return XPD_OK;
}

static int make(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    struct xpd_xprof_steps steps;
    int rc = xpd_xprof_steps_of(ctx, &steps, err);
    return rc == XPD_OK ? answer(ctx, &steps, out, err) : rc;
}

const struct xpd_table_tool xpd_table_pod_viewer = {.tag = "pod_viewer", .make = make};
