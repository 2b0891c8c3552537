/* XProf's steps of a run: their times on every core, by kind of time. They
 * differ from our steps (xprofd/trace/derived.h): a step is everything with one group number, its
 * length is that of its longest mark, and each instant counts for the most important kind of event
 * on any thread or stream. Rules: XProf's xplane_to_step_events.cc, event_span.cc,
 * step_events_to_steps_db.cc, step_intersection.cc. */
#ifndef XPROFD_COMPAT_OPSTATS_STEPS_H
#define XPROFD_COMPAT_OPSTATS_STEPS_H

#include "file_events.h"
#include "host_table.h"

/* Kinds of time, by rising importance. */
enum xpd_step_kind {
    XPD_STEP_UNKNOWN,
    XPD_STEP_HOST_COMPUTE,
    XPD_STEP_HOST_PREPROCESS,
    XPD_STEP_HOST_POSTPROCESS,
    XPD_STEP_HOST_BATCH,
    XPD_STEP_HOST_RUNTIME,
    XPD_STEP_HOST_COMPILE,
    XPD_STEP_HOST_TO_HOST,
    XPD_STEP_HOST_TO_DEVICE,
    XPD_STEP_HOST_PREPARE,
    XPD_STEP_COLLECTIVES,
    XPD_STEP_WAIT_INPUT,
    XPD_STEP_DEVICE_TO_DEVICE,
    XPD_STEP_DEVICE_TO_HOST,
    XPD_STEP_COMPUTE_32,
    XPD_STEP_COMPUTE_16,
    XPD_STEP_WAIT_DEVICE,
    XPD_STEP_WAIT_HOST,
    XPD_STEP_KINDS
};

/* First core number of a host; each host has this many. */
enum { XPD_STEP_GPU_CORE = 1, XPD_STEP_SPARSE_CORE = 1000000, XPD_STEP_CORES_OF_HOST = 1000 };

struct xpd_step_category { /* of HLO operations */
    struct xpd_str name;
    uint64_t self_ps;
};
struct xpd_step_core { /* a step on one core; all cores of GPUs and CPUs are one */
    uint32_t core, number;
    int64_t group;       /* of its host */
    struct xpd_str name; /* "" = it has none */
    uint64_t begin_ps, duration_ps;
    uint64_t kind_ps[XPD_STEP_KINDS];   /* not on TPUs */
    struct xpd_step_category *category; /* on TPUs: with "IDLE" */
    uint32_t category_count;
};
struct xpd_step_reduce { /* one execution of a collective on one core */
    uint32_t core;
    uint64_t id, duration_ps;
};
struct xpd_xprof_step {
    uint32_t number;
    struct xpd_step_core *core; /* by number */
    uint32_t core_count;
    struct xpd_step_reduce *reduce; /* by core */
    uint32_t reduce_count;
};
enum xpd_step_hardware { XPD_STEP_ON_CPU, XPD_STEP_ON_GPU, XPD_STEP_ON_TPU };
struct xpd_xprof_steps {
    enum xpd_step_hardware hardware; /* the highest of its hosts */
    struct xpd_xprof_step *step;
    uint32_t count;
    bool sparse;          /* some step has a SparseCore, or one says its place */
    bool has_device;      /* by the name of its type; of several hosts */
    bool empty_intersect; /* hosts have steps, and none in common */
    uint64_t compute_32_ps, compute_16_ps;
    uint32_t host_count;
    const struct xpd_str *hostname; /* by host: from its file, else "localhost" */
    struct xpd_core_place *place;   /* of cores with known values */
    uint32_t place_count;
};

/* Of the hosts that host= means. Waits for their events; the steps of each host are kept beside the
 * run. */
int xpd_xprof_steps_of(const struct xpd_tool_ctx *ctx, struct xpd_xprof_steps *out,
                       struct xpd_err *err);

extern const struct xpd_host_table xpd_xprof_steps_table;

/* XProf's sentence where there are no steps; NULL = there are. */
const char *xpd_step_warning(const struct xpd_xprof_steps *steps);

#endif
