/* /api/v1/memory/tree: what is held after a step, as a tree by scope, source line or class. */
#include "../tables/table_words.h"
#include "whatif_changed.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/scope.h"
#include "xprofd/memory/held_tree.h"
#include "xprofd/memory/scopes.h"

#define DEPTH_DEFAULT 8
#define LIMIT_DEFAULT 2000
#define LIMIT_MAX     20000
#define PURE_SHARE    0.95 /* a node is coloured when this much of it is one group */

enum by { BY_SCOPE, BY_SOURCE, BY_CLASS };

#define XPD_MEMORY_TREE_ROW_FIELDS(FIELD)                                                          \
    FIELD(NAME, name,                                                                              \
          "\"\" is the root; \"[self]\": buffers directly at the parent; \"[n smaller]\": merged " \
          "nodes")                                                                                 \
    FIELD(SIGNED, parent, "row; -1 of the root, which is row 0")                                   \
    FIELD(COUNT, depth, "0 is the root")                                                           \
    FIELD(INT, size_bytes, "held")                                                                 \
    FIELD(SIGNED, padding_bytes, "of that")                                                        \
    FIELD(COUNT, count, "rows of memory/live")                                                     \
    FIELD(                                                                                         \
        NAME, group,                                                                               \
        "the group of at least 95 % of it, else \"\"; arguments, outputs and constants have none") \
    FIELD(COUNT, repeats, "number of names folded into this one, else 1")
XPD_RECORD(xpd_memory_tree_row, XPD_MEMORY_TREE_ROW_FIELDS)

#define XPD_MEMORY_TREE_FIELDS(FIELD)                                                              \
    FIELD(MAYBE(INDEX), step, "null without a heap trace")                                         \
    FIELD(INT, total_bytes, "of the root")                                                         \
    FIELD(INT, overlap_bytes,                                                                      \
          "as in memory/live; `total_bytes` minus this is the value of the curve")                 \
    FIELD(INLINE(xpd_memory_tree_row), rows, "nodes")                                              \
    FIELD(COUNT, limit, "the one asked for")                                                       \
    FIELD(COUNT, nodes, "nodes before merging")
XPD_RECORD(xpd_memory_tree, XPD_MEMORY_TREE_FIELDS)

struct path {
    uint32_t part[XPD_TREE_PARTS];
    uint32_t alias[XPD_TREE_PARTS]; /* the row's own names; part[] may hold patterns */
    uint32_t count;
};

#define MEMO_SIZE                                                                                  \
    8192 /* a power of two; pairs of places, so that two paths seldom drive each other out */
struct node_memo { /* where the last row with such a path was filed; of == NULL: none */
    const void *of;
    uint64_t more;
    uint32_t node;
};

struct tree_answer {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_words *words; /* NULL: not made yet */
    struct node_memo *memo;
    struct xpd_held_list held;
    uint32_t step;
    bool fold; /* scopes that differ only in their number under one pattern */
    struct xpd_names names;
    struct xpd_tree tree;
    struct xpd_strbuf text;
    /* nodes as written, in order of depth first */
    struct xpd_memory_tree_row *out;
    uint32_t out_count, out_limit;
    struct xpd_memory_tree answer;
};

static void push(struct path *path, uint32_t name)
{
    if (path->count == XPD_TREE_PARTS)
        return;
    path->alias[path->count] = name;
    path->part[path->count++] = name;
}

static void push_folded(struct tree_answer *answer, struct path *path, struct xpd_str name)
{
    xpd_strbuf_clear(&answer->text);
    if (path->count == XPD_TREE_PARTS || !xpd_scope_fold(&answer->text, name)) {
        push(path, xpd_names_put(&answer->names, name));
        return;
    }
    path->alias[path->count] = xpd_names_put(&answer->names, name);
    path->part[path->count++] =
        xpd_names_put(&answer->names, (struct xpd_str){answer->text.data, answer->text.size});
}

static void push_text(struct tree_answer *answer, struct path *path, const char *text)
{
    push(path, xpd_names_put(&answer->names, xpd_str_of(text)));
}

static void push_scope(struct tree_answer *answer, struct path *path, const struct xpd_held *row)
{
    struct xpd_str part[XPD_SCOPE_PARTS];
    uint32_t n = xpd_mem_scope_parts(answer->ctx->mem, row->buffer, row->mem_class, part);
    for (uint32_t i = 0; i < n; i++)
        if (answer->fold)
            push_folded(answer, path, part[i]);
        else
            push(path, xpd_names_put(&answer->names, part[i]));
}

