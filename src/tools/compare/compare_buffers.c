/* /api/v1/compare/buffers: the buffers of two programs, one with one. */
#include "compare_parts.h"

#define ROWS_DEFAULT 2000
#define ROWS_MAX     20000

struct answer {
    const struct xpd_tool_ctx *ctx; /* two */
    struct xpd_compare_pairs pairs;
    const struct xpd_compare_pair *row; /* of the window */
    uint32_t n;
    struct xpd_names names;
};

static uint32_t shape_of(struct answer *a, const struct xpd_compare_pair *p, int s)
{
    return p->buffer[s] == XPD_NO_INDEX
               ? 0
               : xpd_names_buffer_shape(&a->names, a->ctx[s].mem, p->buffer[s]);
}

static uint32_t name_of(struct answer *a, const struct xpd_compare_pair *p, int s)
{
    if (p->overlap)
        return xpd_names_word(&a->names, s ? "overlapping bytes" : "");
    return p->buffer[s] == XPD_NO_INDEX ? 0
                                        : xpd_names_buffer(&a->names, a->ctx[s].mem, p->buffer[s]);
}

/* The side whose words a row has, and its instruction there: that after, else that before. */
static uint32_t face(const struct answer *a, const struct xpd_compare_pair *p, int *side)
{
    *side = p->buffer[1] != XPD_NO_INDEX;
    return xpd_tools_instruction(a->ctx[*side].mem, p->buffer[*side]);
}

static uint32_t text_of(struct answer *a, const struct xpd_compare_pair *p, char what)
{
    int s;
    uint32_t instruction = face(a, p, &s), index;
    const struct xpd_hlo *hlo = a->ctx[s].hlo;
    if (instruction == XPD_NO_INDEX)
        return 0;
    if (what == 'o')
        return xpd_names_kept(&a->names, xpd_tools_opcode(hlo, instruction));
    struct xpd_strbuf text = {0};
    if (what == 'p')
        xpd_doctor_scope(&text, xpd_tools_op_name(hlo, instruction));
    else
        xpd_tools_source(&text, hlo, instruction);
    index = xpd_names_put(&a->names, (struct xpd_str){text.data ? text.data : "", text.size});
    xpd_strbuf_fini(&text);
    return index;
}

static const char *group_of(const struct answer *a, const struct xpd_compare_pair *p)
{
    int s;
    uint32_t instruction = face(a, p, &s);
    return instruction == XPD_NO_INDEX ? NULL : xpd_tools_group(a->ctx[s].hlo, instruction);
}

static void known(struct xpd_jsonw *w, const struct xpd_compare_pair *p, int s, int64_t value)
{
    if (p->has[s])
        xpd_json_i64(w, value);
    else
        xpd_json_null(w);
}

static void write_rows(struct xpd_jsonw *w, struct answer *a)
{
    const struct xpd_compare_pair *at = a->row;
    xpd_json_key(w, "buffers");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", a->n);
    XPD_COLUMN(w, "state", a->n, xpd_json_text(w, xpd_compare_state_word(at[row].state)));
    XPD_COLUMN(w, "class", a->n,
               xpd_json_text(w, at[row].overlap ? NULL : xpd_mem_class_word(at[row].mem_class)));
    XPD_COLUMN(w, "group", a->n, xpd_json_text(w, group_of(a, &at[row])));
    XPD_COLUMN(w, "opcode", a->n, xpd_json_u64(w, text_of(a, &at[row], 'o')));
    XPD_COLUMN(w, "scope", a->n, xpd_json_u64(w, text_of(a, &at[row], 'p')));
    XPD_COLUMN(w, "source", a->n, xpd_json_u64(w, text_of(a, &at[row], 's')));
    for (int s = 0; s < 2; s++) {
        XPD_COLUMN(w, s ? "after_buffer" : "before_buffer", a->n,
                   xpd_tools_index(w, at[row].buffer[s]));
        XPD_COLUMN(w, s ? "after_name" : "before_name", a->n,
                   xpd_json_u64(w, name_of(a, &at[row], s)));
        XPD_COLUMN(w, s ? "after_shape" : "before_shape", a->n,
                   xpd_json_u64(w, shape_of(a, &at[row], s)));
        XPD_COLUMN(w, s ? "after_bytes" : "before_bytes", a->n,
                   known(w, &at[row], s, at[row].bytes[s]));
        XPD_COLUMN(w, s ? "after_padding_bytes" : "before_padding_bytes", a->n,
                   known(w, &at[row], s, at[row].padding[s]));
    }
    xpd_json_obj_end(w);
    xpd_names_write(&a->names, w);
}

