/* The doctor: what makes a program's peak high and its runs long, and what each change would save.
 *
 * Pure functions over a frozen analysis: findings D01-D30, one memory
 * space at a time, findings of time T01.. over what was measured, and H01 over heap files. A rule
 * reports only if its condition holds; rules that cannot be checked are named by D30 or in
 * `not_judged`. The same input gives the same bytes. Savings of bytes are exact for live bytes
 * (A4): how far the peak falls if the named buffers are removed, smaller or live shorter. They say
 * nothing about the packed heap. Savings of time are upper bounds.
 *
 * All findings are ranked by one scale, a share: for time of an execution or step; for bytes of the
 * device's main memory (of the peak if its size is unknown). */
#ifndef XPROFD_DOCTOR_DOCTOR_H
#define XPROFD_DOCTOR_DOCTOR_H

#include "xprofd/hlo/cost.h"
#include "xprofd/memory/held.h"

enum xpd_doctor_severity { XPD_DOCTOR_ERROR, XPD_DOCTOR_WARN, XPD_DOCTOR_INFO };
enum xpd_doctor_confidence { XPD_DOCTOR_FACT, XPD_DOCTOR_LIKELY, XPD_DOCTOR_HINT };
const char *xpd_doctor_severity_word(enum xpd_doctor_severity s);     /* "error","warn","info" */
const char *xpd_doctor_confidence_word(enum xpd_doctor_confidence c); /* "fact","likely","hint" */

struct xpd_doctor_rule {
    const char *id, *name; /* "D06", "missed_donation" */
    const char *what_to_try, *wrong_when;
};
/* In order of ids. */
const struct xpd_doctor_rule *xpd_doctor_rules(uint32_t *count);
bool xpd_doctor_is_rule(struct xpd_str id); /* "D08" */

/* Thresholds: names and values of thresholds.def beside this file. */
struct xpd_doctor_thresholds {
#define THRESHOLD(name, value, unit, help) double name;
#include "xprofd/doctor/thresholds.def"
#undef THRESHOLD
};
void xpd_doctor_thresholds_init(struct xpd_doctor_thresholds *out);
struct xpd_doctor_threshold_info {
    const char *name, *unit, *help; /* unit: "share", "bytes", "count", "us" */
    double value;                   /* the default */
};
const struct xpd_doctor_threshold_info *xpd_doctor_threshold_list(uint32_t *count);
/* Parses `name = value` into *out; XPD_EINVAL with a sentence for an unknown name or an invalid
 * value. Shares may be 0.25 or 25%, bytes have units. */
int xpd_doctor_threshold_set(struct xpd_doctor_thresholds *out, struct xpd_str name,
                             struct xpd_str value, struct xpd_err *err);

/* What a finding is about: a program's memory, the time of a run, or the heap files of a process.
 */
enum xpd_finding_about { XPD_FINDS_MEMORY, XPD_FINDS_TIME, XPD_FINDS_HEAP };

struct xpd_doctor_silence { /* muted findings: not counted, shown separately */
    struct xpd_str pattern; /* "D06", or "D08 block/attention*": id, then a glob over the place */
    struct xpd_str reason;
};

/* Reads a file of thresholds and silences:
 *     # comment
 *     giant_share = 30%
 *     silence D12  reason in words
 *     silence D08 block/attention*: reason in words
 * Errors name line and column (in err->where as "FILE:LINE:COLUMN"). */
struct xpd_doctor_config {
    struct xpd_doctor_thresholds thresholds;
    struct xpd_doctor_silence *silence;
    uint32_t silence_count;
};
/* Reads thresholds and muted rules. `file` names the text in errors. Results are in `arena`.
 * XPD_EINVAL with line and column of a mistake in `where`; XPD_ENOMEM. */
int xpd_doctor_config_read(struct xpd_doctor_config *out, struct xpd_str text, const char *file,
                           struct xpd_arena *arena, struct xpd_err *err);
/* Adds lines to what was read before: later values replace earlier ones, muted rules add up. Errors
 * as in xpd_doctor_config_read. */
