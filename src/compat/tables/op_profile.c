/* tag=op_profile: a tree of the operations, by program, by category or by the framework's names.
 * XProf answers the JSON of a message; its data_csv refuses, ours has a row for each node. Rules:
 * XProf's op_profile_builder.cc. Children of equal time stand as GNU's partial_sort leaves them. */
#include "../opstats/opstats_record.h"
#include "compat_tables.h"

#include "xprofd/base/vec.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CHILDREN_MOST = 100, NAMES_MOST = 256 };
enum grouping { BY_PROGRAM, BY_CATEGORY, BY_PROVENANCE, GROUPING_COUNT };

struct shown { /* answer for a node */
    double flops, uncapped_flops, bandwidth[3], time_ps, model_flops, flops_v2, normalized_ps,
        bytes[3], occurrences, avg_ps;
};
struct node {
    struct xpd_str name;
    const struct xpd_ops_metrics *op; /* whose texts it shows; NULL: it is a group */
    bool duplicates;                  /* a group that shows the texts of its first operation */
    struct xpd_ops_metrics sum;
    struct shown shown;
    struct node **child;
    uint32_t child_count, child_room, number;
    uint32_t had; /* children before removing those after the first hundred */
};
struct tree {
    const struct xpd_op_stats *stats;
    struct xpd_arena *arena;
    enum grouping by;
    struct node *root;
    struct xpd_map64 find; /* of a group below a node */
    XPD_VEC(struct node *) all;
    bool failed;
};

/* ---- nodes ---- */

static struct node *add_node(struct tree *tree, struct node *parent, struct xpd_str name)
{
    static struct node nowhere; /* without memory: the answer fails as a whole */
    struct node *node = XPD_NEW(tree->arena, struct node);
    if (!node) {
        tree->failed = true;
        return &nowhere;
    }
    node->name = name;
    node->number = (uint32_t)tree->all.count;
    XPD_PUSH(&tree->all, node);
    if (parent && parent->child_count == parent->child_room) {
        uint32_t room = parent->child_room ? parent->child_room * 2 : 4;
        struct node **grown = XPD_NEW_ARRAY(tree->arena, struct node *, room);
        for (uint32_t i = 0; grown && i < parent->child_count; i++)
            grown[i] = parent->child[i];
        tree->failed |= !grown;
        if (!grown)
            return node;
        parent->child = grown;
        parent->child_room = room;
    }
    if (parent)
        parent->child[parent->child_count++] = node;
    tree->failed |= tree->all.failed;
    return node;
}

enum kind { PROGRAM, CATEGORY, DUPLICATES, SCOPE };

static struct node *group_of(struct tree *tree, struct node *parent, enum kind kind, uint64_t key,
                             struct xpd_str name)
{
    uint64_t mixed = (key ^ (uint64_t)kind << 61) * UINT64_C(0x9e3779b97f4a7c15) ^
                     (uint64_t)(parent->number + 1) * UINT64_C(0xc2b2ae3d27d4eb4f);
    uint32_t at = xpd_map64_get(&tree->find, mixed);
    if (at != XPD_NO_INDEX)
        return tree->all.at[at];
    struct node *node = add_node(tree, parent, name);
    xpd_map64_put(&tree->find, mixed, node->number);
    tree->failed |= tree->find.failed;
    return node;
}

static struct node *named_group(struct tree *tree, struct node *parent, enum kind kind,
                                struct xpd_str name)
{
    return group_of(tree, parent, kind, xpd_hash(name.data, name.size), name);
}

static struct xpd_str program_name(const struct tree *tree, uint64_t id)
{
    for (uint32_t i = 0; i < tree->stats->program_count; i++) {
        const struct xpd_xprof_program *program = &tree->stats->program[i];
        if (program->id != id)
            continue;
        const char *text = xpd_arena_printf(tree->arena, "%.*s(%" PRIu64 ")",
                                            (int)program->name.size, program->name.data, id);
        return xpd_str_of(text ? text : "");
    }
    return XPD_STR("main");
}

/* ---- sums ---- */

static void add_amounts(struct tree *tree, struct xpd_ops_metrics *to,
                        const struct xpd_ops_metrics *op)
{
    to->flops_v2 += op->flops_v2;
    to->model_flops_v2 += op->model_flops_v2;
    xpd_ops_add_access(tree->arena, &to->access, &to->access_count, op->access, op->access_count,
                       1);
}

