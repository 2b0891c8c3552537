/* /api/v1/compare: two programs at their peaks, as groups that add up to the difference. */
#include "compare_parts.h"

#define GROUPS_MAX  2000
#define OPCODES_MAX 100

#define XPD_COMPARED_SIDE_FIELDS(FIELD)                                                            \
    FIELD(STRING, run, "its id")                                                                   \
    FIELD(STRING, module, "key of the program")                                                    \
    FIELD(MAYBE(TEXT), versions, "of the compiler; null: not in the profile")                      \
    FIELD(MAYBE(INT), peak_bytes, "this and the next seven: null without a buffer assignment")     \
    FIELD(MAYBE(INT), reserved_bytes, "bytes that the compiler reserves")                          \
    FIELD(MAYBE(INT), fragmentation_bytes, "bytes reserved but not live at the peak")              \
    FIELD(MAYBE(INT), padding_bytes, "at the peak")                                                \
    FIELD(MAYBE(INT), sum_bytes, "of all groups")                                                  \
    FIELD(MAYBE(INT), resident_bytes, "held from the first to the last step")                      \
    FIELD(MAYBE(INT), heap_bytes, "size of the heaps")                                             \
    FIELD(MAYBE(INT), steps, "of the memory space")                                                \
    FIELD(MAYBE(INDEX), peak_step, "null: no heap trace")                                          \
    FIELD(MAYBE(TEXT), peak_instruction, "instruction that runs at the peak")                      \
    FIELD(COUNT, instructions, "of the program")                                                   \
    FIELD(COUNT, instructions_outside_fusions, "")                                                 \
    FIELD(MAYBE(INT), flops, "of one execution of the entry computation, loops once")              \
    FIELD(MAYBE(INT), accessed_bytes, "likewise")                                                  \
    XPD_CAPACITY_FIELDS(FIELD)
XPD_RECORD(xpd_compared_side, XPD_COMPARED_SIDE_FIELDS)

#define XPD_COMPARED_GROUP_FIELDS(FIELD)                                                           \
    XPD_COMPARED_WORDS_FIELDS(FIELD)                                                               \
    FIELD(NAME, shape, "without layout")                                                           \
    FIELD(NAME, name, "of one of its buffers")                                                     \
    FIELD(MAYBE(INDEX), before_buffer, "one of its buffers; null: none")                           \
    FIELD(MAYBE(INDEX), after_buffer, "likewise")                                                  \
    FIELD(COUNT, before_count, "at the peak")                                                      \
    FIELD(COUNT, after_count, "likewise")                                                          \
    FIELD(SIGNED, before_bytes, "at the peak")                                                     \
    FIELD(SIGNED, after_bytes, "likewise")                                                         \
    FIELD(SIGNED, difference_bytes, "after minus before")
XPD_RECORD(xpd_compared_group, XPD_COMPARED_GROUP_FIELDS)

#define XPD_COMPARED_REST_FIELDS(FIELD)                                                            \
    FIELD(COUNT, count, "groups that are not listed")                                              \
    FIELD(SIGNED, before_bytes, "")                                                                \
    FIELD(SIGNED, after_bytes, "")
XPD_RECORD(xpd_compared_rest, XPD_COMPARED_REST_FIELDS)

#define XPD_COMPARED_OPCODE_FIELDS(FIELD)                                                          \
    FIELD(TEXT, opcode, "")                                                                        \
    FIELD(COUNT, before, "instructions outside of fusions")                                        \
    FIELD(COUNT, after, "likewise")
XPD_RECORD(xpd_compared_opcode, XPD_COMPARED_OPCODE_FIELDS)

#define XPD_COMPARED_AGAIN_FIELDS(FIELD)                                                           \
    FIELD(TEXT, scope, "")                                                                         \
    FIELD(COUNT, before_fusions, "fusions that recompute")                                         \
    FIELD(COUNT, after_fusions, "likewise")
XPD_RECORD(xpd_compared_again, XPD_COMPARED_AGAIN_FIELDS)

#define XPD_COMPARED_FINDING_FIELDS(FIELD)                                                         \
    FIELD(WORD("new gone stays"), state, "")                                                       \
    FIELD(STRING, id, "of the rule")                                                               \
    FIELD(WORD("error warn info"), severity, "")                                                   \
    FIELD(TEXT, claim, "claim of the finding after, else of the one before")                       \
    FIELD(MAYBE(INT), before_saving_bytes, "null: not found before")                               \
    FIELD(MAYBE(INT), after_saving_bytes, "null: not found after")
