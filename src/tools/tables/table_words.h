/* Words of each instruction, looked up once: op name, source line, op group; and the memory space
 * of each buffer. */
#ifndef XPROFD_SRC_TOOLS_TABLES_TABLE_WORDS_H
#define XPROFD_SRC_TOOLS_TABLES_TABLE_WORDS_H

#include "tools_tables.h"

struct xpd_words {
    const xpd_name_id *op_name; /* by instruction: its own, else of what is inside the fusion */
    const uint32_t *source;     /* by instruction: index of its file:line, 0 = "" */
    const struct xpd_str *text; /* by index: file:line */
    uint32_t text_count;
    const int64_t *color; /* by buffer: xpd_mem_color_of */
    const uint8_t *group; /* by instruction: enum xpd_op_group */
};
const struct xpd_words *xpd_table_words(const struct xpd_tool_ctx *ctx, struct xpd_err *err);
/* The same when it is made already, else NULL: for answers that need few of them. */
const struct xpd_words *xpd_table_words_made(const struct xpd_tool_ctx *ctx);
/* Op group of an instruction (XPD_NO_INDEX: none), out of `words` when they are not NULL. */
static inline enum xpd_op_group xpd_words_group(const struct xpd_words *words,
                                                const struct xpd_hlo *hlo, uint32_t instruction)
{
    return instruction == XPD_NO_INDEX ? XPD_OP_NONE
           : words                     ? (enum xpd_op_group)words->group[instruction]
                                       : xpd_op_group_of(hlo, instruction);
}
/* Its file:line, and the op_name it goes by; "" = none. */
static inline struct xpd_str xpd_words_source(const struct xpd_words *words, uint32_t instruction)
{
    return instruction == XPD_NO_INDEX ? XPD_STR("") : words->text[words->source[instruction]];
}
static inline struct xpd_str xpd_words_op_name(const struct xpd_words *words,
                                               const struct xpd_hlo *hlo, uint32_t instruction)
{
    return instruction == XPD_NO_INDEX ? XPD_STR("")
                                       : xpd_hlo_text(hlo, words->op_name[instruction]);
}

#endif
