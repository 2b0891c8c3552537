/* Shared by the parts of the printer. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_PRINT_INTERNAL_H
#define XPROFD_SRC_HLO_PRINT_INTERNAL_H

#include "../load/load_internal.h"
#include "../load/raw.h"
#include "xprofd/hlo/print.h"

enum { XPD_PRINT_DEPTH = 64 }; /* tuples in literals and shardings */

enum { XPD_SHAPES_KEPT_BITS = 9, XPD_OPCODES_KEPT = 64 };

struct xpd_shape_kept { /* shape NULL: an empty place */
    const struct xpd_shape *shape;
    uint32_t at, size; /* in shape_text */
};

struct xpd_opcode_kept { /* properties of an opcode in print_own.c; all zero for "" */
    xpd_name_id opcode;
    uint32_t row; /* index in its table, from 1; 0 = no own attributes */
};

struct xpd_hlo_printer {
    const struct xpd_hlo *hlo;
    struct xpd_arena arena;   /* as long as the printer */
    struct xpd_arena scratch; /* one instruction */
    struct xpd_arena order_scratch;
    struct xpd_field module;   /* the HloModuleProto */
    struct xpd_field *message; /* by instruction; size 0 = not found again */
    struct xpd_raw top;        /* the module's own fields, computations left out */
    uint32_t *folded_root;     /* by computation: root of a folded async wrapper, or XPD_NO_INDEX */
    uint32_t *order, order_count;
    uint32_t *new_frame; /* by old frame id: XProf's number (print_frames.c); NULL = not made */
    struct xpd_strbuf frames; /* the text of the tables */
    struct xpd_hlo shapes_of; /* arena and warnings for shapes that the columns do not keep */
    struct xpd_hlo_load shapes;
    struct xpd_shape_kept shape_kept[1 << XPD_SHAPES_KEPT_BITS];
    struct xpd_strbuf shape_text;
    struct xpd_opcode_kept opcode_kept[XPD_OPCODES_KEPT];
};

/* One instruction in the making. */
struct xpd_print {
    struct xpd_hlo_printer *printer;
    const struct xpd_hlo *hlo;
    struct xpd_strbuf *out;
    uint32_t flags;
    uint32_t instruction;
    struct xpd_raw raw;
    const char *separator;         /* before each attribute; NULL = ", " */
    struct xpd_hlo_places *places; /* to be filled, or NULL */
    bool no_frontend;              /* the wrapper prints the frontend attributes */
    bool in_lines;                 /* literals of several dimensions: a line for each row */
};

static inline void xpd_print_next(struct xpd_print *p)
{
    xpd_strbuf_puts(p->out, p->separator ? p->separator : ", ");
    if (p->places)
        XPD_PUSH(&p->places->attribute, p->out->size);
}

/* Between keys that XLA prints as one attribute: always a comma. */
static inline void xpd_print_next_key(struct xpd_print *p)
{
    xpd_strbuf_puts(p->out, ", ");
    if (p->places)
        XPD_PUSH(&p->places->attribute, p->out->size);
}

static inline void xpd_print_index(struct xpd_strbuf *out, uint32_t index)
{
    xpd_strbuf_puts(out, ", /*index=");
    xpd_strbuf_u64(out, index);
    xpd_strbuf_puts(out, "*/");
}

/* print_words.c */
void xpd_print_name(struct xpd_print *p, xpd_name_id name);
/* With XPD_PRINT_XPROF as XLA cleans names when it reads a module, else as it is. */
void xpd_print_clean_name(struct xpd_strbuf *out, struct xpd_str text, uint32_t flags);
void xpd_print_escaped(struct xpd_strbuf *out, struct xpd_str text); /* C escapes, octal */
/* Text unchanged if it is one dictionary, else quoted and escaped. */
void xpd_print_dictionary(struct xpd_strbuf *out, struct xpd_str text);
void xpd_print_ints(struct xpd_strbuf *out, struct xpd_raw_ints ints); /* 1,2,3 */
void xpd_print_shape(struct xpd_print *p, const struct xpd_raw *raw,
                     uint32_t number); /* of a field */
