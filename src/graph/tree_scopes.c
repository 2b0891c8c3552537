/* A level inside a computation: its scopes with repeated layers folded, its operations.
 *
 * In: the computation, the scope's pattern. Out: rows. */
#include "tree_level.h"

#include "xprofd/hlo/scope.h"

#include <stdio.h>

static uint64_t text_key(char kind, struct xpd_str text)
{
    return xpd_hash(text.data, text.size) * 31 + (uint64_t)kind;
}

/* The row that a key leads to, added when new. */
static uint32_t row_for(struct xpd_level *l, uint64_t key, uint8_t kind, const char *between,
                        struct xpd_str text)
{
    uint32_t at = xpd_map64_get(&l->by_text, key);
    if (at != XPD_NO_INDEX || xpd_level_failed(l))
        return at != XPD_NO_INDEX ? at : 0;
    at = xpd_level_add_row(l, kind, xpd_level_join(l, l->key, between, text),
                           xpd_level_keep(l, text));
    xpd_map64_put(&l->by_text, key, at);
    if (!xpd_level_failed(l))
        l->row.at[at].has_children = true;
    return at;
}

/* Counts a literal path once for its row. */
static void count_repeat(struct xpd_level *l, uint32_t at, struct xpd_str path)
{
    uint64_t key = text_key((char)('A' + at % 26), path) + at;
    if (xpd_level_failed(l) || xpd_map64_get(&l->seen, key) != XPD_NO_INDEX)
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
        if (xpd_str_eq(have, want)) /* a name may contain a '*' */
            continue;
        xpd_strbuf_clear(scratch);
        if (!memchr(want.data, '*', want.size) || !xpd_scope_fold(scratch, have) ||
            !xpd_str_eq((struct xpd_str){scratch->data, scratch->size}, want))
            return false;
    }
    return true;
}

/* An operation by itself, or with those like it. */
static void add_or_fold(struct xpd_level *l, uint32_t i, uint32_t like)
{
    char number[16];
    uint32_t row = l->row_of_like[like], at = row - 1;
    if (l->like != 0 && like != l->like)
        return;
    if (l->like != 0 || row == 0 || xpd_level_runs_computations(l, i)) {
        xpd_level_add_op(l, i);
        l->row_of_like[like] = (uint32_t)l->row.count;
        return;
    }
    xpd_level_put_into(l, at, i);
    if (xpd_level_failed(l) || l->row.at[at].repeat++ > 1)
        return;
    snprintf(number, sizeof number, "%u", l->row.at[at].instruction);
    l->row.at[at].kind = XPD_OUTLINE_ROW_FOLD;
    l->row.at[at].key = xpd_level_join(l, l->key, "#", xpd_str_of(number));
    l->row.at[at].has_children = true;
}

/* How often each kind of operation occurs in a scope tells whether it is a layer. All of a likeness
 * are in one scope of a level, since it holds their path. */
static void count_like(struct xpd_level *l, uint32_t at, uint32_t like)
{
    uint32_t *entry = &l->count_of_like[like];
    if (*entry == 0 || l->like_counts.at[*entry - 1].row != at) {
        XPD_PUSH(&l->like_counts, ((struct like_count){at, 0}));
        if (l->like_counts.failed)
            return;
        *entry = (uint32_t)l->like_counts.count;
    }
    l->like_counts.at[*entry - 1].count++;
}

/* The row for operations of this op_name; the first operation makes it. */
static uint32_t look_at(struct xpd_level *l, struct xpd_str path)
{
    struct xpd_str rest = path, part;
    if (!below(&rest, l->pattern, &l->scratch) || !xpd_scope_next_part(&rest, &part))
        return XPD_SCOPE_ELSEWHERE;
    if (rest.size <= 1) /* the last part is the operation itself */
        return XPD_SCOPE_HERE;
    if (l->like != 0)
        return XPD_SCOPE_ELSEWHERE;
    xpd_strbuf_clear(&l->scratch);
    bool folds = xpd_scope_fold(&l->scratch, part);
    struct xpd_str text = folds ? (struct xpd_str){l->scratch.data, l->scratch.size} : part;
    uint32_t at = row_for(l, text_key('s', text), XPD_OUTLINE_ROW_SCOPE, "/", text);
    count_repeat(l, at, (struct xpd_str){path.data, (size_t)(part.data + part.size - path.data)});
    return XPD_SCOPE_ROW + at;
}

static uint32_t where_of(struct xpd_level *l, xpd_name_id op_name)
{
    uint32_t where = l->where_of[op_name];
    if (where == 0)
        where = l->where_of[op_name] =
            look_at(l, xpd_scope_path(xpd_hlo_text(l->index->hlo, op_name))) + 1;
    return where - 1;
}

static void add_scoped(struct xpd_level *l, uint32_t i)
{
    uint32_t where = where_of(l, l->index->hlo->instructions.op_name[i]);
    if (where == XPD_SCOPE_HERE)
        add_or_fold(l, i, l->tree->likeness[i]);
    if (where < XPD_SCOPE_ROW)
        return;
    xpd_level_put_into(l, where - XPD_SCOPE_ROW, i);
    count_like(l, where - XPD_SCOPE_ROW, l->tree->likeness[i]);
}

/* Layers without a number in their name: the largest number that three of four operations of a
 * scope occur a multiple of times. `likes`: how many likenesses occur so often, up to `most` times.
 */
