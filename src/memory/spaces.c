/* Memory spaces of a module: their list, their heaps, their names.
 *
 * In: colours of allocations, logical buffers and scoped memory. Out: mem->space[] in ascending
 * colour, each with its temp allocations stacked one above the other, and for each buffer the space
 * whose temporaries it belongs to. The colour of the allocation decides, not that of the logical
 * buffer. */
#include "memory_internal.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"
#include "xprofd/memory/held.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a buffer is called and what class its allocation has. In: a frozen analysis. Out: text. */

static void xpd_mem_buffer_index(struct xpd_strbuf *out, const struct xpd_mem *mem, uint32_t buffer)
{
    const struct xpd_hlo_buffers *buffers = &mem->hlo->buffers;
    uint32_t first = buffers->index_first[buffer], end = buffers->index_first[buffer + 1];
    for (uint32_t i = first; i < end; i++) {
        xpd_strbuf_putc(out, i == first ? '{' : ',');
        xpd_strbuf_i64(out, buffers->shape_index[i]);
    }
    if (end > first)
        xpd_strbuf_putc(out, '}');
}

void xpd_mem_buffer_name(struct xpd_strbuf *out, const struct xpd_mem *mem, uint32_t buffer)
{
    if (buffer == XPD_NO_INDEX)
        return;
    const struct xpd_hlo_buffers *buffers = &mem->hlo->buffers;
    struct xpd_str name = xpd_hlo_instruction_name(mem->hlo, mem->buffer[buffer].instruction);
    if (name.size == 0) {
        xpd_strbuf_puts(out, "buffer ");
        xpd_strbuf_i64(out, buffers->id[buffer]);
    } else {
        xpd_strbuf_add(out, name.data, name.size);
    }
    xpd_mem_buffer_index(out, mem, buffer);
}

const char *xpd_mem_dtype(const struct xpd_mem *mem, uint32_t buffer, char scratch[16])
{
    if (buffer == XPD_NO_INDEX || !mem->buffer[buffer].shape)
        return "";
    return xpd_type_name(mem->buffer[buffer].shape->type, scratch);
}

int64_t xpd_mem_color_of(const struct xpd_mem *mem, uint32_t buffer)
{
    uint32_t allocation = mem->buffer[buffer].allocation;
    return allocation != XPD_NO_INDEX ? mem->hlo->allocation[allocation].color
                                      : mem->hlo->buffers.color[buffer];
}

enum xpd_mem_class xpd_mem_class_of(uint32_t flags)
{
    return flags & XPD_ALLOC_PARAMETER      ? XPD_CLASS_PARAMETER
           : flags & XPD_ALLOC_LIVE_OUT     ? XPD_CLASS_OUTPUT
           : flags & XPD_ALLOC_THREAD_LOCAL ? XPD_CLASS_THREAD_LOCAL
           : flags & XPD_ALLOC_CONSTANT     ? XPD_CLASS_CONSTANT
                                            : XPD_CLASS_TEMPORARY;
}

/* Colours in the order of the file, runs of one colour once. Most files name a handful again and
 * again: with color == NULL the list is only counted, so that its size fits. */
static uint32_t list_colors(const struct xpd_hlo *hlo, int64_t *color)
{
    uint32_t count = 0;
    int64_t last = 0;
    size_t n = (size_t)hlo->allocation_count + hlo->buffers.count + hlo->scoped_count;
    if (!hlo->has_buffer_assignment)
        return 0; /* scoped memory alone gives no peak */
    for (size_t i = 0; i < n; i++) {
        size_t k = i;
        int64_t c;
        if (k < hlo->allocation_count) {
            c = hlo->allocation[k].color;
        } else if ((k -= hlo->allocation_count) < hlo->buffers.count) {
            c = hlo->buffers.color[k];
        } else {
            k -= hlo->buffers.count;
            c = hlo->scoped[k].size_bytes > 0 ? hlo->scoped[k].memory_space : last;
            if (count == 0 && hlo->scoped[k].size_bytes <= 0)
                continue;
        }
        if (count > 0 && c == last)
            continue;
        if (color)
            color[count] = c;
        last = c;
        count++;
    }
    return count;
}

static uint32_t sort_colors(int64_t *color, uint32_t count)
{
    if (count == 0)
        return 0;
    qsort(color, count, sizeof *color, xpd_order_i64);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < count; i++)
        if (color[i] != color[kept - 1])
            color[kept++] = color[i];
    return kept;
}

static uint32_t space_index(const struct xpd_mem *mem, int64_t color)
{
    uint32_t low = 0;
    XPD_BISECT(low, mem->space_count, middle, mem->space[middle].color < color);
    return low < mem->space_count && mem->space[low].color == color ? low : XPD_NO_INDEX;
}

const struct xpd_mem_space *xpd_mem_space_of(const struct xpd_mem *mem, int64_t color)
{
    uint32_t i = space_index(mem, color);
    return i == XPD_NO_INDEX ? NULL : &mem->space[i];
}

const struct xpd_mem_space *xpd_mem_main_space(const struct xpd_mem *mem)
{
    const struct xpd_mem_space *best = xpd_mem_space_of(mem, 0);
    if (best)
        return best;
    for (uint32_t i = 0; i < mem->space_count; i++)
        if (!best || mem->space[i].peak_bytes > best->peak_bytes)
            best = &mem->space[i];
    return best;
}