const struct xpd_shape *xpd_print_shape_of(struct xpd_hlo_printer *printer,
                                           const struct xpd_field *field);

/* groups_text.c: [4] or [2,2]T(1,0): 0, 1, 2, ... reshaped to dims and transposed, in XLA's
 * shortest form. */
void xpd_print_iota(struct xpd_print *p, struct xpd_raw_ints dims, struct xpd_raw_ints order);
/* print_attributes.c: everything between the operands and the metadata. */
void xpd_print_attributes(struct xpd_print *p, uint32_t wrapped);
void xpd_print_frontend_attributes(struct xpd_print *p, uint32_t number);
/* {op_name="a"}, {op_name="b"} of a repeated OpMetadata. */
void xpd_print_sharding_metadata(struct xpd_print *p, const struct xpd_raw *raw, uint32_t number);
void xpd_print_metadata(struct xpd_print *p); /* ", metadata={...}" of the instruction */
void xpd_print_origin(struct xpd_print *p);   /* ", origin={...}" */
void xpd_print_accuracy(struct xpd_print *p); /* result_accuracy */
/* print_payload.c: backend_config, inline or from the module's pool; whether a shape has few
 * elements. */
struct xpd_str xpd_print_config_of(struct xpd_print *p);
/* The bytes of a Payload: its own, or those of the module's pool. */
struct xpd_str xpd_print_payload_of(struct xpd_print *p, const struct xpd_raw *raw,
                                    uint32_t number);
bool xpd_print_elements_at_most(const struct xpd_shape *shape, int64_t most);
/* print_own.c: attributes of this opcode only. */
void xpd_print_own_attributes(struct xpd_print *p);
/* The instruction of that id: exact, else the same low half in the same computation. */
uint32_t xpd_print_find_local(const struct xpd_print *p, int64_t id);
/* print_sharding.c: with or without its metadata. */
void xpd_print_sharding(struct xpd_print *p, const struct xpd_raw *sharding, int depth,
                        bool metadata);
/* print_mesh.c */
void xpd_print_mesh_groups(struct xpd_print *p, const struct xpd_raw *groups);
void xpd_print_named_sharding(struct xpd_print *p, const struct xpd_raw *named, bool metadata);
/* print_dims.c */
void xpd_print_window(struct xpd_print *p); /* nothing when it has no dimensions */
void xpd_put_window(struct xpd_print *p);
void xpd_print_convolution_dims(struct xpd_print *p);
/* print_precision.c: of that many factors; sparse and scaled operands. */
void xpd_print_precision(struct xpd_print *p, uint32_t factors);
void xpd_print_scaling(struct xpd_print *p);
void xpd_print_triangular(struct xpd_print *p);
/* print_literal.c */
void xpd_print_literal(struct xpd_print *p, const struct xpd_shape *shape,
                       const struct xpd_raw *literal, int depth);
/* Adds the values there are and those there should be; types that are not known count as 0. */
void xpd_print_literal_counts(struct xpd_print *p, const struct xpd_shape *shape,
                              const struct xpd_raw *literal, int depth, uint64_t *have,
                              uint64_t *want);
/* "1, 2, 3": at most `most` values of an array in order of its elements, *all = how many its shape
 * has (UINT64_MAX: more than that); false for tuples and types that are not known. */
bool xpd_print_literal_first(struct xpd_print *p, const struct xpd_shape *shape,
                             const struct xpd_raw *literal, uint64_t most, uint64_t *all);
/* print_frames.c: XProf's numbering of stack frames, made once. */
void xpd_print_make_frames(struct xpd_hlo_printer *printer);

/* The instruction wrapped by an async pair whose computation is only parameters and a root, else
 * XPD_NO_INDEX. */
uint32_t xpd_print_wrapped(const struct xpd_hlo_printer *printer, uint32_t instruction);

static inline struct xpd_str xpd_print_opcode(const struct xpd_print *p)
{
    return xpd_hlo_text(p->hlo, p->hlo->instructions.opcode[p->instruction]);
}

#endif
