/* What is drawn together with what: elements and bitcasts with their operand, a done with its
 * start, equal slices of one array with the first of them. In: classes, users. Out: links. */
#include "index_parts.h"

struct links {
    uint32_t *fold, *pair, *slice_next;
};

/* A start that others look into as well stands for itself. */
static void fold_pair(const struct xpd_graph_index *index, struct links *links, uint32_t done)
{
    uint32_t start = xpd_hlo_start_of(index->hlo, done);
    for (uint32_t at = done; start != XPD_NO_INDEX && at != start;) {
        at = xpd_index_operand(index, at, 0);
        if (xpd_index_users(index, at) != 1)
            return;
    }
    if (start == XPD_NO_INDEX)
        return;
    links->pair[start] = done;
    for (uint32_t at = done; at != start; at = xpd_index_operand(index, at, 0))
        links->fold[at] = start;
}

static uint64_t slice_key(const struct xpd_graph_index *index, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint64_t parts[3] = {ins->opcode[i], xpd_index_operand(index, i, 0),
                         (uint64_t)(uintptr_t)ins->shape[i]};
    return xpd_hash(parts, sizeof parts);
}

static bool same_slice(const struct xpd_graph_index *index, uint32_t a, uint32_t b)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    return ins->opcode[a] == ins->opcode[b] && ins->shape[a] == ins->shape[b] &&
           xpd_index_operand(index, a, 0) == xpd_index_operand(index, b, 0);
}

/* The shapes of a module are shared, so that equal ones have one address. */
static void fold_slice(const struct xpd_graph_index *index, struct links *links,
                       struct xpd_map64 *first, struct xpd_map64 *last, uint32_t i)
{
    uint64_t key = slice_key(index, i);
    uint32_t leader = xpd_map64_get(first, key), before = xpd_map64_get(last, key);
    if (xpd_index_operand(index, i, 0) == XPD_NO_INDEX)
        return;
    if (leader == XPD_NO_INDEX || !same_slice(index, leader, i)) {
        xpd_map64_put(first, key, i);
    } else {
        links->fold[i] = leader;
        links->slice_next[before] = i;
    }
    xpd_map64_put(last, key, i);
}

/* A slice, or the start of an asynchronous one: that wraps a computation whose root is the slice.
 */
static bool is_slice(const struct xpd_graph_index *index, uint32_t i)
{
    const struct xpd_hlo *hlo = index->hlo;
    uint32_t first = hlo->instructions.called_first[i];
    if (index->op[i] != XPD_GOP_START || first == hlo->instructions.called_first[i + 1])
        return index->op[i] == XPD_GOP_SLICE;
    uint32_t wrapped = hlo->instructions.called[first];
    uint32_t root = wrapped != XPD_NO_INDEX ? hlo->computations.root[wrapped] : XPD_NO_INDEX;
    return root != XPD_NO_INDEX && index->op[root] == XPD_GOP_SLICE;
}

bool xpd_index_make_folds(struct xpd_graph_index *index, struct xpd_arena *arena)
{
    uint32_t n = index->hlo->instructions.count;
    struct links links = {XPD_NEW_ARRAY(arena, uint32_t, n), XPD_NEW_ARRAY(arena, uint32_t, n),
                          XPD_NEW_ARRAY(arena, uint32_t, n)};
    struct xpd_map64 first = {0}, last = {0};
    if (!links.fold || !links.pair || !links.slice_next)
        return false;
    for (uint32_t i = 0; i < n; i++)
        links.fold[i] = links.pair[i] = links.slice_next[i] = XPD_NO_INDEX;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t op = index->op[i];
        if (op == XPD_GOP_BITCAST || op == XPD_GOP_ELEMENT)
            links.fold[i] = xpd_index_operand(index, i, 0);
        else if (op == XPD_GOP_DONE)
            fold_pair(index, &links, i);
        else if (is_slice(index, i))
            fold_slice(index, &links, &first, &last, i);
    }
    bool ok = !first.failed && !last.failed;
    xpd_map64_fini(&first);
    xpd_map64_fini(&last);
    index->fold = links.fold;
    index->pair = links.pair;
    index->slice_next = links.slice_next;
    return ok;
}
