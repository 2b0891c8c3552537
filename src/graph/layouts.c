/* Copies that only change layouts. In: shapes of results and operands. Out: the largest of them. */
#include "xprofd/graph/totals.h"

#include "xprofd/base/order.h"
#include "xprofd/base/vec.h"

enum { RANK_MAX = 16 };

static bool same_dims(const struct xpd_shape *a, const struct xpd_shape *b)
{
    int64_t x[RANK_MAX], y[RANK_MAX];
    if (a->type != b->type || a->type == XPD_TYPE_TUPLE || a->rank != b->rank || a->rank == 0 ||
        a->rank > RANK_MAX)
        return false;
    memcpy(x, a->dims, a->rank * sizeof *x);
    memcpy(y, b->dims, b->rank * sizeof *y);
    qsort(x, a->rank, sizeof *x, xpd_order_i64);
    qsort(y, b->rank, sizeof *y, xpd_order_i64);
    return memcmp(x, y, a->rank * sizeof *x) == 0;
}

static bool same_tiles(const struct xpd_layout *a, const struct xpd_layout *b)
{
    if (a->tile_count != b->tile_count)
        return false;
    for (uint32_t k = 0; k < a->tile_count; k++)
        if (a->tile[k].count != b->tile[k].count ||
            memcmp(a->tile[k].dims, b->tile[k].dims, a->tile[k].count * sizeof *a->tile[k].dims) !=
                0)
            return false;
    return true;
}

static bool same_layout(const struct xpd_shape *a, const struct xpd_shape *b)
{
    const struct xpd_layout *x = a->layout, *y = b->layout;
    if (!x || !y)
        return true; /* not known to differ */
    return x->minor_to_major_count == y->minor_to_major_count &&
           memcmp(x->minor_to_major, y->minor_to_major,
                  x->minor_to_major_count * sizeof *x->minor_to_major) == 0 &&
           same_tiles(x, y);
}

/* The operation, also inside a fusion. */
static uint32_t root_of(const struct xpd_graph_index *index, uint32_t i)
{
    const struct xpd_hlo *hlo = index->hlo;
    uint32_t first = hlo->instructions.called_first[i];
    if (index->op[i] != XPD_GOP_FUSION || first == hlo->instructions.called_first[i + 1] ||
        hlo->instructions.called[first] == XPD_NO_INDEX)
        return i;
    return hlo->computations.root[hlo->instructions.called[first]];
}

static bool rearranges(const struct xpd_graph_index *index, uint32_t i)
{
    static const char *const words[] = {"copy", "transpose", "reshape"};
    if (index->op[i] == XPD_GOP_PARAMETER || index->op[i] == XPD_GOP_BITCAST)
        return true;
    struct xpd_str opcode = xpd_hlo_text(index->hlo, index->hlo->instructions.opcode[i]);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (xpd_str_eq(opcode, xpd_str_of(words[k])))
            return true;
    return false;
}

/* A fusion of one array that does nothing but rearrange it: dimensions may be joined or split on
 * the way, so those of operand and result need not be the same. */
static bool only_rearranges(const struct xpd_graph_index *index, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    if (index->op[i] != XPD_GOP_FUSION || ins->operand_first[i + 1] - ins->operand_first[i] != 1)
        return false;
    uint32_t body = ins->called[ins->called_first[i]];
    for (uint32_t k = 0; k < index->order_size[body]; k++)
        if (!rearranges(index, index->order[index->order_first[body] + k]))
            return false;
    return true;
}

static bool changes_layout(const struct xpd_graph_index *index, uint32_t i, uint32_t *operand)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t root = root_of(index, i);
    if (root == XPD_NO_INDEX || index->fusion_of[ins->computation[i]] != XPD_NO_INDEX)
        return false;
    struct xpd_str opcode = xpd_hlo_text(index->hlo, ins->opcode[root]);
    bool transposes = xpd_str_eq(opcode, XPD_STR("transpose"));
    if (!transposes && !xpd_str_eq(opcode, XPD_STR("copy")))
        return false;
    for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++) {
        uint32_t from = ins->operand[k];
        if (from == XPD_NO_INDEX)
            continue;
        bool same = same_dims(ins->shape[from], ins->shape[i]);
        if (!same && !(transposes && only_rearranges(index, i)))
            continue;
        *operand = from;
        return transposes || !same_layout(ins->shape[from], ins->shape[i]);
    }
    return false;
}

static int by_bytes(const void *a, const void *b)
{
    const struct xpd_layout_change *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->instruction < y->instruction ? -1 : x->instruction > y->instruction;
}

int xpd_graph_layout_changes(struct xpd_layout_changes *changes, struct xpd_arena *arena,
                             const struct xpd_graph_index *index, const struct xpd_costs *costs,
                             uint32_t most, struct xpd_err *err)
{
    XPD_VEC(struct xpd_layout_change) row = {0};
    *changes = (struct xpd_layout_changes){0};
    for (uint32_t i = 0; i < index->hlo->instructions.count; i++) {
        uint32_t operand;
        if (!changes_layout(index, i, &operand))
            continue;
        int64_t bytes = costs->bytes[i] >= 0 ? costs->bytes[i] : 0;
        XPD_PUSH(&row, ((struct xpd_layout_change){i, operand, bytes}));
        if (__builtin_add_overflow(changes->bytes, bytes, &changes->bytes))
            changes->bytes = INT64_MAX;
    }
    if (row.count > 1)
        qsort(row.at, row.count, sizeof *row.at, by_bytes);
    changes->total = (uint32_t)row.count;
    changes->count = row.count < most ? (uint32_t)row.count : most;
    changes->at = XPD_COPY_ARRAY(arena, row.at, changes->count);
    bool ok = changes->at && !row.failed;
    XPD_VEC_FINI(&row);
    return ok ? XPD_OK : xpd_no_memory(err, "graph", "for this answer");
}
