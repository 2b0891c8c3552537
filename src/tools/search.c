/* /api/v1/search: modules, instructions and buffers by name. Exact names first, then prefixes, then
 * parts; within a rank in program order. Only what the answer shows is kept while counting the
 * rest. */
#include "tables/name_ranks.h"
#include "tables/table_words.h"
#include "xprofd/hlo/cost.h"

#define LIMIT_DEFAULT 50
#define LIMIT_MAX     500
#define RANKS         3

enum kind { KIND_MODULE, KIND_BUFFER, KIND_OP, KINDS };

struct hit {
    uint32_t module, index; /* index of the buffer or instruction */
};

struct search {
    const struct xpd_tool_ctx *ctx;
    struct xpd_match match;
    uint32_t limit;
    struct hit *hit[KINDS][RANKS]; /* at most limit each */
    uint32_t kept[KINDS][RANKS];
    uint64_t total[KINDS];
    bool has_space;
    int64_t color;   /* of the parameter space */
    uint32_t module; /* of the parameter module, XPD_NO_INDEX = all */
    uint64_t other_spaces, other_modules;
    struct xpd_strbuf text;
};

static void keep(struct search *search, enum kind kind, enum xpd_match_rank rank, struct hit hit)
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
    struct xpd_name_ranks ranks;
};

static void look_at_buffers(struct search *search, const struct place *place)
{
    bool other = search->module != XPD_NO_INDEX && place->module != search->module;
    for (uint32_t i = 0; i < place->hlo->buffers.count; i++) {
        enum xpd_match_rank rank =
            xpd_rank_of_buffer(&place->ranks, &search->match, place->mem, i, &search->text);
        if (rank == XPD_MATCH_NONE)
            continue;
        if (other)
            search->other_modules++;
        else if (search->has_space && place->words->color[i] != search->color)
            search->other_spaces++;
        else
            keep(search, KIND_BUFFER, rank, (struct hit){place->module, i});
    }
}

static void look_at_instructions(struct search *search, const struct place *place)
{
    bool other = search->module != XPD_NO_INDEX && place->module != search->module;
    for (uint32_t i = 0; i < place->hlo->instructions.count; i++) {
        enum xpd_match_rank rank = xpd_rank_of_instruction(&place->ranks, i);
        if (rank == XPD_MATCH_NONE)
            continue;
        if (other)
            search->other_modules++;
        else
            keep(search, KIND_OP, rank, (struct hit){place->module, i});
    }
}

/* Names that no table can hold, one by one. */
static const uint8_t *rank_each(struct search *search, const struct xpd_hlo *hlo)
{
    uint8_t *rank = XPD_NEW_ARRAY(search->ctx->arena, uint8_t, hlo->instructions.count);
    for (uint32_t i = 0; rank && i < hlo->instructions.count; i++)
        rank[i] =
            (uint8_t)xpd_match_test(&search->match, xpd_hlo_text(hlo, hlo->instructions.name[i]));
    return rank;
}

/* False: no memory, which the arena keeps. */
static bool open_place(struct search *search, struct place *place)
{
    struct xpd_tool_ctx ctx = *search->ctx;
    ctx.module = place->module;
    ctx.hlo = place->hlo;
    ctx.mem = place->mem;
    place->words = xpd_table_words(&ctx, NULL);
    if (!place->words)
        return false;
    place->ranks = xpd_name_ranks_of(&ctx, &search->match);
    if (!place->ranks.rank && !place->ranks.state)
        place->ranks.rank = rank_each(search, place->hlo);
    return place->ranks.rank || place->ranks.state;
}

static void look_everywhere(struct search *search)
{
    const struct xpd_run *run = search->ctx->run;
    for (uint32_t i = 0; i < run->module_count; i++) {
        struct place place = {.module = i};
        enum xpd_match_rank rank = xpd_match_test(&search->match, xpd_str_of(run->module[i].name));
        if (rank == XPD_MATCH_NONE)
            rank = xpd_match_test(&search->match, xpd_str_of(run->module[i].key));
        if (rank != XPD_MATCH_NONE)
            keep(search, KIND_MODULE, rank, (struct hit){i, 0});
        if (xpd_store_module(search->ctx->store, run, i, &place.hlo, &place.mem, NULL) != XPD_OK)
            continue;
        if (!open_place(search, &place))
            return;
        look_at_buffers(search, &place);
        look_at_instructions(search, &place);
    }
}

