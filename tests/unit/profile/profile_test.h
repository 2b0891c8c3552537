/* Helpers of the profile tests: XSpaces by hand, and loading them from memory. */
#ifndef TESTS_UNIT_PROFILE_TEST_H
#define TESTS_UNIT_PROFILE_TEST_H

#include "xprofd/profile/xspace.h"

#include "../../support/pbw.h"

/* One entry of event_metadata (field 4) or stat_metadata (field 5) of the open plane. */
void pt_metadata(struct pbw *plane, uint32_t field, uint64_t id, const char *name);
/* An open line; close it with pbw_end. */
size_t pt_line(struct pbw *plane, int64_t id, const char *name);
void pt_event(struct pbw *line, uint64_t metadata_id, uint64_t offset_ps, uint64_t duration_ps);
/* An XStat with an unsigned number, or with bytes, in `field`. */
void pt_stat_uint(struct pbw *in, uint32_t field, uint64_t metadata_id, uint64_t value);
void pt_stat_bytes(struct pbw *in, uint32_t field, uint64_t metadata_id, const void *bytes,
                   size_t size);
/* The least HloProto: a module name, its id, a computation; `tiled` gives it a TPU layout. */
void pt_hlo(struct pbw *out, const char *name, uint64_t module_id, bool tiled);
/* A small profile with everything in it: two planes with events, metadata, two programs. */
void pt_sample(struct pbw *out);

struct pt_loaded {
    struct xpd_source *source;
    struct xpd_xspace *space; /* NULL: refused, err says why */
    struct xpd_err err;
};
struct pt_loaded pt_load(const void *bytes, size_t size);
void pt_free(struct pt_loaded *loaded);
const struct xpd_plane *pt_plane(const struct xpd_xspace *space, const char *name);
bool pt_is(const struct xpd_xspace *space, xpd_name_id id, const char *text);
const struct xpd_warning *pt_warning(const struct xpd_xspace *space, const char *code);

#endif
