/* What the scan of one folder finds, before it is turned into runs (classify.c). */
#ifndef XPD_SESSION_SCAN_H
#define XPD_SESSION_SCAN_H

#include "xprofd/base/vec.h"
#include "xprofd/session/catalog.h"

#define XPD_FOUND_MAX 20 /* files near that are no profile */

enum xpd_name_class { /* by name only */
                      XPD_NAME_OTHER,
                      XPD_NAME_XPLANE,          /* *.xplane.pb[.gz] */
                      XPD_NAME_HLO_PROTO,       /* *.hlo_proto.pb[.gz] */
                      XPD_NAME_HLO_DUMP,        /* *.hlo.pb[.gz] */
                      XPD_NAME_HEAP,            /* *.prof, *.pprof[.gz], when it begins as one */
                      XPD_NAME_HLO_TEXT,        /* a module as XLA prints it, see dump_names.h */
                      XPD_NAME_ASSIGNMENT_TEXT, /* *buffer-assignment.txt[.gz] */
                      XPD_NAME_LIVE_RANGE_TEXT, /* *live-range.txt[.gz] */
                      XPD_NAME_TEXT,            /* another *.txt: its first bytes decide */
                      XPD_NAME_ERROR_TEXT,      /* error.txt */
                      XPD_NAME_CACHE,           /* files that XProf writes beside profiles */
                      XPD_NAME_NEAR             /* similar to a profile */
};

struct xpd_scan_file {
    const char *name; /* in the catalog's arena */
    const char *path;
    struct xpd_identity identity;
    enum xpd_name_class name_class;
    const char *problem;
    const struct xpd_archive_entry *entry; /* as in struct xpd_input */
    const struct xpd_identity *archive;
};

struct xpd_scan_folder {
    const char *relative; /* to the root, "" = the root itself */
    const char *path;
    int64_t mtime_ns;
    XPD_VEC(struct xpd_scan_file) file;      /* candidates only */
    const struct xpd_scan_file *error_above; /* error.txt one level up, NULL = none */
};

struct xpd_near { /* candidate for catalog->found */
    const char *relative, *path;
    uint32_t depth;
};

struct xpd_folder_scan { /* the scan under way */
    struct xpd_catalog *catalog;
    struct xpd_scan_limits limit;
    const char *real_root; /* resolved, for links; in the catalog's arena */
    XPD_VEC(struct xpd_run_entry) run;
    struct xpd_near near[XPD_FOUND_MAX];
    uint32_t near_count;
    uint32_t inside_runs; /* how many folders above this one are runs */
    bool failed;          /* out of memory */
};

enum xpd_name_class xpd_name_classify(struct xpd_str name);
/* Whether a file belongs to a run by its name. */
bool xpd_name_is_input(enum xpd_name_class name_class);
/* Whether a file begins as a pprof profile does, gzip or not: Python's cProfile writes *.prof, too.
 */
bool xpd_scan_begins_as_pprof(int folder_fd, const char *name);
/* Adds the folder's run; false when it is none. */
bool xpd_scan_add_folder(struct xpd_folder_scan *scan, struct xpd_scan_folder *folder);
/* The root is one file. */
void xpd_scan_add_file(struct xpd_folder_scan *scan, struct xpd_scan_file *file);
void xpd_scan_add_near(struct xpd_folder_scan *scan, const char *relative, const char *path);
/* Forgets the files directly in this folder: beside a profile they are not mistaken for one. */
void xpd_scan_drop_near(struct xpd_folder_scan *scan, const char *folder);
/* Walks the tree below an open folder; closes it. */
void xpd_scan_tree(struct xpd_folder_scan *scan, int root_fd);

/* The root is an archive: its files by folder. */
void xpd_scan_archive(struct xpd_folder_scan *scan);

/* Labels and leads of all runs, once their ids stand in order; false without memory. */
bool xpd_name_runs(struct xpd_catalog *catalog);

/* Does this file begin as an HLO module in text? */
bool xpd_file_is_module_text(int folder_fd, const char *name);

/* A sentence for a file that cannot be read, NULL when it can: 0 bytes, no permission. */
const char *xpd_file_problem(int folder_fd, const char *name, uint64_t size_bytes);

#endif
