/* The order in which XProf's unstable sort leaves equal sizes.
 *
 * In: bar indexes in program order. Out: largest first. GNU's introspective sort: quicksort on the
 * median of the second, middle and last moved to the front, ranges of 16 or fewer left to one
 * insertion sort at the end, heap sort below a depth of 2 log2(n). Recursion is at most that deep.
 */
#include "xprof_work.h"

#include <string.h>

struct sorter {
    const struct xpd_xprof_bar *bar;
    uint32_t *v;
};

static bool less(const struct sorter *s, uint32_t a, uint32_t b)
{
    return s->bar[a].size_bytes > s->bar[b].size_bytes;
}

static void swap(uint32_t *v, uint32_t i, uint32_t j)
{
    uint32_t x = v[i];
    v[i] = v[j];
    v[j] = x;
}

/* Puts x into the heap v[a .. a + n) whose place `hole` is free. */
static void sift(const struct sorter *s, uint32_t *h, uint32_t hole, uint32_t n, uint32_t x)
{
    uint32_t top = hole, child = hole;
    while (child < (n - 1) / 2) {
        child = 2 * (child + 1);
        if (less(s, h[child], h[child - 1]))
            child--;
        h[hole] = h[child];
        hole = child;
    }
    if (n % 2 == 0 && n >= 2 && child == (n - 2) / 2) {
        child = 2 * (child + 1);
        h[hole] = h[child - 1];
        hole = child - 1;
    }
    while (hole > top && less(s, h[(hole - 1) / 2], x)) {
        h[hole] = h[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    h[hole] = x;
}

static void heap_sort(const struct sorter *s, uint32_t a, uint32_t b)
{
    uint32_t *h = s->v + a, n = b - a;
    for (uint32_t p = (n - 2) / 2 + 1; p-- > 0;)
        sift(s, h, p, n, h[p]);
    while (n > 1) {
        n--;
        uint32_t x = h[n];
        h[n] = h[0];
        sift(s, h, 0, n, x);
    }
}

static void median_to_front(const struct sorter *s, uint32_t a, uint32_t b)
{
    uint32_t x = a + 1, y = a + (b - a) / 2, z = b - 1, m;
    const uint32_t *v = s->v;
    if (less(s, v[x], v[y]))
        m = less(s, v[y], v[z]) ? y : less(s, v[x], v[z]) ? z : x;
    else
        m = less(s, v[x], v[z]) ? x : less(s, v[y], v[z]) ? z : y;
    swap(s->v, a, m);
}

static void loop(const struct sorter *s, uint32_t a, uint32_t b, uint32_t depth)
{
    while (b - a > 16) {
        if (depth-- == 0) {
            heap_sort(s, a, b);
            return;
        }
        median_to_front(s, a, b);
        uint32_t i = a + 1, j = b;
        for (;;) {
            while (less(s, s->v[i], s->v[a]))
                i++;
            j--;
            while (less(s, s->v[a], s->v[j]))
                j--;
            if (i >= j)
                break;
            swap(s->v, i, j);
            i++;
        }
        loop(s, i, b, depth);
        b = i;
    }
}

static void insert_linear(const struct sorter *s, uint32_t i)
{
    uint32_t x = s->v[i];
    while (i > 0 && less(s, x, s->v[i - 1])) {
        s->v[i] = s->v[i - 1];
        i--;
    }
    s->v[i] = x;
}

void xpd_xprof_sort_by_size(const struct xpd_xprof_bar *bar, uint32_t *order, uint32_t count)
{
    struct sorter s = {.bar = bar, .v = order};
    uint32_t depth = 0;
    if (count < 2)
        return;
    while (count >> (depth + 1))
        depth++;
    loop(&s, 0, count, 2 * depth);
    for (uint32_t i = 1; i < count; i++)
        insert_linear(&s, i);
}
