/* Fields about instructions, by key. In: indexes of instructions. Out: structs of records. */
#include "graph_rows.h"

#include <assert.h>

int xpd_graph_ask_init(struct xpd_graph_ask *ask, const struct xpd_tool_ctx *ctx,
                       struct xpd_err *err)
{
    struct xpd_err own = {0};
    *ask = (struct xpd_graph_ask){.ctx = ctx, .hlo = ctx->hlo};
    ask->index = xpd_table_graph(ctx, &own);
    ask->costs = ask->index ? xpd_tools_costs(ctx, &own) : NULL;
    if (!ask->costs && err)
        *err = own;
    return ask->costs ? XPD_OK : own.code != XPD_OK ? own.code : XPD_ENOMEM;
}

void xpd_graph_ask_fini(struct xpd_graph_ask *ask)
{
    xpd_strbuf_fini(&ask->scratch);
}

int xpd_graph_answer(const struct xpd_tool_ctx *ctx, const struct xpd_record *record,
                     int (*fill)(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err),
                     const void **out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    void *answer = xpd_arena_calloc(ctx->arena, 1, record->size);
    if (!answer)
        return xpd_tools_no_memory(err);
    int rc = xpd_graph_ask_init(&ask, ctx, err);
    if (rc == XPD_OK)
        rc = fill(&ask, answer, err);
    xpd_graph_ask_fini(&ask);
    *out = answer;
    return rc;
}

/* ---- fields of records ---- */

/* The largest array of a shape; tuples are taken apart to a fixed depth. */
static const struct xpd_shape *largest(const struct xpd_shape *shape, int depth)
{
    enum { DEPTH_MAX = 16 };
    const struct xpd_shape *best = NULL;
    if (shape->type != XPD_TYPE_TUPLE)
        return shape;
    for (uint32_t k = 0; k < shape->element_count && depth < DEPTH_MAX; k++) {
        const struct xpd_shape *one = largest(&shape->element[k], depth + 1);
        if (one && (!best || xpd_shape_bytes(one) > xpd_shape_bytes(best)))
            best = one;
    }
    return best;
}

struct xpd_str xpd_graph_name(const struct xpd_graph_ask *ask, uint32_t i)
{
    return xpd_hlo_text(ask->hlo, ask->hlo->instructions.name[i]);
}

struct xpd_str xpd_graph_shape(struct xpd_graph_ask *ask, const struct xpd_shape *shape)
{
    xpd_shape_text(&ask->scratch, shape, true);
    return xpd_strbuf_keep(&ask->scratch, ask->ctx->arena);
}

int64_t xpd_graph_head_line(const struct xpd_graph_ask *ask, uint32_t computation)
{
    uint32_t line = computation != XPD_NO_INDEX ? ask->index->head_line[computation] : 0;
    return line ? (int64_t)line : -1;
}

static struct xpd_str kind_of(struct xpd_graph_ask *ask, uint32_t i)
{
    return xpd_hlo_text(ask->hlo, ask->hlo->instructions.fusion_kind[i]);
}

static struct xpd_str opcode_of(struct xpd_graph_ask *ask, uint32_t i)
{
    return xpd_hlo_text(ask->hlo, ask->hlo->instructions.opcode[i]);
}

static struct xpd_str name_of(struct xpd_graph_ask *ask, uint32_t i)
{
    return xpd_graph_name(ask, i);
}

static struct xpd_str op_name_of(struct xpd_graph_ask *ask, uint32_t i)
{
    return xpd_hlo_op_name(ask->hlo, i);
}

static struct xpd_str label_of(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_view_parameter_path(&ask->scratch, ask->index, i);
    return xpd_strbuf_keep(&ask->scratch, ask->ctx->arena);
}

static struct xpd_str shape_of(struct xpd_graph_ask *ask, uint32_t i)
{
    return xpd_graph_shape(ask, ask->hlo->instructions.shape[i]);
}

static struct xpd_str space_of(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_shape *shape = largest(ask->hlo->instructions.shape[i], 0);
    char scratch[32];
    if (!shape || shape->type == XPD_TYPE_TOKEN)
        return XPD_STR("");
    int64_t space = shape->layout ? shape->layout->memory_space : 0;
    const char *word = xpd_space_name(ask->ctx->run->platform, space, scratch);
    if (word != scratch)
        return xpd_str_of(word);
    /* a space without a name: as the text of the program writes it */
    xpd_strbuf_printf(&ask->scratch, "S(%" PRId64 ")", space);
    return xpd_strbuf_keep(&ask->scratch, ask->ctx->arena);
}

/* "8192×4096×1024" or "" */
static struct xpd_str matmul_of(struct xpd_graph_ask *ask, uint32_t i)
{
    uint32_t at = ask->costs->matmul[i];
    if (at == XPD_NO_INDEX)
        return XPD_STR("");
    const struct xpd_matmul *matmul = &ask->costs->matmuls[at];
    if (matmul->batch > 1)
        xpd_strbuf_printf(&ask->scratch, "%" PRId64 "·", matmul->batch);
    xpd_strbuf_printf(&ask->scratch, "%" PRId64 "×%" PRId64 "×%" PRId64, matmul->m, matmul->n,
                      matmul->k);
    return xpd_strbuf_keep(&ask->scratch, ask->ctx->arena);
}

