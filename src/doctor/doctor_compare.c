/* Groups of two programs at their peaks. In: two spaces. Out: groups whose differences add up to
 * that of the peaks. */
#include "compare_keys.h"
#include "xprofd/base/checked.h"
#include "xprofd/doctor/doctor.h"
#include "xprofd/hlo/source_info.h"
#include <stdlib.h>

/* See compare_keys.h. In: buffers of two programs. Out: ids that are equal for equal kinds. */

#define NO_WORD 0 /* of a buffer without an instruction; words count from 1 */

bool xpd_compare_keys_init(struct xpd_compare_keys *k, const struct xpd_compare_side side[2],
                           struct xpd_arena *arena)
{
    *k = (struct xpd_compare_keys){.arena = arena};
    xpd_intern_init(&k->keys, arena);
    xpd_intern_init(&k->words, arena);
    for (int s = 0; s < 2; s++) {
        const struct xpd_hlo *hlo = side[s].mem->hlo;
        k->side[s] = (struct xpd_compare_words){
            .mem = side[s].mem,
            .opcode = XPD_NEW_ARRAY(arena, uint32_t, hlo->names.count),
            .scope = XPD_NEW_ARRAY(arena, uint32_t, hlo->names.count),
            .scope_inside = XPD_NEW_ARRAY(arena, uint32_t, hlo->instructions.count)};
        if (!k->side[s].opcode || !k->side[s].scope || !k->side[s].scope_inside)
            return false;
    }
    return true;
}

void xpd_compare_keys_fini(struct xpd_compare_keys *k)
{
    xpd_strbuf_fini(&k->bytes);
    xpd_intern_fini(&k->words);
    xpd_intern_fini(&k->keys);
}

static uint32_t scope_word(struct xpd_compare_keys *k, struct xpd_str op_name)
{
    xpd_strbuf_clear(&k->bytes);
    xpd_doctor_scope(&k->bytes, op_name);
    return xpd_intern_put(&k->words, k->bytes.data ? k->bytes.data : "", k->bytes.size) + 1;
}

static uint32_t opcode_of(struct xpd_compare_keys *k, struct xpd_compare_words *side,
                          uint32_t instruction)
{
    const struct xpd_hlo *hlo = side->mem->hlo;
    uint32_t *word = &side->opcode[hlo->instructions.opcode[instruction]];
    if (*word == NO_WORD) {
        struct xpd_str text = xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
        *word = xpd_intern_put(&k->words, text.data, text.size) + 1;
    }
    return *word;
}

/* A fusion without its own op name has that of an inner instruction. */
static uint32_t scope_of(struct xpd_compare_keys *k, struct xpd_compare_words *side,
                         uint32_t instruction)
{
    const struct xpd_hlo *hlo = side->mem->hlo;
    xpd_name_id name = hlo->instructions.op_name[instruction];
    struct xpd_str own = xpd_hlo_text(hlo, name);
    uint32_t *word = own.size > 0 ? &side->scope[name] : &side->scope_inside[instruction];
    if (*word == NO_WORD) {
        struct xpd_source_info info = {.op_name = own};
        if (own.size == 0)
            xpd_source_of(hlo, instruction, &info);
        *word = scope_word(k, info.op_name);
    }
    return *word;
}

static xpd_name_id key_of(struct xpd_compare_keys *k, int side, uint32_t buffer,
                          enum xpd_mem_class mem_class, bool with_shape)
{
    struct xpd_compare_words *words = &k->side[side];
    const struct xpd_mem_buffer *b = buffer == XPD_NO_INDEX ? NULL : &words->mem->buffer[buffer];
    const struct xpd_shape *shape = b && with_shape ? b->shape : NULL;
    bool made = b && b->instruction != XPD_NO_INDEX;
    int32_t head[5] = {(int32_t)mem_class, shape != NULL, shape ? shape->type : 0,
                       made ? (int32_t)opcode_of(k, words, b->instruction) : NO_WORD,
                       made ? (int32_t)scope_of(k, words, b->instruction) : NO_WORD};
    xpd_strbuf_clear(&k->bytes);
    xpd_strbuf_add(&k->bytes, (const char *)head, sizeof head);
    if (shape && shape->rank > 0)
        xpd_strbuf_add(&k->bytes, (const char *)shape->dims, shape->rank * sizeof *shape->dims);
    return xpd_intern_put(&k->keys, k->bytes.data ? k->bytes.data : "", k->bytes.size);
}

