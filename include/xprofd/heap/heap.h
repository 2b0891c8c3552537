/* One pprof file: what a process held (or spent) by stack. JAX's device memory profiles
 * (jax.profiler.save_device_memory_profile), heap and CPU profiles of Go, of gperftools and of any
 * other writer.
 *
 * Source: the public description of the pprof format (proto/pprof.proto), and design/mock/heap.md
 * for what JAX writes: two values a sample (allocations/count, space/bytes), labels `kind` (buffer
 * or executable) and `device`, one sample for each stack, kind, device and size of one buffer; no
 * time, no shapes, no addresses. The key may repeat: equal samples are added up. A structure is
 * frozen once it is loaded; everything lies in the arena it was given. */
#ifndef XPROFD_HEAP_HEAP_H
#define XPROFD_HEAP_HEAP_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/str.h"
#include "xprofd/base/warnings.h"
#include "xprofd/wire/source.h"

enum xpd_heap_unit { XPD_HEAP_BYTES, XPD_HEAP_NANOSECONDS, XPD_HEAP_COUNT, XPD_HEAP_OTHER };
/* "bytes", "ns", "count", "other" */
const char *xpd_heap_unit_word(enum xpd_heap_unit unit);

struct xpd_heap_type {
    struct xpd_str name, unit; /* as in the file: "space", "bytes" */
    enum xpd_heap_unit kind;
    int64_t
        scale; /* a value of the file times this is in the unit of `kind`: 1024 for "kilobytes" */
    uint32_t count_of; /* the type that counts what this one weighs; XPD_NO_INDEX = none */
};

struct xpd_heap_frame {
    struct xpd_str function; /* "" = not said; of code without symbols "libfoo.so+0x3f20" */
    struct xpd_str file;     /* of the source, else of the mapped file; "" = not said */
    int64_t line;            /* of the call; 0 = not said */
    int64_t start_line;      /* of the function; 0 = not said */
    uint64_t address;        /* of code without symbols; 0 = it has some, or none was written */
    bool has_line;           /* `file` is a source file */
};

struct xpd_heap_stack { /* into stack_frame, innermost first */
    uint32_t first, count;
};

struct xpd_heap_mapping {
    struct xpd_str file, build_id;
    uint64_t start, limit, offset;
};

struct xpd_pprof {
    struct xpd_heap_type *type;
    uint32_t type_count;
    uint32_t
        default_type; /* named by the file, else the last one, as pprof does; XPD_NO_INDEX = none */
    struct xpd_heap_frame *frame;
    uint32_t frame_count;
    struct xpd_heap_stack *stack;
    uint32_t stack_count;
    uint32_t *stack_frame;
    struct xpd_str *text; /* labels: 0 is "" */
    uint32_t text_count;

    /* Samples, equal ones added up: by sample, and for values sample * type_count + type. */
    uint32_t sample_count;
    uint64_t samples_read; /* that the file has */
    uint32_t *sample_stack;
    uint32_t *sample_kind, *sample_device; /* indexes into text */
    int64_t *sample_size; /* bytes of one allocation: from a label, else bytes / count if that is an
                           * integer; -1 = unknown */
    int64_t *value;       /* in the file's units */

    struct xpd_heap_mapping *mapping;
    uint32_t mapping_count;
    int64_t time_ns, duration_ns, period; /* 0 = not said */
    struct xpd_str period_unit;
    struct xpd_str *comment;
    uint32_t comment_count;
    bool is_jax; /* written by JAX: allocations and space, with kinds */
    bool cut;    /* the file is truncated */
    struct xpd_warnings warnings;
};

/* The intact part is in *out (zeroed by the caller), with warnings about the rest. XPD_EFORMAT
 * when there is no sample type and no sample, XPD_ELIMIT past the arena's budget, XPD_ENOMEM. */
int xpd_heap_load(struct xpd_pprof *out, struct xpd_arena *arena, const struct xpd_source *source,
                  struct xpd_err *err);

/* The type of this name ("inuse_space"), or the default type for ""; XPD_ENOTFOUND with the list of
 * types. */
int xpd_heap_find_type(const struct xpd_pprof *heap, struct xpd_str name, uint32_t *type,
                       struct xpd_err *err);
/* Values in the unit of the type's kind. */
int64_t xpd_heap_value(const struct xpd_pprof *heap, uint32_t sample, uint32_t type);

/* Whether a frame is of a library: Python's site-packages, dist-packages, /lib/python3.x/ and names
 * in
 * <...>; Go's own tree and modules; system and cargo sources; code without symbols. */
bool xpd_heap_is_library(const struct xpd_heap_frame *frame);

/* The step number in a file's name: the number after "step", else the last number. *begin and *size
 * are its position. False: no number. */
bool xpd_heap_step_of(struct xpd_str name, int64_t *step, size_t *begin, size_t *size);

/* A file of several. Files whose names differ in one number only are a series. */
struct xpd_heap_file {
    uint32_t input; /* its place in the run */
    struct xpd_str name;
    struct xpd_str series; /* its name with '#' for the number; its name when it is the only one */
    int64_t step;          /* -1 = no number in its name, or the only one of its series */
    const struct xpd_pprof *heap; /* NULL = not read yet, or unreadable */
    struct xpd_err error;
};
/* Fills series and step from the names, and sorts: series by series, steps rising; those without a
 * number by name. False: no memory. */
bool xpd_heap_sort_series(struct xpd_heap_file *file, uint32_t count, struct xpd_arena *arena);
/* Of sorted files: the first and the number of those in the series of one. */
uint32_t xpd_heap_series_of(const struct xpd_heap_file *file, uint32_t count, uint32_t of,
                            uint32_t *first);
/* The last file of the longest series. */
uint32_t xpd_heap_usual_file(const struct xpd_heap_file *file, uint32_t count);

#endif
