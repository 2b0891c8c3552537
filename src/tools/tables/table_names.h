/* The names of all instructions and buffers of a module as a tree of their beginnings, so that a
 * regular expression reads what they have in common only once. */
#ifndef XPROFD_SRC_TOOLS_TABLES_TABLE_NAMES_H
#define XPROFD_SRC_TOOLS_TABLES_TABLE_NAMES_H

#include "tables.h"
#include "xprofd/match/dfa.h"

/* A buffer's name is its instruction's, and its shape index behind it: "fusion.1{0}". */
struct xpd_name_table {
    struct xpd_text_tree tree;   /* of instructions' names, in small letters; a text each */
    const uint32_t *of_buffer;   /* its instruction; XPD_NO_INDEX = none with a name, "buffer 7" */
    const uint32_t *index_of;    /* by buffer: which of index[] is behind; 0 = "" */
    const struct xpd_str *index; /* distinct ones */
    uint32_t index_count;
    bool odd; /* nothing of this: a name holds a zero byte, or is longer than XPD_DFA_TEXT_MAX, or
                 all are more than 4 GiB */
};
const struct xpd_name_table *xpd_table_names(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
