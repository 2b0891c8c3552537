/* A pattern on buffers. In: a pattern. Out: whether it fits.
 *
 * Of a whole space names, op names and source lines are looked through in one pass each
 * (name_ranks.h, table_paths.h); then instructions with rows (table_owners.h) look up what was said
 * of theirs, rows what was said of their instructions. A row seldom is like the one before, so
 * those passes make no choice that the processor would have to guess. */
#include "buffer_tries.h"

#include "../tables/table_paths.h"
#include "table_owners.h"

enum { UNTRIED, YES, NO };

#define SHAPES_LOG2 11
#define SHAPES      (1 << SHAPES_LOG2)

struct xpd_tried_shape { /* a newer one takes the place of an older one */
    struct xpd_shape shape;
    uint8_t yes; /* UNTRIED, YES, NO */
};

static uint8_t answer(bool yes)
{
    return yes ? YES : NO;
}

void xpd_tries_init(struct xpd_tries *tries, const struct xpd_tool_ctx *ctx, struct xpd_str typed)
{
    *tries = (struct xpd_tries){.ctx = ctx};
    for (size_t i = 0; i < typed.size; i++)
        tries->shape_too |= typed.data[i] == '[' || typed.data[i] == ',';
    xpd_match_init(&tries->match, typed);
    tries->index_too = xpd_match_in_index(&tries->match);
}

void xpd_tries_fini(struct xpd_tries *tries)
{
    xpd_match_fini(&tries->match);
    xpd_strbuf_fini(&tries->text);
}

bool xpd_tries_begin(struct xpd_tries *tries, const struct xpd_words *words)
{
    const struct xpd_hlo *hlo = tries->ctx->hlo;
    struct xpd_arena *arena = tries->ctx->arena;
    tries->words = words;
    tries->source = XPD_NEW_ARRAY(arena, uint8_t, words->text_count);
    tries->name = XPD_NEW_ARRAY(arena, uint8_t, hlo->names.count);
    tries->instruction = XPD_NEW_ARRAY(arena, uint8_t, hlo->instructions.count);
    if (tries->shape_too)
        tries->shape = XPD_NEW_ARRAY(arena, struct xpd_tried_shape, SHAPES);
    return tries->source && tries->name && tries->instruction &&
           (tries->shape || !tries->shape_too);
}

/* ---- one by one ---- */

static bool try_text(struct xpd_tries *tries, struct xpd_str text)
{
    return text.size > 0 && xpd_match_test(&tries->match, text) != XPD_MATCH_NONE;
}

static bool try_name(struct xpd_tries *tries, xpd_name_id id)
{
    if (tries->name[id] == UNTRIED)
        tries->name[id] = answer(try_text(tries, xpd_hlo_text(tries->ctx->hlo, id)));
    return tries->name[id] == YES;
}

/* Name, opcode, op name, source line. */
static bool try_instruction(struct xpd_tries *tries, uint32_t instruction)
{
    const struct xpd_hlo *hlo = tries->ctx->hlo;
    const struct xpd_words *words = tries->words;
    uint8_t *tried = &tries->instruction[instruction];
    if (*tried != UNTRIED)
        return *tried == YES;
    bool yes = tries->ranks.rank || tries->ranks.state
                   ? xpd_rank_of_instruction(&tries->ranks, instruction) != XPD_MATCH_NONE
                   : try_text(tries, xpd_hlo_text(hlo, hlo->instructions.name[instruction]));
    yes = yes || try_name(tries, hlo->instructions.opcode[instruction]) ||
          try_name(tries, words->op_name[instruction]);
    uint32_t source = words->source[instruction];
    if (!yes && tries->source[source] == UNTRIED)
        tries->source[source] = answer(try_text(tries, words->text[source]));
    yes = yes || tries->source[source] == YES;
    *tried = answer(yes);
    return yes;
}

static bool try_buffer_name(struct xpd_tries *tries, uint32_t buffer)
{
    xpd_strbuf_clear(&tries->text);
    xpd_tools_buffer_name(&tries->text, tries->ctx->mem, buffer);
    return try_text(tries, (struct xpd_str){tries->text.data, tries->text.size});
}

/* Whether the buffer's whole name matches although its instruction's does not. */
static bool is_in_name_only(struct xpd_tries *tries, uint32_t buffer)
{
    const struct xpd_hlo *hlo = tries->ctx->hlo;
    uint32_t instruction = hlo->buffers.instruction[buffer];
    if (instruction == XPD_NO_INDEX || hlo->instructions.name[instruction] == 0)
        return try_buffer_name(tries, buffer);
    return tries->index_too &&
           hlo->buffers.index_first[buffer] < hlo->buffers.index_first[buffer + 1] &&
           xpd_rank_of_buffer(&tries->ranks, &tries->match, tries->ctx->mem, buffer,
                              &tries->text) != XPD_MATCH_NONE;
}

static bool try_shape(struct xpd_tries *tries, const struct xpd_shape *shape)
{
    struct xpd_tried_shape *tried = &tries->shape[xpd_shape_hash(shape) >> (64 - SHAPES_LOG2)];
    if (tried->yes == UNTRIED || !xpd_is_same_shape(&tried->shape, shape)) {
        xpd_strbuf_clear(&tries->text);
        xpd_shape_text(&tries->text, shape, true);
        tried->shape = *shape;
        tried->yes = answer(try_text(tries, (struct xpd_str){tries->text.data, tries->text.size}));
    }
    return tried->yes == YES;
}

