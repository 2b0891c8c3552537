/* The work of a model server in the events of hosts, by XProf's rules: requests, their batches, and
 * the parts of their time. A request is a group of events (xprofd/trace/groups.h) that one of the
 * known events begins, or one that is marked as a root of its own kind; a batch is a group with
 * ProcessBatch. Rules: XProf's inference_stats.cc, inference_stats_combiner.cc; checked with
 * XProf 2.24.2. */
#ifndef XPROFD_COMPAT_OPSTATS_REQUESTS_H
#define XPROFD_COMPAT_OPSTATS_REQUESTS_H

#include "opstats_steps.h"

enum { XPD_NO_MODEL = -1 };

struct xpd_request {
    uint32_t id; /* the group, of its host */
    int32_t model;
    uint64_t begin_ps, end_ps;
    uint64_t delay_ps; /* from its begin to that of its first batch; wraps where that is before */
    int32_t size;      /* from its schedule event; 0 = no batching */
    uint64_t kind_ps[XPD_STEP_KINDS];
    const uint32_t *batch; /* ids of the batches it is in */
    uint32_t batch_count;
    uint32_t tensors; /* place in xpd_requests.pattern; XPD_NO_INDEX = it copies none itself */
    uint64_t tensors_ps;
};
struct xpd_batch {
    uint32_t id;
    int32_t model;
    uint64_t begin_ps, end_ps;
    uint64_t delay_ps; /* from the begin of its first request */
    int32_t padding, size;
    uint64_t device_ps;
    const uint64_t *program; /* work of TPU chips for it, each once */
    uint32_t program_count;
    uint32_t tensors;
    uint64_t tensors_ps;
};
struct xpd_batching {     /* of a model, from counters of TensorFlow Serving */
    struct xpd_str model; /* without its version */
    int64_t threads, timeout_us, largest, queued;
    struct xpd_str sizes;
};
struct xpd_requests { /* of all requested hosts */
    struct xpd_str *model;
    uint32_t model_count;
    struct xpd_request *request; /* by length, then begin */
    uint32_t request_count;
    struct xpd_batch *batch; /* the same */
    uint32_t batch_count;
    struct xpd_str *pattern; /* shapes and layouts of the copies, joined by <br> */
    uint32_t pattern_count;
    struct xpd_batching *batching;
    uint32_t batching_count;
};

/* Of the hosts that host= means. Waits for their events; everything in ctx->arena. XPD_ELIMIT where
 * the events do not fit the memory of a request. */
int xpd_requests_of(const struct xpd_tool_ctx *ctx, struct xpd_requests *out, struct xpd_err *err);

/* batching.c: those of one host, in the arena. */
int xpd_batching_read(const struct xpd_file_host *host, struct xpd_arena *arena,
                      struct xpd_batching **out, uint32_t *count, struct xpd_err *err);

#endif
