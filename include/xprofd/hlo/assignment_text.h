/* Parses XLA's report of a buffer assignment ("...-buffer-assignment.txt") back into the
 * BufferAssignmentProto that it was printed from, and with the program's text into an HloProto.
 *
 * Source of the rules: BufferAssignment::ToString, BufferAllocation::ToString, HloLiveRange and
 * HeapSimulator of XLA, checked against programs that were dumped in both forms.
 *
 * Supports reports of CPU, GPU and TPU compilers: with the live ranges inside (until 2025) or in
 * "...-live-range.txt" beside it, sizes in bytes, allocations with or without an address and page.
 *
 * Data that is not in the report, and what replaces it:
 *  - Heap events are made from the live ranges: a value is allocated at its first step and freed at
 *    its last, in XLA's order. A value that begins at the address of a live value shares it. XLA
 *    also shares the address of a dead value, and frees an operand before its result takes its
 *    place; the bytes held are the same. Values that take turns in one storage, such as the
 *    branches of a conditional, are storages of their own here: less is saved without one of them.
 *  - In the fast memory of a TPU (color 1) a separate pass plans the lifetimes. There the peak
 *    differs from the compiler's by up to an eighth in programs that were dumped in both forms.
 *  - Operations offloaded to a SparseCore have live ranges, but no heap events.
 *  - Other places of a value (buffer_aliases) are values that share its address while both live.
 *  - is_tuple: a tuple is at the start of the allocation, which is not thread-local.
 *  - aliased: a parameter's allocation that input_output_alias of the program's header names.
 *  - Without live ranges (a program that was not scheduled) there are no events. */
#ifndef XPROFD_HLO_ASSIGNMENT_TEXT_H
#define XPROFD_HLO_ASSIGNMENT_TEXT_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/warnings.h"
#include "xprofd/hlo/parse.h"

struct xpd_assignment_text {
    struct xpd_str assignment; /* the whole report */
    struct xpd_str live_range; /* the whole "...-live-range.txt"; "" when there is none */
    const char *name;          /* of the report, for messages */
    const char *live_name;
};

struct xpd_assignment_facts {
    uint32_t allocations, values, ranges, events;
    int64_t held_bytes; /* sum of the allocations' sizes; INT64_MAX: more than that */
    int64_t said_bytes; /* "Total bytes used", -1 = not said */
    bool has_live_ranges;
};

/* Reads the report. *proto (a BufferAssignmentProto) lives in `arena`. `module_proto` and `names`
 * are those of the program's text. What is not understood, does not fit 63 bits or names no
 * instruction is a warning with the line (codes assignment_text_...), and left out where its size
 * is not known. XPD_EFORMAT when there is no allocation at all, XPD_ENOMEM, XPD_ELIMIT. */
int xpd_assignment_text_parse(const struct xpd_assignment_text *text, struct xpd_str module_proto,
                              const struct xpd_hlo_names *names, struct xpd_arena *arena,
                              struct xpd_warnings *warnings, struct xpd_str *proto,
                              struct xpd_assignment_facts *facts, struct xpd_err *err);

/* An HloProto in `arena` of the two parts; an empty `assignment` is left out. */
bool xpd_hlo_proto_join(struct xpd_str module_proto, struct xpd_str assignment,
                        struct xpd_arena *arena, struct xpd_str *hlo_proto);

#endif
