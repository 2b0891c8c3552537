/* The kernel of a custom call: JAX's Pallas stores it for the TPU's Mosaic compiler as MLIR
 * bytecode, in base64 in custom_call_config of the backend config.
 *
 * Source: the MLIR bytecode format (mlir.llvm.org/docs/BytecodeFormat), versions 0 to 6. Read are
 * the header, the sections, the strings, the names of dialects and operations and, in version 0,
 * which Mosaic writes, the operations with operands, results, attributes and types: those of the
 * builtin dialect by their encoding, those of others where they lie as text. Data in another
 * dialect's own encoding is printed as #dialect<N bytes>. Locations are left out, as in MLIR. The
 * bytes are untrusted: everything is bounded and checked. */
#ifndef XPROFD_HLO_KERNEL_H
#define XPROFD_HLO_KERNEL_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

/* The decoded bytes of custom_call_config.body. XPD_ENOTFOUND: there is none; XPD_EFORMAT: invalid
 * base64. */
int xpd_kernel_bytes(struct xpd_str *out, struct xpd_arena *arena, struct xpd_str config,
                     struct xpd_err *err);
/* The text of the bytecode in MLIR's generic form. Comments name what is missing and list the
 * strings. XPD_EFORMAT with the offset if the bytes are not MLIR bytecode; the text names errors
 * after the header. */
int xpd_kernel_text(struct xpd_strbuf *out, struct xpd_arena *arena, struct xpd_str bytes,
                    struct xpd_err *err);

#endif
