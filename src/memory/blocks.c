/* See blocks.h. In: buffers with shapes and op names. Out: the block of each.
 *
 * Most op names come many times, and shapes come in runs: each is made into text once. */
#include "xprofd/memory/blocks.h"

#include "xprofd/base/map64.h"
#include "xprofd/hlo/scope.h"
#include "xprofd/hlo/source_info.h"

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

/* What is kept of the work. */
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
