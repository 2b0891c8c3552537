/* Buffers of two programs, one with one. In: two spaces. Out: pairs, and buffers without a partner.
 *
 * All buffers of both sides stand in one array, sorted by key, side and size; a run of equal keys
 * is a multiset of each side, so every turn is one walk. */
#include "compare_keys.h"
#include "xprofd/base/checked.h"
#include "xprofd/doctor/compare.h"
#include "xprofd/doctor/doctor.h"
#include "xprofd/hlo/source_info.h"
#include <stdlib.h>

/* Keys under which buffers of one kind meet. In: a buffer. Out: bytes that are equal for equal
 * kinds. */

static struct xpd_str op_name(const struct xpd_hlo *hlo, uint32_t instruction)
{
    struct xpd_source_info info;
    struct xpd_str own = xpd_hlo_text(hlo, hlo->instructions.op_name[instruction]);
    if (own.size > 0)
        return own;
    xpd_source_of(hlo, instruction, &info);
    return info.op_name;
}

void xpd_group_key(struct xpd_strbuf *out, const struct xpd_mem *mem, uint32_t buffer,
                   enum xpd_mem_class mem_class, bool with_index)
{
    const struct xpd_hlo *hlo = mem->hlo;
    xpd_strbuf_i64(out, mem_class);
    xpd_strbuf_putc(out, '|');
    if (buffer == XPD_NO_INDEX)
        return;
    const struct xpd_shape *shape = mem->buffer[buffer].shape;
    uint32_t instruction = mem->buffer[buffer].instruction;
    if (shape) {
        xpd_strbuf_i64(out, shape->type);
        xpd_strbuf_putc(out, '|');
        if (shape->rank > 0)
            xpd_strbuf_i64_list(out, shape->dims, shape->rank);
    }
    xpd_strbuf_putc(out, '|');
    if (instruction != XPD_NO_INDEX) {
        struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
        xpd_strbuf_add(out, opcode.data, opcode.size);
        xpd_strbuf_putc(out, '|');
        xpd_doctor_scope(out, op_name(hlo, instruction));
    }
    if (!with_index)
        return;
    xpd_strbuf_putc(out, '|');
    uint32_t first = hlo->buffers.index_first[buffer];
    uint32_t count = hlo->buffers.index_first[buffer + 1] - first;
    if (count > 0)
        xpd_strbuf_i64_list(out, hlo->buffers.shape_index + first, count);
}

static bool is_parameter(const struct xpd_hlo *hlo, uint32_t i)
{
    return xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.opcode[i]), XPD_STR("parameter"));
}

void xpd_program_signature(struct xpd_strbuf *out, const struct xpd_hlo *hlo)
{
    if (hlo->entry >= hlo->computations.count)
        return;
    uint32_t first = hlo->computations.first[hlo->entry];
    uint32_t end = first + hlo->computations.instruction_count[hlo->entry];
    uint32_t parameters = 0;
    for (uint32_t i = first; i < end; i++)
        parameters += is_parameter(hlo, i);
    /* In order of numbers; a file may list them in any order. */
    for (uint32_t i = first; i < end; i++)
        if (is_parameter(hlo, i)) {
            xpd_strbuf_i64(out, hlo->instructions.parameter_number[i]);
            xpd_strbuf_putc(out, ':');
            xpd_shape_text(out, hlo->instructions.shape[i], false);
            xpd_strbuf_putc(out, ' ');
        }
    uint32_t root = hlo->computations.root[hlo->entry];
    xpd_strbuf_puts(out, "-> ");
    if (root != XPD_NO_INDEX && parameters > 0)
        xpd_shape_text(out, hlo->instructions.shape[root], false);
}

struct one {
    xpd_name_id key;
    uint8_t side, mem_class;
    uint32_t buffer;
    int64_t bytes, padding;
};

struct work {
    const struct xpd_compare_side *side;
    struct xpd_held_list held[2]; /* at the peaks */
    struct xpd_compare_keys keys;
    struct xpd_arena scratch;
    struct one *at, *left; /* of all; those that no equal key took */
    uint32_t count, left_count;
    uint32_t *in_program[2]; /* by key: buffers of the whole program, at the peak or not */
    struct xpd_compare_pairs *out;
};

