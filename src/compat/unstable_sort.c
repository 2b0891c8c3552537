/* See unstable_sort.h. This is std::sort of libstdc++: quicksort with the
 * median of the second, the middle and the last element moved to the front, ranges of 16 left to
 * one insertion sort at the end, heap sort below a depth of 2 log2(n). */
#include "xprofd/compat/unstable_sort.h"

#include <string.h>

#define SMALL 16

static bool less(const struct xpd_unstable *a, const struct xpd_unstable *b)
{
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps;
    return a->duration_ps < b->duration_ps;
}

static void swap(struct xpd_unstable *a, struct xpd_unstable *b)
{
    struct xpd_unstable kept = *a;
    *a = *b;
    *b = kept;
}

/* Moves a hole down to a leaf, then the value up from it. */
static void adjust_heap(struct xpd_unstable *heap, size_t hole, size_t count,
                        struct xpd_unstable value)
{
    size_t top = hole, child = hole;
    while (child < (count - 1) / 2) {
        child = 2 * (child + 1);
        if (less(&heap[child], &heap[child - 1]))
            child--;
        heap[hole] = heap[child];
        hole = child;
    }
    if (count % 2 == 0 && count >= 2 && child == (count - 2) / 2) {
        child = 2 * (child + 1);
        heap[hole] = heap[child - 1];
        hole = child - 1;
    }
    while (hole > top && less(&heap[(hole - 1) / 2], &value)) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = value;
}

static void heap_sort(struct xpd_unstable *at, size_t count)
{
    for (size_t parent = (count - 2) / 2 + 1; parent-- > 0;)
        adjust_heap(at, parent, count, at[parent]);
    while (count > 1) {
        count--;
        struct xpd_unstable value = at[count];
        at[count] = at[0];
        adjust_heap(at, 0, count, value);
    }
}

static size_t median(const struct xpd_unstable *at, size_t x, size_t y, size_t z)
{
    if (less(&at[x], &at[y])) {
        if (less(&at[y], &at[z]))
            return y;
        return less(&at[x], &at[z]) ? z : x;
    }
    if (less(&at[x], &at[z]))
        return x;
    return less(&at[y], &at[z]) ? z : y;
}

/* The pivot is at `first`, so neither scan runs past an end. */
static size_t partition(struct xpd_unstable *at, size_t first, size_t end)
{
    swap(&at[first], &at[median(at, first + 1, first + (end - first) / 2, end - 1)]);
    size_t i = first + 1, j = end;
    for (;;) {
        while (less(&at[i], &at[first]))
            i++;
        j--;
        while (less(&at[first], &at[j]))
            j--;
        if (i >= j)
            return i;
        swap(&at[i], &at[j]);
        i++;
    }
}

static void intro_loop(struct xpd_unstable *at, size_t first, size_t end, unsigned depth)
{
    while (end - first > SMALL) {
        if (depth == 0) {
            heap_sort(at + first, end - first);
            return;
        }
        depth--;
        size_t cut = partition(at, first, end);
        intro_loop(at, cut, end, depth); /* at most 2 log2(n) deep */
        end = cut;
    }
}

static void insert_unguarded(struct xpd_unstable *at, size_t i)
{
    struct xpd_unstable value = at[i];
    while (less(&value, &at[i - 1])) {
        at[i] = at[i - 1];
        i--;
    }
    at[i] = value;
}

void xpd_unstable_sort(struct xpd_unstable *at, size_t count)
{
    if (count < 2)
        return;
    unsigned log = 0;
    while ((count >> (log + 1)) != 0)
        log++;
    intro_loop(at, 0, count, 2 * log);
    size_t guarded = count > SMALL ? SMALL : count;
    for (size_t i = 1; i < guarded; i++) {
        if (less(&at[i], &at[0])) {
            struct xpd_unstable value = at[i];
            memmove(at + 1, at, i * sizeof *at);
            at[0] = value;
        } else {
            insert_unguarded(at, i);
        }
    }
    for (size_t i = guarded; i < count; i++)
        insert_unguarded(at, i);
}
