/* Live ranges in XLA's reports.
 *
 * In: the section "HloLiveRange" of a buffer-assignment report or a file of its own, with lines
 * such as "    name{0,1}:12-40" below "  BufferLiveRange:". Out: first and last step of the values
 * that they name. A range of a value that has no allocation is XLA's business: nothing to show. */
#include "../text/text_scan.h"
#include "assignment_internal.h"

static bool take_range(struct xpd_str line, struct xpd_str *key, int64_t *first, int64_t *last)
{
    size_t close = line.size;
    while (close > 0 && line.data[close - 1] != '}')
        close--;
    *key = xpd_str_trim((struct xpd_str){line.data, close});
    struct xpd_text_scan scan = {line.data + close, line.data + line.size};
    return key->size != 0 && xpd_text_take(&scan, ':') && xpd_text_int(&scan, first) &&
           xpd_text_take(&scan, '-') && xpd_text_int(&scan, last) && scan.at == scan.end &&
           *first <= *last;
}

static void read_range(struct xpd_assignment *a, struct xpd_str line, const char *name,
                       uint64_t number)
{
    struct xpd_str key;
    int64_t first, last;
    if (!take_range(line, &key, &first, &last)) {
        xpd_assignment_warn(a, name, number, "assignment_text_range",
                            "this live range cannot be read; its value has none", line);
        return;
    }
    xpd_name_id id = xpd_intern_find(&a->key, key);
    if (id == XPD_NO_NAME || id >= a->value_of.count || a->value_of.at[id] == XPD_NO_INDEX)
        return;
    struct xpd_said_value *value = &a->value.at[a->value_of.at[id]];
    a->facts.ranges += value->first < 0;
    value->first = first;
    value->last = last;
}

void xpd_assignment_read_ranges(struct xpd_assignment *a, struct xpd_str text, const char *name)
{
    struct xpd_line_walk walk = {.at = text.data, .end = text.data + text.size};
    struct xpd_str line;
    bool in_ranges = false;
    while (xpd_line_next(&walk, &line)) {
        struct xpd_str word = xpd_str_trim(line);
        if (xpd_str_eq(word, XPD_STR("BufferLiveRange:"))) {
            in_ranges = a->facts.has_live_ranges = true;
        } else if (!xpd_str_starts(line, "    ")) {
            in_ranges = false;
        } else if (in_ranges) {
            read_range(a, line, name, walk.number);
        }
    }
}