xpd_name_id xpd_compare_key(struct xpd_compare_keys *k, int side, uint32_t buffer,
                            enum xpd_mem_class mem_class)
{
    return key_of(k, side, buffer, mem_class, true);
}

xpd_name_id xpd_compare_key_of_shape(struct xpd_compare_keys *k, int side, uint32_t buffer,
                                     enum xpd_mem_class mem_class)
{
    const struct xpd_shape *shape = k->side[side].mem->buffer[buffer].shape;
    int32_t head[2] = {(int32_t)mem_class, shape ? shape->type : 0};
    xpd_strbuf_clear(&k->bytes);
    xpd_strbuf_puts(&k->bytes, "shape"); /* no key of another kind begins so */
    xpd_strbuf_add(&k->bytes, (const char *)head, sizeof head);
    if (shape && shape->rank > 0)
        xpd_strbuf_add(&k->bytes, (const char *)shape->dims, shape->rank * sizeof *shape->dims);
    return xpd_intern_put(&k->keys, k->bytes.data ? k->bytes.data : "", k->bytes.size);
}

xpd_name_id xpd_compare_key_any_shape(struct xpd_compare_keys *k, int side, uint32_t buffer,
                                      enum xpd_mem_class mem_class)
{
    return key_of(k, side, buffer, mem_class, false);
}

const char *xpd_compare_state_word(enum xpd_compare_state state)
{
    static const char *const word[] = {"same",       "changed",       "only_before",
                                       "only_after", "left_the_peak", "into_the_peak"};
    return (unsigned)state < XPD_COMPARE_STATES ? word[state] : "";
}

struct work {
    const struct xpd_compare_side *side;
    struct xpd_held_list held[2];
    struct xpd_compare_keys keys;
    struct xpd_arena scratch;
    struct xpd_compare_group *group; /* by name id of its key */
};

static enum xpd_mem_class class_of(const struct xpd_mem *mem, uint32_t buffer)
{
    uint32_t a = mem->buffer[buffer].allocation;
    return a == XPD_NO_INDEX ? XPD_CLASS_TEMPORARY
                             : xpd_mem_class_of(mem->hlo->allocation[a].flags);
}

static bool lies_in(const struct xpd_compare_side *side, uint32_t buffer)
{
    uint32_t a = side->mem->buffer[buffer].allocation;
    return a != XPD_NO_INDEX && side->mem->hlo->allocation[a].color == side->space->color;
}

/* Every buffer of both programs has a key first, so that groups can be an array. */
static bool collect(struct work *w, xpd_name_id **row_key, xpd_name_id **buffer_key)
{
    for (int s = 0; s < 2; s++) {
        const struct xpd_mem *mem = w->side[s].mem;
        uint32_t buffers = mem->hlo->buffers.count;
        row_key[s] = XPD_NEW_ARRAY(&w->scratch, xpd_name_id, w->held[s].count);
        buffer_key[s] = XPD_NEW_ARRAY(&w->scratch, xpd_name_id, buffers);
        if (!row_key[s] || !buffer_key[s])
            return false;
        for (uint32_t i = 0; i < w->held[s].count; i++)
            row_key[s][i] =
                xpd_compare_key(&w->keys, s, w->held[s].at[i].buffer, w->held[s].at[i].mem_class);
        for (uint32_t i = 0; i < buffers; i++)
            buffer_key[s][i] =
                lies_in(&w->side[s], i) ? xpd_compare_key(&w->keys, s, i, class_of(mem, i)) : 0;
    }
    return !w->keys.keys.failed && !w->keys.words.failed && !w->keys.bytes.failed;
}

