/* /api/v1/compare/buffers: the buffers of two programs, one with one. */
#include "compare_parts.h"

#define ROWS_DEFAULT 2000
#define ROWS_MAX     20000

#define XPD_COMPARED_PAIR_FIELDS(FIELD)                                                            \
    XPD_COMPARED_WORDS_FIELDS(FIELD)                                                               \
    FIELD(MAYBE(INDEX), before_buffer, "null: none, or an allocation without a logical buffer")    \
    FIELD(NAME, before_name, "")                                                                   \
    FIELD(NAME, before_shape, "without layout")                                                    \
    FIELD(MAYBE(SIGNED), before_bytes, "null: absent before")                                      \
    FIELD(MAYBE(SIGNED), before_padding_bytes, "likewise")                                         \
    FIELD(MAYBE(INDEX), after_buffer, "as before")                                                 \
    FIELD(NAME, after_name, "")                                                                    \
    FIELD(NAME, after_shape, "without layout")                                                     \
    FIELD(MAYBE(SIGNED), after_bytes, "null: absent after")                                        \
    FIELD(MAYBE(SIGNED), after_padding_bytes, "likewise")
XPD_RECORD(xpd_compared_pair, XPD_COMPARED_PAIR_FIELDS)

#define XPD_COMPARED_STATES_FIELDS(FIELD)                                                          \
    FIELD(COUNT, same, "equal bytes")                                                              \
    FIELD(COUNT, changed, "in both, with different bytes")                                         \
    FIELD(COUNT, only_before, "")                                                                  \
    FIELD(COUNT, only_after, "")                                                                   \
    FIELD(COUNT, left_the_peak, "in both programs, at the peak only before")                       \
    FIELD(COUNT, into_the_peak, "in both programs, at the peak only after")
XPD_RECORD(xpd_compared_states, XPD_COMPARED_STATES_FIELDS)

#define XPD_COMPARED_BUFFERS_FIELDS(FIELD)                                                         \
    FIELD(COUNT, total, "pairs, including equal ones")                                             \
    FIELD(COUNT, offset, "first row")                                                              \
    FIELD(COUNT, left_out, "rows after these")                                                     \
    FIELD(OBJECT(xpd_compared_states), states,                                                     \
          "number of rows of each state; they add up to `total`")                                  \
    FIELD(SIGNED, before_bytes, "of all pairs")                                                    \
    FIELD(SIGNED, after_bytes, "likewise")                                                         \
    FIELD(SIGNED, difference_bytes, "after minus before")                                          \
    FIELD(SIGNED, rest_before_bytes, "of the pairs after these rows")                              \
    FIELD(SIGNED, rest_after_bytes, "likewise")                                                    \
    FIELD(COLUMNS(xpd_compared_pair), buffers, "the largest difference first")
XPD_RECORD(xpd_compared_buffers, XPD_COMPARED_BUFFERS_FIELDS)

static struct xpd_str name_of(struct xpd_texts *texts, const struct xpd_tool_ctx ctx[2],
                              const struct xpd_compare_pair *p, int s)
{
    if (p->overlap)
        return s ? XPD_STR("overlapping bytes") : XPD_STR("");
    return xpd_texts_buffer(texts, ctx[s].mem, p->buffer[s]);
}

static const struct xpd_compared_pair *rows_of(const struct xpd_tool_ctx ctx[2],
                                               const struct xpd_compare_pair *p, uint32_t n)
{
    struct xpd_texts texts = {.arena = ctx[1].arena};
    struct xpd_compared_pair *to = XPD_NEW_ARRAY(ctx[1].arena, struct xpd_compared_pair, n);
    for (uint32_t i = 0; to && i < n; i++, p++) {
        struct xpd_compared_words words = xpd_compared_words(&texts, ctx, p->buffer);
        to[i] = (struct xpd_compared_pair){
            XPD_COMPARED_WORDS_OF(words, *p),
            .before_buffer = p->buffer[0],
            .before_name = name_of(&texts, ctx, p, 0),
            .before_shape = xpd_texts_buffer_shape(&texts, ctx[0].mem, p->buffer[0]),
            .before_bytes = p->has[0] ? p->bytes[0] : XPD_UNKNOWN,
            .before_padding_bytes = p->has[0] ? p->padding[0] : XPD_UNKNOWN,
            .after_buffer = p->buffer[1],
            .after_name = name_of(&texts, ctx, p, 1),
            .after_shape = xpd_texts_buffer_shape(&texts, ctx[1].mem, p->buffer[1]),
            .after_bytes = p->has[1] ? p->bytes[1] : XPD_UNKNOWN,
            .after_padding_bytes = p->has[1] ? p->padding[1] : XPD_UNKNOWN,
        };
    }
    xpd_texts_fini(&texts);
    return to;
}