static bool stack_heaps(struct xpd_mem_build *b)
{
    struct xpd_mem *mem = b->mem;
    const struct xpd_hlo *hlo = mem->hlo;
    for (uint32_t a = 0; a < hlo->allocation_count; a++) {
        b->space_of_allocation[a] = space_index(mem, hlo->allocation[a].color);
        if (!xpd_mem_indefinite(hlo->allocation[a].flags))
            mem->space[b->space_of_allocation[a]].heap_count++;
    }
    for (uint32_t s = 0; s < mem->space_count; s++) {
        mem->space[s].heap = XPD_NEW_ARRAY(&mem->arena, struct xpd_heap, mem->space[s].heap_count);
        if (!mem->space[s].heap)
            return false;
        mem->space[s].heap_count = 0;
    }
    for (uint32_t k = 0; k < hlo->allocation_count; k++) {
        uint32_t a = mem->allocation_order[k];
        const struct xpd_hlo_allocation *allocation = &hlo->allocation[a];
        if (xpd_mem_indefinite(allocation->flags))
            continue;
        struct xpd_mem_space *space = &mem->space[b->space_of_allocation[a]];
        int64_t size = allocation->size_bytes < 0 ? 0 : allocation->size_bytes;
        space->heap[space->heap_count++] =
            (struct xpd_heap){.allocation = a, .base_bytes = space->heap_bytes, .size_bytes = size};
        b->heap_base[a] = space->heap_bytes;
        space->heap_bytes = xpd_add_i64(space->heap_bytes, size, &b->overflow);
    }
    return true;
}

static void place_buffers(struct xpd_mem_build *b)
{
    struct xpd_mem *mem = b->mem;
    const struct xpd_hlo *hlo = mem->hlo;
    for (uint32_t i = 0; i < hlo->buffers.count; i++) {
        uint32_t a = mem->buffer[i].allocation;
        b->space_of_buffer[i] = XPD_NO_INDEX;
        if (a == XPD_NO_INDEX || xpd_mem_indefinite(hlo->allocation[a].flags))
            continue;
        b->space_of_buffer[i] = b->space_of_allocation[a];
        if (hlo->allocation[a].color != hlo->buffers.color[i])
            xpd_warn(&mem->warnings, XPD_NOTE, "allocation_color", XPD_NO_OFFSET,
                     "Buffer %" PRId64 " asks for memory space %" PRId64
                     " but lies in an allocation of space %" PRId64
                     "; it is shown where its allocation is.",
                     hlo->buffers.id[i], hlo->buffers.color[i], hlo->allocation[a].color);
    }
}

bool xpd_mem_build_spaces(struct xpd_mem_build *b)
{
    struct xpd_mem *mem = b->mem;
    const struct xpd_hlo *hlo = mem->hlo;
    int64_t *color = XPD_NEW_ARRAY(&b->scratch, int64_t, list_colors(hlo, NULL));
    b->space_of_allocation = XPD_NEW_ARRAY(&b->scratch, uint32_t, hlo->allocation_count);
    b->heap_base = XPD_NEW_ARRAY(&b->scratch, int64_t, hlo->allocation_count);
    b->space_of_buffer = XPD_NEW_ARRAY(&b->scratch, uint32_t, hlo->buffers.count);
    if (!color || !b->space_of_allocation || !b->heap_base || !b->space_of_buffer)
        return false;
    uint32_t count = sort_colors(color, list_colors(hlo, color));
    mem->space = XPD_NEW_ARRAY(&mem->arena, struct xpd_mem_space, count);
    if (!mem->space)
        return false;
    mem->space_count = count;
    for (uint32_t s = 0; s < count; s++) {
        mem->space[s].color = color[s];
        mem->space[s].live_is_union = xpd_mem_is_union(color[s]);
        mem->space[s].peak_step = XPD_NO_STEP;
        mem->space[s].scoped_instruction = XPD_NO_INDEX;
    }
    for (uint32_t i = 0; i < hlo->scoped_count; i++) {
        uint32_t s = space_index(mem, hlo->scoped[i].memory_space);
        if (s != XPD_NO_INDEX && hlo->scoped[i].size_bytes > mem->space[s].scoped_bytes) {
            mem->space[s].scoped_bytes = hlo->scoped[i].size_bytes;
            mem->space[s].scoped_instruction = hlo->scoped[i].instruction;
        }
    }
    if (!stack_heaps(b))
        return false;
    place_buffers(b);
    return true;
}

const char *xpd_space_name(const char *platform, int64_t color, char scratch[24])
{
    static const char *const tpu[] = {"HBM",
                                      "VMEM",
                                      "SFLAG",
                                      "CMEM",
                                      "SMEM",
                                      "Host",
                                      "SparseCore",
                                      "SparseCore stack",
                                      "SparseCore SFLAG",
                                      "Pinned HBM",
                                      "SparseCore tile SFLAG"};
    static const char *const gpu[] = {
        "Device memory", "Collective memory", "Temporaries", NULL, NULL, "Host"};
    static const char *const cpu[] = {"Host RAM", NULL, NULL, NULL, NULL, "Host"};
    const char *const *names = NULL;
    int64_t count = 0;
    if (platform && strcmp(platform, "tpu") == 0) {
        names = tpu;
        count = (int64_t)(sizeof tpu / sizeof *tpu);
    } else if (platform && strcmp(platform, "gpu") == 0) {
        names = gpu;
        count = (int64_t)(sizeof gpu / sizeof *gpu);
    } else if (platform && strcmp(platform, "cpu") == 0) {
        names = cpu;
        count = (int64_t)(sizeof cpu / sizeof *cpu);
    }
    if (color >= 0 && color < count && names[color])
        return names[color];
    if (color > -1000000000000000 && color < 1000000000000000)
        snprintf(scratch, 24, "space %" PRId64, color);
    else
        snprintf(scratch, 24, "space (%s)", color < 0 ? "negative" : "huge");
    return scratch;
}
