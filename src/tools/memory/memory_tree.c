/* /api/v1/memory/tree: what is held after a step, as a tree by scope, source line or class. */
#include "../tables/table_words.h"
#include "tree.h"
#include "whatif_changed.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/scope.h"

#define DEPTH_DEFAULT 8
#define LIMIT_DEFAULT 2000
#define LIMIT_MAX     20000
#define PURE_SHARE    0.95 /* a node is coloured when this much of it is one group */

enum by { BY_SCOPE, BY_SOURCE, BY_CLASS };

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
    struct out_node *out;
    uint32_t out_count, out_limit;
};

struct out_node {
    uint32_t name, depth, count, repeats;
    int32_t parent;
    int64_t bytes, padding;
    uint32_t group;
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
    uint32_t n =
        xpd_tools_scope_parts(answer->ctx->mem, row->buffer, row->mem_class, part, XPD_SCOPE_PARTS);
    for (uint32_t i = 0; i < n; i++)
        if (answer->fold)
            push_folded(answer, path, part[i]);
        else
            push(path, xpd_names_put(&answer->names, part[i]));
}

static void push_source(struct tree_answer *answer, struct path *path, const struct xpd_held *row)
{
    uint32_t instruction = xpd_tools_instruction(answer->ctx->mem, row->buffer);
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
    push(path, xpd_names_kept(&answer->names, xpd_tools_opcode(answer->ctx->hlo, instruction)));
}

static void push_class(struct tree_answer *answer, struct path *path, const struct xpd_held *row)
{
    uint32_t instruction = xpd_tools_instruction(answer->ctx->mem, row->buffer);
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
                           : xpd_tools_scope_name(ctx->hlo, instruction).data;
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
        uint32_t instruction = xpd_tools_instruction(answer->ctx->mem, row->buffer);
        enum xpd_op_group group =
            instruction == XPD_NO_INDEX || row->mem_class != XPD_CLASS_TEMPORARY
                ? XPD_OP_NONE
                : xpd_words_group(answer->words, answer->ctx->hlo, instruction);
        xpd_tree_add(&answer->tree, node_of(answer, by, depth, row, instruction), row, group);
    }
}

/* ---- answer ---- */

static uint32_t colour_of(struct tree_answer *answer, const struct xpd_tree_node *node)
{
    for (int group = 0; group < XPD_OP_GROUP_COUNT; group++)
        if (node->bytes > 0 && (double)node->group_bytes[group] >= PURE_SHARE * (double)node->bytes)
            return xpd_names_put(&answer->names,
                                 xpd_str_of(xpd_op_group_word((enum xpd_op_group)group)));
    return 0;
}

static int32_t emit(struct tree_answer *answer, struct out_node node)
{
    if (answer->out_count == answer->out_limit)
        return -1;
    answer->out[answer->out_count] = node;
    return (int32_t)answer->out_count++;
}

/* What is under the threshold becomes one node beside its larger siblings. */
static void emit_rest(struct tree_answer *answer, const struct xpd_tree_node *parent,
                      int32_t parent_out, uint32_t first)
{
    struct out_node rest = {.depth = parent->depth + 1, .parent = parent_out};
    uint32_t nodes = 0;
    for (uint32_t at = first; at != XPD_NO_INDEX; at = answer->tree.node.at[at].next_sibling) {
        const struct xpd_tree_node *node = &answer->tree.node.at[at];
        nodes++;
        rest.count += node->count;
        xpd_grow_i64(&rest.bytes, node->bytes);
        rest.padding += node->padding;
    }
    if (nodes == 0)
        return;
    xpd_strbuf_clear(&answer->text);
    xpd_strbuf_printf(&answer->text, "[%" PRIu32 " smaller]", nodes);
    rest.name = xpd_names_put(&answer->names, xpd_str_of(answer->text.data));
    emit(answer, rest);
}