static void find_turns(struct xpd_outline_row *row, const uint32_t *likes, uint32_t most)
{
    enum { MOST_OF = 4, MOST = 3 };
    for (uint32_t turns = most; turns > 1; turns--) {
        uint64_t ops = 0;
        for (uint64_t count = turns; likes[turns] != 0 && count <= most; count += turns)
            ops += count * likes[count];
        if (ops == 0 || ops * MOST_OF < (uint64_t)row->sum.ops * MOST)
            continue;
        row->repeat = turns;
        row->kind = XPD_OUTLINE_ROW_FOLD;
        return;
    }
}

struct row_likes {
    uint32_t count, most; /* likenesses, and how often the commonest occurs */
    uint32_t first;       /* of its numbers in the common column */
};

static bool is_one_scope(const struct xpd_outline_row *row)
{
    return row->kind == XPD_OUTLINE_ROW_SCOPE && row->repeat == 1;
}

/* The numbers of all rows together are no more than operations and rows. */
static void find_turns_of_rows(struct xpd_level *l, struct row_likes *of)
{
    uint32_t total = 0;
    for (size_t k = 0; k < l->like_counts.count; k++) {
        const struct like_count *at = &l->like_counts.at[k];
        of[at->row].count++;
        of[at->row].most = at->count > of[at->row].most ? at->count : of[at->row].most;
    }
    for (size_t row = 0; row < l->row.count; row++) {
        of[row].first = total;
        total += is_one_scope(&l->row.at[row]) ? of[row].most + 1 : 0;
    }
    uint32_t *likes = XPD_NEW_ARRAY(l->arena, uint32_t, total);
    for (size_t k = 0; likes && k < l->like_counts.count; k++) {
        const struct like_count *at = &l->like_counts.at[k];
        if (is_one_scope(&l->row.at[at->row]))
            likes[of[at->row].first + at->count]++;
    }
    for (size_t row = 0; likes && row < l->row.count; row++)
        if (is_one_scope(&l->row.at[row]) && of[row].count > 1)
            find_turns(&l->row.at[row], likes + of[row].first, of[row].most);
}

static void find_layers(struct xpd_level *l)
{
    struct row_likes *of = XPD_NEW_ARRAY(l->arena, struct row_likes, l->row.count);
    if (of)
        find_turns_of_rows(l, of); /* the arena keeps a failure */
}

/* A scope of a kind that occurs once gets its own name back. */
static void settle_scopes(struct xpd_level *l)
{
    for (size_t k = 0; k < l->row.count && !xpd_level_failed(l); k++) {
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
                row->label = xpd_level_keep(l, part);
                row->key = xpd_level_join(l, l->key, "/", part);
            }
        }
    }
}

void xpd_level_add_inside(struct xpd_level *l)
{
    const struct xpd_hlo *hlo = l->index->hlo;
    const struct xpd_hlo_computations *c = &hlo->computations;
    uint32_t first = c->first[l->computation], end = first + c->instruction_count[l->computation];
    for (uint32_t i = first; i < end && !l->row.failed && !l->arena->failed; i++) {
        bool parameter = l->index->op[i] == XPD_GOP_PARAMETER;
        if (!parameter && hlo->instructions.op_name[i] != 0)
            add_scoped(l, i);
        else if (l->pattern.size == 0 && l->like == 0)
            xpd_level_put_into(l,
                               parameter ? row_for(l, text_key('p', XPD_STR("")),
                                                   XPD_OUTLINE_ROW_GROUP, ":p", XPD_STR(""))
                                         : row_for(l, text_key('n', XPD_STR("")),
                                                   XPD_OUTLINE_ROW_GROUP, ":n", XPD_STR("")),
                               i);
    }
    settle_scopes(l);
    if (!xpd_level_failed(l))
        find_layers(l);
    for (size_t k = 0; k < l->row.count && !xpd_level_failed(l); k++)
        if (l->row.at[k].kind == XPD_OUTLINE_ROW_GROUP)
            l->row.at[k].label = xpd_str_ends(l->row.at[k].key, ":p") ? XPD_STR("parameters")
                                                                      : XPD_STR("no op_name");
}

/* Parameters, or operations without op_name: by opcode, or those of one. */
void xpd_level_add_nameless(struct xpd_level *l, bool parameters, bool by_opcode,
                            struct xpd_str opcode)
{
    const struct xpd_hlo *hlo = l->index->hlo;
    const struct xpd_hlo_computations *c = &hlo->computations;
    uint32_t first = c->first[l->computation], end = first + c->instruction_count[l->computation];
    for (uint32_t i = first; i < end && !xpd_level_failed(l); i++) {
        bool parameter = l->index->op[i] == XPD_GOP_PARAMETER;
        struct xpd_str own = xpd_hlo_text(hlo, hlo->instructions.opcode[i]);
        if (parameter != parameters || (!parameters && hlo->instructions.op_name[i] != 0))
            continue;
        if (by_opcode)
            xpd_level_put_into(l, row_for(l, text_key('o', own), XPD_OUTLINE_ROW_GROUP, ":", own),
                               i);
        else if (parameters)
            xpd_level_add_op(l, i);
        else if (xpd_str_eq(own, opcode))
            add_or_fold(l, i, l->tree->likeness[i]);
    }
}
