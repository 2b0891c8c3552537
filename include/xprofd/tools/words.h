/* How buffers and instructions are called, the same in every answer and on the command line. */
#ifndef XPROFD_TOOLS_WORDS_H
#define XPROFD_TOOLS_WORDS_H

#include "xprofd/base/strbuf.h"
#include "xprofd/memory/memory.h"

/* Appends `<instruction>{i,j}`; a buffer without instruction is "buffer <id>". */
void xpd_tools_buffer_name(struct xpd_strbuf *out, const struct xpd_mem *mem, uint32_t buffer);

struct xpd_str xpd_tools_instruction_name(const struct xpd_hlo *hlo, uint32_t instruction);

/* "train.py:88"; without a line (0 or less) the file alone. */
void xpd_tools_put_place(struct xpd_strbuf *out, struct xpd_str file, int64_t line);
/* Appends "file:line" as recorded, nothing when unknown. */
void xpd_tools_source(struct xpd_strbuf *out, const struct xpd_hlo *hlo, uint32_t instruction);

#endif
