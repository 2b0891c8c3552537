/* Order statistics of durations: exact by selection, or from bins of constant relative width. */
#include "xprofd/trace/totals.h"

#include <math.h>
#include <stdlib.h>

struct bin_range { /* the values a bin holds: [low_ps, low_ps + width_ps) */
    int64_t low_ps;
    uint64_t width_ps;
};

static struct bin_range range_of(uint32_t bin)
{
    const uint32_t parts = 1u << XPD_DURATION_BITS;
    uint32_t shift = bin < parts ? 0 : (bin >> XPD_DURATION_BITS) - 1;
    uint64_t low = bin < parts ? bin : (uint64_t)(parts + bin % parts) << shift;
    return (struct bin_range){(int64_t)low, UINT64_C(1) << shift};
}

int64_t xpd_duration_of_bin(uint32_t bin)
{
    struct bin_range range = range_of(bin);
    return range.low_ps + (int64_t)((range.width_ps - 1) >> 1);
}

size_t xpd_rank_of(double p, size_t n)
{
    double rank = ceil(p * (double)n);
    if (n == 0 || rank < 1)
        return 0;
    return rank >= (double)n ? n - 1 : (size_t)rank - 1;
}

static void swap(int64_t *a, int64_t *b)
{
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

static void sort_few(int64_t *value, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && value[j - 1] > value[j]; j--)
            swap(&value[j - 1], &value[j]);
}

/* Median of medians of five: a split that no input makes bad. */
static int64_t good_pivot(int64_t *value, size_t n)
{
    size_t medians = 0;
    for (size_t i = 0; i < n; i += 5) {
        size_t part = n - i < 5 ? n - i : 5;
        sort_few(value + i, part);
        swap(&value[medians++], &value[i + part / 2]);
    }
    return xpd_select_i64(value, medians, medians / 2);
}

/* Median of three; cheap, and good unless the input was made against it. */
static int64_t quick_pivot(const int64_t *value, size_t n)
{
    int64_t a = value[0], b = value[n / 2], c = value[n - 1];
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

int64_t xpd_select_i64(int64_t *value, size_t n, size_t k)
{
    bool careful = false;
    while (n > 16) {
        int64_t pivot = careful ? good_pivot(value, n) : quick_pivot(value, n);
        size_t low = 0, at = 0, high = n; /* [0, low) < pivot, [high, n) > pivot */
        while (at < high) {
            if (value[at] < pivot)
                swap(&value[low++], &value[at++]);
            else if (value[at] > pivot)
                swap(&value[at], &value[--high]);
            else
                at++;
        }
        if (k >= low && k < high)
            return pivot;
        size_t before = n;
        if (k < low) {
            n = low;
        } else {
            value += high;
            k -= high;
            n -= high;
        }
        careful = n > before - before / 8; /* the split was poor */
    }
    sort_few(value, n);
    return value[k];
}

/* The values of one bin, behind each other at the front of `to`. */
static size_t copy_bin(int64_t *to, const int64_t *value, size_t n, uint32_t bin)
{
    struct bin_range range = range_of(bin);
    size_t count = 0;
    if (bin == 0) /* those below 0, too */
        range = (struct bin_range){INT64_MIN, (UINT64_C(1) << 63) + 1};
    for (size_t i = 0; i < n; i++) {
        xpd_read_ahead(&value[i]);
        int64_t ps = value[i];
        to[count] = ps;
        count += (uint64_t)ps - (uint64_t)range.low_ps < range.width_ps;
    }
    return count;
}

/* Into bin, which is empty. */
static void count_all(const int64_t *value, size_t n, uint64_t *bin)
{
    uint64_t other[XPD_DURATION_BINS] = {0};
    xpd_count_durations(value, n, bin, other);
    for (uint32_t b = 0; b < XPD_DURATION_BINS; b++)
        bin[b] += other[b];
}

void xpd_select_durations(int64_t *value, size_t n, const size_t *rank, int64_t *found,
                          uint32_t count)
{
    enum { FEW = 4096 };
    uint64_t in_bin[XPD_DURATION_BINS] = {0};
    size_t most = 0, copied = 0;
    uint32_t copied_bin = XPD_DURATION_BINS;
    if (n > FEW)
        count_all(value, n, in_bin);
    for (uint32_t b = 0; n > FEW && b < XPD_DURATION_BINS; b++)
        most = in_bin[b] > most ? in_bin[b] : most;
    int64_t *part = n > FEW ? malloc((most + 1) * sizeof *part) : NULL;
    for (uint32_t k = 0; k < count; k++) {
        size_t below = 0;
        uint32_t bin = 0;
        while (part && below + in_bin[bin] <= rank[k])
            below += in_bin[bin++];
        if (part && bin != copied_bin) {
            copied = copy_bin(part, value, n, bin);
            copied_bin = bin;
        }
        if (part)
            found[k] = xpd_select_i64(part, copied, rank[k] - below);
        else
            found[k] = xpd_select_i64(value, n, rank[k]);
    }
    free(part);
}