static bool lies_in(const struct xpd_compare_side *side, uint32_t buffer)
{
    uint32_t a = side->mem->buffer[buffer].allocation;
    return a != XPD_NO_INDEX && side->mem->hlo->allocation[a].color == side->space->color;
}

static enum xpd_mem_class class_of(const struct xpd_mem *mem, uint32_t buffer)
{
    uint32_t a = mem->buffer[buffer].allocation;
    return a == XPD_NO_INDEX ? XPD_CLASS_TEMPORARY
                             : xpd_mem_class_of(mem->hlo->allocation[a].flags);
}

static void put_held(struct work *w, int s)
{
    for (uint32_t i = 0; i < w->held[s].count; i++) {
        const struct xpd_held *row = &w->held[s].at[i];
        w->at[w->count++] =
            (struct one){.key = xpd_compare_key(&w->keys, s, row->buffer, row->mem_class),
                         .side = (uint8_t)s,
                         .mem_class = (uint8_t)row->mem_class,
                         .buffer = row->buffer,
                         .bytes = row->size_bytes,
                         .padding = xpd_held_padding(row)};
    }
}

static void put_all(struct work *w, int s)
{
    const struct xpd_mem *mem = w->side[s].mem;
    for (uint32_t i = 0; i < mem->hlo->buffers.count; i++)
        if (lies_in(&w->side[s], i))
            w->at[w->count++] =
                (struct one){.key = xpd_compare_key(&w->keys, s, i, class_of(mem, i)),
                             .side = (uint8_t)s,
                             .mem_class = (uint8_t)class_of(mem, i),
                             .buffer = i,
                             .bytes = mem->buffer[i].size_bytes,
                             .padding = mem->buffer[i].size_bytes - mem->buffer[i].unpadded_bytes};
}

/* The keys of the whole programs first: then their number is known. */
static bool count_in_programs(struct work *w)
{
    xpd_name_id *key[2];
    for (int s = 0; s < 2; s++) {
        const struct xpd_mem *mem = w->side[s].mem;
        uint32_t buffers = mem->hlo->buffers.count;
        key[s] = XPD_NEW_ARRAY(&w->scratch, xpd_name_id, (size_t)buffers + 1);
        if (!key[s])
            return false;
        for (uint32_t i = 0; i < buffers; i++)
            key[s][i] = lies_in(&w->side[s], i) ? xpd_compare_key(&w->keys, s, i, class_of(mem, i))
                                                : XPD_NO_NAME;
        put_held(w, s);
    }
    for (int s = 0; s < 2; s++) {
        w->in_program[s] = XPD_NEW_ARRAY(&w->scratch, uint32_t, (size_t)w->keys.keys.count + 1);
        if (!w->in_program[s])
            return false;
        for (uint32_t i = 0; i < w->side[s].mem->hlo->buffers.count; i++)
            if (key[s][i] != XPD_NO_NAME)
                w->in_program[s][key[s][i]]++;
    }
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->padding != y->padding)
        return x->padding > y->padding ? -1 : 1;
    return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static void put_pair(struct work *w, const struct one *before, const struct one *after,
                     enum xpd_compare_state state)
{
    const struct one *of[2] = {before, after};
    struct xpd_compare_pair p = {.state = state,
                                 .mem_class =
                                     (enum xpd_mem_class)(after ? after : before)->mem_class,
                                 .buffer = {XPD_NO_INDEX, XPD_NO_INDEX}};
    for (int s = 0; s < 2; s++)
        if (of[s]) {
            p.has[s] = true;
            p.buffer[s] = of[s]->buffer;
            p.bytes[s] = of[s]->bytes;
            p.padding[s] = of[s]->padding;
        }
    w->out->at[w->out->count++] = p;
}

/* Where the run of the first one's key ends, and where its second side begins. */
static uint32_t run_of(const struct one *at, uint32_t first, uint32_t count, uint32_t *second)
{
    uint32_t end = first;
    *second = first;
    for (; end < count && at[end].key == at[first].key; end++)
        *second += at[end].side == 0;
    return end;
}