static void emit_node(struct tree_answer *answer, uint32_t index, int32_t parent, int64_t least)
{
    const struct xpd_tree_node *node = &answer->tree.node.at[index];
    /* a pattern that only one name has is that name */
    int32_t self =
        emit(answer, (struct out_node){.name = node->alias_count == 1 ? node->alias : node->name,
                                       .repeats = node->alias_count,
                                       .depth = node->depth,
                                       .count = node->count,
                                       .parent = parent,
                                       .bytes = node->bytes,
                                       .padding = node->padding,
                                       .group = colour_of(answer, node)});
    uint32_t child = node->first_child;
    /* depth is at most XPD_TREE_PARTS */
    for (; child != XPD_NO_INDEX && answer->tree.node.at[child].bytes >= least;
         child = answer->tree.node.at[child].next_sibling)
        emit_node(answer, child, self, least);
    emit_rest(answer, node, self, child);
    if (node->own_count > 0 && node->child_count > 0)
        emit(answer, (struct out_node){.name = xpd_names_put(&answer->names, XPD_STR("[self]")),
                                       .depth = node->depth + 1,
                                       .count = node->own_count,
                                       .parent = self,
                                       .bytes = node->own_bytes,
                                       .padding = node->own_padding});
}

static void write(struct xpd_jsonw *w, struct tree_answer *answer, uint32_t limit)
{
    const struct out_node *out = answer->out;
    uint32_t n = answer->out_count;
    xpd_json_obj(w);
    xpd_tools_kindex(w, "step", answer->step);
    xpd_json_ki64(w, "total_bytes", answer->held.listed_bytes);
    xpd_json_ki64(w, "overlap_bytes", answer->held.listed_bytes - answer->held.bytes);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "name", n, xpd_json_u64(w, out[row].name));
    XPD_COLUMN(w, "parent", n, xpd_json_i64(w, out[row].parent));
    XPD_COLUMN(w, "depth", n, xpd_json_u64(w, out[row].depth));
    XPD_COLUMN(w, "bytes", n, xpd_json_i64(w, out[row].bytes));
    XPD_COLUMN(w, "padding_bytes", n, xpd_json_i64(w, out[row].padding));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, out[row].count));
    XPD_COLUMN(w, "group", n, xpd_json_u64(w, out[row].group));
    XPD_COLUMN(w, "repeats", n, xpd_json_u64(w, out[row].repeats > 1 ? out[row].repeats : 1));
    xpd_names_write(&answer->names, w);
    xpd_json_ku64(w, "limit", limit);
    xpd_json_ku64(w, "nodes", answer->tree.node.count);
    xpd_json_obj_end(w);
}

static int build(struct tree_answer *answer, struct xpd_tool_result *out, struct xpd_err *err)
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
    answer->out = XPD_NEW_ARRAY(ctx->arena, struct out_node, answer->out_limit);
    if (answer->tree.failed || !answer->out)
        return xpd_tools_no_memory(err);
    emit_node(answer, 0, -1, xpd_tree_threshold(&answer->tree, keep));
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, answer, limit);
    return answer->text.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int tree(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct tree_answer answer = {
        .ctx = ctx, .fold = xpd_str_eq(xpd_param_text(ctx, "fold"), XPD_STR("numbers"))};
    int rc = xpd_tools_step(ctx, "at", &answer.step, err);
    if (rc == XPD_OK)
        rc = xpd_tools_held(&answer.held, ctx, answer.step, err);
    if (rc != XPD_OK)
        return rc;
    answer.words = xpd_table_words_made(ctx);
    xpd_names_init(&answer.names, ctx->arena);
    rc = build(&answer, out, err);
    xpd_tree_fini(&answer.tree);
    xpd_names_fini(&answer.names);
    xpd_strbuf_fini(&answer.text);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "by", .type = XPD_PARAM_ENUM, .words = "scope source class", .help = "default scope"},
    {.name = "fold",
     .type = XPD_PARAM_ENUM,
     .words = "none numbers",
     .help = "numbers: scopes that differ only in their number are one"},
    {.name = "at", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "a step, default the peak"},
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
     .help = "nodes; smaller ones are joined under their parent"},
    XPD_PARAM_PLAN,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_tree = {
    .route = "/api/v1/memory/tree",
    .title = "What is held after a step, as a tree by scope, source line or class.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = tree,
};
