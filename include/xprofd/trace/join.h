/* Several hosts of one run as one trace: side by side, on one time axis.
 *
 * Each host is loaded once, by itself; what is joined is made above it. Processes, rows, depths,
 * names and events of the first host keep their numbers, those of the next follow. What a row needs
 * anew is its starts (where the host is moved) and the numbers of its names; all other columns are
 * those of the host, which must outlive the join.
 *
 * Time. A file counts from the start of its profile, which it may name as unix time (plane "Task
 * Environment", profile_start_time). By these starts a host is moved to where it was. Clocks of two
 * machines can disagree, or say nothing:
 *  - hosts that share some instant with another one, directly or over a third, are placed by the
 *    profile's clock; of several such sets the one with most hosts, then the one with the earliest;
 *  - every other host is placed so that its first event stands where theirs begins (where no two
 *    share anything: where the first host begins). This is a choice, and is said as one.
 * Times on hosts that are not both placed by the clock cannot be compared.
 *
 * Runs. The k-th run of a program on one chip is the k-th on another, but a capture may have begun
 * some runs later than that of another host. Where the clock makes runs of other numbers overlap
 * at least twice as long as those of equal ones, it says how many. */
#ifndef XPROFD_TRACE_JOIN_H
#define XPROFD_TRACE_JOIN_H

#include "xprofd/trace/derived.h"
#include "xprofd/trace/op_runs.h"

#define XPD_JOIN_HOSTS_MAX 255 /* flow ids of one trace keep 8 bits for the host */

enum xpd_placed {
    XPD_PLACED_CLOCK,    /* by the profile's clock */
    XPD_PLACED_NO_CLOCK, /* its file has no start time: beginnings aligned */
    XPD_PLACED_APART     /* by its clock it does not overlap the others: beginnings aligned */
};
const char *xpd_placed_word(enum xpd_placed placed); /* "clock", "no_clock", "apart" */

struct xpd_place {            /* of one host on the common axis */
    bool empty;               /* in: no events: ignored */
    int64_t zero_ns;          /* in: unix time of its time 0; 0 = not said */
    int64_t first_ps, end_ps; /* in: of its events, from its time 0 */
    int64_t shift_ps;         /* out: added to its times */
    enum xpd_placed placed;   /* out */
};
/* The unix time of the axis' 0, 0 = unknown. Hosts may come in any order. False: no memory. */
bool xpd_join_place(struct xpd_place *place, uint32_t count, int64_t *zero_ns);
/* Unix time of a trace's time 0: its start, or the offset subtracted from lines with unix times. 0
 * = unknown. */
int64_t xpd_trace_zero_ns(const struct xpd_trace *trace);

struct xpd_trace_host { /* one host in the trace */
    const char *host;
    const struct xpd_trace *trace;
    int64_t shift_ps;
    enum xpd_placed placed;
    int64_t first_run; /* number of its first run of trace->main_program */
    uint32_t first_process, first_row, first_depth, first_name, first_plane;
    uint64_t first_event;
};
/* Which host; the trace has parts. */
const struct xpd_trace_host *xpd_part_of_event(const struct xpd_trace *trace, uint64_t event);
const struct xpd_trace_host *xpd_part_of_process(const struct xpd_trace *trace, uint32_t process);
/* Whether times on these processes can be compared: one host, or both by the profile's clock. */
bool xpd_trace_comparable(const struct xpd_trace *trace, uint32_t process, uint32_t other);

/* Number of the first run of the main program on this process; 0 for one host. */
int64_t xpd_first_run(const struct xpd_trace *trace, uint32_t process);

struct xpd_join_host {
    const char *name;
    const struct xpd_trace *trace;
};
/* XPD_ELIMIT over the budget (0 = none) or with more than XPD_JOIN_HOSTS_MAX hosts. The traces of
 * the hosts must outlive *out; free it with xpd_trace_free. */
int xpd_join_trace(struct xpd_trace **out, const struct xpd_join_host *host, uint32_t count,
                   uint64_t budget_bytes, struct xpd_err *err);
/* Joins what was derived from each host, in the order of the parts. Steps of TPUs are renumbered
 * over all chips: the k-th run of the main program of all hosts has number k on each. XPD_ELIMIT
 * over the budget. */
int xpd_join_derived(struct xpd_derived **out, const struct xpd_trace *joined,
                     const struct xpd_derived *const *of, uint64_t budget_bytes,
                     struct xpd_err *err);
/* Flows of different hosts stay separate, because flow ids are unique only within a process.
 * XPD_ELIMIT over the budget. */
int xpd_join_flows(struct xpd_flows **out, const struct xpd_trace *joined,
                   const struct xpd_flows *const *of, uint64_t budget_bytes, struct xpd_err *err);
/* Operations of all hosts, devices apart. Programs of two hosts are one when they have one name and
 * their HLO is the same (xpd_hlo_likeness); where a file does not hold the HLO, when they have one
 * id, without ids one name. `of` of each part; it must outlive the join. Reads the HLO of each
 * program that ran from the file of each host. All times are by one clock: the device's if all are,
 * else the host's. */
int xpd_join_op_times(struct xpd_op_times **out, const struct xpd_trace *joined,
                      const struct xpd_op_times *const *of, uint64_t budget_bytes,
                      struct xpd_err *err);
/* `times`: of all hosts. */
int xpd_join_op_runs(struct xpd_op_runs **out, const struct xpd_trace *joined,
                     const struct xpd_op_times *times, const struct xpd_op_runs *const *of,
                     uint64_t budget_bytes, struct xpd_err *err);
/* The joined program that contains a program of one part. */
const struct xpd_op_program *xpd_op_program_joined(const struct xpd_op_times *times, uint32_t part,
                                                   const struct xpd_op_program *of);

#endif
