/* Internals of the store: slots of runs and modules, and ownership.
 *
 * Store lock: the list of slots, holders, states, byte counts, the queue, the catalog. Run lock
 * (slot->lock): the module slots. Everything in slot->run is written by one loader before the state
 * becomes READY and read-only afterwards. No lock is held over I/O or computation. */
#ifndef XPD_SESSION_INTERNAL_H
#define XPD_SESSION_INTERNAL_H

#include "xprofd/base/threads.h"
#include "xprofd/base/vec.h"
#include "xprofd/session/store.h"
#include <pthread.h>

#define XPD_LOADERS 2

enum xpd_slot_state { XPD_SLOT_QUEUED, XPD_SLOT_LOADING, XPD_SLOT_READY, XPD_SLOT_FAILED };
enum xpd_work_state { XPD_WORK_NONE, XPD_WORK_BUSY, XPD_WORK_DONE, XPD_WORK_FAILED };

struct xpd_module_from { /* location of a module's HloProto */
    uint32_t host;
    struct xpd_wire_range range; /* size UINT64_MAX = the whole file */
    const uint8_t *bytes;        /* kept copy (profiles that were inflated), NULL = read the file */
};

/* A table of the tools (side.c), under the run lock. */
struct xpd_side {
    struct xpd_side *next;
    uint64_t key;
    enum xpd_work_state state;
    struct xpd_arena arena;
    void *table;
};

struct xpd_module_slot { /* under the run lock */
    enum xpd_work_state hlo_state, mem_state;
    struct xpd_hlo *hlo;
    struct xpd_mem *mem;
    struct xpd_side *side; /* tables of the tools, side.c */
    bool ahead;            /* made, now or before, by their own thread */
    struct xpd_err hlo_error, mem_error;
    struct xpd_module_from from; /* set by the loader, read-only */
};

/* A search in the args of events (args_slot.c). */
struct xpd_args_slot { /* under the run lock, except the thread's progress */
    struct xpd_args_slot *next;
    char *key;
    size_t key_size;
    enum xpd_work_state state;
    struct xpd_err error;
    struct xpd_arg_hits *hits;
    uint32_t holders; /* answers being written, and the thread */
    int64_t used_ns;
    _Atomic int64_t asked_ns;
    _Atomic uint64_t done_bytes;
};

struct xpd_made { /* a part of a host (part.h), or on the way to be; under the run lock */
    struct xpd_made *next;
    const struct xpd_part_kind *kind;
    enum xpd_work_state state;
    struct xpd_err error;
    void *at; /* DONE */
};
struct xpd_trace_slot {           /* parts of one host, under the run lock */
    struct xpd_made *made;        /* a part comes before the parts it needs */
    struct xpd_progress progress; /* of reading the events */
    struct xpd_args_slot *args;   /* searches in args, args_slot.c */
};

/* The directory of one file: made once, then shared by the slots of a run that were asked for with
 * different hosts. Frozen. */
struct xpd_file {
    _Atomic uint32_t holders;
    struct xpd_xspace *space;
    struct xpd_arena arena; /* of the kept data of an inflated file: */
    const uint8_t **kept;   /* its programs, by their index; NULL = read the file */
};

struct xpd_host_part { /* one host of a slot */
    struct xpd_file *file;
    struct xpd_run_slot *lender; /* held: the slot that makes the parts of its events */
    uint32_t host;               /* there; without a lender the slot does it itself */
};

struct xpd_run_slot {
    struct xpd_run run; /* first: the public struct */

    /* store lock */
    struct xpd_run_slot *next, *queue_next;
    uint32_t holders; /* users, the loader, and jobs */
    uint32_t jobs;    /* those of them that make traces */
    bool listed;      /* acquire may find it */
    bool in_parts;    /* a part of it was asked for while it was being read */
    bool given_up;    /* FAILED because the whole was no longer requested */
    int64_t asked_ns; /* last acquire */
    enum xpd_slot_state state;
    struct xpd_err error; /* FAILED */
    uint64_t used_at;     /* store->clock at the last release */
    uint64_t bytes;       /* counted in store->memory_bytes */
    uint64_t fingerprint, checked_generation;
    int64_t checked_ms;
    int64_t folder_ns; /* when its folder last got or lost a file, as of the last look; 0 = none */
    char what[96];
    uint32_t parts_read;             /* hosts that others may take from run.host and part */
    const struct xpd_input *reading; /* NULL = none */

    struct xpd_store *store;
    char *id, *only;              /* only: the hosts to read, with commas between; "" = all */
    struct xpd_progress progress; /* of the file being read: of its bytes on the disk */
    struct xpd_progress inflated; /* of the pass over inflated bytes; only to stop it */
    _Atomic uint64_t before_bytes, all_bytes;

