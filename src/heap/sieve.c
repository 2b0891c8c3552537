/* Which samples of a file count, and where each belongs.
 *
 * In: a file, its flags of library code, a filter. Out: yes or no for a sample; the frame of a
 * stack that its bytes are told under. */
#include "sieve.h"

#include <inttypes.h>

void xpd_heap_put_line_key(struct xpd_strbuf *out, const struct xpd_heap_frame *frame)
{
    if (frame->has_line && frame->line > 0)
        xpd_strbuf_printf(out, "%.*s:%" PRId64, (int)frame->file.size, frame->file.data,
                          frame->line);
    else
        xpd_strbuf_add(out, frame->function.data, frame->function.size);
}

uint32_t xpd_heap_place_of(const struct xpd_heap_member *member, uint32_t stack)
{
    const struct xpd_heap_stack *s = &member->heap->stack[stack];
    const uint32_t *frame = member->heap->stack_frame + s->first;
    for (uint32_t i = 0; i < s->count; i++)
        if (!member->library[frame[i]])
            return frame[i];
    return s->count > 0 ? frame[0] : XPD_NO_INDEX;
}

bool xpd_heap_is_executable(const struct xpd_pprof *heap, uint32_t sample)
{
    return xpd_str_eq(heap->text[heap->sample_kind[sample]], XPD_STR("executable"));
}

bool xpd_heap_sieve_make(struct xpd_heap_sieve *sieve, const struct xpd_heap_member *member,
                         const struct xpd_heap_filter *filter, struct xpd_arena *arena)
{
    const struct xpd_pprof *heap = member->heap;
    struct xpd_strbuf text = {0};
    *sieve = (struct xpd_heap_sieve){.any_line = filter->line.size == 0,
                                     .executables =
                                         xpd_str_eq(filter->line, XPD_STR(XPD_HEAP_EXECUTABLES))};
    if (sieve->any_line)
        return true;
    sieve->line = XPD_NEW_ARRAY(arena, bool, (size_t)heap->frame_count + 1);
    for (uint32_t i = 0; sieve->line && i < heap->frame_count; i++) {
        xpd_strbuf_clear(&text);
        xpd_heap_put_line_key(&text, &heap->frame[i]);
        sieve->line[i] = xpd_str_eq((struct xpd_str){text.data, text.size}, filter->line);
    }
    bool fine = sieve->line && !text.failed;
    xpd_strbuf_fini(&text);
    return fine;
}

bool xpd_heap_passes(const struct xpd_heap_sieve *sieve, const struct xpd_heap_member *member,
                     const struct xpd_heap_filter *filter, uint32_t sample)
{
    const struct xpd_pprof *heap = member->heap;
    if (filter->device.size > 0 &&
        !xpd_str_eq(heap->text[heap->sample_device[sample]], filter->device))
        return false;
    if (filter->kind.size > 0 && !xpd_str_eq(heap->text[heap->sample_kind[sample]], filter->kind))
        return false;
    if (sieve->any_line)
        return true;
    if (sieve->executables || xpd_heap_is_executable(heap, sample))
        return sieve->executables && xpd_heap_is_executable(heap, sample);
    uint32_t place = xpd_heap_place_of(member, heap->sample_stack[sample]);
    return place == XPD_NO_INDEX ? xpd_str_eq(filter->line, XPD_STR(XPD_HEAP_NO_STACK))
                                 : sieve->line[place];
}
