/* One level of the tree of a program. In: a key. Out: its rows.
 *
 * Keys: "" the top; "g1".."g5" a class of computations; "c12" a computation; "c12/a/b" a scope in
 * it, a number of a folded scope as "*"; "c12:p" its parameters; "c12:n" operations without
 * op_name, "c12:n:copy" those of an opcode; "o34" the computations that operation 34 runs. */
#include "xprofd/graph/tree.h"
#include "xprofd/base/vec.h"
#include "xprofd/hlo/scope.h"
#include "xprofd/hlo/source_info.h"

#include <stdio.h>

struct like_count { /* operations of a row that are like each other */
    uint32_t row, count;
};

struct level {
    const struct xpd_graph_index *index;
    const struct xpd_outline_index *tree;
    const struct xpd_costs *costs;
    struct xpd_arena *arena;
    struct xpd_str key, pattern; /* of the level; the scope in it */
    uint64_t like;               /* only operations like this; 0 = all */
    uint32_t computation;
    XPD_VEC(struct xpd_outline_row) row;
    XPD_VEC(int64_t) weight;  /* XPD_OP_GROUP_COUNT a row */
    struct xpd_map64 by_text; /* row of a part, an opcode or a likeness */
    struct xpd_map64 seen;    /* literal paths, to count how often a row repeats */
    struct xpd_map64 by_like; /* entry of `like_counts`, by row and likeness */
    XPD_VEC(struct like_count) like_counts;
    struct xpd_strbuf scratch, text;
};

/* ---- rows ---- */

static struct xpd_str keep(struct level *l, struct xpd_str text)
{
    const char *kept = xpd_arena_strndup(l->arena, text.data, text.size);
    return (struct xpd_str){kept ? kept : "", kept ? text.size : 0};
}

static struct xpd_str join(struct level *l, struct xpd_str a, const char *between, struct xpd_str b)
{
    xpd_strbuf_clear(&l->text);
    xpd_strbuf_add(&l->text, a.data, a.size);
    xpd_strbuf_puts(&l->text, between);
    xpd_strbuf_add(&l->text, b.data, b.size);
    return keep(l, (struct xpd_str){l->text.data ? l->text.data : "", l->text.size});
}

static uint32_t add_row(struct level *l, uint8_t kind, struct xpd_str key, struct xpd_str label)
{
    XPD_PUSH(&l->row, ((struct xpd_outline_row){.key = key,
                                                .label = label,
                                                .kind = kind,
                                                .repeat = 1,
                                                .instruction = XPD_NO_INDEX,
                                                .computation = XPD_NO_INDEX,
                                                .sum = {0, -1, -1, -1}}));
    for (int k = 0; k < XPD_OP_GROUP_COUNT; k++)
        XPD_PUSH(&l->weight, 0);
    return (uint32_t)l->row.count - 1;
}

static bool failed(const struct level *l)
{
    return l->row.failed || l->weight.failed || l->by_text.failed || l->seen.failed ||
           l->by_like.failed || l->like_counts.failed || l->arena->failed || l->text.failed ||
           l->scratch.failed;
}

static void put_into(struct level *l, uint32_t at, uint32_t i)
{
    if (failed(l))
        return;
    struct xpd_outline_sum sum = xpd_outline_sum_of(l->index, l->tree, l->costs, i);
    int64_t *weight = &l->weight.at[(size_t)at * XPD_OP_GROUP_COUNT + l->index->group[i]];
    int64_t more = sum.cycles > 0 ? sum.cycles : 1;
    if (__builtin_add_overflow(*weight, more, weight))
        *weight = INT64_MAX;
    xpd_outline_add(&l->row.at[at].sum, &sum);
    if (l->row.at[at].instruction == XPD_NO_INDEX)
        l->row.at[at].instruction = i;
}

static bool runs_computations(const struct level *l, uint32_t i)
{
    return xpd_outline_sum_of(l->index, l->tree, l->costs, i).ops > 1;
}

static struct xpd_str name_of(const struct level *l, uint32_t i)
{
    return xpd_hlo_text(l->index->hlo, l->index->hlo->instructions.name[i]);
}

