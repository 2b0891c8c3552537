/* /api/v1/graph/overview: a module in a few numbers, and its most expensive operations. */
#include "explain.h"
#include "graph_tree.h"

#define XPD_OVERVIEW_ENTRY_FIELDS(FIELD)                                                           \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(BIG, id, "")                                                                             \
    FIELD(COUNT, ops, "instructions")                                                              \
    FIELD(COUNT, first_line, "in `graph/text?format=long&metadata=1`")
XPD_RECORD(xpd_overview_entry, XPD_OVERVIEW_ENTRY_FIELDS)

#define XPD_OVERVIEW_KINDS_FIELDS(FIELD)                                                           \
    FIELD(COUNT, called_computations, "of while, call, conditional")                               \
    FIELD(COUNT, fusion_bodies, "")                                                                \
    FIELD(COUNT, called_regions, "of reduce, sort, all-reduce, ...")                               \
    FIELD(COUNT, async_wrappers, "")                                                               \
    FIELD(COUNT, other_computations, "")
XPD_RECORD(xpd_overview_kinds, XPD_OVERVIEW_KINDS_FIELDS)

#define XPD_GRAPH_OVERVIEW_FIELDS(FIELD)                                                           \
    FIELD(STRING, module, "key")                                                                   \
    FIELD(STRING, name, "")                                                                        \
    FIELD(ID, program_id, "")                                                                      \
    FIELD(COUNT, instructions, "")                                                                 \
    FIELD(COUNT, computations, "")                                                                 \
    FIELD(COUNT, lines, "of `graph/text?format=long&metadata=1`")                                  \
    FIELD(MAYBE(OBJECT(xpd_overview_entry)), entry, "the entry computation")                       \
    FIELD(MAYBE(INT), cycles,                                                                      \
          "the compiler's estimate for the entry and everything that it calls")                    \
    FIELD(STRING, device_type, "device that ran it, or that it was compiled for; \"\": unknown")   \
    FIELD(MAYBE(OBJECT(xpd_peaks)), peaks, "of that device")                                       \
    FIELD(OBJECT(xpd_overview_kinds), kinds, "computations other than the entry")                  \
    FIELD(OBJECT(xpd_graph_heaviest_list), heaviest, "the most expensive operations")              \
    FIELD(LIST(xpd_warning_row), warnings, "of reading the module")                                \
    FIELD(INT, warnings_left_out, "")
XPD_RECORD(xpd_graph_overview, XPD_GRAPH_OVERVIEW_FIELDS)

static const struct xpd_overview_entry *entry_of(const struct xpd_graph_ask *ask)
{
    const struct xpd_hlo *hlo = ask->hlo;
    struct xpd_overview_entry *out =
        hlo->entry == XPD_NO_INDEX ? NULL : XPD_NEW(ask->ctx->arena, struct xpd_overview_entry);
    if (out)
        *out = (struct xpd_overview_entry){
            xpd_hlo_text(hlo, hlo->computations.name[hlo->entry]), hlo->computations.id[hlo->entry],
            hlo->computations.instruction_count[hlo->entry], ask->index->head_line[hlo->entry]};
    return out;
}

static const struct xpd_overview_kinds *kinds_of(const struct xpd_graph_ask *ask,
                                                 const struct xpd_outline_index *tree)
{
    uint32_t count[XPD_OUTLINE_OTHER + 1] = {0};
    struct xpd_overview_kinds *out = XPD_NEW(ask->ctx->arena, struct xpd_overview_kinds);
    for (uint32_t c = 0; c < ask->hlo->computations.count; c++)
        count[tree->class_of[c]]++;
    if (out)
        *out = (struct xpd_overview_kinds){count[XPD_OUTLINE_NESTED], count[XPD_OUTLINE_FUSION],
                                           count[XPD_OUTLINE_REGION], count[XPD_OUTLINE_ASYNC],
                                           count[XPD_OUTLINE_OTHER]};
    return out;
}

static void fill(struct xpd_graph_overview *out, struct xpd_graph_ask *ask,
                 const struct xpd_outline_index *tree, struct xpd_peaks *peaks)
{
    const struct xpd_hlo *hlo = ask->hlo;
    const struct xpd_module *module = &ask->ctx->run->module[ask->ctx->module];
    const struct xpd_warnings *warnings = ask->index->warnings;
    *out = (struct xpd_graph_overview){
        .module = module->key,
        .name = module->name,
        .program_id = module->program_id,
        .instructions = hlo->instructions.count,
        .computations = hlo->computations.count,
        .lines = ask->index->line_count,
        .entry = entry_of(ask),
        .cycles = hlo->entry != XPD_NO_INDEX ? tree->inside[hlo->entry].cycles : -1,
        .device_type = ask->ctx->run->device_type,
        .peaks = xpd_explain_peaks(ask->ctx, peaks) ? peaks : NULL,
        .kinds = kinds_of(ask, tree),
        .warnings = {xpd_tools_warnings(ask->ctx->arena, warnings), warnings->count},
        .warnings_left_out = (int64_t)warnings->dropped,
    };
}

static int overview(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    struct xpd_graph_overview *out = answer;
    struct xpd_heaviest heaviest;
    struct xpd_peaks *peaks = XPD_NEW(ask->ctx->arena, struct xpd_peaks);
    const struct xpd_outline_index *tree = xpd_table_outline(ask, err);
    if (!tree)
        return XPD_ENOMEM;
    if (!peaks)
        return xpd_tools_no_memory(err);
    int rc = xpd_graph_heaviest(&heaviest, ask->ctx->arena, ask->index, tree, ask->costs, NULL,
                                XPD_HEAVIEST, err);
    if (rc != XPD_OK)
        return rc;
    fill(out, ask, tree, peaks);
    out->heaviest = xpd_graph_heaviest_rows(ask, &heaviest);
    return XPD_OK;
}

XPD_MAKE_BY(xpd_graph_answer, make, xpd_graph_overview_record, overview)

const struct xpd_tool xpd_tool_graph_overview = {
    .route = "/api/v1/graph/overview",
    .title = "Key numbers of a module, and its most expensive operations.",
    .needs = XPD_NEEDS_MODULE,
    .answer = xpd_graph_overview_record,
    .make = make,
    XPD_IN_REPORT("", {130, XPD_EACH_MODULE, "", "the overview of each program"}),
};
