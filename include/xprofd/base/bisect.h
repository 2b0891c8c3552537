/* Binary search. */
#ifndef XPROFD_BASE_BISECT_H
#define XPROFD_BASE_BISECT_H

/* Moves `low` up to the first place of [low, end) where `before` no longer holds, to `end` when it
 * holds everywhere. `before` is an expression of `middle`, an index: true up to some index, false
 * after it. `low` is an unsigned variable; `end` is read once. */
#define XPD_BISECT(low, end, middle, before)                                                       \
    do {                                                                                           \
        __typeof__(low) xpd_high = (end);                                                          \
        while ((low) < xpd_high) {                                                                 \
            __typeof__(low) middle = (low) + (xpd_high - (low)) / 2;                               \
            if (before)                                                                            \
                (low) = middle + 1;                                                                \
            else                                                                                   \
                xpd_high = middle;                                                                 \
        }                                                                                          \
    } while (0)

#endif