    /* the loader's while LOADING, then frozen */
    struct xpd_catalog *catalog; /* held */
    struct xpd_arena arena;
    struct xpd_warnings warnings;
    struct xpd_module_slot *module;
    struct xpd_host_part *part;   /* by host */
    struct xpd_trace_slot *trace; /* by host; after the last, all hosts */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct xpd_side *side; /* run lock: tables of the tools that belong to no module, side.c */
    bool default_known;    /* run lock */
    uint32_t default_module;
};

static inline struct xpd_run_slot *xpd_slot_of(const struct xpd_run *run)
{
    return (struct xpd_run_slot *)(uintptr_t)run; /* its first member */
}

struct xpd_store {
    char *root;
    const struct xpd_sample *sample;
    uint32_t sample_count;
    struct xpd_catalog *samples; /* one run each; NULL = none */
    struct xpd_catalog *base;    /* of base_root; NULL = none */
    struct xpd_scan_limits scan;
    uint64_t memory_limit_bytes;

    pthread_mutex_t lock;
    pthread_cond_t changed; /* states of slots, end of a scan */
    pthread_cond_t work;    /* the queue has something, or the end */
    struct xpd_run_slot *slot, *queue_first, *queue_last;
    struct xpd_catalog *catalog;
    struct xpd_paste *paste[XPD_PASTES_MAX]; /* newest first, held; NULL = none */
    uint64_t catalog_hash;
    int64_t scanned_ns; /* when the newest finished scan began */
    bool scanning, closing;
    uint64_t clock, memory_bytes, loads, evictions;
    uint32_t jobs, jobs_running; /* threads that make traces; those of them that work */
    pthread_t loader[XPD_LOADERS];
    int loader_count;
};

/* holds.c */
/* How many bytes a load may take now; unheld runs are evicted as long as that is less than
 * `wanted`. */
uint64_t xpd_store_room(struct xpd_store *store, uint64_t wanted);
/* Counts bytes for a slot, or with a negative delta gives them back. */
void xpd_store_account(struct xpd_store *store, struct xpd_run_slot *slot, int64_t delta);
/* The same for a buffer that grows: `now` bytes in the place of *counted, which becomes `now`. */
void xpd_store_account_to(struct xpd_store *store, struct xpd_run_slot *slot, uint64_t *counted,
                          uint64_t now);
/* A load has ended: wakes waiting requests and releases the loader's reference. */
void xpd_store_loaded(struct xpd_store *store, struct xpd_run_slot *slot, int rc,
                      const struct xpd_err *err);

/* For a second try: frees what a load made. */
void xpd_run_slot_clear(struct xpd_run_slot *slot);
void xpd_run_slot_free(struct xpd_run_slot *slot);

/* The hold of a job (jobs.c). */
void xpd_store_release_job(struct xpd_store *store, struct xpd_run_slot *slot);

/* files.c: data shared by slots of one run. */
/* The host's file, read by this slot: takes `space` over. False: out of memory. */
bool xpd_file_new(struct xpd_host_part *part, struct xpd_xspace *space);
/* The same file as another slot of the run has read it; false when none has. */
bool xpd_file_borrow(struct xpd_store *store, const struct xpd_run_slot *slot,
                     const struct xpd_input *input, struct xpd_host_part *part);
/* Others may take the hosts read so far, or none any more. */
void xpd_files_show(struct xpd_store *store, struct xpd_run_slot *slot);
void xpd_files_hide(struct xpd_store *store, struct xpd_run_slot *slot);
void xpd_file_release(struct xpd_file *file); /* NULL: none */
/* Is this host's profile to be read? */
bool xpd_only_has(const char *only, const char *host);
/* Whether the load of a whole should end, because only parts of it are wanted now; the slot can
 * then not be found any more. */
bool xpd_store_gives_up(struct xpd_store *store, struct xpd_run_slot *slot);

/* store_catalog.c */
/* A catalog whose scan began at or after `since_ns`. */
struct xpd_catalog *xpd_store_scan(struct xpd_store *store, int64_t since_ns);
int64_t xpd_now_ns(void);

/* pastes.c */
/* Those there are become the first runs of a fresh catalog, which no other thread has yet. False:
 * no memory. */
bool xpd_pastes_list(struct xpd_store *store, struct xpd_catalog *catalog);
void xpd_pastes_free(struct xpd_store *store);

/* samples.c: NULL = no memory. */
#define XPD_SAMPLE_PREFIX "sample:"
struct xpd_catalog *xpd_samples_catalog(const struct xpd_sample *sample, uint32_t count);

/* loader.c */
int xpd_loaders_start(struct xpd_store *store, struct xpd_err *err);
void xpd_loaders_stop(struct xpd_store *store);

/* run_slot.c */
struct xpd_run_slot *xpd_run_slot_new(struct xpd_store *store, struct xpd_str id,
                                      struct xpd_str only, struct xpd_catalog *catalog,
                                      const struct xpd_run_entry *entry);
