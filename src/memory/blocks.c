/* See blocks.h. In: buffers with shapes and op names. Out: the block of each.
 *
 * Most op names come many times, and shapes come in runs: each is made into text once. */
#include "xprofd/memory/blocks.h"
#include "memory_internal.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/map64.h"
#include "xprofd/hlo/scope.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/memory/curve_blocks.h"
#include <math.h>
#include <stdlib.h>

#define FOLD_SHARE 4096

struct pair {
    xpd_name_id shape, scope;
};

struct maker {
    const struct xpd_hlo *hlo;
    struct xpd_intern text; /* shapes and scopes */
    xpd_name_id *scope_of;  /* by op name, + 1 */
    struct xpd_map64 block; /* by shape and scope */
    struct xpd_strbuf scratch;
    struct pair *pair; /* by block */
    uint32_t count;
};

static xpd_name_id put_scratch(struct maker *m)
{
    return xpd_intern_put(&m->text, m->scratch.data, m->scratch.size);
}

/* params['blocks'][0]['up'], as JAX names arguments, is params['blocks'][*]['up']. */
static void add_indexed(struct xpd_strbuf *out, struct xpd_str name)
{
    for (size_t i = 0; i < name.size; i++) {
        size_t end = i;
        xpd_strbuf_putc(out, name.data[i]);
        if (name.data[i] != '[')
            continue;
        while (end + 1 < name.size && name.data[end + 1] >= '0' && name.data[end + 1] <= '9')
            end++;
        if (end > i && end + 1 < name.size && name.data[end + 1] == ']') {
            xpd_strbuf_putc(out, '*');
            i = end;
        }
    }
}

static xpd_name_id put_scope(struct maker *m, struct xpd_str op_name)
{
    struct xpd_str rest = xpd_scope_path(op_name), part;
    xpd_strbuf_clear(&m->scratch);
    if (memchr(op_name.data, '[', op_name.size) && !memchr(op_name.data, '/', op_name.size)) {
        add_indexed(&m->scratch, op_name);
        return put_scratch(m);
    }
    while (xpd_scope_next_part(&rest, &part)) {
        if (rest.size == 0 && m->scratch.size > 0)
            break; /* the operation itself */
        if (m->scratch.size > 0)
            xpd_strbuf_putc(&m->scratch, '/');
        if (!xpd_scope_fold(&m->scratch, part))
            xpd_strbuf_add(&m->scratch, part.data, part.size);
    }
    return put_scratch(m);
}

static xpd_name_id scope_of(struct maker *m, uint32_t instruction)
{
    xpd_name_id op_name = instruction == XPD_NO_INDEX ? 0 : xpd_scope_name_of(m->hlo, instruction);
    if (op_name == 0)
        return 0;
    if (m->scope_of[op_name] == 0)
        m->scope_of[op_name] = 1 + put_scope(m, xpd_hlo_text(m->hlo, op_name));
    return m->scope_of[op_name] - 1;
}

static xpd_name_id shape_of(struct maker *m, const struct xpd_shape *shape)
{
    if (!shape)
        return 0;
    xpd_strbuf_clear(&m->scratch);
    xpd_shape_text(&m->scratch, shape, false);
    return put_scratch(m);
}

static uint32_t block_of(struct maker *m, struct pair pair)
{
    uint64_t key = (uint64_t)pair.shape << 32 | pair.scope;
    uint32_t block = xpd_map64_get(&m->block, key);
    if (block != XPD_NO_INDEX)
        return block;
    m->pair[m->count] = pair;
    xpd_map64_put(&m->block, key, m->count);
    return m->count++;
}

static void fill(struct maker *m, const struct xpd_mem *mem, uint32_t *of_buffer)
{
    const struct xpd_shape *last = NULL;
    struct pair pair = {0};
    for (uint32_t i = 0; i < m->hlo->buffers.count; i++) {
        if (mem->buffer[i].shape != last)
            pair.shape = shape_of(m, last = mem->buffer[i].shape);
        pair.scope = scope_of(m, mem->buffer[i].instruction);
        of_buffer[i] = block_of(m, pair);
    }
}

