/* Small profiles with events, written by hand: planes, lines, events with stats. */
#ifndef TESTS_UNIT_TRACE_DERIVE_SPACE_H
#define TESTS_UNIT_TRACE_DERIVE_SPACE_H

#include "pbw.h"
#include "xprofd/trace/derived.h"

struct dstat { /* a stat: text when it is set, else the number; ends with name NULL */
    const char *name;
    int64_t number;
    const char *text;
};
/* As the text of a stat: the number is written as a double. */
extern const char dspace_real[];
#define NO_STATS ((const struct dstat[]){{0}})

struct dspace {
    struct pbw file, plane, line, tables;
    const char *stat_name[64];
    uint32_t stats, metadata;
    bool in_plane, in_line;
    struct xpd_source *source;
    struct xpd_xspace *space;
    struct xpd_trace *trace;
    struct xpd_derived *derived;
    struct xpd_flows *flows;
};

void dspace_plane(struct dspace *d, const char *name, int64_t id);
void dspace_line(struct dspace *d, const char *name, int64_t id);
/* An entry of the plane's table; its id. */
uint32_t dspace_name(struct dspace *d, const char *name, const char *display,
                     const struct dstat *stat);
void dspace_event(struct dspace *d, uint32_t name, int64_t start_ps, int64_t duration_ps,
                  const struct dstat *stat);
/* Loads all of it; every step is asserted. */
void dspace_load(struct dspace *d);
void dspace_free(struct dspace *d);

/* The derived row of that caption in a process, and its events as text "name start end;...", in
 * order of start; depth by depth. */
const struct xpd_trace_row *dspace_row(const struct dspace *d, const char *caption,
                                       uint32_t process);
const char *dspace_events(const struct dspace *d, const char *caption, uint32_t process);
/* The measured event that starts at a time in a row. */
uint64_t dspace_find(const struct dspace *d, const char *row, int64_t start_ps);

#endif
