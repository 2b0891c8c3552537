/* Search over the texts of instructions. In: a question about texts. Out: instructions. */
#include "xprofd/graph/search.h"

enum { NOT_ASKED, NO, YES };

struct search {
    const struct xpd_graph_index *index;
    uint32_t fields;
    bool (*match)(void *self, struct xpd_str text);
    void *self;
    uint8_t *by_name;      /* by text of the module */
    struct xpd_map64 seen; /* shapes and sources: NO or YES */
    struct xpd_strbuf scratch;
};

static bool ask_name(struct search *s, xpd_name_id id)
{
    if (id >= s->index->hlo->names.count)
        return false;
    if (s->by_name[id] == NOT_ASKED)
        s->by_name[id] = s->match(s->self, xpd_hlo_text(s->index->hlo, id)) ? YES : NO;
    return s->by_name[id] == YES;
}

static bool ask_scratch(struct search *s, uint64_t key)
{
    bool yes = s->match(s->self,
                        (struct xpd_str){s->scratch.data ? s->scratch.data : "", s->scratch.size});
    xpd_map64_put(&s->seen, key, yes ? YES : NO);
    return yes;
}

static bool ask_shape(struct search *s, const struct xpd_shape *shape)
{
    uint64_t key = (uint64_t)(uintptr_t)shape;
    uint32_t known = xpd_map64_get(&s->seen, key);
    if (known != XPD_NO_INDEX)
        return known == YES;
    xpd_strbuf_clear(&s->scratch);
    xpd_shape_text(&s->scratch, shape, false);
    return ask_scratch(s, key);
}

static bool ask_source(struct search *s, uint32_t i)
{
    const struct xpd_hlo *hlo = s->index->hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    xpd_name_id file = ins->source_file[i];
    int32_t line = ins->source_line[i];
    uint32_t frame = ins->stack_frame[i];
    if (file == 0 && frame > 0 && frame <= hlo->frame_count) {
        file = hlo->frame[frame - 1].file;
        line = hlo->frame[frame - 1].line;
    }
    if (file == 0)
        return false;
    /* Addresses of shapes are even; sources get the odd keys. */
    uint64_t key = ((uint64_t)file << 32 | (uint32_t)line) << 1 | 1;
    uint32_t known = xpd_map64_get(&s->seen, key);
    if (known != XPD_NO_INDEX)
        return known == YES;
    struct xpd_str name = xpd_hlo_text(hlo, file);
    xpd_strbuf_clear(&s->scratch);
    xpd_strbuf_add(&s->scratch, name.data, name.size);
    xpd_strbuf_printf(&s->scratch, ":%d", line);
    return ask_scratch(s, key);
}

static bool matches(struct search *s, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &s->index->hlo->instructions;
    return ((s->fields & XPD_FIND_NAME) && ask_name(s, ins->name[i])) ||
           ((s->fields & XPD_FIND_OPCODE) && ask_name(s, ins->opcode[i])) ||
           ((s->fields & XPD_FIND_OP_NAME) && ins->op_name[i] && ask_name(s, ins->op_name[i])) ||
           ((s->fields & XPD_FIND_SHAPE) && ask_shape(s, ins->shape[i])) ||
           ((s->fields & XPD_FIND_SOURCE) && ask_source(s, i));
}

static void take(struct xpd_found *found, uint32_t i, uint32_t after, uint32_t most)
{
    if (found->total >= after && found->count < most)
        found->instruction[found->count++] = i;
    found->total++;
}

int xpd_graph_search(struct xpd_found *found, struct xpd_arena *arena,
                     const struct xpd_graph_index *index, uint32_t fields, uint32_t after,
                     uint32_t most, bool (*match)(void *self, struct xpd_str text), void *self,
                     struct xpd_err *err)
{
    struct search s = {.index = index, .fields = fields, .match = match, .self = self};
    *found = (struct xpd_found){0};
    s.by_name = XPD_NEW_ARRAY(arena, uint8_t, index->hlo->names.count);
    found->instruction = XPD_NEW_ARRAY(arena, uint32_t, most);
    if (!s.by_name || !found->instruction)
        return xpd_no_memory(err, "graph", "for this search");
    for (uint32_t k = 0; k < index->order_count; k++) {
        uint32_t i = index->order[k];
        if (index->place[i] == k && matches(&s, i))
            take(found, i, after, most);
    }
    for (uint32_t i = 0; i < index->hlo->instructions.count; i++)
        if (index->place[i] == XPD_NO_INDEX && matches(&s, i))
            take(found, i, after, most);
    bool failed = s.seen.failed || s.scratch.failed;
    xpd_map64_fini(&s.seen);
    xpd_strbuf_fini(&s.scratch);
    return failed ? xpd_no_memory(err, "graph", "for this search") : XPD_OK;
}
