/* /api/v1/search: modules, instructions and buffers by name. Exact names first, then prefixes, then
 * parts; within a rank in program order. What lies in a buffer of another name (a copy-done in its
 * copy-start) lists that buffer too, after those that are named so. Only what the answer shows is
 * kept while counting the rest. */
#include "common/name_ranks.h"
#include "tables/table_holders.h"
#include "tables/table_words.h"
#include "xprofd/explain/parts.h"
#include "xprofd/hlo/cost.h"

/* By the words of the name, then, of buffers only, by those of an instruction that lies in it. */
enum { XPD_SEARCH_NAMED = 3, XPD_SEARCH_RANKS = 6 };

enum xpd_search_kind { XPD_FOUND_MODULE, XPD_FOUND_BUFFER, XPD_FOUND_OP, XPD_FOUND_KINDS };

struct xpd_search_hits {
    uint32_t module, index; /* index of the buffer or instruction */
    uint32_t other; /* of an instruction: the buffer its result is in; of a buffer that was not
                       found by its own name: the instruction that was. Else XPD_NO_INDEX */
};

struct xpd_search {
    const struct xpd_tool_ctx *ctx;
    struct xpd_match match;
    uint32_t limit;
    struct xpd_search_hits *hit[XPD_FOUND_KINDS][XPD_SEARCH_RANKS]; /* at most limit each */
    uint32_t kept[XPD_FOUND_KINDS][XPD_SEARCH_RANKS];
    uint64_t total[XPD_FOUND_KINDS];
    bool has_space;
    int64_t color;   /* of the parameter space */
    uint32_t module; /* of the parameter module, XPD_NO_INDEX = all */
    uint64_t other_spaces, other_modules;
    struct xpd_strbuf text;
};

struct xpd_found_row {
    enum xpd_search_kind kind;
    struct xpd_search_hits hit;
    const struct xpd_hlo *hlo; /* NULL for modules */
    const struct xpd_mem *mem;
};

#define XPD_SEARCH_ROW_FIELDS(FIELD)                                                               \
    FIELD(WORD("module buffer op"), kind, "")                                                      \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(TEXT, detail, "key of a module, shape of a buffer, opcode and shape of an instruction")  \
    FIELD(STRING, module, "key")                                                                   \
    FIELD(MAYBE(INDEX), buffer, "buffer of the row, or of the result of an instruction")           \
    FIELD(MAYBE(TEXT), held_by, "for an instruction: name of that buffer, if it differs")          \
    FIELD(MAYBE(TEXT), holds, "for a buffer found by the name of an instruction in it: the name")  \
    FIELD(MAYBE(SIGNED), instruction_id, "")                                                       \
    FIELD(MAYBE(SIGNED), space, "color of the buffer's memory space")                              \
    FIELD(MAYBE(INDEX), step, "first step of the buffer")                                          \
    FIELD(MAYBE(INT), size_bytes, "of a buffer, or of an instruction's result")                    \
    FIELD(MAYBE(SIGNED), saving_bytes, "how far the peak falls without the buffer")
XPD_RECORD_TYPE(xpd_search_row, XPD_SEARCH_ROW_FIELDS)

#define XPD_SEARCH_FIELDS(FIELD)                                                                   \
    FIELD(TEXT, q, "the parameter `parent`")                                                       \
    FIELD(MAYBE(TEXT), note, "what the search could not check")                                    \
    FIELD(MAYBE(TEXT), opcode, "the operation that `q` names")                                     \
    FIELD(MAYBE(STRING), opcode_text, "description of that operation")                             \
    FIELD(INLINE(xpd_search_row), rows, "exact names, then names with this prefix, then the rest") \
    FIELD(INT, total, "rows found, listed or not")                                                 \
    FIELD(INT, total_modules, "")                                                                  \
    FIELD(INT, total_buffers, "")                                                                  \
    FIELD(INT, total_ops, "")                                                                      \
    FIELD(INT, other_spaces, "buffers in memory spaces other than `space`")                        \
    FIELD(INT, other_modules, "rows in modules other than `module`")
XPD_RECORD_TYPE(xpd_search_answer, XPD_SEARCH_FIELDS)

/* The rows of a search. In: what was found. Out: the answer. */

XPD_RECORD_TABLE(xpd_search_row, XPD_SEARCH_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_search_answer, XPD_SEARCH_FIELDS)

static void fill_module(struct xpd_search_row *out, const struct xpd_search *search,
                        const struct xpd_found_row *row)
{
    const struct xpd_module *module = &search->ctx->run->module[row->hit.module];
    out->name = xpd_str_of(module->name);
    out->detail = xpd_str_of(module->key);
    out->buffer = XPD_NO_INDEX;
}

