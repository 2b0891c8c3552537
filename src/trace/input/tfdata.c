/* The stages of tf.data pipelines by path. In: events "Iterator::Root::Prefetch[0]::..." of all
 * threads. Out: a tree in order of the pipeline, last stage first.
 *
 * Iterators of one stage ("[3]" of an interleave) are one row. A call holds the stages below on the
 * same thread, and waiting. Pipelines with the same stages are added up: their events have the same
 * names. */
#include "tfdata.h"
#include "input_walk.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/map64.h"

#include <stdlib.h>

#define DEPTH_MAX 64 /* stages above each other; deeper ones are counted in the last */

struct node {
    struct xpd_str path;
    uint32_t parent, first, last, next; /* stages below it, in the order they were found */
    uint32_t threads, last_row;
    uint64_t calls, event;
    int64_t total_ps, below_ps;
};
struct tree {
    const struct xpd_view *view;
    const struct input_spans *spans;
    struct xpd_arena *arena;
    uint32_t *of_name; /* by name of the trace: in `node`; XPD_NO_INDEX = no stage */
    XPD_VEC(struct node) node;
    struct xpd_map64 by_path; /* hash of the path */
    uint32_t first, last;     /* without a parent */
    uint32_t row;
    bool failed;
};

/* "Root::Prefetch::FlatMap" of "Iterator::Root::Prefetch[3]::FlatMap[0]". */
static struct xpd_str path_of(struct tree *tree, struct xpd_str caption)
{
    struct xpd_str in = {caption.data + sizeof "Iterator::" - 1,
                         caption.size - (sizeof "Iterator::" - 1)};
    char *out = xpd_arena_bytes(tree->arena, in.size + 1);
    size_t n = 0;
    bool number = false;
    for (size_t i = 0; out && i < in.size; i++) {
        number |= in.data[i] == '[';
        if (!number)
            out[n++] = in.data[i];
        number &= in.data[i] != ']';
    }
    tree->failed |= !out;
    return (struct xpd_str){out, out ? n : 0};
}

static uint32_t find(const struct tree *tree, struct xpd_str path)
{
    uint32_t at = xpd_map64_get(&tree->by_path, xpd_hash(path.data, path.size));
    return at != XPD_NO_INDEX && xpd_str_eq(tree->node.at[at].path, path) ? at : XPD_NO_INDEX;
}

static uint32_t add(struct tree *tree, struct xpd_str path, uint32_t parent)
{
    uint32_t at = (uint32_t)tree->node.count;
    XPD_PUSH(&tree->node, ((struct node){.path = path,
                                         .parent = parent,
                                         .first = XPD_NO_INDEX,
                                         .last = XPD_NO_INDEX,
                                         .next = XPD_NO_INDEX,
                                         .last_row = XPD_NO_INDEX,
                                         .event = UINT64_MAX}));
    xpd_map64_put(&tree->by_path, xpd_hash(path.data, path.size), at);
    tree->failed |= tree->node.failed || tree->by_path.failed;
    if (tree->failed)
        return XPD_NO_INDEX;
    bool top = parent == XPD_NO_INDEX;
    uint32_t *first = top ? &tree->first : &tree->node.at[parent].first;
    uint32_t *last = top ? &tree->last : &tree->node.at[parent].last;
    if (*last == XPD_NO_INDEX)
        *first = at;
    else
        tree->node.at[*last].next = at;
    *last = at;
    return at;
}

static size_t last_stage(struct xpd_str path)
{
    for (size_t i = path.size; i > 1; i--)
        if (path.data[i - 1] == ':' && path.data[i - 2] == ':')
            return i - 2;
    return 0;
}

/* A stage, and those it is below of: they may have no events of their own. */
static uint32_t node_of(struct tree *tree, struct xpd_str path)
{
    uint32_t parent = XPD_NO_INDEX, at = XPD_NO_INDEX;
    size_t end[DEPTH_MAX];
    uint32_t depth = 0;
    for (size_t size = path.size; size > 0 && depth < DEPTH_MAX;
         size = last_stage((struct xpd_str){path.data, size}))
        end[depth++] = size;
    while (depth-- > 0 && !tree->failed) {
        struct xpd_str one = {path.data, end[depth]};
        at = find(tree, one);
        if (at == XPD_NO_INDEX)
            at = add(tree, one, parent);
        parent = at;
    }
    return tree->failed ? XPD_NO_INDEX : at;
}

static bool begins_in_steps(const struct tree *tree, int64_t start_ps)
{
    const struct input_spans *spans = tree->spans;
    return spans->count > 0 && start_ps >= spans->at[0].from_ps &&
           start_ps < spans->at[spans->count - 1].to_ps;
}

/* frame->claim: the stage around it. */
static void enter(void *self, struct input_frame *frame, const struct input_frame *parent)
{
    struct tree *tree = self;
    uint32_t around = parent ? parent->claim : XPD_NO_INDEX;
    uint32_t at = tree->of_name[frame->name];
    frame->claim = at == XPD_NO_INDEX ? around : at;
    if (at == XPD_NO_INDEX || !begins_in_steps(tree, frame->start_ps))
        return;
    struct node *node = &tree->node.at[at];
    int64_t ps = frame->end_ps - frame->start_ps;
    node->calls++;
    node->event = frame->event;
    node->threads += node->last_row != tree->row;
    node->last_row = tree->row;
    xpd_grow_i64(&node->total_ps, ps);
    if (around != XPD_NO_INDEX && begins_in_steps(tree, parent->start_ps))
        xpd_grow_i64(&tree->node.at[around].below_ps, ps);
}

/* ---- threads that run map functions ---- */

static bool runs_maps(const struct xpd_view *view, uint32_t row)
{
    return input_is_thread(view, row) &&
           xpd_str_starts(xpd_view_row_caption(view, row), "tf_data_private_threadpool");
}