XPD_RECORD(xpd_compared_finding, XPD_COMPARED_FINDING_FIELDS)

#define XPD_COMPARED_FIELDS(FIELD)                                                                 \
    FIELD(COUNT, schema, "1; another number when a key changes its meaning")                       \
    FIELD(OBJECT(xpd_compared_side), before, "")                                                   \
    FIELD(OBJECT(xpd_compared_side), after, "")                                                    \
    FIELD(SIGNED, space, "colour of the memory space after")                                       \
    FIELD(STRING, space_name, "")                                                                  \
    FIELD(MAYBE(SIGNED), difference_bytes, "of the peaks, after less before")                      \
    FIELD(BOOL, closes, "the groups add up to the peaks")                                          \
    FIELD(COUNT, groups_total, "")                                                                 \
    FIELD(COUNT, groups_different, "")                                                             \
    FIELD(MAYBE(STRING), nothing_to_compare, "why the memory cannot be compared")                  \
    FIELD(BOOL, same_workload, "false: see `mismatches`")                                          \
    FIELD(VALUES(STRING), mismatches, "sentences")                                                 \
    FIELD(COLUMNS(xpd_compared_group), groups, "the largest difference first")                     \
    FIELD(OBJECT(xpd_compared_rest), rest, "groups beyond the first 2,000")                        \
    FIELD(COLUMNS(xpd_compared_opcode), opcodes, "those whose count differs, at most 100")         \
    FIELD(COUNT, opcodes_left_out, "")                                                             \
    FIELD(COUNT, opcodes_same, "")                                                                 \
    FIELD(COLUMNS(xpd_compared_again), recomputed,                                                 \
          "scopes with rematted_computation whose number of fusions differs, at most 100")         \
    FIELD(COUNT, recomputed_left_out, "")                                                          \
    FIELD(LIST(xpd_compared_finding), findings, "new, gone, stays")
XPD_RECORD(xpd_compared, XPD_COMPARED_FIELDS)

static struct xpd_str peak_instruction(const struct xpd_tool_ctx *ctx)
{
    uint32_t step = ctx->space->peak_step;
    return step == XPD_NO_STEP
               ? XPD_STR("")
               : xpd_hlo_instruction_name(ctx->hlo, xpd_mem_running(ctx->mem, ctx->space, step));
}

static const struct xpd_compared_side *side_of(const struct xpd_comparison *c, int s)
{
    const struct xpd_tool_ctx *ctx = &c->ctx[s];
    const struct xpd_mem_space *space = ctx->space;
    const struct xpd_compare *of = &c->result;
    struct xpd_compared_side *out = XPD_NEW(c->ctx[1].arena, struct xpd_compared_side);
    bool known = ctx->hlo->has_buffer_assignment;
    if (out)
        *out = (struct xpd_compared_side){
            .run = ctx->run->entry->id,
            .module = ctx->run->module[ctx->module].key,
            .versions = xpd_tools_or_null(xpd_str_of(ctx->run->versions)),
            .peak_bytes = known ? of->peak[s] : -1,
            .reserved_bytes = known ? of->reserved[s] : -1,
            .fragmentation_bytes = known ? of->fragmentation[s] : -1,
            .padding_bytes = known ? of->padding[s] : -1,
            .sum_bytes = known ? of->sum[s] : -1,
            .resident_bytes = known ? space->totals.resident : -1,
            .heap_bytes = known ? space->heap_bytes : -1,
            .steps = known ? (int64_t)space->step_count : -1,
            .peak_step = space->peak_step,
            .peak_instruction = xpd_tools_or_null(peak_instruction(ctx)),
            .instructions = ctx->hlo->instructions.count,
            .instructions_outside_fusions = c->opcodes.count[s],
            .flops = c->facts[s].flops,
            .accessed_bytes = c->facts[s].bytes_accessed,
            XPD_CAPACITY_OF(c->facts[s].capacity),
        };
    return out;
}