static void add_op(struct level *l, uint32_t i)
{
    char key[16];
    snprintf(key, sizeof key, "o%u", i);
    uint32_t at = add_row(l, XPD_OUTLINE_ROW_OP, keep(l, xpd_str_of(key)), name_of(l, i));
    put_into(l, at, i);
    if (!failed(l))
        l->row.at[at].has_children = runs_computations(l, i);
}

static void add_computation(struct level *l, uint32_t c)
{
    char key[16];
    const struct xpd_hlo *hlo = l->index->hlo;
    snprintf(key, sizeof key, "c%u", c);
    struct xpd_str label = xpd_hlo_text(hlo, hlo->computations.name[c]);
    if (c == hlo->entry)
        label = join(l, XPD_STR("ENTRY"), " ", label);
    uint32_t at = add_row(l, XPD_OUTLINE_ROW_COMPUTATION, keep(l, xpd_str_of(key)), label);
    if (failed(l))
        return;
    l->row.at[at].computation = c;
    l->row.at[at].sum = l->tree->inside[c];
    l->row.at[at].has_children = hlo->computations.instruction_count[c] != 0;
    if (l->tree->class_of[c] > XPD_OUTLINE_NESTED && l->tree->class_of[c] != XPD_OUTLINE_OTHER)
        l->row.at[at].sum.cycles = l->row.at[at].sum.bytes = l->row.at[at].sum.flops = -1;
}

/* ---- levels of computations ---- */

static const char *const class_labels[] = {
    "ENTRY", "called", "fusion bodies", "called regions", "async wrappers", "other computations"};

static void add_classes(struct level *l)
{
    const struct xpd_hlo *hlo = l->index->hlo;
    if (hlo->entry != XPD_NO_INDEX)
        add_computation(l, hlo->entry);
    for (unsigned class = XPD_OUTLINE_FUSION; class <= XPD_OUTLINE_OTHER; class ++) {
        struct xpd_outline_sum sum = {0, -1, -1, -1};
        uint32_t count = 0;
        for (uint32_t c = 0; c < hlo->computations.count; c++)
            if (l->tree->class_of[c] == class) {
                /* With what their calls run: those are listed nowhere else. */
                xpd_outline_add(&sum, &l->tree->inside[c]);
                count++;
            }
        if (count == 0)
            continue;
        char key[4] = {'g', (char)('0' + class), '\0'};
        uint32_t at = add_row(l, XPD_OUTLINE_ROW_GROUP, keep(l, xpd_str_of(key)),
                              xpd_str_of(class_labels[class]));
        if (failed(l))
            return;
        l->row.at[at].repeat = count;
        l->row.at[at].has_children = true;
        l->row.at[at].sum.ops = sum.ops;
        if (class == XPD_OUTLINE_OTHER)
            l->row.at[at].sum = sum;
    }
}

static void add_of_class(struct level *l, uint8_t class)
{
    for (uint32_t c = 0; c < l->index->hlo->computations.count; c++)
        if (l->tree->class_of[c] == class)
            add_computation(l, c);
}

/* The call itself, then what it runs: so they add up. */
static void add_called(struct level *l, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &l->index->hlo->instructions;
    uint32_t at = add_row(l, XPD_OUTLINE_ROW_OP, XPD_STR(""), name_of(l, i));
    if (failed(l))
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
            add_computation(l, c);
    }
}

/* ---- levels inside a computation ---- */

static uint64_t text_key(char kind, struct xpd_str text)
{
    return xpd_hash(text.data, text.size) * 31 + (uint64_t)kind;
}

/* The row that a key leads to, added when new. */
static uint32_t row_for(struct level *l, uint64_t key, uint8_t kind, const char *between,
                        struct xpd_str text)
{
    uint32_t at = xpd_map64_get(&l->by_text, key);
    if (at != XPD_NO_INDEX || failed(l))
        return at != XPD_NO_INDEX ? at : 0;
    at = add_row(l, kind, join(l, l->key, between, text), keep(l, text));
    xpd_map64_put(&l->by_text, key, at);
    if (!failed(l))
        l->row.at[at].has_children = true;
    return at;
}

