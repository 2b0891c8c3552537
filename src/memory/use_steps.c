/* The longest stretch between two uses of a buffer.
 *
 * In: a buffer. Out: steps of a space. A use without events of its own stands at the next event, so
 * that no step before it counts as after it. */
#include "xprofd/memory/plan.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Steps at which it is defined or read: malloc'ed, ascending, each once; NULL without memory. */
static uint32_t *steps_of(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                          uint32_t buffer, uint32_t *count)
{
    uint32_t users = xpd_users_of(mem, buffer, NULL, 0), n = 0, kept = 0;
    uint32_t *at = malloc(((size_t)users + 1) * sizeof *at);
    *count = 0;
    if (!at || buffer >= mem->hlo->buffers.count) {
        free(at);
        return NULL;
    }
    users = xpd_users_of(mem, buffer, at, users);
    for (uint32_t i = 0; i < users; i++) {
        uint32_t step = xpd_mem_step_of(mem, space, at[i]);
        if (step != XPD_NO_STEP)
            at[n++] = step;
    }
    uint32_t definition = xpd_mem_definition_step(mem, space, buffer);
    if (definition != XPD_NO_STEP)
        at[n++] = definition;
    if (n > 1)
        qsort(at, n, sizeof *at, by_number);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || at[i] != at[i - 1])
            at[kept++] = at[i];
    *count = kept;
    return at;
}

bool xpd_longest_gap(const struct xpd_mem *mem, const struct xpd_mem_space *space, uint32_t buffer,
                     uint32_t *from, uint32_t *to)
{
    uint32_t count, *at = steps_of(mem, space, buffer, &count);
    bool found = false;
    for (uint32_t i = 1; at && i < count; i++)
        if (at[i] - at[i - 1] > 1 && (!found || at[i] - at[i - 1] > *to - *from)) {
            *from = at[i - 1];
            *to = at[i];
            found = true;
        }
    free(at);
    return found;
}
