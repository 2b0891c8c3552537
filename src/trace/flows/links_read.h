/* One event in the pass over the stats: the links from links.c, for the threads of links_scan.c.
 */
#ifndef XPROFD_TRACE_LINKS_READ_H
#define XPROFD_TRACE_LINKS_READ_H

#include "links.h"
#include "xprofd/profile/event_read.h"
#include <pthread.h>

enum wanted {
    PT,
    P,
    CT,
    C,
    FLOW,
    CORRELATION,
    ROOT,
    STEP_NUM,
    ITER_NUM,
    GROUP_ID,
    RUN_ID,
    QUEUE_ID,
    DEVICE_ORDINAL,
    CORE_TYPE,
    REQUEST_ID,
    QUEUE_ADDR,
    ASYNC,
    GRAPH_TYPE,
    PID,
    STEP_ID,
    IS_FUNC,
    WANTED_COUNT
};

enum role {
    ROLE_NONE,
    ROLE_ENQUEUE,
    ROLE_COMPLETE,
    ROLE_REQUEST,
    ROLE_SERVED,  /* what a request of a TPU's queue becomes */
    ROLE_CONTEXT, /* a root by default */
    ROLE_LEVEL_1,
    ROLE_LEVEL_2,
    ROLE_EXECUTOR, /* TensorFlow's, of one iteration of a step */
    ROLE_EXECUTED, /* what it does on a TPU */
    ROLE_NEXT,
    ROLE_NEXT_OPTIONAL,
    ROLE_DATA, /* a function of the input that tf.data runs */
    ROLE_EAGER /* an operation or a function, op by op */
};

struct xpd_link_plane { /* what the pass knows of a plane */
    const struct xpd_trace_process *process;
    bool host, tpu;
    uint64_t pid;             /* of its stat process_id, + 1; 0 = none */
    struct xpd_stat_ids ids;  /* enum wanted */
    struct xpd_map64 role_of; /* id of metadata -> enum role, of those that have one */
};

struct xpd_link_stats { /* of one event */
    uint64_t where;
    uint64_t value[WANTED_COUNT]; /* 0 where it is not said, once anything is */
    uint64_t pid;                 /* of the plane, or its own */
    xpd_name_id kind;             /* graph_type */
    uint64_t launch;              /* correlation_id as flows have it: 0 when it is signed */
    uint64_t iter_bits;           /* iter_num, be it signed or not */
    int64_t signed_id;            /* of the step; 0 when it is not signed */
    uint32_t has, is_unsigned;
    enum role role;
    bool module; /* lies on a line XLA Modules */
};

#define XPD_LINKS_OF_BLOCK 16384
/* Given back one by one while all links are put together: mapped, since free() would keep them. */
struct xpd_link_block {
    struct xpd_link_block *next;
    uint32_t count;
    struct xpd_link link[XPD_LINKS_OF_BLOCK];
    uint64_t where[XPD_LINKS_OF_BLOCK]; /* places of the events in the file */
};

struct xpd_link_scan {       /* one thread's */
    struct xpd_links *links; /* its names, under the lock */
    pthread_mutex_t *names_lock;
    const struct xpd_trace *trace;
    struct xpd_link_block *first, *last;
    size_t link_count;
    bool failed; /* no memory for a block */
    XPD_VEC(struct xpd_link_root) root;
    XPD_VEC(uint64_t) root_where;
};

/* False: no memory. Free with fini in both cases. */
bool xpd_link_plane_init(struct xpd_link_plane *plane, const struct xpd_trace *trace,
                         const struct xpd_trace_process *process, uint32_t space_plane);
void xpd_link_plane_fini(struct xpd_link_plane *plane);
/* Whether events of the plane may have links. */
static inline bool xpd_link_plane_wanted(const struct xpd_link_plane *plane)
{
    return plane->ids.known != 0 || plane->role_of.count > 0;
}
/* Appends stats of one event. */
void xpd_link_read_event(struct xpd_link_scan *scan, const struct xpd_link_plane *plane,
                         bool module, const struct xpd_event_said *said);

/* links_scan.c: planes of one name are one process. From a plane to the others of its name, without
 * comparing each with all. */
struct xpd_plane_chain {
    struct xpd_map64
        first;      /* name -> lowest plane with it; names are interned: equal text, equal id */
    uint32_t *next; /* the next plane of the same name, or XPD_NO_INDEX; malloc'ed */
};

/* False without memory; fini is legal then too. */
bool xpd_plane_chain_init(struct xpd_plane_chain *chain, const struct xpd_xspace *space);
/* The planes of a name in order: first, then next[] of each, until XPD_NO_INDEX. */
uint32_t xpd_plane_chain_first(const struct xpd_plane_chain *chain, xpd_name_id name);
void xpd_plane_chain_fini(struct xpd_plane_chain *chain);

#endif
