/* /api/v1/report/place: all tenants of an address, and for one of them who may never share its
 * bytes and who has them at other times. In: an address or a tenancy. Out: rows by first step. */
#include "report_keys.h"
#include "xprofd/base/checked.h"

#define LIMIT_DEFAULT 64
#define LIMIT_MAX     5000
#define ALL_MAX       65536 /* tenancies that a list names, beside the rows */

#define XPD_REPORT_TENANT_FIELDS(FIELD)                                                            \
    FIELD(INDEX, tenancy, "")                                                                      \
    FIELD(INDEX, buffer, "")                                                                       \
    FIELD(INDEX, start_step, "held from here on")                                                  \
    FIELD(INDEX, end_step, "up to, not including, this one")                                       \
    FIELD(INT, offset_bytes, "address")                                                            \
    FIELD(INT, size_bytes, "")                                                                     \
    FIELD(NAME, name, "")                                                                          \
    FIELD(NAME, row, "of `report/details`")
XPD_RECORD(xpd_report_tenant, XPD_REPORT_TENANT_FIELDS)

#define XPD_REPORT_PLACE_LIST_FIELDS(FIELD)                                                        \
    FIELD(COUNT, count, "of all")                                                                  \
    FIELD(INT, total_bytes, "of all")                                                              \
    FIELD(VALUES(INDEX), all, "indexes of lifetimes by first step, at most 65,536")                \
    FIELD(COUNT, all_left_out, "")                                                                 \
    FIELD(INLINE(xpd_report_tenant), rows, "at most `limit`")
XPD_RECORD(xpd_report_place_list, XPD_REPORT_PLACE_LIST_FIELDS)

#define XPD_REPORT_PINNED_FIELDS(FIELD)                                                            \
    FIELD(INDEX, tenancy, "")                                                                      \
    FIELD(INDEX, buffer, "")                                                                       \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(MAYBE(TEXT), instruction, "that defines it")                                             \
    FIELD(TEXT, shape, "with layout")                                                              \
    FIELD(TEXT, row, "of `report/details`")                                                        \
    FIELD(INT, offset_bytes, "address")                                                            \
    FIELD(INT, end_bytes, "first byte after it")                                                   \
    FIELD(INT, size_bytes, "")                                                                     \
    FIELD(INDEX, start_step, "held from here on")                                                  \
    FIELD(INDEX, end_step, "up to, not including, this one")                                       \
    FIELD(INT, saving_bytes, "how far the peak falls without it")
XPD_RECORD(xpd_report_pinned, XPD_REPORT_PINNED_FIELDS)

#define XPD_REPORT_PLACE_FIELDS(FIELD)                                                             \
    FIELD(MAYBE(INDEX), step, "null without a heap trace")                                         \
    FIELD(INT, offset_bytes, "the address")                                                        \
    FIELD(OBJECT(xpd_report_place_list), tenants, "all buffers ever at the address")               \
    FIELD(                                                                                         \
        MAYBE(OBJECT(xpd_report_pinned)), pinned,                                                  \
        "the requested buffer, else the one at the address at the step; null: free at this step")  \
    FIELD(MAYBE(OBJECT(xpd_report_place_list)), conflicts,                                         \
          "buffers held at the same time as the pinned one, the largest first")                    \
    FIELD(MAYBE(OBJECT(xpd_report_place_list)), before, "buffers at its address before it")
XPD_RECORD(xpd_report_place, XPD_REPORT_PLACE_FIELDS)

enum list { TENANTS, CONFLICTS, BEFORE };

