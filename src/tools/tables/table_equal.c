/* Groups of equal buffers. In: a module. Out: the group of each buffer, and its members.
 *
 * Each property becomes a small number in order of appearance, two numbers together become one, and
 * so on until one is left. */
#include "table_equal.h"
#include "table_words.h"

struct numbers { /* key -> 0, 1, 2, ... in order of appearance */
    struct xpd_map64 map;
};

static uint32_t number_of(struct numbers *numbers, uint64_t key)
{
    uint32_t number = xpd_map64_get(&numbers->map, key);
    if (number != XPD_NO_INDEX)
        return number;
    number = numbers->map.count;
    xpd_map64_put(&numbers->map, key, number);
    return number;
}

static uint64_t pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

struct grouper {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_words *words;
    struct xpd_names paths, dims;
    uint32_t *path_of;        /* by name of the module: + 1, 0 = not looked at */
    struct xpd_map64 dims_of; /* by address of the shape */
    struct numbers size, color, kind, what, group;
};

/* The op name with each number as one digit. */
static uint32_t path_of(struct grouper *g, uint32_t buffer)
{
    uint32_t instruction = g->ctx->hlo->buffers.instruction[buffer];
    xpd_name_id id = instruction == XPD_NO_INDEX ? 0 : g->words->op_name[instruction];
    if (g->path_of[id] != 0)
        return g->path_of[id] - 1;
    struct xpd_str text = xpd_hlo_text(g->ctx->hlo, id);
    bool in_number = false;
    xpd_strbuf_clear(&g->paths.scratch);
    for (size_t i = 0; i < text.size; i++) {
        bool digit = text.data[i] >= '0' && text.data[i] <= '9';
        if (!digit || !in_number)
            xpd_strbuf_putc(&g->paths.scratch, digit ? '0' : text.data[i]);
        in_number = digit;
    }
    g->path_of[id] = 1 + xpd_names_put(&g->paths, (struct xpd_str){g->paths.scratch.data,
                                                                   g->paths.scratch.size});
    return g->path_of[id] - 1;
}

/* Element type and dimensions. */
static uint32_t dims_of(struct grouper *g, const struct xpd_shape *shape)
{
    uint32_t known = xpd_map64_get(&g->dims_of, (uint64_t)(uintptr_t)shape);
    if (known != XPD_NO_INDEX)
        return known;
    struct xpd_strbuf *out = &g->dims.scratch;
    xpd_strbuf_clear(out);
    xpd_strbuf_i64(out, shape->type);
    xpd_strbuf_putc(out, ':');
    xpd_strbuf_i64(out, shape->rank);
    for (uint32_t i = 0; i < shape->rank; i++) {
        xpd_strbuf_putc(out, ',');
        xpd_strbuf_i64(out, shape->dims[i]);
    }
    known = xpd_names_put(&g->dims, (struct xpd_str){out->data, out->size});
    xpd_map64_put(&g->dims_of, (uint64_t)(uintptr_t)shape, known);
    return known;
}

static uint32_t group_of(struct grouper *g, uint32_t i)
{
    const struct xpd_mem_buffer *buffer = &g->ctx->mem->buffer[i];
    uint32_t size = number_of(&g->size, (uint64_t)buffer->size_bytes);
    uint32_t color = number_of(&g->color, (uint64_t)g->words->color[i]);
    uint32_t kind = number_of(&g->kind, pair(color, buffer->mem_class));
    uint32_t what = number_of(&g->what, pair(path_of(g, i), dims_of(g, buffer->shape)));
    uint32_t both = number_of(&g->group, pair(what, size));
    return number_of(&g->group, UINT64_C(1) << 63 | pair(both, kind));
}

/* Members in order of buffers: counts become ends, and ends become starts as members go in from
 * the last. */
static void fill_members(const uint32_t *group, uint32_t count, uint32_t *first, uint32_t *member)
{
    for (uint32_t i = 0; i < count; i++)
        first[group[i]]++;
    for (uint32_t i = 0; i < count; i++)
        first[i + 1] += first[i];
    for (uint32_t i = count; i-- > 0;)
        member[--first[group[i]]] = i;
}

static bool fill(struct xpd_equals *equals, struct grouper *g, struct xpd_arena *arena)
{
    uint32_t count = g->ctx->hlo->buffers.count;
    uint32_t *group = XPD_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)count + 1);
    uint32_t *member = XPD_NEW_ARRAY(arena, uint32_t, count);
    struct numbers final = {0};
    if (!group || !first || !member)
        return false;
    for (uint32_t i = 0; i < count; i++)
        group[i] = number_of(&final, group_of(g, i));
    fill_members(group, count, first, member);
    *equals = (struct xpd_equals){group, first, member};
    bool ok = !final.map.failed;
    xpd_map64_fini(&final.map);
    return ok;
}

static bool close_grouper(struct grouper *g)
{
    struct numbers *all[] = {&g->size, &g->color, &g->kind, &g->what, &g->group};
    bool ok = !g->dims_of.failed && !g->paths.table.failed && !g->dims.table.failed &&
              !g->paths.scratch.failed && !g->dims.scratch.failed;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ok = ok && !all[i]->map.failed;
        xpd_map64_fini(&all[i]->map);
    }
    xpd_map64_fini(&g->dims_of);
    xpd_names_fini(&g->paths);
    xpd_names_fini(&g->dims);
    return ok;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    struct grouper g = {.ctx = ctx, .words = xpd_table_words(ctx, err)};
    struct xpd_arena scratch;
    (void)detail;
    if (!g.words)
        return XPD_ENOMEM;
    xpd_arena_init(&scratch, ctx->arena->budget_bytes);
    xpd_names_init(&g.paths, &scratch);
    xpd_names_init(&g.dims, &scratch);
    g.path_of = XPD_NEW_ARRAY(&scratch, uint32_t, ctx->hlo->names.count);
    bool ok = g.path_of && fill(table, &g, arena);
    ok = close_grouper(&g) && ok;
    xpd_arena_fini(&scratch);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_equals *xpd_table_equals(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_EQUAL, 0, false, sizeof(struct xpd_equals), make, err);
}