static void fill_op(struct xpd_search_row *out, struct xpd_search *search,
                    const struct xpd_found_row *row)
{
    const struct xpd_hlo *hlo = row->hlo;
    struct xpd_arena *arena = search->ctx->arena;
    uint32_t i = row->hit.index, buffer = row->hit.other;
    struct xpd_str opcode = xpd_hlo_opcode(hlo, i);
    out->name = xpd_hlo_instruction_name(hlo, i);
    xpd_strbuf_add(&search->text, opcode.data, opcode.size);
    xpd_strbuf_putc(&search->text, ' ');
    xpd_shape_text(&search->text, hlo->instructions.shape[i], false);
    out->detail = xpd_strbuf_keep(&search->text, arena);
    out->buffer = buffer;
    out->instruction_id = hlo->instructions.id[i];
    out->size_bytes = xpd_shape_bytes(hlo->instructions.shape[i]);
    if (buffer == XPD_NO_INDEX || row->mem->buffer[buffer].instruction == i)
        return;
    xpd_mem_buffer_name(&search->text, row->mem, buffer);
    out->held_by = xpd_strbuf_keep(&search->text, arena);
}

static void fill_buffer(struct xpd_search_row *out, struct xpd_search *search,
                        const struct xpd_found_row *row)
{
    struct xpd_arena *arena = search->ctx->arena;
    const struct xpd_mem_buffer *buffer = &row->mem->buffer[row->hit.index];
    const struct xpd_mem_space *space =
        xpd_mem_space_of(row->mem, xpd_mem_color_of(row->mem, row->hit.index));
    xpd_mem_buffer_name(&search->text, row->mem, row->hit.index);
    out->name = xpd_strbuf_keep(&search->text, arena);
    xpd_shape_text(&search->text, buffer->shape, false);
    out->detail = xpd_strbuf_keep(&search->text, arena);
    out->buffer = row->hit.index;
    out->size_bytes = buffer->size_bytes;
    if (buffer->instruction != XPD_NO_INDEX)
        out->instruction_id = row->hlo->instructions.id[buffer->instruction];
    if (row->hit.other != XPD_NO_INDEX)
        out->holds = xpd_hlo_instruction_name(row->hlo, row->hit.other);
    if (space)
        out->saving_bytes = xpd_saving_of(row->mem, space, row->hit.index, arena);
}

/* Of the row's buffer, its own or the one that its result lies in. */
static void fill_place(struct xpd_search_row *out, const struct xpd_mem *mem)
{
    if (out->buffer == XPD_NO_INDEX)
        return;
    out->space = xpd_mem_color_of(mem, out->buffer);
    const struct xpd_mem_space *space = xpd_mem_space_of(mem, out->space);
    uint32_t at = mem->buffer[out->buffer].first_tenancy;
    if (space && at < space->tenancy_count)
        out->step = space->tenancy[at].start_step;
}

static void fill_row(struct xpd_search_row *out, struct xpd_search *search,
                     const struct xpd_found_row *row)
{
    static const char *const words[XPD_FOUND_KINDS] = {"module", "buffer", "op"};
    *out = (struct xpd_search_row){.kind = words[row->kind],
                                   .module = search->ctx->run->module[row->hit.module].key,
                                   .instruction_id = XPD_UNKNOWN,
                                   .space = XPD_UNKNOWN,
                                   .step = XPD_NO_STEP,
                                   .size_bytes = -1,
                                   .saving_bytes = XPD_UNKNOWN};
    if (row->kind == XPD_FOUND_MODULE)
        fill_module(out, search, row);
    else if (row->kind == XPD_FOUND_BUFFER)
        fill_buffer(out, search, row);
    else
        fill_op(out, search, row);
    fill_place(out, row->mem);
}

/* What the text names when it names an operation, "copy-done" or "%copy-done.40". */
static void fill_opcode(struct xpd_search_answer *out, struct xpd_str text)
{
    size_t end = text.size;
    if (text.size > 0 && text.data[0] == '%')
        text = (struct xpd_str){text.data + 1, --end};
    while (end > 0 && text.data[end - 1] >= '0' && text.data[end - 1] <= '9')
        end--;
    if (end > 0 && end < text.size && text.data[end - 1] == '.')
        text.size = end - 1;
    out->opcode_text = xpd_opcode_known(text);
    if (out->opcode_text)
        out->opcode = text;
}

/* NULL without memory. */
static const struct xpd_search_answer *
xpd_search_answer_of(struct xpd_search *search, const struct xpd_found_row *rows, uint32_t n)
{
    struct xpd_arena *arena = search->ctx->arena;
    struct xpd_search_answer *out = XPD_NEW(arena, struct xpd_search_answer);
    struct xpd_search_row *row = XPD_NEW_ARRAY(arena, struct xpd_search_row, n);
    char room[XPD_MATCH_NOTE_MAX];
    if (!out || !row)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        fill_row(&row[i], search, &rows[i]);
    out->rows.at = row;
    out->rows.n = n;
    out->q = xpd_param_text(search->ctx, "q");
    out->note =
        xpd_tools_or_null(xpd_arena_str(arena, xpd_str_of(xpd_match_note(&search->match, room))));
    fill_opcode(out, out->q);
    out->total_modules = (int64_t)search->total[XPD_FOUND_MODULE];
    out->total_buffers = (int64_t)search->total[XPD_FOUND_BUFFER];
    out->total_ops = (int64_t)search->total[XPD_FOUND_OP];
    out->total = out->total_modules + out->total_buffers + out->total_ops;
    out->other_spaces = (int64_t)search->other_spaces;
    out->other_modules = (int64_t)search->other_modules;
    return out;
}

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