static void fill(struct work *w, xpd_name_id *const *row_key, xpd_name_id *const *buffer_key)
{
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < w->held[s].count; i++) {
            struct xpd_compare_group *g = &w->group[row_key[s][i]];
            const struct xpd_held *row = &w->held[s].at[i];
            if (g->count[s]++ == 0)
                g->buffer[s] = row->buffer;
            g->mem_class = row->mem_class;
            xpd_grow_i64(&g->bytes[s], row->size_bytes);
        }
        for (uint32_t i = 0; i < w->side[s].mem->hlo->buffers.count; i++) {
            struct xpd_compare_group *g = &w->group[buffer_key[s][i]];
            if (buffer_key[s][i] == 0)
                continue;
            g->in_program[s]++;
            if (g->buffer[s] == XPD_NO_INDEX)
                g->buffer[s] = i;
        }
    }
}

static enum xpd_compare_state state_of(const struct xpd_compare_group *g)
{
    if (g->count[0] > 0 && g->count[1] > 0)
        return g->bytes[0] == g->bytes[1] ? XPD_COMPARE_SAME : XPD_COMPARE_CHANGED;
    if (g->count[0] > 0)
        return g->in_program[1] > 0 ? XPD_COMPARE_LEFT : XPD_COMPARE_ONLY_BEFORE;
    return g->in_program[0] > 0 ? XPD_COMPARE_ENTERED : XPD_COMPARE_ONLY_AFTER;
}

static int64_t distance(const struct xpd_compare_group *g)
{
    bool overflow = false;
    int64_t more = xpd_add_i64(g->bytes[1], -g->bytes[0], &overflow);
    return more < 0 ? -more : more;
}

static uint32_t first_of(const struct xpd_compare_group *g)
{
    return g->buffer[0] != XPD_NO_INDEX ? g->buffer[0] : g->buffer[1];
}

/* The same whichever side comes first, but for the last resort. */
static int by_difference(const void *a, const void *b)
{
    const struct xpd_compare_group *x = a, *y = b;
    int64_t dx = distance(x), dy = distance(y);
    if (dx != dy)
        return dx < dy ? 1 : -1;
    int64_t sx = x->bytes[0] > x->bytes[1] ? x->bytes[0] : x->bytes[1];
    int64_t sy = y->bytes[0] > y->bytes[1] ? y->bytes[0] : y->bytes[1];
    if (sx != sy)
        return sx < sy ? 1 : -1;
    return (first_of(x) > first_of(y)) - (first_of(x) < first_of(y));
}

static void take_in(struct xpd_compare_group *into, const struct xpd_compare_group *g)
{
    for (int s = 0; s < 2; s++) {
        if (into->buffer[s] == XPD_NO_INDEX)
            into->buffer[s] = g->buffer[s];
        into->count[s] += g->count[s];
        into->in_program[s] += g->in_program[s];
        xpd_grow_i64(&into->bytes[s], g->bytes[s]);
    }
}

/* 1 or 2: in the first or second program only; 0: met already, or no array. */
static uint8_t lonely(const struct work *w, const struct xpd_compare_group *g)
{
    int s = g->state == XPD_COMPARE_ONLY_AFTER;
    if ((g->state != XPD_COMPARE_ONLY_BEFORE && !s) || g->buffer[s] == XPD_NO_INDEX ||
        w->side[s].mem->buffer[g->buffer[s]].shape->type == XPD_TYPE_TUPLE)
        return 0;
    return (uint8_t)(s + 1);
}

/* A scope that was renamed, or work that moved to another operation, is not a new array: what is in
 * one program only meets by class, type and dimensions, all groups of one as one. */
