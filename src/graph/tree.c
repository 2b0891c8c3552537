/* One level of the tree of a program. In: a key. Out: its rows.
 *
 * Keys: "" the top; "g1".."g5" a class of computations; "c12" a computation; "c12/a/b" a scope in
 * it, a number of a folded scope as "*"; "c12:p" its parameters; "c12:n" operations without
 * op_name, "c12:n:copy" those of an opcode; "o34" the computations that operation 34 runs. */
#include "tree_level.h"

#include <stdio.h>

/* ---- levels of computations ---- */

static const char *const class_labels[] = {
    "ENTRY", "called", "fusion bodies", "called regions", "async wrappers", "other computations"};

static void add_classes(struct xpd_level *l)
{
    const struct xpd_hlo *hlo = l->index->hlo;
    if (hlo->entry != XPD_NO_INDEX)
        xpd_level_add_computation(l, hlo->entry);
    for (unsigned class = XPD_OUTLINE_FUSION; class <= XPD_OUTLINE_OTHER; class ++) {
        struct xpd_outline_sum sum = {0, -1, -1, -1};
        uint32_t count = 0;
        for (uint32_t c = 0; c < hlo->computations.count; c++)
            if (l->tree->class_of[c] == class) {
                /* Including their calls, which are listed nowhere else. */
                xpd_outline_add(&sum, &l->tree->inside[c]);
                count++;
            }
        if (count == 0)
            continue;
        char key[4] = {'g', (char)('0' + class), '\0'};
        uint32_t at =
            xpd_level_add_row(l, XPD_OUTLINE_ROW_GROUP, xpd_level_keep(l, xpd_str_of(key)),
                              xpd_str_of(class_labels[class]));
        if (xpd_level_failed(l))
            return;
        l->row.at[at].repeat = count;
        l->row.at[at].has_children = true;
        l->row.at[at].sum.ops = sum.ops;
        if (class == XPD_OUTLINE_OTHER)
            l->row.at[at].sum = sum;
    }
}

static void add_of_class(struct xpd_level *l, uint8_t class)
{
    for (uint32_t c = 0; c < l->index->hlo->computations.count; c++)
        if (l->tree->class_of[c] == class)
            xpd_level_add_computation(l, c);
}

/* The call itself, then its computations, so that they add up. */
static void add_called(struct xpd_level *l, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &l->index->hlo->instructions;
    uint32_t at = xpd_level_add_row(l, XPD_OUTLINE_ROW_OP, XPD_STR(""), xpd_level_name_of(l, i));
    if (xpd_level_failed(l))
        return;
    l->row.at[at].instruction = i;
    l->row.at[at].sum.ops = 1;
    for (uint32_t k = ins->called_first[i]; k < ins->called_first[i + 1]; k++) {
        uint32_t c = ins->called[k];
        bool before = false; /* named twice, as the branches of a conditional may */
        for (uint32_t j = ins->called_first[i]; j < k; j++)
            before = before || ins->called[j] == c;
        if (c != XPD_NO_INDEX && !before && l->tree->class_of[c] == XPD_OUTLINE_NESTED &&
            l->index->caller_of[c] == i)
            xpd_level_add_computation(l, c);
    }
}

/* ---- keys ---- */

/* A number below the limit. */
static bool take_number(struct xpd_str *rest, uint32_t limit, uint32_t *value)
{
    return xpd_str_take_u32(rest, value) && *value < limit;
}

/* "#56" after a key. False if 56 is not an instruction. */
static bool take_like(struct xpd_level *l, struct xpd_str *rest)
{
    size_t at = rest->size;
    while (at > 0 && rest->data[at - 1] >= '0' && rest->data[at - 1] <= '9')
        at--;
    if (at == 0 || at == rest->size || rest->data[at - 1] != '#')
        return true;
    struct xpd_str digits = {rest->data + at, rest->size - at};
    uint32_t i;
    if (!take_number(&digits, l->index->hlo->instructions.count, &i))
        return false;
    l->like = l->tree->likeness[i];
    rest->size = at - 1;
    return true;
}

static bool add_of_computation(struct xpd_level *l, struct xpd_str rest)
{
    if (!take_like(l, &rest) ||
        !take_number(&rest, l->index->hlo->computations.count, &l->computation))
        return false;
    if (rest.size == 0 || rest.data[0] == '/') {
        l->pattern = rest;
        xpd_level_add_inside(l);
        return true;
    }
    if (xpd_str_eq(rest, XPD_STR(":p")))
        xpd_level_add_nameless(l, true, false, XPD_STR(""));
    else if (xpd_str_eq(rest, XPD_STR(":n")))
        xpd_level_add_nameless(l, false, true, XPD_STR(""));
    else if (xpd_str_starts(rest, ":n:"))
        xpd_level_add_nameless(l, false, false, (struct xpd_str){rest.data + 3, rest.size - 3});
    else
        return false;
    return true;
}