/* Parents of an operation count its self time, and its work if nothing is nested in it. */
static void add_above(struct tree *tree, struct node *node, const struct xpd_ops_metrics *op)
{
    node->sum.time_ps += op->self_ps;
    node->sum.normalized_ps += op->normalized_ps;
    if (op->time_ps == op->self_ps)
        add_amounts(tree, &node->sum, op);
}

static void add_whole(struct tree *tree, struct node *node, const struct xpd_ops_metrics *op)
{
    node->sum.time_ps += op->time_ps;
    node->sum.normalized_ps += op->normalized_ps;
    node->sum.occurrences += op->occurrences;
    add_amounts(tree, &node->sum, op);
}

static void add_fused(struct tree *tree, struct node *parent, const struct xpd_ops_metrics *op)
{
    for (uint32_t i = 0; i < op->children.count; i++) {
        const struct xpd_ops_metrics *inner = &op->children.at[i];
        struct node *node = add_node(tree, parent, inner->name);
        node->op = inner;
        add_whole(tree, node, inner);
        add_fused(tree, node, inner);
    }
}

static void add_leaf(struct tree *tree, struct node *parent, const struct xpd_ops_metrics *op)
{
    struct node *leaf = add_node(tree, parent, op->name);
    leaf->op = op;
    add_whole(tree, leaf, op);
    add_fused(tree, leaf, op);
}

/* ---- position of an operation ---- */

/* The parts of "jit(f)/dense/dot_general:dot" between slashes, the last up to its colon. */
static struct node *scope_of(struct tree *tree, struct node *node, const struct xpd_ops_metrics *op)
{
    struct xpd_str text = op->provenance;
    while (text.size && text.data[text.size - 1] == '/')
        text.size--;
    size_t from = 0;
    for (size_t i = 0; i <= text.size; i++) {
        if (i < text.size && text.data[i] != '/')
            continue;
        struct xpd_str part = {text.data + from, i - from};
        from = i + 1;
        if (part.size == 0)
            continue;
        const char *colon = i == text.size ? memchr(part.data, ':', part.size) : NULL;
        if (colon)
            part.size = (size_t)(colon - part.data);
        node = named_group(tree, node, SCOPE, part);
        add_above(tree, node, op);
    }
    return node;
}

static bool has_sparse_core(const struct xpd_ops_metrics *op)
{
    for (uint32_t i = 0; i < op->children.count; i++)
        if (op->children.at[i].core == XPD_OPS_SPARSE_CORE)
            return true;
    return false;
}

static void add_op(struct tree *tree, const struct xpd_ops_metrics *op)
{
    struct node *parent = tree->root;
    bool idle = xpd_ops_is_idle(op);
    add_above(tree, tree->root, op);
    if (!idle && tree->by != BY_CATEGORY) {
        parent =
            group_of(tree, tree->root, PROGRAM, op->program_id, program_name(tree, op->program_id));
        add_above(tree, parent, op);
    }
    if (op->time_ps != op->self_ps && !has_sparse_core(op))
        return; /* nested operations are counted separately */
    if (idle) {
        add_leaf(tree, tree->root, op);
        return;
    }
    if (tree->by == BY_PROVENANCE && op->provenance.size)
        parent = scope_of(tree, parent, op);
    struct node *category = named_group(tree, parent, CATEGORY, op->category);
    add_whole(tree, category, op);
    struct node *same =
        named_group(tree, category, DUPLICATES, op->dedup_name.size ? op->dedup_name : op->name);
    add_whole(tree, same, op);
    add_leaf(tree, same, op);
}

/* ---- selection ---- */

static uint64_t bytes_of(const struct xpd_ops_metrics *op, bool hbm, uint64_t operation)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < op->access_count; i++)
        if ((op->access[i].space == XPD_OPS_HBM) == hbm && op->access[i].operation == operation)
            bytes += op->access[i].bytes;
    return bytes;
}

static double gib_per_s(const struct xpd_ops_metrics *op, bool hbm, uint64_t operation)
{
    return xpd_ops_divide((double)bytes_of(op, hbm, operation), (double)op->time_ps / 1e3) /
           XPD_OPS_GIBI;
}

