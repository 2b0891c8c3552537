/* Replica groups. In: the attribute's text. Out: the groups written out, and their axis. */
#include "xprofd/hlo/groups.h"

#include "../text/text_scan.h"
#include "xprofd/base/checked.h"

enum { RANK_MOST = 16 };

static int refuse(struct xpd_err *err)
{
    return xpd_fail(err, XPD_EFORMAT, "replica_groups", XPD_NO_OFFSET,
                    "The replica groups are in none of the forms that XLA prints.");
}

static bool new_groups(struct xpd_groups *out, struct xpd_arena *arena, int64_t groups,
                       int64_t size)
{
    bool overflow = false;
    int64_t devices = xpd_mul_i64(groups, size, &overflow);
    if (overflow || groups < 1 || size < 1 || devices > XPD_GROUP_DEVICES_MOST)
        return false;
    out->count = (uint32_t)groups;
    out->devices = devices;
    out->first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)groups + 1);
    out->member = XPD_NEW_ARRAY(arena, int64_t, (size_t)devices);
    for (uint32_t i = 0; out->first && i <= out->count; i++)
        out->first[i] = i * (uint32_t)size;
    return out->first && out->member;
}

/* ---- lists ---- */

static uint32_t count_char(const struct xpd_text_scan *scan, char c)
{
    uint32_t n = 0;
    for (const char *at = scan->at; at < scan->end && n < XPD_GROUP_DEVICES_MOST; at++)
        n += *at == c;
    return n;
}

static bool read_lists(struct xpd_groups *out, struct xpd_arena *arena, struct xpd_text_scan *scan)
{
    uint32_t groups = count_char(scan, '{');
    uint32_t room = count_char(scan, ',') + 1, used = 0;
    out->first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)groups + 1);
    out->member = XPD_NEW_ARRAY(arena, int64_t, room);
    if (!out->first || !out->member)
        return false;
    if (xpd_text_take(scan, '}')) /* {}: all devices, however many */
        return true;
    do {
        uint32_t count;
        if (out->count == groups || !xpd_text_take(scan, '{') ||
            !xpd_text_ints(scan, '}', out->member + used, room - used, &count))
            return false;
        used += count;
        out->first[++out->count] = used;
    } while (xpd_text_take(scan, ','));
    out->devices = used;
    return xpd_text_take(scan, '}');
}

/* ---- iota ---- */

/* Element `at` of 0..n-1 as an array of `dims`, its axes reordered by `order`. */
static int64_t transposed(int64_t at, const int64_t *dims, const int64_t *order, uint32_t rank)
{
    int64_t index[RANK_MOST] = {0}, value = 0;
    for (uint32_t i = rank; i > 0; i--) {
        int64_t size = dims[order[i - 1]];
        index[order[i - 1]] = at % size;
        at /= size;
    }
    for (uint32_t i = 0; i < rank; i++)
        value = value * dims[i] + index[i];
    return value;
}

static bool is_order(const int64_t *order, uint32_t rank)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (order[i] < 0 || order[i] >= rank || (seen >> order[i] & 1U))
            return false;
        seen |= 1U << order[i];
    }
    return true;
}

static bool fill(struct xpd_groups *out, struct xpd_arena *arena, int64_t groups, int64_t size,
                 const int64_t *dims, const int64_t *order, uint32_t rank)
{
    bool overflow = false;
    int64_t product = 1;
    for (uint32_t i = 0; i < rank; i++)
        product = dims[i] > 0 ? xpd_mul_i64(product, dims[i], &overflow) : 0;
    if (overflow || !is_order(order, rank) || product != groups * size ||
        !new_groups(out, arena, groups, size))
        return false;
    for (int64_t i = 0; i < out->devices; i++)
        out->member[i] = transposed(i, dims, order, rank);
    return true;
}

static bool read_iota(struct xpd_groups *out, struct xpd_arena *arena, struct xpd_text_scan *scan)
{
    int64_t shape[2], dims[RANK_MOST], order[RANK_MOST];
    uint32_t two, rank, orders;
    bool good = xpd_text_ints(scan, ']', shape, 2, &two) && two == 2 &&
                xpd_text_take_word(scan, XPD_STR("<=[")) &&
                xpd_text_ints(scan, ']', dims, RANK_MOST, &rank) && rank > 0;
    if (!good || shape[0] > XPD_GROUP_DEVICES_MOST || shape[1] > XPD_GROUP_DEVICES_MOST)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        order[i] = i;
    if (xpd_text_take_word(scan, XPD_STR("T(")) &&
        (!xpd_text_ints(scan, ')', order, RANK_MOST, &orders) || orders != rank))
        return false;
    return fill(out, arena, shape[0], shape[1], dims, order, rank);
}