static void write(struct xpd_jsonw *w, struct answer *a, uint32_t first, uint32_t total)
{
    int64_t rest[2] = {a->pairs.bytes[0], a->pairs.bytes[1]};
    for (uint32_t i = 0; i < first + a->n; i++)
        for (int s = 0; s < 2; s++)
            xpd_grow_i64(&rest[s], -a->pairs.at[i].bytes[s]);
    xpd_json_obj(w);
    xpd_json_ku64(w, "total", a->pairs.count);
    xpd_json_ku64(w, "offset", first);
    xpd_json_ku64(w, "left_out", total - first - a->n);
    xpd_json_key(w, "states");
    xpd_json_obj(w);
    for (int i = 0; i < XPD_COMPARE_STATES; i++)
        xpd_json_ku64(w, xpd_compare_state_word((enum xpd_compare_state)i), a->pairs.states[i]);
    xpd_json_obj_end(w);
    xpd_json_ki64(w, "before_bytes", a->pairs.bytes[0]);
    xpd_json_ki64(w, "after_bytes", a->pairs.bytes[1]);
    xpd_json_ki64(w, "difference_bytes", a->pairs.bytes[1] - a->pairs.bytes[0]);
    xpd_json_ki64(w, "rest_before_bytes", rest[0]);
    xpd_json_ki64(w, "rest_after_bytes", rest[1]);
    write_rows(w, a);
    xpd_json_obj_end(w);
}

static int answer(const struct xpd_tool_ctx ctx[2], void *to, struct xpd_err *err)
{
    struct xpd_tool_result *out = to;
    const struct xpd_tool *tool = &xpd_tool_compare_buffers;
    struct xpd_compare_side side[2] = {{ctx[0].mem, ctx[0].space}, {ctx[1].mem, ctx[1].space}};
    struct answer a = {.ctx = ctx};
    bool whole = xpd_str_eq(xpd_param_text(&ctx[1], "of"), XPD_STR("program"));
    int rc = xpd_compare_buffers(&a.pairs, side, whole, ctx[1].arena, err);
    if (rc != XPD_OK)
        return rc;
    /* Those that are the same stand last. */
    uint32_t total = a.pairs.count;
    if (!xpd_param_int(&ctx[1], tool, "same"))
        total -= a.pairs.states[XPD_COMPARE_SAME];
    uint32_t first = (uint32_t)xpd_param_int(&ctx[1], tool, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(&ctx[1], tool, "limit");
    first = first < total ? first : total;
    a.n = total - first < limit ? total - first : limit;
    a.row = a.pairs.at + first;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_names_init(&a.names, ctx[1].arena);
    write(&w, &a, first, total);
    xpd_names_fini(&a.names);
    return XPD_OK;
}

static int buffers(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    return xpd_compare_with_base(ctx, answer, out, err);
}

static const struct xpd_param_spec params[] = {
    XPD_COMPARE_BASE_PARAMS,
    {.name = "of",
     .type = XPD_PARAM_ENUM,
     .words = "peak program",
     .help = "`peak` (default): buffers at the two peaks; `program`: all of the two spaces"},
    {.name = "same",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "0: without pairs that are the same"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows, default 2,000, at most 20,000"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_compare_buffers = {
    .route = "/api/v1/compare/buffers",
    .title = "The buffers of two programs, paired: moved, changed, or only in one.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = buffers,
};
