/* Columns about instructions, by name. In: indexes of instructions. Out: JSON columns. */
#include "graph_rows.h"

int xpd_graph_ask_init(struct xpd_graph_ask *ask, const struct xpd_tool_ctx *ctx,
                       struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_err own = {0};
    *ask = (struct xpd_graph_ask){.ctx = ctx, .hlo = ctx->hlo};
    xpd_jsonw_init(&ask->w, &out->body);
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

/* ---- values ---- */

static void put_scratch(struct xpd_graph_ask *ask)
{
    xpd_json_str(&ask->w,
                 (struct xpd_str){ask->scratch.data ? ask->scratch.data : "", ask->scratch.size});
}

void xpd_graph_put_id(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_json_i64_string(&ask->w, ask->hlo->instructions.id[i]);
}

void xpd_graph_put_name(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_json_str(&ask->w, xpd_hlo_text(ask->hlo, ask->hlo->instructions.name[i]));
}

void xpd_graph_put_shape(struct xpd_graph_ask *ask, const struct xpd_shape *shape)
{
    xpd_strbuf_clear(&ask->scratch);
    xpd_shape_text(&ask->scratch, shape, true);
    put_scratch(ask);
}

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

void xpd_graph_put_space(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_shape *shape = largest(ask->hlo->instructions.shape[i], 0);
    char scratch[32];
    if (!shape || shape->type == XPD_TYPE_TOKEN) {
        xpd_json_text(&ask->w, "");
        return;
    }
    int64_t space = shape->layout ? shape->layout->memory_space : 0;
    const char *word = xpd_space_name(ask->ctx->run->platform, space, scratch);
    if (word == scratch) /* a space without a name: as the text of the program writes it */
        snprintf(scratch, sizeof scratch, "S(%" PRId64 ")", space);
    xpd_json_text(&ask->w, word);
}

static void put_op_name(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_json_str(&ask->w, xpd_tools_op_name(ask->hlo, i));
}

void xpd_graph_put_label(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_strbuf_clear(&ask->scratch);
    xpd_view_parameter_path(&ask->scratch, ask->index, i);
    put_scratch(ask);
}

static void put_group(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_json_text(&ask->w, xpd_op_group_word((enum xpd_op_group)ask->index->group[i]));
}

/* "8192×4096×1024" or "" */
static void put_matmul(struct xpd_graph_ask *ask, uint32_t i)
{
    uint32_t at = ask->costs->matmul[i];
    xpd_strbuf_clear(&ask->scratch);
    if (at != XPD_NO_INDEX) {
        const struct xpd_matmul *matmul = &ask->costs->matmuls[at];
        if (matmul->batch > 1)
            xpd_strbuf_printf(&ask->scratch, "%" PRId64 "·", matmul->batch);
        xpd_strbuf_printf(&ask->scratch, "%" PRId64 "×%" PRId64 "×%" PRId64, matmul->m, matmul->n,
                          matmul->k);
    }
    put_scratch(ask);
}

/* "all-reduce" or "" */
static void put_collective(struct xpd_graph_ask *ask, uint32_t i)
{
    uint32_t at = ask->costs->collective[i];
    xpd_json_str(&ask->w, at != XPD_NO_INDEX
                              ? xpd_hlo_text(ask->hlo, ask->hlo->instructions.opcode[at])
                              : XPD_STR(""));
}

void xpd_graph_put_line(struct xpd_graph_ask *ask, uint32_t i)
{
    if (ask->index->line[i])
        xpd_json_u64(&ask->w, ask->index->line[i]);
    else
        xpd_json_null(&ask->w);
}

void xpd_graph_put_known(struct xpd_graph_ask *ask, int64_t value)
{
    if (value >= 0)
        xpd_json_i64(&ask->w, value);
    else
        xpd_json_null(&ask->w);
}

/* ---- columns ---- */

static void put_opcode(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_json_str(&ask->w, xpd_hlo_text(ask->hlo, ask->hlo->instructions.opcode[i]));
}

static void put_kind(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_json_str(&ask->w, xpd_hlo_text(ask->hlo, ask->hlo->instructions.fusion_kind[i]));
}

static void put_own_shape(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_graph_put_shape(ask, ask->hlo->instructions.shape[i]);
}

static void put_bytes(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_json_i64(&ask->w, ask->index->bytes[i]);
}

static void put_cycles(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_graph_put_known(ask, ask->costs->cycles[i]);
}

static void put_flops(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_graph_put_known(ask, ask->costs->flops[i]);
}

static void put_moved(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_graph_put_known(ask, ask->costs->bytes[i]);
}

static void put_elements(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_json_i64(&ask->w, xpd_shape_elements(ask->hlo->instructions.shape[i]));
}

static void put_root(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_hlo *hlo = ask->hlo;
    xpd_json_bool(&ask->w, hlo->computations.root[hlo->instructions.computation[i]] == i);
}

static void put_computation(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_hlo *hlo = ask->hlo;
    xpd_json_str(&ask->w,
                 xpd_hlo_text(hlo, hlo->computations.name[hlo->instructions.computation[i]]));
}

static void put_scheme(struct xpd_graph_ask *ask, uint32_t i)
{
    xpd_json_text(&ask->w, xpd_graph_scheme_word(xpd_graph_scheme_plain(ask->index, i)));
}

static const struct column {
    const char *name;
    void (*put)(struct xpd_graph_ask *ask, uint32_t i);
} columns_known[] = {
    {"name", xpd_graph_put_name}, {"opcode", put_opcode},         {"kind", put_kind},
    {"op_name", put_op_name},     {"label", xpd_graph_put_label}, {"shape", put_own_shape},
    {"bytes", put_bytes},         {"space", xpd_graph_put_space}, {"group", put_group},
    {"scheme", put_scheme},       {"line", xpd_graph_put_line},   {"computation", put_computation},
    {"is_root", put_root},        {"collective", put_collective}, {"elements", put_elements},
    {"cycles", put_cycles},       {"flops", put_flops},           {"moved_bytes", put_moved},
    {"matmul", put_matmul}};

static const struct column *column_of(struct xpd_str word)
{
    for (size_t k = 0; k < sizeof columns_known / sizeof columns_known[0]; k++)
        if (xpd_str_eq(word, xpd_str_of(columns_known[k].name)))
            return &columns_known[k];
    return NULL;
}

void xpd_graph_columns(struct xpd_graph_ask *ask, const char *columns, const uint32_t *instruction,
                       uint32_t count)
{
    XPD_COLUMN(&ask->w, "ix", count, xpd_json_u64(&ask->w, instruction[row]));
    XPD_COLUMN(&ask->w, "id", count, xpd_graph_put_id(ask, instruction[row]));
    while (*columns) {
        size_t size = strcspn(columns, " ");
        const struct column *column = column_of((struct xpd_str){columns, size});
        if (column)
            XPD_COLUMN(&ask->w, column->name, count, column->put(ask, instruction[row]));
        columns += size;
        columns += strspn(columns, " ");
    }
}
