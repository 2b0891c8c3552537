/* Steps that a chip lacks between two that it has. In: the steps of all chips with their gaps. Out:
 * gaps that would reach over a missing step are unknown.
 *
 * An event of the line of steps may be lost, on one chip. What follows there is not the gap between
 * two steps, but most of a step, and the mean of the chips would have it. */
#include "xprofd/base/bisect.h"
#include "xprofd/base/order.h"
#include "xprofd/trace/step_table.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return XPD_ORDER(*x, *y);
}

/* Of all chips, ascending, each as often as it occurs; NULL: no memory. */
static int64_t *numbers_of(const struct xpd_step_table *table, size_t *count,
                           struct xpd_arena *scratch)
{
    size_t cells = 0;
    for (uint32_t l = 0; l < table->lane_count; l++)
        cells += table->lane[l].count;
    int64_t *number = XPD_NEW_ARRAY(scratch, int64_t, cells);
    *count = 0;
    for (uint32_t l = 0; number && l < table->lane_count; l++)
        for (uint32_t i = 0; i < table->lane[l].count; i++)
            number[(*count)++] = table->lane[l].cell[i].number;
    if (*count > 1)
        qsort(number, *count, sizeof *number, by_value);
    return number;
}

static bool any_between(const int64_t *number, size_t count, int64_t after, int64_t before)
{
    size_t low = 0;
    XPD_BISECT(low, count, middle, number[middle] <= after);
    return low < count && number[low] < before;
}

bool xpd_step_table_drop_gaps(struct xpd_step_table *table, struct xpd_arena *scratch)
{
    size_t count;
    if (table->lane_count < 2)
        return true;
    const int64_t *number = numbers_of(table, &count, scratch);
    for (uint32_t l = 0; number && l < table->lane_count; l++) {
        struct xpd_step_cell *cell = table->lane[l].cell;
        for (uint32_t i = 1; i < table->lane[l].count; i++)
            if (any_between(number, count, cell[i - 1].number, cell[i].number))
                cell[i - 1].gap_ps = -1;
    }
    return number != NULL;
}
