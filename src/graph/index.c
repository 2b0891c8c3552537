/* The index of a module: users, callers, classes of opcodes, bytes. In: a frozen module and a
 * printer of its bytes. Out: frozen tables. */
#include "index_parts.h"
#include "xprofd/hlo/cost.h"
#include "xprofd/hlo/source_info.h"

/* Instructions drawn as one: elements and bitcasts with their operand, a done with its
 * start, equal slices of one array with the first of them. In: classes, users. Out: links. */

struct fold_links {
    uint32_t *fold, *pair, *slice_next;
};

/* A start with other users is drawn by itself. */
static void fold_pair(const struct xpd_graph_index *index, struct fold_links *fold_links,
                      uint32_t done)
{
    uint32_t start = xpd_hlo_start_of(index->hlo, done);
    for (uint32_t at = done; start != XPD_NO_INDEX && at != start;) {
        at = xpd_index_operand(index, at, 0);
        if (xpd_index_users(index, at) != 1)
            return;
    }
    if (start == XPD_NO_INDEX)
        return;
    fold_links->pair[start] = done;
    for (uint32_t at = done; at != start; at = xpd_index_operand(index, at, 0))
        fold_links->fold[at] = start;
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
static void fold_slice(const struct xpd_graph_index *index, struct fold_links *fold_links,
                       struct xpd_map64 *first, struct xpd_map64 *last, uint32_t i)
{
    uint64_t key = slice_key(index, i);
    uint32_t leader = xpd_map64_get(first, key), before = xpd_map64_get(last, key);
    if (xpd_index_operand(index, i, 0) == XPD_NO_INDEX)
        return;
    if (leader == XPD_NO_INDEX || !same_slice(index, leader, i)) {
        xpd_map64_put(first, key, i);
    } else {
        fold_links->fold[i] = leader;
        fold_links->slice_next[before] = i;
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

static bool xpd_index_make_folds(struct xpd_graph_index *index, struct xpd_arena *arena)
{
    uint32_t n = index->hlo->instructions.count;
    struct fold_links fold_links = {XPD_NEW_ARRAY(arena, uint32_t, n),
                                    XPD_NEW_ARRAY(arena, uint32_t, n),
                                    XPD_NEW_ARRAY(arena, uint32_t, n)};
    struct xpd_map64 first = {0}, last = {0};
    if (!fold_links.fold || !fold_links.pair || !fold_links.slice_next)
        return false;
    for (uint32_t i = 0; i < n; i++)
        fold_links.fold[i] = fold_links.pair[i] = fold_links.slice_next[i] = XPD_NO_INDEX;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t op = index->op[i];
        if (op == XPD_GOP_BITCAST || op == XPD_GOP_ELEMENT)
            fold_links.fold[i] = xpd_index_operand(index, i, 0);
        else if (op == XPD_GOP_DONE)
            fold_pair(index, &fold_links, i);
        else if (is_slice(index, i))
            fold_slice(index, &fold_links, &first, &last, i);
    }
    bool ok = !first.failed && !last.failed;
    xpd_map64_fini(&first);
    xpd_map64_fini(&last);
    index->fold = fold_links.fold;
    index->pair = fold_links.pair;
    index->slice_next = fold_links.slice_next;
    return ok;
}

/* Problems of a module that do not stop the picture: cycles of values
 * and truncated literals (loading reports cycles of calls). In: the
 * index and a printer. Out: index->warnings, after those of loading the
 * module. Valid files cost a check of each operand: producers come
 * before their users, so only an operand after its user starts the
 * search for a cycle. */

enum { UNSEEN, ON_THE_WAY, DONE };

/* The neighbours of a node lie between two cursors; XPD_NO_INDEX is none. */
struct links {
    const uint32_t *first, *end; /* by node */
    const uint32_t *to;          /* by cursor */
    uint32_t count;              /* nodes */
};

struct walk {
    struct links links;
    uint8_t *state;
    uint32_t *cursor, *stack;
    uint32_t depth;
};

/* A neighbour that is already on the path closes a cycle; returns the next such one, XPD_NO_INDEX =
 * no more. *size = number of nodes in the cycle. */
static uint32_t next_circle(struct walk *walk, uint32_t *start, uint32_t *size)
{
    for (; walk->depth > 0 || *start < walk->links.count;) {
        if (walk->depth == 0) {
            uint32_t node = (*start)++;
            if (walk->state[node] != UNSEEN)
                continue;
            walk->state[node] = ON_THE_WAY;
            walk->cursor[node] = walk->links.first[node];
            walk->stack[walk->depth++] = node;
        }
        uint32_t node = walk->stack[walk->depth - 1];
        if (walk->cursor[node] == walk->links.end[node]) {
            walk->state[node] = DONE;
            walk->depth--;
            continue;
        }
        uint32_t to = walk->links.to[walk->cursor[node]++];
        if (to >= walk->links.count || walk->state[to] == DONE)
            continue;
        if (walk->state[to] == ON_THE_WAY) {
            *size = 1;
            while (walk->stack[walk->depth - *size] != to)
                ++*size;
            return to;
        }
        walk->state[to] = ON_THE_WAY;
        walk->cursor[to] = walk->links.first[to];
        walk->stack[walk->depth++] = to;
    }
    return XPD_NO_INDEX;
}

static bool walk_begin(struct walk *walk, struct links links)
{
    *walk = (struct walk){.links = links,
                          .state = calloc(links.count + (size_t)1, 1),
                          .cursor = calloc(links.count + (size_t)1, sizeof(uint32_t)),
                          .stack = calloc(links.count + (size_t)1, sizeof(uint32_t))};
    return walk->state && walk->cursor && walk->stack;
}

static void walk_end(struct walk *walk)
{
    free(walk->state);
    free(walk->cursor);
    free(walk->stack);
}

/* ---- circles of values ---- */

static bool any_behind(const struct xpd_hlo_instructions *ins)
{
    for (uint32_t i = 0; i < ins->count; i++)
        for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++)
            if (ins->operand[k] != XPD_NO_INDEX && ins->operand[k] >= i)
                return true;
    return false;
}

static bool note_values(struct xpd_warnings *list, const struct xpd_hlo *hlo)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    struct walk walk;
    uint32_t at, size = 0, start = 0;
    if (!any_behind(ins))
        return true;
    bool ok = walk_begin(&walk, (struct links){ins->operand_first, ins->operand_first + 1,
                                               ins->operand, ins->count});
    while (ok && (at = next_circle(&walk, &start, &size)) != XPD_NO_INDEX) {
        struct xpd_str name = xpd_hlo_text(hlo, ins->name[at]);
        xpd_warn(list, XPD_WARNING, "value_circle", XPD_NO_OFFSET,
                 "%%%.*s depends on its own result, in a cycle of %u instruction%s, so it cannot "
                 "run; everything is shown as it is in the file",
                 (int)(name.size < 80 ? name.size : 80), name.data, size, size == 1 ? "" : "s");
    }
    walk_end(&walk);
    return ok;
}