/* ---- answer ---- */

struct row {
    enum kind kind;
    struct hit hit;
    const struct xpd_hlo *hlo; /* NULL for modules */
    const struct xpd_mem *mem;
};

static int collect(const struct search *search, struct row **rows, uint32_t *count,
                   struct xpd_err *err)
{
    uint32_t n = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        uint32_t of_kind = 0;
        for (int rank = 0; rank < RANKS; rank++)
            of_kind += search->kept[kind][rank];
        n += of_kind < search->limit ? of_kind : search->limit;
    }
    *rows = XPD_NEW_ARRAY(search->ctx->arena, struct row, n);
    *count = 0;
    if (!*rows)
        return xpd_tools_no_memory(err);
    for (int kind = 0; kind < KINDS; kind++) {
        uint32_t left = search->limit;
        for (int rank = 0; rank < RANKS; rank++)
            for (uint32_t i = 0; i < search->kept[kind][rank] && left > 0; i++, left--) {
                struct row *row = &(*rows)[(*count)++];
                row->kind = (enum kind)kind;
                row->hit = search->hit[kind][rank][i];
                if (kind != KIND_MODULE &&
                    xpd_store_module(search->ctx->store, search->ctx->run, row->hit.module,
                                     &row->hlo, &row->mem, NULL) != XPD_OK)
                    --*count;
            }
    }
    return XPD_OK;
}

static void name_of(struct xpd_jsonw *w, struct search *search, const struct row *row)
{
    const struct xpd_module *module = &search->ctx->run->module[row->hit.module];
    xpd_strbuf_clear(&search->text);
    if (row->kind == KIND_MODULE)
        xpd_strbuf_puts(&search->text, module->name);
    else if (row->kind == KIND_BUFFER)
        xpd_tools_buffer_name(&search->text, row->mem, row->hit.index);
    xpd_json_str(w, row->kind == KIND_OP ? xpd_tools_instruction_name(row->hlo, row->hit.index)
                                         : (struct xpd_str){search->text.data, search->text.size});
}

static void detail_of(struct xpd_jsonw *w, struct search *search, const struct row *row)
{
    xpd_strbuf_clear(&search->text);
    if (row->kind == KIND_MODULE) {
        xpd_json_text(w, search->ctx->run->module[row->hit.module].key);
        return;
    }
    if (row->kind == KIND_BUFFER) {
        xpd_shape_text(&search->text, row->mem->buffer[row->hit.index].shape, false);
    } else {
        struct xpd_str opcode = xpd_tools_opcode(row->hlo, row->hit.index);
        xpd_strbuf_add(&search->text, opcode.data, opcode.size);
        xpd_strbuf_putc(&search->text, ' ');
        xpd_shape_text(&search->text, row->hlo->instructions.shape[row->hit.index], false);
    }
    xpd_json_str(w, (struct xpd_str){search->text.data, search->text.size});
}

static uint32_t instruction_of(const struct row *row)
{
    return row->kind == KIND_OP       ? row->hit.index
           : row->kind == KIND_BUFFER ? row->mem->buffer[row->hit.index].instruction
                                      : XPD_NO_INDEX;
}

static void instruction_id_of(struct xpd_jsonw *w, const struct row *row)
{
    uint32_t instruction = instruction_of(row);
    if (instruction == XPD_NO_INDEX)
        xpd_json_null(w);
    else
        xpd_json_i64(w, row->hlo->instructions.id[instruction]);
}

static void space_of(struct xpd_jsonw *w, const struct row *row)
{
    if (row->kind == KIND_BUFFER)
        xpd_json_i64(w, xpd_tools_color_of(row->mem, row->hit.index));
    else
        xpd_json_null(w);
}

static void step_of(struct xpd_jsonw *w, const struct row *row)
{
    uint32_t step = XPD_NO_STEP;
    if (row->kind == KIND_BUFFER) {
        int64_t color = xpd_tools_color_of(row->mem, row->hit.index);
        const struct xpd_mem_space *space = xpd_mem_space_of(row->mem, color);
        uint32_t at = row->mem->buffer[row->hit.index].first_tenancy;
        if (space && at < space->tenancy_count)
            step = space->tenancy[at].start_step;
    }
    xpd_tools_index(w, step);
}

