/* Words of each instruction. In: a module. Out: columns by instruction. */
#include "table_words.h"

struct columns {
    xpd_name_id *op_name;
    uint32_t *source;
    uint8_t *group;
    int64_t *color;
};

/* Index of "file:line" of an instruction; places seen before are known by file and line. */
static uint32_t source_index(struct xpd_names *names, struct xpd_map64 *seen,
                             const struct xpd_hlo *hlo, uint32_t instruction,
                             const struct xpd_source_info *info)
{
    if (info->file.size == 0)
        return 0;
    uint32_t file = xpd_intern_find(&hlo->names, info->file);
    uint64_t key = (uint64_t)file << 32 | (uint32_t)info->line;
    uint32_t index = xpd_map64_get(seen, key);
    if (index != XPD_NO_INDEX)
        return index;
    xpd_strbuf_clear(&names->scratch);
    xpd_tools_source(&names->scratch, hlo, instruction);
    index = xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
    xpd_map64_put(seen, key, index);
    return index;
}

static void fill(struct columns *columns, struct xpd_names *names, struct xpd_map64 *seen,
                 const struct xpd_hlo *hlo)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    struct xpd_source_info info;
    for (uint32_t i = 0; i < all->count; i++) {
        xpd_source_of(hlo, i, &info);
        columns->op_name[i] = all->op_name[i]           ? all->op_name[i]
                              : all->op_name[info.from] ? all->op_name[info.from]
                                                        : xpd_scope_name_of(hlo, i);
        columns->source[i] = source_index(names, seen, hlo, i, &info);
        columns->group[i] = (uint8_t)xpd_op_group_of(hlo, i);
    }
}

static void fill_colors(int64_t *color, const struct xpd_mem *mem)
{
    for (uint32_t i = 0; i < mem->hlo->buffers.count; i++)
        color[i] = xpd_tools_color_of(mem, i);
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_words *words = table;
    uint32_t n = ctx->hlo->instructions.count;
    struct columns columns = {XPD_NEW_ARRAY(arena, xpd_name_id, n),
                              XPD_NEW_ARRAY(arena, uint32_t, n), XPD_NEW_ARRAY(arena, uint8_t, n),
                              XPD_NEW_ARRAY(arena, int64_t, ctx->hlo->buffers.count)};
    struct xpd_map64 seen = {0};
    struct xpd_names names;
    xpd_names_init(&names, arena);
    bool ok =
        columns.op_name && columns.source && columns.group && columns.color && !names.table.failed;
    if (ok) {
        fill(&columns, &names, &seen, ctx->hlo);
        fill_colors(columns.color, ctx->mem);
        struct xpd_str *text = XPD_NEW_ARRAY(arena, struct xpd_str, names.table.count);
        ok = text && !names.table.failed && !names.scratch.failed && !seen.failed;
        if (ok)
            memcpy(text, names.table.text, names.table.count * sizeof *text);
        *words = (struct xpd_words){columns.op_name,   columns.source, text,
                                    names.table.count, columns.color,  columns.group};
    }
    xpd_names_fini(&names);
    xpd_map64_fini(&seen);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_words *xpd_table_words(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_WORDS, 0, false, sizeof(struct xpd_words), make, err);
}

const struct xpd_words *xpd_table_words_made(const struct xpd_tool_ctx *ctx)
{
    return xpd_table_made(ctx, XPD_TABLE_WORDS, 0, false);
}
