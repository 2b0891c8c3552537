/* How a kernel was launched. In: the text that the profiler wrote. Out: its numbers. */
#include "xprofd/trace/kernel_details.h"

#include <stdlib.h>
#include <string.h>

static bool to_u32(struct xpd_str text, uint32_t *out)
{
    uint64_t value;
    if (!xpd_str_to_u64(text, &value) || value > UINT32_MAX)
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool to_triple(struct xpd_str text, uint32_t out[3])
{
    uint32_t part[3], count = 0;
    size_t from = 0;
    for (size_t i = 0; i <= text.size; i++) {
        if (i < text.size && text.data[i] != ',')
            continue;
        if (count == 3 || !to_u32((struct xpd_str){text.data + from, i - from}, &part[count]))
            return false;
        count++;
        from = i + 1;
    }
    if (count == 3)
        memcpy(out, part, sizeof part);
    return count == 3;
}

static void take_percent(struct xpd_kernel_details *out, struct xpd_str value)
{
    char copy[64], *end;
    if (value.size == 0 || value.size >= sizeof copy)
        return;
    memcpy(copy, value.data, value.size);
    copy[value.size] = 0;
    double percent = strtod(copy, &end);
    if (*end == 0)
        out->occupancy_percent = percent;
}

static void take(struct xpd_kernel_details *out, struct xpd_str key, struct xpd_str value)
{
    if (xpd_str_eq(key, XPD_STR("regs")))
        out->has_registers |= to_u32(value, &out->registers);
    else if (xpd_str_eq(key, XPD_STR("static_shared")))
        out->has_shared |= to_u32(value, &out->static_shared_bytes);
    else if (xpd_str_eq(key, XPD_STR("dynamic_shared")))
        out->has_shared |= to_u32(value, &out->dynamic_shared_bytes);
    else if (xpd_str_eq(key, XPD_STR("shm")) || xpd_str_eq(key, XPD_STR("group_mem")))
        out->has_shared |= to_u32(value, &out->shared_bytes);
    else if (xpd_str_eq(key, XPD_STR("block")))
        out->has_launch |= to_triple(value, out->block);
    else if (xpd_str_eq(key, XPD_STR("grid")))
        out->has_launch |= to_triple(value, out->grid);
    else if (xpd_str_eq(key, XPD_STR("occ_pct")))
        take_percent(out, value);
}

void xpd_kernel_details(struct xpd_kernel_details *out, struct xpd_str text)
{
    *out = (struct xpd_kernel_details){.block = {1, 1, 1}, .grid = {1, 1, 1}};
    size_t from = 0;
    for (size_t i = 0; i <= text.size; i++) {
        if (i < text.size && text.data[i] != ' ' && text.data[i] != '\n')
            continue;
        struct xpd_str part = {text.data + from, i - from};
        from = i + 1;
        const char *colon = part.size ? memchr(part.data, ':', part.size) : NULL;
        if (!colon)
            continue;
        size_t at = (size_t)(colon - part.data);
        struct xpd_str value = {colon + 1, part.size - at - 1};
        if (value.size > 0 && !memchr(value.data, ':', value.size))
            take(out, (struct xpd_str){part.data, at}, value);
    }
}