int xpd_doctor_config_more(struct xpd_doctor_config *out, struct xpd_str text, const char *file,
                           struct xpd_err *err);
/* The value of the threshold at an index of the list. */
double xpd_doctor_threshold_value(const struct xpd_doctor_thresholds *of, uint32_t index);

/* Measured and expected times of the operations of a program, over all its executions and chips of
 * one host; columns by instruction. */
struct xpd_doctor_ops {
    const char *clock;        /* of the times: "device", "host", "mixed" */
    uint32_t chips;           /* that ran the program */
    uint64_t runs;            /* executions of the program on all of them; 0 = not known */
    int64_t all_ps;           /* sum of self_ps */
    const int64_t *self_ps;   /* without what runs inside */
    const uint64_t *count;    /* executions */
    const int64_t *lost_ps;   /* self beyond the roofline; -1 = no roofline */
    const char *const *bound; /* of the roofline: "compute", "HBM", "link"; NULL = none */
    const bool *relayout;     /* it only changes the layout of an array */
    const char *no_peaks;     /* why nothing has a roofline; NULL = peaks are known */
    const char *peaks_wrong;  /* an operation is faster than a peak: one sentence; NULL = none is */
    bool memory_wrong, compute_wrong; /* which peak that is */
    const struct xpd_costs *costs;    /* matrix products; NULL = not known */
    uint32_t tile_m, tile_n, tile_k;  /* of a matrix product on this chip; 0 = not known */
};

/* Measurements of the chips of one host, as plain numbers, so that rules can be tested without a
 * trace. Sums of steps are over all chips. */
struct xpd_doctor_time {
    const struct xpd_doctor_ops *ops; /* NULL = no times of instructions */
    const char *no_ops;               /* why; NULL = they are known */
    const char *host;                 /* whose chips these are */
    uint32_t other_hosts;             /* that have events, which are not in these numbers */
    uint32_t chips;                   /* that have steps */
    bool one_at_a_time; /* a chip runs one operation at a time: its waits are operations */
    bool threads;       /* no chips: the host's threads ran the operations */

    uint64_t steps;       /* of all chips together; 0 = none was recorded */
    const char *no_steps; /* why; NULL = there are some */
    const char *steps_clock;
    const char *steps_doubt; /* why their idle time is unknown; NULL = known */
    bool steps_are_runs;     /* no marked steps: executions of a program are used instead */
    const char *steps_of;    /* that program; NULL = no runs, or the one that is diagnosed */
    /* Length of the steps; their compute and idle time; transfers outside of compute; compute
     * during transfers; the gap from the end of each to the next of its chip (for the last ones the
     * mean). The chip may run other programs in a gap: its idle time there, and the longest of one
     * gap. */
    int64_t steps_ps, compute_ps, idle_ps, comm_exposed_ps, copy_exposed_ps, hidden_ps;
    int64_t gap_ps, gap_idle_ps, longest_gap_ps;
    /* Of the idle time, gaps shorter than `launch_gap_us`; host-aligned. -1 = not known. */
    int64_t short_gaps, short_gaps_ps;

    /* Over the steps that all chips have: the chip with the most own work; -1 = no straggler.
     */
    int64_t straggler_ps; /* its work beyond that of the median chip, in all these steps */
    int64_t common_steps, common_ps; /* these steps, and their length on that chip */
    struct xpd_str straggler;        /* its name */

    /* By each clock, the steps whose lengths differ by more than `clock_share`. */
    uint64_t off_steps;
    int64_t host_least_ps, host_most_ps, device_least_ps, device_most_ps; /* of all steps */

    int64_t input_ps;     /* chips idle while the host's loop waits for its input; -1 = not known */
    int64_t infeed_ps;    /* waits of chips for infeed */
    struct xpd_str input; /* the call with most of it; "" = none */
    const char *no_input; /* why input_ps is not known */

