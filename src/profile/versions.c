/* What compiled a run, as JAX writes it: stats of a plane named jax_version, jaxlib_version and
 * <platform>_version. In: planes. Out: one line of text, "jax 0.10.2, jaxlib 0.10.2, tpu libtpu
 * 0.0.17". */
#include "plane.h"

#include "xprofd/base/strbuf.h"

#include <stdlib.h>
#include <string.h>

#define VERSIONS_MAX 8
#define VERSION_MAX  120 /* bytes of one; some hold a line for each part that was built */

struct version {
    struct xpd_str name, value;
};

static void put(struct xpd_strbuf *out, struct xpd_str name, struct xpd_str value)
{
    static const char end[] = "_version";
    name.size -= sizeof end - 1;
    if (xpd_str_eq(name, value))
        return; /* cpu_version is "cpu" */
    if (out->size > 0)
        xpd_strbuf_puts(out, ", ");
    xpd_strbuf_add(out, name.data, name.size < VERSION_MAX ? name.size : VERSION_MAX);
    xpd_strbuf_putc(out, ' ');
    for (size_t i = 0; i < value.size && i < VERSION_MAX; i++)
        xpd_strbuf_putc(out, value.data[i] == '\n' ? ' ' : value.data[i]);
}

/* Sorted by name: equal compilers make equal texts regardless of the order of the stats. */
static int by_name(const void *a, const void *b)
{
    const struct version *x = a, *y = b;
    return strcmp(x->name.data, y->name.data);
}

void xpd_read_versions(struct xpd_xspace *space)
{
    struct xpd_strbuf text = {0};
    struct version found[VERSIONS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < space->plane_count; i++) {
        const struct xpd_plane *plane = &space->plane[i];
        for (uint32_t k = 0; k < plane->stat_count && count < VERSIONS_MAX; k++) {
            const struct xpd_stat *stat = &plane->stat[k];
            struct xpd_str name = xpd_intern_get(&space->names, stat->name);
            if (stat->type == XPD_STAT_TEXT && xpd_str_ends(name, "_version") && name.size >= 10)
                found[count++] = (struct version){name, xpd_intern_get(&space->names, stat->text)};
        }
    }
    qsort(found, count, sizeof *found, by_name);
    for (uint32_t i = 0; i < count; i++)
        put(&text, found[i].name, found[i].value);
    if (text.size > 0 && !text.failed)
        space->versions = xpd_intern_put(&space->names, text.data, text.size);
    xpd_strbuf_fini(&text);
}
