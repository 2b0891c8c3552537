/* /api/v1/card: what the start page shows of a run without opening it. */
#include "../common/rail.h"
#include "run_problem.h"
#include "split.h"

#define CURVE_MAX 160

#define XPD_CARD_CURVE_FIELDS(FIELD)                                                               \
    FIELD(INT, min, "bytes of temporaries, the least of a column")                                 \
    FIELD(INT, max, "the most")
XPD_RECORD(xpd_card_column, XPD_CARD_CURVE_FIELDS)

#define XPD_CARD_PICTURE_FIELDS(FIELD)                                                             \
    FIELD(INLINE(xpd_card_column), columns, "over the program, at most 160")                       \
    FIELD(INT, resident_bytes, "below them")
XPD_RECORD(xpd_card_curve, XPD_CARD_PICTURE_FIELDS)

#define XPD_CARD_HOLDS_FIELDS(FIELD)                                                               \
    FIELD(MAYBE(STRING), memory, "null: it holds what Memory needs; else why not")                 \
    FIELD(MAYBE(STRING), trace, "")                                                                \
    FIELD(MAYBE(STRING), graph, "")
XPD_RECORD(xpd_card_holds, XPD_CARD_HOLDS_FIELDS)

#define XPD_CARD_FILE_FIELDS(FIELD)                                                                \
    FIELD(STRING, name, "")                                                                        \
    FIELD(INT, size_bytes, "")
XPD_RECORD(xpd_card_file, XPD_CARD_FILE_FIELDS)

#define XPD_RUN_CARD_FIELDS(FIELD)                                                                 \
    FIELD(STRING, id, "")                                                                          \
    FIELD(WORD(XPD_RUN_KINDS), kind, "")                                                           \
    FIELD(MAYBE(TEXT), platform, "`tpu`, `gpu`, `cpu`")                                            \
    FIELD(MAYBE(TEXT), device_type, "`TPU v6 Lite`, ...")                                          \
    FIELD(COUNT, device_count, "")                                                                 \
    FIELD(VALUES(STRING), hosts, "names")                                                          \
    FIELD(MAYBE(STRING), module, "key of the default one; null: none can be read")                 \
    FIELD(MAYBE(STRING), module_name, "")                                                          \
    FIELD(COUNT, other_modules, "modules beside it")                                               \
    FIELD(MAYBE(INT), peak_bytes, "of its main memory space")                                      \
    FIELD(MAYBE(SIGNED), peak_space, "color of that space")                                        \
    XPD_CAPACITY_FIELDS(FIELD)                                                                     \
    FIELD(MAYBE(FLAG), same_program,                                                               \
          "of a dump beside a profile: whether both hold one program; null: not known")            \
    FIELD(MAYBE(OBJECT(xpd_summary_split)), split, "of the peak")                                  \
    FIELD(MAYBE(OBJECT(xpd_card_curve)), curve, "")                                                \
    FIELD(MAYBE(INT), steps, "of the memory space")                                                \
    FIELD(MAYBE(INT), instructions, "of the module")                                               \
    FIELD(INT, events, "of the run")                                                               \
    FIELD(OBJECT(xpd_card_holds), holds, "")                                                       \
    FIELD(MAYBE(OBJECT(xpd_run_problem)), problem, "the worst")                                    \
    FIELD(COUNT, problems, "how many")                                                             \
    FIELD(LIST(xpd_card_file), files, "at most 200")                                               \
    FIELD(COUNT, files_left_out, "")
XPD_RECORD(xpd_run_card, XPD_RUN_CARD_FIELDS)

struct card {
    uint32_t module; /* XPD_NO_INDEX = none readable */
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space;
    struct xpd_peak_split split; /* of the space's peak, when there is one */
};

static void open_card(const struct xpd_tool_ctx *ctx, struct card *card)
{
    memset(card, 0, sizeof *card);
    if (xpd_store_default_module(ctx->store, ctx->run, &card->module, NULL) != XPD_OK ||
        xpd_store_module(ctx->store, ctx->run, card->module, &card->hlo, &card->mem, NULL) !=
            XPD_OK) {
        *card = (struct card){.module = XPD_NO_INDEX};
        return;
    }
    card->space = xpd_mem_main_space(card->mem);
}