/* The result. */
static bool keep(const struct maker *m, struct xpd_arena *arena, const uint32_t *of_buffer,
                 struct xpd_blocks *blocks)
{
    struct xpd_str *shape = XPD_NEW_ARRAY(arena, struct xpd_str, m->count);
    struct xpd_str *scope = XPD_NEW_ARRAY(arena, struct xpd_str, m->count);
    if (!shape || !scope || m->text.failed || m->block.failed || m->scratch.failed)
        return false;
    for (uint32_t i = 0; i < m->count; i++) {
        shape[i] = xpd_intern_get(&m->text, m->pair[i].shape);
        scope[i] = xpd_intern_get(&m->text, m->pair[i].scope);
    }
    *blocks = (struct xpd_blocks){of_buffer, shape, scope, m->count};
    return true;
}

bool xpd_mem_blocks(const struct xpd_mem *mem, struct xpd_arena *arena, struct xpd_blocks *blocks)
{
    const struct xpd_hlo *hlo = mem->hlo;
    uint32_t n = hlo->buffers.count;
    uint32_t *of_buffer = XPD_NEW_ARRAY(arena, uint32_t, n);
    struct maker m = {.hlo = hlo,
                      .scope_of = calloc((size_t)hlo->names.count + 1, sizeof *m.scope_of),
                      .pair = calloc((size_t)n + 1, sizeof *m.pair)};
    xpd_intern_init(&m.text, arena);
    bool ok = of_buffer && m.scope_of && m.pair;
    if (ok)
        fill(&m, mem, of_buffer);
    ok = ok && keep(&m, arena, of_buffer, blocks);
    free(m.scope_of);
    free(m.pair);
    xpd_intern_fini(&m.text);
    xpd_map64_fini(&m.block);
    xpd_strbuf_fini(&m.scratch);
    return ok;
}

int64_t xpd_mem_fold_bytes(const struct xpd_mem_space *space)
{
    int64_t most = space->peak_bytes / FOLD_SHARE, fold = 1;
    if (most < 1)
        return 0;
    while (fold <= most / 2)
        fold *= 2;
    return fold;
}

/* See curve_blocks.h. In: steps, and blocks of them. Out: extremes and peaks. */

#define BLOCK XPD_CURVE_BLOCK

bool xpd_curve_blocks_init(struct xpd_curve_blocks *curve, const int64_t *bytes, uint32_t steps,
                           struct xpd_arena *arena)
{
    uint32_t count = steps / BLOCK + (steps % BLOCK != 0);
    *curve = (struct xpd_curve_blocks){steps,
                                       count,
                                       XPD_NEW_ROOM(arena, const int64_t *, (size_t)count + 1),
                                       XPD_NEW_ARRAY(arena, int64_t, (size_t)count + 1),
                                       XPD_NEW_ARRAY(arena, int64_t, (size_t)count + 1),
                                       XPD_NEW_ARRAY(arena, int64_t, (size_t)count + 1)};
    if (!curve->bytes || !curve->raised || !curve->lowest || !curve->highest)
        return false;
    for (uint32_t b = 0; b < count; b++)
        curve->bytes[b] = bytes + (size_t)b * BLOCK;
    return true;
}

void xpd_curve_block_measure(struct xpd_curve_blocks *curve, uint32_t block)
{
    const int64_t *bytes = curve->bytes[block];
    uint32_t count = xpd_curve_block_steps(curve, block);
    int64_t lowest = bytes[0];
    for (uint32_t i = 1; i < count; i++)
        lowest = bytes[i] < lowest ? bytes[i] : lowest;
    curve->lowest[block] = lowest;
    curve->highest[block] = xpd_mem_highest(bytes, count);
    xpd_grow_i64(&curve->lowest[block], curve->raised[block]);
    xpd_grow_i64(&curve->highest[block], curve->raised[block]);
}

int64_t xpd_curve_at(const struct xpd_curve_blocks *curve, uint32_t step)
{
    bool overflow = false;
    return xpd_add_i64(curve->bytes[step / BLOCK][step % BLOCK], curve->raised[step / BLOCK],
                       &overflow);
}

