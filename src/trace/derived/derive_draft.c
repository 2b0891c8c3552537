/* What the makers of derived rows draw with: names, pairs of events and rows, as drafts. */
#include "derive.h"
#include "xprofd/trace/tf_op.h"
#include <stdlib.h>

uint32_t xpd_derive_name(struct xpd_deriving *deriving, struct xpd_str caption, struct xpd_str name,
                         enum xpd_op_group group)
{
    struct xpd_intern *names = &deriving->out->names;
    xpd_name_id caption_id = xpd_intern_put(names, caption.data, caption.size);
    xpd_name_id name_id = xpd_intern_put(names, name.data, name.size);
    uint64_t key = (uint64_t)caption_id << 32 | name_id;
    uint32_t at = xpd_map64_get(&deriving->name_of, key);
    if (at != XPD_NO_INDEX)
        return at;
    struct xpd_event_name entry = {.caption = caption_id,
                                   .name = name_id,
                                   .plane = XPD_NO_INDEX,
                                   .metadata = XPD_NO_METADATA,
                                   .group = (uint8_t)group,
                                   .flops = -1,
                                   .bytes = -1};
    at = (uint32_t)deriving->name.count;
    XPD_PUSH(&deriving->name, entry);
    xpd_map64_put(&deriving->name_of, key, at);
    if (deriving->name.failed || deriving->name_of.failed || names->failed) {
        deriving->failed = true;
        return 0;
    }
    return at;
}

uint32_t xpd_derive_framework_op(struct xpd_deriving *deriving, const struct xpd_tf_op *op,
                                 struct xpd_str full, enum xpd_op_group group)
{
    struct xpd_str caption = op->caption.size ? op->caption : full;
    size_t before = strlen(op->prefix);
    char *text = before > 0 ? malloc(before + caption.size) : NULL;
    if (text) {
        memcpy(text, op->prefix, before);
        memcpy(text + before, caption.data, caption.size);
        caption = (struct xpd_str){text, before + caption.size};
    }
    deriving->failed |= before > 0 && !text;
    uint32_t name = xpd_derive_name(deriving, caption, full, group);
    free(text);
    if (!deriving->failed && op->caption.size > 0)
        deriving->name.at[name].displayed = true;
    return name;
}

uint32_t xpd_derive_pair(struct xpd_deriving *deriving, uint64_t event2, int64_t device_ps)
{
    struct xpd_derived_pair pair = {.event2 = event2, .device_ps = device_ps};
    XPD_PUSH(&deriving->pair, pair);
    if (deriving->pair.failed || deriving->pair.count > UINT32_MAX) {
        deriving->failed = true;
        return 0;
    }
    return (uint32_t)deriving->pair.count;
}

void xpd_derive_row(struct xpd_deriving *deriving, uint32_t process, int64_t id,
                    struct xpd_str caption, enum xpd_row_kind kind, const char *how,
                    struct xpd_builder *builder)
{
    deriving->failed |= xpd_builder_failed(builder);
    if (builder->drawn.count == 0)
        return;
    struct xpd_draft_row row = {
        .process = process,
        .id = id,
        .caption = xpd_intern_put(&deriving->out->names, caption.data, caption.size),
        .kind = kind,
        .how = how,
        .drawn = builder->drawn.at,
        .count = builder->drawn.count};
    XPD_PUSH(&deriving->draft, row);
    if (deriving->draft.failed) {
        deriving->failed = true;
        return;
    }
    builder->drawn.at = NULL;
    builder->drawn.count = builder->drawn.capacity = 0;
}