static void pair_equal_keys(struct work *w)
{
    for (uint32_t i = 0, end, second; i < w->count; i = end) {
        end = run_of(w->at, i, w->count, &second);
        uint32_t n[2] = {second - i, end - second}, both = n[0] < n[1] ? n[0] : n[1];
        for (uint32_t k = 0; k < both; k++) {
            const struct one *a = &w->at[i + k], *b = &w->at[second + k];
            put_pair(w, a, b,
                     a->bytes == b->bytes && a->padding == b->padding ? XPD_COMPARE_SAME
                                                                      : XPD_COMPARE_CHANGED);
        }
        int s = n[0] <= n[1];
        uint32_t elsewhere = 0, total = w->in_program[0] ? w->in_program[!s][w->at[i].key] : 0;
        if (total > n[!s])
            elsewhere = total - n[!s];
        for (uint32_t k = both; k < n[s]; k++) {
            const struct one *of = &w->at[(s ? second : i) + k];
            if (k - both < elsewhere)
                put_pair(w, s ? NULL : of, s ? of : NULL,
                         s ? XPD_COMPARE_ENTERED : XPD_COMPARE_LEFT);
            else
                w->left[w->left_count++] = *of;
        }
    }
}

static enum xpd_compare_state met(const struct one *a, const struct one *b)
{
    return a->bytes == b->bytes && a->padding == b->padding ? XPD_COMPARE_SAME
                                                            : XPD_COMPARE_CHANGED;
}

/* Of those left, by the keys they have now, the k-th largest with the k-th largest; the others are
 * left again. */
static void pair_left(struct work *w)
{
    uint32_t kept = 0;
    if (w->left_count > 1)
        qsort(w->left, w->left_count, sizeof *w->left, by_key);
    for (uint32_t i = 0, end, second; i < w->left_count; i = end) {
        end = run_of(w->left, i, w->left_count, &second);
        uint32_t n[2] = {second - i, end - second}, both = n[0] < n[1] ? n[0] : n[1];
        if (w->left[i].key == XPD_NO_NAME)
            both = 0;
        for (uint32_t k = 0; k < both; k++)
            put_pair(w, &w->left[i + k], &w->left[second + k],
                     met(&w->left[i + k], &w->left[second + k]));
        for (uint32_t k = both; k < n[0]; k++)
            w->left[kept++] = w->left[i + k];
        for (uint32_t k = both; k < n[1]; k++)
            w->left[kept++] = w->left[second + k];
    }
    w->left_count = kept;
}

static void pair_changed_shapes(struct work *w)
{
    for (uint32_t i = 0; i < w->left_count; i++)
        w->left[i].key = xpd_compare_key_any_shape(&w->keys, w->left[i].side, w->left[i].buffer,
                                                   (enum xpd_mem_class)w->left[i].mem_class);
    pair_left(w);
}

/* A scope that was renamed, or work that moved to another operation, is not a new array. */
static void pair_by_shape(struct work *w)
{
    for (uint32_t i = 0; i < w->left_count; i++) {
        struct one *one = &w->left[i];
        const struct xpd_shape *shape =
            one->buffer == XPD_NO_INDEX ? NULL : w->side[one->side].mem->buffer[one->buffer].shape;
        one->key = shape && shape->type != XPD_TYPE_TUPLE
                       ? xpd_compare_key_of_shape(&w->keys, one->side, one->buffer,
                                                  (enum xpd_mem_class)one->mem_class)
                       : XPD_NO_NAME;
    }
    pair_left(w);
}

static void put_lonely(struct work *w)
{
    for (uint32_t i = 0; i < w->left_count; i++) {
        bool after = w->left[i].side == 1;
        put_pair(w, after ? NULL : &w->left[i], after ? &w->left[i] : NULL,
                 after ? XPD_COMPARE_ONLY_AFTER : XPD_COMPARE_ONLY_BEFORE);
    }
}

static int64_t larger(const struct xpd_compare_pair *p)
{
    return p->bytes[0] > p->bytes[1] ? p->bytes[0] : p->bytes[1];
}