/* ---- mesh ---- */

static struct xpd_str quoted(struct xpd_text_scan *scan)
{
    struct xpd_str name = {NULL, 0};
    if (!xpd_text_take(scan, '\''))
        return name;
    name.data = scan->at;
    while (scan->at < scan->end && *scan->at != '\'')
        scan->at++;
    name.size = (size_t)(scan->at - name.data);
    xpd_text_take(scan, '\'');
    return name;
}

static bool read_axes(struct xpd_text_scan *scan, struct xpd_str *name, int64_t *dims,
                      uint32_t *rank)
{
    for (*rank = 0; *rank < RANK_MOST;) {
        name[*rank] = quoted(scan);
        if (name[*rank].size == 0 || !xpd_text_take(scan, '=') ||
            !xpd_text_int(scan, &dims[*rank]) || dims[*rank] < 1 ||
            dims[*rank] > XPD_GROUP_DEVICES_MOST)
            return false;
        ++*rank;
        if (xpd_text_take(scan, ']'))
            return true;
        if (!xpd_text_take(scan, ','))
            return false;
    }
    return false;
}

/* The axes in front that are not named, then those that are: a group is a row of that. */
static bool read_mesh(struct xpd_groups *out, struct xpd_arena *arena, struct xpd_text_scan *scan)
{
    struct xpd_str name[RANK_MOST];
    int64_t dims[RANK_MOST], order[RANK_MOST], size = 1, groups = 1;
    uint32_t rank, used[RANK_MOST], n_used = 0, n = 0, taken = 0;
    bool overflow = false;
    if (!read_axes(scan, name, dims, &rank) || !xpd_text_take(scan, '{'))
        return false;
    while (n_used < RANK_MOST) {
        struct xpd_str axis = quoted(scan);
        uint32_t at = 0;
        while (at < rank && !xpd_str_eq(name[at], axis))
            at++;
        if (at == rank || (taken >> at & 1U))
            return false;
        taken |= 1U << at;
        used[n_used++] = at;
        if (xpd_text_take(scan, '}'))
            break;
        if (!xpd_text_take(scan, ','))
            return false;
    }
    for (uint32_t i = 0; i < rank; i++)
        if (!(taken >> i & 1U)) {
            order[n++] = i;
            groups = xpd_mul_i64(groups, dims[i], &overflow);
        }
    for (uint32_t i = 0; i < n_used; i++) {
        order[n++] = used[i];
        size = xpd_mul_i64(size, dims[used[i]], &overflow);
    }
    return !overflow && groups <= XPD_GROUP_DEVICES_MOST && size <= XPD_GROUP_DEVICES_MOST &&
           fill(out, arena, groups, size, dims, order, rank);
}

/* ---- the axis ---- */

static void find_axis(struct xpd_groups *out)
{
    int64_t size = out->count ? out->first[1] - out->first[0] : 0;
    int64_t stride = size > 1 ? out->member[1] - out->member[0] : 0;
    for (uint32_t g = 0; g < out->count; g++) {
        if (out->first[g + 1] - out->first[g] != size)
            return;
        for (uint32_t i = out->first[g] + 1; i < out->first[g + 1]; i++)
            if (out->member[i] - out->member[i - 1] != stride)
                stride = 0;
    }
    out->axis_size = size;
    out->stride = stride > 0 ? stride : 0;
}

int xpd_groups_parse(struct xpd_groups *out, struct xpd_arena *arena, struct xpd_str text,
                     struct xpd_err *err)
{
    struct xpd_text_scan scan = {text.data, text.data + text.size};
    bool good = false;
    *out = (struct xpd_groups){0};
    if (xpd_text_take_word(&scan, XPD_STR("mesh["))) {
        out->form = XPD_GROUPS_MESH;
        good = read_mesh(out, arena, &scan);
    } else if (xpd_text_take(&scan, '[')) {
        out->form = XPD_GROUPS_IOTA;
        good = read_iota(out, arena, &scan);
    } else if (xpd_text_take(&scan, '{')) {
        good = read_lists(out, arena, &scan);
    }
    if (!good)
        return refuse(err);
    find_axis(out);
    return XPD_OK;
}
