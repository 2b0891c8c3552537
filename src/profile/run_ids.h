/* Counting runs of programs by their events (run_ids.c), and what the tables of a plane say of them
 * (run_ids_names.c). */
#ifndef XPD_PROFILE_RUN_IDS_H
#define XPD_PROFILE_RUN_IDS_H

#include "plane.h"

/* The stats that tell of a run. */
enum { XPD_RUN_PROGRAM, XPD_RUN_ID, XPD_RUN_DEVICE, XPD_RUN_MODULE, XPD_RUN_STATS };

#define XPD_RUN_SHARED (XPD_NO_INDEX - 1) /* several programs have that name */

struct xpd_run_seen { /* of one program */
    uint64_t pairs, launches;
    bool kernels; /* an event of it without a run */
};

struct xpd_run_event { /* what one event says */
    uint64_t metadata_id, value[XPD_RUN_STATS];
    bool has[XPD_RUN_STATS];
};

struct xpd_run_scan {
    struct xpd_reader *reader;
    struct xpd_run_seen *seen; /* by index in reader->hlo */
    struct xpd_map64 of_name;  /* name of a module -> index; XPD_RUN_SHARED when several have it */
    struct xpd_map64 pair_set; /* hashes of program, device and run */
    struct xpd_map64 runs, known_runs; /* run ids: all, those of a known program */
    bool any_launch, gave_up;
    uint64_t bytes_left;
    /* of the plane being read */
    uint64_t plane_id, stat_id[XPD_RUN_STATS];
    bool has_stat[XPD_RUN_STATS], any_stat;
    uint64_t wanted_low; /* bit n: the stat id n is one of them */
    bool wanted_high;    /* one of them is 64 or more */
    struct xpd_run_event
        last; /* events of a run stand together: what was just seen is not looked up */
    struct xpd_map64 module_text; /* stat metadata id, a text that names a module -> index */
    struct xpd_map64 launch;      /* event metadata id -> index */
};

/* scan->of_name, of all programs. */
void xpd_run_index_names(struct xpd_run_scan *scan);
/* What `scan` knows of the plane being read, but for its id. */
int xpd_run_read_names(struct xpd_run_scan *scan, struct xpd_wire_range plane, struct xpd_err *err);

#endif
