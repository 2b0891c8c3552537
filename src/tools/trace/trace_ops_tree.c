/* /api/v1/trace/ops/tree: self time as an icicle: each box is a part of the one above it. */
#include "ops_chosen.h"
#include "ops_kernels.h"
#include "ops_sum.h"
#include "xprofd/base/intern.h"
#include "xprofd/base/map64.h"

#define BOXES_MAX 20000

#define XPD_OPS_BOX_FIELDS(FIELD)                                                                  \
    FIELD(MAYBE(INDEX), parent, "row of this table; null: the top")                                \
    FIELD(COUNT, depth, "0: the top, which is everything that matched")                            \
    FIELD(TEXT, label, "\"\": merged boxes; a part with a single child is one box with it, a/b")   \
    FIELD(TEXT, module, "of an operation, else \"\"")                                              \
    FIELD(BOOL, is_op, "an operation, which has no children")                                      \
    FIELD(INT, start_ps, "position in the top, the largest first")                                 \
    FIELD(INT, self_ps, "of all operations in it")                                                 \
    FIELD(INT, wait_ps, "time of self_ps spent waiting")                                           \
    FIELD(COUNT, operations, "in it")                                                              \
    FIELD(COUNT, joined, "0: a single box; else the number of boxes below a pixel merged here")    \
    FIELD(WORD(XPD_GROUP_WORDS), group, "the group of 95 % of its time; none: several")            \
    FIELD(MAYBE(WORD(XPD_PHASE_WORDS)), phase, "likewise")
XPD_RECORD(xpd_ops_box, XPD_OPS_BOX_FIELDS)

#define XPD_OPS_TREE_FIELDS(FIELD)                                                                 \
    FIELD(BOOL, known, "times of at least one program are known")                                  \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(WORD(XPD_OPS_BY_WORDS), by,                                                              \
          "hierarchy; default: scope if there are scopes, else program")                           \
    FIELD(BOOL, kernels, "operations ran as kernels of a GPU, which by=kernel lists")              \
    FIELD(INT, all_self_ps, "of all that matched")                                                 \
    FIELD(MAYBE(STRING), filter_note,                                                              \
          "what was not checked because of the limits of an expression")                           \
    FIELD(COUNT, left_out, "boxes beyond 20,000, including their children")                        \
    FIELD(INLINE(xpd_ops_box), boxes, "a box before its children")
XPD_RECORD(xpd_ops_tree, XPD_OPS_TREE_FIELDS)

struct node {
    uint32_t parent;
    uint32_t first_child, next; /* XPD_NO_INDEX: none */
    xpd_name_id label;
    const struct xpd_op_row *row; /* of an operation, else NULL */
    struct xpd_ops_sum sum;
};

struct tree {
    const struct xpd_tool_ctx *ctx;
    struct xpd_ops_found found;
    struct xpd_ops_lines lines;
    struct xpd_ops_paths paths;
    struct xpd_intern names;
    struct xpd_map64 child; /* by parent and label */
    struct xpd_strbuf text; /* of a label */
    XPD_VEC(struct node) node;
    XPD_VEC(struct xpd_ops_box) box;
    double pixel_ps; /* self time of a pixel */
    struct xpd_ops_tree out;
};

/* ---- from rows to nodes ---- */

static uint32_t child_of(struct tree *t, uint32_t parent, struct xpd_str label,
                         const struct xpd_op_row *row)
{
    xpd_name_id id = xpd_intern_put(&t->names, label.data, label.size);
    uint64_t key = (uint64_t)parent << 32 | id;
    uint32_t at = row ? XPD_NO_INDEX : xpd_map64_get(&t->child, key);
    if (at != XPD_NO_INDEX)
        return at;
    at = (uint32_t)t->node.count;
    struct node node = {.parent = parent,
                        .first_child = XPD_NO_INDEX,
                        .next = t->node.at[parent].first_child,
                        .label = id,
                        .row = row};
    XPD_PUSH(&t->node, node);
    if (t->node.failed)
        return parent;
    t->node.at[parent].first_child = at;
    if (!row)
        xpd_map64_put(&t->child, key, at);
    return at;
}

static void add_up(struct tree *t, uint32_t at, const struct xpd_op_row *row)
{
    for (; !t->node.failed; at = t->node.at[at].parent) {
        xpd_ops_sum_add(&t->node.at[at].sum, row);
        if (at == 0)
            break;
    }
}

static void put_row(struct tree *t, const struct xpd_op_row *row)
{
    uint32_t at = 0;
    xpd_ops_path_of(&t->paths, row);
    for (uint32_t i = 0; i < t->paths.count; i++)
        at = child_of(t, at, t->paths.part[i], NULL);
    add_up(t, child_of(t, at, row->name, row), row);
}

