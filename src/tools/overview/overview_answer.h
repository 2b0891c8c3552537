/* The records of /api/v1/overview: where a mean step goes, whose fault it is, what would win it
 * back. Times are ps of a mean step where a key begins with `mean_`, sums over all steps counted
 * where it begins with `total_`. */
#ifndef XPROFD_SRC_TOOLS_OVERVIEW_OVERVIEW_ANSWER_H
#define XPROFD_SRC_TOOLS_OVERVIEW_OVERVIEW_ANSWER_H

#include "../program/explain_peaks.h"
#include "xprofd/answer/record.h"

#define XPD_OVERVIEW_STEP_FIELDS(FIELD)                                                            \
    FIELD(WORD("markers runs windows"), what,                                                      \
          "what a step is here: marked by the framework, a run of a program, an equal part of "    \
          "the trace")                                                                             \
    FIELD(WORD("step run window"), unit, "what one is called, here and on the page")               \
    FIELD(STRING, sentence, "the same in words")                                                   \
    FIELD(COUNT, steps, "different numbers of steps")                                              \
    FIELD(COUNT, count, "steps of all chips together that this is about, the basis of means")      \
    FIELD(INT, total_ps, "of all of them")                                                         \
    FIELD(REAL, mean_ps, "")                                                                       \
    FIELD(INT, min_ps, "of the `count` steps, as are the next three")                              \
    FIELD(INT, p50_ps, "nearest rank, as is p99")                                                  \
    FIELD(MAYBE(INT), p99_ps, "null below 100 steps")                                              \
    FIELD(INT, max_ps, "")                                                                         \
    FIELD(MAYBE(STRING), no_spread, "why there is no p99, or no spread at all; null: both exist")  \
    FIELD(COUNT, outliers,                                                                         \
          "steps that are 5 % longer or shorter than p50, by the mean of chips; 0 of one step")    \
    FIELD(MAYBE(STRING), clocks,                                                                   \
          "the values of both clocks if they differ by more than 5 % in some step; null: they "    \
          "agree")                                                                                 \
    FIELD(MAYBE(STRING), overlap, "steps of one chip overlap: how many; null: they do not")        \
    FIELD(MAYBE(REAL), gap_ps,                                                                     \
          "mean from the end of a step to the start of the next on the same chip")                 \
    FIELD(MAYBE(REAL), gap_idle_ps,                                                                \
          "part of the gap in which the chip is idle; other programs may run between steps")       \
    FIELD(MAYBE(SIGNED), selected, "the one step of all numbers below; null: all steps")           \
    FIELD(MAYBE(INDEX), chip, "the one process of all numbers below; null: all")
XPD_RECORD_TYPE(xpd_overview_step, XPD_OVERVIEW_STEP_FIELDS)

#define XPD_OVERVIEW_VERDICT_FIELDS(FIELD)                                                         \
    FIELD(WORD("communication memory compute host input"), kind, "what may bind a step")           \
    FIELD(WORD("yes no partly unknown"), says, "")                                                 \
    FIELD(MAYBE(REAL), share, "of a mean step; for an unknown one a lower bound")                  \
    FIELD(REAL, limit, "share from which the verdict is yes")                                      \
    FIELD(MAYBE(REAL), mean_ps, "the same as a time")                                              \
    FIELD(STRING, text, "the number in words, or what is missing")                                 \
    FIELD(MAYBE(STRING), host, "for input: host of the threads; null: another verdict")
XPD_RECORD_TYPE(xpd_overview_verdict, XPD_OVERVIEW_VERDICT_FIELDS)

#define XPD_LOSS_KINDS                                                                             \
    "idle copies_in copies_out copies collectives infeed waits compute_loss memory_loss latency "  \
    "not_judged roofline"
#define XPD_OVERVIEW_LOSS_FIELDS(FIELD)                                                            \
    FIELD(WORD(XPD_LOSS_KINDS), kind, "")                                                          \
    FIELD(STRING, label, "text beside the bar")                                                    \
    FIELD(INT, total_ps, "of all steps; all rows add up to the time of the steps")                 \
    FIELD(REAL, mean_ps, "")                                                                       \
    FIELD(REAL, share, "of a step")                                                                \
    FIELD(COUNT, ops, "operations in it")                                                          \
    FIELD(MAYBE(STRING), why, "why there is no known roofline; for a loss: why it is wrong")
XPD_RECORD_TYPE(xpd_overview_loss, XPD_OVERVIEW_LOSS_FIELDS)