/* ---- literals ---- */

static void note_literals(struct xpd_warnings *list, const struct xpd_graph_index *index,
                          struct xpd_hlo_printer *printer)
{
    const struct xpd_hlo *hlo = index->hlo;
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        uint64_t have, want;
        if (index->op[i] != XPD_GOP_CONSTANT || !xpd_hlo_literal_cut(printer, i, &have, &want))
            continue;
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[i]);
        xpd_warn(list, XPD_WARNING, "literal_cut", XPD_NO_OFFSET,
                 "the literal of %%%.*s is cut short: %llu of %llu values; the text shows these",
                 (int)(name.size < 80 ? name.size : 80), name.data, (unsigned long long)have,
                 (unsigned long long)want);
    }
}

/* what is wrong and does not stop the picture. */
static bool xpd_index_make_notes(struct xpd_graph_index *index, struct xpd_arena *arena,
                                 struct xpd_hlo_printer *printer)
{
    struct xpd_warnings *list = XPD_NEW_ARRAY(arena, struct xpd_warnings, 1);
    if (!list)
        return false;
    *list = index->hlo->warnings;
    list->arena = arena;
    index->warnings = list;
    note_literals(list, index, printer);
    return note_values(list, index->hlo);
}

/* ---- classes of opcodes ---- */

