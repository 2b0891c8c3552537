/* Links between events: producer, consumer, step. Read from the stats of the events in one pass
 * over the lines of planes with such stats. */
#ifndef XPROFD_TRACE_LINKS_H
#define XPROFD_TRACE_LINKS_H

#include "xprofd/base/vec.h"
#include "xprofd/trace/derived.h"

enum xpd_link_kind {
    XPD_LINK_FLOW,        /* a stat "flow": key is the id, ready made */
    XPD_LINK_CONTEXT,     /* _pt/_p or _ct/_c */
    XPD_LINK_CORRELATION, /* correlation_id: kernel launch and kernel */
    XPD_LINK_LAUNCH,      /* run of a program: host enqueues, module runs, host completes */
    XPD_LINK_FETCH        /* TensorFlow's executor and the input it waits for: groups only */
};
#define XPD_LINK_NOWHERE ((UINT64_C(1) << 44) - 1) /* an event that lies in no row */
struct xpd_link { /* 24 bytes: a GPU's profile has one for each event */
    uint64_t key; /* equal at all ends of one flow, within kind and category */
    uint64_t event : 44;
    uint64_t kind : 3, ends : 2; /* enum xpd_flow_end; 0: a flow that has no direction */
    uint64_t category : 6;
    uint64_t group_category : 6; /* the same for groups: XProf reads signed types only there */
    uint64_t has_pid : 1;
    uint64_t no_flow_key : 1; /* for flows the key is 0: XProf mixes up launches of signed numbers
                                 there */
    uint64_t async : 1;       /* the event says that it is an asynchronous span */
    uint32_t pid;             /* contexts are of one process, if they say of which */
    uint32_t node;            /* of its event in the forest (groups_forest.h) */
};
/* A possible root of a group, or an event that says its own group. */
enum xpd_link_part { /* in TensorFlow's steps */
                     XPD_PART_NONE,
                     XPD_PART_EXECUTOR,
                     XPD_PART_NEXT,          /* of an iterator */
                     XPD_PART_NEXT_OPTIONAL, /* the same, which may be at its end */
                     XPD_PART_DATA /* runs a function of tf.data: what has its id is not a step */
};
struct xpd_link_root {
    uint64_t event;
    bool is_root;       /* else only its step number or its own group matters */
    int64_t level;      /* roots of a higher one come first; 0 and less are levels too */
    int64_t iter, step; /* iter_num and step_num; INT64_MIN = none */
    xpd_name_id kind;   /* graph_type, in names of the links; XPD_NO_NAME = none */
    bool async; /* says that it is an asynchronous span: nothing nests in it, nor it in others */
    uint32_t group;    /* what the event says of it itself; UINT32_MAX = nothing */
    bool is_eager_run; /* an event EagerExecute */
    int8_t is_func; /* what it says of itself: 1 it runs a function, 0 an operation; -1 nothing */
    uint8_t part;   /* enum xpd_link_part */
    /* of a part that says both its step (id) and its iteration (iter_num): unsigned ones are equal
       to signed ones in a link, and 0 in a loop */
    uint64_t link_id, link_iter;
    int64_t loop_id, loop_iter; /* ids of all events that have one (says_id) */
    bool says_id;
};
struct xpd_links {
    XPD_VEC(struct xpd_link) link;
    XPD_VEC(struct xpd_link_root) root;
    struct xpd_arena arena;
    struct xpd_intern names;
    bool grouped; /* every plane knows group_id: groups are as the file says */
};
/* Links in the order of the file, those of an event as XProf would append them; roots in the order
 * of the processes. */
int xpd_links_scan(struct xpd_links *links, const struct xpd_trace *trace, struct xpd_err *err);
/* links.c: the events of links and roots, by the places of their bytes in the file. Those of links
 * ascend; those of roots are sorted here. */
int xpd_links_find(struct xpd_links *links, const struct xpd_trace *trace,
                   const uint64_t *link_where, uint64_t *root_where, struct xpd_err *err);
void xpd_links_fini(struct xpd_links *links);

#endif
