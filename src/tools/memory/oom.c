/* /api/v1/oom: an error text read, and held against a run's programs when one is named. */
#include "oom.h"
#include "xprofd/memory/oom_match.h"

/* An error text held against the programs of a run. In: what was read of the text. Out: the module
 * it is about, whether its numbers are those of the text, and one sentence that says so. */

struct match {
    uint32_t module; /* XPD_NO_INDEX = none of this run */
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space; /* or NULL */
    int matches;                       /* 1, 0, -1 = cannot be told */
    char sentence[320];
};

/* A number of the text is rounded as printed: half a unit of its last digit, and a little for sums
 * of such. */
static bool near(int64_t ours, int64_t said, int64_t slack)
{
    int64_t allowed = slack + said / 2000;
    return ours >= said - allowed && ours <= said + allowed;
}

/* The number that equals what the error says is needed, or NULL. */
static const char *same_number(const struct xpd_mem_space *space, const struct xpd_oom_text *text)
{
    const struct {
        int64_t bytes;
        const char *what;
    } ours[] = {
        {space->peak_bytes, "its peak"},
        {space->totals.reserved, "what it reserves"},
        {space->totals.temp, "its heap of temporaries"},
        {space->peak_live_bytes, "its live temporaries"},
        {space->scoped_bytes, "the scoped memory of one kernel"},
        {space->peak_bytes + space->scoped_bytes, "its peak with scoped memory"},
    };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (ours[i].bytes > 0 && near(ours[i].bytes, text->needed_bytes, text->needed_slack_bytes))
            return ours[i].what;
    return NULL;
}

static void try_module(struct match *out, const struct xpd_tool_ctx *ctx,
                       const struct xpd_oom_text *text, uint32_t module)
{
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    if (out->matches == 1 ||
        xpd_store_module(ctx->store, ctx->run, module, &hlo, &mem, NULL) != XPD_OK)
        return;
    const struct xpd_mem_space *space =
        text->color >= 0 ? xpd_mem_space_of(mem, text->color) : xpd_mem_main_space(mem);
    const char *what = space && text->needed_bytes >= 0 ? same_number(space, text) : NULL;
    if (!what && out->module != XPD_NO_INDEX)
        return; /* the first of that name stays when none fits */
    out->module = module;
    out->mem = mem;
    out->space = space;
    char size[48] = "", scratch[24];
    if (text->needed_bytes >= 0)
        xpd_bytes_text_own(size, text->needed_bytes);
    const char *name = ctx->run->module[module].name;
    if (what) {
        out->matches = 1;
        snprintf(out->sentence, sizeof out->sentence, "matches %.120s: %s in %s is %s", name, what,
                 xpd_space_name(ctx->run->platform, space->color, scratch), size);
    } else if (text->needed_bytes >= 0 && space) {
        char peak[48];
        xpd_bytes_text_own(peak, space->peak_bytes);
        out->matches = 0;
        snprintf(out->sentence, sizeof out->sentence,
                 "%.120s is in this run, but its peak is %s and the error says %s: another version "
                 "of it",
                 name, peak, size);
    } else {
        out->matches = -1;
        snprintf(out->sentence, sizeof out->sentence,
                 "%.120s is in this run; the text has no number to compare", name);
    }
}

static void match_by_name(struct match *out, const struct xpd_tool_ctx *ctx,
                          const struct xpd_oom_text *text)
{
    for (uint32_t i = 0; i < ctx->run->module_count; i++)
        if (xpd_str_eq(xpd_str_of(ctx->run->module[i].name), text->module))
            try_module(out, ctx, text, i);
    if (out->module != XPD_NO_INDEX)
        return;
    out->matches = 0;
    snprintf(out->sentence, sizeof out->sentence, "this is about %.*s, which is not in this run",
             (int)(text->module.size < 120 ? text->module.size : 120), text->module.data);
}

