/* Load-once store: a run is read at most once, regardless of the number of clients, and kept within
 * a byte budget (least recently used goes first, never while held).
 *
 * acquire starts the load on a worker thread and either waits for it (up to wait_ms) or answers
 * XPD_EBUSY with the progress. What it hands out is frozen. Modules and their analyses are made
 * once, on first demand, by the first caller; others wait for it. A file that changed on disk is
 * reloaded on the next acquire; a read of a changed file fails with XPD_ECHANGED; old and new data
 * are never mixed. Lock order: store, then run; neither is held over I/O or computation. */
#ifndef XPROFD_SESSION_STORE_H
#define XPROFD_SESSION_STORE_H

#include "xprofd/hlo/module.h"
#include "xprofd/memory/memory.h"
#include "xprofd/profile/xspace.h"
#include "xprofd/session/catalog.h"
#include "xprofd/session/part.h"
#include "xprofd/trace/args.h"
#include "xprofd/trace/derived.h"
#include "xprofd/trace/op_runs.h"

struct xpd_store;

struct xpd_store_options {
    uint64_t memory_limit_bytes; /* 0 = half of the machine's memory, 5/8 of the cgroup's */
    struct xpd_scan_limits scan;
    const struct xpd_sample *sample; /* static; may be acquired beside the runs, never listed */
    uint32_t sample_count;
    const char *base_root; /* a second root, scanned once: its runs may be acquired as "base:" and
                            * their id, and are never listed; NULL = none */
};

struct xpd_host { /* one input of a run, loaded */
    const char *name;
    const struct xpd_input *input;
    struct xpd_xspace *space; /* NULL for HLO files and when it could not be read */
    struct xpd_err error;     /* code XPD_OK when it was read */
};

struct xpd_module {  /* one program; the same key on several hosts is one module */
    const char *key; /* "<name>(<program id>)"; for dumps the file stem (unique in the run) */
    const char *name;
    uint64_t program_id;
    uint32_t *host; /* indexes of the hosts that have it, first = where it is read from */
    uint32_t host_count;
    uint32_t unlike_host; /* in run->host: the first whose HLO of this key has another size, so that
                             its operations may be others; XPD_NO_INDEX = none */
    uint64_t run_count;   /* executions over all hosts and devices; see run_count_known */
    bool run_count_known; /* false: run_count is a lower bound, 0 = no sign that it ran */
    uint64_t proto_bytes;
    bool failed_to_compile; /* a dump whose error text names this module */
};

struct xpd_run {
    const struct xpd_run_entry *entry; /* in *catalog, which the run holds */
    struct xpd_host *host;
    uint32_t host_count;
    struct xpd_module *module; /* sorted by key as strings */
    uint32_t module_count;
    const char *platform;    /* "tpu", "gpu", "cpu", "" */
    const char *device_type; /* "TPU v6 Lite", ... or "" */
    const char *versions;    /* compiler versions from the first host that has them, or "" */
    uint32_t device_count;
    int64_t
        capacity_bytes; /* as its profiles say, -1 = they do not (tools/common/common_capacity.c) */
    const char *capacity_from;
    bool capacity_nominal;             /* from the table of chips, by the name of the device */
    const char *error_text;            /* content of error.txt of a dump, or NULL */
    const struct xpd_input **left_out; /* profiles of hosts that `only` leaves out */
    uint32_t left_out_count;
    uint64_t event_count;   /* of devices and hosts, of the files that could be read */
    bool has_events;        /* any of them */
    bool has_memory_events; /* MemoryAllocation events */
    struct xpd_warnings
        *warnings; /* of the whole run: damaged files, dropped events, 0-byte files */
};

struct xpd_load_state { /* for 202 answers */
    uint64_t done_bytes, total_bytes;
    char what[96]; /* "reading host0.xplane.pb" */
};

/* Reads only the list of runs of base_root. `options`: NULL = the defaults. XPD_ENOMEM. */
int xpd_store_open(struct xpd_store **out, const char *root,
                   const struct xpd_store_options *options, struct xpd_err *err);
void xpd_store_close(struct xpd_store *store); /* stops loaders; all runs must have been released */

/* The newest catalog, rescanned when the last scan is older than max_age_ms. Release it. */
struct xpd_catalog *xpd_store_catalog(struct xpd_store *store, int64_t max_age_ms);

/* The samples, in the order given. */
const struct xpd_sample *xpd_store_samples(const struct xpd_store *store, uint32_t *count);

/* Keeps an HLO module in text (from `compiled.as_text()`) in memory as a run, listed in every later
 * catalog until four newer ones exist. Equal texts are one run. Only its first words are read now.
 * XPD_ELIMIT above 16 MiB, XPD_EINVAL for another text. */
int xpd_store_paste(struct xpd_store *store, struct xpd_str text, char id[XPD_PASTE_ID_BYTES],
                    struct xpd_err *err);

