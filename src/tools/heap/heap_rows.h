/* A row of groups as answers show it. */
#ifndef XPROFD_SRC_TOOLS_HEAP_ROWS_H
#define XPROFD_SRC_TOOLS_HEAP_ROWS_H

#include "heap_open.h"

#define XPD_HEAP_DEVICES_MAX 64 /* of which a row says its share */

#define XPD_HEAP_FRAME_FIELDS(FIELD)                                                               \
    FIELD(TEXT, label, "train.py:41; of code without symbols libfoo.so+0x3f20")                    \
    FIELD(TEXT, function, "\"\": not said")                                                        \
    FIELD(MAYBE(TEXT), file, "with its path; null: not recorded")                                  \
    FIELD(MAYBE(INT), line, "null: not said")                                                      \
    FIELD(MAYBE(INT), start_line, "of the function")                                               \
    FIELD(BOOL, own, "your code, not that of a library")
XPD_RECORD_TYPE(xpd_heap_frame_row, XPD_HEAP_FRAME_FIELDS)

#define XPD_HEAP_ROW_FIELDS(FIELD)                                                                 \
    FIELD(TEXT, key, "value for the parameter `line`, where rows are lines")                       \
    FIELD(TEXT, label, "train.py:41, or a substitute")                                             \
    FIELD(MAYBE(TEXT), function, "")                                                               \
    FIELD(MAYBE(TEXT), file, "with its path")                                                      \
    FIELD(MAYBE(INT), line, "")                                                                    \
    FIELD(BOOL, own, "your code")                                                                  \
    FIELD(BOOL, executables, "compiled programs, not arrays")                                      \
    FIELD(SIGNED, value, "in the unit of the answer")                                              \
    FIELD(REAL, share, "of the sum of all rows")                                                   \
    FIELD(MAYBE(SIGNED), base_value, "in the file compared with; null: none")                      \
    FIELD(MAYBE(SIGNED), change, "value less base_value")                                          \
    FIELD(SIGNED, count, "allocations")                                                            \
    FIELD(MAYBE(SIGNED), base_count, "")                                                           \
    FIELD(MAYBE(INT), mean, "value / count, in the unit of the answer; null: nothing is counted")  \
    FIELD(MAYBE(INT), size_bytes, "of one allocation, where rows are sizes")                       \
    FIELD(WORD(XPD_HEAP_VERDICT_WORDS), growth,                                                    \
          "grows: in three or more files of the series, each has more than the one before")        \
    FIELD(MAYBE(SIGNED), last_per_step,                                                            \
          "change since the previous file / steps between; null: no previous file")                \
    FIELD(MAYBE(SIGNED), per_step, "least squares over the files of the series")                   \
    FIELD(MAYBE(REAL), r2, "of that")                                                              \
    FIELD(VALUES(SIGNED), values, "by file of the series")                                         \
    FIELD(VALUES(SIGNED), devices, "by device of the answer; empty: more than 64, or none")        \
    FIELD(LIST(xpd_heap_frame_row), stack,                                                         \
          "innermost first: the stack itself, else the largest stack of the row")
XPD_RECORD_TYPE(xpd_heap_line_row, XPD_HEAP_ROW_FIELDS)

/* Devices of the file that is shown, by name; at most XPD_HEAP_DEVICES_MAX, else none. */
struct xpd_heap_devices {
    const struct xpd_str *name;
    uint32_t count;
};

struct xpd_heap_lines {
    const struct xpd_heap_ask *ask;
    struct xpd_heap_groups groups;
    struct xpd_heap_devices devices;
    int64_t *by_device; /* row * devices.count + device, of the file that is shown */
};
int xpd_heap_lines_make(struct xpd_heap_lines *out, const struct xpd_heap_ask *ask,
                        enum xpd_heap_by by, struct xpd_err *err);
/* Whether the file that is shown, or the one it is compared with, has anything of the row. */
bool xpd_heap_lines_has(const struct xpd_heap_lines *lines, uint32_t row);
int64_t xpd_heap_lines_value(const struct xpd_heap_lines *lines, uint32_t row);
/* 0 without a file to compare with. */
int64_t xpd_heap_lines_change(const struct xpd_heap_lines *lines, uint32_t row);
struct xpd_heap_growth xpd_heap_lines_growth(const struct xpd_heap_lines *lines, uint32_t row);
/* Texts in the arena of the request; with_stack fills `stack`. */
void xpd_heap_lines_row(const struct xpd_heap_lines *lines, uint32_t row, bool with_stack,
                        struct xpd_heap_line_row *out);

#endif
