/* Groups of the buffer table. In: the rows that matched. Out: one line a group, largest first, with
 * what the peak would lose without the whole group, for as many groups as a bounded effort allows.
 */
#include "table_buffers.h"
#include "xprofd/base/checked.h"
#include "xprofd/memory/scopes.h"

#define GROUPS_MAX  500
#define SAVINGS_MAX 200
#define SAVING_STEPS                                                                               \
    20000000 /* steps looked at over all groups: each set takes one pass over the curve */

enum by { BY_NONE, BY_SCOPE, BY_SOURCE, BY_OPCODE, BY_DTYPE, BY_CLASS, BY_GROUP, BY_SHAPE };

static uint32_t scope_of(const struct xpd_buffer_table *table, struct xpd_names *names,
                         const struct xpd_buffer_row *row)
{
    struct xpd_str part[XPD_SCOPE_PARTS];
    uint32_t n = xpd_mem_scope_parts(table->ctx->mem, row->buffer, row->mem_class, part);
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
    uint32_t instruction = xpd_mem_instruction(ctx->mem, row->buffer);
    char scratch[16];
    switch (by) {
    case BY_SCOPE: return scope_of(table, names, row);
    case BY_SOURCE:
        xpd_strbuf_clear(&names->scratch);
        xpd_source_put_of(&names->scratch, ctx->hlo, instruction);
        return xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
    case BY_OPCODE: return xpd_names_kept(names, xpd_hlo_opcode(ctx->hlo, instruction));
    case BY_DTYPE:
        return xpd_names_put(names, xpd_str_of(xpd_mem_dtype(ctx->mem, row->buffer, scratch)));
    case BY_CLASS: return xpd_names_word(names, xpd_mem_class_word(row->mem_class));
    case BY_GROUP: return xpd_names_word(names, xpd_hlo_group_word(ctx->hlo, instruction));
    case BY_SHAPE: return xpd_names_buffer_shape(names, ctx->mem, row->buffer);
    default: return 0;
    }
}

/* Groups of equal bytes stand in the order of their first rows, the one without a name first. */
static int by_bytes(const void *a, const void *b)
{
    const struct xpd_buffer_group *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_saving(const void *a, const void *b)
{
    const struct xpd_buffer_group *x = a, *y = b;
    if (x->saving != y->saving)
        return x->saving < y->saving ? 1 : -1;
    return by_bytes(a, b);
}

/* One group for each name that occurs. `name`: of each row, below `names`; 0 is "". */
static bool count_groups(struct xpd_buffer_table *table, const uint32_t *name, uint32_t names)
{
    struct xpd_arena *arena = table->ctx->arena;
    uint32_t *group_of = XPD_NEW_ARRAY(arena, uint32_t, names); /* group + 1 */
    table->group =
        XPD_NEW_ARRAY(arena, struct xpd_buffer_group, table->count < names ? table->count : names);
    if (!group_of || !table->group)
        return false;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct xpd_buffer_row *row = xpd_buffer_table_row(table, i);
        if (group_of[name[i]] == 0) {
            table->group[table->group_count] = (struct xpd_buffer_group){
                .name = name[i], .place = name[i] ? i + 1 : 0, .saving = -1};
            group_of[name[i]] = ++table->group_count;
        }
        struct xpd_buffer_group *group = &table->group[group_of[name[i]] - 1];
        group->count++;
        xpd_grow_i64(&group->bytes, row->size_bytes);
        group->padding += xpd_buffer_row_padding(row);
    }
    return true;
}

/* What the peak loses without the first groups, each as a whole. */
static bool add_savings(struct xpd_buffer_table *table, const uint32_t *name, uint32_t names)
{
    const struct xpd_tool_ctx *ctx = table->ctx;
    uint32_t steps = ctx->space->step_count;
    uint32_t most = steps ? SAVING_STEPS / steps + 1 : SAVINGS_MAX, total = 0;
    most = most < SAVINGS_MAX ? most : SAVINGS_MAX;
    most = most < table->group_count ? most : table->group_count;
    uint32_t *group_of = XPD_NEW_ARRAY(ctx->arena, uint32_t, names); /* group + 1 */
    uint32_t *end = XPD_NEW_ARRAY(ctx->arena, uint32_t, most);
    for (uint32_t i = 0; group_of && end && i < most; i++) {
        group_of[table->group[i].name] = i + 1;
        end[i] = total;
        total += table->group[i].count;
    }
    uint32_t *list = XPD_NEW_ARRAY(ctx->arena, uint32_t, total);
    if (!group_of || !end || !list)
        return false;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t buffer = xpd_buffer_table_row(table, i)->buffer;
        if (group_of[name[i]] != 0 && buffer != XPD_NO_INDEX)
            list[end[group_of[name[i]] - 1]++] = buffer;
    }
    for (uint32_t i = 0, first = 0; i < most; first += table->group[i++].count)
        table->group[i].saving = end[i] > first ? xpd_saving(ctx->mem, ctx->space, list + first,
                                                             end[i] - first, NULL, NULL, ctx->arena)
                                                : 0;
    return true;
}

