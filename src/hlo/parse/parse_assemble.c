/* The module's message, put together from what was read: the sizes of all parts are known, so it is
 * written once, in one piece. */
#include "parse_internal.h"

enum {
    MODULE_ENTRY_NAME = 2,
    MODULE_COMPUTATION = 3,
    MODULE_ENTRY_ID = 6,
    MODULE_SCHEDULE = 7,
    MODULE_FRAMES = 17
};
enum {
    COMPUTATION_NAME = 1,
    COMPUTATION_INSTRUCTION = 2,
    COMPUTATION_SHAPE = 4,
    COMPUTATION_ID = 5,
    COMPUTATION_ROOT = 6,
    COMPUTATION_FUSION = 7,
    COMPUTATION_THREAD = 8,
    COMPUTATION_CONFIG = 9
};

static bool is_fusion(const struct xpd_parse *p, const struct xpd_parsed_computation *computation)
{
    return p->is_fusion.at[computation->id - 1];
}

/* The instructions of each computation in the order of the file. */
static const uint32_t **order_all(struct xpd_parse *p)
{
    size_t n = p->computation.count;
    const uint32_t **order = XPD_NEW_ARRAY(&p->scratch, const uint32_t *, n);
    for (size_t c = 0; order && c < n; c++) {
        order[c] = xpd_parse_order(p, &p->computation.at[c], &p->scratch);
        if (!order[c])
            return NULL;
    }
    return order;
}

/* Fields of a computation other than its instructions. */
static void put_rest(struct xpd_parse *p, const struct xpd_parsed_computation *computation,
                     struct xpd_strbuf *out)
{
    if (computation->shape_size != 0)
        xpd_out_text(
            out, COMPUTATION_SHAPE,
            (struct xpd_str){p->shapes.data + computation->shape_at, computation->shape_size});
    xpd_out_int(out, COMPUTATION_ID, computation->id);
    if (computation->root != XPD_PARSE_NO_ID)
        xpd_out_int(out, COMPUTATION_ROOT, computation->root);
    if (is_fusion(p, computation))
        xpd_out_int(out, COMPUTATION_FUSION, 1);
    /* A text without a thread means the main one. */
    xpd_out_text(out, COMPUTATION_THREAD,
                 computation->thread.size ? computation->thread : XPD_STR("main"));
    if (computation->config.size != 0)
        xpd_out_text(out, COMPUTATION_CONFIG, computation->config);
}

static size_t field_size(size_t payload)
{
    return 1 + xpd_out_varint_size(payload) + payload;
}

/* The fields of one computation, its tag and length before it. */
static void put_computation(struct xpd_parse *p, const struct xpd_parsed_computation *computation,
                            const uint32_t *order, struct xpd_strbuf *out)
{
    struct xpd_strbuf *rest = &p->line_text;
    xpd_strbuf_clear(rest);
    xpd_out_text(rest, COMPUTATION_NAME, computation->name);
    size_t named = rest->size, size;
    put_rest(p, computation, rest);
    size = rest->size;
    for (uint32_t i = 0; i < computation->count; i++)
        size += field_size(p->instruction.at[order[i]].size);
    xpd_out_tag(out, MODULE_COMPUTATION, 2);
    xpd_out_varint(out, size);
    xpd_strbuf_add(out, rest->data, named);
    for (uint32_t i = 0; i < computation->count; i++) {
        const struct xpd_parsed_instruction *of = &p->instruction.at[order[i]];
        xpd_out_text(out, COMPUTATION_INSTRUCTION,
                     (struct xpd_str){p->body.data + of->at, of->size});
    }
    xpd_strbuf_add(out, rest->data + named, rest->size - named);
    out->failed = out->failed || rest->failed;
}

/* The order of the text, of all computations that are no part of a fusion. */
static void put_schedule(struct xpd_parse *p, const uint32_t *computations, struct xpd_strbuf *out)
{
    size_t schedule = xpd_out_begin(out, MODULE_SCHEDULE);
    for (size_t c = 0; c < p->computation.count; c++) {
        const struct xpd_parsed_computation *of = &p->computation.at[computations[c]];
        if (is_fusion(p, of))
            continue;
        size_t sequence = xpd_out_begin(out, 1);
        xpd_out_int(out, 1, of->id);
        size_t value = xpd_out_begin(out, 2), ids = xpd_out_begin(out, 1);
        for (uint32_t i = 0; i < of->count; i++)
            xpd_out_varint(out, p->instruction.at[of->first + i].id);
        xpd_out_end(out, ids);
        xpd_out_end(out, value);
        xpd_out_end(out, sequence);
    }
    xpd_out_end(out, schedule);
}

static void put_entry(struct xpd_parse *p, struct xpd_strbuf *out)
{
    if (p->entry == XPD_PARSE_NO_ID)
        return;
    const struct xpd_parsed_computation *entry =
        &p->computation.at[p->computation_of.at[p->entry - 1]];
    xpd_out_text(out, MODULE_ENTRY_NAME, entry->name);
    xpd_out_int(out, MODULE_ENTRY_ID, p->entry);
}

struct xpd_str xpd_parse_assemble(struct xpd_parse *p)
{
    struct xpd_strbuf out = {0};
    const uint32_t **order = order_all(p);
    const uint32_t *computations =
        order ? xpd_parse_computation_order(p, order, &p->scratch) : NULL;
    if (!computations)
        return (struct xpd_str){NULL, 0};
    (void)xpd_strbuf_reserve(&out, p->body.size + 8 * p->instruction.count + p->header.size +
                                       p->frames.size + p->shapes.size);
    xpd_strbuf_add(&out, p->header.data, p->header.size);
    put_entry(p, &out);
    for (size_t c = 0; c < p->computation.count; c++) {
        uint32_t which = computations[c];
        put_computation(p, &p->computation.at[which], order[which], &out);
    }
    if (p->is_scheduled)
        put_schedule(p, computations, &out);
    if (p->frames.size != 0)
        xpd_out_text(&out, MODULE_FRAMES, (struct xpd_str){p->frames.data, p->frames.size});
    struct xpd_str kept = out.failed ? (struct xpd_str){NULL, 0} : xpd_strbuf_keep(&out, p->arena);
    xpd_strbuf_fini(&out);
    return p->arena->failed ? (struct xpd_str){NULL, 0} : kept;
}
