/* Files similar to a run: a few are named if there is no run.
 */
#include "scan.h"

#include <string.h>

static uint32_t depth_of(const char *relative)
{
    uint32_t depth = 0;
    for (const char *p = relative; *p; p++)
        depth += *p == '/';
    return depth;
}

/* Keeps the nearest XPD_FOUND_MAX, among equals the first. */
void xpd_scan_add_near(struct xpd_folder_scan *scan, const char *relative, const char *path)
{
    struct xpd_near near = {.relative = relative, .path = path};
    if (!relative || scan->inside_runs != 0)
        return;
    near.depth = depth_of(relative);
    uint32_t at = scan->near_count;
    while (at > 0 && scan->near[at - 1].depth > near.depth)
        at--;
    if (at >= XPD_FOUND_MAX)
        return;
    uint32_t kept = scan->near_count < XPD_FOUND_MAX ? scan->near_count : XPD_FOUND_MAX - 1;
    memmove(&scan->near[at + 1], &scan->near[at], (kept - at) * sizeof near);
    scan->near[at] = near;
    scan->near_count = kept + 1;
}

void xpd_scan_drop_near(struct xpd_folder_scan *scan, const char *folder)
{
    size_t size = strlen(folder);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scan->near_count; i++) {
        const char *name = scan->near[i].relative;
        bool inside = size == 0 || (strncmp(name, folder, size) == 0 && name[size] == '/');
        const char *rest = size == 0 || !inside ? name : name + size + 1;
        if (!inside || strchr(rest, '/') || !scan->near[i].path)
            scan->near[kept++] = scan->near[i];
    }
    scan->near_count = kept;
}
