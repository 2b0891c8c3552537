/* Op times in the making: what op_times.c adds up by name and op_scan.c finds in the file. */
#ifndef XPD_TRACE_OP_TIMES_H
#define XPD_TRACE_OP_TIMES_H

#include "xprofd/base/vec.h"
#include "xprofd/trace/op_times.h"

struct xpd_op_slot { /* an op on a device */
    uint32_t program, device;
    xpd_name_id name;
    struct xpd_op_sums sums;
};
struct xpd_op_build {
    const struct xpd_trace *trace;
    struct xpd_op_times *out;
    XPD_VEC(struct xpd_op_program) program;
    XPD_VEC(struct xpd_op_device) device;
    XPD_VEC(struct xpd_op_slot) slot;
    struct xpd_map64 program_of_id, program_of_name, device_of, slot_of;
};

/* op_build.c */
int xpd_op_no_memory(struct xpd_err *err);
/* Indexes, made when new; XPD_NO_INDEX after a failure. */
uint32_t xpd_op_program_put(struct xpd_op_build *build, bool has_id, uint64_t id, xpd_name_id name);
uint32_t xpd_op_device_put(struct xpd_op_build *build, uint32_t process, int64_t number);
uint32_t xpd_op_slot_put(struct xpd_op_build *build, uint32_t program, xpd_name_id name,
                         uint32_t device);
bool xpd_op_build_failed(const struct xpd_op_build *build);
void xpd_op_add_sums(struct xpd_op_sums *sums, const struct xpd_op_sums *more);
void xpd_op_build_fini(struct xpd_op_build *build);

/* op_freeze.c: what was added up becomes build->out. */
int xpd_op_freeze(struct xpd_op_build *build, struct xpd_err *err);

/* op_scan.c: the events whose own stats name an instruction. */
int xpd_op_scan(struct xpd_op_build *build, struct xpd_err *err);

#endif
