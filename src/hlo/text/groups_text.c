/* Replica groups in words and as lists. In: parsed groups. Out: text that is the same for every
 * form they were written in. */
#include "print_internal.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/groups.h"
#include <inttypes.h>

/* Devices counted over dimensions: [4,2]<=[2,4]T(1,0). */

/* XLA writes an iota in its shortest form: without sizes of 1, and dimensions that stay beside each
 * other as one. False: `order` is not an order of the dimensions. */
static bool shorten(int64_t *dims, int64_t *order, uint32_t *count)
{
    enum { MOST = 64 };
    uint32_t n = *count, runs = 0;
    int64_t start[MOST], size[MOST], rank[MOST], kept = 0;
    uint64_t seen = 0;
    if (n > MOST)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (order[i] < 0 || order[i] >= n || seen >> order[i] & 1)
            return false;
        seen |= (uint64_t)1 << order[i];
        rank[i] = dims[i] == 1 ? -1 : kept++; /* its number without those of size 1 */
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t dim = rank[order[i]], before = runs ? start[runs - 1] : 0;
        if (dim < 0)
            continue;
        if (runs && dim == before + size[runs - 1]) {
            size[runs - 1]++;
        } else {
            start[runs] = dim;
            size[runs++] = 1;
        }
    }
    int64_t merged[MOST];
    for (uint32_t r = 0; r < runs; r++) {
        int64_t product = 1;
        bool overflow = false;
        for (uint32_t i = 0; i < n; i++)
            if (rank[i] >= start[r] && rank[i] < start[r] + size[r])
                product = xpd_mul_i64(product, dims[i], &overflow);
        if (overflow)
            return false;
        merged[r] = product;
    }
    for (uint32_t r = 0; r < runs; r++) {
        int64_t place = 0;
        for (uint32_t other = 0; other < runs; other++)
            place += start[other] < start[r];
        order[r] = place;
    }
    for (uint32_t r = 0; r < runs; r++)
        dims[order[r]] = merged[r];
    *count = runs;
    return true;
}

void xpd_print_iota(struct xpd_print *p, struct xpd_raw_ints dims, struct xpd_raw_ints order)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    int64_t *size = XPD_NEW_ARRAY(scratch, int64_t, (size_t)dims.count + 1);
    int64_t *at = XPD_NEW_ARRAY(scratch, int64_t, (size_t)dims.count + 1);
    uint32_t count = dims.count;
    if (dims.count == order.count && size && at) {
        for (uint32_t i = 0; i < count; i++) {
            size[i] = dims.at[i];
            at[i] = order.at[i];
        }
        if (shorten(size, at, &count)) {
            if (count == 0)
                size[count++] = 1;
            dims = (struct xpd_raw_ints){size, count};
            order = (struct xpd_raw_ints){at, count};
        }
    }
    xpd_strbuf_putc(p->out, '[');
    xpd_print_ints(p->out, dims);
    xpd_strbuf_putc(p->out, ']');
    if (dims.count > 1) {
        xpd_strbuf_puts(p->out, "T(");
        xpd_print_ints(p->out, order);
        xpd_strbuf_putc(p->out, ')');
    }
}

enum { GROUPS_LISTED = 4, DEVICES_LISTED = 8, PAIRS_LISTED = 8 };

void xpd_groups_words(struct xpd_strbuf *out, const struct xpd_groups *groups)
{
    if (groups->count == 0) {
        xpd_strbuf_puts(out, "All devices of the program are one group.");
        return;
    }
    if (groups->axis_size == 0) {
        xpd_strbuf_printf(out, "%" PRIu32 " groups of different sizes over %" PRId64 " devices.",
                          groups->count, groups->devices);
        return;
    }
    xpd_strbuf_printf(out, "%" PRIu32 " %s of %" PRId64, groups->count,
                      groups->count == 1 ? "group" : "groups", groups->axis_size);
    if (groups->stride > 1)
        xpd_strbuf_printf(out,
                          ", stride %" PRId64 ": an axis of %" PRId64
                          " devices with blocks of %" PRId64 " devices inside.",
                          groups->stride, groups->axis_size, groups->stride);
    else if (groups->stride == 1)
        xpd_strbuf_printf(out, " neighbouring devices: the innermost axis, of size %" PRId64 ".",
                          groups->axis_size);
    else if (groups->axis_size == 1)
        xpd_strbuf_puts(out, ": every device by itself, nothing is sent.");
    else
        xpd_strbuf_puts(out, ", not evenly spaced: more than one axis of the mesh.");
}

static void put_group(struct xpd_strbuf *out, const struct xpd_groups *groups, uint32_t group)
{
    uint32_t first = groups->first[group], end = groups->first[group + 1];
    xpd_strbuf_puts(out, " {");
    for (uint32_t i = first; i < end && i < first + DEVICES_LISTED; i++)
        xpd_strbuf_printf(out, "%s%" PRId64, i > first ? "," : "", groups->member[i]);
    xpd_strbuf_puts(out, end - first > DEVICES_LISTED ? ",\xe2\x80\xa6}" : "}");
}

void xpd_groups_list(struct xpd_strbuf *out, const struct xpd_groups *groups)
{
    if (groups->count == 0) {
        xpd_strbuf_puts(out, "all devices");
        return;
    }
    xpd_strbuf_printf(out, "%" PRIu32 " group%s", groups->count, groups->count == 1 ? "" : "s");
    if (groups->axis_size > 0)
        xpd_strbuf_printf(out, " of %" PRId64, groups->axis_size);
    xpd_strbuf_putc(out, ':');
    for (uint32_t g = 0; g < groups->count && g < GROUPS_LISTED; g++)
        put_group(out, groups, g);
    if (groups->count > GROUPS_LISTED)
        xpd_strbuf_puts(out, " \xe2\x80\xa6");
}

bool xpd_groups_pairs(struct xpd_strbuf *out, const struct xpd_groups *groups)
{
    for (uint32_t g = 0; g < groups->count; g++)
        if (groups->first[g + 1] - groups->first[g] != 2)
            return false;
    xpd_strbuf_printf(out, "%" PRIu32 " pair%s%s", groups->count, groups->count == 1 ? "" : "s",
                      groups->count > 0 ? ":" : "");
    for (uint32_t g = 0; g < groups->count && g < PAIRS_LISTED; g++)
        xpd_strbuf_printf(out, " %" PRId64 "\xe2\x86\x92%" PRId64, groups->member[groups->first[g]],
                          groups->member[groups->first[g] + 1]);
    if (groups->count > PAIRS_LISTED)
        xpd_strbuf_puts(out, " \xe2\x80\xa6");
    return true;
}
