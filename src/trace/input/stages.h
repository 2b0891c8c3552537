/* Rows of the table of stages. */
#ifndef XPROFD_SRC_TRACE_INPUT_STAGES_H
#define XPROFD_SRC_TRACE_INPUT_STAGES_H

#include "account.h"

struct input_stages {
    XPD_VEC(struct xpd_input_stage) row; /* a stage, then what is inside of it */
    bool failed;
};
/* What a lane did, a row a class, with its events or the calls inside of the only one. */
void input_stages_add(struct input_stages *stages, const struct input_account *account,
                      uint32_t thread, uint32_t classes);
/* One row of time by step that no event tells. */
void input_stages_add_time(struct input_stages *stages, uint8_t class,
                           const struct input_spans *spans, const int64_t *by_step);
/* Most time first, inner calls after their stage. False: out of memory. */
bool input_stages_keep(struct xpd_input_run *out, struct input_stages *stages,
                       struct xpd_arena *arena);

#endif
