/* Parser of MLIR bytecode. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_KERNEL_INTERNAL_H
#define XPROFD_SRC_HLO_KERNEL_INTERNAL_H

#include "xprofd/hlo/kernel.h"

#include <string.h>

enum {
    XPD_MLIR_STRINGS = 0,
    XPD_MLIR_DIALECTS = 1,
    XPD_MLIR_ENTRIES = 2, /* attributes, then types */
    XPD_MLIR_OFFSETS = 3,
    XPD_MLIR_IR = 4,
    XPD_MLIR_SECTIONS = 16
};
enum { XPD_MLIR_DEPTH = 32 }; /* attributes and types inside of each other */

struct xpd_mlir_bytes {
    const uint8_t *at, *end;
    bool failed; /* past the end */
};

struct xpd_mlir_op {
    struct xpd_str dialect, name;
};

struct xpd_mlir_entry { /* an attribute or a type */
    struct xpd_mlir_bytes bytes;
    struct xpd_str dialect;
    bool encoded; /* in the dialect's own way; else it is text, as MLIR prints it */
};

struct xpd_mlir {
    struct xpd_arena *arena;
    uint64_t version;
    struct xpd_mlir_bytes section[XPD_MLIR_SECTIONS];
    struct xpd_str *string, *dialect;
    struct xpd_mlir_op *op;
    struct xpd_mlir_entry *attribute, *type;
    uint32_t string_count, dialect_count, op_count, attribute_count, type_count;
    size_t text_most; /* bytes; attributes and types name each other, so that a few bytes could
                         make text without end */
    uint32_t unknown; /* attributes and types that were not understood */
    bool cut;         /* something could not be read */
    bool full;        /* text_most was reached */
};

/* kernel_bytes.c */
uint64_t xpd_mlir_int(struct xpd_mlir_bytes *from);
int64_t xpd_mlir_signed(struct xpd_mlir_bytes *from); /* 0, -1, 1, -2 as 0, 1, 2, 3 */
/* A count that the bytes left can hold; else 0, and failed. */
uint32_t xpd_mlir_count(struct xpd_mlir_bytes *from);
struct xpd_str xpd_mlir_string(const struct xpd_mlir *m, uint64_t index); /* "?" for none */
/* With \XX for bytes that are not printable ASCII. */
void xpd_mlir_put(struct xpd_strbuf *out, struct xpd_str text);
/* kernel_operations.c */
void xpd_mlir_put_operations(struct xpd_strbuf *out, struct xpd_mlir *m);
/* kernel_bytes.c */
void xpd_mlir_read_entries(struct xpd_mlir *m);
void xpd_mlir_put_entry(struct xpd_strbuf *out, struct xpd_mlir *m,
                        const struct xpd_mlir_entry *entry, const char *prefix);
/* kernel_attributes.c. `elide`: where MLIR leaves out the type of a 64-bit number. */
void xpd_mlir_put_attribute(struct xpd_strbuf *out, struct xpd_mlir *m, uint64_t index, int depth,
                            bool elide);
/* The members of a dictionary in braces after `before`, except one named `without` (may be NULL);
 * nothing if it is empty. */
void xpd_mlir_put_dictionary(struct xpd_strbuf *out, struct xpd_mlir *m, uint64_t index, int depth,
                             const char *before, const char *without);
/* The string of the member `name` of a dictionary; size 0 = there is none. */
struct xpd_str xpd_mlir_member(const struct xpd_mlir *m, uint64_t dictionary, const char *name);
/* kernel_types.c */
void xpd_mlir_put_type(struct xpd_strbuf *out, struct xpd_mlir *m, uint64_t index, int depth);

struct xpd_mlir_number { /* encoding and text form of numbers of a type */
    uint32_t bits;       /* 0 = no type of numbers */
    char kind;           /* 'i' signed or signless, 'u' unsigned, 'x' index, 'f' float, 'b' bf16 */
};
struct xpd_mlir_number xpd_mlir_number_of(const struct xpd_mlir *m, uint64_t type);
/* Of a vector, tensor or memref: its elements' type and how many there are; dims at most `most`. */
struct xpd_mlir_shape {
    uint64_t element;
    uint32_t rank;
    const int64_t *dims; /* in the arena */
    uint64_t count;      /* of elements, UINT64_MAX when some dimension is not known */
};
bool xpd_mlir_shape_of(const struct xpd_mlir *m, uint64_t type, struct xpd_mlir_shape *shape);
/* kernel_bytes.c: `bits` of a number as MLIR prints it. */
void xpd_mlir_put_number(struct xpd_strbuf *out, struct xpd_mlir_number number, uint64_t bits);

#endif