uint32_t xpd_curve_block_find(const struct xpd_curve_blocks *curve, uint32_t block, int64_t bytes)
{
    uint32_t step = block * BLOCK, last = step + xpd_curve_block_steps(curve, block) - 1;
    while (step < last && xpd_curve_at(curve, step) != bytes)
        step++;
    return step;
}

/* ---- peaks ---- */

/* Highest first; of equal ones the earlier. */
static void put_peak(struct xpd_near_peak *out, uint32_t capacity, uint32_t found,
                     struct xpd_near_peak peak)
{
    uint32_t at = found < capacity ? found : capacity;
    for (; at > 0 && out[at - 1].bytes < peak.bytes; at--)
        if (at < capacity)
            out[at] = out[at - 1];
    if (at < capacity)
        out[at] = peak;
}

static int64_t less(int64_t a, int64_t b)
{
    bool overflow = false;
    return xpd_add_i64(a, -b, &overflow);
}

struct top {
    int64_t bytes;
    uint32_t step;
    uint32_t block; /* where its step is still to be looked for, XPD_NO_INDEX = known */
};

static uint32_t step_of(const struct xpd_curve_blocks *curve, const struct top *top)
{
    return top->block == XPD_NO_INDEX ? top->step
                                      : xpd_curve_block_find(curve, top->block, top->bytes);
}

/* From the step *step up, until the curve is a valley below the top; *step is where the valley
 * begins, the end when it never does. A block whose lowest is above that is passed at once. */
static struct top climb(const struct xpd_curve_blocks *curve, int64_t valley, uint32_t *step)
{
    struct top top = {xpd_curve_at(curve, *step), *step, XPD_NO_INDEX};
    uint32_t i = *step + 1;
    while (i < curve->steps) {
        uint32_t block = i / BLOCK;
        int64_t highest = curve->highest[block];
        bool rises = highest > top.bytes;
        if (i % BLOCK == 0 && curve->lowest[block] > less(rises ? highest : top.bytes, valley)) {
            top.block = rises ? block : top.block;
            top.bytes = rises ? highest : top.bytes;
            i += xpd_curve_block_steps(curve, block);
            continue;
        }
        int64_t bytes = xpd_curve_at(curve, i);
        if (bytes <= less(top.bytes, valley))
            break;
        if (bytes > top.bytes)
            top = (struct top){bytes, i, XPD_NO_INDEX};
        i++;
    }
    *step = i;
    return top;
}

/* The step from `step` on that is a valley above the lowest one since; the end: none is. */
static uint32_t cross(const struct xpd_curve_blocks *curve, int64_t valley, uint32_t step)
{
    int64_t low = step < curve->steps ? xpd_curve_at(curve, step) : 0;
    while (step < curve->steps) {
        uint32_t block = step / BLOCK;
        int64_t lowest = curve->lowest[block] < low ? curve->lowest[block] : low;
        if (step % BLOCK == 0 && curve->highest[block] < lowest + valley) {
            low = lowest;
            step += xpd_curve_block_steps(curve, block);
            continue;
        }
        int64_t bytes = xpd_curve_at(curve, step);
        if (bytes >= low + valley)
            break;
        low = bytes < low ? bytes : low;
        step++;
    }
    return step;
}

uint32_t xpd_curve_peaks(const struct xpd_curve_blocks *curve, double share,
                         struct xpd_near_peak *out, uint32_t capacity)
{
    int64_t most = curve->count > 0 ? xpd_mem_highest(curve->highest, curve->count) : 0;
    int64_t valley = (int64_t)ceil((double)(most > 0 ? most : 0) * share);
    uint32_t found = 0;
    valley = valley > 0 ? valley : 1;
    for (uint32_t step = 0; step < curve->steps;) {
        struct top top = climb(curve, valley, &step);
        step = cross(curve, valley, step);
        if (top.bytes > 0)
            put_peak(out, capacity, found++,
                     (struct xpd_near_peak){.step = step_of(curve, &top), .bytes = top.bytes});
    }
    return found;
}
