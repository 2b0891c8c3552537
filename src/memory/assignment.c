/* Logical buffers with their class, place, shape and sizes.
 *
 * In: the raw columns of the HloProto. Out: mem->buffer[], one per logical buffer, and the order of
 * the allocations. A buffer that several allocations list belongs to the last one, as in XProf.
 * Invariants: sizes are never negative, unpadded never exceeds size, shapes are never NULL. */
#include "memory_internal.h"

#include "xprofd/base/checked.h"

#include <inttypes.h>

static const struct xpd_shape no_shape; /* type 0 */

const char *xpd_mem_class_word(enum xpd_mem_class c)
{
    static const char *const words[XPD_CLASS_COUNT] = {"parameter", "output", "thread_local",
                                                       "constant", "temporary"};
    return (unsigned)c < XPD_CLASS_COUNT ? words[c] : "unknown";
}

static uint8_t class_of(uint32_t flags)
{
    if (flags & XPD_ALLOC_PARAMETER)
        return XPD_CLASS_PARAMETER;
    if (flags & XPD_ALLOC_LIVE_OUT)
        return XPD_CLASS_OUTPUT;
    if (flags & XPD_ALLOC_THREAD_LOCAL)
        return XPD_CLASS_THREAD_LOCAL;
    if (flags & XPD_ALLOC_CONSTANT)
        return XPD_CLASS_CONSTANT;
    return XPD_CLASS_TEMPORARY;
}

static int64_t clamp(struct xpd_mem_build *b, int64_t bytes, const char *what, int64_t id)
{
    if (bytes >= 0)
        return bytes;
    xpd_warn(&b->mem->warnings, XPD_WARNING, "negative_size", XPD_NO_OFFSET,
             "%s %" PRId64 " has a negative size (%" PRId64 " bytes); it counts as 0.", what, id,
             bytes);
    return 0;
}

/* Whether the type has a size; otherwise padding is unknown. */
static bool is_known(const struct xpd_shape *shape)
{
    return shape->type == XPD_TYPE_TUPLE || shape->type == XPD_TYPE_OPAQUE ||
           shape->type == XPD_TYPE_TOKEN || shape->type == XPD_TYPE_BUFFER ||
           xpd_type_bits(shape->type) > 0;
}

/* XProf's number comes from the shape only and may be invalid: limited so that sums cannot
 * overflow, as in the loader. */
static int64_t unpadded_limit(const struct xpd_hlo *hlo)
{
    return INT64_MAX / 8 / ((int64_t)hlo->buffers.count + hlo->events.count + 1);
}

static void resolve_shape(struct xpd_mem_build *b, uint32_t i)
{
    struct xpd_mem_buffer *buffer = &b->mem->buffer[i];
    const struct xpd_hlo *hlo = b->mem->hlo;
    buffer->shape = buffer->xprof_shape = &no_shape;
    buffer->unpadded_bytes = buffer->size_bytes;
    if (buffer->instruction == XPD_NO_INDEX)
        return;
    const struct xpd_shape *whole = hlo->instructions.shape[buffer->instruction];
    uint32_t first = hlo->buffers.index_first[i];
    uint32_t count = hlo->buffers.index_first[i + 1] - first;
    const int64_t *index = count ? hlo->buffers.shape_index + first : NULL;
    bool overflow = false;
    buffer->xprof_shape = xpd_shape_at_xprof(whole, index, count);
    if (!buffer->xprof_shape)
        buffer->xprof_shape = whole;
    buffer->xprof_unpadded_bytes = xpd_shape_unpadded_bytes_xprof(buffer->xprof_shape, &overflow);
    if (buffer->xprof_unpadded_bytes > unpadded_limit(hlo))
        buffer->xprof_unpadded_bytes = unpadded_limit(hlo);
    buffer->shape = xpd_shape_at(whole, index, count);
    if (!buffer->shape) {
        buffer->shape = whole;
        xpd_warn(&b->mem->warnings, XPD_WARNING, "shape_index", XPD_NO_OFFSET,
                 "Buffer %" PRId64 " names a part of its instruction's shape that does not exist; "
                 "its padding is not known.",
                 hlo->buffers.id[i]);
        return;
    }
    overflow = false;
    int64_t unpadded = xpd_shape_unpadded_bytes(buffer->shape, &overflow);
    if (!overflow && is_known(buffer->shape) && unpadded < buffer->size_bytes)
        buffer->unpadded_bytes = unpadded < 0 ? 0 : unpadded;
}

