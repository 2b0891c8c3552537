/* Which way a GPU's copy goes. In: the name and details of its event. Out: in, out, on the device.
 */
#include "xprofd/trace/copy_way.h"

enum { NAME_MOST = 256 }; /* bytes of a name that are looked at */

/* Letters and digits alone, in small letters: names differ by profiler in what stands between. */
static struct xpd_str squeezed(struct xpd_str name, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < name.size && n < NAME_MOST; i++) {
        char c = name.data[i];
        c = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out[n++] = c;
    }
    return (struct xpd_str){out, n};
}

static bool has(struct xpd_str text, const char *word)
{
    return xpd_str_find(text, xpd_str_of(word), false) != SIZE_MAX;
}

enum xpd_copy_way xpd_copy_way_of_name(struct xpd_str name)
{
    static const struct {
        const char *word;
        enum xpd_copy_way way;
    } known[] = {{"hosttodevice", XPD_COPY_IN},   {"htod", XPD_COPY_IN},  {"h2d", XPD_COPY_IN},
                 {"devicetohost", XPD_COPY_OUT},  {"dtoh", XPD_COPY_OUT}, {"d2h", XPD_COPY_OUT},
                 {"devicetodevice", XPD_COPY_ON}, {"dtod", XPD_COPY_ON},  {"d2d", XPD_COPY_ON},
                 {"ptop", XPD_COPY_ON},           {"p2p", XPD_COPY_ON},   {"memset", XPD_COPY_ON}};
    char room[NAME_MOST];
    struct xpd_str text = squeezed(name, room);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (has(text, known[i].word))
            return known[i].way;
    return XPD_COPY_UNKNOWN;
}

/* The value behind "key:", up to a blank. */
static struct xpd_str value_of(struct xpd_str details, const char *key)
{
    size_t at = xpd_str_find(details, xpd_str_of(key), false);
    if (at == SIZE_MAX)
        return XPD_STR("");
    struct xpd_str rest = {details.data + at, details.size - at};
    size_t skip = xpd_str_of(key).size, end = xpd_str_find(rest, XPD_STR(" "), false);
    return (struct xpd_str){rest.data + skip, (end == SIZE_MAX ? rest.size : end) - skip};
}

enum place { NOWHERE, ON_HOST, ON_DEVICE };

static enum place place_of(struct xpd_str kind)
{
    if (xpd_str_eq(kind, XPD_STR("pageable")) || xpd_str_eq(kind, XPD_STR("pinned")) ||
        xpd_str_eq(kind, XPD_STR("host")))
        return ON_HOST;
    bool device = xpd_str_eq(kind, XPD_STR("device")) || xpd_str_eq(kind, XPD_STR("array")) ||
                  xpd_str_eq(kind, XPD_STR("device_static"));
    return device ? ON_DEVICE : NOWHERE;
}

enum xpd_copy_way xpd_copy_way_of_details(struct xpd_str details)
{
    enum place from = place_of(value_of(details, "kind_src:"));
    enum place to = place_of(value_of(details, "kind_dst:"));
    if (from == NOWHERE || to == NOWHERE)
        return xpd_copy_way_of_name(value_of(details, "kind:"));
    if (from == to)
        return from == ON_DEVICE ? XPD_COPY_ON : XPD_COPY_UNKNOWN;
    return from == ON_HOST ? XPD_COPY_IN : XPD_COPY_OUT;
}