static bool group_by_name(struct xpd_buffer_table *table, const uint32_t *name, uint32_t names)
{
    if (!count_groups(table, name, names))
        return false;
    if (table->group_count > 1)
        qsort(table->group, table->group_count, sizeof *table->group, by_bytes);
    if (table->group_count > GROUPS_MAX) {
        table->groups_left_out = table->group_count - GROUPS_MAX;
        table->group_count = GROUPS_MAX;
    }
    return add_savings(table, name, names);
}

/* ---- all rows of a space ---- */

static int make_groups(struct xpd_row_groups *groups, struct xpd_arena *arena,
                       struct xpd_names *names, struct xpd_buffer_table *table, enum by by,
                       struct xpd_err *err)
{
    uint32_t *name = XPD_NEW_ARRAY(arena, uint32_t, table->count);
    if (!name)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < table->count; i++)
        name[i] = name_of(table, names, by, xpd_buffer_table_row(table, i));
    uint32_t count = names->table.count;
    struct xpd_str *text = XPD_NEW_ARRAY(arena, struct xpd_str, count);
    if (!text || names->table.failed || names->scratch.failed || !group_by_name(table, name, count))
        return xpd_tools_no_memory(err);
    memcpy(text, names->table.text, count * sizeof *text);
    struct xpd_buffer_group *group =
        XPD_NEW_ARRAY(arena, struct xpd_buffer_group, table->group_count);
    if (!group)
        return xpd_tools_no_memory(err);
    if (table->group_count > 0)
        memcpy(group, table->group, table->group_count * sizeof *group);
    *groups = (struct xpd_row_groups){
        name, text, count, group, table->group_count, table->groups_left_out};
    return XPD_OK;
}

static int make(void *made, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    const struct xpd_all_rows *all = xpd_table_rows(ctx, err);
    if (!all)
        return XPD_ENOMEM;
    struct xpd_arena scratch;
    struct xpd_tool_ctx own = *ctx;
    struct xpd_buffer_table table = {.ctx = &own, .row = all->row, .count = all->count};
    struct xpd_names names;
    xpd_arena_init(&scratch, ctx->arena->budget_bytes);
    own.arena = &scratch;
    xpd_names_init(&names, arena);
    int rc = make_groups(made, arena, &names, &table, (enum by)detail, err);
    xpd_names_fini(&names);
    xpd_arena_fini(&scratch);
    return rc;
}

const struct xpd_row_groups *xpd_table_groups(const struct xpd_tool_ctx *ctx, uint32_t by,
                                              struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_GROUPS, by, true, sizeof(struct xpd_row_groups), make, err);
}

/* ---- the groups of an answer ---- */

/* Of rows taken from all: their names are known. */
static int group_known(struct xpd_buffer_table *table, struct xpd_names *names, uint32_t by,
                       struct xpd_err *err)
{
    const struct xpd_row_groups *groups = xpd_table_groups(table->ctx, by, err);
    if (!groups)
        return XPD_ENOMEM;
    if (table->pick) {
        uint32_t *name = XPD_NEW_ARRAY(table->ctx->arena, uint32_t, table->count);
        for (uint32_t i = 0; name && i < table->count; i++)
            name[i] = groups->name_of[table->pick[i]];
        if (!name || !group_by_name(table, name, groups->text_count))
            return xpd_tools_no_memory(err);
    } else {
        table->group =
            XPD_NEW_ARRAY(table->ctx->arena, struct xpd_buffer_group, groups->group_count);
        if (!table->group)
            return xpd_tools_no_memory(err);
        memcpy(table->group, groups->group, groups->group_count * sizeof *table->group);
        table->group_count = groups->group_count;
        table->groups_left_out = groups->left_out;
    }
    for (uint32_t i = 0; i < table->group_count; i++)
        table->group[i].name = xpd_names_kept(names, groups->text[table->group[i].name]);
    return XPD_OK;
}

/* Of what is held at a step. */
static int group_held(struct xpd_buffer_table *table, struct xpd_names *names, enum by by,
                      struct xpd_err *err)
{
    uint32_t *name = XPD_NEW_ARRAY(table->ctx->arena, uint32_t, table->count);
    for (uint32_t i = 0; name && i < table->count; i++)
        name[i] = name_of(table, names, by, xpd_buffer_table_row(table, i));
    return name && group_by_name(table, name, names->table.count) ? XPD_OK
                                                                  : xpd_tools_no_memory(err);
}

int xpd_buffers_group(struct xpd_buffer_table *table, int by, struct xpd_names *names,
                      struct xpd_err *err)
{
    if (by <= BY_NONE || table->count == 0)
        return XPD_OK;
    int rc = table->all ? group_known(table, names, (uint32_t)by, err)
                        : group_held(table, names, (enum by)by, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_str sort = xpd_param_text(table->ctx, "sort");
    if ((sort.size == 0 || xpd_str_eq(sort, XPD_STR("saving"))) && table->group_count > 1)
        qsort(table->group, table->group_count, sizeof *table->group, by_saving);
    return XPD_OK;
}
