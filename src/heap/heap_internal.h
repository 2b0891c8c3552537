/* A pprof file while it is read. */
#ifndef XPD_HEAP_INTERNAL_H
#define XPD_HEAP_INTERNAL_H

#include "xprofd/base/checked.h"
#include "xprofd/base/intern.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/heap/heap.h"
#include "xprofd/wire/cursor.h"
#include "xprofd/wire/guard.h"

struct xpd_heap_function {
    int64_t name, system_name, file, start_line; /* the first three are strings of the table */
};
struct xpd_heap_location { /* into location_frame, innermost first */
    uint32_t first, count;
};

struct xpd_heap_load {
    struct xpd_pprof *heap;
    struct xpd_arena *arena;
    struct xpd_arena scratch;       /* of the message being unpacked */
    struct xpd_intern names;        /* labels */
    struct xpd_str bytes;           /* the whole file */
    const char *where;              /* its name */
    XPD_VEC(struct xpd_str) string; /* borrowed from `bytes` */
    XPD_VEC(struct xpd_heap_function) function;
    XPD_VEC(struct xpd_heap_location) location;
    XPD_VEC(uint32_t) location_frame;
    XPD_VEC(struct xpd_heap_frame) frame;
    XPD_VEC(struct xpd_heap_mapping) mapping;
    XPD_VEC(struct xpd_str) comment;
    struct xpd_map64 function_of, location_of, mapping_of; /* by id */
    struct xpd_map64 frame_of;                             /* by hash */
    int64_t default_type;                                  /* strings */
    bool failed;                                           /* out of memory */
};

#define XPD_HEAP_WARN(load, severity, code, offset, ...)                                           \
    xpd_warn(&(load)->heap->warnings, severity, code, offset, __VA_ARGS__)

/* load_field.c. A string of the table; "" with a warning if missing. `offset`: of the referring
 * message, for the warning. */
struct xpd_str xpd_heap_string(struct xpd_heap_load *load, int64_t index, uint64_t offset);
/* NULL with a warning for a message that is damaged. Valid until the next call. */
void *xpd_heap_unpack(struct xpd_heap_load *load, const ProtobufCMessageDescriptor *type,
                      const struct xpd_field *field);
/* load_frames.c: functions, mappings and locations into frames. */
void xpd_heap_read_mapping(struct xpd_heap_load *load, const struct xpd_field *field);
void xpd_heap_read_function(struct xpd_heap_load *load, const struct xpd_field *field);
void xpd_heap_read_location(struct xpd_heap_load *load, const struct xpd_field *field);
/* The placeholder frame for a location that the file does not have. */
uint32_t xpd_heap_lost_frame(struct xpd_heap_load *load, uint64_t id, uint64_t offset);
/* load_samples.c: all samples, once everything they name is read. */
void xpd_heap_read_samples(struct xpd_heap_load *load);

#endif
