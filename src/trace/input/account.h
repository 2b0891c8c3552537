/* Time of the steps by class, by the event that decided, and by the call right inside of it. */
#ifndef XPROFD_SRC_TRACE_INPUT_ACCOUNT_H
#define XPROFD_SRC_TRACE_INPUT_ACCOUNT_H

#include "input_spans.h"

#include "xprofd/base/map64.h"

struct input_claim { /* of a lane */
    uint32_t name;
    uint8_t class;
    uint64_t count;
    int64_t total_ps;
};
struct input_inner { /* the call right inside */
    uint32_t claim, name;
    uint64_t count;
    int64_t total_ps;
};
struct input_account { /* of one lane: the program, or the threads of a pool */
    const struct input_spans *spans;
    int64_t *sum[XPD_INPUT_CLASSES]; /* by step; malloc'ed */
    int64_t all[XPD_INPUT_CLASSES];
    struct xpd_map64 claim_of, inner_of;
    XPD_VEC(struct input_claim) claim;
    XPD_VEC(struct input_inner) inner;
    struct xpd_intervals input, transfer; /* in the steps */
    bool keeps;                           /* pieces, too */
    XPD_VEC(struct xpd_input_piece) piece;
    size_t at; /* the span that time has reached */
    bool failed;
};
bool input_account_open(struct input_account *account, const struct input_spans *spans);
void input_account_close(struct input_account *account);
/* Time begins anew: the next row of the lane. */
void input_account_rewind(struct input_account *account);
/* Of [from_ps, to_ps) what lies in the steps. In order of time. XPD_NO_INDEX: no event. */
void input_account_add(struct input_account *account, uint8_t class, uint32_t claim, uint32_t inner,
                       int64_t from_ps, int64_t to_ps);
/* An event decided, or was the call right inside of one: it counts where it touches a step. */
void input_account_count(struct input_account *account, uint8_t class, uint32_t claim,
                         uint32_t inner, int64_t from_ps, int64_t to_ps);

#endif
