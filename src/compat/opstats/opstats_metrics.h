/* XProf's op metrics: what it adds up of the executions of one operation, and the database of a
 * device, a host or a run. Times are unsigned and wrap, as XProf's do: where children are longer
 * than their parent its self time is a number near 2^64, and the tables show that. */
#ifndef XPROFD_COMPAT_OPSTATS_METRICS_H
#define XPROFD_COMPAT_OPSTATS_METRICS_H

#include "xprofd/base/arena.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/str.h"

enum { XPD_OPS_HBM = 1, XPD_OPS_CMEM = 2, XPD_OPS_VMEM = 3 }; /* PerformanceInfo.MemorySpace */
enum { XPD_OPS_READ = 1, XPD_OPS_WRITE = 2 };                 /* OpMetrics.OperationType */

struct xpd_ops_access { /* bytes moved to or from one memory */
    uint64_t space, operation, bytes;
};

enum xpd_ops_core { XPD_OPS_NO_CORE, XPD_OPS_TENSOR_CORE, XPD_OPS_SPARSE_CORE };

struct xpd_ops_metrics;
struct xpd_ops_list { /* operations inside another one: of a fusion, of a SparseCore */
    struct xpd_ops_metrics *at;
    uint32_t count;
    uint64_t total_ps;
};

struct xpd_ops_metrics {
    uint64_t program_id;
    struct xpd_str name, long_name, category, provenance, dedup_name;
    struct xpd_str file, stack; /* of the source */
    int32_t line;
    uint64_t occurrences, time_ps, self_ps, normalized_ps, dma_stall_ps;
    uint64_t flops, model_flops, bytes; /* of all occurrences */
    double flops_v2, model_flops_v2;    /* the same, without wrapping */
    double energy_j;
    struct xpd_ops_access *access;
    uint32_t access_count;
    uint8_t core; /* enum xpd_ops_core */
    bool eager;
    struct xpd_ops_list children;
};

struct xpd_ops_db {
    struct xpd_arena *arena;
    struct xpd_ops_metrics *at; /* malloc'ed until frozen */
    uint32_t count, capacity;
    struct xpd_map64 index; /* of program and name; not in a frozen one */
    uint64_t total_ps, total_op_ps, normalized_op_ps;
    uint64_t infeed_ps,
        infeed_gap_ps; /* of a host: transfers, and the time from each begin to the next */
    bool failed;       /* sticky: out of memory */
};

void xpd_ops_db_init(struct xpd_ops_db *db, struct xpd_arena *arena);
void xpd_ops_db_fini(struct xpd_ops_db *db);
/* Moves the operations into the arena. */
void xpd_ops_db_freeze(struct xpd_ops_db *db);

/* The operation of that program and name, made when it is new; NULL without memory. */
struct xpd_ops_metrics *xpd_ops_db_put(struct xpd_ops_db *db, uint64_t program_id,
                                       struct xpd_str name);
/* Sets the total, which is never less than the operations together, and adds the operation IDLE. */
void xpd_ops_db_finish(struct xpd_ops_db *db, uint64_t total_ps);
/* Adds all that `src` has. */
void xpd_ops_db_combine(struct xpd_ops_db *db, const struct xpd_ops_db *src);

/* Adds `times` the traffic of `access` to an operation's, *to. */
void xpd_ops_add_access(struct xpd_arena *arena, struct xpd_ops_access **to, uint32_t *to_count,
                        const struct xpd_ops_access *access, uint32_t count, uint64_t times);

static inline bool xpd_ops_is_idle(const struct xpd_ops_metrics *op)
{
    return xpd_str_eq(op->category, XPD_STR("IDLE"));
}

/* Those that wait for the host. */
static inline bool xpd_ops_is_feed(const struct xpd_ops_metrics *op)
{
    return xpd_str_find(op->category, XPD_STR("infeed"), false) != SIZE_MAX ||
           xpd_str_find(op->category, XPD_STR("outfeed"), false) != SIZE_MAX;
}
/* Operations inside it are counted separately. */
static inline bool xpd_ops_may_hold(const struct xpd_ops_metrics *op)
{
    return xpd_str_eq(op->category, XPD_STR("call")) ||
           xpd_str_eq(op->category, XPD_STR("conditional")) ||
           xpd_str_eq(op->category, XPD_STR("while")) ||
           xpd_str_eq(op->category, XPD_STR("megacore fusion"));
}

/* Operations by self time, longest first, then by name; at most `most`. In the arena. */
const struct xpd_ops_metrics **xpd_ops_sorted(const struct xpd_ops_metrics *op, uint32_t count,
                                              uint32_t most, uint32_t *sorted,
                                              struct xpd_arena *arena);

#endif