static void fill_groups(struct xpd_compared *out, const struct xpd_comparison *c)
{
    struct xpd_arena *arena = c->ctx[1].arena;
    const struct xpd_compare_group *g = c->result.group;
    uint32_t n = c->result.group_count < GROUPS_MAX ? c->result.group_count : GROUPS_MAX;
    struct xpd_compared_group *to = XPD_NEW_ARRAY(arena, struct xpd_compared_group, n);
    struct xpd_compared_rest *rest = XPD_NEW(arena, struct xpd_compared_rest);
    struct xpd_texts texts = {.arena = arena};
    for (uint32_t i = 0; to && i < n; i++, g++) {
        int s = g->buffer[1] != XPD_NO_INDEX;
        const struct xpd_mem *mem = c->ctx[s].mem;
        uint32_t buffer = g->buffer[s];
        struct xpd_compared_words words = xpd_compared_words(&texts, c->ctx, g->buffer);
        to[i] = (struct xpd_compared_group){
            XPD_COMPARED_WORDS_OF(words, *g),
            .shape = xpd_texts_buffer_shape(&texts, mem, buffer),
            .name = buffer == XPD_NO_INDEX && g->overlap ? XPD_STR("overlapping bytes")
                                                         : xpd_texts_buffer(&texts, mem, buffer),
            .before_buffer = g->buffer[0],
            .after_buffer = g->buffer[1],
            .before_count = g->count[0],
            .after_count = g->count[1],
            .before_bytes = g->bytes[0],
            .after_bytes = g->bytes[1],
            .difference_bytes = g->bytes[1] - g->bytes[0],
        };
    }
    for (uint32_t i = n; rest && i < c->result.group_count; i++, g++) {
        rest->count++;
        xpd_grow_i64(&rest->before_bytes, g->bytes[0]);
        xpd_grow_i64(&rest->after_bytes, g->bytes[1]);
    }
    xpd_texts_fini(&texts);
    out->groups.at = to;
    out->groups.n = n;
    out->rest = rest;
}

static void fill_program(struct xpd_compared *out, const struct xpd_comparison *c)
{
    struct xpd_arena *arena = c->ctx[1].arena;
    uint32_t opcodes = c->opcode_count < OPCODES_MAX ? c->opcode_count : OPCODES_MAX;
    uint32_t scopes = c->again_count < OPCODES_MAX ? c->again_count : OPCODES_MAX;
    struct xpd_compared_opcode *opcode = XPD_NEW_ARRAY(arena, struct xpd_compared_opcode, opcodes);
    struct xpd_compared_again *again = XPD_NEW_ARRAY(arena, struct xpd_compared_again, scopes);
    for (uint32_t i = 0; opcode && i < opcodes; i++)
        opcode[i] = (struct xpd_compared_opcode){c->opcode[i].opcode, c->opcode[i].count[0],
                                                 c->opcode[i].count[1]};
    for (uint32_t i = 0; again && i < scopes; i++)
        again[i] = (struct xpd_compared_again){c->again[i].scope, c->again[i].fusions[0],
                                               c->again[i].fusions[1]};
    out->opcodes.at = opcode;
    out->opcodes.n = opcodes;
    out->opcodes_left_out = c->opcode_count - opcodes;
    out->opcodes_same = c->opcodes.same;
    out->recomputed.at = again;
    out->recomputed.n = scopes;
    out->recomputed_left_out = c->again_count - scopes;
}

static void fill_findings(struct xpd_compared *out, const struct xpd_comparison *c)
{
    struct xpd_arena *arena = c->ctx[1].arena;
    struct xpd_compared_finding *to =
        XPD_NEW_ARRAY(arena, struct xpd_compared_finding, c->change_count);
    for (uint32_t i = 0; to && i < c->change_count; i++) {
        const struct xpd_finding_change *f = &c->change[i];
        const struct xpd_finding *shown = f->after ? f->after : f->before;
        to[i] = (struct xpd_compared_finding){
            .state = f->before && f->after ? "stays"
                     : f->after            ? "new"
                                           : "gone",
            .id = shown->rule->id,
            .severity = xpd_doctor_severity_word(shown->severity),
            .claim = xpd_arena_str(arena, shown->claim), /* the diagnosis goes first */
            .before_saving_bytes = f->before ? f->before->saving_bytes : -1,
            .after_saving_bytes = f->after ? f->after->saving_bytes : -1,
        };
    }
    out->findings.at = to;
    out->findings.n = c->change_count;
}