/* "all-reduce" or "" */
static struct xpd_str collective_of(struct xpd_graph_ask *ask, uint32_t i)
{
    uint32_t at = ask->costs->collective[i];
    return at != XPD_NO_INDEX ? opcode_of(ask, at) : XPD_STR("");
}

static struct xpd_str computation_of(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_hlo *hlo = ask->hlo;
    return xpd_hlo_text(hlo, hlo->computations.name[hlo->instructions.computation[i]]);
}

static const char *group_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    return xpd_op_group_word((enum xpd_op_group)ask->index->group[i]);
}

static const char *scheme_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    return xpd_graph_scheme_word(xpd_graph_scheme_plain(ask->index, i));
}

static int64_t id_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    return ask->hlo->instructions.id[i];
}

static int64_t bytes_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    return ask->index->bytes[i];
}

static int64_t elements_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    return xpd_shape_elements(ask->hlo->instructions.shape[i]);
}

static int64_t line_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    return ask->index->line[i] ? (int64_t)ask->index->line[i] : -1;
}

static int64_t cycles_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    return ask->costs->cycles[i];
}

static int64_t flops_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    return ask->costs->flops[i];
}

static int64_t moved_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    return ask->costs->bytes[i];
}

static bool root_of(const struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_hlo *hlo = ask->hlo;
    return hlo->computations.root[hlo->instructions.computation[i]] == i;
}

/* By key; one of the functions says what. */
static const struct known {
    const char *key;
    struct xpd_str (*text)(struct xpd_graph_ask *ask, uint32_t i);
    int64_t (*number)(const struct xpd_graph_ask *ask, uint32_t i);
    const char *(*word)(const struct xpd_graph_ask *ask, uint32_t i);
    bool (*truth)(const struct xpd_graph_ask *ask, uint32_t i);
} known[] = {{.key = "name", .text = name_of},
             {.key = "opcode", .text = opcode_of},
             {.key = "kind", .text = kind_of},
             {.key = "op_name", .text = op_name_of},
             {.key = "label", .text = label_of},
             {.key = "shape", .text = shape_of},
             {.key = "space", .text = space_of},
             {.key = "matmul", .text = matmul_of},
             {.key = "collective", .text = collective_of},
             {.key = "computation", .text = computation_of},
             {.key = "id", .number = id_of},
             {.key = "size_bytes", .number = bytes_of},
             {.key = "elements", .number = elements_of},
             {.key = "line", .number = line_of},
             {.key = "cycles", .number = cycles_of},
             {.key = "flops", .number = flops_of},
             {.key = "moved_bytes", .number = moved_of},
             {.key = "group", .word = group_of},
             {.key = "scheme", .word = scheme_of},
             {.key = "is_root", .truth = root_of},
             {.key = "ix"}};

static const struct known *known_of(const char *key)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].key, key) == 0)
            return &known[k];
    return NULL;
}

static void fill_one(struct xpd_graph_ask *ask, const struct known *as, void *at, uint32_t i)
{
    if (as->text)
        *(struct xpd_str *)at = as->text(ask, i);
    else if (as->number)
        *(int64_t *)at = as->number(ask, i);
    else if (as->word)
        *(const char **)at = as->word(ask, i);
    else if (as->truth)
        *(bool *)at = as->truth(ask, i);
    else
        *(uint32_t *)at = i;
}

static bool is_kind(const struct known *as, enum xpd_kind kind)
{
    return as->text     ? kind == XPD_TEXT
           : as->number ? kind == XPD_INT || kind == XPD_SIGNED || kind == XPD_BIG
           : as->word   ? kind == XPD_WORD
           : as->truth  ? kind == XPD_BOOL
                        : kind == XPD_INDEX;
}

void xpd_graph_fill(struct xpd_graph_ask *ask, const struct xpd_record *record, void *rows,
                    const uint32_t *instruction, uint32_t count)
{
    for (uint32_t k = 0; k < record->count; k++) {
        const struct known *as = known_of(record->field[k].key);
        char *at = (char *)rows + record->field[k].offset;
        if (!as)
            continue;
        assert(is_kind(as, record->field[k].kind));
        (void)is_kind;
        for (uint32_t row = 0; row < count; row++, at += record->size)
            fill_one(ask, as, at, instruction[row]);
    }
}

void *xpd_graph_rows(struct xpd_graph_ask *ask, const struct xpd_record *record,
                     const uint32_t *instruction, uint32_t count)
{
    void *rows = xpd_arena_calloc(ask->ctx->arena, count, record->size);
    if (rows)
        xpd_graph_fill(ask, record, rows, instruction, count);
    return rows;
}
