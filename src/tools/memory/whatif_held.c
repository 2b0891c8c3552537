/* /api/v1/memory/whatif/held: what is held at some steps of the changed program. In: its rows
 * (whatif_changed.h). Out: the largest groups, and what the plan changes. */
#include "whatif_changed.h"

#include "xprofd/base/checked.h"
#include "xprofd/doctor/compare.h"

#define STEPS_MAX   16
#define GROUPS_MAX  16
#define BUFFERS_MAX 20000
#define TEXT_MAX    65536

/* ---- groups ---- */

struct group {
    uint32_t buffer, count; /* one of it */
    enum xpd_mem_class mem_class;
    int64_t bytes;
};

static int by_bytes(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static struct group *groups_of(const struct xpd_changed *c, const struct xpd_changed_rows *rows,
                               uint32_t *count)
{
    struct xpd_arena *arena = c->ctx->arena;
    struct group *group = XPD_NEW_ARRAY(arena, struct group, (size_t)rows->count + 2);
    struct xpd_intern keys;
    struct xpd_strbuf key = {0};
    xpd_intern_init(&keys, arena);
    for (uint32_t i = 0; group && i < rows->count; i++) {
        const struct xpd_held *row = &rows->at[i].held;
        if (row->size_bytes <= 0 || row->buffer == XPD_NO_INDEX)
            continue;
        xpd_strbuf_clear(&key);
        xpd_group_key(&key, c->ctx->mem, row->buffer, row->mem_class, false);
        struct group *g = &group[xpd_intern_put(&keys, key.data ? key.data : "", key.size)];
        if (g->count++ == 0) {
            g->buffer = row->buffer;
            g->mem_class = row->mem_class;
        }
        xpd_grow_i64(&g->bytes, row->size_bytes);
    }
    *count = keys.count;
    bool failed = !group || keys.failed || key.failed;
    if (!failed && *count > 1)
        qsort(group, *count, sizeof *group, by_bytes);
    while (!failed && *count > 0 && group[*count - 1].count == 0)
        --*count; /* the key "" of the table itself */
    xpd_strbuf_fini(&key);
    xpd_intern_fini(&keys);
    return failed ? NULL : group;
}

static int write_groups(struct xpd_jsonw *w, const struct xpd_changed *c,
                        const struct xpd_changed_rows *rows, uint32_t most, struct xpd_err *err)
{
    const struct xpd_mem *mem = c->ctx->mem;
    struct xpd_strbuf text = {0};
    uint32_t count;
    struct group *group = groups_of(c, rows, &count);
    if (!group)
        return xpd_tools_no_memory(err);
    xpd_json_ku64(w, "groups_total", count);
    xpd_json_key(w, "groups");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < count && i < most; i++) {
        uint32_t instruction = xpd_tools_instruction(mem, group[i].buffer);
        xpd_strbuf_clear(&text);
        if (mem->buffer[group[i].buffer].shape)
            xpd_shape_text(&text, mem->buffer[group[i].buffer].shape, false);
        xpd_json_obj(w);
        xpd_json_kstr(w, "shape", (struct xpd_str){text.data ? text.data : "", text.size});
        xpd_json_ktext(w, "class", xpd_mem_class_word(group[i].mem_class));
        xpd_json_ktext(w, "group",
                       instruction == XPD_NO_INDEX ? NULL : xpd_tools_group(mem->hlo, instruction));
        xpd_json_ku64(w, "buffer", group[i].buffer);
        xpd_json_ku64(w, "count", group[i].count);
        xpd_json_ki64(w, "bytes", group[i].bytes);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_strbuf_fini(&text);
    return XPD_OK;
}

/* Rows that the plan changes, of one step. */
static int write_buffers(struct xpd_jsonw *w, const struct xpd_changed *c,
                         const struct xpd_changed_rows *rows, struct xpd_err *err)
{
    struct xpd_changed_row *at =
        XPD_NEW_ARRAY(c->ctx->arena, struct xpd_changed_row, (size_t)rows->count + 1);
    uint32_t all = 0, n = 0;
    if (!at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->at[i].held.size_bytes != rows->at[i].now_bytes &&
            rows->at[i].held.buffer != XPD_NO_INDEX)
            at[all++] = rows->at[i];
    n = all < BUFFERS_MAX ? all : BUFFERS_MAX;
    xpd_json_key(w, "buffers");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "left_out", all - n);
    XPD_COLUMN(w, "buffer", n, xpd_json_u64(w, at[row].held.buffer));
    XPD_COLUMN(w, "now_bytes", n, xpd_json_i64(w, at[row].now_bytes));
    XPD_COLUMN(w, "bytes", n, xpd_json_i64(w, at[row].held.size_bytes));
    xpd_json_obj_end(w);
    return XPD_OK;
}