static void push_source(struct tree_answer *answer, struct path *path, const struct xpd_held *row)
{
    uint32_t instruction = xpd_mem_instruction(answer->ctx->mem, row->buffer);
    struct xpd_source_info info;
    xpd_source_of(answer->ctx->hlo, instruction, &info);
    if (info.file.size == 0) {
        push_text(answer, path, "[no source]");
        push_text(answer, path, xpd_mem_class_word(row->mem_class));
        return;
    }
    push(path, xpd_names_kept(&answer->names, info.file));
    xpd_strbuf_clear(&answer->text);
    xpd_strbuf_putc(&answer->text, ':');
    xpd_strbuf_i64(&answer->text, info.line);
    push(path,
         xpd_names_put(&answer->names, (struct xpd_str){answer->text.data, answer->text.size}));
    push(path, xpd_names_kept(&answer->names, xpd_hlo_opcode(answer->ctx->hlo, instruction)));
}

static void push_class(struct tree_answer *answer, struct path *path, const struct xpd_held *row)
{
    uint32_t instruction = xpd_mem_instruction(answer->ctx->mem, row->buffer);
    push_text(answer, path, xpd_mem_class_word(row->mem_class));
    push_text(answer, path,
              xpd_op_group_word(xpd_words_group(answer->words, answer->ctx->hlo, instruction)));
    push(path, xpd_names_buffer_shape(&answer->names, answer->ctx->mem, row->buffer));
}

static uint32_t make_node(struct tree_answer *answer, enum by by, uint32_t depth,
                          const struct xpd_held *row)
{
    struct path path = {.count = 0};
    if (by == BY_SCOPE)
        push_scope(answer, &path, row);
    else if (by == BY_SOURCE)
        push_source(answer, &path, row);
    else
        push_class(answer, &path, row);
    return xpd_tree_node_of(&answer->tree, path.part, answer->fold ? path.alias : NULL,
                            path.count < depth ? path.count : depth);
}

/* The node of a row. Rows of one op name and class, of one source line and opcode, or of one shape,
 * class and op group have one path; it is taken apart only once. */
static uint32_t node_of(struct tree_answer *answer, enum by by, uint32_t depth,
                        const struct xpd_held *row, uint32_t instruction)
{
    const struct xpd_tool_ctx *ctx = answer->ctx;
    const void *of = NULL;
    uint64_t more = row->mem_class;
    if (by == BY_SCOPE && instruction != XPD_NO_INDEX) {
        of = answer->words ? xpd_hlo_text(ctx->hlo, answer->words->op_name[instruction]).data
                           : xpd_hlo_scope_name(ctx->hlo, instruction).data;
    } else if (by == BY_SOURCE && instruction != XPD_NO_INDEX && answer->words) {
        uint32_t source = answer->words->source[instruction];
        of = &answer->words->text[source]; /* text[0]: no source, filed by class */
        if (source)
            more = ctx->hlo->instructions.opcode[instruction];
    } else if (by == BY_SOURCE && instruction != XPD_NO_INDEX) {
        struct xpd_source_info info;
        xpd_source_of(ctx->hlo, instruction, &info);
        of = info.file.size > 0 ? info.file.data : NULL;
        more = (uint64_t)(uint32_t)info.line << 32 | ctx->hlo->instructions.opcode[instruction];
    } else if (by == BY_CLASS && row->buffer != XPD_NO_INDEX) {
        of = ctx->mem->buffer[row->buffer].shape;
        if (instruction != XPD_NO_INDEX)
            more |= (uint64_t)xpd_words_group(answer->words, ctx->hlo, instruction) << 8;
    }
    if (!of || !answer->memo)
        return make_node(answer, by, depth, row);
    uint64_t mixed = ((uint64_t)(uintptr_t)of + more) * UINT64_C(0x9e3779b97f4a7c15);
    struct node_memo *memo = &answer->memo[(mixed >> 40) & (MEMO_SIZE - 2)];
    if (memo->of == of && memo->more == more)
        return memo->node;
    if (memo[1].of == of && memo[1].more == more)
        return memo[1].node;
    if (memo->of)
        memo[1] = *memo;
    *memo = (struct node_memo){of, more, make_node(answer, by, depth, row)};
    return memo->node;
}