static double at_most_1(double value)
{
    return 1.0 < value ? 1.0 : value;
}

static struct shown show(const struct tree *tree, const struct xpd_ops_metrics *op,
                         uint64_t total_ps)
{
    const struct xpd_ops_peaks *peaks = &tree->stats->peaks;
    double ns = (double)op->time_ps / 1e3, rate = xpd_ops_divide(op->flops_v2, ns);
    if (op->normalized_ps)
        rate *= xpd_ops_divide((double)op->time_ps, (double)op->normalized_ps);
    double use = xpd_ops_divide(rate, peaks->tflops * 1000.0);
    double fraction = xpd_ops_divide((double)op->time_ps, (double)total_ps);
    double gib[3] = {gib_per_s(op, true, XPD_OPS_READ) + gib_per_s(op, true, XPD_OPS_WRITE),
                     gib_per_s(op, false, XPD_OPS_READ), gib_per_s(op, false, XPD_OPS_WRITE)};
    struct shown s = {.flops = at_most_1(use) * fraction,
                      .uncapped_flops = use * fraction,
                      .time_ps = (double)op->time_ps,
                      .model_flops = op->model_flops_v2,
                      .flops_v2 = op->flops_v2,
                      .normalized_ps = (double)op->normalized_ps,
                      .occurrences = (double)(uint32_t)op->occurrences};
    s.avg_ps = xpd_ops_divide(s.time_ps, s.occurrences);
    for (uint32_t i = 0; i < 3; i++) {
        double peak = peaks->count > i ? peaks->gb_per_s[i] / XPD_OPS_GIBI : 0;
        s.bandwidth[i] = at_most_1(xpd_ops_divide(gib[i], peak));
        s.bytes[i] = gib[i] * XPD_OPS_GIBI * ns;
    }
    return s;
}

/* ---- order: GNU's partial_sort, so that equal ones are ordered as in XProf ---- */

typedef bool before_fn(const struct node *a, const struct node *b);

static bool more_time(const struct node *a, const struct node *b)
{
    return a->shown.time_ps > b->shown.time_ps;
}

static bool more_flops(const struct node *a, const struct node *b)
{
    return a->shown.model_flops > b->shown.model_flops;
}

