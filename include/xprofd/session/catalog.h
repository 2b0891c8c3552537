/* The runs, hosts and files in the logdir, found by a bounded scan that never follows a link out of
 * the root and never writes.
 *
 * Accepts a logdir, plugins/profile, a run folder, one file (.xplane.pb, .hlo_proto.pb, .hlo.pb,
 * HLO text, each also .gz), a pprof file or a folder of them, a folder of XLA dumps (protos, or the
 * text that XLA writes by default), and any tree of those. A catalog is immutable and
 * reference-counted; rescans make a new one. Ids, never paths, leave this layer.
 */
#ifndef XPROFD_SESSION_CATALOG_H
#define XPROFD_SESSION_CATALOG_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/str.h"
#include "xprofd/wire/archive.h"
#include "xprofd/wire/source.h"

enum xpd_input_format {
    XPD_INPUT_XPLANE,      /* <host>.xplane.pb */
    XPD_INPUT_HLO_PROTO,   /* <module>.hlo_proto.pb, *.hlo.pb */
    XPD_INPUT_HEAP,        /* *.prof, *.pprof: a pprof file (heap/heap.h) */
    XPD_INPUT_HLO_TEXT,    /* a module as XLA prints it: *after_optimizations.txt, *.hlo */
    XPD_INPUT_REPORT_TEXT, /* XLA's report on the memory of such a module */
    XPD_INPUT_ERROR_TEXT   /* error.txt beside a dump: the message of a program that did not compile
                            */
};

struct xpd_input {
    const char *path;     /* for opening; never printed to a client */
    const uint8_t *bytes; /* in memory, of identity.size_bytes; NULL = a file: a sample in the
                             program, as gzip, or a text that was pasted */
    const char *name;     /* last part */
    const char *host;     /* file stem for xplane files; "" for dumps */
    enum xpd_input_format format;
    struct xpd_identity identity;
    const char
        *problem; /* why it cannot be opened (permission, 0 bytes, dangling link), NULL = none */
    /* Of XPD_INPUT_HLO_TEXT: its buffer assignment and live ranges, other inputs of the run; NULL =
     * none. */
    const struct xpd_input *assignment, *live_range;
    const struct xpd_archive_entry *entry; /* in the archive `path`; NULL = `path` is the file */
    const struct xpd_identity *archive;    /* of that archive when it was listed */
};

/* XPD_RUN_HEAP: the pprof files of one folder, by series and step (xpd_heap_order). */
enum xpd_run_kind { XPD_RUN_PROFILE, XPD_RUN_DUMP, XPD_RUN_FILE, XPD_RUN_HEAP };

struct xpd_run_entry {
    const char *id;           /* run name: session, or sub/dirs/session; unique */
    const char *folder;       /* id without its last part, "" at the top */
    const char *name;         /* last part */
    const char *label;        /* the shortest unique form of the id: "a/…/run" */
    const char *lead;         /* of a dump: id of the profile (else dump) of the same experiment, by
                               * their folders; NULL = none or unknown. Whether both hold the same
                               * program is not checked here. */
    uint64_t kin_fingerprint; /* of all runs of that experiment: a change of one changes it */
    bool emptied; /* it had files in an earlier scan of the same store, and has none now */
    enum xpd_run_kind kind;
    int64_t mtime_ms; /* newest input */
    uint64_t size_bytes;
    struct xpd_input *input;
    uint32_t input_count;
    uint64_t fingerprint; /* of names and identities: a changed run has another one */
};

struct xpd_found_file { /* for the empty page: a file similar to a profile */
    const char *name;   /* relative to the root */
    const char *what;   /* one sentence: kind of file, why it is not enough */
};

#define XPD_PASTES_MAX       4 /* the oldest is removed when one more comes */
#define XPD_PASTE_MAX_BYTES  (16 << 20)
#define XPD_PASTE_PREFIX     "pasted:" /* of their ids */
#define XPD_PASTE_NAME_BYTES 64
#define XPD_PASTE_ID_BYTES   96
struct xpd_paste;
void xpd_paste_release(struct xpd_paste *paste); /* NULL is legal */

struct xpd_catalog {
    struct xpd_arena arena;
    _Atomic uint32_t holders;
    uint64_t generation;
    const char *root;          /* as the user gave it (shown in the page) */
    const char *root_problem;  /* does not exist, not readable; NULL = fine */
    struct xpd_run_entry *run; /* pasted texts first; then by id descending, as in XProf */
    uint32_t run_count;
    uint32_t folder_count, file_count, links_skipped, unreadable_folders;
    bool stopped_at_limit;
    const char *limit_text; /* which limit, where, which option raises it */
    int64_t scan_ms;
    struct xpd_found_file *found;
    uint32_t found_count;
    struct xpd_paste *paste[XPD_PASTES_MAX]; /* held: texts of its runs */
    const char **gone; /* ids of runs that earlier scans of the same store found */
    uint32_t gone_count;
};

struct xpd_scan_limits {
    uint32_t max_depth;   /* 0 = default 12 */
    uint32_t max_folders; /* 0 = default 20,000 */
    uint32_t max_files;   /* 0 = default 200,000 */
};

/* Opens the file that the scan saw: XPD_ECHANGED if it was replaced or removed. The caller checks
 * `problem`. `watch` may be NULL (wire/source.h). */
int xpd_input_open(const struct xpd_input *input, uint64_t inflate_limit_bytes,
                   const struct xpd_source_watch *watch, struct xpd_source **out,
                   struct xpd_err *err);

/* A profile that the program carries; its run's id is "sample:" and its name. */
struct xpd_sample {
    const char *name;
    const char *title, *shows; /* a few words; one sentence */
    const uint8_t *gzip;
    uint64_t gzip_bytes, file_bytes;
};

/* Walks the tree below `root`. `limits`: NULL or members of 0 = the defaults. Unreadable entries
 * are counted in the result; the only error is XPD_ENOMEM. The caller holds *out once. */
int xpd_catalog_scan(struct xpd_catalog **out, const char *root,
                     const struct xpd_scan_limits *limits, uint64_t generation,
                     struct xpd_err *err);
/* Catalogs are counted and never change: one more hold, and one less (the last one frees it). */
struct xpd_catalog *xpd_catalog_hold(struct xpd_catalog *catalog);
void xpd_catalog_release(struct xpd_catalog *catalog);
/* Ids of the first runs for a message, "a, b, c, ...", those that contain `like` first;
 * `room` is at least 16. */
void xpd_catalog_names(const struct xpd_catalog *catalog, struct xpd_str like, char *out,
                       size_t room);
/* Why a run has nothing to read: its folder is empty, or was emptied since; NULL = it has files. */
const char *xpd_run_no_files(const struct xpd_run_entry *run);
/* By id; NULL when there is no such run. Lives as long as the catalog. */
const struct xpd_run_entry *xpd_catalog_find(const struct xpd_catalog *catalog, struct xpd_str id);

#endif
