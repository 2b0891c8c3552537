/* /api/v1/memory/whatif/held: what is held at some steps of the changed program. In: its rows
 * (whatif_changed.h). Out: the largest groups, and what the plan changes. */
#include "whatif_changed.h"

#include "xprofd/base/checked.h"
#include "xprofd/doctor/compare.h"

#define STEPS_MAX   16
#define GROUPS_MAX  16
#define BUFFERS_MAX 20000
#define TEXT_MAX    65536

#define XPD_WHATIF_GROUP_FIELDS(FIELD)                                                             \
    FIELD(TEXT, shape, "")                                                                         \
    FIELD(WORD(XPD_CLASS_WORDS), class, "")                                                        \
    FIELD(MAYBE(WORD(XPD_GROUP_WORDS)), group, "kind of work; null: no instruction defines it")    \
    FIELD(INDEX, buffer, "one of them")                                                            \
    FIELD(COUNT, count, "how many")                                                                \
    FIELD(INT, size_bytes, "sum of their sizes")
XPD_RECORD(xpd_whatif_group, XPD_WHATIF_GROUP_FIELDS)

#define XPD_WHATIF_BUFFER_FIELDS(FIELD)                                                            \
    FIELD(INDEX, buffer, "")                                                                       \
    FIELD(INT, now_bytes, "bytes without the plan")                                                \
    FIELD(INT, size_bytes, "bytes with the plan")
XPD_RECORD(xpd_whatif_buffer, XPD_WHATIF_BUFFER_FIELDS)

#define XPD_WHATIF_BUFFERS_FIELDS(FIELD)                                                           \
    FIELD(INLINE(xpd_whatif_buffer), rows, "")                                                     \
    FIELD(COUNT, left_out, "beyond 20,000")
XPD_RECORD(xpd_whatif_buffers, XPD_WHATIF_BUFFERS_FIELDS)

#define XPD_WHATIF_STEP_FIELDS(FIELD)                                                              \
    FIELD(COUNT, step, "")                                                                         \
    FIELD(INT, now_bytes, "held without the plan")                                                 \
    FIELD(INT, held_bytes, "bytes with the plan")                                                  \
    FIELD(INT, groups_total, "groups of equal buffers; 0 with `groups=0`")                         \
    FIELD(LIST(xpd_whatif_group), groups, "the largest")                                           \
    FIELD(MAYBE(OBJECT(xpd_whatif_buffers)), buffers,                                              \
          "buffers changed by the plan; with `buffers=1`")
XPD_RECORD(xpd_whatif_step, XPD_WHATIF_STEP_FIELDS)

#define XPD_WHATIF_HELD_FIELDS(FIELD) FIELD(LIST(xpd_whatif_step), steps, "in the order asked for")
XPD_RECORD(xpd_whatif_held, XPD_WHATIF_HELD_FIELDS)

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

static int fill_groups(struct xpd_whatif_step *out, const struct xpd_changed *c,
                       const struct xpd_changed_rows *rows, uint32_t most, struct xpd_err *err)
{
    const struct xpd_mem *mem = c->ctx->mem;
    struct xpd_strbuf text = {0};
    uint32_t count;
    struct group *group = groups_of(c, rows, &count);
    uint32_t n = count < most ? count : most;
    struct xpd_whatif_group *row =
        group ? XPD_NEW_ARRAY(c->ctx->arena, struct xpd_whatif_group, n) : NULL;
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t instruction = xpd_mem_instruction(mem, group[i].buffer);
        if (mem->buffer[group[i].buffer].shape)
            xpd_shape_text(&text, mem->buffer[group[i].buffer].shape, false);
        row[i] = (struct xpd_whatif_group){
            .shape = xpd_strbuf_keep(&text, c->ctx->arena),
            .class = xpd_mem_class_word(group[i].mem_class),
            .group = instruction == XPD_NO_INDEX ? NULL : xpd_hlo_group_word(mem->hlo, instruction),
            .buffer = group[i].buffer,
            .count = group[i].count,
            .size_bytes = group[i].bytes,
        };
    }
    xpd_strbuf_fini(&text);
    out->groups_total = count;
    out->groups.at = row;
    out->groups.n = n;
    return XPD_OK;
}

/* Rows that the plan changes, of one step. */
static int fill_buffers(struct xpd_whatif_step *out, const struct xpd_changed *c,
                        const struct xpd_changed_rows *rows, struct xpd_err *err)
{
    struct xpd_arena *arena = c->ctx->arena;
    struct xpd_whatif_buffers *list = XPD_NEW(arena, struct xpd_whatif_buffers);
    struct xpd_whatif_buffer *row =
        XPD_NEW_ARRAY(arena, struct xpd_whatif_buffer, (size_t)rows->count + 1);
    uint32_t all = 0;
    if (!list || !row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct xpd_held *held = &rows->at[i].held;
        if (held->size_bytes != rows->at[i].now_bytes && held->buffer != XPD_NO_INDEX)
            row[all++] =
                (struct xpd_whatif_buffer){held->buffer, rows->at[i].now_bytes, held->size_bytes};
    }
    list->rows.at = row;
    list->rows.n = all < BUFFERS_MAX ? all : BUFFERS_MAX;
    list->left_out = all - list->rows.n;
    out->buffers = list;
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

static int fill_step(struct xpd_whatif_step *out, const struct xpd_changed *c, uint32_t step,
                     struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_whatif_held;
    uint32_t groups = (uint32_t)xpd_param_int(c->ctx, tool, "groups");
    struct xpd_changed_rows rows;
    int rc = xpd_changed_at(&rows, c, step, err);
    if (rc != XPD_OK)
        return rc;
    out->step = step;
    out->now_bytes = rows.now_bytes;
    out->held_bytes = rows.bytes;
    if (groups > 0)
        rc = fill_groups(out, c, &rows, groups, err);
    if (rc == XPD_OK && xpd_param_int(c->ctx, tool, "buffers") != 0)
        rc = fill_buffers(out, c, &rows, err);
    return rc;
}

static int held(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_changed c;
    uint32_t step[STEPS_MAX], count = 0;
    struct xpd_whatif_held *out = XPD_NEW(ctx->arena, struct xpd_whatif_held);
    struct xpd_whatif_step *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_whatif_step, STEPS_MAX);
    if (!out || !row)
        return xpd_tools_no_memory(err);
    int rc = xpd_changed_make(&c, ctx, err);
    if (rc == XPD_OK)
        rc = read_steps(ctx, step, &count, err);
    for (uint32_t i = 0; i < count && rc == XPD_OK; i++)
        rc = fill_step(&row[i], &c, step[i], err);
    xpd_changed_fini(&c);
    out->steps.at = row;
    out->steps.n = count;
    *answer = out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "plan",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .max = TEXT_MAX,
     .help = "plan as in memory/whatif"},
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
     .help = "1: lists the buffers changed by the plan at each step"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_whatif_held = {
    .route = "/api/v1/memory/whatif/held",
    .title = "The buffers held at some steps of a changed program.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .answer = xpd_whatif_held_record,
    .make = held,
};
