/* Which buffers of a module an item of an error text speaks of.
 *
 * In: an item and a memory space. Out: the buffers with the most reasons. Type and dimensions of
 * the shape are compared, not its layout: the compiler may have printed another one. */
#include "xprofd/memory/oom_match.h"

#include "internal.h"

#include "xprofd/base/checked.h"

#define RANK_MAX 16

struct wanted { /* "bf16[8,128]{...}" taken apart */
    struct xpd_str type;
    int64_t dims[RANK_MAX];
    uint32_t rank;
    bool known;
};

static struct wanted take_apart(struct xpd_str shape)
{
    struct wanted w = {.known = false};
    size_t at = 0;
    while (at < shape.size && shape.data[at] != '[')
        at++;
    w.type = (struct xpd_str){shape.data, at};
    if (at == 0 || at == shape.size)
        return w;
    for (at++; at < shape.size && shape.data[at] != ']';) {
        bool overflow = false;
        int64_t value = 0;
        size_t digits = 0;
        if (w.rank > 0 && shape.data[at] == ',')
            at++;
        for (; at < shape.size && shape.data[at] >= '0' && shape.data[at] <= '9'; at++, digits++)
            value = xpd_add_i64(xpd_mul_i64(value, 10, &overflow), shape.data[at] - '0', &overflow);
        if (digits == 0 || overflow || w.rank == RANK_MAX)
            return w;
        w.dims[w.rank++] = value;
    }
    w.known = at < shape.size;
    return w;
}

static bool shape_fits(const struct wanted *w, const struct xpd_shape *shape)
{
    char scratch[16];
    if (!w->known || shape->rank != w->rank ||
        !xpd_str_eq(w->type, xpd_str_of(xpd_type_name(shape->type, scratch))))
        return false;
    for (uint32_t i = 0; i < w->rank; i++)
        if (shape->dims[i] != w->dims[i])
            return false;
    return true;
}

static uint32_t reasons_of(const struct xpd_mem *mem, const struct xpd_oom_item *item,
                           const struct wanted *w, xpd_name_id instruction, xpd_name_id op_name,
                           uint32_t buffer)
{
    const struct xpd_mem_buffer *b = &mem->buffer[buffer];
    const struct xpd_hlo_instructions *ins = &mem->hlo->instructions;
    uint32_t reasons = 0;
    if (item->size_bytes >= 0 && b->size_bytes >= item->size_bytes - item->size_slack_bytes &&
        b->size_bytes - item->size_slack_bytes <= item->size_bytes)
        reasons |= XPD_OOM_SIZE;
    if (shape_fits(w, b->shape))
        reasons |= XPD_OOM_SHAPE;
    if (b->instruction == XPD_NO_INDEX)
        return reasons;
    if (item->op_name.size > 0 && ins->op_name[b->instruction] == op_name)
        reasons |= XPD_OOM_OP_NAME;
    if (item->instruction.size > 0 && ins->name[b->instruction] == instruction)
        reasons |= XPD_OOM_INSTRUCTION;
    return reasons;
}

uint32_t xpd_oom_item_buffers(const struct xpd_mem *mem, const struct xpd_oom_item *item,
                              int64_t color, uint32_t *out, uint32_t capacity, uint32_t *reasons)
{
    const struct xpd_hlo *hlo = mem->hlo;
    struct wanted w = take_apart(item->shape);
    xpd_name_id instruction = xpd_intern_find(&hlo->names, item->instruction);
    xpd_name_id op_name = xpd_intern_find(&hlo->names, item->op_name);
    bool size_only =
        item->shape.size == 0 && item->op_name.size == 0 && item->instruction.size == 0;
    uint32_t best = size_only ? 0 : XPD_OOM_SIZE, count = 0;
    for (uint32_t i = 0; i < hlo->buffers.count; i++) {
        uint32_t a = mem->buffer[i].allocation;
        if (color >= 0 &&
            (a == XPD_NO_INDEX ? hlo->buffers.color[i] : hlo->allocation[a].color) != color)
            continue;
        uint32_t found = reasons_of(mem, item, &w, instruction, op_name, i);
        if (found == 0 || found < best ||
            (found == best && count == 0 && !size_only && found == XPD_OOM_SIZE))
            continue;
        if (found > best)
            count = 0;
        best = found;
        if (count < capacity)
            out[count] = i;
        count++;
    }
    if (reasons)
        *reasons = count ? best : 0;
    return count;
}
