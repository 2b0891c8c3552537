/* Groups of the buffer table. In: the rows that matched. Out: one line a group, largest first, with
 * what the peak would lose without the whole group, for as many groups as a bounded effort allows.
 */
#include "buffer_table.h"
#include "xprofd/base/checked.h"

#define GROUPS_MAX  500
#define SAVINGS_MAX 200
#define SAVING_STEPS                                                                               \
    20000000 /* steps looked at over all groups: each set takes one pass over the curve */

enum by { BY_NONE, BY_SCOPE, BY_SOURCE, BY_OPCODE, BY_DTYPE, BY_CLASS, BY_GROUP, BY_SHAPE };

static uint32_t scope_of(const struct xpd_buffer_table *table, struct xpd_names *names,
                         const struct xpd_buffer_row *row)
{
    struct xpd_str part[XPD_SCOPE_PARTS];
    uint32_t n =
        xpd_tools_scope_parts(table->ctx->mem, row->buffer, row->mem_class, part, XPD_SCOPE_PARTS);
    xpd_strbuf_clear(&names->scratch);
    /* the last part is the operation itself */
    for (uint32_t i = 0; i + (n > 1) < n; i++) {
        if (i > 0)
            xpd_strbuf_putc(&names->scratch, '/');
        xpd_strbuf_add(&names->scratch, part[i].data, part[i].size);
    }
    return xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
}

static uint32_t name_of(const struct xpd_buffer_table *table, struct xpd_names *names, enum by by,
                        const struct xpd_buffer_row *row)
{
    const struct xpd_tool_ctx *ctx = table->ctx;
    uint32_t instruction = xpd_tools_instruction(ctx->mem, row->buffer);
    char scratch[16];
    switch (by) {
    case BY_SCOPE: return scope_of(table, names, row);
    case BY_SOURCE:
        xpd_strbuf_clear(&names->scratch);
        xpd_tools_source(&names->scratch, ctx->hlo, instruction);
        return xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
    case BY_OPCODE: return xpd_names_kept(names, xpd_tools_opcode(ctx->hlo, instruction));
    case BY_DTYPE:
        return xpd_names_put(names, xpd_str_of(xpd_tools_dtype(ctx->mem, row->buffer, scratch)));
    case BY_CLASS: return xpd_names_word(names, xpd_mem_class_word(row->mem_class));
    case BY_GROUP: return xpd_names_word(names, xpd_tools_group(ctx->hlo, instruction));
    case BY_SHAPE: return xpd_names_buffer_shape(names, ctx->mem, row->buffer);
    default: return 0;
    }
}

static int by_bytes(const void *a, const void *b)
{
    const struct xpd_buffer_group *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static int by_saving(const void *a, const void *b)
{
    const struct xpd_buffer_group *x = a, *y = b;
    if (x->saving != y->saving)
        return x->saving < y->saving ? 1 : -1;
    return by_bytes(a, b);
}

struct member { /* rows of one group, one after another */
    uint32_t name, buffer;
};

static int by_name(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->name != y->name ? (x->name < y->name ? -1 : 1)
                              : (x->buffer < y->buffer ? -1 : x->buffer > y->buffer);
}

/* `name`: of each row. */
static bool fill_groups(struct xpd_buffer_table *table, const struct member *member,
                        const struct xpd_names *names, const uint32_t *name)
{
    /* per name: group index + 1 */
    uint32_t *group_of = XPD_NEW_ARRAY(table->ctx->arena, uint32_t, (size_t)names->table.count + 1);
    table->group = XPD_NEW_ARRAY(table->ctx->arena, struct xpd_buffer_group, table->count);
    if (!group_of || !table->group)
        return false;
    for (uint32_t i = 0; i < table->count; i++)
        if (i == 0 || member[i].name != member[i - 1].name) {
            table->group[table->group_count] =
                (struct xpd_buffer_group){.name = member[i].name, .first = i, .saving = -1};
            group_of[member[i].name] = ++table->group_count;
        }
    for (uint32_t i = 0; i < table->count; i++) {
        const struct xpd_buffer_row *row = &table->row[i];
        struct xpd_buffer_group *group = &table->group[group_of[name[i]] - 1];
        group->count++;
        xpd_grow_i64(&group->bytes, row->size_bytes);
        group->padding += xpd_buffer_row_padding(row);
    }
    return true;
}

static void add_savings(struct xpd_buffer_table *table, const struct member *member)
{
    const struct xpd_tool_ctx *ctx = table->ctx;
    uint32_t steps = ctx->space->step_count;
    uint32_t most = steps ? SAVING_STEPS / steps + 1 : SAVINGS_MAX;
    uint32_t *list = XPD_NEW_ARRAY(ctx->arena, uint32_t, table->count);
    for (uint32_t i = 0; list && i < table->group_count && i < most && i < SAVINGS_MAX; i++) {
        struct xpd_buffer_group *group = &table->group[i];
        uint32_t n = 0;
        for (uint32_t j = group->first; j < group->first + group->count; j++)
            if (member[j].buffer != XPD_NO_INDEX)
                list[n++] = member[j].buffer;
        group->saving =
            n ? xpd_tools_saving(ctx->mem, ctx->space, list, n, NULL, NULL, ctx->arena) : 0;
    }
}

int xpd_buffers_group(struct xpd_buffer_table *table, struct xpd_names *names, struct xpd_err *err)
{
    int by = xpd_word_index("none scope source opcode dtype class group shape",
                            xpd_param_text(table->ctx, "by"));
    if (by <= BY_NONE || table->count == 0)
        return XPD_OK;
    struct member *member = XPD_NEW_ARRAY(table->ctx->arena, struct member, table->count);
    uint32_t *name = XPD_NEW_ARRAY(table->ctx->arena, uint32_t, table->count);
    if (!member || !name)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < table->count; i++) {
        name[i] = name_of(table, names, (enum by)by, &table->row[i]);
        member[i] = (struct member){name[i], table->row[i].buffer};
    }
    qsort(member, table->count, sizeof *member, by_name);
    if (!fill_groups(table, member, names, name))
        return xpd_tools_no_memory(err);
    qsort(table->group, table->group_count, sizeof *table->group, by_bytes);
    if (table->group_count > GROUPS_MAX) {
        table->groups_left_out = table->group_count - GROUPS_MAX;
        table->group_count = GROUPS_MAX;
    }
    add_savings(table, member);
    struct xpd_str sort = xpd_param_text(table->ctx, "sort");
    if (sort.size == 0 || xpd_str_eq(sort, XPD_STR("saving")))
        qsort(table->group, table->group_count, sizeof *table->group, by_saving);
    return XPD_OK;
}