static void fill(struct xpd_compared *out, const struct xpd_comparison *c)
{
    struct xpd_arena *arena = c->ctx[1].arena;
    const char **mismatch = XPD_NEW_ARRAY(arena, const char *, c->mismatch_count);
    char scratch[24];
    const char *name = xpd_space_name(c->ctx[1].run->platform, c->ctx[1].color, scratch);
    for (uint32_t i = 0; mismatch && i < c->mismatch_count; i++)
        mismatch[i] = c->mismatch[i];
    *out = (struct xpd_compared){
        .schema = 1,
        .before = side_of(c, 0),
        .after = side_of(c, 1),
        .space = c->ctx[1].color,
        .space_name = xpd_arena_strndup(arena, name, strlen(name)),
        .difference_bytes = c->nothing ? XPD_UNKNOWN : c->result.difference,
        .closes = c->result.closes,
        .groups_total = c->result.group_count,
        .groups_different = c->result.different_count,
        .nothing_to_compare = c->nothing,
        .same_workload = c->mismatch_count == 0,
        .mismatches = {mismatch, c->mismatch_count},
    };
    fill_groups(out, c);
    fill_program(out, c);
    fill_findings(out, c);
}

/* ---- forms ---- */

struct made { /* one of the two */
    struct xpd_compared answer;
    struct xpd_str text;
};

static int make(struct made *made, const struct xpd_tool_ctx ctx[2], enum xpd_compare_format format,
                struct xpd_err *err)
{
    struct xpd_comparison c;
    struct xpd_strbuf text = {0};
    int rc = xpd_comparison_make(&c, ctx, err);
    if (rc == XPD_OK && format == XPD_COMPARE_JSON)
        fill(&made->answer, &c);
    else if (rc == XPD_OK && format == XPD_COMPARE_MD)
        xpd_comparison_markdown(&text, &c);
    else if (rc == XPD_OK)
        xpd_comparison_text(&text, &c, format == XPD_COMPARE_ASCII);
    xpd_comparison_fini(&c);
    made->text = xpd_strbuf_keep(&text, ctx[1].arena);
    xpd_strbuf_fini(&text);
    return rc == XPD_OK && ctx[1].arena->failed ? xpd_tools_no_memory(err) : rc;
}

static void put_text(struct xpd_strbuf *out, const void *answer)
{
    const struct made *made = answer;
    xpd_strbuf_add(out, made->text.data, made->text.size);
}

static void other_form(struct xpd_tool_result *out, struct xpd_str format, const void *answer)
{
    (void)format;
    out->type = XPD_BODY_TEXT;
    put_text(&out->body, answer);
}

int xpd_compare_answer(const struct xpd_tool_ctx ctx[2], enum xpd_compare_format format,
                       struct xpd_strbuf *out, struct xpd_err *err)
{
    struct made made;
    int rc = make(&made, ctx, format, err);
    if (rc == XPD_OK && format == XPD_COMPARE_JSON)
        xpd_answer_json(out, xpd_compared_record(), &made.answer, ctx[1].arena);
    else if (rc == XPD_OK)
        put_text(out, &made);
    return rc;
}

/* ---- the route ---- */

static int answer(const struct xpd_tool_ctx ctx[2], void *to, struct xpd_err *err)
{
    struct xpd_str format = xpd_param_text(&ctx[1], "format");
    return make(to, ctx,
                xpd_str_eq(format, XPD_STR("md"))     ? XPD_COMPARE_MD
                : xpd_str_eq(format, XPD_STR("text")) ? XPD_COMPARE_TEXT
                                                      : XPD_COMPARE_JSON,
                err);
}

static int compare(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    return xpd_compare_with_base(ctx, answer, sizeof(struct made), to, err);
}

static const struct xpd_param_spec params[] = {
    XPD_COMPARE_BASE_PARAMS,
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "json text md",
     .help = "form of the answer"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_compare = {
    .route = "/api/v1/compare",
    .title = "Two programs at their peaks: groups of buffers whose differences add up to that of "
             "the peaks.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about =
        "Buffers meet by class, opcode, type, dimensions and scope (without jit, jvp, transpose, "
        "checkpoint, rematted_computation and numbers), as multisets. Without a buffer "
        "assignment a program's memory is unknown: its bytes and the difference are null, and "
        "there are no groups and findings; `xprofd diff` reports this; over HTTP it is 404 with "
        "the same message.",
    .answer = xpd_compared_record,
    .make = compare,
    .text = put_text,
    .other_form = other_form,
    XPD_IN_REPORT("",
                  {120, XPD_EACH_PAIR, "", "the comparison of each program with its match before"},
                  {215, XPD_EACH_PAIR, "format=md", NULL}),
};
