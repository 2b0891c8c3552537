/* Classes of the events of a thread: of the program, of a loader. */
#ifndef XPROFD_SRC_TRACE_INPUT_SWEEP_H
#define XPROFD_SRC_TRACE_INPUT_SWEEP_H

#include "account.h"

struct input_sweep {
    const struct xpd_view *view;
    const struct input_name *name;
    struct input_account *account;
    const struct xpd_intervals *busy;
    const struct xpd_intervals *fetch_idle; /* fetches of other threads while no device is busy */
    uint32_t mark;                          /* name of the steps' own events */
    bool whole;  /* no thread in particular: fetches count in uncovered time */
    bool python; /* set: a frame of Python lies in a step */
    bool told;   /* set: an event that asks for input does */
    /* Kept by the sweep. */
    int64_t at_ps;
    size_t busy_at, fetch_at;
};
/* Each moment of the steps goes into one class. `row` XPD_NO_INDEX: only devices and fetches tell.
 * False: no memory. */
bool input_sweep_program(struct input_sweep *sweep, uint32_t row);
/* What a thread that is not the program's does in the steps; time without events is in none. */
bool input_sweep_loader(struct input_sweep *sweep, uint32_t row);

#endif
