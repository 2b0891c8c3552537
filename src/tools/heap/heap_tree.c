/* /api/v1/heap/tree: the stacks of a heap file as a tree, for an icicle. */
#include "heap_open.h"

#define NODES_DEFAULT 2000
#define NODES_MAX     5000
#define OPEN_MAX      64 /* folded runs shown frame by frame */

#define XPD_HEAP_NODE_FIELDS(FIELD)                                                                \
    FIELD(ID, key, "of its path, for `open` and `zoom`")                                           \
    FIELD(MAYBE(INDEX), parent, "earlier in the list; null: the root")                             \
    FIELD(TEXT, label, "train.py:41; of a folded run that of its outermost frame")                 \
    FIELD(NAME, function, "")                                                                      \
    FIELD(NAME, file, "with its path")                                                             \
    FIELD(MAYBE(INT), line, "")                                                                    \
    FIELD(MAYBE(TEXT), last_label, "of a folded run: its innermost frame")                         \
    FIELD(NAME, last_function, "likewise")                                                         \
    FIELD(COUNT, library_frames, "0: your code; for a folded run, the largest number of frames")   \
    FIELD(BOOL, folded, "a run of library frames; `open` takes its key")                           \
    FIELD(SIGNED, value, "including everything below it")                                          \
    FIELD(SIGNED, count, "likewise")                                                               \
    FIELD(SIGNED, self, "of stacks that end here")                                                 \
    FIELD(SIGNED, executables, "of value: compiled programs, not arrays")                          \
    FIELD(SIGNED, base_value, "in the file compared with; 0: none")                                \
    FIELD(SIGNED, base_count, "")                                                                  \
    FIELD(SIGNED, grown, "sum of the growth of the paths below that grew")                         \
    FIELD(COUNT, left_out, "children not listed")
XPD_RECORD(xpd_heap_node_row, XPD_HEAP_NODE_FIELDS)

#define XPD_HEAP_TREE_FIELDS(FIELD)                                                                \
    FIELD(TEXT, file, "the file shown")                                                            \
    FIELD(MAYBE(TEXT), against, "file to compare with")                                            \
    FIELD(TEXT, type, "which value of the samples")                                                \
    FIELD(WORD("bytes ns count other"), unit, "of value, self, base_value and grown")              \
    FIELD(COUNT, all, "nodes, listed or not")                                                      \
    FIELD(COUNT, deepest, "levels below the root")                                                 \
    FIELD(BOOL, zoom_missing, "no node has the key `zoom`, so the whole tree is shown")            \
    FIELD(MAYBE(STRING), note, "what was left out because of a limit")                             \
    FIELD(COLUMNS(xpd_heap_node_row), nodes, "the largest, parents before children")
XPD_RECORD(xpd_heap_tree_answer, XPD_HEAP_TREE_FIELDS)

static const struct xpd_param_spec params[] = {
    XPD_HEAP_PARAMS,
    {.name = "fold",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "0: every library frame is a node of its own"},
    {.name = "order",
     .type = XPD_PARAM_ENUM,
     .words = "callers callees",
     .help = "the top of the tree: the outermost caller (default) or the line that allocates"},
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "value grown",
     .help = "which nodes count as the largest, when not all are listed"},
    {.name = "open",
     .type = XPD_PARAM_TEXT,
     .help = "keys of folded runs to open, separated by commas; at most 64"},
    {.name = "zoom", .type = XPD_PARAM_TEXT, .help = "key of a node: only the part below it"},
    {.name = "limit",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = NODES_MAX,
     .fallback = NODES_DEFAULT,
     .help = "nodes"},
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

static int read_keys(struct xpd_str list, uint64_t key[OPEN_MAX], uint32_t *count,
                     struct xpd_err *err)
{
    *count = 0;
    while (list.size > 0) {
        size_t size = 0;
        while (size < list.size && list.data[size] != ',')
            size++;
        if (*count == OPEN_MAX)
            return xpd_fail(err, XPD_EINVAL, "open", XPD_NO_OFFSET,
                            "open= takes at most %d keys; fold=0 opens everything", OPEN_MAX);
        if (!xpd_str_to_u64((struct xpd_str){list.data, size}, &key[*count]))
            return xpd_fail(err, XPD_EINVAL, "open", XPD_NO_OFFSET,
                            "open= takes keys of nodes with commas between, not \"%.*s\"",
                            (int)(size < 40 ? size : 40), list.data);
        (*count)++;
        size += size < list.size;
        list.data += size;
        list.size -= size;
    }
    return XPD_OK;
}