/* The first operation that an item of the text names and the program has a buffer of; "" = none. */
static struct xpd_str named_operation(const struct xpd_mem *mem, const struct xpd_oom_text *text)
{
    for (uint32_t i = 0; i < text->item_count; i++) {
        uint32_t reasons = 0;
        if (text->item[i].instruction.size > 0 &&
            xpd_oom_item_buffers(mem, &text->item[i], -1, NULL, 0, &reasons) > 0 &&
            (reasons & XPD_OOM_INSTRUCTION) != 0)
            return text->item[i].instruction;
    }
    return XPD_STR("");
}

/* No number tells: the one program that has what the text lists, or the only one there is. */
static void match_by_operation(struct match *out, const struct xpd_tool_ctx *ctx,
                               const struct xpd_oom_text *text)
{
    const struct xpd_run *run = ctx->run;
    struct xpd_str name = XPD_STR("");
    uint32_t named = 0;
    for (uint32_t i = 0; i < run->module_count && named < 2; i++) {
        const struct xpd_hlo *hlo;
        const struct xpd_mem *mem;
        if (xpd_store_module(ctx->store, run, i, &hlo, &mem, NULL) != XPD_OK)
            continue;
        struct xpd_str operation = named_operation(mem, text);
        if (operation.size == 0 && run->module_count > 1)
            continue;
        named++;
        name = operation;
        out->module = i;
        out->mem = mem;
        out->space =
            text->color >= 0 ? xpd_mem_space_of(mem, text->color) : xpd_mem_main_space(mem);
    }
    if (named != 1) {
        *out = (struct match){.module = XPD_NO_INDEX, .matches = -1};
        snprintf(out->sentence, sizeof out->sentence,
                 "the text names no program, and none in this run has that number");
        return;
    }
    const char *module = run->module[out->module].name;
    int shown = (int)(name.size < 100 ? name.size : 100);
    if (shown > 0)
        snprintf(out->sentence, sizeof out->sentence,
                 "the text names no program; it is about %.*s, which is in %.120s", shown,
                 name.data, module);
    else
        snprintf(out->sentence, sizeof out->sentence,
                 "the text names no program; %.120s is the only one of this run%s", module,
                 text->needed_bytes >= 0 ? " but its number differs" : "");
}

static void match_by_number(struct match *out, const struct xpd_tool_ctx *ctx,
                            const struct xpd_oom_text *text)
{
    struct match one = {.module = XPD_NO_INDEX, .matches = -1};
    for (uint32_t i = 0; i < ctx->run->module_count && text->needed_bytes >= 0; i++) {
        one.module = XPD_NO_INDEX;
        try_module(&one, ctx, text, i);
        if (one.matches == 1) {
            *out = one;
            return;
        }
    }
    match_by_operation(out, ctx, text);
}

static void find_match(struct match *out, const struct xpd_tool_ctx *ctx,
                       const struct xpd_oom_text *text)
{
    memset(out, 0, sizeof *out);
    out->module = XPD_NO_INDEX;
    out->matches = -1;
    if (text->module.size > 0)
        match_by_name(out, ctx, text);
    else
        match_by_number(out, ctx, text);
}

#define TEXT_MAX    8000
#define PARTS_MAX   256
#define ITEMS_MAX   200
#define BUFFERS_MAX 16

XPD_RECORD_TABLE(xpd_oom_part_row, XPD_OOM_PART_FIELDS)
XPD_RECORD_TABLE(xpd_oom_item_row, XPD_OOM_ITEM_FIELDS)
XPD_RECORD_TABLE(xpd_oom_match_row, XPD_OOM_MATCH_FIELDS)
XPD_RECORD_TABLE(xpd_oom, XPD_OOM_FIELDS)

static void fill_parts(struct xpd_oom *out, const struct xpd_oom_text *text,
                       struct xpd_arena *arena)
{
    uint32_t n = text->part_count < PARTS_MAX ? text->part_count : PARTS_MAX;
    struct xpd_oom_part_row *row = XPD_NEW_ARRAY(arena, struct xpd_oom_part_row, n);
    for (uint32_t i = 0; row && i < n; i++)
        row[i] =
            (struct xpd_oom_part_row){text->part[i].offset, text->part[i].size, text->part[i].what};
    out->parts.at = row;
    out->parts.n = n;
}

