/* XSpace directory: planes, lines, counts and metadata of one .xplane.pb, frozen.
 *
 * One length-skipping pass over the file (memory: the window), any size. Event payloads are not
 * decoded here: a line keeps its byte range and event count, so that columns can be read later.
 * Wire schema: XSpace{planes 1, errors 2, warnings 3, hostnames 4}, XPlane{id 1, name 2, lines 3,
 * event_metadata 4, stat_metadata 5, stats 6}, XLine{id 1, display_id 10, name 2, display_name 11,
 * timestamp_ns 3, duration_ps 9, events 4}, XEventMetadata{id 1, name 2, metadata 3, display_name
 * 4, stats 5}, XStat{metadata_id 1, double 2, uint64 3, int64 4, str 5, bytes 6, ref 7}. */
#ifndef XPROFD_PROFILE_XSPACE_H
#define XPROFD_PROFILE_XSPACE_H

#include "xprofd/base/intern.h"
#include "xprofd/base/warnings.h"
#include "xprofd/wire/source.h"
#include "xprofd/wire/window.h"
#include <stdatomic.h>

struct xpd_line {
    int64_t id, display_id, timestamp_ns, duration_ps;
    xpd_name_id name, display_name;
    uint64_t event_count;
    struct xpd_wire_range range; /* of the XLine message in the file; as far as it is whole */
    bool cut;                    /* it ends before its end: the file is cut or damaged there */
};

enum xpd_stat_type {
    XPD_STAT_NONE,
    XPD_STAT_DOUBLE,
    XPD_STAT_UINT,
    XPD_STAT_INT,
    XPD_STAT_TEXT,
    XPD_STAT_BYTES
};
/* A whole number, of either sign. */
static inline bool xpd_stat_is_integer(enum xpd_stat_type type)
{
    return type == XPD_STAT_INT || type == XPD_STAT_UINT;
}
struct xpd_stat { /* of a plane or of event metadata; refs are resolved to text */
    xpd_name_id name;
    enum xpd_stat_type type;
    double real;
    int64_t integer;             /* INT; UINT reinterpreted */
    xpd_name_id text;            /* TEXT */
    struct xpd_wire_range bytes; /* BYTES: left in the file */
};

struct xpd_plane {
    int64_t id;
    xpd_name_id name;
    struct xpd_line *line;
    uint32_t line_count;
    uint64_t event_count;
    struct xpd_stat *stat;
    uint32_t stat_count;
    struct xpd_wire_range range;
    /* From the first entry of each map to behind its last; other fields may stand between. */
    struct xpd_wire_range event_metadata, stat_metadata;
};

/* One HloProto found in the plane "/host:metadata". */
struct xpd_hlo_ref {
    xpd_name_id key;  /* "<module name>(<program id, unsigned>)" */
    xpd_name_id name; /* module name */
    uint64_t program_id;
    struct xpd_wire_range bytes; /* of the HloProto in the file */
    /* Executions, one for each device that ran it: events on the "XLA Modules" lines of device
     * planes, else from the runtime's events (run_ids.c). Not 0: it ran. If not exact, a lower
     * bound. */
    uint64_t run_count;
    bool run_count_known;
};

struct xpd_xspace {
    struct xpd_arena arena;
    struct xpd_intern names;
    struct xpd_warnings warnings;
    uint64_t file_bytes;
    uint64_t read_until;  /* bytes that could be used; < file_bytes or < whole_bytes when damaged */
    uint64_t whole_bytes; /* minimum size of the whole file by its length fields */
    bool complete;
    struct xpd_plane *plane;
    uint32_t plane_count;
    struct xpd_hlo_ref *hlo;
    uint32_t hlo_count;
    xpd_name_id *hostname, *error, *warning; /* XSpace.hostnames / errors / warnings */
    uint32_t hostname_count, error_count, warning_count;
    xpd_name_id device_type;   /* plane stat device_type_string, 0 = none */
    xpd_name_id versions;      /* "jax 0.10.2, jaxlib 0.10.2": what compiled it; 0 = not said */
    const char *platform;      /* "tpu", "gpu", "cpu" or "" by device plane names and HLO */
    uint32_t device_count;     /* device planes */
    int64_t capacity_bytes;    /* from plane stats or allocation events; -1 unknown */
    const char *capacity_from; /* which, static text */
    bool capacity_nominal;     /* the chip's, from the table by its name */
    bool has_memory_events;    /* "/host:CPU" knows MemoryAllocation events */
};