/* Union of the pool in the steps. */
static bool map_time(struct xpd_input_run *out, const struct tree *tree)
{
    const struct xpd_view *view = tree->view;
    struct xpd_intervals work = {0};
    bool any = false;
    for (uint32_t row = 0; row < view->trace->row_count; row++) {
        if (!runs_maps(view, row))
            continue;
        const struct xpd_depth *depth = xpd_view_depth(view, row, 0);
        any = true;
        for (uint32_t i = 0; i < depth->count; i++) {
            int64_t end_ps = xpd_depth_start(depth, i);
            xpd_grow_i64(&end_ps, xpd_depth_duration(depth, i));
            xpd_intervals_put(&work, INT64_MIN, INT64_MAX, xpd_depth_start(depth, i), end_ps);
        }
    }
    xpd_intervals_join(&work);
    out->map_busy_ps = any ? 0 : -1;
    for (size_t s = 0; any && s < tree->spans->count; s++)
        xpd_grow_i64(&out->map_busy_ps, xpd_intervals_inside(&work, tree->spans->at[s].from_ps,
                                                             tree->spans->at[s].to_ps));
    bool fine = !work.failed;
    XPD_VEC_FINI(&work);
    return fine;
}

struct operations {
    const struct tree *tree;
    int64_t *time_ps; /* by name */
};

static void enter_operation(void *self, struct input_frame *frame, const struct input_frame *parent)
{
    const struct operations *o = self;
    (void)parent;
    if (begins_in_steps(o->tree, frame->start_ps))
        xpd_grow_i64(&o->time_ps[frame->name], frame->end_ps - frame->start_ps);
}

/* The operation with most time on them: "DecodeJpeg:DecodeJpeg", no executor. */
static bool map_operation(struct xpd_input_run *out, const struct tree *tree)
{
    const struct xpd_view *view = tree->view;
    int64_t *time_ps = calloc((size_t)view->trace->name_count + 1, sizeof *time_ps);
    struct operations o = {tree, time_ps};
    struct input_walk walk = {&o, enter_operation, NULL, NULL};
    bool fine = time_ps != NULL;
    for (uint32_t row = 0; fine && row < view->trace->row_count; row++)
        if (runs_maps(view, row))
            fine = input_walk_row(&walk, view->trace, row);
    for (uint32_t n = 0; fine && n < view->trace->name_count; n++) {
        struct xpd_str caption = input_full_name(view, n);
        bool function = xpd_str_find(caption, XPD_STR("::"), false) != SIZE_MAX ||
                        xpd_str_find(caption, XPD_STR(":"), false) == SIZE_MAX;
        if (time_ps[n] > out->map_name_ps && time_ps[n] > 0 && !function) {
            out->map_name_ps = time_ps[n];
            out->map_name = n;
        }
    }
    free(time_ps);
    return fine;
}

/* ---- the answer ---- */

/* Stages in order of the pipeline: each before those below it, DEPTH_MAX above each other. */
static void put_below(struct xpd_input_run *out, const struct tree *tree, uint32_t first,
                      uint32_t parent)
{
    for (uint32_t i = first; i != XPD_NO_INDEX; i = tree->node.at[i].next) {
        const struct node *at = &tree->node.at[i];
        uint32_t row = out->tf_count++;
        out->tf[row] = (struct xpd_input_tf_stage){
            .path = at->path,
            .parent = parent,
            .threads = at->threads,
            .calls = at->calls,
            .total_ps = at->total_ps,
            .self_ps = at->total_ps > at->below_ps ? at->total_ps - at->below_ps : 0,
            .event = at->event,
        };
        if (out->tf[row].self_ps > 0 && (out->tf_bounds == XPD_NO_INDEX ||
                                         out->tf[row].self_ps > out->tf[out->tf_bounds].self_ps))
            out->tf_bounds = row;
        put_below(out, tree, at->first, row);
    }
}

static bool find_stages(struct tree *tree, const struct input_name *name)
{
    uint32_t names = tree->view->trace->name_count;
    tree->of_name = malloc(((size_t)names + 1) * sizeof *tree->of_name);
    for (uint32_t n = 0; tree->of_name && n < names; n++)
        tree->of_name[n] = name[n].tf_stage
                               ? node_of(tree, path_of(tree, input_full_name(tree->view, n)))
                               : XPD_NO_INDEX;
    return tree->of_name && !tree->failed;
}

bool input_tf_data(struct xpd_input_run *out, const struct xpd_view *view,
                   const struct input_name *name, const struct input_spans *spans,
                   struct xpd_arena *arena)
{
    struct tree tree = {
        .view = view, .spans = spans, .arena = arena, .first = XPD_NO_INDEX, .last = XPD_NO_INDEX};
    struct input_walk walk = {&tree, enter, NULL, NULL};
    out->tf_bounds = out->map_name = XPD_NO_INDEX;
    out->map_busy_ps = out->map_name_ps = -1;
    bool fine = find_stages(&tree, name);
    for (tree.row = 0; fine && tree.node.count > 0 && tree.row < view->trace->row_count; tree.row++)
        if (input_is_thread(view, tree.row))
            fine = input_walk_row(&walk, view->trace, tree.row);
    out->tf = fine ? XPD_NEW_ARRAY(arena, struct xpd_input_tf_stage, tree.node.count) : NULL;
    fine = out->tf != NULL;
    if (fine)
        put_below(out, &tree, tree.first, XPD_NO_INDEX);
    if (fine && out->tf_count > 0)
        fine = map_time(out, &tree) && map_operation(out, &tree);
    free(tree.of_name);
    xpd_map64_fini(&tree.by_path);
    XPD_VEC_FINI(&tree.node);
    return fine;
}
