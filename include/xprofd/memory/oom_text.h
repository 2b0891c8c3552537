/* Reads the text of an out-of-memory error of XLA (TPU and GPU forms, E1000, E1001, old long form).
 */
#ifndef XPROFD_MEMORY_OOM_TEXT_H
#define XPROFD_MEMORY_OOM_TEXT_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/str.h"

struct xpd_oom_part { /* a recognised part of the text, for highlighting */
    uint32_t offset, size;
    const char
        *what; /* "needed", "capacity", "module", "space", "size", "shape", "op", "exceeded" */
};
struct xpd_oom_item {                   /* one allocation the text names */
    int64_t size_bytes, unpadded_bytes; /* -1 = not said; rounded as printed */
    int64_t size_slack_bytes;           /* half a unit of the last printed digit, 0 = exact */
    struct xpd_str shape, op_name, instruction, tag; /* "" = not said */
};
struct xpd_oom_text {
    bool understood;
    const char *form; /* "tpu_hbm_e1000", "tpu_vmem", "tpu_allocation", "gpu", ... static */
    struct xpd_str module, space; /* space "hbm", "vmem", ...; "" = not said */
    int64_t color;                /* of the space, -1 unknown */
    int64_t needed_bytes, capacity_bytes, exceeded_bytes; /* -1 = not said */
    int64_t needed_slack_bytes; /* half a unit of the last printed digit */
    struct xpd_oom_part *part;
    uint32_t part_count;
    struct xpd_oom_item *item;
    uint32_t item_count;
};
/* Never fails on any text: understood is false and nothing else is set. Limit: 1 MiB are read. */
int xpd_oom_read(struct xpd_oom_text *out, struct xpd_str text, struct xpd_arena *arena,
                 struct xpd_err *err);

#endif