bool xpd_tries_buffer(struct xpd_tries *tries, uint32_t buffer)
{
    if (tries->match.text.size == 0)
        return true;
    if (buffer == XPD_NO_INDEX)
        return false;
    uint32_t instruction = tries->ctx->hlo->buffers.instruction[buffer];
    if (instruction != XPD_NO_INDEX && try_instruction(tries, instruction))
        return true;
    if (is_in_name_only(tries, buffer))
        return true;
    return tries->shape_too && try_shape(tries, tries->ctx->mem->buffer[buffer].shape);
}

/* ---- all of a space ---- */

/* By rest: whether the opcode or the source line matches. */
static const uint8_t *try_rests(struct xpd_tries *tries, const struct xpd_row_owners *owners,
                                const uint8_t *found)
{
    uint8_t *fits = xpd_arena_bytes(tries->ctx->arena, owners->rest_count);
    for (uint32_t i = 0; fits && i < owners->rest_count; i++)
        fits[i] = try_name(tries, owners->rest[i].opcode) | found[owners->rest[i].source];
    return fits;
}

/* The states that the owners' names lead to; of those that match by another text that of a match.
 */
static void fill_states(const struct xpd_tries *tries, const struct xpd_name_states *states,
                        const struct xpd_row_owners *owners, const uint8_t *found,
                        const uint8_t *fits, uint16_t *of)
{
    const struct xpd_name_ranks *ranks = &tries->ranks;
    const uint32_t *instruction = owners->instruction, *op_name = owners->op_name;
    const uint32_t *rest = owners->rest_of;
    uint32_t n = owners->count;
    uint16_t yes = states->yes, no = states->no;
    if (ranks->state) {
        const uint16_t *state = ranks->state;
        for (uint32_t i = 0; i < n; i++) {
            uint16_t own = state[instruction[i]];
            bool matches = (own == XPD_DFA_MATCHED) | found[op_name[i]] | fits[rest[i]];
            own = own == XPD_DFA_NO_TEXT ? no : own;
            of[i] = matches ? yes : own;
        }
    } else {
        const uint8_t *rank = ranks->rank;
        const xpd_name_id *name = tries->ctx->hlo->instructions.name;
        for (uint32_t i = 0; i < n; i++) {
            uint16_t own = name[instruction[i]] ? 0 : no;
            bool matches =
                (rank[instruction[i]] != XPD_MATCH_NONE) | found[op_name[i]] | fits[rest[i]];
            of[i] = matches ? yes : own;
        }
    }
    of[n] = no;
}

/* 1 = its instruction matches, or its name with the shape index. */
static void look_up_rows(const struct xpd_name_states *states, const struct xpd_all_rows *all,
                         const uint32_t *owner_of, const uint16_t *of, uint8_t *yes)
{
    const uint32_t *buffer = all->buffer, *index_of = states->index_of;
    const uint8_t *matches = states->matches;
    uint32_t n = all->count, width = states->index_count;
    if (index_of)
        for (uint32_t i = 0; i < n; i++)
            yes[i] = matches[of[owner_of[i]] * width + index_of[buffer[i]]];
    else
        for (uint32_t i = 0; i < n; i++)
            yes[i] = matches[of[owner_of[i]]];
}

/* Rows whose name is not their instruction's, or not known to be. */
static void try_odd_names(struct xpd_tries *tries, const struct xpd_all_rows *all, bool known,
                          uint8_t *yes)
{
    uint32_t n = known ? all->nameless_count : all->count;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = known ? all->nameless[i] : i;
        if (!yes[row])
            yes[row] = is_in_name_only(tries, all->buffer[row]);
    }
}

static bool or_shapes(struct xpd_tries *tries, const struct xpd_all_rows *all, uint8_t *yes)
{
    const struct xpd_row_shapes *shapes = xpd_table_row_shapes(tries->ctx, NULL);
    uint8_t *fits = shapes ? xpd_arena_bytes(tries->ctx->arena, shapes->text_count) : NULL;
    if (!fits)
        return false;
    for (uint32_t i = 0; i < shapes->text_count; i++)
        fits[i] = try_text(tries, shapes->text[i]);
    const uint32_t *text_of = shapes->text_of;
    for (uint32_t i = 0, n = all->count; i < n; i++)
        yes[i] |= fits[text_of[i]];
    return true;
}

const uint8_t *xpd_tries_rows(struct xpd_tries *tries, const struct xpd_all_rows *all)
{
    const struct xpd_tool_ctx *ctx = tries->ctx;
    const struct xpd_path_table *paths = xpd_table_paths(ctx, NULL);
    const uint8_t *found = paths ? xpd_paths_found(paths, &tries->match, ctx->arena) : NULL;
    const struct xpd_row_owners *owners = found ? xpd_table_owners(ctx, NULL) : NULL;
    struct xpd_name_states states;
    tries->ranks = xpd_name_found_of(ctx, &tries->match);
    if (!owners || !(tries->ranks.rank || tries->ranks.state) ||
        !xpd_name_states_of(&states, &tries->ranks, &tries->match, ctx, all->count))
        return NULL;
    uint16_t *of = XPD_NEW_ROOM(ctx->arena, uint16_t, (size_t)owners->count + 1);
    uint8_t *yes = xpd_arena_bytes(ctx->arena, all->count);
    const uint8_t *fits = try_rests(tries, owners, found);
    if (!of || !yes || !fits)
        return NULL;
    fill_states(tries, &states, owners, found, fits, of);
    for (uint32_t i = 0; i < owners->odd_count; i++)
        if (try_instruction(tries, owners->instruction[owners->odd[i]]))
            of[owners->odd[i]] = states.yes;
    look_up_rows(&states, all, owners->owner_of, of, yes);
    try_odd_names(tries, all, states.knows_behind, yes);
    return !tries->shape_too || or_shapes(tries, all, yes) ? yes : NULL;
}