/* Of an instruction: what its result takes, whoever holds it. */
static void size_of(struct xpd_jsonw *w, const struct row *row)
{
    if (row->kind == KIND_BUFFER)
        xpd_json_i64(w, row->mem->buffer[row->hit.index].size_bytes);
    else if (row->kind == KIND_OP)
        xpd_json_i64(w, xpd_shape_bytes(row->hlo->instructions.shape[row->hit.index]));
    else
        xpd_json_null(w);
}

/* By how much the peak of its memory space falls without it. */
static void saving_of(struct xpd_jsonw *w, const struct search *search, const struct row *row)
{
    const struct xpd_mem_space *space =
        row->kind == KIND_BUFFER
            ? xpd_mem_space_of(row->mem, xpd_tools_color_of(row->mem, row->hit.index))
            : NULL;
    if (space)
        xpd_json_i64(w, xpd_tools_saving_of(row->mem, space, row->hit.index, search->ctx->arena));
    else
        xpd_json_null(w);
}

static void write(struct xpd_jsonw *w, struct search *search, const struct row *rows, uint32_t n)
{
    static const char *const words[KINDS] = {"module", "buffer", "op"};
    const struct xpd_module *module = search->ctx->run->module;
    const char *note = search->match.stopped      ? "stopped: the regular expression is too slow"
                       : search->match.problem[0] ? search->match.problem
                                                  : NULL;
    xpd_json_obj(w);
    xpd_json_kstr(w, "q", xpd_param_text(search->ctx, "q"));
    xpd_json_ktext(w, "note", note);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "kind", n, xpd_json_text(w, words[rows[row].kind]));
    XPD_COLUMN(w, "name", n, name_of(w, search, &rows[row]));
    XPD_COLUMN(w, "detail", n, detail_of(w, search, &rows[row]));
    XPD_COLUMN(w, "module", n, xpd_json_text(w, module[rows[row].hit.module].key));
    XPD_COLUMN(
        w, "buffer", n,
        xpd_tools_index(w, rows[row].kind == KIND_BUFFER ? rows[row].hit.index : XPD_NO_INDEX));
    XPD_COLUMN(w, "instruction_id", n, instruction_id_of(w, &rows[row]));
    XPD_COLUMN(w, "space", n, space_of(w, &rows[row]));
    XPD_COLUMN(w, "step", n, step_of(w, &rows[row]));
    XPD_COLUMN(w, "size_bytes", n, size_of(w, &rows[row]));
    XPD_COLUMN(w, "saving_bytes", n, saving_of(w, search, &rows[row]));
    xpd_json_ku64(w, "total",
                  search->total[KIND_MODULE] + search->total[KIND_BUFFER] + search->total[KIND_OP]);
    xpd_json_ku64(w, "total_modules", search->total[KIND_MODULE]);
    xpd_json_ku64(w, "total_buffers", search->total[KIND_BUFFER]);
    xpd_json_ku64(w, "total_ops", search->total[KIND_OP]);
    xpd_json_ku64(w, "other_spaces", search->other_spaces);
    xpd_json_ku64(w, "other_modules", search->other_modules);
    xpd_json_obj_end(w);
}

static int open_search(struct search *search, struct xpd_err *err)
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
    for (int kind = 0; kind < KINDS; kind++)
        for (int rank = 0; rank < RANKS; rank++) {
            search->hit[kind][rank] = XPD_NEW_ARRAY(ctx->arena, struct hit, search->limit);
            if (!search->hit[kind][rank])
                return xpd_tools_no_memory(err);
        }
    return XPD_OK;
}

static int search_tool(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                       struct xpd_err *err)
{
    struct search search = {.ctx = ctx};
    struct row *rows;
    uint32_t n;
    int rc = open_search(&search, err);
    if (rc != XPD_OK)
        return rc;
    xpd_match_init(&search.match, xpd_param_text(ctx, "q"));
    if (search.match.text.size > 0)
        look_everywhere(&search);
    rc = collect(&search, &rows, &n, err);
    if (rc == XPD_OK) {
        struct xpd_jsonw w;
        xpd_jsonw_init(&w, &out->body);
        write(&w, &search, rows, n);
        if (search.text.failed)
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
    .run = search_tool,
};