static uint8_t class_of(struct xpd_str opcode)
{
    static const struct {
        const char *opcode;
        uint8_t op;
    } known[] = {{"parameter", XPD_GOP_PARAMETER},
                 {"constant", XPD_GOP_CONSTANT},
                 {"fusion", XPD_GOP_FUSION},
                 {"bitcast", XPD_GOP_BITCAST},
                 {"get-tuple-element", XPD_GOP_ELEMENT},
                 {"tuple", XPD_GOP_TUPLE},
                 {"broadcast", XPD_GOP_BROADCAST},
                 {"custom-call", XPD_GOP_CUSTOM_CALL},
                 {"slice", XPD_GOP_SLICE},
                 {"dynamic-slice", XPD_GOP_SLICE},
                 {"send", XPD_GOP_START},
                 {"recv", XPD_GOP_START}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (xpd_str_eq(opcode, xpd_str_of(known[k].opcode)))
            return known[k].op;
    if (xpd_str_ends(opcode, "-start"))
        return XPD_GOP_START;
    if (xpd_str_ends(opcode, "-update") && xpd_str_starts(opcode, "async"))
        return XPD_GOP_UPDATE;
    return xpd_str_ends(opcode, "-done") ? XPD_GOP_DONE : XPD_GOP_OTHER;
}

static bool make_classes(struct xpd_graph_index *index, struct xpd_arena *arena)
{
    const struct xpd_hlo *hlo = index->hlo;
    uint8_t *op = XPD_NEW_ARRAY(arena, uint8_t, hlo->instructions.count);
    uint8_t *of_name = calloc(hlo->names.count + 1, 1); /* class + 1 by name */
    for (uint32_t i = 0; op && of_name && i < hlo->instructions.count; i++) {
        xpd_name_id name = hlo->instructions.opcode[i];
        if (name < hlo->names.count && of_name[name] == 0)
            of_name[name] = (uint8_t)(class_of(xpd_hlo_text(hlo, name)) + 1);
        op[i] = name < hlo->names.count ? (uint8_t)(of_name[name] - 1) : XPD_GOP_OTHER;
    }
    index->op = op;
    bool ok = op && of_name;
    free(of_name);
    return ok;
}

/* ---- users and callers ---- */

static bool make_users(struct xpd_graph_index *index, struct xpd_arena *arena)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t n = ins->count;
    uint32_t *last = calloc((size_t)n + 1, sizeof *last),
             *next = calloc((size_t)n + 1, sizeof *next);
    uint32_t *first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)n + 1);
    uint32_t *user = NULL;
    for (int pass = 0; last && next && first && pass < 2; pass++) {
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++) {
                uint32_t operand = ins->operand[k], stamp = i + 1;
                if (operand == XPD_NO_INDEX || last[operand] == stamp)
                    continue; /* once, however often it is used */
                last[operand] = stamp;
                if (pass == 0)
                    first[operand + 1]++;
                else if (user)
                    user[next[operand]++] = i;
            }
        for (uint32_t i = 0; pass == 0 && i < n; i++)
            first[i + 1] += first[i];
        if (pass == 0) {
            user = XPD_NEW_ARRAY(arena, uint32_t, first[n]);
            memcpy(next, first, n * sizeof *next);
            memset(last, 0, n * sizeof *last);
        }
    }
    free(last);
    free(next);
    index->user_first = first;
    index->user = user;
    return user != NULL;
}

