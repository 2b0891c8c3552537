/* /api/v1/search: modules, instructions and buffers by name. Exact names first, then prefixes, then
 * parts; within a rank in program order. What lies in a buffer of another name (a copy-done in its
 * copy-start) lists that buffer too, after those that are named so. Only what the answer shows is
 * kept while counting the rest. */
#include "search_parts.h"
#include "tables/table_holders.h"
#include "tables/table_words.h"

#define LIMIT_DEFAULT 50
#define LIMIT_MAX     500

static void keep(struct xpd_search *search, enum xpd_search_kind kind, uint32_t rank,
                 struct xpd_search_hits hit)
{
    search->total[kind]++;
    if (search->kept[kind][rank] < search->limit)
        search->hit[kind][rank][search->kept[kind][rank]++] = hit;
}

/* A module while it is looked through. */
struct place {
    uint32_t module;
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    const struct xpd_words *words;
    const uint32_t *holder; /* by instruction */
    bool *listed;           /* by buffer: found already */
    struct xpd_name_ranks ranks;
};

static void keep_buffer(struct xpd_search *search, const struct place *place, uint32_t rank,
                        struct xpd_search_hits hit)
{
    place->listed[hit.index] = true;
    keep(search, XPD_FOUND_BUFFER, rank, hit);
}

/* The buffer that an instruction's result lies in, unless its own name was found. */
static void look_at_holder(struct xpd_search *search, const struct place *place, uint32_t rank,
                           uint32_t instruction)
{
    uint32_t buffer = place->holder[instruction];
    if (buffer == XPD_NO_INDEX || place->listed[buffer] ||
        (search->has_space && place->words->color[buffer] != search->color))
        return;
    keep_buffer(search, place, XPD_SEARCH_NAMED + rank,
                (struct xpd_search_hits){place->module, buffer, instruction});
}

static void look_at_buffers(struct xpd_search *search, struct place *place)
{
    bool other = search->module != XPD_NO_INDEX && place->module != search->module;
    for (uint32_t i = 0; i < place->hlo->buffers.count; i++) {
        enum xpd_match_rank rank = xpd_rank_of_buffer(&place->ranks, i, &search->text);
        if (rank == XPD_MATCH_NONE)
            continue;
        if (other)
            search->other_modules++;
        else if (search->has_space && place->words->color[i] != search->color)
            search->other_spaces++;
        else
            keep_buffer(search, place, rank,
                        (struct xpd_search_hits){place->module, i, XPD_NO_INDEX});
    }
}

static void look_at_instructions(struct xpd_search *search, struct place *place)
{
    bool other = search->module != XPD_NO_INDEX && place->module != search->module;
    for (uint32_t i = 0; i < place->hlo->instructions.count; i++) {
        enum xpd_match_rank rank = xpd_rank_of_instruction(&place->ranks, i);
        if (rank == XPD_MATCH_NONE)
            continue;
        if (other) {
            search->other_modules++;
            continue;
        }
        keep(search, XPD_FOUND_OP, rank,
             (struct xpd_search_hits){place->module, i, place->holder[i]});
        look_at_holder(search, place, rank, i);
    }
}

/* False: no memory, which the arena keeps. */
static bool open_place(struct xpd_search *search, struct place *place)
{
    struct xpd_tool_ctx ctx = *search->ctx;
    ctx.module = place->module;
    ctx.hlo = place->hlo;
    ctx.mem = place->mem;
    place->words = xpd_table_words(&ctx, NULL);
    const struct xpd_holders *holders = place->words ? xpd_table_holders(&ctx, NULL) : NULL;
    place->listed = XPD_NEW_ARRAY(ctx.arena, bool, place->hlo->buffers.count);
    if (!holders || !place->listed)
        return false;
    place->holder = holders->of_instruction;
    return xpd_name_ranks_init(&place->ranks, &search->match, place->mem, ctx.arena);
}

