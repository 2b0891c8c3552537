/* Replica groups in words and as lists. In: parsed groups. Out: text that is the same for every
 * form they were written in. */
#include "xprofd/hlo/groups.h"

#include <inttypes.h>

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