static void sift(struct node **at, size_t hole, size_t count, struct node *value, before_fn *before)
{
    size_t top = hole, child = hole;
    while (count > 1 && child < (count - 1) / 2) {
        child = 2 * (child + 1);
        if (before(at[child], at[child - 1]))
            child--;
        at[hole] = at[child];
        hole = child;
    }
    if (count % 2 == 0 && count >= 2 && child == (count - 2) / 2) {
        child = 2 * (child + 1);
        at[hole] = at[child - 1];
        hole = child - 1;
    }
    while (hole > top && before(at[(hole - 1) / 2], value)) {
        at[hole] = at[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    at[hole] = value;
}

static void partial_sort(struct node **at, size_t middle, size_t count, before_fn *before)
{
    for (size_t parent = middle / 2; parent-- > 0;)
        sift(at, parent, middle, at[parent], before);
    for (size_t i = middle; i < count; i++)
        if (before(at[i], at[0])) {
            struct node *value = at[i];
            at[i] = at[0];
            sift(at, 0, middle, value, before);
        }
    for (size_t last = middle; last-- > 1;) {
        struct node *value = at[last];
        at[last] = at[0];
        sift(at, 0, last, value, before);
    }
}

static bool is_fusion(const struct node *node)
{
    return node->op && xpd_str_ends(node->op->category, " fusion");
}

/* Levels down to 0 keep all children, those below the first hundred. */
static void sort_children(struct node *node, int level)
{
    node->had = node->child_count;
    for (uint32_t i = 0; i < node->child_count; i++)
        sort_children(node->child[i], level - 1);
    uint32_t keep =
        level > 0 || node->child_count < CHILDREN_MOST ? node->child_count : CHILDREN_MOST;
    if (node->child_count < 2)
        return;
    partial_sort(node->child, keep, node->child_count, is_fusion(node) ? more_flops : more_time);
    node->child_count = keep;
}

/* A group of operations without duplicates is the operation itself. */
static void settle(struct tree *tree, struct node *node)
{
    bool group = node->child_count > 0 && !node->op;
    for (uint32_t i = 0; group && i < node->child_count; i++)
        group = node->child[i]->op != NULL;
    if (!group) {
        for (uint32_t i = 0; i < node->child_count; i++)
            settle(tree, node->child[i]);
        return;
    }
    if (node->child_count == 1) {
        *node = *node->child[0];
        return;
    }
    const struct node *first = node->child[0];
    const char *name = xpd_arena_printf(tree->arena, "%.*s and its duplicate(s)",
                                        (int)first->name.size, first->name.data);
    node->name = xpd_str_of(name ? name : "");
    node->op = first->op;
    node->duplicates = true;
}

static int build(struct tree *tree, bool without_idle)
{
    static const char *const roots[] = {"by_program", "by_category", "by_provenance"};
    static const int levels[] = {2, 1, 100};
    const struct xpd_ops_db *db = &tree->stats->device;
    uint64_t total_ps = without_idle ? db->total_op_ps : db->total_ps;
    tree->root = add_node(tree, NULL, xpd_str_of(roots[tree->by]));
    for (uint32_t i = 0; i < db->count && !tree->failed; i++) {
        const struct xpd_ops_metrics *op = &db->at[i];
        if (!xpd_str_starts(op->name, "region") && !(without_idle && xpd_ops_is_idle(op)))
            add_op(tree, op);
    }
    tree->root->sum.time_ps = total_ps;
    for (size_t i = 0; i < tree->all.count; i++)
        tree->all.at[i]->shown = show(tree, &tree->all.at[i]->sum, total_ps);
    sort_children(tree->root, levels[tree->by]);
    settle(tree, tree->root);
    XPD_VEC_FINI(&tree->all);
    xpd_map64_fini(&tree->find);
    return tree->failed || tree->arena->failed ? XPD_ENOMEM : XPD_OK;
}

/* ---- JSON ---- */

static void write_three(struct xpd_jsonw *w, const char *key, const double value[3])
{
    xpd_json_key(w, key);
    xpd_json_arr(w);
    for (int i = 0; i < 3; i++)
        xpd_json_double(w, value[i]);
    xpd_json_arr_end(w);
}

static void write_metrics(struct xpd_jsonw *w, const struct shown *shown)
{
    xpd_json_key(w, "metrics");
    xpd_json_obj(w);
    xpd_json_kdouble(w, "flops", shown->flops);
    write_three(w, "bandwidthUtils", shown->bandwidth);
    xpd_json_kdouble(w, "rawTime", shown->time_ps);
    xpd_json_kdouble(w, "rawFlops", shown->model_flops);
    write_three(w, "rawBytesAccessedArray", shown->bytes);
    xpd_json_kdouble(w, "occurrences", shown->occurrences);
    xpd_json_kdouble(w, "avgTimePs", shown->avg_ps);
    xpd_json_kdouble(w, "bf16Flops", shown->flops_v2);
    xpd_json_kdouble(w, "uncappedFlops", shown->uncapped_flops);
    xpd_json_kdouble(w, "normalizedTimePs", shown->normalized_ps);
    xpd_json_obj_end(w);
}

/* The value of kernel_metadata in the frontend attributes of an HLO text. */
static struct xpd_str kernel_metadata(struct xpd_str text)
{
    static const struct xpd_str key = {"xprof_metadata=\"", 16};
    size_t at = xpd_str_find(text, key, false);
    if (at == SIZE_MAX)
        return XPD_STR("");
    struct xpd_str rest = {text.data + at + key.size, text.size - at - key.size};
    const char *end = rest.size ? memchr(rest.data, '"', rest.size) : NULL;
    return end ? (struct xpd_str){rest.data, (size_t)(end - rest.data)} : XPD_STR("");
}

static void write_instruction(struct xpd_jsonw *w, const struct node *node)
{
    const struct xpd_ops_metrics *op = node->op;
    bool fusion = xpd_str_ends(op->category, " fusion");
    xpd_json_key(w, "xla");
    xpd_json_obj(w);
    xpd_json_ktext(w, "op", "");
    xpd_json_kstr(w, "expression", op->long_name);
    xpd_json_kstr(w, "provenance", node->duplicates && fusion ? XPD_STR("") : op->provenance);
    xpd_json_kstr(w, "category", op->category);
    if (node->duplicates && !fusion) {
        xpd_json_key(w, "layout");
        xpd_json_raw(w, XPD_STR("{\"dimensions\":[]}"));
    }
    xpd_json_ki64(w, "computationPrimitiveSize", 0);
    xpd_json_ktext(w, "fingerprint", "0");
    xpd_json_key(w, "programId");
    xpd_json_u64_string(w, op->program_id);
    xpd_json_key(w, "sourceInfo");
    xpd_json_obj(w);
    xpd_json_kstr(w, "fileName", op->file);
    xpd_json_ki64(w, "lineNumber", op->line);
    xpd_json_kstr(w, "stackFrame", op->stack);
    xpd_json_obj_end(w);
    xpd_json_kstr(w, "xprofKernelMetadata", kernel_metadata(op->long_name));
    xpd_json_obj_end(w);
}

/* Text, not the JSON writer, puts children together: provenance can nest deeper than it counts. */
static void write_node(struct xpd_strbuf *out, const struct node *node, int depth)
{
    struct xpd_jsonw w;
    struct xpd_strbuf part = {0};
    xpd_jsonw_init(&w, &part);
    xpd_json_obj(&w);
    xpd_json_kstr(&w, "name", node->name);
    write_metrics(&w, &node->shown);
    if (node->op)
        write_instruction(&w, node);
    xpd_json_ki64(&w, "numChildren", node->had);
    xpd_strbuf_add(out, part.data ? part.data : "{", part.size ? part.size : 1);
    xpd_strbuf_fini(&part);
    xpd_strbuf_puts(out, ",\"children\":[");
    for (uint32_t i = 0; i < node->child_count && depth < NAMES_MOST; i++) {
        if (i)
            xpd_strbuf_putc(out, ',');
        write_node(out, node->child[i], depth + 1);
    }
    xpd_strbuf_puts(out, "]}");
}

static const char *hardware_name(enum xpd_ops_hardware hardware)
{
    static const char *const names[] = {"UNKNOWN_HARDWARE", "CPU_ONLY", "GPU", "TPU"};
    return names[hardware];
}

static struct xpd_str write_json(const struct tree tree[2], struct xpd_arena *arena)
{
    static const char *const keys[GROUPING_COUNT][2] = {
        {"byProgram", "byProgramExcludeIdle"},
        {"byCategory", "byCategoryExcludeIdle"},
        {"byProvenance", "byProvenanceExcludeIdle"}};
    const struct xpd_op_stats *stats = tree[0].stats;
    struct xpd_strbuf out = {0};
    xpd_strbuf_puts(&out, "{");
    for (int i = 0; i < 2; i++) {
        xpd_strbuf_printf(&out, "\"%s\":", keys[tree[0].by][i]);
        write_node(&out, tree[i].root, 0);
        xpd_strbuf_putc(&out, ',');
    }
    struct xpd_jsonw w;
    xpd_strbuf_printf(&out, "\"deviceType\":\"%s\",\"aggDvfsTimeScaleMultiplier\":",
                      hardware_name(stats->hardware));
    xpd_jsonw_init(&w, &out);
    xpd_json_double(&w, xpd_ops_divide((double)stats->device.normalized_op_ps,
                                       (double)stats->device.total_op_ps));
    xpd_strbuf_putc(&out, '}');
    const char *kept = out.failed ? NULL : xpd_arena_strndup(arena, out.data, out.size);
    struct xpd_str json = {kept ? kept : "", kept ? out.size : 0};
    xpd_strbuf_fini(&out);
    return json;
}

/* ---- the table, for CSV ---- */

struct row {
    double level;
    struct xpd_str name, category, provenance;
    double occurrences, time_us, avg_us, time_percent, flops_percent, hbm_percent, model_flops,
        bytes;
    struct xpd_str program_id, expression;
};
static const struct xpd_column columns[] = {
    XPD_COLUMN(struct row, level, "Level"),
    XPD_COLUMN(struct row, name, "Name"),
    XPD_COLUMN(struct row, category, "Category"),
    XPD_COLUMN(struct row, provenance, "Framework op name"),
    XPD_COLUMN(struct row, occurrences, "#Occurrences"),
    XPD_COLUMN(struct row, time_us, "Time (us)"),
    XPD_COLUMN(struct row, avg_us, "Avg. time (us)"),
    XPD_COLUMN(struct row, time_percent, "Time (%)"),
    XPD_COLUMN(struct row, flops_percent, "FLOPS utilization (%)"),
    XPD_COLUMN(struct row, hbm_percent, "HBM bandwidth utilization (%)"),
    XPD_COLUMN(struct row, model_flops, "FLOPs"),
    XPD_COLUMN(struct row, bytes, "HBM bytes"),
    XPD_COLUMN(struct row, program_id, "Program id"),
    XPD_COLUMN(struct row, expression, "HLO op text"),
};

static uint32_t count_nodes(const struct node *node, int depth)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < node->child_count && depth < NAMES_MOST; i++)
        count += count_nodes(node->child[i], depth + 1);
    return count;
}

