/* The answer of /api/v1/doctor: findings of memory and of time in one list. */
#ifndef XPROFD_SRC_TOOLS_DOCTOR_DOCTOR_ANSWER_H
#define XPROFD_SRC_TOOLS_DOCTOR_DOCTOR_ANSWER_H

#include "diagnosis.h"
#include "xprofd/answer/record.h"

#define XPD_FINDING_NUMBER_FIELDS(FIELD)                                                           \
    FIELD(STRING, name, "")                                                                        \
    FIELD(SIGNED, value, "")                                                                       \
    FIELD(WORD("bytes count step permille ps"), unit, "of the value")
XPD_RECORD_TYPE(xpd_finding_number, XPD_FINDING_NUMBER_FIELDS)

#define XPD_FINDING_SOURCE_FIELDS(FIELD)                                                           \
    FIELD(TEXT, file, "")                                                                          \
    FIELD(MAYBE(INT), line, "")
XPD_RECORD_TYPE(xpd_finding_source_line, XPD_FINDING_SOURCE_FIELDS)

#define XPD_FINDING_OP_FIELDS(FIELD)                                                               \
    FIELD(TEXT, name, "of the instruction")                                                        \
    FIELD(INT, self_ps,                                                                            \
          "in one execution of the program; trace/ops has the sum over all executions")            \
    FIELD(INT, saving_ps, "the largest possible saving of an execution")
XPD_RECORD_TYPE(xpd_finding_op_row, XPD_FINDING_OP_FIELDS)

#define XPD_FINDING_LISTED_FIELDS(FIELD)                                                           \
    FIELD(INDEX, buffer, "")                                                                       \
    FIELD(TEXT, name, "path of an argument as the program calls it, else `%` and the instruction")
XPD_RECORD_TYPE(xpd_finding_listed_row, XPD_FINDING_LISTED_FIELDS)

#define XPD_FINDING_LIST_FIELDS(FIELD)                                                             \
    FIELD(WORD("buffer argument"), what, "")                                                       \
    FIELD(COUNT, count, "listed or not")                                                           \
    FIELD(INLINE(xpd_finding_listed_row), rows, "at most 60")
XPD_RECORD_TYPE(xpd_finding_list, XPD_FINDING_LIST_FIELDS)

#define XPD_FINDING_ROW_FIELDS(FIELD)                                                              \
    FIELD(STRING, id, "of the rule: D01 to D30 of memory, T01 to T13 of time, H01 of heap files")  \
    FIELD(STRING, name, "of the rule")                                                             \
    FIELD(WORD("memory time heap"), kind, "")                                                      \
    FIELD(WORD("error warn info"), severity, "")                                                   \
    FIELD(WORD("fact likely hint"), confidence,                                                    \
          "fact: follows from the file; likely: matched by names and shapes; hint: worth a look")  \
    FIELD(MAYBE(INT), space, "memory space; null: of time, of heap files, or of no space")         \
    FIELD(MAYBE(STRING), space_name, "")                                                           \
    FIELD(TEXT, claim, "one or two sentences with the numbers")                                    \
    FIELD(TEXT, advice, "what to try")                                                             \
    FIELD(MAYBE(STRING), wrong_when, "when it may be wrong")                                       \
    FIELD(MAYBE(TEXT), place, "text that patterns of muted rules are matched against")             \
    FIELD(MAYBE(TEXT), instruction, "the main instruction of the finding")                         \
    FIELD(MAYBE(TEXT), op_name, "of that instruction")                                             \
    FIELD(MAYBE(OBJECT(xpd_finding_source_line)), source,                                          \
          "of that instruction, or of the line of a heap file")                                    \
    FIELD(MAYBE(TEXT), line, "of heap files: key of the line's row in heap/lines")                 \
    FIELD(LIST(xpd_finding_number), numbers, "the numbers of the claim, machine-readable")         \
    FIELD(MAYBE(REAL), share,                                                                      \
          "rank of the finding: the saving as a share of `share_of`; null: no saving is computed") \
    FIELD(MAYBE(STRING), share_of,                                                                 \
          "for time a run or a step; for bytes the device's memory, or the peak if its size is "   \
          "unknown; for heap files what the last file holds")                                      \
    FIELD(MAYBE(INT), saving_ps, "for time: the largest possible saving of the run or step")       \
    FIELD(MAYBE(INT), of_ps, "for time: its length")                                               \
    FIELD(COLUMNS(xpd_finding_op_row), operations,                                                 \
          "for time: largest saving first, at most 1,000")                                         \
    FIELD(COUNT, operations_left_out, "beyond these")                                              \
    FIELD(INT, size_bytes, "size of the buffers of the finding; of heap files the growth")         \
    FIELD(MAYBE(INT), saving_bytes,                                                                \
          "how far the peak falls when `action` is applied to the buffers")                        \
    FIELD(MAYBE(STRING), action, "drop, unpad, halve, ...: the change that the saving assumes")    \
    FIELD(MAYBE(INT), new_peak_bytes, "after it")                                                  \
    FIELD(MAYBE(INDEX), new_step, "where that peak is")                                            \
    FIELD(MAYBE(WORD("yes no")), fits_then,                                                        \
          "whether the program then fits into the main memory; null: unknown, or another space")   \
    FIELD(MAYBE(TEXT), saving_note, "why the saving is less than the size of the finding")         \
    FIELD(VALUES(INDEX), overlaps,                                                                 \
          "indices in `findings` of findings that change the same buffers; their savings do not "  \
          "add up")                                                                                \
    FIELD(COUNT, buffer_count, "")                                                                 \
    FIELD(VALUES(INDEX), buffers, "largest first, at most 1,000")                                  \
    FIELD(COUNT, buffers_left_out, "beyond these")                                                 \
    FIELD(MAYBE(TEXT), largest, "name of the largest buffer")                                      \
    FIELD(MAYBE(TEXT), largest_shape, "with its layout")                                           \
    FIELD(OBJECT(xpd_finding_list), listed,                                                        \
          "what to show: the buffers, or the arguments that should be donated")                    \
    FIELD(MAYBE(TEXT), silenced, "why it is muted; null: not muted")