static const struct xpd_compared_states *states_of(const struct xpd_compare_pairs *pairs,
                                                   struct xpd_arena *arena)
{
    struct xpd_compared_states *out = XPD_NEW(arena, struct xpd_compared_states);
    const uint32_t *n = pairs->states;
    if (out)
        *out = (struct xpd_compared_states){n[XPD_COMPARE_SAME],        n[XPD_COMPARE_CHANGED],
                                            n[XPD_COMPARE_ONLY_BEFORE], n[XPD_COMPARE_ONLY_AFTER],
                                            n[XPD_COMPARE_LEFT],        n[XPD_COMPARE_ENTERED]};
    return out;
}

static int answer(const struct xpd_tool_ctx ctx[2], void *to, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_compare_buffers;
    struct xpd_compare_side side[2] = {{ctx[0].mem, ctx[0].space}, {ctx[1].mem, ctx[1].space}};
    struct xpd_compare_pairs pairs;
    bool whole = xpd_str_eq(xpd_param_text(&ctx[1], "of"), XPD_STR("program"));
    int rc = xpd_compare_buffers(&pairs, side, whole, ctx[1].arena, err);
    if (rc != XPD_OK)
        return rc;
    /* Those that are the same stand last. */
    uint32_t total = pairs.count;
    if (!xpd_param_int(&ctx[1], tool, "same"))
        total -= pairs.states[XPD_COMPARE_SAME];
    uint32_t first = (uint32_t)xpd_param_int(&ctx[1], tool, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(&ctx[1], tool, "limit");
    first = first < total ? first : total;
    uint32_t n = total - first < limit ? total - first : limit;
    int64_t rest[2] = {pairs.bytes[0], pairs.bytes[1]};
    for (uint32_t i = 0; i < first + n; i++)
        for (int s = 0; s < 2; s++)
            xpd_grow_i64(&rest[s], -pairs.at[i].bytes[s]);
    *(struct xpd_compared_buffers *)to = (struct xpd_compared_buffers){
        .total = pairs.count,
        .offset = first,
        .left_out = total - first - n,
        .states = states_of(&pairs, ctx[1].arena),
        .before_bytes = pairs.bytes[0],
        .after_bytes = pairs.bytes[1],
        .difference_bytes = pairs.bytes[1] - pairs.bytes[0],
        .rest_before_bytes = rest[0],
        .rest_after_bytes = rest[1],
        .buffers = {rows_of(ctx, pairs.at + first, n), n},
    };
    return ctx[1].arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int buffers(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    return xpd_compare_with_base(ctx, answer, sizeof(struct xpd_compared_buffers), to, err);
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
     .help = "0: leaves out equal pairs"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows"),
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_compare_buffers = {
    .route = "/api/v1/compare/buffers",
    .title = "The buffers of two programs, paired: moved, changed, or only in one.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about = "Buffers are matched in four passes. 1: equal keys (class, opcode, type, dimensions, "
             "scope as in `compare`), the k-th largest with the k-th largest: `same`, or `changed` "
             "if bytes or padding differ. 2: buffers that the other program has, but not at its "
             "peak: `left_the_peak`, `into_the_peak`. 3: equal class, opcode and scope with any "
             "shape. 4: equal class, type and dimensions with any origin, so that a renamed scope "
             "is not a new array; both give `changed` or `same`. The rest: `only_before`, "
             "`only_after`. With `of=peak` the sums are the peaks. Pairs that are the same come "
             "last; those that `same=0` hides count in the rest. A row without `class` is "
             "overlapping bytes (VMEM, CMEM) and negative.",
    .answer = xpd_compared_buffers_record,
    .make = buffers,
    .file_name = "compare_buffers.csv",
    XPD_IN_REPORT(
        "", {120, XPD_EACH_PAIR, "offset=0&limit=5000", "the buffers of each pair, one with one"},
        {205, XPD_EACH_PAIR, "of=program&limit=20000", NULL},
        {210, XPD_EACH_PAIR, "of=program|peak&same=0&limit=20000", NULL},
        {305, XPD_EACH_PAIR, "", NULL}, {310, XPD_EACH_PAGE, "offset={offset}&limit=5000", NULL}),
};