static void add_row(struct xpd_data_table *table, struct row *row, const struct node *node,
                    int depth, const struct tree *tree)
{
    const struct shown *s = &node->shown;
    double total_ps = tree->root->shown.time_ps, fraction = xpd_ops_divide(s->time_ps, total_ps);
    struct row *to = &row[table->row_count++];
    *to = (struct row){.level = depth,
                       .name = node->name,
                       .occurrences = s->occurrences,
                       .time_us = s->time_ps / 1e6,
                       .avg_us = s->avg_ps / 1e6,
                       .time_percent = 100 * fraction,
                       .flops_percent = 100 * xpd_ops_divide(s->uncapped_flops, fraction),
                       .hbm_percent = 100 * s->bandwidth[0],
                       .model_flops = s->model_flops,
                       .bytes = s->bytes[0]};
    if (node->op) {
        to->category = node->op->category;
        to->provenance = node->op->provenance;
        to->program_id = xpd_ops_u64_text(tree->arena, node->op->program_id);
        to->expression = node->op->long_name;
    }
    for (uint32_t i = 0; i < node->child_count && depth < NAMES_MOST; i++)
        add_row(table, row, node->child[i], depth + 1, tree);
}

/* ---- the tool ---- */

static enum grouping grouping_of(const struct xpd_tool_ctx *ctx)
{
    struct xpd_str by = xpd_param_text(ctx, "group_by");
    if (xpd_str_eq(by, XPD_STR("category")))
        return BY_CATEGORY;
    return xpd_str_eq(by, XPD_STR("provenance")) ? BY_PROVENANCE : BY_PROGRAM;
}

