/* The parts of one instruction of HLO text: `%name = shape opcode(operands), key=value, ...`.
 *
 * The text may be pasted by a person (any form XLA prints: with or without % signs, operand shapes,
 * metadata) or printed by us. Rules of the text: XLA's HloInstruction::ToString.
 * Everything borrows the text; arrays live in the caller's arena. */
#ifndef XPROFD_EXPLAIN_LINE_H
#define XPROFD_EXPLAIN_LINE_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/str.h"
#include "xprofd/hlo/shape.h"

enum { XPD_LINE_BYTES_MOST = 1 << 20 };                          /* longer texts are refused */
enum { XPD_SHAPE_PARSED_RANK = 32, XPD_SHAPE_PARSED_TILES = 8 }; /* more is not a shape */

struct xpd_line_operand {
    struct xpd_str text;           /* all of it */
    struct xpd_str name;           /* without %; a number for parameter(0) */
    const struct xpd_shape *shape; /* NULL = not in the text */
};

struct xpd_line_attribute {
    struct xpd_str text, key, value; /* key=value; the value may be "" */
};

struct xpd_hlo_line {
    struct xpd_str text;
    bool is_root;
    struct xpd_str name, opcode;
    const struct xpd_shape *shape;
    /* Where the parts of an array's shape stand in the text; empty when they are not there, and for
     * tuples all but shape_text. */
    struct xpd_str shape_text, type_text, dims_text, order_text, tiles_text, space_text;
    struct xpd_str operands_text; /* between the parentheses */
    struct xpd_line_operand *operand;
    uint32_t operand_count;
    struct xpd_line_attribute *attribute;
    uint32_t attribute_count;
};

/* XPD_EFORMAT with a sentence that says what was expected, and at which byte. */
int xpd_line_parse(struct xpd_hlo_line *out, struct xpd_arena *arena, struct xpd_str text,
                   struct xpd_err *err);
/* The line of an instruction of a module. Beyond XPD_LINE_BYTES_MOST the text has no operand
 * shapes, but the shapes are still known. */
struct xpd_hlo;
struct xpd_hlo_printer;
int xpd_line_of(struct xpd_hlo_line *out, struct xpd_arena *arena, const struct xpd_hlo *hlo,
                struct xpd_hlo_printer *printer, uint32_t instruction, struct xpd_err *err);
/* "" if the attribute does not exist. */
struct xpd_str xpd_line_attribute(const struct xpd_hlo_line *line, const char *key);

#endif
