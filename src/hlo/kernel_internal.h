/* MLIR bytecode taken apart. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_KERNEL_INTERNAL_H
#define XPROFD_SRC_HLO_KERNEL_INTERNAL_H

#include "xprofd/hlo/kernel.h"

#include <string.h>

enum { XPD_MLIR_STRINGS = 0, XPD_MLIR_DIALECTS = 1, XPD_MLIR_IR = 4, XPD_MLIR_SECTIONS = 16 };

struct xpd_mlir_bytes {
    const uint8_t *at, *end;
    bool failed; /* past the end */
};

struct xpd_mlir_op {
    struct xpd_str dialect, name;
};

struct xpd_mlir {
    struct xpd_arena *arena;
    uint64_t version;
    struct xpd_mlir_bytes section[XPD_MLIR_SECTIONS];
    struct xpd_str *string, *dialect;
    struct xpd_mlir_op *op;
    uint32_t string_count, dialect_count, op_count;
    bool cut; /* something could not be read */
};

uint64_t xpd_mlir_int(struct xpd_mlir_bytes *from);
/* With \XX for what is no printable ASCII. */
void xpd_mlir_put(struct xpd_strbuf *out, struct xpd_str text);
/* kernel_operations.c */
void xpd_mlir_put_operations(struct xpd_strbuf *out, struct xpd_mlir *m);

#endif
