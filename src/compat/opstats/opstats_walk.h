/* The events of a file in file order, line by line, with their own stats: the basis of XProf's
 * sums. Events are not stored. */
#ifndef XPROFD_COMPAT_OPSTATS_WALK_H
#define XPROFD_COMPAT_OPSTATS_WALK_H

#include "xprofd/trace/derived.h"
#include "xprofd/trace/event_stat.h"

struct xpd_ops_event {
    uint64_t metadata_id;
    uint32_t metadata; /* index in the plane's tables; XPD_NO_METADATA */
    int64_t offset_ps, duration_ps, occurrences;
    uint64_t where;              /* of its payload in the file */
    const struct xpd_said *stat; /* those asked for; field 0 = it is not there */
};
struct xpd_ops_walk {
    const struct xpd_trace *trace;
    const struct xpd_derived *derived; /* NULL: only events in the file */
    uint32_t plane;
    const struct xpd_plane_tables *tables; /* of the plane */
    uint32_t wanted;                       /* how many stats are looked for */
    struct xpd_stat_ids ids;
    struct xpd_window window;
    struct xpd_intern *texts; /* what is kept of operations, by the caller: cores of a host share
                                 most of it; NULL for groups */
};

int xpd_ops_walk_init(struct xpd_ops_walk *walk, const struct xpd_trace *trace,
                      struct xpd_err *err);
void xpd_ops_walk_fini(struct xpd_ops_walk *walk);
/* Which stats events of the plane are asked for: event->stat[i] is the one called name[i]. */
void xpd_ops_walk_plane(struct xpd_ops_walk *walk, uint32_t plane, const char *const *name,
                        uint32_t count);
/* All events of a line in the order of the file; damage ends the line, false from `fn` too. */
typedef bool xpd_ops_event_fn(void *user, const struct xpd_ops_event *event);
void xpd_ops_walk_line(struct xpd_ops_walk *walk, const struct xpd_line *line, xpd_ops_event_fn *fn,
                       void *user);

/* Index of the plane's metadata with that id, or XPD_NO_METADATA. */
uint32_t xpd_ops_metadata_of(const struct xpd_ops_walk *walk, uint64_t id);

/* As XProf reads them: a value of another type is 0 or "". */
int64_t xpd_ops_int(const struct xpd_said *stat);      /* int64 only */
uint64_t xpd_ops_uint(const struct xpd_said *stat);    /* uint64 only */
uint64_t xpd_ops_any_int(const struct xpd_said *stat); /* int64 or uint64 */
double xpd_ops_double(const struct xpd_said *stat);
struct xpd_str xpd_ops_text(const struct xpd_ops_walk *walk, const struct xpd_said *stat);

struct xpd_str xpd_ops_line_name(const struct xpd_ops_walk *walk, const struct xpd_line *line);
/* Whether TensorFlow ran it op by op: for an event `told` XProf derives it, else by its stat
 * `is_eager`. */
bool xpd_ops_is_eager(const struct xpd_ops_walk *walk, const struct xpd_ops_event *event, bool told,
                      bool said);
/* Lines that XProf made before it wrote the file, which it leaves out: it compares the low 32 bits
 * of their ids, and takes 406 of them (checked with XProf 2.24.2). */
static inline bool xpd_ops_is_made(const struct xpd_line *line)
{
    enum { MADE_IDS = 406 };
    return (uint32_t)line->id - (uint32_t)XPD_DERIVED_ID < MADE_IDS;
}
bool xpd_ops_is_tensor_core(struct xpd_str plane); /* "/device:TPU:N" */
bool xpd_ops_is_sparse_core(struct xpd_str plane);

#endif