static void look_everywhere(struct xpd_search *search)
{
    const struct xpd_run *run = search->ctx->run;
    for (uint32_t i = 0; i < run->module_count; i++) {
        struct place place = {.module = i};
        enum xpd_match_rank rank = xpd_match_test(&search->match, xpd_str_of(run->module[i].name));
        if (rank == XPD_MATCH_NONE)
            rank = xpd_match_test(&search->match, xpd_str_of(run->module[i].key));
        if (rank != XPD_MATCH_NONE)
            keep(search, XPD_FOUND_MODULE, rank, (struct xpd_search_hits){i, 0, XPD_NO_INDEX});
        if (xpd_store_module(search->ctx->store, run, i, &place.hlo, &place.mem, NULL) != XPD_OK)
            continue;
        if (!open_place(search, &place))
            return;
        look_at_buffers(search, &place);
        look_at_instructions(search, &place);
    }
}

/* ---- answer ---- */

static int collect(const struct xpd_search *search, struct xpd_found_row **rows, uint32_t *count,
                   struct xpd_err *err)
{
    uint32_t n = 0;
    for (int kind = 0; kind < XPD_FOUND_KINDS; kind++) {
        uint32_t of_kind = 0;
        for (int rank = 0; rank < XPD_SEARCH_RANKS; rank++)
            of_kind += search->kept[kind][rank];
        n += of_kind < search->limit ? of_kind : search->limit;
    }
    *rows = XPD_NEW_ARRAY(search->ctx->arena, struct xpd_found_row, n);
    *count = 0;
    if (!*rows)
        return xpd_tools_no_memory(err);
    for (int kind = 0; kind < XPD_FOUND_KINDS; kind++) {
        uint32_t left = search->limit;
        for (int rank = 0; rank < XPD_SEARCH_RANKS; rank++)
            for (uint32_t i = 0; i < search->kept[kind][rank] && left > 0; i++, left--) {
                struct xpd_found_row *row = &(*rows)[(*count)++];
                row->kind = (enum xpd_search_kind)kind;
                row->hit = search->hit[kind][rank][i];
                if (kind != XPD_FOUND_MODULE &&
                    xpd_store_module(search->ctx->store, search->ctx->run, row->hit.module,
                                     &row->hlo, &row->mem, NULL) != XPD_OK)
                    --*count;
            }
    }
    return XPD_OK;
}

static int open_search(struct xpd_search *search, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = search->ctx;
    struct xpd_str key = xpd_param_text(ctx, "module");
    search->module = XPD_NO_INDEX;
    if (key.size > 0) {
        int rc = xpd_run_find_module(ctx->run, key, &search->module, err);
        if (rc != XPD_OK)
            return rc;
    }
    search->has_space = xpd_str_to_i64(xpd_param_text(ctx, "space"), &search->color);
    search->limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_search, "limit");
    for (int kind = 0; kind < XPD_FOUND_KINDS; kind++)
        for (int rank = 0; rank < XPD_SEARCH_RANKS; rank++) {
            search->hit[kind][rank] =
                XPD_NEW_ARRAY(ctx->arena, struct xpd_search_hits, search->limit);
            if (!search->hit[kind][rank])
                return xpd_tools_no_memory(err);
        }
    return XPD_OK;
}

static int search_tool(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_search search = {.ctx = ctx};
    struct xpd_found_row *rows;
    uint32_t n;
    int rc = open_search(&search, err);
    if (rc != XPD_OK)
        return rc;
    xpd_match_init(&search.match, xpd_param_text(ctx, "q"));
    if (search.match.text.size > 0)
        look_everywhere(&search);
    rc = collect(&search, &rows, &n, err);
    if (rc == XPD_OK) {
        *answer = xpd_search_answer_of(&search, rows, n);
        if (!*answer || search.text.failed)
            rc = xpd_tools_no_memory(err);
    }
    xpd_match_fini(&search.match);
    xpd_strbuf_fini(&search.text);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "q",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .max = XPD_MATCH_PATTERN_MAX + 2,
     .help = "text, or /regular expression/"},
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, LIMIT_MAX, "rows of each kind"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_search = {
    .route = "/api/v1/search",
    .title = "Modules, buffers and instructions by name.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_search_answer_record,
    .make = search_tool,
};