/* Counts a literal path once for its row. */
static void count_repeat(struct level *l, uint32_t at, struct xpd_str path)
{
    uint64_t key = text_key((char)('A' + at % 26), path) + at;
    if (failed(l) || xpd_map64_get(&l->seen, key) != XPD_NO_INDEX)
        return;
    xpd_map64_put(&l->seen, key, at);
    l->row.at[at].repeat++;
}

/* Takes the parts of the pattern off a path; false when it is another path. */
static bool below(struct xpd_str *path, struct xpd_str pattern, struct xpd_strbuf *scratch)
{
    struct xpd_str want, have;
    while (xpd_scope_next_part(&pattern, &want)) {
        if (!xpd_scope_next_part(path, &have))
            return false;
        xpd_strbuf_clear(scratch);
        bool folds = memchr(want.data, '*', want.size) != NULL && xpd_scope_fold(scratch, have);
        struct xpd_str is = folds ? (struct xpd_str){scratch->data, scratch->size} : have;
        if (!xpd_str_eq(is, want))
            return false;
    }
    return true;
}

/* An operation by itself, or with those like it. */
static void add_or_fold(struct level *l, uint32_t i)
{
    char number[16];
    uint64_t like = xpd_outline_likeness(l->index->hlo, i, &l->scratch);
    uint32_t at = xpd_map64_get(&l->by_text, like);
    if (l->like != 0 && like != l->like)
        return;
    if (l->like != 0 || at == XPD_NO_INDEX || runs_computations(l, i)) {
        add_op(l, i);
        xpd_map64_put(&l->by_text, like, (uint32_t)l->row.count - 1);
        return;
    }
    put_into(l, at, i);
    if (failed(l) || l->row.at[at].repeat++ > 1)
        return;
    snprintf(number, sizeof number, "%u", l->row.at[at].instruction);
    l->row.at[at].kind = XPD_OUTLINE_ROW_FOLD;
    l->row.at[at].key = join(l, l->key, "#", xpd_str_of(number));
    l->row.at[at].has_children = true;
}

/* How often each kind of operation occurs in a scope tells whether it is a layer. */
static void count_like(struct level *l, uint32_t at, uint32_t i)
{
    uint64_t parts[2] = {xpd_outline_likeness(l->index->hlo, i, &l->scratch), at};
    uint64_t key = xpd_hash(parts, sizeof parts);
    uint32_t entry = xpd_map64_get(&l->by_like, key);
    if (entry == XPD_NO_INDEX) {
        xpd_map64_put(&l->by_like, key, (uint32_t)l->like_counts.count);
        XPD_PUSH(&l->like_counts, ((struct like_count){at, 1}));
    } else if (!failed(l)) {
        l->like_counts.at[entry].count++;
    }
}

static void add_scoped(struct level *l, uint32_t i, struct xpd_str path)
{
    struct xpd_str rest = path, part;
    if (!below(&rest, l->pattern, &l->scratch) || !xpd_scope_next_part(&rest, &part))
        return;
    if (rest.size <= 1) { /* the last part is the operation itself */
        add_or_fold(l, i);
        return;
    }
    if (l->like != 0)
        return;
    xpd_strbuf_clear(&l->scratch);
    bool folds = xpd_scope_fold(&l->scratch, part);
    struct xpd_str text = folds ? (struct xpd_str){l->scratch.data, l->scratch.size} : part;
    uint32_t at = row_for(l, text_key('s', text), XPD_OUTLINE_ROW_SCOPE, "/", text);
    struct xpd_str literal = {path.data, (size_t)(part.data + part.size - path.data)};
    put_into(l, at, i);
    count_repeat(l, at, literal);
    count_like(l, at, i);
}

static int by_row_and_count(const void *a, const void *b)
{
    const struct like_count *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->count > y->count) - (x->count < y->count);
}

/* Operations of a row's groups that occur a multiple of `turns` times. */
static uint64_t ops_in_turns(const struct like_count *group, size_t count, uint32_t turns)
{
    uint64_t ops = 0;
    for (size_t k = 0; k < count; k++)
        ops += group[k].count % turns == 0 ? group[k].count : 0;
    return ops;
}

/* Layers without a number in their name: the largest number that three of four operations of a
 * scope occur a multiple of times. */
