/* A pprof file of any bytes: whatever of it is whole is added up the same way by every group and by
 * the tree. */
#include "must.h"

#include "xprofd/heap/tree.h"

static void add_up(const struct xpd_pprof *heap, struct xpd_arena *arena)
{
    struct xpd_heap_member m = {heap, heap->default_type, xpd_heap_library_flags(heap, arena)};
    struct xpd_heap_filter filter = {0};
    struct xpd_heap_groups g;
    struct xpd_heap_tree tree;
    struct xpd_heap_tree_want want = {.of = m, .base = &m, .fold = true, .max_nodes = 50};
    int64_t total = 0;
    if (heap->default_type == XPD_NO_INDEX || !m.library)
        return;
    for (int by = 0; by <= XPD_HEAP_BY_KIND; by++) {
        if (xpd_heap_group(&g, &m, 1, (enum xpd_heap_by)by, &filter, arena, NULL) != XPD_OK)
            return;
        MUST(by == 0 || g.total[0] == total);
        MUST(g.row_count <= heap->sample_count);
        total = g.total[0];
    }
    if (xpd_heap_tree_make(&tree, &want, arena, NULL) == XPD_OK)
        for (uint32_t i = 0; i < tree.count; i++) {
            MUST(i == 0 ? tree.node[i].parent == XPD_NO_INDEX : tree.node[i].parent < i);
            MUST(tree.node[i].grown == 0); /* beside itself */
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_arena arena;
    struct xpd_source *source;
    struct xpd_pprof heap = {0};
    struct xpd_err err = {0};
    xpd_arena_init(&arena, (uint64_t)64 << 20);
    if (xpd_source_open_memory(&source, data, size, "fuzz.prof", &err) == XPD_OK) {
        int rc = xpd_heap_load(&heap, &arena, source, &err);
        MUST(rc == XPD_OK || (err.code == rc && err.text[0] != '\0'));
        if (rc == XPD_OK)
            add_up(&heap, &arena);
        xpd_source_close(source);
    }
    xpd_arena_fini(&arena);
    return 0;
}
