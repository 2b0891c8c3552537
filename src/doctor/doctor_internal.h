/* What the rules share: the rows at the peak, words of a row, and how a finding is made. */
#ifndef XPROFD_SRC_DOCTOR_INTERNAL_H
#define XPROFD_SRC_DOCTOR_INTERNAL_H

#include "xprofd/base/bytes_text.h"
#include "xprofd/base/time_text.h"
#include "xprofd/base/vec.h"
#include "xprofd/doctor/doctor.h"
#include "xprofd/hlo/print.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/memory/plan.h"

#include <inttypes.h>

#define XPD_DX_GROUPS 5 /* findings of one rule, at most */

struct xpd_dx { /* one run over one space */
    const struct xpd_doctor_input *in;
    const struct xpd_doctor_thresholds *t;
    const struct xpd_doctor_time *time; /* NULL in runs over a space */
    const struct xpd_doctor_heap *heap; /* NULL but in runs over heap files */
    const struct xpd_mem *mem;          /* NULL, as hlo: findings of time without a program */
    const struct xpd_hlo *hlo;
    const struct xpd_mem_space *space;
    struct xpd_arena *arena;
    struct xpd_held_list held; /* at the peak */
    uint32_t *row_of_storage;  /* root of a temporary, or buffers.count + allocation: row + 1 */
    struct xpd_buffers_of buffers_of;
    uint32_t *group_of_row; /* rows alike but for numbers in their op names */
    uint32_t *caller;       /* computation -> the instruction that calls it, the first one */
    uint32_t *done; /* instruction -> the first of its computation that ends what it starts */
    struct xpd_hlo_printer *printer; /* rules_loop.c makes it */
    int64_t peak_bytes;
    int64_t page_bytes;                 /* whose unit sizes have; 0: MiB */
    bool is_main, no_printer;           /* no_printer: it could not be made */
    const struct xpd_doctor_rule *rule; /* that runs now */
    XPD_VEC(struct xpd_finding) found;
    struct xpd_finding nowhere; /* takes the rest; the run fails anyway */
    struct xpd_strbuf not_judged;
    const char *not_judged_why; /* of the last one in it; texts live in the arena or for ever */
    uint32_t not_judged_count;
};
typedef void xpd_rule(struct xpd_dx *dx);

#define HEAP                                              3
#define TIME                                              2
#define ALL                                               1
#define MAIN                                              0
#define RULE(id, name, function, spaces, try_text, wrong) xpd_rule function;
#include "rules.def"
#undef RULE
#undef HEAP
#undef TIME
#undef ALL
#undef MAIN

/* ---- rows ---- */

uint32_t xpd_dx_row_of(const struct xpd_dx *dx,
                       uint32_t buffer); /* XPD_NO_INDEX: not at the peak */
uint32_t xpd_dx_instruction(const struct xpd_dx *dx, const struct xpd_held *row);
const struct xpd_shape *xpd_dx_shape_of(const struct xpd_dx *dx, const struct xpd_held *row);
bool xpd_dx_big(const struct xpd_dx *dx, int64_t bytes);
/* share of the peak, in bytes */
int64_t xpd_dx_share(const struct xpd_dx *dx, double share);
int64_t xpd_dx_permille(const struct xpd_dx *dx, int64_t bytes);
/* The step of a share of the program. */
uint32_t xpd_dx_steps(const struct xpd_dx *dx, double share);
/* The buffer of an instruction at an element (-1: the whole), XPD_NO_INDEX when it has none. */
uint32_t xpd_dx_buffer_of(const struct xpd_dx *dx, uint32_t instruction, int64_t element);

/* ---- words; texts live in the arena or in the module ---- */

bool xpd_dx_is(const struct xpd_dx *dx, uint32_t instruction, const char *opcode);
struct xpd_str xpd_dx_opcode(const struct xpd_dx *dx, uint32_t instruction);
struct xpd_str xpd_dx_op_name(const struct xpd_dx *dx, uint32_t instruction);
bool xpd_dx_has(struct xpd_str text, const char *word);
/* An argument called as optimizers call their state. */
bool xpd_dx_is_state_name(struct xpd_str name);
const char *xpd_dx_bytes(struct xpd_dx *dx, int64_t bytes);
const char *xpd_dx_bytes_own(struct xpd_dx *dx, int64_t bytes);
const char *xpd_dx_time_text(struct xpd_dx *dx, int64_t ps); /* "194.4 ms" */
const char *xpd_dx_name(struct xpd_dx *dx, uint32_t buffer);
const char *xpd_dx_shape(struct xpd_dx *dx, uint32_t buffer, bool layout);
const char *xpd_dx_percent(struct xpd_dx *dx, int64_t part, int64_t whole);
bool xpd_dx_same_dims(const struct xpd_shape *a, const struct xpd_shape *b);
bool xpd_dx_is_float(int32_t type);