/* What lies in base_root, by ids that begin with "base:"; NULL without one. The store's own. */
#define XPD_BASE_PREFIX "base:"
const struct xpd_catalog *xpd_store_base(const struct xpd_store *store);

/* XPD_OK: *run is held until xpd_store_release. XPD_EBUSY: still loading, *state has the progress.
 * XPD_ENOTFOUND: no such run. wait_ms < 0 waits without limit. */
int xpd_store_acquire(struct xpd_store *store, struct xpd_str run_id, int wait_ms,
                      const struct xpd_run **run, struct xpd_load_state *state,
                      struct xpd_err *err);
/* The same of a part of the run: the profiles of the hosts named in `only` (separated by commas, ""
 * = all) and no others are read; XPD_ENOTFOUND for a host that the run does not have. Each
 * selection is a separate run beside the whole, but they share data: a file is read once, and so
 * are the events of a host. A request for the whole always gets the whole. Reading the whole is
 * abandoned only if a selection was requested since and the whole was not requested for
 * XPD_GIVE_UP_MS; the next request restarts it with the data of the selections. */
#define XPD_GIVE_UP_MS 2000
int xpd_store_acquire_part(struct xpd_store *store, struct xpd_str run_id, struct xpd_str only,
                           int wait_ms, const struct xpd_run **run, struct xpd_load_state *state,
                           struct xpd_err *err);
/* One more reference to a held run, for an answer that outlives the request. */
void xpd_store_hold(struct xpd_store *store, const struct xpd_run *run);
/* Releases one reference; data borrowed from the run must not be used afterwards. */
void xpd_store_release(struct xpd_store *store, const struct xpd_run *run);

/* How far the files of a run are, without starting anything; texts and columns in `arena`. */
enum xpd_file_state {
    XPD_FILE_WAITS,
    XPD_FILE_READING,
    XPD_FILE_READ,
    XPD_FILE_UNREADABLE,
    XPD_FILE_LEFT_OUT
};
struct xpd_file_progress {
    const char *name, *host;
    uint64_t size_bytes, done_bytes; /* on the disk; done: of the directory pass */
    enum xpd_file_state state;
    bool counted;             /* the two below; of a file being read: so far */
    uint64_t events, modules; /* that its directory names */
    /* Reading the columns of its events, which begins on the first request: bytes of the
     * uncompressed file. Both 0: not requested, or no events. */
    uint64_t events_done_bytes, events_total_bytes;
    bool events_read;
};
enum xpd_run_state { XPD_RUN_NOT_LOADED, XPD_RUN_WAITS, XPD_RUN_LOADING, XPD_RUN_LOADED };
struct xpd_run_progress {
    enum xpd_run_state state;
    char what[96]; /* "" when nothing is being read */
    struct xpd_file_progress *file;
    uint32_t file_count;
};
/* XPD_ENOTFOUND: no such run in the newest catalog. */
int xpd_store_progress(struct xpd_store *store, struct xpd_str run_id, struct xpd_str only,
                       struct xpd_arena *arena, struct xpd_run_progress *out, struct xpd_err *err);

/* The module's HLO and memory analysis, made on first demand; valid as long as the run is held.
 * `mem` may be NULL when only the HLO is wanted. */
int xpd_store_module(struct xpd_store *store, const struct xpd_run *run, uint32_t module,
                     const struct xpd_hlo **hlo, const struct xpd_mem **mem, struct xpd_err *err);
/* A table that tools derive from a module and its analysis (XPD_NO_INDEX: from the run, with or
 * without modules): made once, by the first caller, then frozen; valid as long as the run is
 * held and counted against the memory limit. `make` fills *table (zeroed, `size` bytes) with
 * memory of the arena only; it may request other tables. NULL: only an existing table, else
 * XPD_EBUSY. */
struct xpd_side_want {
    uint64_t key; /* equal keys are the same table */
    size_t size;
    int (*make)(void *table, struct xpd_arena *arena, const void *of, struct xpd_err *err);
    const void *of;
};
int xpd_store_side(struct xpd_store *store, const struct xpd_run *run, uint32_t module,
                   const struct xpd_side_want *want, const void **table, struct xpd_err *err);
/* Starts a thread of low priority that calls work(), once a module; the run is held until it
 * returns. It should return soon after xpd_store_closing. */
typedef void xpd_side_work(struct xpd_store *store, const struct xpd_run *run, uint32_t module);
void xpd_store_side_ahead(struct xpd_store *store, const struct xpd_run *run, uint32_t module,
                          xpd_side_work *work);
/* Whether xpd_store_close waits for threads. */
bool xpd_store_closing(struct xpd_store *store);
/* The HloProto of a module, read again from its file (or borrowed from the run); valid as long as
 * the run is held. Always free it; XPD_ECHANGED if the file was replaced. */
struct xpd_proto_bytes {
    const uint8_t *at;
    size_t size;
    uint8_t *owned; /* NULL = borrowed */
};
int xpd_store_module_bytes(struct xpd_store *store, const struct xpd_run *run, uint32_t module,
                           struct xpd_proto_bytes *out, struct xpd_err *err);
