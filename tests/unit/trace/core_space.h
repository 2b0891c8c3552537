/* Profiles of plain events for the tests of the trace's core, and loading them. */
#ifndef TESTS_UNIT_TRACE_CORE_SPACE_H
#define TESTS_UNIT_TRACE_CORE_SPACE_H

#include "pbw.h"
#include "xprofd/trace/window.h"

struct core_event {
    int64_t start_ps, duration_ps;
    uint64_t metadata;
};
/* Lines are written into the open plane; metadata 1..names is called "op1", "op2", ... */
size_t core_plane(struct pbw *w, const char *name);
void core_names(struct pbw *plane, uint32_t names);
void core_name(struct pbw *plane, uint32_t field, uint64_t id, const char *name);
void core_line(struct pbw *plane, int64_t id, const char *name, const struct core_event *event,
               size_t count);
void core_stat(struct pbw *event, uint64_t id, uint32_t kind, uint64_t value);
void core_stat_text(struct pbw *event, uint64_t id, const char *text);

struct core_trace {
    struct xpd_xspace *space;
    struct xpd_trace *trace;
};
/* From bytes, which must live on; asserted to load. */
struct core_trace core_load(const void *bytes, size_t size, uint32_t threads);
struct core_trace core_load_file(const char *path, uint32_t threads);
void core_free(struct core_trace *core);
/* Asserts what every trace keeps: depths sorted and disjoint, numbers without gaps, sums. */
void core_check(const struct xpd_trace *trace);
const char *core_text(const struct xpd_trace *trace, xpd_name_id id);
const struct xpd_trace_row *core_row(const struct xpd_trace *trace, const char *caption,
                                     enum xpd_row_kind kind);
const struct xpd_warning *core_warning(const struct xpd_trace *trace, const char *code);
/* xorshift: the same numbers on every run. */
uint64_t core_random(uint64_t *state, uint64_t below);

#endif
