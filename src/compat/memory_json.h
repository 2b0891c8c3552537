/* Texts of a memory answer that are needed more than once: shapes and names, made once each. */
#ifndef XPROFD_COMPAT_MEMORY_JSON_H
#define XPROFD_COMPAT_MEMORY_JSON_H

#include "compat.h"
#include "xprofd/hlo/source_info.h"

struct xpd_compat_json {
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    const struct xpd_xprof_memory *numbers;
    struct xpd_arena *arena;
    struct xpd_strbuf scratch;
    struct xpd_str *shape_text; /* by buffer; data NULL = not made yet */
    struct xpd_str *name_text;
};

void xpd_compat_json_init(struct xpd_compat_json *j, const struct xpd_compat_memory *memory,
                          struct xpd_arena *arena);
void xpd_compat_json_fini(struct xpd_compat_json *j);
/* XProf's shape of the buffer as text, with layout. */
struct xpd_str xpd_compat_shape(struct xpd_compat_json *j, const struct xpd_mem_buffer *buffer);
/* Instruction name with "{1,0}" behind it when the buffer is part of a tuple. */
struct xpd_str xpd_compat_name(struct xpd_compat_json *j, uint32_t buffer);
/* "Parameter", "Output", "Thread-local", "Constant", "Temporary". */
const char *xpd_compat_category(uint8_t mem_class);
/* A colour for a block; XProf's have no meaning. */
void xpd_compat_color(uint32_t number, char text[8]);

#endif
