/* The body of a custom call that is a kernel of its own: what JAX's Pallas leaves for the TPU's
 * Mosaic compiler is MLIR bytecode, as base64 in custom_call_config of the backend config.
 *
 * Source: the MLIR bytecode format (mlir.llvm.org/docs/BytecodeFormat), versions 0 to 6. Read are
 * the header, the sections, the strings, the names of dialects and operations and, in version 0,
 * which Mosaic writes, the operations with operands, results, attributes and types: those of the
 * builtin dialect by their encoding, those of others where they lie as text. What is encoded in
 * another dialect's own way stands as #dialect<N bytes>. Locations are left out, as MLIR does. The
 * bytes are the file's: everything is bounded and checked. */
#ifndef XPROFD_HLO_KERNEL_H
#define XPROFD_HLO_KERNEL_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

/* The decoded bytes of custom_call_config.body. XPD_ENOTFOUND: there is none; XPD_EFORMAT: it is no
 * base64. */
int xpd_kernel_bytes(struct xpd_str *out, struct xpd_arena *arena, struct xpd_str config,
                     struct xpd_err *err);
/* What the bytes say, as MLIR prints it in its generic form. Where something is missing, comments
 * around it say what, and list the strings. XPD_EFORMAT with the byte when they are no MLIR
 * bytecode; what cannot be read behind the header is said in the text. */
int xpd_kernel_text(struct xpd_strbuf *out, struct xpd_arena *arena, struct xpd_str bytes,
                    struct xpd_err *err);

#endif
