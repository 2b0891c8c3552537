/* Growable arrays: XPD_VEC(type) declares one, XPD_PUSH appends. Sticky failure as elsewhere. */
#ifndef XPROFD_BASE_VEC_H
#define XPROFD_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define XPD_VEC(type)                                                                              \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count, capacity;                                                                    \
        bool failed;                                                                               \
    }

/* Grows *at so that `need` elements fit. */
bool xpd_vec_grow(void **at, size_t *capacity, size_t need, size_t element_size);

#define XPD_PUSH(vec, value)                                                                       \
    do {                                                                                           \
        if ((vec)->count < (vec)->capacity || xpd_vec_grow((void **)&(vec)->at, &(vec)->capacity,  \
                                                           (vec)->count + 1, sizeof *(vec)->at))   \
            (vec)->at[(vec)->count++] = (value);                                                   \
        else                                                                                       \
            (vec)->failed = true;                                                                  \
    } while (0)

#define XPD_VEC_FINI(vec)                                                                          \
    do {                                                                                           \
        free((vec)->at);                                                                           \
        (vec)->at = NULL;                                                                          \
        (vec)->count = (vec)->capacity = 0;                                                        \
    } while (0)

#endif
