/* Devices counted over dimensions: [4,2]<=[2,4]T(1,0). */
#include "print_internal.h"

#include "xprofd/base/checked.h"

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
