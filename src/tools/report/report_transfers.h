/* Groups of transfers on their way from the program to an answer. */
#ifndef XPROFD_SRC_TOOLS_REPORT_REPORT_TRANSFERS_H
#define XPROFD_SRC_TOOLS_REPORT_REPORT_TRANSFERS_H

#include "../tables/module_text.h"
#include "report_keys.h"
#include "report_times.h"

#define XPD_TRANSFER_EACH_MAX 20 /* transfers of a group that are listed */

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
};

struct xpd_transfer_rank {
    int64_t moved;
    uint32_t group;
};

/* XPD_NO_INDEX = it has none. */
uint32_t xpd_transfer_operand(const struct xpd_hlo *hlo, uint32_t instruction);
/* What arrives: of a start the part of its tuple that is written. */
const struct xpd_shape *xpd_transfer_result(const struct xpd_transfers *t, uint32_t instruction);

/* The answer: groups in the order of `rank`. */
void xpd_transfers_write(struct xpd_jsonw *w, struct xpd_transfers *t,
                         const struct xpd_transfer_rank *rank, uint32_t n);
void xpd_transfers_csv(struct xpd_tool_result *out, const struct xpd_transfers *t,
                       const struct xpd_transfer_rank *rank, uint32_t n);

#endif