static int make(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    const struct xpd_op_stats *stats;
    int rc = xpd_op_stats_of(ctx, &stats, err);
    if (rc != XPD_OK)
        return rc;
    struct tree tree[2] = {{.stats = stats, .arena = ctx->arena, .by = grouping_of(ctx)}};
    tree[1] = tree[0];
    for (int i = 0; i < 2 && rc == XPD_OK; i++)
        rc = build(&tree[i], i == 1);
    struct xpd_data_table *table = XPD_NEW_ARRAY(ctx->arena, struct xpd_data_table, 1);
    struct row *row =
        rc == XPD_OK ? XPD_NEW_ARRAY(ctx->arena, struct row, count_nodes(tree[0].root, 0)) : NULL;
    if (!table || !row)
        return xpd_no_memory(err, NULL, "for this answer");
    *table = (struct xpd_data_table){XPD_COLUMNS(columns), .row = row, .row_bytes = sizeof *row};
    add_row(table, row, tree[0].root, 0, &tree[0]);
    *out = (struct xpd_tables){.table = table, .count = 1, .json = write_json(tree, ctx->arena)};
    return out->json.size == 0 || ctx->arena->failed ? xpd_no_memory(err, NULL, "for this answer")
                                                     : XPD_OK;
}

const struct xpd_table_tool xpd_table_op_profile = {.tag = "op_profile", .make = make};
/* An older name; XProf 2.24.2 knows it and answers nothing. */
const struct xpd_table_tool xpd_table_hlo_op_profile = {.tag = "hlo_op_profile", .make = make};