static bool is_call(const struct xpd_graph_index *index, uint32_t i)
{
    return xpd_str_eq(xpd_hlo_text(index->hlo, index->hlo->instructions.opcode[i]),
                      XPD_STR("call"));
}

static bool make_callers(struct xpd_graph_index *index, struct xpd_arena *arena)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t count = index->hlo->computations.count;
    uint32_t *fusion_of = XPD_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *caller_of = XPD_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *call_of = XPD_NEW_ARRAY(arena, uint32_t, count);
    bool *called = XPD_NEW_ARRAY(arena, bool, count);
    if (!fusion_of || !caller_of || !call_of || !called)
        return false;
    for (uint32_t c = 0; c < count; c++)
        fusion_of[c] = caller_of[c] = call_of[c] = XPD_NO_INDEX;
    for (uint32_t i = 0; i < ins->count; i++)
        for (uint32_t k = ins->called_first[i]; k < ins->called_first[i + 1]; k++) {
            uint32_t c = ins->called[k];
            if (c == XPD_NO_INDEX)
                continue;
            if (caller_of[c] == XPD_NO_INDEX)
                caller_of[c] = i;
            if (is_call(index, i)) {
                call_of[c] = called[c] ? XPD_NO_INDEX : i;
                called[c] = true;
            }
            if (index->op[i] == XPD_GOP_FUSION && k == ins->called_first[i])
                fusion_of[c] = i;
        }
    index->fusion_of = fusion_of;
    index->caller_of = caller_of;
    index->call_of = call_of;
    return true;
}

/* ---- bytes ---- */

/* Shapes are shared by the instructions that have the same: each is measured once. */
static bool make_bytes(struct xpd_graph_index *index, struct xpd_arena *arena)
{
    const struct xpd_hlo *hlo = index->hlo;
    int64_t *bytes = XPD_NEW_ARRAY(arena, int64_t, hlo->instructions.count);
    uint8_t *group = XPD_NEW_ARRAY(arena, uint8_t, hlo->instructions.count);
    struct xpd_map64 seen = {0};
    for (uint32_t i = 0; bytes && group && i < hlo->instructions.count; i++) {
        uint64_t key = (uint64_t)(uintptr_t)hlo->instructions.shape[i];
        uint32_t same = xpd_map64_get(&seen, key);
        bytes[i] = same != XPD_NO_INDEX ? bytes[same] : xpd_shape_bytes(hlo->instructions.shape[i]);
        if (same == XPD_NO_INDEX)
            xpd_map64_put(&seen, key, i);
        group[i] = (uint8_t)xpd_op_group_of(hlo, i);
    }
    bool ok = bytes && group && !seen.failed;
    xpd_map64_fini(&seen);
    index->bytes = bytes;
    index->group = group;
    return ok;
}

uint32_t xpd_index_broadcast_of(const struct xpd_graph_index *index, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    if (index->op[i] != XPD_GOP_BROADCAST || index->fusion_of[ins->computation[i]] == XPD_NO_INDEX)
        return XPD_NO_INDEX;
    uint32_t operand = xpd_index_operand(index, i, 0);
    bool spreads = operand != XPD_NO_INDEX && index->op[operand] == XPD_GOP_CONSTANT &&
                   xpd_shape_is_scalar_like(ins->shape[operand]);
    return spreads ? operand : XPD_NO_INDEX;
}

int xpd_graph_index_make(struct xpd_graph_index *index, struct xpd_arena *arena,
                         const struct xpd_hlo *hlo, struct xpd_hlo_printer *printer,
                         struct xpd_err *err)
{
    *index = (struct xpd_graph_index){.hlo = hlo};
    bool ok = make_classes(index, arena) && make_users(index, arena) &&
              make_callers(index, arena) && make_bytes(index, arena) &&
              xpd_index_make_text(index, arena, printer) && xpd_index_make_folds(index, arena) &&
              xpd_index_make_notes(index, arena, printer) && !arena->failed;
    return ok ? XPD_OK : xpd_no_memory(err, "graph", "for the tables of this module's graph");
}
