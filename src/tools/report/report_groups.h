/* Groups of what is held on their way to an answer. */
#ifndef XPROFD_SRC_TOOLS_REPORT_REPORT_GROUPS_H
#define XPROFD_SRC_TOOLS_REPORT_REPORT_GROUPS_H

#include "../tables/module_text.h"
#include "report_keys.h"
#include "report_times.h"
#include "report_types.h"

#define XPD_REPORT_LITERAL_FIELDS(FIELD)                                                           \
    FIELD(TEXT, text, "the first values")                                                          \
    FIELD(INT, shown, "how many these are")                                                        \
    FIELD(INT, count, "of all values")
XPD_RECORD_TYPE(xpd_report_literal, XPD_REPORT_LITERAL_FIELDS)

#define XPD_REPORT_GROUPS_ROW_FIELDS(FIELD)                                                        \
    FIELD(TEXT, name, "of the group, or of the buffer")                                            \
    XPD_REPORT_VALUES_FIELDS(FIELD)                                                                \
    FIELD(VALUES(INT), held, "buffers at each of `steps`")                                         \
    FIELD(MAYBE(INT), instructions,                                                                \
          "of the whole program; null: the grouping is of buffers, or filtered")                   \
    XPD_REPORT_TIMES_FIELDS(FIELD)                                                                 \
    FIELD(MAYBE(LIST(xpd_report_types_row)), types,                                                \
          "`by=opcode` and `signature`: types of operands and result, the most frequent four")     \
    FIELD(MAYBE(INT), types_left_out, "")                                                          \
    FIELD(MAYBE(STRING), origin, "`by=signature`: whose code it is")                               \
    FIELD(MAYBE(INDEX), buffer, "this and what follows: of `by=buffer`, else null")                \
    FIELD(MAYBE(INDEX), tenancy, "null: always there")                                             \
    FIELD(MAYBE(INT), offset_bytes, "address in the heap; null: always there")                     \
    FIELD(MAYBE(INDEX), start_step, "held from here on; null: always there")                       \
    FIELD(MAYBE(INDEX), end_step, "up to, not including, this one")                                \
    FIELD(MAYBE(TEXT), instruction, "that defines it")                                             \
    FIELD(MAYBE(TEXT), shape, "without layout")                                                    \
    FIELD(MAYBE(TEXT), row, "of `report/details`")                                                 \
    FIELD(MAYBE(INT), fused, "instructions inside of it")                                          \
    FIELD(MAYBE(TEXT), body, "computation inside of a fusion")                                     \
    FIELD(MAYBE(TEXT), operand_types, "of the instruction")                                        \
    FIELD(BOOL, is_constant, "")                                                                   \
    FIELD(MAYBE(OBJECT(xpd_report_literal)), literal,                                              \
          "of a constant; null: the profile does not hold its values")
XPD_RECORD_TYPE(xpd_report_groups_row, XPD_REPORT_GROUPS_ROW_FIELDS)

#define XPD_REPORT_GROUPS_FIELDS(FIELD)                                                            \
    XPD_REPORT_VIEW_FIELDS(FIELD)                                                                  \
    FIELD(MAYBE(OBJECT(xpd_report_timed)), times, "null: not asked for")                           \
    FIELD(OBJECT(xpd_report_values), total, "of all groups")                                       \
    FIELD(VALUES(INT), live_bytes, "held, at each of `steps`")                                     \
    FIELD(COUNT, n, "groups")                                                                      \
    FIELD(LIST(xpd_report_groups_row), rows, "the largest at the first step first")                \
    FIELD(COUNT, left_out, "groups beyond `limit`")                                                \
    FIELD(OBJECT(xpd_report_values), rest, "of these")
XPD_RECORD_TYPE(xpd_report_groups_answer, XPD_REPORT_GROUPS_FIELDS)

struct xpd_report_group {
    uint32_t key;
    int64_t first, most; /* bytes at the first step asked for, and at the fullest of all of them */
};

struct xpd_report_groups {
    struct xpd_report_groups_answer out; /* first: the CSV asks for `by`, too */
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    struct xpd_report_view view;
    struct xpd_names names;
    struct xpd_report_keys keys;
    enum xpd_report_by by;
    int64_t *bytes, *count; /* by key and place */
    int64_t *rest, *total;  /* by place: groups over the limit; all of them */
    struct xpd_report_group *group;
    uint32_t group_count, written;
    uint32_t *row_of; /* by key, of XPD_BY_BUFFER */
    struct xpd_report_times times;
    struct xpd_module_text text;   /* open when constants are listed */
    struct xpd_report_types types; /* of XPD_BY_SIGNATURE and XPD_BY_OPCODE */
    uint32_t filtered_rows;
};

/* Whether the buffer of a key is defined by a constant. */
bool xpd_report_is_constant(const struct xpd_report_groups *g, uint32_t key);
/* g->out of the groups; csv: of g->out. */
int xpd_report_groups_put(struct xpd_report_groups *g, struct xpd_err *err);
void xpd_report_groups_csv(struct xpd_csv *csv, const void *answer);

#endif