#define XPD_OVERVIEW_WIN_FIELDS(FIELD)                                                             \
    FIELD(TEXT, name, "of the operation")                                                          \
    FIELD(MAYBE(STRING), module, "key of its program; null: not in the profile")                   \
    FIELD(STRING, group, "kind of work, which sets the colour")                                    \
    FIELD(BOOL, wait, "the chip waits in it")                                                      \
    FIELD(INT, count, "executions in the steps")                                                   \
    FIELD(REAL, mean_ps, "self time in a mean step")                                               \
    FIELD(MAYBE(REAL), win_ps, "saving of a mean step; null: its roofline is unknown")             \
    FIELD(BOOL, at_most, "win_ps is the whole wait, an upper bound")                               \
    FIELD(MAYBE(STRING), bound, "what sets its roofline, wait, or latency; null: unknown")         \
    FIELD(MAYBE(REAL), roofline_share, "share of its roofline reached")                            \
    FIELD(MAYBE(REAL), moved_bytes_per_s,                                                          \
          "bytes of a transfer divided by the time the chip waits for it; null below 10 µs")
XPD_RECORD_TYPE(xpd_overview_win, XPD_OVERVIEW_WIN_FIELDS)

#define XPD_OVERVIEW_CHIP_FIELDS(FIELD)                                                            \
    FIELD(INDEX, process, "of trace/rows, for the same hosts")                                     \
    FIELD(STRING, name, "TPU:0; of a host that computes itself its name")                          \
    FIELD(STRING, host, "")                                                                        \
    FIELD(COUNT, steps, "")                                                                        \
    FIELD(MAYBE(REAL), mean_ps, "of its steps; null: it has none")                                 \
    FIELD(MAYBE(REAL), compute_ps, "per mean step, as are the next two")                           \
    FIELD(MAYBE(REAL), waits_ps, "")                                                               \
    FIELD(MAYBE(REAL), idle_ps, "")                                                                \
    FIELD(MAYBE(REAL), behind_ps, "mean step beyond that of the fastest chip")                     \
    FIELD(BOOL, slowest, "")
XPD_RECORD_TYPE(xpd_overview_chip, XPD_OVERVIEW_CHIP_FIELDS)

#define XPD_OVERVIEW_RATE_FIELDS(FIELD)                                                            \
    FIELD(WORD("flops flops_judged hbm hbm_computing host_link"), what, "")                        \
    FIELD(STRING, label, "")                                                                       \
    FIELD(MAYBE(REAL), per_s, "FLOP/s or B/s of a chip")                                           \
    FIELD(MAYBE(REAL), peak_per_s, "")                                                             \
    FIELD(MAYBE(REAL), share, "of the peak")                                                       \
    FIELD(BOOL, at_least, "lower bound: some operations have unknown work")                        \
    FIELD(MAYBE(STRING), unknown, "why the rate or share is missing")
XPD_RECORD_TYPE(xpd_overview_rate, XPD_OVERVIEW_RATE_FIELDS)

#define XPD_OVERVIEW_MEMORY_FIELDS(FIELD)                                                          \
    FIELD(STRING, module, "key of the program with the largest peak among those that ran")         \
    FIELD(STRING, space, "HBM")                                                                    \
    FIELD(INT, peak_bytes, "")                                                                     \
    FIELD(MAYBE(INT), capacity_bytes, "")                                                          \
    FIELD(MAYBE(STRING), capacity_from, "where the value comes from")                              \
    FIELD(MAYBE(STRING), capacity_unknown, "why not")                                              \
    FIELD(MAYBE(REAL), share, "of the capacity")                                                   \
    FIELD(INT, host_bytes, "the program's peak in host memory; 0: none")                           \
    FIELD(TEXT, instruction, "that runs at the peak; \"\" unknown")
XPD_RECORD_TYPE(xpd_overview_memory, XPD_OVERVIEW_MEMORY_FIELDS)

#define XPD_OVERVIEW_MARK_FIELDS(FIELD)                                                            \
    FIELD(INT, start_ps, "after the start of the recording")                                       \
    FIELD(INT, end_ps, "")                                                                         \
    FIELD(TEXT, name, "")
XPD_RECORD_TYPE(xpd_overview_mark, XPD_OVERVIEW_MARK_FIELDS)

#define XPD_OVERVIEW_MISSING_FIELDS(FIELD)                                                         \
    FIELD(STRING, what, "data missing in the profile")                                             \
    FIELD(STRING, how, "how to record it")
XPD_RECORD_TYPE(xpd_overview_missing, XPD_OVERVIEW_MISSING_FIELDS)

