/* What the tools about heap files share: which file is asked for, its series, what it is compared
 * with. */
#ifndef XPROFD_SRC_TOOLS_HEAP_OPEN_H
#define XPROFD_SRC_TOOLS_HEAP_OPEN_H

#include "../common/common.h"
#include "xprofd/base/checked.h"
#include "xprofd/heap/tree.h"

#define XPD_HEAP_SERIES_MAX                                                                        \
    64 /* files of a series that one answer adds up; of more an even choice */

/* All files of a run, series by series, steps rising; those without a number by name. */
int xpd_heap_list(const struct xpd_run *run, struct xpd_arena *arena, struct xpd_heap_file **file,
                  uint32_t *count, struct xpd_err *err);
/* Reads one, once for all requests; valid as long as the run is held. */
int xpd_heap_read(struct xpd_store *store, const struct xpd_run *run, struct xpd_heap_file *file,
                  struct xpd_err *err);

/* The question of a tool. */
struct xpd_heap_ask {
    const struct xpd_tool_ctx *ctx;
    struct xpd_heap_file *file;     /* of the run */
    uint32_t file_count, at;        /* at: the one that is shown */
    const struct xpd_run *base_run; /* held when it is another run; NULL = none, or the same */
    struct xpd_heap_file *base;     /* what it is compared with; NULL = nothing */

    /* The series of the file, oldest first, and last the file compared with, when that is not one
     * of them. */
    struct xpd_heap_member *member;
    uint32_t *member_file; /* index into file; XPD_NO_INDEX = base, of another run */
    int64_t *step;         /* by member: number of the step, or of the file in its series */
    uint32_t series_count, member_count;
    uint32_t shown, compared; /* members; compared XPD_NO_INDEX = none */
    uint32_t series_all;      /* files of the series */
    bool has_steps;           /* names tell steps */
    struct xpd_heap_filter filter;
    const char *note; /* what limits left out; NULL = nothing */
};

/* The parameters that it reads. */
#define XPD_HEAP_PARAMS                                                                            \
    {.name = "file",                                                                               \
     .type = XPD_PARAM_TEXT,                                                                       \
     .help = "name of a file of the run; default: the last of the longest series"},                \
        {.name = "against",                                                                        \
         .type = XPD_PARAM_TEXT,                                                                   \
         .help = "name of the file to compare with; default: the first of its series; none: no "   \
                 "comparison"},                                                                    \
        {.name = "base_run",                                                                       \
         .type = XPD_PARAM_TEXT,                                                                   \
         .help = "run of the file `against`; default this run"},                                   \
        {.name = "type",                                                                           \
         .type = XPD_PARAM_TEXT,                                                                   \
         .help = "which value of the samples (inuse_space, cpu); default: the file's own "         \
                 "default, else its last"},                                                        \
        {.name = "device", .type = XPD_PARAM_TEXT, .help = "only this device"},                    \
        {.name = "kind", .type = XPD_PARAM_TEXT, .help = "only this kind: buffer or executable"},  \
        {.name = "line",                                                                           \
         .type = XPD_PARAM_TEXT,                                                                   \
         .help = "only samples of this line: key of a row of heap/lines"},                         \
    {                                                                                              \
        .name = "own", .type = XPD_PARAM_TEXT,                                                     \
        .help = "source files of your code: text or /expression/; default: all except libraries"   \
    }

int xpd_heap_ask_init(struct xpd_heap_ask *ask, const struct xpd_tool_ctx *ctx,
                      const struct xpd_tool *tool, struct xpd_err *err);
void xpd_heap_ask_fini(struct xpd_heap_ask *ask); /* legal after a failed init */

/* "train.py:41", the last part of the path, or the function where there is no line. */
struct xpd_str xpd_heap_frame_label(struct xpd_arena *arena, const struct xpd_heap_frame *frame);
/* A value in its unit for a reader: "400.8 MiB", "1.25 s", "2,376". */
void xpd_heap_value_text(char out[48], int64_t value, enum xpd_heap_unit unit);
/* The same with a sign, "0" for none. */
void xpd_heap_change_text(char out[48], int64_t change, enum xpd_heap_unit unit);
static inline enum xpd_heap_unit xpd_heap_unit_of(const struct xpd_heap_ask *ask)
{
    const struct xpd_heap_member *m = &ask->member[ask->shown];
    return m->heap->type[m->type].kind;
}

#endif