static int64_t distance(const struct xpd_compare_pair *p)
{
    bool overflow = false;
    int64_t more = xpd_add_i64(p->bytes[1], -p->bytes[0], &overflow);
    return more < 0 ? -more : more;
}

/* What differs first; the same whichever side comes first, but for the last resort. */
static int by_difference(const void *a, const void *b)
{
    const struct xpd_compare_pair *x = a, *y = b;
    bool sx = x->state == XPD_COMPARE_SAME, sy = y->state == XPD_COMPARE_SAME;
    int64_t dx = distance(x), dy = distance(y), lx = larger(x), ly = larger(y);
    if (sx != sy)
        return sx ? 1 : -1;
    if (dx != dy)
        return dx < dy ? 1 : -1;
    if (lx != ly)
        return lx < ly ? 1 : -1;
    if (x->buffer[1] != y->buffer[1])
        return x->buffer[1] < y->buffer[1] ? -1 : 1;
    return (x->buffer[0] > y->buffer[0]) - (x->buffer[0] < y->buffer[0]);
}

static void add_overlap(struct work *w)
{
    struct xpd_compare_pair p = {.buffer = {XPD_NO_INDEX, XPD_NO_INDEX}, .overlap = true};
    for (int s = 0; s < 2; s++) {
        p.bytes[s] = w->held[s].bytes - w->held[s].listed_bytes;
        p.has[s] = p.bytes[s] != 0;
    }
    if (!p.has[0] && !p.has[1])
        return;
    p.state = p.bytes[0] == p.bytes[1] ? XPD_COMPARE_SAME : XPD_COMPARE_CHANGED;
    w->out->at[w->out->count++] = p;
}

static bool pair_up(struct work *w, bool whole_program, struct xpd_arena *arena)
{
    size_t most = 0;
    for (int s = 0; s < 2; s++)
        most += whole_program ? w->side[s].mem->hlo->buffers.count : w->held[s].count;
    w->at = XPD_NEW_ARRAY(&w->scratch, struct one, most + 1);
    w->left = XPD_NEW_ARRAY(&w->scratch, struct one, most + 1);
    w->out->at = XPD_NEW_ARRAY(arena, struct xpd_compare_pair, most + 1);
    if (!w->at || !w->left || !w->out->at)
        return false;
    if (whole_program)
        for (int s = 0; s < 2; s++)
            put_all(w, s);
    else if (!count_in_programs(w))
        return false;
    if (w->count > 1)
        qsort(w->at, w->count, sizeof *w->at, by_key);
    pair_equal_keys(w);
    pair_changed_shapes(w);
    pair_by_shape(w);
    put_lonely(w);
    if (!whole_program)
        add_overlap(w);
    if (w->out->count > 1)
        qsort(w->out->at, w->out->count, sizeof *w->out->at, by_difference);
    for (uint32_t i = 0; i < w->out->count; i++) {
        w->out->states[w->out->at[i].state]++;
        for (int s = 0; s < 2; s++)
            xpd_grow_i64(&w->out->bytes[s], w->out->at[i].bytes[s]);
    }
    return !w->keys.keys.failed && !w->keys.words.failed && !w->keys.bytes.failed;
}

int xpd_compare_buffers(struct xpd_compare_pairs *out, const struct xpd_compare_side side[2],
                        bool whole_program, struct xpd_arena *arena, struct xpd_err *err)
{
    struct work w = {.side = side, .out = out};
    *out = (struct xpd_compare_pairs){0};
    xpd_arena_init(&w.scratch, arena->budget_bytes);
    int rc = xpd_compare_keys_init(&w.keys, side, &w.scratch)
                 ? XPD_OK
                 : xpd_no_memory(err, NULL, "for this comparison");
    for (int s = 0; s < 2 && rc == XPD_OK && !whole_program; s++)
        rc = xpd_held_at(&w.held[s], side[s].mem, side[s].space, side[s].space->peak_step,
                         &w.scratch, err);
    if (rc == XPD_OK && !pair_up(&w, whole_program, arena))
        rc = xpd_no_memory(err, NULL, "for this comparison");
    xpd_compare_keys_fini(&w.keys);
    xpd_arena_fini(&w.scratch);
    return rc;
}