static void file_rows(struct tree_answer *answer, enum by by, uint32_t depth)
{
    answer->memo = XPD_NEW_ARRAY(answer->ctx->arena, struct node_memo, MEMO_SIZE);
    for (uint32_t i = 0; i < answer->held.count; i++) {
        const struct xpd_held *row = &answer->held.at[i];
        uint32_t instruction = xpd_mem_instruction(answer->ctx->mem, row->buffer);
        enum xpd_op_group group =
            instruction == XPD_NO_INDEX || row->mem_class != XPD_CLASS_TEMPORARY
                ? XPD_OP_NONE
                : xpd_words_group(answer->words, answer->ctx->hlo, instruction);
        xpd_tree_add(&answer->tree, node_of(answer, by, depth, row, instruction), row, group);
    }
}

/* ---- answer ---- */

static struct xpd_str colour_of(const struct xpd_tree_node *node)
{
    for (int group = 0; group < XPD_OP_GROUP_COUNT; group++)
        if (node->bytes > 0 && (double)node->group_bytes[group] >= PURE_SHARE * (double)node->bytes)
            return xpd_str_of(xpd_op_group_word((enum xpd_op_group)group));
    return XPD_STR("");
}

static struct xpd_str name_of(const struct tree_answer *answer, uint32_t name)
{
    return xpd_intern_get(&answer->names.table, name);
}

static int64_t emit(struct tree_answer *answer, struct xpd_memory_tree_row node)
{
    if (answer->out_count == answer->out_limit)
        return -1;
    answer->out[answer->out_count] = node;
    return answer->out_count++;
}

/* What is under the threshold becomes one node beside its larger siblings. */
static void emit_rest(struct tree_answer *answer, const struct xpd_tree_node *parent,
                      int64_t parent_out, uint32_t first)
{
    struct xpd_memory_tree_row rest = {
        .depth = parent->depth + 1, .parent = parent_out, .repeats = 1};
    uint32_t nodes = 0;
    for (uint32_t at = first; at != XPD_NO_INDEX; at = answer->tree.node.at[at].next_sibling) {
        const struct xpd_tree_node *node = &answer->tree.node.at[at];
        nodes++;
        rest.count += node->count;
        xpd_grow_i64(&rest.size_bytes, node->bytes);
        rest.padding_bytes += node->padding;
    }
    if (nodes == 0)
        return;
    xpd_strbuf_clear(&answer->text);
    xpd_strbuf_printf(&answer->text, "[%" PRIu32 " smaller]", nodes);
    rest.name = name_of(answer, xpd_names_put(&answer->names, xpd_str_of(answer->text.data)));
    emit(answer, rest);
}

static void emit_node(struct tree_answer *answer, uint32_t index, int64_t parent, int64_t least)
{
    const struct xpd_tree_node *node = &answer->tree.node.at[index];
    /* a pattern that only one name has is that name */
    int64_t self =
        emit(answer, (struct xpd_memory_tree_row){
                         .name = name_of(answer, node->alias_count == 1 ? node->alias : node->name),
                         .repeats = node->alias_count > 1 ? node->alias_count : 1,
                         .depth = node->depth,
                         .count = node->count,
                         .parent = parent,
                         .size_bytes = node->bytes,
                         .padding_bytes = node->padding,
                         .group = colour_of(node)});
    uint32_t child = node->first_child;
    /* depth is at most XPD_TREE_PARTS */
    for (; child != XPD_NO_INDEX && answer->tree.node.at[child].bytes >= least;
         child = answer->tree.node.at[child].next_sibling)
        emit_node(answer, child, self, least);
    emit_rest(answer, node, self, child);
    if (node->own_count > 0 && node->child_count > 0)
        emit(answer, (struct xpd_memory_tree_row){.name = XPD_STR("[self]"),
                                                  .repeats = 1,
                                                  .depth = node->depth + 1,
                                                  .count = node->own_count,
                                                  .parent = self,
                                                  .size_bytes = node->own_bytes,
                                                  .padding_bytes = node->own_padding});
}