static void find_turns(struct xpd_outline_row *row, const struct like_count *group, size_t count)
{
    enum { MOST_OF = 4, MOST = 3 };
    for (size_t k = count; k > 0 && group[k - 1].count > 1; k--) {
        if (k < count && group[k].count == group[k - 1].count)
            continue;
        if (ops_in_turns(group, count, group[k - 1].count) * MOST_OF <
            (uint64_t)row->sum.ops * MOST)
            continue;
        row->repeat = group[k - 1].count;
        row->kind = XPD_OUTLINE_ROW_FOLD;
        return;
    }
}

static void find_layers(struct level *l)
{
    size_t n = l->like_counts.count;
    if (n > 1)
        qsort(l->like_counts.at, n, sizeof *l->like_counts.at, by_row_and_count);
    for (size_t k = 0, end; k < n; k = end) {
        const struct like_count *at = &l->like_counts.at[k];
        struct xpd_outline_row *row = &l->row.at[at->row];
        for (end = k; end < n && l->like_counts.at[end].row == at->row;)
            end++;
        if (row->kind == XPD_OUTLINE_ROW_SCOPE && row->repeat == 1 && end - k > 1)
            find_turns(row, at, end - k);
    }
}

/* A scope of a kind that occurs once gets its own name back. */
static void settle_scopes(struct level *l)
{
    for (size_t k = 0; k < l->row.count && !failed(l); k++) {
        struct xpd_outline_row *row = &l->row.at[k];
        if (row->kind != XPD_OUTLINE_ROW_SCOPE)
            continue;
        row->repeat--; /* counted from 1 */
        bool star = memchr(row->label.data, '*', row->label.size) != NULL;
        if (star && row->repeat > 1) {
            row->kind = XPD_OUTLINE_ROW_FOLD;
        } else if (star) {
            struct xpd_str rest = xpd_scope_path(
                               xpd_hlo_text(l->index->hlo,
                                            l->index->hlo->instructions.op_name[row->instruction])),
                           part;
            if (below(&rest, l->pattern, &l->scratch) && xpd_scope_next_part(&rest, &part)) {
                row->label = keep(l, part);
                row->key = join(l, l->key, "/", part);
            }
        }
    }
}

static void add_inside(struct level *l)
{
    const struct xpd_hlo *hlo = l->index->hlo;
    const struct xpd_hlo_computations *c = &hlo->computations;
    uint32_t first = c->first[l->computation], end = first + c->instruction_count[l->computation];
    for (uint32_t i = first; i < end && !failed(l); i++) {
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.op_name[i]);
        bool parameter = l->index->op[i] == XPD_GOP_PARAMETER;
        if (!parameter && name.size)
            add_scoped(l, i, xpd_scope_path(name));
        else if (l->pattern.size == 0 && l->like == 0)
            put_into(l,
                     parameter ? row_for(l, text_key('p', XPD_STR("")), XPD_OUTLINE_ROW_GROUP, ":p",
                                         XPD_STR(""))
                               : row_for(l, text_key('n', XPD_STR("")), XPD_OUTLINE_ROW_GROUP, ":n",
                                         XPD_STR("")),
                     i);
    }
    settle_scopes(l);
    if (!failed(l))
        find_layers(l);
    for (size_t k = 0; k < l->row.count && !failed(l); k++)
        if (l->row.at[k].kind == XPD_OUTLINE_ROW_GROUP)
            l->row.at[k].label = xpd_str_ends(l->row.at[k].key, ":p") ? XPD_STR("parameters")
                                                                      : XPD_STR("no op_name");
}

/* Parameters, or operations without op_name: by opcode, or those of one. */
static void add_nameless(struct level *l, bool parameters, bool by_opcode, struct xpd_str opcode)
{
    const struct xpd_hlo *hlo = l->index->hlo;
    const struct xpd_hlo_computations *c = &hlo->computations;
    uint32_t first = c->first[l->computation], end = first + c->instruction_count[l->computation];
    for (uint32_t i = first; i < end && !failed(l); i++) {
        bool parameter = l->index->op[i] == XPD_GOP_PARAMETER;
        struct xpd_str own = xpd_hlo_text(hlo, hlo->instructions.opcode[i]);
        if (parameter != parameters || (!parameters && hlo->instructions.op_name[i] != 0))
            continue;
        if (by_opcode)
            put_into(l, row_for(l, text_key('o', own), XPD_OUTLINE_ROW_GROUP, ":", own), i);
        else if (parameters)
            add_op(l, i);
        else if (xpd_str_eq(own, opcode))
            add_or_fold(l, i);
    }
}

