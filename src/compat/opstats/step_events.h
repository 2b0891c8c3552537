/* The events of a plane by step, before they become steps. Private to this folder. */
#ifndef XPROFD_COMPAT_OPSTATS_STEP_EVENTS_H
#define XPROFD_COMPAT_OPSTATS_STEP_EVENTS_H

#include "opstats_steps.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"

struct xpd_xprof_step_span {
    uint64_t begin_ps, end_ps;
};
static inline uint64_t xpd_step_length(struct xpd_xprof_step_span span)
{
    return span.end_ps - span.begin_ps;
}
struct xpd_step_part { /* an event of a step */
    struct xpd_xprof_step_span span;
    uint8_t kind;
};
struct xpd_step_on_core { /* TPUs: operations of a step, and its longest mark */
    uint32_t core;
    bool ran;
    struct xpd_xprof_step_span mark;
    XPD_VEC(struct xpd_step_category) category;
};
struct xpd_step_events {
    int64_t group;
    struct xpd_str name;
    struct xpd_xprof_step_span host, device; /* the longest mark of each */
    XPD_VEC(struct xpd_step_part) part;
    XPD_VEC(struct xpd_step_on_core) core;
    XPD_VEC(struct xpd_step_reduce) reduce;
};
struct xpd_step_map {
    struct xpd_map64 index; /* of groups */
    XPD_VEC(struct xpd_step_events) step;
    bool failed;
};

void xpd_step_map_fini(struct xpd_step_map *map);
/* The step of a group; NULL: none. */
struct xpd_step_events *xpd_step_map_find(const struct xpd_step_map *map, int64_t group);
/* The same, made when it is new; NULL without memory. */
struct xpd_step_events *xpd_step_map_put(struct xpd_step_map *map, int64_t group);
struct xpd_step_on_core *xpd_step_core_put(struct xpd_step_map *map, struct xpd_step_events *step,
                                           uint32_t core);
/* Adds all that `src` has; or leaves out of `dst` what `src` does not have, where `dst` has
 * anything. `src` is empty afterwards. */
void xpd_step_map_unite(struct xpd_step_map *dst, struct xpd_step_map *src);
void xpd_step_map_intersect(struct xpd_step_map *dst, struct xpd_step_map *src);

static inline bool xpd_step_includes(struct xpd_xprof_step_span outer,
                                     struct xpd_xprof_step_span inner)
{
    return outer.begin_ps <= inner.begin_ps && inner.end_ps <= outer.end_ps;
}
/* When it is: the host's longest mark where it holds the device's, else the device's. */
struct xpd_xprof_step_span xpd_step_time(const struct xpd_step_events *step);

/* How long the parts take by kind, the more important one where several are: between the first and
 * the last of them. False without memory. */
bool xpd_step_divide(const struct xpd_step_part *part, size_t count,
                     uint64_t kind_ps[XPD_STEP_KINDS]);

/* The threads of a host; a GPU; a TensorCore of a TPU. */
int xpd_step_events_host(struct xpd_step_map *out, struct xpd_file_plane *plane,
                         struct xpd_arena *arena, struct xpd_err *err);
int xpd_step_events_gpu(struct xpd_step_map *out, struct xpd_file_plane *plane,
                        struct xpd_arena *arena, struct xpd_err *err);
int xpd_step_events_tpu(struct xpd_step_map *out, struct xpd_file_plane *plane,
                        struct xpd_arena *arena, struct xpd_err *err);
/* The steps of a SparseCore's own line of them that have a group. */
int xpd_step_marks_sparse(struct xpd_step_map *out, struct xpd_file_plane *plane,
                          struct xpd_err *err);
/* Adds to each step of `map` how long a SparseCore's operations run in it, as category "busy", and
 * to its own steps "infeed" and "outfeed"; *ran = some operation does not wait, or the steps are
 * its own, and there are steps. */
int xpd_step_events_sparse(struct xpd_step_map *map, struct xpd_file_plane *plane, bool own,
                           struct xpd_arena *arena, bool *ran, struct xpd_err *err);

#endif
