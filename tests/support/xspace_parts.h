/* Pieces of an XSpace, written field by field with pbw: what a test's profile is put together from.
 * Numbers are written as they are given, whatever they mean. */
#ifndef TESTS_SUPPORT_XSPACE_PARTS_H
#define TESTS_SUPPORT_XSPACE_PARTS_H

#include "pbw.h"

/* Each opens a message for pbw_end. */
size_t xsp_plane(struct pbw *space, const char *name);
size_t xsp_line(struct pbw *plane, int64_t id, const char *name, int64_t timestamp_ns);
size_t xsp_event(struct pbw *line, uint64_t metadata, uint64_t offset_ps, uint64_t duration_ps);

/* A whole event. */
void xsp_put_event(struct pbw *line, uint64_t metadata, uint64_t offset_ps, uint64_t duration_ps);
/* Stats of an event: of type int64; a text; a reference to the name of stat metadata. */
void xsp_stat_int(struct pbw *event, uint64_t id, int64_t value);
void xsp_stat_text(struct pbw *event, uint64_t id, const char *text);
void xsp_stat_ref(struct pbw *event, uint64_t id, uint64_t ref);
/* Names of events and of stats. */
void xsp_event_name(struct pbw *plane, uint64_t id, const char *name);
void xsp_stat_name(struct pbw *plane, uint64_t id, const char *name);

#endif