static void fill_items(struct xpd_oom *out, const struct xpd_oom_text *text,
                       const struct match *match, struct xpd_arena *arena)
{
    uint32_t n = text->item_count < ITEMS_MAX ? text->item_count : ITEMS_MAX;
    struct xpd_oom_item_row *row = XPD_NEW_ARRAY(arena, struct xpd_oom_item_row, n);
    for (uint32_t i = 0; row && i < n; i++) {
        const struct xpd_oom_item *item = &text->item[i];
        uint32_t buffer[BUFFERS_MAX];
        uint32_t fits = match->mem ? xpd_oom_item_buffers(match->mem, item, text->color, buffer,
                                                          BUFFERS_MAX, NULL)
                                   : 0;
        fits = fits < BUFFERS_MAX ? fits : BUFFERS_MAX;
        row[i] = (struct xpd_oom_item_row){
            .size_bytes = item->size_bytes,
            .unpadded_bytes = item->unpadded_bytes,
            .shape = xpd_tools_or_null(item->shape),
            .op_name = xpd_tools_or_null(item->op_name),
            .instruction = xpd_tools_or_null(item->instruction),
            .tag = xpd_tools_or_null(item->tag),
            .buffers = {XPD_COPY_ARRAY(arena, buffer, fits), fits},
        };
    }
    out->items.at = row;
    out->items.n = n;
    out->items_left_out = text->item_count - n;
}

static const struct xpd_oom_match_row *match_of(const struct xpd_tool_ctx *ctx,
                                                const struct match *match)
{
    struct xpd_oom_match_row *out = XPD_NEW(ctx->arena, struct xpd_oom_match_row);
    if (out)
        *out = (struct xpd_oom_match_row){
            .module = match->module == XPD_NO_INDEX ? NULL : ctx->run->module[match->module].key,
            .space = match->space ? match->space->color : XPD_UNKNOWN,
            .matches = (int8_t)match->matches,
            .sentence = xpd_arena_str(ctx->arena, xpd_str_of(match->sentence)),
        };
    return out;
}

int xpd_oom_of(const struct xpd_oom **answer, const struct xpd_tool_ctx *ctx, struct xpd_str raw,
               struct xpd_err *err)
{
    struct xpd_oom_text text;
    struct match match = {.module = XPD_NO_INDEX, .matches = -1};
    struct xpd_oom *out = XPD_NEW(ctx->arena, struct xpd_oom);
    if (!out)
        return xpd_tools_no_memory(err);
    int rc = xpd_oom_read(&text, raw, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    bool has_run = ctx->run && text.understood;
    if (has_run)
        find_match(&match, ctx, &text);
    *out = (struct xpd_oom){
        .understood = text.understood,
        .form = text.form,
        .module = xpd_tools_or_null(text.module),
        .space = xpd_tools_or_null(text.space),
        .color = text.understood ? text.color : -1,
        .needed_bytes = text.understood ? text.needed_bytes : -1,
        .capacity_bytes = text.understood ? text.capacity_bytes : -1,
        .exceeded_bytes = text.understood ? text.exceeded_bytes : -1,
        .text = {raw.data, raw.size < TEXT_MAX ? raw.size : TEXT_MAX},
        .match = has_run ? match_of(ctx, &match) : NULL,
    };
    fill_parts(out, &text, ctx->arena);
    fill_items(out, &text, &match, ctx->arena);
    *answer = out;
    return XPD_OK;
}

static int oom(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    const struct xpd_oom *out = NULL;
    int rc = xpd_oom_of(&out, ctx, xpd_param_text(ctx, "text"), err);
    *answer = out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "text",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .max = TEXT_MAX,
     .help = "the error message"},
    {.name = "run", .type = XPD_PARAM_TEXT, .help = "run to match it against; optional"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_oom = {
    .route = "/api/v1/oom",
    .title = "The parts of an out-of-memory error, matched against the programs of a run.",
    .needs = XPD_NEEDS_NOTHING,
    .params = params,
    .answer = xpd_oom_record,
    .make = oom,
};