/* ---- where a value comes from ---- */

struct xpd_dx_origin {
    uint32_t
        instruction; /* the first one that is more than a copy, convert, bitcast, reshape, ... */
    int64_t element; /* of its tuple, -1 = whole */
    bool converted, moved, gathered, broadcast; /* on the way; gathered = all-gather */
    uint32_t hops;
};
/* Follows first operands from the instruction through what only moves, converts or (when `far`)
 * gathers values or fetches them in pieces, into fusions and out of their parameters; bounded. */
void xpd_dx_trace(const struct xpd_dx *dx, uint32_t instruction, bool far,
                  struct xpd_dx_origin *out);
/* The root inside a fusion, else the instruction itself. */
uint32_t xpd_dx_root(const struct xpd_dx *dx, uint32_t instruction);

/* ---- sets of rows ---- */

struct xpd_dx_set {
    uint32_t *row, count;
    int64_t bytes, padding_bytes;
};
bool xpd_dx_set_init(struct xpd_dx *dx, struct xpd_dx_set *set);
void xpd_dx_set_add(struct xpd_dx *dx, struct xpd_dx_set *set, uint32_t row);
/* Whether a set is worth a finding: at least `share` of the peak, and of the size that counts. */
bool xpd_dx_worth(const struct xpd_dx *dx, const struct xpd_dx_set *set, double share);

/* ---- findings ---- */

struct xpd_finding *xpd_dx_find(struct xpd_dx *dx, enum xpd_doctor_severity severity,
                                enum xpd_doctor_confidence confidence, int64_t bytes);
void xpd_dx_claim(struct xpd_dx *dx, struct xpd_finding *f, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void xpd_dx_advice(struct xpd_dx *dx, struct xpd_finding *f, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void xpd_dx_number(struct xpd_finding *f, const char *name, int64_t value, const char *unit);
/* Its buffers, largest first, and the place of the largest. */
void xpd_dx_rows(struct xpd_dx *dx, struct xpd_finding *f, const struct xpd_dx_set *set);
/* Exact saving of one action on all its buffers, and the peak that is left. */
void xpd_dx_save(struct xpd_dx *dx, struct xpd_finding *f, enum xpd_action action, int64_t parts);
/* A finding over a set: its bytes, its buffers, and what the action saves on all of them. */
struct xpd_finding *xpd_dx_find_set(struct xpd_dx *dx, enum xpd_doctor_severity severity,
                                    enum xpd_doctor_confidence confidence,
                                    const struct xpd_dx_set *set, enum xpd_action action);
void xpd_dx_not_judged(struct xpd_dx *dx, const char *why);

/* ---- findings of time ---- */

/* Whether times of operations, or of steps, are known; says that the rule is not judged if not. */
bool xpd_dx_has_ops(struct xpd_dx *dx);
bool xpd_dx_has_steps(struct xpd_dx *dx);
/* The saving and what it is a share of: of one run or step. */
struct xpd_finding *xpd_dx_find_time(struct xpd_dx *dx, double warn_share, int64_t saving_ps,
                                     int64_t of_ps);
/* Of a sum over all runs, one run's: "3.0 ms". */
const char *xpd_dx_each(struct xpd_dx *dx, int64_t sum_ps);
const char *xpd_dx_in_all(struct xpd_dx *dx); /* "10 runs on 2 chips" */
/* A CPU is not a chip: threads of the host stand for each of its devices. */
const char *xpd_dx_chip(const struct xpd_dx *dx);              /* "chip", "CPU" */
const char *xpd_dx_devices(struct xpd_dx *dx, uint32_t count); /* "4 chips", "the CPU" */
/* Sorts them, most to win first; sums over all runs: the savings, and what they took. */
int64_t xpd_dx_sum_ops(struct xpd_finding_op *op, uint32_t count, int64_t *self_ps);
/* "%copy-done.4 194.4 ms, %copy-done.2 194.1 ms and 4 more" */
const char *xpd_dx_names(struct xpd_dx *dx, const struct xpd_finding_op *op, uint32_t count);
/* Makes them the finding's; their times become those of one run. At least one. */
void xpd_dx_ops(struct xpd_dx *dx, struct xpd_finding *f, struct xpd_finding_op *op,
                uint32_t count);
/* A transfer that is waited for: the done of a pair, or a collective that ends before the next
 * operation begins. */
bool xpd_dx_is_wait(const struct xpd_dx *dx, uint32_t instruction);

#endif
