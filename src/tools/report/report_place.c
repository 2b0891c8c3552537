/* /api/v1/report/place: all tenants of an address, and for one of them who may never share its
 * bytes and who has them at other times. In: an address or a tenancy. Out: rows by first step. */
#include "report_keys.h"
#include "xprofd/base/checked.h"

#define LIMIT_DEFAULT 64
#define LIMIT_MAX     5000
#define ALL_MAX       65536 /* tenancies that a list names, beside the rows */

enum list { TENANTS, CONFLICTS, BEFORE };

struct place {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    int64_t address;  /* -1: a tenancy was asked for */
    uint32_t tenancy; /* that is pinned, XPD_NO_INDEX = none lies there at the step */
    uint32_t step, limit;
    bool tenants_only; /* of the pinned one no lists: they are long, and hovering shows none */
    struct xpd_names names;
};

static uint32_t find(const struct place *p, enum list list, uint32_t *out, uint32_t capacity,
                     int64_t *bytes)
{
    const struct xpd_mem_space *space = p->ctx->space;
    *bytes = 0;
    if (list == CONFLICTS)
        return xpd_report_conflicts(space, p->tenancy, out, capacity, bytes);
    if (list == BEFORE)
        return xpd_report_predecessors(space, p->tenancy, out, capacity, bytes);
    uint32_t count = xpd_report_tenants(space, p->address, out, capacity);
    for (uint32_t i = 0; i < count && i < capacity; i++)
        xpd_grow_i64(bytes, space->tenancy[out[i]].size_bytes);
    return count;
}

struct ranked {
    int64_t size;
    uint32_t tenancy;
};

static int by_size(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return (x->tenancy > y->tenancy) - (x->tenancy < y->tenancy);
}

static void write_rows(struct xpd_jsonw *w, struct place *p, const uint32_t *at, uint32_t n)
{
    const struct xpd_tenancy *t = p->ctx->space->tenancy;
    const struct xpd_mem *mem = p->ctx->mem;
    xpd_json_ku64(w, "n", n);
    xpd_json_col_u32(w, "tenancy", at, n);
    XPD_COLUMN(w, "buffer", n, xpd_json_u64(w, t[at[row]].buffer));
    XPD_COLUMN(w, "start", n, xpd_json_u64(w, t[at[row]].start_step));
    XPD_COLUMN(w, "end", n, xpd_json_u64(w, t[at[row]].end_step));
    XPD_COLUMN(w, "offset_bytes", n, xpd_json_i64(w, t[at[row]].offset_bytes));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_i64(w, t[at[row]].size_bytes));
    XPD_COLUMN(w, "name", n, xpd_json_u64(w, xpd_names_buffer(&p->names, mem, t[at[row]].buffer)));
    XPD_COLUMN(w, "row", n, {
        char leaf[48];
        xpd_report_leaf(leaf, &p->report->row[p->report->resident_count + at[row]]);
        xpd_json_u64(w, xpd_names_put(&p->names, xpd_str_of(leaf)));
    });
}

/* Tenants and predecessors by first step, conflicts by size: the list of them is long. */
static bool write_list(struct xpd_jsonw *w, struct place *p, enum list list)
{
    static const char *const words[] = {"tenants", "conflicts", "before"};
    int64_t bytes;
    uint32_t count = find(p, list, NULL, 0, &bytes);
    uint32_t *at = XPD_NEW_ARRAY(p->ctx->arena, uint32_t, count);
    struct ranked *ranked = XPD_NEW_ARRAY(p->ctx->arena, struct ranked, count);
    if (!at || !ranked)
        return false;
    find(p, list, at, count, &bytes);
    xpd_json_key(w, words[list]);
    xpd_json_obj(w);
    xpd_json_ku64(w, "count", count);
    xpd_json_ki64(w, "bytes", bytes);
    uint32_t all = count < ALL_MAX ? count : ALL_MAX;
    xpd_json_col_u32(w, "all", at, all);
    xpd_json_ku64(w, "all_left_out", count - all);
    if (list == CONFLICTS) {
        for (uint32_t i = 0; i < count; i++)
            ranked[i] = (struct ranked){p->ctx->space->tenancy[at[i]].size_bytes, at[i]};
        if (count > 1)
            qsort(ranked, count, sizeof *ranked, by_size);
        for (uint32_t i = 0; i < count; i++)
            at[i] = ranked[i].tenancy;
    }
    write_rows(w, p, at, count < p->limit ? count : p->limit);
    xpd_json_obj_end(w);
    return true;
}

