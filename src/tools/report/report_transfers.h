/* Groups of transfers on their way from the program to an answer. */
#ifndef XPROFD_SRC_TOOLS_REPORT_REPORT_TRANSFERS_H
#define XPROFD_SRC_TOOLS_REPORT_REPORT_TRANSFERS_H

#include "../tables/module_text.h"
#include "report_keys.h"
#include "report_times.h"

#define XPD_TRANSFER_EACH_MAX 20 /* transfers of a group that are listed */

#define XPD_TRANSFER_ONE_FIELDS(FIELD)                                                             \
    FIELD(TEXT, name, "of the instruction")                                                        \
    FIELD(MAYBE(TEXT), operand, "what it moves")                                                   \
    FIELD(TEXT, shape, "of what arrives, without layout")                                          \
    FIELD(BOOL, of_program, "it has an op name; else the compiler added it")                       \
    FIELD(MAYBE(TEXT), groups, "who talks to whom; null: it is not said")                          \
    FIELD(MAYBE(TEXT), groups_words, "what that means")
XPD_RECORD_TYPE(xpd_transfer_one, XPD_TRANSFER_ONE_FIELDS)

#define XPD_TRANSFER_AMOUNTS_FIELDS(FIELD)                                                         \
    FIELD(COUNT, count, "transfers")                                                               \
    FIELD(COUNT, of_program, "with an op name; the rest was added by the compiler")                \
    FIELD(INT, operand_bytes, "of the operands, without padding")                                  \
    FIELD(INT, result_bytes, "of what arrives, without padding")
#define XPD_TRANSFER_AMOUNTS_OF(group)                                                             \
    .count = (group)->count, .of_program = (group)->of_program,                                    \
    .operand_bytes = (group)->operand_bytes, .result_bytes = (group)->result_bytes

#define XPD_TRANSFER_TOTAL_FIELDS(FIELD)                                                           \
    XPD_TRANSFER_AMOUNTS_FIELDS(FIELD)                                                             \
    XPD_REPORT_VALUES_FIELDS(FIELD)
XPD_RECORD_TYPE(xpd_transfer_total, XPD_TRANSFER_TOTAL_FIELDS)

#define XPD_TRANSFER_ROW_FIELDS(FIELD)                                                             \
    FIELD(TEXT, name, "of the instructions, without their number")                                 \
    FIELD(TEXT, kind, "opcode")                                                                    \
    FIELD(TEXT, from, "memory space")                                                              \
    FIELD(TEXT, to, "memory space")                                                                \
    XPD_TRANSFER_AMOUNTS_FIELDS(FIELD)                                                             \
    XPD_REPORT_TIMES_FIELDS(FIELD)                                                                 \
    XPD_REPORT_VALUES_FIELDS(FIELD)                                                                \
    FIELD(LIST(xpd_transfer_one), each, "at most 20")
XPD_RECORD_TYPE(xpd_transfer_row, XPD_TRANSFER_ROW_FIELDS)

#define XPD_TRANSFERS_FIELDS(FIELD)                                                                \
    XPD_REPORT_VIEW_FIELDS(FIELD)                                                                  \
    FIELD(MAYBE(OBJECT(xpd_report_timed)), times, "null: not asked for")                           \
    FIELD(COUNT, n, "groups")                                                                      \
    FIELD(LIST(xpd_transfer_row), rows, "those that move most first; values: held")                \
    FIELD(COUNT, left_out, "groups beyond `limit`")                                                \
    FIELD(OBJECT(xpd_transfer_total), total, "of all groups, listed or not")
XPD_RECORD_TYPE(xpd_transfers_answer, XPD_TRANSFERS_FIELDS)

struct xpd_transfer { /* a group */
    uint32_t name, kind, from, to;
    uint32_t count,
        of_program; /* of_program: with an op name, the rest was added by the compiler */
    int64_t operand_bytes, result_bytes;
    uint32_t each[XPD_TRANSFER_EACH_MAX];
};

struct xpd_transfers {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    struct xpd_report_view view;
    struct xpd_names names;
    struct xpd_map64 group_of; /* opcode, name, from and to: a name of its own */
    uint32_t *of_instruction;  /* group + 1; of starts, plain ones and dones */
    struct xpd_transfer *group;
    uint32_t count;
    int64_t *bytes; /* held, by group and place */
    const char *platform;
    struct xpd_report_times times;
    bool any_collective;
    struct xpd_module_text text; /* open when the answer names a collective */
    struct xpd_transfers_answer out;
};

struct xpd_transfer_rank {
    int64_t moved;
    uint32_t group;
};

/* XPD_NO_INDEX = it has none. */
uint32_t xpd_transfer_operand(const struct xpd_hlo *hlo, uint32_t instruction);
/* What arrives: of a start the part of its tuple that is written. */
const struct xpd_shape *xpd_transfer_result(const struct xpd_transfers *t, uint32_t instruction);

/* t->out: `n` groups in the order of `rank`; csv: of that. */
int xpd_transfers_put(struct xpd_transfers *t, const struct xpd_transfer_rank *rank, uint32_t n,
                      struct xpd_err *err);
void xpd_transfers_csv(struct xpd_csv *csv, const void *answer);

#endif
