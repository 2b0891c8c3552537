/* A tree of op names and source lines. In: a module and its words. Out: nodes, each a part longer
 * than its parent: a part ends behind a slash.
 *
 * Op names are paths of a hundred bytes of which most repeat others: a few thousand parts make all
 * of them. */
#include "table_paths.h"

#include "table_words.h"

#include <stdlib.h>

struct maker {
    struct xpd_intern part;     /* texts, copied */
    struct xpd_map64 edge;      /* node by parent and part */
    struct xpd_arena *arena;    /* of the table */
    uint32_t *parent, *part_of; /* by node */
    uint32_t count, capacity;
};

static size_t part_size(struct xpd_str rest)
{
    const char *slash = memchr(rest.data, '/', rest.size);
    return slash ? (size_t)(slash - rest.data) + 1 : rest.size;
}

/* XPD_NO_INDEX without memory. */
static uint32_t child(struct maker *m, uint32_t parent, uint32_t part)
{
    uint64_t key = (uint64_t)parent << 32 | part;
    uint32_t node = xpd_map64_get(&m->edge, key);
    if (node != XPD_NO_INDEX)
        return node;
    if (m->count == m->capacity) {
        uint32_t capacity = m->capacity * 2;
        uint32_t *parents = realloc(m->parent, capacity * sizeof *parents);
        m->parent = parents ? parents : m->parent;
        uint32_t *parts = parents ? realloc(m->part_of, capacity * sizeof *parts) : NULL;
        m->part_of = parts ? parts : m->part_of;
        if (!parts)
            return XPD_NO_INDEX;
        m->capacity = capacity;
    }
    m->parent[m->count] = parent;
    m->part_of[m->count] = part;
    xpd_map64_put(&m->edge, key, m->count);
    return m->count++;
}

static uint32_t plant(struct maker *m, struct xpd_str text)
{
    uint32_t node = 0;
    if (text.size > XPD_MATCH_TEXT_MAX || memchr(text.data, '\0', text.size))
        return XPD_NO_INDEX;
    for (size_t size; text.size > 0 && node != XPD_NO_INDEX; text.data += size, text.size -= size) {
        size = part_size(text);
        node = child(m, node, xpd_intern_put(&m->part, text.data, size));
    }
    return node;
}

/* Texts that several instructions share are planted once. */
static bool plant_all(struct maker *m, struct xpd_path_table *table, const struct xpd_words *words,
                      const struct xpd_hlo *hlo)
{
    uint32_t n = hlo->instructions.count;
    uint32_t *of_op_name = XPD_NEW_ARRAY(m->arena, uint32_t, n);
    uint32_t *of_source = XPD_NEW_ARRAY(m->arena, uint32_t, n);
    uint32_t *of_name = calloc(hlo->names.count + (size_t)1, sizeof *of_name);
    uint32_t *of_text = calloc(words->text_count + (size_t)1, sizeof *of_text);
    bool ok = of_op_name && of_source && of_name && of_text;
    for (uint32_t i = 0; ok && i < n; i++) {
        uint32_t *name = &of_name[words->op_name[i]], *text = &of_text[words->source[i]];
        if (*name == 0)
            *name = plant(m, xpd_hlo_text(hlo, words->op_name[i]));
        if (*text == 0)
            *text = plant(m, words->text[words->source[i]]);
        of_op_name[i] = *name;
        of_source[i] = *text;
    }
    free(of_name);
    free(of_text);
    table->of_op_name = of_op_name;
    table->of_source = of_source;
    return ok;
}

static bool keep(const struct maker *m, struct xpd_part_tree *tree)
{
    uint32_t *parent = XPD_COPY_ARRAY(m->arena, m->parent, m->count);
    uint32_t *part = XPD_COPY_ARRAY(m->arena, m->part_of, m->count);
    struct xpd_str *text = XPD_COPY_ARRAY(m->arena, m->part.text, m->part.count);
    if (!parent || !part || !text)
        return false;
    *tree = (struct xpd_part_tree){parent, part, m->count, text, m->part.count};
    return true;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    enum { FIRST = 1024 };
    (void)detail;
    struct xpd_path_table *paths = table;
    const struct xpd_words *words = xpd_table_words(ctx, err);
    struct maker m = {.arena = arena, .count = 1, .capacity = FIRST};
    m.parent = calloc(FIRST, sizeof *m.parent);
    m.part_of = calloc(FIRST, sizeof *m.part_of);
    xpd_intern_init(&m.part, arena);
    bool ok = words && m.parent && m.part_of && plant_all(&m, paths, words, ctx->hlo) &&
              !m.part.failed && !m.edge.failed && keep(&m, &paths->tree);
    xpd_intern_fini(&m.part);
    xpd_map64_fini(&m.edge);
    free(m.parent);
    free(m.part_of);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_path_table *xpd_table_paths(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_PATHS, 0, false, sizeof(struct xpd_path_table), make, err);
}

/* ---- a pattern on it ---- */

const uint8_t *xpd_paths_found(const struct xpd_path_table *paths, struct xpd_match *match,
                               struct xpd_arena *arena)
{
    struct xpd_dfa *dfa = xpd_match_dfa(match);
    uint8_t *found = dfa ? xpd_arena_bytes(arena, paths->tree.count) : NULL;
    if (!found || !xpd_dfa_parts(dfa, &paths->tree, arena, found))
        return NULL;
    found[0] = 0; /* a text that is not there matches nothing */
    return found;
}