    uint64_t complaints;      /* errors and warnings that the profiler wrote into the file */
    struct xpd_str complaint; /* the first */
    bool cut;                 /* the file is truncated */
    /* Executions that the host started and the GPUs did not record, in a sentence; NULL = none. */
    const char *lost;
    uint64_t started, recorded; /* of these: of the program that lacks most, started > 0 */
};
/* "4 chips", "the CPU": a CPU is one row of steps, however many devices its program sees. */
void xpd_doctor_put_devices(struct xpd_strbuf *out, const struct xpd_doctor_time *time,
                            uint32_t count);

struct xpd_doctor_input {
    const struct xpd_mem *mem; /* NULL: no program is known; findings of time only */
    const char *platform;      /* "tpu", "gpu", "cpu", "" */
    int64_t capacity_bytes;    /* of the space that is asked for; -1 unknown */
    const char *capacity_from; /* NULL when unknown */
    int64_t error_color; /* the space an error text is about, when it says how much; -1 = none */
    int64_t error_needed_bytes, error_capacity_bytes;
    /* The bytes of the HloProto, for what the columns do not keep (trip counts of loops): called at
     * most once, and only if a finding needs them, because they may be large. The caller owns them.
     * NULL: not available. */
    int (*read_proto)(void *of, const uint8_t **bytes, size_t *size);
    void *of;
    bool has_events;      /* the program's run was recorded too */
    bool dump_is_silent;  /* an XLA dump came without an error text (D30) */
    uint32_t big_others;  /* other programs of the run with 10 % of this peak or more */
    int64_t others_bytes; /* the largest of them */
    struct xpd_str others_name;
    int64_t runtime_peak_bytes;   /* most in use on a device, measured; -1 = not recorded */
    int64_t runtime_heap_bytes;   /* of it what the runtime had reserved for the running program */
    struct xpd_str runtime_where; /* the allocator, as the runtime names it; "" = unknown */
    double runtime_fragmentation; /* at a device's largest use, the worst; -1 = not recorded */
    struct xpd_str runtime_pieces_where;
    /* A request that fitted into the total free memory, but into no single piece; 0 = none seen. */
    int64_t runtime_request_bytes, runtime_piece_bytes, runtime_free_bytes;
    const struct xpd_doctor_config *config; /* NULL = defaults */
};

/* A source line of a series of heap files that grows: each file has more of it than the one before.
 */
struct xpd_doctor_heap_line {
    struct xpd_str key;             /* of its row in heap/lines */
    struct xpd_str label, function; /* "train.py:41"; "" = no function */
    struct xpd_str file;            /* "" = unknown */
    int64_t line;                   /* 0 = unknown */
    int64_t first_bytes, last_bytes;
    int64_t last_growth_bytes; /* a step, from the last file but one to the last */
};
/* Heap files (pprof) that one process wrote one after the other, as plain numbers. */
struct xpd_doctor_heap_series {
    struct xpd_str name;                     /* "memory.step#.prof" */
    struct xpd_str first, last;              /* names of files */
    uint32_t files, all_files;               /* that growth is told from; of the series */
    bool has_steps;                          /* names tell steps; else a step is a file */
    int64_t last_bytes;                      /* all that the last file holds */
    const char *why_not;                     /* why growth is not known; NULL = it is */
    const struct xpd_doctor_heap_line *line; /* those that grow, the steepest first */
    uint32_t line_count;
};
struct xpd_doctor_heap {
    const struct xpd_doctor_heap_series *series;
    uint32_t series_count;
};

/* An operation that a finding of time is about; times are those of one run of the program. */
struct xpd_finding_op {
    uint32_t instruction;
    int64_t self_ps, saving_ps; /* saving: at most */
};

#define XPD_DOCTOR_NUMBERS 8
struct xpd_doctor_number {
    const char *name;
    int64_t value;
    const char *unit; /* "bytes", "count", "step", "permille", "ps" */
};