static void place_members(struct xpd_mem_build *b, uint32_t a)
{
    struct xpd_mem *mem = b->mem;
    const struct xpd_hlo_allocation *allocation = &mem->hlo->allocation[a];
    uint8_t mem_class = class_of(allocation->flags);
    for (uint32_t k = 0; k < allocation->assigned_count; k++) {
        const struct xpd_hlo_assigned *assigned =
            &mem->hlo->assigned[allocation->assigned_first + k];
        if (assigned->buffer == XPD_NO_INDEX) {
            xpd_warn(&mem->warnings, XPD_WARNING, "unknown_member", XPD_NO_OFFSET,
                     "Allocation %" PRId64 " lists buffer %" PRId64 ", which does not exist.",
                     allocation->index, assigned->buffer_id);
            continue;
        }
        struct xpd_mem_buffer *buffer = &mem->buffer[assigned->buffer];
        if (buffer->allocation != XPD_NO_INDEX && buffer->allocation != a)
            xpd_warn(&mem->warnings, XPD_WARNING, "two_allocations", XPD_NO_OFFSET,
                     "Buffer %" PRId64 " is listed by more than one allocation; the last counts.",
                     assigned->buffer_id);
        buffer->allocation = a;
        buffer->offset_bytes = assigned->offset_bytes;
        buffer->assigned_bytes = assigned->size_bytes < 0 ? 0 : assigned->size_bytes;
        buffer->mem_class = mem_class;
        if (assigned->offset_bytes < 0) {
            xpd_warn(&mem->warnings, XPD_WARNING, "negative_offset", XPD_NO_OFFSET,
                     "Buffer %" PRId64 " has a negative offset (%" PRId64 "); it counts as 0.",
                     assigned->buffer_id, assigned->offset_bytes);
            buffer->offset_bytes = 0;
        }
        int64_t room = allocation->size_bytes < 0 ? 0 : allocation->size_bytes;
        if (buffer->assigned_bytes > room || buffer->offset_bytes > room - buffer->assigned_bytes)
            xpd_warn(&mem->warnings, XPD_WARNING, "outside_allocation", XPD_NO_OFFSET,
                     "Buffer %" PRId64 " reaches beyond its allocation %" PRId64 " of %" PRId64
                     " bytes.",
                     assigned->buffer_id, allocation->index, room);
    }
}

/* Allocations come sorted from XLA; only a file that is not is sorted here. */
static bool order_allocations(struct xpd_mem_build *b)
{
    const struct xpd_hlo *hlo = b->mem->hlo;
    uint32_t n = hlo->allocation_count;
    uint32_t *order = b->allocation_order = XPD_NEW_ARRAY(&b->mem->arena, uint32_t, n);
    uint32_t *other = XPD_NEW_ARRAY(&b->scratch, uint32_t, n);
    if (!order || !other)
        return false;
    bool sorted = true;
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
        sorted = sorted && (i == 0 || hlo->allocation[i - 1].index <= hlo->allocation[i].index);
    }
    for (uint32_t width = 1; !sorted && width<n; width = width> n / 2 ? n : width * 2) {
        for (uint32_t from = 0; from<n; from += width>(n - from) / 2 ? n - from : 2 * width) {
            uint32_t middle = width < n - from ? from + width : n;
            uint32_t end = width < n - middle ? middle + width : n;
            uint32_t i = from, j = middle, k = from;
            while (i < middle || j < end) {
                bool left = j >= end || (i < middle && hlo->allocation[order[i]].index <=
                                                           hlo->allocation[order[j]].index);
                other[k++] = left ? order[i++] : order[j++];
            }
        }
        for (uint32_t i = 0; i < n; i++)
            order[i] = other[i];
    }
    b->mem->allocation_order = order;
    return true;
}

bool xpd_mem_build_assignment(struct xpd_mem_build *b)
{
    struct xpd_mem *mem = b->mem;
    const struct xpd_hlo *hlo = mem->hlo;
    uint32_t n = hlo->buffers.count;
    mem->buffer = XPD_NEW_ARRAY(&mem->arena, struct xpd_mem_buffer, n);
    if (!mem->buffer || !order_allocations(b))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_mem_buffer *buffer = &mem->buffer[i];
        buffer->size_bytes = clamp(b, hlo->buffers.size_bytes[i], "Buffer", hlo->buffers.id[i]);
        buffer->instruction = hlo->buffers.instruction[i];
        buffer->allocation = XPD_NO_INDEX;
        buffer->first_tenancy = buffer->storage_tenancy = XPD_NO_INDEX;
        buffer->root = i;
        buffer->first_step = buffer->end_step = XPD_NO_STEP;
        buffer->mem_class = XPD_CLASS_TEMPORARY;
        resolve_shape(b, i);
    }
    for (uint32_t a = 0; a < hlo->allocation_count; a++)
        place_members(b, a);
    return true;
}
