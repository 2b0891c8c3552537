/* Stacks into a tree.
 *
 * In: a file and the one to compare with. Out: the largest nodes, parents first. Each different
 * stack is walked once, from the outermost frame (or the innermost), with the sums of its samples;
 * nodes are found by the hash of their path and compared before they are taken. Sums go up in one
 * pass from the last node to the first, because a child is always made after its parent. No
 * recursion: a stack may have 100,000 frames. */
#include "xprofd/heap/tree.h"

#include "sieve.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/intern.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"

#include <stdlib.h>
#include <string.h>

struct work { /* a node in the making */
    struct xpd_heap_node node;
    uint32_t first_child, next_sibling;
    uint32_t text; /* its text: equal texts of one parent are one node */
    int64_t self_base;
    uint32_t depth;
};

struct sums { /* of one stack */
    int64_t value, count, executables;
};

struct planting {
    const struct xpd_heap_tree_want *want;
    const struct xpd_heap_member *member; /* the file being added */
    bool is_base;
    XPD_VEC(struct work) node;
    struct xpd_map64 by_key;
    struct xpd_intern texts;
    uint32_t *frame_text; /* of this file: text + 1 by frame */
    XPD_VEC(uint32_t) walk;
};

/* ---- nodes ---- */

static bool is_open(const struct planting *p, uint64_t key)
{
    for (uint32_t i = 0; i < p->want->open_count; i++)
        if (p->want->open[i] == key)
            return true;
    return false;
}

/* The text of a frame as an id: function, file and line. */
static uint32_t text_of(struct planting *p, uint32_t frame)
{
    uint32_t *memo = &p->frame_text[frame];
    if (*memo != 0)
        return *memo - 1;
    const struct xpd_heap_frame *f = &p->member->heap->frame[frame];
    uint64_t part[3] = {xpd_hash(f->function.data, f->function.size),
                        xpd_hash(f->file.data, f->file.size), (uint64_t)f->line};
    *memo = xpd_intern_put(&p->texts, (const char *)part, sizeof part) + 1;
    return *memo - 1;
}

static uint64_t key_of(struct planting *p, uint32_t parent, uint32_t text)
{
    struct xpd_str shown = xpd_intern_get(&p->texts, text);
    uint64_t part[2] = {p->node.at[parent].node.key, xpd_hash(shown.data, shown.size)};
    uint64_t key = xpd_hash(part, sizeof part);
    return key != 0 ? key : 1;
}

/* The child of `parent` with `text`, made if new; `like` is a template for it. */
static uint32_t child_of(struct planting *p, uint32_t parent, uint32_t text,
                         const struct xpd_heap_node *like)
{
    uint64_t key = key_of(p, parent, text);
    uint32_t found;
    while ((found = xpd_map64_get(&p->by_key, key)) != XPD_NO_INDEX) {
        struct work *w = &p->node.at[found];
        if (w->node.parent == parent && w->text == text) {
            if (like->library_frames > w->node.library_frames)
                w->node.library_frames = like->library_frames;
            return found;
        }
        key++; /* another path with this hash */
    }
    struct work fresh = {.node = *like,
                         .first_child = XPD_NO_INDEX,
                         .next_sibling = p->node.at[parent].first_child,
                         .text = text,
                         .depth = p->node.at[parent].depth + 1};
    uint32_t index = (uint32_t)p->node.count;
    fresh.node.key = key;
    fresh.node.parent = parent;
    XPD_PUSH(&p->node, fresh);
    if (p->node.failed || p->node.count >= UINT32_MAX - 1) {
        p->node.failed = true;
        return parent;
    }
    p->node.at[parent].first_child = index;
    xpd_map64_put(&p->by_key, key, index);
    return index;
}

static uint32_t add_frame(struct planting *p, uint32_t parent, uint32_t frame)
{
    struct xpd_heap_node like = {.heap = p->member->heap,
                                 .frame = frame,
                                 .last_frame = frame,
                                 .library_frames = p->member->library[frame] ? 1 : 0};
    return child_of(p, parent, text_of(p, frame), &like);
}

/* A run of library frames as one node, or frame by frame when it was opened. Runs below one parent
 * that begin and end alike are one. */
static uint32_t add_run(struct planting *p, uint32_t parent, const uint32_t *frame, uint32_t count)
{
    if (count == 1)
        return add_frame(p, parent, frame[0]);
    uint32_t part[3] = {text_of(p, frame[0]), text_of(p, frame[count - 1]), UINT32_MAX};
    uint32_t text = xpd_intern_put(&p->texts, (const char *)part, sizeof part);
    if (is_open(p, key_of(p, parent, text))) {
        for (uint32_t i = 0; i < count; i++)
            parent = add_frame(p, parent, frame[i]);
        return parent;
    }
    struct xpd_heap_node like = {.heap = p->member->heap,
                                 .frame = frame[0],
                                 .last_frame = frame[count - 1],
                                 .library_frames = count,
                                 .folded = true};
    return child_of(p, parent, text, &like);
}

