/* The heap over depths. A depth is sorted and disjoint, so its own order is right for both orders
 * of ties: of events that start together all but the last have no duration. */
#include "xprofd/base/vec.h"
#include "xprofd/trace/merge.h"

void xpd_merge_init(struct xpd_merge *merge, bool longest_first)
{
    *merge = (struct xpd_merge){.longest_first = longest_first};
}

void xpd_merge_fini(struct xpd_merge *merge)
{
    free(merge->head);
    *merge = (struct xpd_merge){.failed = merge->failed};
}

static bool earlier(const struct xpd_merge *merge, const struct xpd_merge_head *a,
                    const struct xpd_merge_head *b)
{
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps;
    int64_t a_long = xpd_depth_duration(a->depth, a->next),
            b_long = xpd_depth_duration(b->depth, b->next);
    if (a_long != b_long)
        return (a_long < b_long) != merge->longest_first;
    return a->rank < b->rank;
}

static void sink(struct xpd_merge *merge, uint32_t at)
{
    struct xpd_merge_head *heap = merge->head;
    struct xpd_merge_head moved = heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= merge->count)
            break;
        if (child + 1 < merge->count && earlier(merge, &heap[child + 1], &heap[child]))
            child++;
        if (!earlier(merge, &heap[child], &moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void rise(struct xpd_merge *merge, uint32_t at)
{
    struct xpd_merge_head *heap = merge->head;
    struct xpd_merge_head moved = heap[at];
    while (at > 0 && earlier(merge, &moved, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moved;
}

void xpd_merge_add_from(struct xpd_merge *merge, const struct xpd_depth *depth, uint32_t first)
{
    if (first >= depth->count)
        return;
    if (merge->count == merge->capacity) {
        size_t capacity = merge->capacity;
        if (!xpd_vec_grow((void **)&merge->head, &capacity, (size_t)merge->count + 1,
                          sizeof *merge->head)) {
            merge->failed = true;
            return;
        }
        merge->capacity = capacity > UINT32_MAX ? UINT32_MAX : (uint32_t)capacity;
    }
    merge->head[merge->count] =
        (struct xpd_merge_head){depth, xpd_depth_start(depth, first), first, merge->count};
    rise(merge, merge->count++);
}

void xpd_merge_add(struct xpd_merge *merge, const struct xpd_depth *depth)
{
    xpd_merge_add_from(merge, depth, 0);
}

void xpd_merge_add_row(struct xpd_merge *merge, const struct xpd_trace *trace, uint32_t row)
{
    const struct xpd_trace_row *at = &trace->row[row];
    for (uint32_t i = 0; i < at->depth_count; i++)
        xpd_merge_add(merge, &trace->depth[at->first_depth + i]);
}

bool xpd_merge_next(struct xpd_merge *merge, struct xpd_merged *out)
{
    if (merge->count == 0 || merge->failed)
        return false;
    struct xpd_merge_head *top = &merge->head[0];
    const struct xpd_depth *depth = top->depth;
    *out = (struct xpd_merged){.start_ps = top->start_ps,
                               .duration_ps = xpd_depth_duration(depth, top->next),
                               .event = depth->first_event + top->next,
                               .name = depth->name[top->next],
                               .index = top->next,
                               .depth = depth};
    if (++top->next < depth->count)
        top->start_ps = xpd_depth_start(depth, top->next);
    else
        *top = merge->head[--merge->count];
    if (merge->count > 0)
        sink(merge, 0);
    return true;
}
