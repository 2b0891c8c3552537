/* Growth of the arrays of XPD_VEC.
 *
 * In: the address of the array pointer, its capacity and what is needed. Out: room for at least
 * that many elements, doubled so that pushing is linear; on failure nothing has changed. */
#include "xprofd/base/vec.h"

#include "xprofd/base/arena.h"

#include <stdint.h>
#include <string.h>

bool xpd_vec_grow(void **at, size_t *capacity, size_t need, size_t element_size)
{
    if (need <= *capacity)
        return true;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2)
            return false;
        wanted *= 2;
    }
    size_t bytes;
    if (__builtin_mul_overflow(wanted, element_size, &bytes))
        return false;
    /* *at is really a `type *`: memcpy, since reading it as `void *` would break the aliasing rule.
     */
    void *old;
    memcpy(&old, at, sizeof old);
    void *grown = realloc(old, bytes ? bytes : 1);
    if (!grown)
        return false;
    xpd_prefer_huge_pages(grown, bytes);
    memcpy(at, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
