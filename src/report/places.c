/* Who has which addresses when: all tenants of a byte, who may never share bytes, who shares them.
 * In: a frozen space. Out: tenancies in order of their first step. One scan over the columns. */
#include "xprofd/base/checked.h"
#include "xprofd/memory/query.h"
#include "xprofd/report/report.h"

static void put(uint32_t *out, uint32_t capacity, uint32_t *count, uint32_t tenancy)
{
    if (*count < capacity)
        out[*count] = tenancy;
    ++*count;
}

/* Offsets are whatever the file says; an end that does not fit is the last address. */
static int64_t end_of(const struct xpd_tenancy_columns *column, uint32_t tenancy)
{
    int64_t end = column->offset_bytes[tenancy];
    xpd_grow_i64(&end, column->size_bytes[tenancy]);
    return end;
}

uint32_t xpd_report_tenants(const struct xpd_mem_space *space, int64_t address, uint32_t *out,
                            uint32_t capacity)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    uint32_t count = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        if (column.offset_bytes[i] <= address && address < end_of(&column, i))
            put(out, capacity, &count, i);
    return count;
}

uint32_t xpd_report_conflicts(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t *out,
                              uint32_t capacity, int64_t *bytes)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    uint32_t count = 0, from = column.start_step[tenancy], to = column.end_step[tenancy];
    *bytes = 0;
    for (uint32_t i = 0; i < space->tenancy_count && column.start_step[i] < to; i++) {
        if (i == tenancy || column.end_step[i] <= from ||
            column.end_step[i] <= column.start_step[i])
            continue;
        xpd_grow_i64(bytes, column.size_bytes[i]);
        put(out, capacity, &count, i);
    }
    return count;
}

uint32_t xpd_report_predecessors(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t *out,
                                 uint32_t capacity, int64_t *bytes)
{
    struct xpd_tenancy_columns column = xpd_tenancy_columns_of(space);
    uint32_t count = 0, from = column.start_step[tenancy], to = column.end_step[tenancy];
    int64_t low = column.offset_bytes[tenancy], high = end_of(&column, tenancy);
    *bytes = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        bool meet = column.offset_bytes[i] < high && low < end_of(&column, i) && low < high &&
                    column.size_bytes[i] > 0;
        bool together = column.start_step[i] < to && from < column.end_step[i];
        if (i == tenancy || !meet || together)
            continue;
        xpd_grow_i64(bytes, column.size_bytes[i]);
        put(out, capacity, &count, i);
    }
    return count;
}