/* An operation that launched several kernels is in each, with what that took. */
static int put_kernels(struct tree *t, struct xpd_err *err)
{
    struct xpd_ops_kernel_times times;
    int rc = xpd_tools_ops_kernel_times(&times, &t->lines, &t->found, t->ctx, err);
    for (uint32_t i = 0; rc == XPD_OK && i < times.count; i++) {
        struct xpd_op_row part = *times.at[i].row;
        uint32_t at = child_of(t, 0, times.at[i].kernel, NULL);
        part.self_ps = times.at[i].self_ps;
        add_up(t, child_of(t, at, part.name, times.at[i].row), &part);
    }
    for (uint32_t i = 0; rc == XPD_OK && i < t->lines.count; i++) {
        const struct xpd_op_row *row = t->lines.at[i].row;
        if (!t->found.program[row->program].kernels)
            add_up(t, child_of(t, child_of(t, 0, XPD_STR(XPD_OPS_NO_KERNEL), NULL), row->name, row),
                   row);
    }
    return rc;
}

/* ---- from nodes to boxes ---- */

static int larger_first(const void *a, const void *b)
{
    const struct node *const *x = a, *const *y = b;
    if ((*x)->sum.self_ps != (*y)->sum.self_ps)
        return (*x)->sum.self_ps > (*y)->sum.self_ps ? -1 : 1;
    return *x < *y ? -1 : *x > *y; /* as they stand in the program */
}

static uint32_t put_box(struct tree *t, const struct node *node, struct xpd_str label,
                        uint32_t parent, uint32_t depth, int64_t start_ps, uint32_t joined)
{
    struct xpd_ops_row shown;
    xpd_ops_sum_show(&shown, &node->sum, &t->found);
    struct xpd_ops_box box = {
        .parent = parent,
        .depth = depth,
        .label = label,
        .module = node->row ? xpd_str_of(t->found.program[node->row->program].name) : XPD_STR(""),
        .is_op = node->row != NULL,
        .start_ps = start_ps,
        .self_ps = node->sum.self_ps,
        .wait_ps = node->sum.bound_ps[XPD_BOUND_WAIT],
        .operations = node->sum.operations,
        .joined = joined,
        .group = shown.group,
        .phase = shown.phase};
    XPD_PUSH(&t->box, box);
    return (uint32_t)t->box.count - 1;
}

static void add_sum(struct node *to, const struct node *more)
{
    to->sum.operations += more->sum.operations;
    to->sum.self_ps += more->sum.self_ps;
    for (int i = 0; i < XPD_OP_GROUP_COUNT; i++)
        to->sum.group_ps[i] += more->sum.group_ps[i];
    for (int i = 0; i < XPD_BOUND_COUNT; i++)
        to->sum.bound_ps[i] += more->sum.bound_ps[i];
    for (int i = 0; i < XPD_PHASE_COUNT; i++)
        to->sum.phase_ps[i] += more->sum.phase_ps[i];
}

static void put_below(struct tree *t, const struct node *node, uint32_t box, uint32_t depth,
                      int64_t start_ps);

/* The only part in it; NULL: there are several, or operations. */
static const struct node *only_part(const struct tree *t, const struct node *node)
{
    const struct node *child =
        node->first_child == XPD_NO_INDEX ? NULL : &t->node.at[node->first_child];
    return child && child->next == XPD_NO_INDEX && !child->row ? child : NULL;
}

/* Down to where it parts; the label is of all on the way. */
static const struct node *join_chain(struct tree *t, const struct node *node, struct xpd_str *label)
{
    const struct node *next = node->row ? NULL : only_part(t, node);
    struct xpd_str name = xpd_intern_get(&t->names, node->label);
    if (!next) {
        *label = xpd_arena_str(t->ctx->arena, name);
        return node;
    }
    xpd_strbuf_clear(&t->text);
    xpd_strbuf_add(&t->text, name.data, name.size);
    for (; next; next = only_part(t, node = next)) {
        name = xpd_intern_get(&t->names, next->label);
        xpd_strbuf_putc(&t->text, '/');
        xpd_strbuf_add(&t->text, name.data, name.size);
    }
    *label = xpd_strbuf_keep(&t->text, t->ctx->arena);
    return node;
}

/* Children from the largest; those narrower than a pixel are one. A path has XPD_OPS_PARTS_MAX
 * parts at most. */
static void put_children(struct tree *t, const struct node **child, uint32_t n, uint32_t box,
                         uint32_t depth, int64_t start_ps)
{
    struct node rest = {0};
    uint32_t joined = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_str label;
        if ((double)child[i]->sum.self_ps < t->pixel_ps) {
            add_sum(&rest, child[i]);
            joined++;
        } else if (t->box.count < BOXES_MAX) {
            const struct node *end = join_chain(t, child[i], &label);
            uint32_t at = put_box(t, end, label, box, depth, start_ps, 0);
            put_below(t, end, at, depth + 1, start_ps);
            start_ps += child[i]->sum.self_ps;
        } else
            t->out.left_out++;
    }
    if (joined > 0)
        put_box(t, &rest, XPD_STR(""), box, depth, start_ps, joined);
}