struct place {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    int64_t address;  /* -1: a tenancy was asked for */
    uint32_t tenancy; /* that is pinned, XPD_NO_INDEX = none lies there at the step */
    uint32_t step, limit;
    bool tenants_only; /* of the pinned one no lists: they are long, and hovering shows none */
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

static struct xpd_str leaf_of(const struct place *p, uint32_t tenancy)
{
    char leaf[48];
    xpd_report_leaf(leaf, &p->report->row[p->report->resident_count + tenancy]);
    return xpd_arena_str(p->ctx->arena, xpd_str_of(leaf));
}

static const struct xpd_report_tenant *rows_of(const struct place *p, const uint32_t *at,
                                               uint32_t n)
{
    struct xpd_texts texts = {.arena = p->ctx->arena};
    struct xpd_report_tenant *to = XPD_NEW_ARRAY(texts.arena, struct xpd_report_tenant, n);
    for (uint32_t i = 0; to && i < n; i++) {
        const struct xpd_tenancy *t = &p->ctx->space->tenancy[at[i]];
        to[i] = (struct xpd_report_tenant){
            .tenancy = at[i],
            .buffer = t->buffer,
            .start_step = t->start_step,
            .end_step = t->end_step,
            .offset_bytes = t->offset_bytes,
            .size_bytes = t->size_bytes,
            .name = xpd_texts_buffer(&texts, p->ctx->mem, t->buffer),
            .row = leaf_of(p, at[i]),
        };
    }
    xpd_texts_fini(&texts);
    return to;
}

/* Tenants and predecessors by first step, conflicts by size: the list of them is long. NULL: no
 * memory. */
static const struct xpd_report_place_list *list_of(const struct place *p, enum list list)
{
    struct xpd_arena *arena = p->ctx->arena;
    int64_t bytes;
    uint32_t count = find(p, list, NULL, 0, &bytes), n = count < p->limit ? count : p->limit;
    uint32_t *at = XPD_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *order = XPD_NEW_ARRAY(arena, uint32_t, count);
    struct ranked *ranked = XPD_NEW_ARRAY(arena, struct ranked, count);
    struct xpd_report_place_list *out = XPD_NEW(arena, struct xpd_report_place_list);
    if (!at || !order || !ranked || !out)
        return NULL;
    find(p, list, at, count, &bytes);
    for (uint32_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){p->ctx->space->tenancy[at[i]].size_bytes, at[i]};
    if (list == CONFLICTS && count > 1)
        qsort(ranked, count, sizeof *ranked, by_size);
    for (uint32_t i = 0; i < count; i++)
        order[i] = ranked[i].tenancy;
    uint32_t all = count < ALL_MAX ? count : ALL_MAX;
    *out = (struct xpd_report_place_list){
        count, bytes, {at, all}, count - all, {rows_of(p, order, n), n}};
    return out;
}

static const struct xpd_report_pinned *pinned_of(const struct place *p)
{
    const struct xpd_mem *mem = p->ctx->mem;
    const struct xpd_tenancy *t = &p->ctx->space->tenancy[p->tenancy];
    struct xpd_texts texts = {.arena = p->ctx->arena};
    struct xpd_report_pinned *out = XPD_NEW(p->ctx->arena, struct xpd_report_pinned);
    int64_t end = t->offset_bytes;
    xpd_grow_i64(&end, t->size_bytes);
    xpd_shape_text(&texts.scratch, mem->buffer[t->buffer].shape, true);
    struct xpd_str shape = xpd_strbuf_keep(&texts.scratch, texts.arena);
    if (out)
        *out = (struct xpd_report_pinned){
            .tenancy = p->tenancy,
            .buffer = t->buffer,
            .name = xpd_texts_buffer(&texts, mem, t->buffer),
            .instruction = xpd_tools_or_null(
                xpd_hlo_instruction_name(mem->hlo, xpd_mem_instruction(mem, t->buffer))),
            .shape = shape,
            .row = leaf_of(p, p->tenancy),
            .offset_bytes = t->offset_bytes,
            .end_bytes = end,
            .size_bytes = t->size_bytes,
            .start_step = t->start_step,
            .end_step = t->end_step,
            .saving_bytes = xpd_saving_of(mem, p->ctx->space, t->buffer, p->ctx->arena),
        };
    xpd_texts_fini(&texts);
    return out;
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

static int place(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct place p = {.ctx = ctx, .report = xpd_table_report(ctx, err), .tenancy = XPD_NO_INDEX};
    struct xpd_report_place *out = XPD_NEW(ctx->arena, struct xpd_report_place);
    if (!p.report)
        return err->code;
    int rc = read_place(&p, err);
    if (rc != XPD_OK || !out)
        return rc != XPD_OK ? rc : xpd_tools_no_memory(err);
    bool is_pinned = p.tenancy != XPD_NO_INDEX, all = is_pinned && !p.tenants_only;
    *out = (struct xpd_report_place){
        .step = p.step,
        .offset_bytes = p.address,
        .tenants = list_of(&p, TENANTS),
        .pinned = is_pinned ? pinned_of(&p) : NULL,
        .conflicts = all ? list_of(&p, CONFLICTS) : NULL,
        .before = all ? list_of(&p, BEFORE) : NULL,
    };
    *to = out;
    return ctx->arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "address", .type = XPD_PARAM_INT, .max = INT64_MAX, .help = "a byte of the heap"},
    {.name = "tenancy",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "index of report/heap; its first byte is the address if none is given"},
    {.name = "at", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "a step, default the peak"},
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, LIMIT_MAX, "rows of each list"),
    {.name = "lists",
     .type = XPD_PARAM_ENUM,
     .words = "all tenants",
     .help = "`tenants`: leaves out conflicts and buffers of other times"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_place = {
    .route = "/api/v1/report/place",
    .title = "All buffers ever at an address; for one of them, conflicts and buffers at its "
             "address at other times.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about = "The query names an address or a lifetime; with both, the lifetime is the pinned one. "
             "Arguments conflict with everything and are not listed.",
    .answer = xpd_report_place_record,
    .make = place,
    XPD_IN_REPORT("", {310, XPD_EACH_TENANT, "tenancy={tenancy}&at={step}&limit=64",
                       "who shares addresses with each of the 200 largest buffers at the peak"}),
};
