/* What is wrong in a module and does not stop the picture: circles of values, literals
 * that are cut short (circles of calls are told when it is loaded). In: the index and a printer.
 * Out: index->warnings, behind what loading the module said. Good files pay a look at each operand:
 * producers stand before their users, so that only an operand that stands behind its user makes the
 * search for a circle begin.
 */
#include "index_parts.h"

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

/* A neighbour that is on the way already closes a circle; the next such one, XPD_NO_INDEX = no
 * more. *size = how many nodes it goes through. */
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
        xpd_warn(
            list, XPD_WARNING, "value_circle", XPD_NO_OFFSET,
            "%%%.*s takes its own result, in a circle of %u instruction%s: nothing can run so; "
            "everything is shown as it stands in the file",
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

bool xpd_index_make_notes(struct xpd_graph_index *index, struct xpd_arena *arena,
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
