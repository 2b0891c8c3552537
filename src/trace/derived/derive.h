/* Derived rows in the making: drafts that derive.c turns into rows and depths at the end. */
#ifndef XPROFD_TRACE_DERIVE_H
#define XPROFD_TRACE_DERIVE_H

#include "../groups/trace_groups.h"
#include "derive_builder.h"
#include "xprofd/trace/derived.h"
#include "xprofd/trace/event_stat.h"
#include "xprofd/trace/merge.h"
#include "xprofd/trace/offload.h"

struct xpd_draft_row {
    uint32_t process;
    int64_t id;
    xpd_name_id caption;
    enum xpd_row_kind kind;
    const char *how;
    struct xpd_sheet sheet;
    /* When the row is frozen, malloc'ed: */
    uint16_t *depth_of; /* of each by start */
    uint32_t depths;    /* 0: no memory */
    uint64_t overflow_count;
};

struct xpd_launch { /* a host event that launches work on a GPU */
    uint64_t device, event;
    uint32_t group;
    int64_t start_ps, end_ps;
};
struct xpd_scope_parent {
    int64_t child, parent;
};

struct xpd_hlo_said { /* of one instruction of a program; XPD_NO_NAME = nothing */
    xpd_name_id tf_op, source;
};

struct xpd_deriving {
    struct xpd_derived *out;
    const struct xpd_trace *trace;
    XPD_VEC(struct xpd_draft_row) draft; /* of the process in work */
    XPD_VEC(struct xpd_trace_row) row;
    XPD_VEC(struct xpd_depth) depth;
    XPD_VEC(struct xpd_derived_pair) pair; /* event: the number once frozen */
    XPD_VEC(struct xpd_event_name) name;
    struct xpd_map64 name_of; /* (caption, name) -> index in name */
    bool failed;
    struct xpd_groups_made groups;
    XPD_VEC(struct xpd_launch_stats) launch_stats;
    XPD_VEC(struct xpd_launch) launch; /* of all GPUs, by device, group, start; derive_launch.c */
    XPD_VEC(struct xpd_scope_parent) scope; /* derive_hlo.c */
    struct xpd_map64 scope_of;              /* child -> index in scope */
    XPD_VEC(struct xpd_hlo_said) hlo;       /* derive_hlo.c */
    struct xpd_map64 hlo_of;                /* program and instruction -> index in hlo */
    struct xpd_map64 hlo_read;              /* programs that were looked into */
    bool launches_known, scopes_known;
    XPD_VEC(struct xpd_step) step; /* already known: used unchanged (join_derived.c; of GPUs) */
};

/* Index in derived->name of (caption, full name), made when new. */
uint32_t xpd_derive_name(struct xpd_deriving *deriving, struct xpd_str caption, struct xpd_str name,
                         enum xpd_op_group group);
/* The same of what a row Framework Ops shows; `full` is what `op` was parsed from. */
struct xpd_tf_op;
uint32_t xpd_derive_framework_op(struct xpd_deriving *deriving, const struct xpd_tf_op *op,
                                 struct xpd_str full, enum xpd_op_group group);
/* Takes what the builder has drawn; an empty row is not kept. */
void xpd_derive_row(struct xpd_deriving *deriving, uint32_t process, int64_t id,
                    struct xpd_str caption, enum xpd_row_kind kind, const char *how,
                    struct xpd_builder *builder);

/* A pair of measured events for the next drawn event; its number + 1. */
uint32_t xpd_derive_pair(struct xpd_deriving *deriving, uint64_t event2, int64_t device_ps);
void xpd_draft_fini(struct xpd_draft_row *row);
/* Turns the drafts into rows and frees them; then, at the end, gives all rows to `out`. */
bool xpd_derive_freeze(struct xpd_deriving *deriving);
bool xpd_derive_finish(struct xpd_deriving *deriving);

/* The rows of one process each. Failures set deriving->failed or fill err. */
void xpd_derive_tpu(struct xpd_deriving *deriving, uint32_t process);
void xpd_derive_offload(struct xpd_deriving *deriving, uint32_t process);
void xpd_derive_gpu(struct xpd_deriving *deriving, uint32_t process);
/* The row Launch Stats of a GPU. */
void xpd_derive_launches(struct xpd_deriving *deriving, uint32_t process);
/* An operation's data from the HLO in the profile; NULL: none. */
const struct xpd_hlo_said *xpd_derive_hlo(struct xpd_deriving *deriving, uint64_t program_id,
                                          struct xpd_str op);
/* Keeps what its events say; at the end. */
void xpd_derive_launches_keep(struct xpd_deriving *deriving);
/* Reads the parents of scope ranges, once. */
void xpd_scopes_load(struct xpd_deriving *deriving);
/* From a scope range to its outermost one; returns how many. Cycles are cut. */
uint32_t xpd_scopes_chain(const struct xpd_deriving *deriving, int64_t leaf,
                          int64_t chain[XPD_SCOPES_MAX]);
void xpd_derive_regions(struct xpd_deriving *deriving, uint32_t process);
void xpd_derive_steps(struct xpd_deriving *deriving);
/* step_numbers.c: numbers of the steps of one thread or device, in order of their starts. */
struct xpd_step_count {
    bool any;
    int64_t highest, ahead; /* ahead: of what the program gave */
    uint32_t again;         /* how often the numbers began again */
};
/* The number of the next step; `given` where it would leave the range of numbers. */
int64_t xpd_step_counted(struct xpd_step_count *count, int64_t given);
/* Of a step whose name tells none. */
int64_t xpd_step_counted_on(struct xpd_step_count *count);
void xpd_steps_tell_again(struct xpd_warnings *warnings, uint32_t again);
/* Counts the steps of hosts, before devices take their numbers. */
void xpd_steps_count_roots(struct xpd_deriving *deriving);
/* The measured row of a process that its steps are taken from; XPD_NO_INDEX = none. */
uint32_t xpd_steps_row(const struct xpd_trace *trace, uint32_t process);
/* The program with most device time over all TPUs: its caption, XPD_NO_NAME when none ran. False:
 * no memory. */
bool xpd_main_program(const struct xpd_trace *trace, xpd_name_id *program);

#endif