static void fill(struct tree_answer *answer, uint32_t limit)
{
    answer->answer = (struct xpd_memory_tree){
        .step = answer->step,
        .total_bytes = answer->held.listed_bytes,
        .overlap_bytes = answer->held.listed_bytes - answer->held.bytes,
        .rows = {answer->out, answer->out_count},
        .limit = limit,
        .nodes = (uint32_t)answer->tree.node.count,
    };
}

static int build(struct tree_answer *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->ctx;
    uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_memory_tree, "limit");
    uint32_t depth = (uint32_t)xpd_param_int(ctx, &xpd_tool_memory_tree, "depth");
    struct xpd_str by = xpd_param_text(ctx, "by");
    if (!xpd_tree_init(&answer->tree))
        return xpd_tools_no_memory(err);
    file_rows(answer,
              xpd_str_eq(by, XPD_STR("source"))  ? BY_SOURCE
              : xpd_str_eq(by, XPD_STR("class")) ? BY_CLASS
                                                 : BY_SCOPE,
              depth);
    if (!answer->tree.failed)
        xpd_tree_finish(&answer->tree, ctx->arena);
    /* Each node kept may bring one for its smaller children and one for itself. */
    uint32_t keep = answer->tree.node.count <= limit / 2 ? limit : limit / 3 > 0 ? limit / 3 : 1;
    answer->out_limit = 3 * keep;
    answer->out = XPD_NEW_ARRAY(ctx->arena, struct xpd_memory_tree_row, answer->out_limit);
    if (answer->tree.failed || !answer->out)
        return xpd_tools_no_memory(err);
    emit_node(answer, 0, -1, xpd_tree_threshold(&answer->tree, keep));
    fill(answer, limit);
    return answer->text.failed || answer->names.table.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int tree(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct tree_answer *answer = XPD_NEW(ctx->arena, struct tree_answer);
    if (!answer)
        return xpd_tools_no_memory(err);
    answer->ctx = ctx;
    answer->fold = xpd_str_eq(xpd_param_text(ctx, "fold"), XPD_STR("numbers"));
    int rc = xpd_tools_step(ctx, "at", &answer->step, err);
    if (rc == XPD_OK)
        rc = xpd_tools_held(&answer->held, ctx, answer->step, err);
    if (rc != XPD_OK)
        return rc;
    answer->words = xpd_table_words_made(ctx);
    xpd_names_init(&answer->names, ctx->arena);
    rc = build(answer, err);
    xpd_tree_fini(&answer->tree);
    xpd_names_fini(&answer->names); /* its texts stay in the arena */
    xpd_strbuf_fini(&answer->text);
    *out = &answer->answer;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "scope source class",
     .help = "levels: class or phase, then the parts of the op name; file, line, opcode; or class, "
             "op group, shape"},
    {.name = "fold",
     .type = XPD_PARAM_ENUM,
     .words = "none numbers",
     .help = "numbers: siblings in a tree by scope that differ only in their last number become "
             "one node, as layer_0 to layer_5 become layer_* with 6 `repeats`; its path is a valid "
             "`scope` of memory/buffers"},
    {.name = "at", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "a step; default: the peak"},
    {.name = "depth",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = XPD_TREE_PARTS,
     .fallback = DEPTH_DEFAULT,
     .help = "levels below the root"},
    {.name = "limit",
     .type = XPD_PARAM_INT,
     .min = 10,
     .max = LIMIT_MAX,
     .fallback = LIMIT_DEFAULT,
     .help = "nodes; smaller ones are merged as \"[n smaller]\" under their parent"},
    XPD_PARAM_PLAN,
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_tree = {
    .route = "/api/v1/memory/tree",
    .title = "The buffers held after a step, as a tree by scope, source line or class.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about = "Children add up to their parent. Parents come before children, children by bytes.",
    .answer = xpd_memory_tree_record,
    .make = tree,
    .file_name = "tree.csv",
    XPD_IN_REPORT("",
                  {125, XPD_EACH_PEAK, "by=scope&at={step}&fold=numbers",
                   "the tree at the peaks, and at every step of a program of at most 1,000"},
                  {230, XPD_EACH_PEAK, "by=scope|source|class&at={step}", NULL},
                  {230, XPD_EACH_NEAR, "by=scope&at={step}&fold=numbers", NULL},
                  {310, XPD_EACH_STEP, "by=scope&at={step}&fold=numbers", NULL}),
};