/* ---- the route ---- */

/* "114,140": at most STEPS_MAX steps of the space. */
static int read_steps(const struct xpd_tool_ctx *ctx, uint32_t step[STEPS_MAX], uint32_t *count,
                      struct xpd_err *err)
{
    struct xpd_str rest = xpd_param_text(ctx, "steps");
    *count = 0;
    while (rest.size > 0) {
        const char *comma = memchr(rest.data, ',', rest.size);
        size_t size = comma ? (size_t)(comma - rest.data) : rest.size;
        int64_t value;
        if (!xpd_str_to_i64((struct xpd_str){rest.data, size}, &value) || value < 0 ||
            value >= ctx->space->step_count || *count == STEPS_MAX)
            return xpd_fail(err, XPD_EINVAL, "steps", XPD_NO_OFFSET,
                            "steps= takes at most %d steps below %" PRIu32 ", separated by commas",
                            STEPS_MAX, ctx->space->step_count);
        step[(*count)++] = (uint32_t)value;
        size += comma != NULL;
        rest = (struct xpd_str){rest.data + size, rest.size - size};
    }
    return XPD_OK;
}

static int write_step(struct xpd_jsonw *w, const struct xpd_changed *c, uint32_t step,
                      uint32_t groups, bool buffers, struct xpd_err *err)
{
    struct xpd_changed_rows rows;
    int rc = xpd_changed_at(&rows, c, step, err);
    if (rc != XPD_OK)
        return rc;
    xpd_json_obj(w);
    xpd_json_ku64(w, "step", step);
    xpd_json_ki64(w, "now_bytes", rows.now_bytes);
    xpd_json_ki64(w, "bytes", rows.bytes);
    if (groups > 0)
        rc = write_groups(w, c, &rows, groups, err);
    if (rc == XPD_OK && buffers)
        rc = write_buffers(w, c, &rows, err);
    xpd_json_obj_end(w);
    return rc;
}

static int held(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_changed c;
    struct xpd_jsonw w;
    uint32_t step[STEPS_MAX], count;
    int rc = xpd_changed_make(&c, ctx, err);
    if (rc == XPD_OK)
        rc = read_steps(ctx, step, &count, err);
    uint32_t groups = (uint32_t)xpd_param_int(ctx, &xpd_tool_whatif_held, "groups");
    bool buffers = xpd_param_int(ctx, &xpd_tool_whatif_held, "buffers") != 0;
    xpd_jsonw_init(&w, &out->body);
    if (rc == XPD_OK) {
        xpd_json_obj(&w);
        xpd_json_key(&w, "steps");
        xpd_json_arr(&w);
        for (uint32_t i = 0; i < count && rc == XPD_OK; i++)
            rc = write_step(&w, &c, step[i], groups, buffers, err);
        if (rc == XPD_OK) {
            xpd_json_arr_end(&w);
            xpd_json_obj_end(&w);
        }
    }
    xpd_changed_fini(&c);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "plan",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .max = TEXT_MAX,
     .help = "as of memory/whatif"},
    {.name = "steps",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .max = 400,
     .help = "at most 16, separated by commas"},
    {.name = "groups",
     .type = XPD_PARAM_INT,
     .max = GROUPS_MAX,
     .fallback = 3,
     .help = "largest groups of each step, default 3, at most 16"},
    {.name = "buffers",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: the buffers that the plan changes at each step"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_whatif_held = {
    .route = "/api/v1/memory/whatif/held",
    .title = "What is held at some steps of a changed program.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = held,
};