struct xpd_progress { /* written by the loader, read by any thread */
    _Atomic uint64_t done_bytes, total_bytes;
    _Atomic uint64_t events, modules; /* of the planes that are read, in the directory pass */
    _Atomic bool stop;                /* asks the loader to give up */
};

/* What kind of file the first bytes are; for messages and for choosing a reader. */
enum xpd_file_kind {
    XPD_FILE_EMPTY,
    XPD_FILE_XSPACE,
    XPD_FILE_HLO_PROTO,
    XPD_FILE_HLO_MODULE,
    XPD_FILE_PPROF,
    XPD_FILE_HEAP_TEXT, /* gperftools' and jemalloc's text form */
    XPD_FILE_CPU_WORDS, /* gperftools' CPU profile: machine words */
    XPD_FILE_TRACE_JSON,
    XPD_FILE_HTML,
    XPD_FILE_TEXT,
    XPD_FILE_HLO_TEXT,        /* begins with "HloModule " */
    XPD_FILE_MLIR,            /* text of StableHLO, MHLO or another dialect */
    XPD_FILE_ASSIGNMENT_TEXT, /* XLA's report of a buffer assignment */
    XPD_FILE_ASSIGNMENT,      /* a bare BufferAssignmentProto */
    XPD_FILE_UTF8_MANGLED,
    XPD_FILE_RIEGELI,
    XPD_FILE_SSTABLE,
    XPD_FILE_UNKNOWN
};
/* By the first bytes alone; XPD_FILE_UNKNOWN also if they cannot be read. */
enum xpd_file_kind xpd_file_kind_of(const struct xpd_source *source);
/* One sentence for a person: what the file is and what to do instead; NULL for kinds we open. */
const char *xpd_file_kind_advice(enum xpd_file_kind kind);

/* Reads the directory. A truncated file gives its intact part, with complete = false and a warning
 * that names the byte. XPD_EFORMAT: nothing could be read; XPD_ELIMIT over the budget; XPD_EBUSY:
 * stopped through `progress`; XPD_ECHANGED, XPD_EIO, XPD_ENOMEM. Free with xpd_xspace_free. */
int xpd_xspace_load(struct xpd_xspace **out, const struct xpd_source *source,
                    struct xpd_progress *progress, uint64_t arena_budget_bytes,
                    struct xpd_err *err);
/* The same with 1 or 2 threads; 0 = 2 if the machine has them and the file is large. Errors as in
 * xpd_xspace_load. */
int xpd_xspace_load_by(struct xpd_xspace **out, const struct xpd_source *source, uint32_t threads,
                       struct xpd_progress *progress, uint64_t arena_budget_bytes,
                       struct xpd_err *err);
void xpd_xspace_free(struct xpd_xspace *space);
uint64_t xpd_xspace_memory_bytes(const struct xpd_xspace *space);

/* Key fields of a file with one HloProto, without loading it: for lists of dump files. */
struct xpd_hlo_outline {
    char name[512];       /* of the module, cut to fit */
    uint64_t module_id;   /* HloModuleProto.id */
    const char *platform; /* "tpu", "gpu", "cpu" or "" */
    bool has_assignment;
};
/* `bare`: the file is an HloModuleProto (XPD_FILE_HLO_MODULE). XPD_EFORMAT without a module name.
 */
int xpd_hlo_outline(struct xpd_hlo_outline *out, const struct xpd_source *source, bool bare,
                    struct xpd_err *err);

/* The number of "name(digits)", as a TPU's rows call a run of a program; false, and the number as
 * it was, when the text has no such end. */
bool xpd_name_program_id(struct xpd_str text, uint64_t *program_id);

#endif