#define XPD_OVERVIEW_CAPTURE_FIELDS(FIELD)                                                         \
    FIELD(INT, span_ps, "the whole recording, on the host-aligned clock")                          \
    FIELD(MAYBE(INT), first_ps, "start of the first step after that of the recording")             \
    FIELD(MAYBE(INT), last_ps, "end of the last step")                                             \
    FIELD(COUNT, before, "executions of programs on chips before the first step of their chip")    \
    FIELD(COUNT, before_own, "of them, of the program of that step")                               \
    FIELD(LIST(xpd_overview_mark), marks, "the first 20 of these")                                 \
    FIELD(STRING, sentence, "time before the first step")                                          \
    FIELD(MAYBE(INT), compute_ps, "of all chips in the whole recording")                           \
    FIELD(MAYBE(INT), outside_ps, "of it, what ran in none of the steps")                          \
    FIELD(BOOL, complete, "no file is cut, and no profiler says that it dropped events")           \
    FIELD(MAYBE(STRING), damage, "what is incomplete")                                             \
    FIELD(MAYBE(STRING), lost,                                                                     \
          "executions of a program that a GPU's host started and the GPUs did not record, from a " \
          "tenth on")                                                                              \
    FIELD(LIST(xpd_overview_missing), missing, "data that would tell more")
XPD_RECORD_TYPE(xpd_overview_capture, XPD_OVERVIEW_CAPTURE_FIELDS)

#define XPD_OVERVIEW_FACT_FIELDS(FIELD)                                                            \
    FIELD(STRING, what, "")                                                                        \
    FIELD(MAYBE(STRING), value, "null: not recorded")
XPD_RECORD_TYPE(xpd_overview_fact, XPD_OVERVIEW_FACT_FIELDS)

#define XPD_OVERVIEW_PROGRAM_FIELDS(FIELD)                                                         \
    FIELD(STRING, module, "key; the name if its HLO is not in the profile")                        \
    FIELD(STRING, name, "its name if unique in the run, else its key")                             \
    FIELD(BOOL, held, "its HLO is in the profile")                                                 \
    FIELD(BOOL, of_none, "true: kernels or copies that belong to no program")                      \
    FIELD(MAYBE(INT), runs, "on all chips; null: unknown from the trace")                          \
    FIELD(INT, self_ps, "of its operations, in the whole recording")                               \
    FIELD(REAL, share, "share of the time of all programs")                                        \
    FIELD(INT, executions, "of its operations")                                                    \
    FIELD(MAYBE(INT), peak_bytes, "in the device's memory")
XPD_RECORD_TYPE(xpd_overview_program, XPD_OVERVIEW_PROGRAM_FIELDS)

#define XPD_OVERVIEW_FIELDS(FIELD)                                                                 \
    FIELD(BOOL, known, "the parts of a step were measured")                                        \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(MAYBE(WORD("device host")), clock, "clock of steps and their parts")                     \
    FIELD(MAYBE(STRING), why_host, "why the clock is the host's")                                  \
    FIELD(BOOL, side_by_side,                                                                      \
          "operations run in parallel (streams, threads): times are unions of intervals, a "       \
          "moment counts once")                                                                    \
    FIELD(STRING, device, "its kind, or \"\"")                                                     \
    FIELD(VALUES(STRING), hosts, "whose events these are")                                         \
    FIELD(STRING, headline, "what takes most of the time, in a sentence")                          \
    FIELD(STRING, detail, "the same as a time, and the definition of a step")                      \
    FIELD(STRING, verdict, "one to four words for a badge")                                        \
    FIELD(MAYBE(OBJECT(xpd_overview_step)), step, "null: none")                                    \
    FIELD(MAYBE(STRING), steps_apart,                                                              \
          "Input's mean step and that of this answer, where they differ by 5 %, or this has none") \
    FIELD(LIST(xpd_overview_verdict), verdicts, "always all five")                                 \
    FIELD(COLUMNS(xpd_overview_loss), losses, "parts of a mean step, from idle to the roofline")   \
    FIELD(INT, rest_ps, "time of all steps that is not in a row")                                  \
    FIELD(BOOL, adds_up, "the rest is at most 1 ppm")                                              \
    FIELD(COLUMNS(xpd_overview_win), wins, "operations, by the largest possible saving of a step") \
    FIELD(COUNT, ops, "operations that ran in the steps, listed or not")                           \
    FIELD(REAL, wins_ps, "per mean step: saving of all operations with a bound and of all waits")  \
    FIELD(LIST(xpd_overview_chip), chips, "")                                                      \
    FIELD(STRING, chips_sentence, "the slowest chip, and by how much")                             \
    FIELD(MAYBE(OBJECT(xpd_peaks)), peaks, "of a chip")                                            \
    FIELD(LIST(xpd_overview_rate), utilisation, "")                                                \
    FIELD(MAYBE(OBJECT(xpd_overview_memory)), memory, "")                                          \
    FIELD(MAYBE(STRING), no_memory, "why it is unknown")                                           \
    FIELD(MAYBE(OBJECT(xpd_overview_capture)), capture, "null: no events")                         \
    FIELD(LIST(xpd_overview_fact), environment, "")                                                \
    FIELD(COLUMNS(xpd_overview_program), programs,                                                 \
          "programs that ran, most time first, at most 100")                                       \
    FIELD(COUNT, programs_left_out, "")
XPD_RECORD_TYPE(xpd_overview, XPD_OVERVIEW_FIELDS)

#endif