static const struct xpd_card_curve *curve_of(const struct xpd_tool_ctx *ctx,
                                             const struct xpd_mem_space *space)
{
    struct xpd_card_curve *out = XPD_NEW(ctx->arena, struct xpd_card_curve);
    struct xpd_curve_column *column = XPD_NEW_ARRAY(ctx->arena, struct xpd_curve_column, CURVE_MAX);
    struct xpd_card_column *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_card_column, CURVE_MAX);
    struct xpd_step_window all = {0, space->step_count};
    if (!out || !column || !row)
        return NULL;
    uint32_t n = space->step_count ? xpd_curve(space, all, CURVE_MAX, column) : 0;
    for (uint32_t i = 0; i < n; i++)
        row[i] = (struct xpd_card_column){column[i].min_live, column[i].max_live};
    out->columns.at = row;
    out->columns.n = n;
    out->resident_bytes = space->totals.resident;
    return out;
}

static int fill_memory(struct xpd_run_card *out, const struct xpd_tool_ctx *ctx, struct card *card,
                       struct xpd_err *err)
{
    const struct xpd_mem_space *space = card->space;
    struct xpd_held_list peak;
    int rc = xpd_held_at(&peak, card->mem, space, space->peak_step, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    xpd_peak_split_of(&card->split, space, &peak);
    out->split = xpd_peak_split_answer(&card->split, ctx->arena);
    out->curve = curve_of(ctx, space);
    out->steps = space->step_count;
    out->peak_bytes = space->peak_bytes;
    out->peak_space = space->color;
    return XPD_OK;
}

static void fill_files(struct xpd_run_card *out, const struct xpd_run_entry *entry,
                       struct xpd_arena *arena)
{
    enum { FILES_MAX = 200 };
    uint32_t n = entry->input_count < FILES_MAX ? entry->input_count : FILES_MAX;
    struct xpd_card_file *file = XPD_NEW_ARRAY(arena, struct xpd_card_file, n);
    for (uint32_t i = 0; file && i < n; i++)
        file[i] = (struct xpd_card_file){entry->input[i].name,
                                         (int64_t)entry->input[i].identity.size_bytes};
    out->files.at = file;
    out->files.n = n;
    out->files_left_out = entry->input_count - n;
}

static void fill_head(struct xpd_run_card *out, const struct xpd_tool_ctx *ctx,
                      const struct card *card)
{
    const struct xpd_run *run = ctx->run;
    const struct xpd_module *module =
        card->module == XPD_NO_INDEX ? NULL : &run->module[card->module];
    const char **host = XPD_NEW_ARRAY(ctx->arena, const char *, run->host_count);
    struct xpd_capacity capacity;
    xpd_tools_capacity(ctx, card->space ? card->space->color : 0, &capacity);
    for (uint32_t i = 0; host && i < run->host_count; i++)
        host[i] = run->host[i].name;
    *out = (struct xpd_run_card){
        .id = run->entry->id,
        .kind = xpd_run_kind_word(run->entry->kind),
        .platform = xpd_tools_or_null(xpd_str_of(run->platform)),
        .device_type = xpd_tools_or_null(xpd_str_of(run->device_type)),
        .device_count = run->device_count,
        .hosts = {host, run->host_count},
        .module = module ? module->key : NULL,
        .module_name = module ? module->name : NULL,
        .other_modules = module ? run->module_count - 1 : run->module_count,
        .peak_bytes = -1,
        .peak_space = XPD_UNKNOWN,
        XPD_CAPACITY_OF(capacity),
        .same_program = run->entry->lead ? (int8_t)xpd_tools_same_program(ctx) : -1,
        .steps = -1,
        .instructions = card->hlo ? (int64_t)card->hlo->instructions.count : -1,
        .events = (int64_t)run->event_count,
    };
}

static int card_tool(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct card card;
    struct xpd_run_card *out = XPD_NEW(ctx->arena, struct xpd_run_card);
    struct xpd_card_holds *holds = XPD_NEW(ctx->arena, struct xpd_card_holds);
    if (!out || !holds)
        return xpd_tools_no_memory(err);
    open_card(ctx, &card);
    fill_head(out, ctx, &card);
    int rc = card.space ? fill_memory(out, ctx, &card, err) : XPD_OK;
    if (rc != XPD_OK)
        return rc;
    *holds =
        (struct xpd_card_holds){xpd_rail_memory_reason(ctx->run, card.space != NULL),
                                xpd_rail_trace_reason(ctx->run), xpd_rail_graph_reason(ctx->run)};
    out->holds = holds;
    out->problem =
        xpd_run_problem_of(ctx, card.space, card.space ? &card.split : NULL, &out->problems);
    fill_files(out, ctx->run->entry, ctx->arena);
    *answer = out;
    return XPD_OK;
}

const struct xpd_tool xpd_tool_card = {
    .route = "/api/v1/card",
    .title = "What the start page shows of a run without opening it.",
    .needs = XPD_NEEDS_RUN,
    .answer = xpd_run_card_record,
    .make = card_tool,
};