struct xpd_finding {
    const struct xpd_doctor_rule *rule;
    enum xpd_doctor_severity severity;
    enum xpd_doctor_confidence confidence;
    int64_t color;         /* the memory space */
    struct xpd_str claim;  /* one or two sentences with the numbers */
    struct xpd_str advice; /* what to try; the rule's own when nothing better is known */
    struct xpd_str place;  /* scope or name that silences compare with */
    struct xpd_doctor_number number[XPD_DOCTOR_NUMBERS];
    uint32_t number_count;
    uint32_t *buffer; /* largest first */
    uint32_t buffer_count;
    uint32_t *listed; /* shown to a reader in place of `buffer`: arguments to donate; NULL = none */
    uint32_t listed_count;
    enum xpd_finding_about about;
    uint32_t instruction;                    /* where in the source; XPD_NO_INDEX = none */
    const struct xpd_doctor_heap_line *line; /* of heap files: the line, with its source */
    bool is_run;                /* its time is that of a run of the program, else of a step */
    int64_t saving_ps, of_ps;   /* at most, of a run or step that long; -1 = not of time */
    double share;               /* on the one scale of all findings; -1 = no saving to compute */
    struct xpd_str saving_note; /* why the saving is not what the finding is about; "" = it is */
    const uint32_t *overlap;    /* findings (indexes) that change buffers of this one too: their */
    uint32_t overlap_count;     /* savings do not add up */
    uint32_t *timed;      /* instructions whose measured time, where there is one, is its price: */
    uint32_t timed_count; /* ends of transfers (D14), what is computed twice (D24) */
    const struct xpd_finding_op *op; /* of time: its operations, those with most to win first */
    uint32_t op_count;
    int64_t bytes;          /* what it is about */
    int64_t saving_bytes;   /* exact at the peak; -1 = nothing to compute */
    const char *action;     /* what was computed: "drop", "unpad", ...; NULL */
    int64_t new_peak_bytes; /* after it; -1 */
    uint32_t new_step;
    const struct xpd_doctor_silence *silenced; /* or NULL */
};

struct xpd_doctor {
    struct xpd_finding *finding; /* does-not-fit first, then by saving, silenced ones last */
    uint32_t count, silenced_count;
    uint32_t rules_checked, rules_not_judged;
    struct xpd_str not_judged; /* ids and why, one sentence; "" = all were judged */
};
/* Findings of one memory space, in the arena. space NULL: a module without one (D30). XPD_ENOMEM.
 */
int xpd_doctor_run(struct xpd_doctor *out, const struct xpd_doctor_input *input,
                   const struct xpd_mem_space *space, struct xpd_arena *arena, struct xpd_err *err);

/* Findings of time; they also read `mem`, if not NULL, and `capacity_bytes` (of its main space). No
 * operation is in two of T01 and T05 to T09, and no idle moment in two of T02, T04 and T12, so that
 * their savings add up. XPD_ENOMEM. */
int xpd_doctor_time_run(struct xpd_doctor *out, const struct xpd_doctor_input *input,
                        const struct xpd_doctor_time *time, struct xpd_arena *arena,
                        struct xpd_err *err);
/* Findings of heap files. XPD_ENOMEM. */
int xpd_doctor_heap_run(struct xpd_doctor *out, const struct xpd_doctor_input *input,
                        const struct xpd_doctor_heap *heap, struct xpd_arena *arena,
                        struct xpd_err *err);
/* Puts findings of all memory spaces and of time into one order: fills `share` of those of memory
 * (`scale_bytes`: what a share of bytes is a share of), sorts, finds overlaps. False without
 * memory.
 */
bool xpd_doctor_rank(struct xpd_finding *finding, uint32_t count, const struct xpd_mem *mem,
                     int64_t scale_bytes, struct xpd_arena *arena);

/* The order of findings, for qsort over those of several memory spaces. */
int xpd_finding_compare(const void *a, const void *b);

/* Glob with '*' and '?'. */
bool xpd_doctor_glob(struct xpd_str pattern, struct xpd_str text);
/* The op name without jit, jvp, transpose, checkpoint, rematted_computation; numbers as '*'. */
void xpd_doctor_scope(struct xpd_strbuf *out, struct xpd_str op_name);

#endif