static void add_stack(struct planting *p, uint32_t stack, const struct sums *sums)
{
    const struct xpd_pprof *heap = p->member->heap;
    const struct xpd_heap_stack *s = &heap->stack[stack];
    uint32_t at = 0;
    p->walk.count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t from = p->want->innermost_first ? i : s->count - 1 - i;
        XPD_PUSH(&p->walk, heap->stack_frame[s->first + from]);
    }
    for (uint32_t i = 0, end; i < p->walk.count && !p->walk.failed && !p->node.failed; i = end) {
        end = i + 1;
        while (p->want->fold && end < p->walk.count && p->member->library[p->walk.at[i]] &&
               p->member->library[p->walk.at[end]])
            end++;
        at = add_run(p, at, p->walk.at + i, end - i);
    }
    struct work *w = &p->node.at[at];
    xpd_grow_i64(p->is_base ? &w->self_base : &w->node.self, sums->value);
    xpd_grow_i64(p->is_base ? &w->node.base_count : &w->node.count, sums->count);
    if (!p->is_base)
        xpd_grow_i64(&w->node.executables, sums->executables);
}

static bool add_file(struct planting *p, const struct xpd_heap_member *member, bool is_base,
                     struct xpd_arena *arena)
{
    const struct xpd_pprof *heap = member->heap;
    struct sums *sum = XPD_NEW_ARRAY(arena, struct sums, (size_t)heap->stack_count + 1);
    bool *seen = XPD_NEW_ARRAY(arena, bool, (size_t)heap->stack_count + 1);
    struct xpd_heap_sieve sieve;
    p->member = member;
    p->is_base = is_base;
    p->frame_text = XPD_NEW_ARRAY(arena, uint32_t, (size_t)heap->frame_count + 1);
    if (!sum || !seen || !p->frame_text ||
        !xpd_heap_sieve_make(&sieve, member, &p->want->filter, arena))
        return false;
    uint32_t counter = heap->type[member->type].count_of;
    for (uint32_t i = 0; i < heap->sample_count; i++) {
        if (!xpd_heap_passes(&sieve, member, &p->want->filter, i))
            continue;
        uint32_t stack = heap->sample_stack[i];
        int64_t value = xpd_heap_value(heap, i, member->type);
        seen[stack] = true;
        xpd_grow_i64(&sum[stack].value, value);
        if (xpd_heap_is_executable(heap, i))
            xpd_grow_i64(&sum[stack].executables, value);
        if (counter != XPD_NO_INDEX)
            xpd_grow_i64(&sum[stack].count, xpd_heap_value(heap, i, counter));
    }
    for (uint32_t i = 0; i < heap->stack_count && !p->node.failed; i++)
        if (seen[i] && (sum[i].value != 0 || sum[i].count != 0))
            add_stack(p, i, &sum[i]);
    return !p->node.failed && !p->walk.failed && !p->texts.failed && !p->by_key.failed;
}

/* From the last node to the first: a child comes after its parent. */
static void add_up(struct planting *p)
{
    for (size_t i = p->node.count; i-- > 0;) {
        struct work *w = &p->node.at[i];
        int64_t gained = w->node.self > w->self_base ? w->node.self - w->self_base : 0;
        xpd_grow_i64(&w->node.value, w->node.self);
        xpd_grow_i64(&w->node.base_value, w->self_base);
        if (p->want->base)
            xpd_grow_i64(&w->node.grown, gained);
        if (i == 0)
            return;
        struct xpd_heap_node *parent = &p->node.at[w->node.parent].node;
        xpd_grow_i64(&parent->value, w->node.value);
        xpd_grow_i64(&parent->count, w->node.count);
        xpd_grow_i64(&parent->executables, w->node.executables);
        xpd_grow_i64(&parent->base_value, w->node.base_value);
        xpd_grow_i64(&parent->base_count, w->node.base_count);
        xpd_grow_i64(&parent->grown, w->node.grown);
    }
}

/* ---- the largest nodes ---- */

struct choice {
    const struct planting *p;
    uint32_t *heap; /* nodes that may come next, the largest on top */
    uint32_t count;
};

static int64_t weight(const struct planting *p, uint32_t node)
{
    const struct xpd_heap_node *n = &p->node.at[node].node;
    if (p->want->by_grown)
        return n->grown;
    return n->value > n->base_value ? n->value : n->base_value;
}