static bool add_rows(struct xpd_level *l)
{
    struct xpd_str rest = l->key;
    uint32_t number;
    if (rest.size == 0) {
        add_classes(l);
        return true;
    }
    char kind = *rest.data++;
    rest.size--;
    if (kind == 'c')
        return add_of_computation(l, rest);
    bool is_group = kind == 'g';
    uint32_t limit = is_group ? XPD_OUTLINE_OTHER + 1 : l->index->hlo->instructions.count;
    if ((!is_group && kind != 'o') || !take_number(&rest, limit, &number) || rest.size != 0 ||
        (is_group && number < XPD_OUTLINE_FUSION))
        return false;
    if (is_group)
        add_of_class(l, (uint8_t)number);
    else
        add_called(l, number);
    return true;
}

/* ---- putting together ---- */

static uint8_t strongest(const int64_t *weight)
{
    unsigned best = 0;
    for (unsigned g = 1; g < XPD_OP_GROUP_COUNT; g++)
        if (weight[g] > weight[best])
            best = g;
    return (uint8_t)best;
}

static void cut(struct xpd_level *l, struct xpd_outline *out)
{
    struct xpd_outline_row *rest = &l->row.at[XPD_OUTLINE_ROWS_MAX - 1];
    struct xpd_outline_row sum = {.kind = XPD_OUTLINE_ROW_GROUP,
                                  .key = XPD_STR(""),
                                  .repeat = 1,
                                  .instruction = XPD_NO_INDEX,
                                  .computation = XPD_NO_INDEX,
                                  .sum = {0, -1, -1, -1}};
    char label[32];
    for (size_t k = XPD_OUTLINE_ROWS_MAX - 1; k < l->row.count; k++)
        xpd_outline_add(&sum.sum, &l->row.at[k].sum);
    out->left_out = (uint32_t)(l->row.count - XPD_OUTLINE_ROWS_MAX + 1);
    snprintf(label, sizeof label, "%u more", out->left_out);
    sum.label = xpd_level_keep(l, xpd_str_of(label));
    *rest = sum;
    l->row.count = XPD_OUTLINE_ROWS_MAX;
}

static int finish(struct xpd_level *l, struct xpd_outline *out, struct xpd_err *err)
{
    for (size_t k = 0; k < l->row.count && !xpd_level_failed(l); k++)
        l->row.at[k].group = strongest(&l->weight.at[k * XPD_OP_GROUP_COUNT]);
    if (!xpd_level_failed(l) && l->row.count > XPD_OUTLINE_ROWS_MAX)
        cut(l, out);
    out->row = XPD_NEW_ARRAY(l->arena, struct xpd_outline_row, l->row.count);
    if (xpd_level_failed(l) || !out->row)
        return xpd_no_memory(err, "graph", "for this answer");
    if (l->row.count)
        memcpy(out->row, l->row.at, l->row.count * sizeof *out->row);
    out->count = (uint32_t)l->row.count;
    return XPD_OK;
}

int xpd_outline_level(struct xpd_outline *out, struct xpd_arena *arena,
                      const struct xpd_graph_index *index, const struct xpd_outline_index *tree,
                      const struct xpd_costs *costs, struct xpd_str key, struct xpd_err *err)
{
    struct xpd_level l = {.index = index, .tree = tree, .costs = costs, .arena = arena, .key = key};
    l.where_of = calloc(index->hlo->names.count + (size_t)1, sizeof *l.where_of);
    l.row_of_like = calloc(tree->likes + (size_t)1, sizeof *l.row_of_like);
    l.count_of_like = calloc(tree->likes + (size_t)1, sizeof *l.count_of_like);
    *out = (struct xpd_outline){0};
    int rc = xpd_level_failed(&l) || add_rows(&l)
                 ? finish(&l, out, err)
                 : xpd_fail(err, XPD_ENOTFOUND, "parent", XPD_NO_OFFSET,
                            "The program's tree has no %.*s.",
                            (int)(key.size < 100 ? key.size : 100), key.data);
    XPD_VEC_FINI(&l.row);
    XPD_VEC_FINI(&l.weight);
    xpd_map64_fini(&l.by_text);
    xpd_map64_fini(&l.seen);
    XPD_VEC_FINI(&l.like_counts);
    free(l.where_of);
    free(l.row_of_like);
    free(l.count_of_like);
    xpd_strbuf_fini(&l.scratch);
    xpd_strbuf_fini(&l.text);
    return rc;
}
