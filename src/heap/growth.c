/* What became of a value over the files of a series, and whether two files are of one program. */
#include "xprofd/base/str.h"
#include "xprofd/heap/groups.h"

#include <math.h>

const char *xpd_heap_verdict_word(enum xpd_heap_verdict verdict)
{
    static const char *const word[] = {"unknown", "steady", "grew", "grows", "shrank"};
    return word[verdict];
}

static enum xpd_heap_verdict verdict_of(const int64_t *value, size_t stride, uint32_t count)
{
    bool rising = count >= 3;
    for (uint32_t i = 1; i < count; i++)
        rising &= value[i * stride] > value[(i - 1) * stride];
    if (rising)
        return XPD_HEAP_GROWS;
    int64_t last = value[(count - 1) * stride], before = value[(count - 2) * stride];
    return last > before ? XPD_HEAP_GREW : last < before ? XPD_HEAP_SHRANK : XPD_HEAP_STEADY;
}

/* Least squares with both means taken away first, so that large values lose no digits. */
static void fit(struct xpd_heap_growth *out, const int64_t *value, size_t stride,
                const int64_t *step, uint32_t count)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
    for (uint32_t i = 0; i < count; i++) {
        mean_x += (double)step[i] / count;
        mean_y += (double)value[i * stride] / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        double x = (double)step[i] - mean_x, y = (double)value[i * stride] - mean_y;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    out->per_step = xx > 0 ? xy / xx : NAN;
    out->r2 = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 1;
}

struct xpd_heap_growth xpd_heap_growth_of(const int64_t *value, size_t stride, const int64_t *step,
                                          uint32_t count)
{
    struct xpd_heap_growth out = {XPD_HEAP_UNKNOWN, NAN, NAN, NAN};
    if (count < 2)
        return out;
    double change = (double)value[(count - 1) * stride] - (double)value[(count - 2) * stride];
    double steps = (double)step[count - 1] - (double)step[count - 2];
    out.verdict = verdict_of(value, stride, count);
    out.last_per_step = steps > 0 ? change / steps : NAN;
    fit(&out, value, stride, step, count);
    return out;
}

static bool has(const struct xpd_heap_groups *g, uint32_t row, uint32_t member)
{
    size_t at = (size_t)row * g->member_count + member;
    return g->value[at] != 0 || g->count[at] != 0;
}

bool xpd_heap_same_program(const struct xpd_heap_groups *lines, uint32_t a, uint32_t b)
{
    uint32_t in_a = 0, in_b = 0, both = 0;
    for (uint32_t i = 0; i < lines->row_count; i++) {
        if (lines->row[i].executables)
            continue;
        in_a += has(lines, i, a);
        in_b += has(lines, i, b);
        both += has(lines, i, a) && has(lines, i, b);
    }
    uint32_t fewer = in_a < in_b ? in_a : in_b;
    return 2 * (uint64_t)both >= fewer;
}
