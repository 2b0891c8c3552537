/* Error texts of any bytes: what is understood lies inside the text, sizes are known or -1. */
#include "must.h"

#include "xprofd/memory/oom_text.h"

#include <limits.h>

/* Texts point into the input or the arena: every byte of them can be read. */
static unsigned sum(struct xpd_str text)
{
    unsigned all = 0;
    for (size_t i = 0; i < text.size; i++)
        all += (unsigned char)text.data[i];
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_str text = {size ? (const char *)data : "", size};
    struct xpd_arena arena;
    struct xpd_oom_text oom;
    struct xpd_err err = {0};
    xpd_arena_init(&arena, 64 << 20);
    int rc = xpd_oom_read(&oom, text, &arena, &err);
    MUST(rc == XPD_OK || arena.failed);
    if (rc == XPD_OK && oom.understood) {
        MUST(oom.form && oom.form[0] && oom.color >= -1);
        MUST(oom.needed_bytes >= -1 && oom.capacity_bytes >= -1 && oom.exceeded_bytes >= -1);
        MUST(oom.needed_slack_bytes >= 0);
        for (uint32_t i = 0; i < oom.part_count; i++) {
            MUST(oom.part[i].offset <= size && oom.part[i].what && oom.part[i].what[0]);
            MUST(oom.part[i].size <= size - oom.part[i].offset);
        }
        for (uint32_t i = 0; i < oom.item_count; i++) {
            MUST(oom.item[i].size_bytes >= -1 && oom.item[i].unpadded_bytes >= -1);
            MUST(oom.item[i].size_slack_bytes >= 0);
            MUST(sum(oom.item[i].shape) + sum(oom.item[i].op_name) + sum(oom.item[i].instruction) +
                     sum(oom.item[i].tag) !=
                 UINT_MAX);
        }
    }
    xpd_arena_fini(&arena);
    return 0;
}