/* Results of a load, except modules. */
uint64_t xpd_run_slot_bytes(const struct xpd_run_slot *slot);
bool xpd_run_files_changed(const struct xpd_run_entry *entry);
/* When the folder of the first input got or lost a file, since 1970; 0 = it has none. */
int64_t xpd_run_folder_ns(const struct xpd_run_entry *entry);

/* module_text.c: the same of an input that is text, in out->owned. */
int xpd_module_text_bytes(const struct xpd_input *input, uint64_t room, struct xpd_proto_bytes *out,
                          struct xpd_warnings *notes, struct xpd_err *err);

/* jobs.c */
/* A detached thread that calls run(argument) and holds the run until xpd_job_end, which it calls at
 * its end. Takes the store lock. */
bool xpd_job_start(struct xpd_store *store, struct xpd_run_slot *slot, void *(*run)(void *),
                   void *argument);
void xpd_job_end(struct xpd_store *store, struct xpd_run_slot *slot);
/* Around the work of a job: at most two work at a time. XPD_EBUSY when the store closes. */
int xpd_store_work_begin(struct xpd_store *store, const char *id, struct xpd_err *err);
void xpd_store_work_end(struct xpd_store *store);
/* One wait for slot->changed under the run lock, until then (< 0: for ever); false when the time is
 * over. */
bool xpd_slot_wait(struct xpd_run_slot *slot, int64_t until_ns);
/* Under the store lock, with store->closing set. */
void xpd_jobs_wait(struct xpd_store *store);

/* trace_slot.c */
/* Slot and host where the events of a host are made. */
static inline void xpd_lender(struct xpd_run_slot **slot, uint32_t *host)
{
    const struct xpd_host_part *part =
        *host < (*slot)->run.host_count ? &(*slot)->part[*host] : NULL;
    if (!part || !part->lender)
        return;
    *host = part->host;
    *slot = part->lender;
}

/* trace_made.c */
/* The entry of a part in the slot of a host, under its lock; made if new, with the parts it needs.
 * NULL: out of memory. */
struct xpd_made *xpd_made_place(struct xpd_trace_slot *trace, const struct xpd_part_kind *kind);
/* What is made of a host by now, NULL = not yet. Locks the run it was made in: the lender's lock
 * comes after the borrower's, which may be held. */
const void *xpd_made_of(struct xpd_run_slot *slot, uint32_t host, const struct xpd_part_kind *kind);
/* For a page that waits for that part of a host, or of all. Under the run lock. */
void xpd_made_state(struct xpd_run_slot *slot, uint32_t host, const struct xpd_part_kind *kind,
                    struct xpd_load_state *state);

/* holds.c */
void xpd_args_free(struct xpd_args_slot *args);
void xpd_trace_slots_clear(struct xpd_run_slot *slot);
/* Under the store lock, with store->closing set: asks the jobs of a slot to stop. */
void xpd_trace_jobs_stop(struct xpd_run_slot *slot);

/* join_slot.c: all hosts together (run->host_count as a host). */
/* Whether there is room for all. Asked before the first is read: those that are read stay as long
 * as the run does, and would leave no room for any one of the others. */
int xpd_join_room(struct xpd_store *store, struct xpd_run_slot *slot,
                  const struct xpd_part_kind *kind, struct xpd_err *err);
int xpd_join_make(struct xpd_store *store, struct xpd_run_slot *slot,
                  const struct xpd_part_kind *kind, void **made, struct xpd_err *err);

/* run_facts.c */
uint64_t xpd_host_events(const struct xpd_host *host);
/* Bytes of the files of a host, or of all, and the file's name or how many. */
uint64_t xpd_host_file_bytes(const struct xpd_run *run, uint32_t host);
void xpd_host_title(const struct xpd_run *run, uint32_t host, char *text, size_t size);

/* run_load.c */
int xpd_run_load(struct xpd_store *store, struct xpd_run_slot *slot, struct xpd_err *err);

/* run_facts.c: of a slot whose hosts and modules are read; `hlo_platform` as the programs of a dump
 * say, "" = not. */
void xpd_run_facts(struct xpd_run_slot *slot, const char *hlo_platform);

/* run_facts.c: modules of the loaded hosts into slot->run.module and slot->module. */
struct xpd_module_list;
struct xpd_module_list *xpd_module_list_new(struct xpd_run_slot *slot);
void xpd_module_list_free(struct xpd_module_list *list);
uint32_t xpd_module_list_count(const struct xpd_module_list *list);
/* A program found on a host; one with a known key only adds the host. False: out of memory. */
bool xpd_module_list_add(struct xpd_module_list *list, const struct xpd_module *module,
                         const struct xpd_module_from *from);
bool xpd_module_list_has(const struct xpd_module_list *list, const char *key);
bool xpd_module_list_finish(struct xpd_module_list *list);

#endif