static bool meet_by_shape(struct work *w, struct xpd_compare *out)
{
    uint32_t n = out->group_count, kept = 0;
    xpd_name_id *key = XPD_NEW_ARRAY(&w->scratch, xpd_name_id, (size_t)n + 1);
    if (!key)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_compare_group *g = &out->group[i];
        uint8_t side = lonely(w, g);
        key[i] =
            side ? xpd_compare_key_of_shape(&w->keys, side - 1, g->buffer[side - 1], g->mem_class)
                 : XPD_NO_NAME;
    }
    uint8_t *sides = XPD_NEW_ARRAY(&w->scratch, uint8_t, (size_t)w->keys.keys.count + 1);
    uint32_t *into = XPD_NEW_ARRAY(&w->scratch, uint32_t, (size_t)w->keys.keys.count + 1);
    if (!sides || !into || w->keys.keys.failed || w->keys.bytes.failed)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (key[i] != XPD_NO_NAME)
            sides[key[i]] |= lonely(w, &out->group[i]);
    for (uint32_t i = 0; i < n; i++) { /* into: place + 1 */
        struct xpd_compare_group g = out->group[i];
        bool meets = key[i] != XPD_NO_NAME && sides[key[i]] == 3;
        if (meets && into[key[i]]) {
            struct xpd_compare_group *first = &out->group[into[key[i]] - 1];
            take_in(first, &g);
            first->state = state_of(first);
            continue;
        }
        out->group[kept++] = g;
        if (meets)
            into[key[i]] = kept;
    }
    out->group_count = kept;
    return true;
}

static void add_overlap(struct xpd_compare *out, const struct work *w)
{
    struct xpd_compare_group g = {.buffer = {XPD_NO_INDEX, XPD_NO_INDEX}, .overlap = true};
    for (int s = 0; s < 2; s++)
        g.bytes[s] = w->held[s].bytes - w->held[s].listed_bytes;
    if (g.bytes[0] == 0 && g.bytes[1] == 0)
        return;
    g.state = g.bytes[0] == g.bytes[1] ? XPD_COMPARE_SAME : XPD_COMPARE_CHANGED;
    out->group[out->group_count++] = g;
}

static void add_up(struct xpd_compare *out, const struct work *w)
{
    for (int s = 0; s < 2; s++) {
        const struct xpd_mem_space *space = w->side[s].space;
        out->peak[s] = space->peak_bytes;
        out->reserved[s] = space->totals.reserved;
        out->padding[s] = w->held[s].bytes - w->held[s].unpadded_bytes;
        out->fragmentation[s] = xpd_mem_fragmentation(space);
        for (uint32_t i = 0; i < out->group_count; i++)
            xpd_grow_i64(&out->sum[s], out->group[i].bytes[s]);
    }
    for (uint32_t i = 0; i < out->group_count; i++)
        out->different_count += out->group[i].bytes[0] != out->group[i].bytes[1];
    out->difference = out->peak[1] - out->peak[0];
    out->closes = out->sum[0] == out->peak[0] && out->sum[1] == out->peak[1];
}

static bool compare(struct xpd_compare *out, struct work *w, struct xpd_arena *arena)
{
    xpd_name_id *row_key[2], *buffer_key[2];
    if (!collect(w, row_key, buffer_key))
        return false;
    w->group = XPD_NEW_ARRAY(&w->scratch, struct xpd_compare_group, w->keys.keys.count);
    uint32_t rows = w->held[0].count + w->held[1].count;
    out->group = XPD_NEW_ARRAY(arena, struct xpd_compare_group, (size_t)rows + 1);
    if (!w->group || !out->group)
        return false;
    for (uint32_t i = 0; i < w->keys.keys.count; i++)
        w->group[i].buffer[0] = w->group[i].buffer[1] = XPD_NO_INDEX;
    fill(w, row_key, buffer_key);
    for (uint32_t i = 0; i < w->keys.keys.count; i++)
        if (w->group[i].count[0] + w->group[i].count[1] > 0) {
            w->group[i].state = state_of(&w->group[i]);
            out->group[out->group_count++] = w->group[i];
        }
    if (!meet_by_shape(w, out))
        return false;
    add_overlap(out, w);
    if (out->group_count > 1)
        qsort(out->group, out->group_count, sizeof *out->group, by_difference);
    add_up(out, w);
    return true;
}

