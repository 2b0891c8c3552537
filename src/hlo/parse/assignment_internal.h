/* Shared by the parts of the reader of buffer-assignment text. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_ASSIGNMENT_INTERNAL_H
#define XPROFD_SRC_HLO_ASSIGNMENT_INTERNAL_H

#include "xprofd/base/intern.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/strbuf.h"
#include "xprofd/base/vec.h"
#include "xprofd/hlo/assignment_text.h"

enum { /* from the report */
       XPD_SAYS_PARAMETER = 1,
       XPD_SAYS_CONSTANT = 2,
       XPD_SAYS_THREAD_LOCAL = 4,
       XPD_SAYS_LIVE_OUT = 8,
       XPD_SAYS_TEMP = 16,
       XPD_SAYS_PAGE = 32 /* the dialect of TPU compilers */
};

struct xpd_said_value {
    struct xpd_str name, index; /* of the instruction; inside its braces, "" = the whole shape */
    struct xpd_str dims;        /* "8,16" of an array; no data = not said */
    uint64_t line;              /* of the report */
    int64_t id, color, offset_bytes, size_bytes;
    int64_t first, last; /* live range in steps of the schedule, first < 0: it has none */
    uint32_t allocation;
    bool is_tuple;
    bool is_view; /* of other values in the fast memory of a TPU, see assignment_events.c */
};

struct xpd_said_allocation {
    int64_t index, size_bytes, color, parameter;
    struct xpd_str parameter_index;
    uint32_t flags, first, count; /* values */
};

struct xpd_said_event {
    uint8_t kind; /* as in module.h */
    uint32_t value, canonical;
};

struct xpd_field;
struct xpd_assignment {
    const struct xpd_assignment_text *text;
    const struct xpd_hlo_names *names; /* of the program; NULL = unknown */
    struct xpd_arena *arena;
    struct xpd_warnings *warnings;
    struct xpd_intern key;      /* "name{index}" */
    XPD_VEC(uint32_t) value_of; /* by id of key */
    XPD_VEC(struct xpd_said_allocation) allocation;
    XPD_VEC(struct xpd_said_value) value;
    XPD_VEC(struct xpd_said_event) event; /* of the allocation being written */
    XPD_VEC(uint32_t) shares;             /* value, then the one it shares with, alternating */
    struct xpd_assignment_facts facts;
    struct { /* live ranges of instructions that the program does not have */
        uint64_t count, line;
        const char *file;
        struct xpd_str name;
    } strange;
    bool key_failed;
};

/* One line of a text after the other, without its end. */
struct xpd_line_walk {
    const char *at, *end;
    uint64_t number; /* of the line handed out last, from 1 */
};
bool xpd_line_next(struct xpd_line_walk *walk, struct xpd_str *line);
/* A sentence about a line; `name` is the file. */
void xpd_assignment_warn(struct xpd_assignment *a, const char *name, uint64_t line,
                         const char *code, const char *what, struct xpd_str said);

/* assignment_lines.c: allocations and their values. */
void xpd_assignment_read(struct xpd_assignment *a);
/* assignment_events.c: live ranges, in either text. */
void xpd_assignment_read_ranges(struct xpd_assignment *a, struct xpd_str text, const char *name);
/* assignment_events.c: value.is_view. */
void xpd_assignment_mark_views(struct xpd_assignment *a, struct xpd_str module_proto);
/* assignment_mixed.c: warns where the reports are of another compilation than the program. */
void xpd_assignment_check_mixed(struct xpd_assignment *a, struct xpd_str module_proto);
/* assignment_mixed.c: calls with each instruction of a HloModuleProto. */
void xpd_each_instruction(struct xpd_str module_proto,
                          void (*look)(void *self, const struct xpd_field *instruction),
                          void *self);
/* assignment_events.c: a->event of one allocation; false without memory. */
bool xpd_assignment_make_events(struct xpd_assignment *a, const struct xpd_said_allocation *of);

#endif