static void write_pinned(struct xpd_jsonw *w, struct place *p)
{
    const struct xpd_mem *mem = p->ctx->mem;
    const struct xpd_tenancy *t = &p->ctx->space->tenancy[p->tenancy];
    uint32_t instruction = xpd_tools_instruction(mem, t->buffer);
    struct xpd_strbuf text = {0};
    char leaf[48];
    int64_t end = t->offset_bytes;
    xpd_grow_i64(&end, t->size_bytes);
    xpd_json_key(w, "pinned");
    xpd_json_obj(w);
    xpd_json_ku64(w, "tenancy", p->tenancy);
    xpd_json_ku64(w, "buffer", t->buffer);
    xpd_tools_buffer_name(&text, mem, t->buffer);
    xpd_json_kstr(w, "name", (struct xpd_str){text.data, text.size});
    xpd_tools_kstr(w, "instruction", xpd_tools_instruction_name(mem->hlo, instruction));
    xpd_strbuf_clear(&text);
    xpd_shape_text(&text, mem->buffer[t->buffer].shape, true);
    xpd_json_kstr(w, "shape", (struct xpd_str){text.data, text.size});
    xpd_report_leaf(leaf, &p->report->row[p->report->resident_count + p->tenancy]);
    xpd_json_ktext(w, "row", leaf);
    xpd_json_ki64(w, "offset_bytes", t->offset_bytes);
    xpd_json_ki64(w, "end_bytes", end);
    xpd_json_ki64(w, "size_bytes", t->size_bytes);
    xpd_json_ku64(w, "start", t->start_step);
    xpd_json_ku64(w, "end", t->end_step);
    xpd_json_ki64(w, "saving_bytes",
                  xpd_tools_saving_of(mem, p->ctx->space, t->buffer, p->ctx->arena));
    xpd_json_obj_end(w);
    xpd_strbuf_fini(&text);
}

/* Who holds the address at the step. */
static uint32_t holder_of(const struct place *p)
{
    const struct xpd_mem_space *space = p->ctx->space;
    uint32_t count = xpd_report_tenants(space, p->address, NULL, 0), found = XPD_NO_INDEX;
    uint32_t *at = XPD_NEW_ARRAY(p->ctx->arena, uint32_t, count);
    if (!at)
        return XPD_NO_INDEX;
    xpd_report_tenants(space, p->address, at, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[at[i]];
        if (t->start_step <= p->step && p->step < t->end_step && found == XPD_NO_INDEX)
            found = at[i];
    }
    return found;
}

static int read_place(struct place *p, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_report_place;
    const struct xpd_mem_space *space = p->ctx->space;
    int rc = xpd_tools_step(p->ctx, "at", &p->step, err);
    if (rc != XPD_OK)
        return rc;
    p->limit = (uint32_t)xpd_param_int(p->ctx, tool, "limit");
    p->tenants_only = xpd_str_eq(xpd_param_text(p->ctx, "lists"), XPD_STR("tenants"));
    if (xpd_param_has(p->ctx, "tenancy")) {
        int64_t tenancy = xpd_param_int(p->ctx, tool, "tenancy");
        if (tenancy >= space->tenancy_count)
            return xpd_fail(err, XPD_ENOTFOUND, "tenancy", XPD_NO_OFFSET,
                            "there is no lifetime %" PRId64 "; there are %" PRIu32
                            ", counted from 0",
                            tenancy, space->tenancy_count);
        p->tenancy = (uint32_t)tenancy;
        p->address = space->tenancy[tenancy].offset_bytes;
    }
    if (xpd_param_has(p->ctx, "address")) {
        p->address = xpd_param_int(p->ctx, tool, "address");
        if (p->tenancy == XPD_NO_INDEX)
            p->tenancy = holder_of(p);
    } else if (p->tenancy == XPD_NO_INDEX) {
        return xpd_fail(err, XPD_EINVAL, "address", XPD_NO_OFFSET,
                        "address= or tenancy= is missing");
    }
    return XPD_OK;
}

static int place(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct place p = {.ctx = ctx, .report = xpd_table_report(ctx, err), .tenancy = XPD_NO_INDEX};
    if (!p.report)
        return err->code;
    int rc = read_place(&p, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_names_init(&p.names, ctx->arena);
    xpd_json_obj(&w);
    xpd_tools_kindex(&w, "step", p.step);
    xpd_json_ki64(&w, "address", p.address);
    bool ok = write_list(&w, &p, TENANTS);
    if (p.tenancy == XPD_NO_INDEX) {
        xpd_json_knull(&w, "pinned");
        xpd_json_knull(&w, "conflicts");
        xpd_json_knull(&w, "before");
    } else {
        write_pinned(&w, &p);
        if (p.tenants_only) {
            xpd_json_knull(&w, "conflicts");
            xpd_json_knull(&w, "before");
        } else {
            ok = ok && write_list(&w, &p, CONFLICTS) && write_list(&w, &p, BEFORE);
        }
    }
    xpd_names_write(&p.names, &w);
    xpd_json_obj_end(&w);
    xpd_names_fini(&p.names);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

static const struct xpd_param_spec params[] = {
    {.name = "address", .type = XPD_PARAM_INT, .max = INT64_MAX, .help = "a byte of the heap"},
    {.name = "tenancy",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "index of report/heap: its own first byte when no address is said"},
    {.name = "at", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "a step, default the peak"},
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, LIMIT_MAX, "rows of each list"),
    {.name = "lists",
     .type = XPD_PARAM_ENUM,
     .words = "all tenants",
     .help = "tenants: no conflicts and none from other times"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_place = {
    .route = "/api/v1/report/place",
    .title = "All tenants of an address; of one of them, conflicts and who has its bytes at other "
             "times.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = place,
};