int xpd_compare_run(struct xpd_compare *out, const struct xpd_compare_side side[2],
                    struct xpd_arena *arena, struct xpd_err *err)
{
    struct work w = {.side = side};
    *out = (struct xpd_compare){0};
    xpd_arena_init(&w.scratch, arena->budget_bytes);
    int rc = xpd_compare_keys_init(&w.keys, side, &w.scratch)
                 ? XPD_OK
                 : xpd_no_memory(err, NULL, "for this comparison");
    for (int s = 0; s < 2 && rc == XPD_OK; s++)
        rc = xpd_held_at(&w.held[s], side[s].mem, side[s].space, side[s].space->peak_step,
                         &w.scratch, err);
    if (rc == XPD_OK && !compare(out, &w, arena))
        rc = xpd_no_memory(err, NULL, "for this comparison");
    xpd_compare_keys_fini(&w.keys);
    xpd_arena_fini(&w.scratch);
    return rc;
}

static int by_count(const void *a, const void *b)
{
    const struct xpd_opcode_count *x = a, *y = b;
    int64_t dx = (int64_t)x->count[1] - x->count[0], dy = (int64_t)y->count[1] - y->count[0];
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    if (dx != dy)
        return dx < dy ? 1 : -1;
    return xpd_str_order(x->opcode, y->opcode);
}

/* Instructions executed separately: not those inside fusions. */
static bool runs(const struct xpd_hlo *hlo, uint32_t i)
{
    uint32_t c = hlo->instructions.computation[i];
    return c >= hlo->computations.count || !hlo->computations.is_fusion[c];
}

int xpd_compare_opcodes(struct xpd_opcode_count **out, uint32_t *count,
                        struct xpd_opcode_change *totals, const struct xpd_hlo *before,
                        const struct xpd_hlo *after, struct xpd_arena *arena, struct xpd_err *err)
{
    const struct xpd_hlo *hlo[2] = {before, after};
    struct xpd_opcode_count *list = NULL;
    struct xpd_intern names;
    bool ok = true;
    *count = 0;
    *totals = (struct xpd_opcode_change){0};
    xpd_intern_init(&names, arena);
    for (int s = 0; s < 2; s++) /* few different ones: each is looked at once */
        for (uint32_t i = 0; i < hlo[s]->instructions.count; i++) {
            struct xpd_str text = xpd_hlo_text(hlo[s], hlo[s]->instructions.opcode[i]);
            xpd_intern_put(&names, text.data, text.size);
        }
    ok = !names.failed && (list = XPD_NEW_ARRAY(arena, struct xpd_opcode_count, names.count));
    for (int s = 0; s < 2 && ok; s++)
        for (uint32_t i = 0; i < hlo[s]->instructions.count; i++) {
            struct xpd_str text = xpd_hlo_text(hlo[s], hlo[s]->instructions.opcode[i]);
            xpd_name_id id = xpd_intern_find(&names, text);
            list[id].opcode = text;
            list[id].count[s] += runs(hlo[s], i);
        }
    for (uint32_t i = 0; ok && i < names.count; i++) {
        totals->count[0] += list[i].count[0];
        totals->count[1] += list[i].count[1];
        if (list[i].count[0] != list[i].count[1])
            list[(*count)++] = list[i];
        else
            totals->same += list[i].count[0] > 0;
    }
    if (*count > 1)
        qsort(list, *count, sizeof *list, by_count);
    *out = list;
    xpd_intern_fini(&names);
    return ok ? XPD_OK : xpd_no_memory(err, NULL, "for opcodes");
}