/* ---- keys ---- */

static bool take_number(struct xpd_str *rest, uint32_t limit, uint32_t *value)
{
    uint64_t n = 0;
    size_t digits = 0;
    for (; digits < rest->size && rest->data[digits] >= '0' && rest->data[digits] <= '9'; digits++)
        n = n < UINT32_MAX ? n * 10 + (uint64_t)(rest->data[digits] - '0') : n;
    rest->data += digits;
    rest->size -= digits;
    *value = (uint32_t)(n < limit ? n : limit);
    return digits > 0 && n < limit;
}

/* "#56" behind a key. False when 56 is no instruction. */
static bool take_like(struct level *l, struct xpd_str *rest)
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
    l->like = xpd_outline_likeness(l->index->hlo, i, &l->scratch);
    rest->size = at - 1;
    return true;
}

static bool add_of_computation(struct level *l, struct xpd_str rest)
{
    if (!take_like(l, &rest) ||
        !take_number(&rest, l->index->hlo->computations.count, &l->computation))
        return false;
    if (rest.size == 0 || rest.data[0] == '/') {
        l->pattern = rest;
        add_inside(l);
        return true;
    }
    if (xpd_str_eq(rest, XPD_STR(":p")))
        add_nameless(l, true, false, XPD_STR(""));
    else if (xpd_str_eq(rest, XPD_STR(":n")))
        add_nameless(l, false, true, XPD_STR(""));
    else if (xpd_str_starts(rest, ":n:"))
        add_nameless(l, false, false, (struct xpd_str){rest.data + 3, rest.size - 3});
    else
        return false;
    return true;
}

static bool add_rows(struct level *l)
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

static void cut(struct level *l, struct xpd_outline *out)
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
    sum.label = keep(l, xpd_str_of(label));
    *rest = sum;
    l->row.count = XPD_OUTLINE_ROWS_MAX;
}

static int finish(struct level *l, struct xpd_outline *out, struct xpd_err *err)
{
    for (size_t k = 0; k < l->row.count && !failed(l); k++)
        l->row.at[k].group = strongest(&l->weight.at[k * XPD_OP_GROUP_COUNT]);
    if (!failed(l) && l->row.count > XPD_OUTLINE_ROWS_MAX)
        cut(l, out);
    out->row = XPD_NEW_ARRAY(l->arena, struct xpd_outline_row, l->row.count);
    if (failed(l) || !out->row)
        return xpd_fail(err, XPD_ENOMEM, "graph", XPD_NO_OFFSET,
                        "There is no memory for this answer.");
    if (l->row.count)
        memcpy(out->row, l->row.at, l->row.count * sizeof *out->row);
    out->count = (uint32_t)l->row.count;
    return XPD_OK;
}

int xpd_outline_level(struct xpd_outline *out, struct xpd_arena *arena,
                      const struct xpd_graph_index *index, const struct xpd_outline_index *tree,
                      const struct xpd_costs *costs, struct xpd_str key, struct xpd_err *err)
{
    struct level l = {.index = index, .tree = tree, .costs = costs, .arena = arena, .key = key};
    *out = (struct xpd_outline){0};
    int rc = add_rows(&l) ? finish(&l, out, err)
                          : xpd_fail(err, XPD_ENOTFOUND, "parent", XPD_NO_OFFSET,
                                     "The program's tree has no %.*s.",
                                     (int)(key.size < 100 ? key.size : 100), key.data);
    XPD_VEC_FINI(&l.row);
    XPD_VEC_FINI(&l.weight);
    xpd_map64_fini(&l.by_text);
    xpd_map64_fini(&l.seen);
    xpd_map64_fini(&l.by_like);
    XPD_VEC_FINI(&l.like_counts);
    xpd_strbuf_fini(&l.scratch);
    xpd_strbuf_fini(&l.text);
    return rc;
}