void xpd_proto_bytes_free(struct xpd_proto_bytes *bytes);
/* By key, else by name if unique, else XPD_ENOTFOUND with the list of
 * modules. */
int xpd_run_find_module(const struct xpd_run *run, struct xpd_str key, uint32_t *module,
                        struct xpd_err *err);
/* By name, else XPD_ENOTFOUND with the list of hosts. */
int xpd_run_find_host(const struct xpd_run *run, struct xpd_str name, uint32_t *host,
                      struct xpd_err *err);
/* Why a run has no modules: a damaged file, else that none was captured. Never XPD_OK. */
int xpd_run_no_modules(const struct xpd_run *run, struct xpd_err *err);
/* The default: largest peak (all spaces of the device, colour 0 first) among those that ran, else
 * among all; loads every module of the run. */
int xpd_store_default_module(struct xpd_store *store, const struct xpd_run *run, uint32_t *module,
                             struct xpd_err *err);
/* The same of the modules of one host; XPD_ENOTFOUND when none of them can be read. */
int xpd_store_default_on_host(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                              uint32_t *module, struct xpd_err *err);
bool xpd_module_is_on_host(const struct xpd_module *module, uint32_t host);
/* Whether a host can have run a module: its file holds it, or no program at all. Each host counts
 * its programs by itself: of two hosts, two programs may have one id. True where `host` is none. */
bool xpd_module_may_run_on(const struct xpd_run *run, uint32_t module, uint32_t host);

/* A part of a host (part.h): the events, the rows derived from them, their flows, the times
 * of instructions, their executions, or what a caller describes. Made once, by a thread of
 * its own that the first caller starts, counted against the memory limit, valid as long as
 * the run is held. Waits up to wait_ms (< 0: without limit), then XPD_EBUSY with *state (may
 * be NULL). Needed parts are started too. XPD_ENOTFOUND: no such host, or one without a
 * profile.
 *
 * With xpd_run_all_hosts(run) instead of a host: joined over all hosts with events
 * (trace/hosts/join.h), whose parts are made first. Parts that exist for one host only:
 * XPD_EINVAL. */
static inline uint32_t xpd_run_all_hosts(const struct xpd_run *run)
{
    return run->host_count;
}
bool xpd_host_has_events(const struct xpd_host *host);
/* Hosts that have events. */
uint32_t xpd_run_traced_hosts(const struct xpd_run *run);

int xpd_store_part(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                   const struct xpd_part_kind *kind, int wait_ms, const void **made,
                   struct xpd_load_state *state, struct xpd_err *err);
int xpd_store_trace(struct xpd_store *store, const struct xpd_run *run, uint32_t host, int wait_ms,
                    const struct xpd_trace **trace, struct xpd_load_state *state,
                    struct xpd_err *err);
int xpd_store_derived(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                      int wait_ms, const struct xpd_derived **derived, struct xpd_load_state *state,
                      struct xpd_err *err);
int xpd_store_flows(struct xpd_store *store, const struct xpd_run *run, uint32_t host, int wait_ms,
                    const struct xpd_flows **flows, struct xpd_load_state *state,
                    struct xpd_err *err);
/* These two exist for one host only. */
int xpd_store_op_times(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                       int wait_ms, const struct xpd_op_times **times, struct xpd_load_state *state,
                       struct xpd_err *err);
int xpd_store_op_runs(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                      int wait_ms, const struct xpd_op_runs **runs, struct xpd_load_state *state,
                      struct xpd_err *err);
/* The same, for a part that needs it. */
extern const struct xpd_part_kind xpd_part_trace, xpd_part_derived, xpd_part_flows,
    xpd_part_op_times, xpd_part_op_runs;

/* A search in the args of a host's events (trace/args.h), made once for a key, in its own thread
 * that gives up after 5 seconds without a request. The last few results of a host are kept. `open`
 * makes the matcher from the key alone, in that thread. Waits and answers as xpd_store_trace; give
 * the result back with xpd_store_args_release before the run. */
struct xpd_args_want {
    struct xpd_str key;
    int (*open)(struct xpd_str key, struct xpd_arg_match *match, struct xpd_err *err);
    void (*close)(struct xpd_arg_match *match);
};
int xpd_store_args(struct xpd_store *store, const struct xpd_run *run, uint32_t host,
                   const struct xpd_args_want *want, int wait_ms, const struct xpd_arg_hits **hits,
                   struct xpd_load_state *state, struct xpd_err *err);
void xpd_store_args_release(const struct xpd_run *run, uint32_t host,
                            const struct xpd_arg_hits *hits);

struct xpd_store_stats {
    uint64_t memory_bytes, memory_limit_bytes, loads, evictions;
    uint32_t runs_loaded, runs_held;
};
void xpd_store_stats(struct xpd_store *store, struct xpd_store_stats *out);

#endif