static void put_below(struct tree *t, const struct node *node, uint32_t box, uint32_t depth,
                      int64_t start_ps)
{
    uint32_t n = 0;
    for (uint32_t at = node->first_child; at != XPD_NO_INDEX; at = t->node.at[at].next)
        n++;
    if (n == 0)
        return;
    const struct node **child = XPD_NEW_ROOM(t->ctx->arena, const struct node *, n);
    if (!child)
        return;
    n = 0;
    for (uint32_t at = node->first_child; at != XPD_NO_INDEX; at = t->node.at[at].next)
        child[n++] = &t->node.at[at];
    qsort(child, n, sizeof *child, larger_first);
    put_children(t, child, n, box, depth, start_ps);
}

/* ---- the answer ---- */

static int put_rows(struct tree *t, struct xpd_err *err)
{
    struct node top = {.parent = XPD_NO_INDEX, .first_child = XPD_NO_INDEX};
    xpd_ops_lines_paths(&t->paths, &t->lines, &t->found,
                        xpd_param_word(t->ctx, &xpd_tool_trace_ops_tree, "by"));
    XPD_PUSH(&t->node, top);
    if (t->paths.by == XPD_OPS_BY_KERNEL)
        return put_kernels(t, err);
    for (uint32_t i = 0; !t->node.failed && i < t->lines.count; i++)
        put_row(t, t->lines.at[i].row);
    return XPD_OK;
}

static int build(struct tree *t, struct xpd_err *err)
{
    static const char *const words[] = {"program", "scope", "source", "layer", "group", "kernel"};
    int64_t px = xpd_param_int(t->ctx, &xpd_tool_trace_ops_tree, "px");
    int rc = put_rows(t, err);
    if (rc != XPD_OK)
        return rc;
    if (t->node.failed || t->names.failed || t->child.failed || t->paths.text.failed)
        return xpd_tools_no_memory(err);
    t->out.by = words[t->paths.by];
    for (uint32_t i = 0; i < t->found.program_count; i++)
        t->out.kernels |= t->found.program[i].kernels;
    t->out.all_self_ps = t->node.at[0].sum.self_ps;
    t->pixel_ps = px > 0 ? (double)t->out.all_self_ps / (double)px : 0;
    uint32_t box = put_box(t, &t->node.at[0], XPD_STR(""), XPD_NO_INDEX, 0, 0, 0);
    put_below(t, &t->node.at[0], box, 1, 0);
    return t->box.failed || t->text.failed || t->ctx->arena->failed ? xpd_tools_no_memory(err)
                                                                    : XPD_OK;
}

static int keep(struct tree *t, struct xpd_err *err)
{
    uint32_t n = (uint32_t)t->box.count;
    struct xpd_ops_box *box = XPD_NEW_ARRAY(t->ctx->arena, struct xpd_ops_box, n);
    if (!box)
        return xpd_tools_no_memory(err);
    if (n > 0)
        memcpy(box, t->box.at, n * sizeof *box);
    t->out.boxes.at = box;
    t->out.boxes.n = n;
    t->out.known = t->found.reason == NULL;
    t->out.reason = t->found.reason;
    return XPD_OK;
}

static int make(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct tree *t = XPD_NEW(ctx->arena, struct tree);
    struct xpd_arena names = {0};
    if (!t)
        return xpd_tools_no_memory(err);
    t->ctx = ctx;
    *out = &t->out;
    int rc = xpd_tools_ops(&t->found, ctx, err);
    if (rc == XPD_OK)
        rc = xpd_ops_lines_make(&t->lines, &t->found, ctx->arena, err);
    if (rc == XPD_OK)
        rc = xpd_ops_filter(&t->lines, &t->found, ctx, &t->out.filter_note, err);
    if (rc != XPD_OK)
        return rc;
    xpd_intern_init(&t->names, &names);
    rc = build(t, err);
    if (rc == XPD_OK)
        rc = keep(t, err);
    XPD_VEC_FINI(&t->node);
    XPD_VEC_FINI(&t->box);
    xpd_strbuf_fini(&t->text);
    xpd_ops_paths_fini(&t->paths);
    xpd_map64_fini(&t->child);
    xpd_intern_fini(&t->names);
    xpd_arena_fini(&names);
    return rc;
}

static const struct xpd_param_spec params[] = {
    XPD_OPS_BY_PARAM("by"),
    {.name = "module", .type = XPD_PARAM_TEXT, .help = "only this program; default: all that ran"},
    {.name = "host",
     .type = XPD_PARAM_TEXT,
     .help = "host of the events; default, and ALL: all hosts together"},
    XPD_OPS_FILTER_PARAM,
    XPD_OPS_STEPS_PARAM,
    {.name = "px",
     .type = XPD_PARAM_INT,
     .max = 100000,
     .fallback = 1000,
     .help = "width: boxes below a pixel are merged; 0: none"},
    XPD_PARAM_FORMAT,
    XPD_PEAKS_PARAMS,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_ops_tree = {
    .route = "/api/v1/trace/ops/tree",
    .title = "Self time of operations as an icicle.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_ops_tree_record,
    .make = make,
    .file_name = "operations_tree.csv",
    XPD_IN_REPORT("", {150, XPD_EACH_HOST, "px=0", "the operations by their hierarchies"},
                  {275, XPD_EACH_HOST, "by=scope|program|source|layer|group|kernel&px=0", NULL}),
};