static bool heavier(const struct planting *p, uint32_t a, uint32_t b)
{
    int64_t x = weight(p, a), y = weight(p, b);
    return x != y ? x > y : a < b;
}

static void push(struct choice *c, uint32_t node)
{
    uint32_t at = c->count++;
    while (at > 0 && heavier(c->p, node, c->heap[(at - 1) / 2])) {
        c->heap[at] = c->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    c->heap[at] = node;
}

static uint32_t pop(struct choice *c)
{
    uint32_t top = c->heap[0], last = c->heap[--c->count], at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= c->count)
            break;
        if (child + 1 < c->count && heavier(c->p, c->heap[child + 1], c->heap[child]))
            child++;
        if (!heavier(c->p, c->heap[child], last))
            break;
        c->heap[at] = c->heap[child];
        at = child;
    }
    c->heap[at] = last;
    return top;
}

struct listing {
    struct xpd_heap_tree *out;
    uint32_t *place; /* by node: where in the list; XPD_NO_INDEX = not there */
};

static void list(struct planting *p, struct listing *l, uint32_t node)
{
    struct xpd_heap_node *n = &l->out->node[l->out->count];
    *n = p->node.at[node].node;
    n->parent = node == 0 ? XPD_NO_INDEX : l->place[n->parent];
    l->place[node] = l->out->count++;
    for (uint32_t c = p->node.at[node].first_child; c != XPD_NO_INDEX;
         c = p->node.at[c].next_sibling)
        n->left_out++;
    if (n->parent != XPD_NO_INDEX)
        l->out->node[n->parent].left_out--;
}

/* The way from the root to the node that is zoomed to, so that values of all levels are there. */
static uint32_t list_way(struct planting *p, struct listing *l)
{
    uint32_t node = p->want->zoom ? xpd_map64_get(&p->by_key, p->want->zoom) : 0;
    l->out->zoom_missing = node == XPD_NO_INDEX;
    node = node == XPD_NO_INDEX ? 0 : node;
    for (uint32_t depth = 0; depth <= p->node.at[node].depth; depth++) {
        uint32_t at = node;
        while (p->node.at[at].depth > depth)
            at = p->node.at[at].node.parent;
        list(p, l, at);
    }
    return node;
}

static bool choose(struct planting *p, struct xpd_heap_tree *out, struct xpd_arena *arena)
{
    uint32_t all = (uint32_t)p->node.count;
    struct choice c = {.p = p, .heap = XPD_NEW_ROOM(arena, uint32_t, (size_t)all + 1)};
    struct listing l = {.out = out, .place = XPD_NEW_ROOM(arena, uint32_t, (size_t)all + 1)};
    uint32_t most = p->want->max_nodes < all ? p->want->max_nodes : all;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < all; i++)
        deepest = p->node.at[i].depth > deepest ? p->node.at[i].depth : deepest;
    out->node = XPD_NEW_ARRAY(arena, struct xpd_heap_node, (size_t)most + deepest + 2);
    if (!c.heap || !l.place || !out->node)
        return false;
    out->all = all;
    out->deepest = deepest;
    uint32_t at = list_way(p, &l);
    for (;;) {
        for (uint32_t k = p->node.at[at].first_child; k != XPD_NO_INDEX;
             k = p->node.at[k].next_sibling)
            push(&c, k);
        if (c.count == 0 || out->count >= most)
            return true;
        at = pop(&c);
        list(p, &l, at);
    }
}

int xpd_heap_tree_make(struct xpd_heap_tree *out, const struct xpd_heap_tree_want *want,
                       struct xpd_arena *arena, struct xpd_err *err)
{
    struct planting p = {.want = want};
    struct work root = {.node = {.parent = XPD_NO_INDEX,
                                 .key = 1,
                                 .frame = XPD_NO_INDEX,
                                 .last_frame = XPD_NO_INDEX},
                        .first_child = XPD_NO_INDEX,
                        .next_sibling = XPD_NO_INDEX};
    *out = (struct xpd_heap_tree){0};
    xpd_intern_init(&p.texts, arena);
    XPD_PUSH(&p.node, root);
    bool fine = !p.node.failed && (!want->base || add_file(&p, want->base, true, arena)) &&
                add_file(&p, &want->of, false, arena);
    if (fine) {
        add_up(&p);
        fine = choose(&p, out, arena);
    }
    XPD_VEC_FINI(&p.node);
    XPD_VEC_FINI(&p.walk);
    xpd_map64_fini(&p.by_key);
    xpd_intern_fini(&p.texts);
    return fine ? XPD_OK : xpd_no_memory(err, NULL, "for the tree of this file");
}