static void put_node(struct xpd_arena *arena, const struct xpd_heap_node *n,
                     struct xpd_heap_node_row *out)
{
    *out = (struct xpd_heap_node_row){.key = n->key,
                                      .parent = n->parent,
                                      .line = -1,
                                      .library_frames = n->library_frames,
                                      .folded = n->folded,
                                      .value = n->value,
                                      .count = n->count,
                                      .self = n->self,
                                      .executables = n->executables,
                                      .base_value = n->base_value,
                                      .base_count = n->base_count,
                                      .grown = n->grown,
                                      .left_out = n->left_out,
                                      .function = XPD_STR(""),
                                      .file = XPD_STR(""),
                                      .last_function = XPD_STR(""),
                                      .label = XPD_STR("all")};
    if (n->frame == XPD_NO_INDEX)
        return;
    const struct xpd_heap_frame *frame = &n->heap->frame[n->frame];
    const struct xpd_heap_frame *last = &n->heap->frame[n->last_frame];
    out->label = xpd_heap_frame_label(arena, frame);
    out->function = frame->function;
    out->file = frame->file;
    out->line = frame->line > 0 ? frame->line : -1;
    if (!n->folded)
        return;
    out->last_label = xpd_heap_frame_label(arena, last);
    out->last_function = last->function;
}

static int fill(struct xpd_heap_tree_answer *a, const struct xpd_heap_ask *ask,
                const struct xpd_heap_tree *tree, struct xpd_err *err)
{
    const struct xpd_heap_member *m = &ask->member[ask->shown];
    struct xpd_arena *arena = ask->ctx->arena;
    struct xpd_heap_node_row *row = XPD_NEW_ARRAY(arena, struct xpd_heap_node_row, tree->count);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < tree->count; i++)
        put_node(arena, &tree->node[i], &row[i]);
    a->file = ask->file[ask->at].name;
    a->against = ask->base ? ask->base->name : (struct xpd_str){0};
    a->type = m->heap->type[m->type].name;
    a->unit = xpd_heap_unit_word(m->heap->type[m->type].kind);
    a->all = tree->all;
    a->deepest = tree->deepest;
    a->zoom_missing = tree->zoom_missing;
    a->note = ask->note;
    a->nodes.at = row;
    a->nodes.n = tree->count;
    return arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int tree(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_heap_tree;
    struct xpd_heap_tree_answer *a = XPD_NEW(ctx->arena, struct xpd_heap_tree_answer);
    struct xpd_heap_ask ask = {0};
    struct xpd_heap_tree made;
    uint64_t open[OPEN_MAX];
    struct xpd_heap_tree_want want = {.open = open};
    struct xpd_str zoom = xpd_param_text(ctx, "zoom");
    if (!a)
        return xpd_tools_no_memory(err);
    if (zoom.size > 0 && !xpd_str_to_u64(zoom, &want.zoom))
        return xpd_fail(err, XPD_EINVAL, "zoom", XPD_NO_OFFSET, "zoom= takes the key of a node");
    int rc = read_keys(xpd_param_text(ctx, "open"), open, &want.open_count, err);
    if (rc == XPD_OK)
        rc = xpd_heap_ask_init(&ask, ctx, tool, err);
    if (rc == XPD_OK) {
        want.of = ask.member[ask.shown];
        want.base = ask.compared == XPD_NO_INDEX ? NULL : &ask.member[ask.compared];
        want.filter = ask.filter;
        want.fold = xpd_param_int(ctx, tool, "fold") == 1;
        want.innermost_first = xpd_param_word(ctx, tool, "order") == 1;
        want.by_grown = xpd_param_word(ctx, tool, "by") == 1;
        want.max_nodes = (uint32_t)xpd_param_int(ctx, tool, "limit");
        rc = xpd_heap_tree_make(&made, &want, ctx->arena, err);
    }
    if (rc == XPD_OK)
        rc = fill(a, &ask, &made, err);
    if (ask.ctx)
        xpd_heap_ask_fini(&ask);
    *out = a;
    return rc;
}

const struct xpd_tool xpd_tool_heap_tree = {
    .route = "/api/v1/heap/tree",
    .title = "The stacks of a heap file as a tree, compared with another file.",
    .about =
        "A run of library frames is one node unless it is opened. `self` and the values of all "
        "children of a node add up to its value.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_heap_tree_answer_record,
    .make = tree,
    .file_name = "heap_tree.csv",
    XPD_IN_REPORT("", {110, XPD_EACH_HEAP, "", "what the last heap file holds against the first"},
                  {260, XPD_EACH_HEAP, "order=callees", NULL}, {260, XPD_EACH_HEAP, "fold=0", NULL},
                  {260, XPD_EACH_HEAP, "by=grown", NULL},
                  {265, XPD_EACH_HEAP_FILE, "file={name}", "each heap file"}),
};
