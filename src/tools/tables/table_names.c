/* A tree of names. In: a module. Out: its nodes level by level, where the name of each instruction
 * ends (its last byte is no node, as most stand in one name alone), and the shape indexes of
 * buffers.
 *
 * Names in order of the alphabet share their beginnings with the one before. How many bytes each
 * adds on which level tells where the nodes of a level lie; then they are filled in. */
#include "table_names.h"

#include "xprofd/memory/held.h"

struct entry {
    uint64_t head; /* the first eight bytes, the first one highest: most names differ in them */
    const char *text;
    uint32_t size, instruction;
};

struct maker {
    const struct xpd_tool_ctx *ctx;
    struct xpd_arena *arena; /* of the table */
    struct xpd_arena scratch;
    struct entry *entry; /* of instructions with a name */
    uint32_t entries;
    uint32_t *stem, *of_buffer, *index_of;
    uint8_t *last; /* byte of the name, by instruction */
    bool odd;
};

/* ---- names in order ---- */

static int by_text(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return strcmp(x->text, y->text);
}

static bool add_name(struct maker *m, uint32_t instruction)
{
    struct xpd_str name = xpd_tools_instruction_name(m->ctx->hlo, instruction);
    if (name.size == 0)
        return true;
    m->odd |= name.size > XPD_DFA_TEXT_MAX || memchr(name.data, '\0', name.size);
    char *text = m->odd ? NULL : xpd_arena_strndup(&m->scratch, name.data, name.size);
    if (!text)
        return m->odd;
    struct entry entry = {0, text, (uint32_t)name.size, instruction};
    for (size_t i = 0; i < name.size; i++)
        text[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
    for (size_t i = 0; i < sizeof entry.head; i++)
        entry.head = entry.head << 8 | (i < name.size ? (uint8_t)text[i] : 0);
    m->entry[m->entries++] = entry;
    return true;
}

static bool sort_names(struct maker *m)
{
    uint32_t n = m->ctx->hlo->instructions.count;
    m->entry = XPD_NEW_ARRAY(&m->scratch, struct entry, n);
    bool ok = m->entry != NULL;
    for (uint32_t i = 0; ok && i < n && !m->odd; i++)
        ok = add_name(m, i);
    if (ok && !m->odd)
        qsort(m->entry, m->entries, sizeof *m->entry, by_text);
    return ok;
}

/* ---- the tree ---- */

/* How many bytes an entry begins with as the one before does but for its last. */
static uint32_t shared(const struct maker *m, uint32_t i)
{
    const struct entry *entry = &m->entry[i];
    uint32_t same = 0;
    while (i > 0 && same < entry->size && same + 1 < entry[-1].size &&
           entry->text[same] == entry[-1].text[same])
        same++;
    return same;
}

/* next[length]: the first node of that length; returns how many nodes there are. */
static uint64_t place_levels(const struct maker *m, uint32_t next[XPD_DFA_TEXT_MAX + 1])
{
    uint64_t count[XPD_DFA_TEXT_MAX + 1] = {1}, total = 0;
    for (uint32_t i = 0; i < m->entries; i++)
        for (uint32_t length = shared(m, i) + 1; length < m->entry[i].size; length++)
            count[length]++;
    for (uint32_t length = 0; length <= XPD_DFA_TEXT_MAX; length++) {
        next[length] = (uint32_t)total;
        total += count[length];
    }
    return total;
}

static bool make_tree(struct maker *m, struct xpd_text_tree *tree)
{
    uint32_t next[XPD_DFA_TEXT_MAX + 1];
    uint64_t count = place_levels(m, next);
    if (count >= UINT32_MAX) {
        m->odd = true;
        return true;
    }
    uint32_t *parent = XPD_NEW_ARRAY(m->arena, uint32_t, count);
    uint8_t *byte = xpd_arena_bytes(m->arena, count);
    if (!parent || !byte)
        return false;
    next[0] = 1;
    byte[0] = 0;
    for (uint32_t i = 0; i < m->entries; i++) {
        const struct entry *entry = &m->entry[i];
        for (uint32_t length = shared(m, i) + 1; length < entry->size; length++) {
            parent[next[length]] = next[length - 1] - 1;
            byte[next[length]++] = (uint8_t)entry->text[length - 1];
        }
        m->stem[entry->instruction] = next[entry->size - 1] - 1;
        m->last[entry->instruction] = (uint8_t)entry->text[entry->size - 1];
    }
    *tree = (struct xpd_text_tree){parent,  byte,    (uint32_t)count,
                                   m->stem, m->last, m->ctx->hlo->instructions.count};
    return true;
}

/* ---- buffers ---- */

static bool find_indexes(struct maker *m, struct xpd_name_table *table)
{
    const struct xpd_hlo *hlo = m->ctx->hlo;
    struct xpd_names texts;
    xpd_names_init(&texts, m->arena);
    for (uint32_t i = 0; i < hlo->buffers.count && !m->odd; i++) {
        uint32_t instruction = m->ctx->mem->buffer[i].instruction;
        m->of_buffer[i] = XPD_NO_INDEX;
        if (instruction == XPD_NO_INDEX || m->last[instruction] == 0)
            continue;
        xpd_strbuf_clear(&texts.scratch);
        xpd_mem_buffer_index(&texts.scratch, m->ctx->mem, i);
        struct xpd_str index = {texts.scratch.data, texts.scratch.size};
        m->odd = xpd_tools_instruction_name(hlo, instruction).size + index.size > XPD_DFA_TEXT_MAX;
        m->of_buffer[i] = instruction;
        m->index_of[i] = xpd_names_put(&texts, index);
    }
    struct xpd_str *text = XPD_NEW_ARRAY(m->arena, struct xpd_str, texts.table.count);
    bool ok = text && !texts.table.failed && !texts.scratch.failed;
    if (ok)
        memcpy(text, texts.table.text, texts.table.count * sizeof *text);
    table->index = text;
    table->index_count = texts.table.count;
    xpd_names_fini(&texts);
    return ok;
}

static bool make_all(struct maker *m, struct xpd_name_table *table)
{
    const struct xpd_hlo *hlo = m->ctx->hlo;
    m->stem = XPD_NEW_ARRAY(m->arena, uint32_t, hlo->instructions.count);
    m->last = XPD_NEW_ARRAY(m->arena, uint8_t, hlo->instructions.count);
    m->of_buffer = XPD_NEW_ARRAY(m->arena, uint32_t, hlo->buffers.count);
    m->index_of = XPD_NEW_ARRAY(m->arena, uint32_t, hlo->buffers.count);
    table->of_buffer = m->of_buffer;
    table->index_of = m->index_of;
    return m->stem && m->last && m->of_buffer && m->index_of && sort_names(m) &&
           (m->odd || make_tree(m, &table->tree)) && (m->odd || find_indexes(m, table));
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_name_table *names = table;
    struct maker m = {.ctx = ctx, .arena = arena};
    bool ok = make_all(&m, names);
    names->odd = m.odd;
    xpd_arena_fini(&m.scratch);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_name_table *xpd_table_names(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_NAMES, 0, false, sizeof(struct xpd_name_table), make, err);
}