XPD_RECORD_TYPE(xpd_finding_row, XPD_FINDING_ROW_FIELDS)

#define XPD_DOCTOR_MEASURED_FIELDS(FIELD)                                                          \
    FIELD(BOOL, known, "events were recorded, and rules of time checked")                          \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(MAYBE(STRING), host, "whose times these are")                                            \
    FIELD(COUNT, other_hosts, "other hosts with events, which are not in these numbers")           \
    FIELD(MAYBE(WORD("device host mixed")), clock, "of the operations")                            \
    FIELD(COUNT, chips, "chips that ran the program; without a program, chips with steps")         \
    FIELD(MAYBE(INT), runs, "executions of the program on all chips; null: unknown")               \
    FIELD(INT, operations_ps, "self time of its operations in all these runs")                     \
    FIELD(INT, steps, "over all chips; 0: none was recorded")                                      \
    FIELD(MAYBE(STRING), steps_of,                                                                 \
          "program whose runs are the steps, if not `module`; null: it is, or they are marked")    \
    FIELD(MAYBE(WORD("device host")), steps_clock, "of the steps")                                 \
    FIELD(MAYBE(TEXT), not_judged, "rules of time that could not be checked, and why")
XPD_RECORD_TYPE(xpd_doctor_measured, XPD_DOCTOR_MEASURED_FIELDS)

#define XPD_DOCTOR_SETTING_FIELDS(FIELD)                                                           \
    FIELD(STRING, name, "")                                                                        \
    FIELD(REAL, value, "")                                                                         \
    FIELD(REAL, default_value, "the default in docs/CI.md")                                        \
    FIELD(WORD("share bytes count us"), unit, "")                                                  \
    FIELD(STRING, help, "")
XPD_RECORD_TYPE(xpd_doctor_setting, XPD_DOCTOR_SETTING_FIELDS)

#define XPD_DOCTOR_HEAP_FIELDS(FIELD)                                                              \
    FIELD(TEXT, series, "file name with # for the number")                                         \
    FIELD(COUNT, files, "of the series")                                                           \
    FIELD(COUNT, judged, "those that growth is told from; 0: growth is unknown")                   \
    FIELD(MAYBE(TEXT), first, "the first of those")                                                \
    FIELD(MAYBE(TEXT), last, "and the last")                                                       \
    FIELD(MAYBE(INT), last_bytes, "all that the last file holds")                                  \
    FIELD(MAYBE(INT), growing, "lines that grow; null: unknown")                                   \
    FIELD(MAYBE(STRING), reason, "why growth is unknown")
XPD_RECORD_TYPE(xpd_doctor_heap_row, XPD_DOCTOR_HEAP_FIELDS)

#define XPD_DOCTOR_ANSWER_FIELDS(FIELD)                                                            \
    FIELD(COUNT, schema, "1")                                                                      \
    FIELD(STRING, run, "")                                                                         \
    FIELD(MAYBE(STRING), module, "key; null: the profile holds no program")                        \
    FIELD(LIST(xpd_doctor_heap_row), heap, "series of heap files; empty: the run has none")        \
    FIELD(MAYBE(INT), capacity_bytes, "of the main memory")                                        \
    FIELD(MAYBE(STRING), capacity_from, "where the value comes from")                              \
    FIELD(MAYBE(STRING), capacity_unknown, "why it is unknown")                                    \
    FIELD(MAYBE(INT), space, "number of the main memory; null: the program has none")              \
    FIELD(MAYBE(INT), peak_bytes, "of the main memory")                                            \
    FIELD(MAYBE(INDEX), peak_step, "")                                                             \
    FIELD(COUNT, rules_checked, "of memory, of time, of heap files")                               \
    FIELD(COUNT, rules_not_judged, "rules of these not checked, because data is missing")          \
    FIELD(MAYBE(TEXT), not_judged,                                                                 \
          "rules of memory or heap files that could not be checked, and why")                      \
    FIELD(OBJECT(xpd_doctor_measured), measured, "times, where events were recorded")              \
    FIELD(LIST(xpd_doctor_setting), settings, "thresholds that differ from docs/CI.md")            \
    FIELD(COUNT, found, "findings that are not muted")                                             \
    FIELD(COUNT, silenced, "findings that are muted")                                              \
    FIELD(COUNT, shown, "number that a page shows before it folds")                                \
    FIELD(LIST(xpd_finding_row), findings, "`does-not-fit` first, then by share, muted ones last")
XPD_RECORD_TYPE(xpd_doctor_answer, XPD_DOCTOR_ANSWER_FIELDS)

/* Fills the record from a diagnosis; texts live in ctx->arena or in the diagnosis. XPD_ENOMEM. */
int xpd_doctor_answer_fill(struct xpd_doctor_answer *out, const struct xpd_tool_ctx *ctx,
                           const struct xpd_diagnosis *d, struct xpd_err *err);

#endif
