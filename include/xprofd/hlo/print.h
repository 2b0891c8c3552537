/* HLO text as XLA prints it: modules, computations, instructions.
 *
 * A printer reads attributes and literals out of the HloProto's bytes, which the frozen columns do
 * not keep; names, shapes, operands and the schedule come from the columns. Rules: those of
 * XLA's HloInstruction::ToString. Unknown opcodes, types and fields are printed as far as possible;
 * printing never fails. */
#ifndef XPROFD_HLO_PRINT_H
#define XPROFD_HLO_PRINT_H

#include "xprofd/base/strbuf.h"
#include "xprofd/base/vec.h"
#include "xprofd/hlo/module.h"
#include "xprofd/hlo/sink.h"

enum xpd_print_flags {
    XPD_PRINT_PERCENT = 1,        /* %name */
    XPD_PRINT_OPERAND_SHAPES = 2, /* shape before each operand */
    XPD_PRINT_PROGRAM_SHAPE = 4,  /* (p0: f32[2]) -> f32[2] behind a computation's name */
    XPD_PRINT_INDEX_COMMENTS = 8, /* before every fifth operand; in tuple shapes always */
    XPD_PRINT_CONTROL = 16,       /* control-predecessors= */
    XPD_PRINT_METADATA = 32,
    XPD_PRINT_CONFIG = 64, /* backend_config= */
    XPD_PRINT_LARGE = 128, /* constants of any size */
    /* As XProf 2.24.2: replica_groups={} for groups in field 87.2, names cleaned, scheduling_name
     * as it is, backend configs without "wait_on_operation_queues":[], */
    XPD_PRINT_XPROF = 256,
    XPD_PRINT_NO_CALLED = 512, /* without the names of called computations */
    /* The variants of 1.8. */
    XPD_PRINT_SHORT = XPD_PRINT_CONFIG,
    XPD_PRINT_LONG = XPD_PRINT_PERCENT | XPD_PRINT_PROGRAM_SHAPE | XPD_PRINT_INDEX_COMMENTS |
                     XPD_PRINT_CONTROL | XPD_PRINT_CONFIG | XPD_PRINT_LARGE,
    XPD_PRINT_EXPRESSION =
        XPD_PRINT_PERCENT | XPD_PRINT_OPERAND_SHAPES | XPD_PRINT_INDEX_COMMENTS | XPD_PRINT_CONTROL
};

struct xpd_hlo_printer;

/* `bytes`: the HloProto that `hlo` was loaded from; both must outlive the printer. One printer is
 * used by one thread at a time. XPD_ENOMEM; XPD_ECHANGED when the bytes are of another module. */
int xpd_hlo_printer_new(struct xpd_hlo_printer **out, const struct xpd_hlo *hlo,
                        const uint8_t *bytes, size_t size, struct xpd_err *err);
void xpd_hlo_printer_free(struct xpd_hlo_printer *printer); /* NULL is legal */

/* Appends; memory running out shows in out->failed. */
void xpd_hlo_print_instruction(struct xpd_hlo_printer *printer, uint32_t instruction,
                               uint32_t flags, struct xpd_strbuf *out);
/* Positions of the parts of an instruction's text, as offsets into the buffer. Names may contain
 * any character, so the text alone cannot be parsed. */
struct xpd_hlo_place {
    size_t from, to;
};
struct xpd_hlo_places {
    struct xpd_hlo_place name, shape, opcode, operands; /* name without %; operands without ( ) */
    XPD_VEC(struct xpd_hlo_place)
    operand; /* one each, in their order; a constant has
                none; a parameter has its number */
    XPD_VEC(size_t)
    attribute; /* where each begins; it ends two before the
                  next, the last one at the end */
};
/* As above, without metadata and config, and fills `places` (zeroed by the caller, who frees the
 * vectors). */
void xpd_hlo_print_places(struct xpd_hlo_printer *printer, uint32_t instruction, uint32_t flags,
                          struct xpd_strbuf *out, struct xpd_hlo_places *places);
/* Its attributes only, each followed by `end`. */
void xpd_hlo_print_attributes(struct xpd_hlo_printer *printer, uint32_t instruction, uint32_t flags,
                              char end, struct xpd_strbuf *out);
/* The value of the attribute `key` ("replica_groups") as XLA prints it, in `arena`; "" = it has
 * none, or no memory. `flags`: 0, or XPD_PRINT_XPROF. */
struct xpd_str xpd_hlo_attribute(struct xpd_hlo_printer *printer, uint32_t instruction,
                                 uint32_t flags, const char *key, struct xpd_arena *arena);
/* A constant's value with at most `most` elements, on one line or with the rows of several
 * dimensions on lines of their own; false when it is larger or not there. */
bool xpd_hlo_print_value(struct xpd_hlo_printer *printer, uint32_t instruction, int64_t most,
                         bool in_lines, struct xpd_strbuf *out);
/* The first values of a constant of any size, "1, 2, 3", at most `most`; *all = how many its shape
 * has. False if the values are not in the profile, or for a tuple or an unknown type. */
bool xpd_hlo_print_first_values(struct xpd_hlo_printer *printer, uint32_t instruction,
                                uint64_t most, struct xpd_strbuf *out, uint64_t *all);
/* Whether a constant's literal has fewer values than its shape: *have of *want, tuples summed. */
bool xpd_hlo_literal_cut(struct xpd_hlo_printer *printer, uint32_t instruction, uint64_t *have,
                         uint64_t *want);
/* The bytes of its backend_config, "" when it has none; valid until the next call. `flags`: 0, or
 * XPD_PRINT_XPROF. */
struct xpd_str xpd_hlo_config(struct xpd_hlo_printer *printer, uint32_t instruction,
                              uint32_t flags);
/* Ids of the instructions that must come before it, as indexes; valid until the next call. */
uint32_t xpd_hlo_control_predecessors(struct xpd_hlo_printer *printer, uint32_t instruction,
                                      const uint32_t **predecessor);
/* Whether its text may contain line breaks, as in an unescaped backend config or frontend
 * attribute. False is reliable, except for names of the module. */
bool xpd_hlo_may_break(struct xpd_hlo_printer *printer, uint32_t instruction);
/* The framework's operation by its OpMetadata; "" for missing fields. */
struct xpd_str xpd_hlo_op_type(struct xpd_hlo_printer *printer, uint32_t instruction);
struct xpd_str xpd_hlo_dedup_name(struct xpd_hlo_printer *printer, uint32_t instruction);
/* One of its frontend attributes; false: it has none of that name. The text is the profile's. */
bool xpd_hlo_frontend_attribute(struct xpd_hlo_printer *printer, uint32_t instruction,
                                struct xpd_str name, struct xpd_str *value);
/* The channel of a send, a recv, their ends and collectives; 0 = none. */
int64_t xpd_hlo_channel(struct xpd_hlo_printer *printer, uint32_t instruction);
/* comparison_direction of a compare: "LT" and so on; "" for others. */
struct xpd_str xpd_hlo_direction(struct xpd_hlo_printer *printer, uint32_t instruction);
/* The header line(s) of the module, with the tables of stack frames when metadata is wanted. */
void xpd_hlo_print_header(struct xpd_hlo_printer *printer, uint32_t flags, struct xpd_strbuf *out);
/* The first line of a computation, up to the opening brace and its line break. */
void xpd_hlo_print_head(struct xpd_hlo_printer *printer, uint32_t computation, uint32_t flags,
                        struct xpd_strbuf *out);
void xpd_hlo_print_computation(struct xpd_hlo_printer *printer, uint32_t computation,
                               uint32_t flags, struct xpd_strbuf *out);
/* The whole module: header, then every computation followed by an empty line. What is written goes
 * to `sink` piece by piece, the rest stays in `out`; sink NULL: all stays in `out`. */
void xpd_hlo_print_module(struct xpd_hlo_printer *printer, uint32_t flags, struct xpd_strbuf *out,
                          const struct xpd_hlo_sink *sink);

/* Computations in the order of the text: callees first; wrappers of async pairs that the text folds
 * are left out. */
uint32_t xpd_hlo_print_order(const struct xpd_hlo_printer *printer, const uint32_t **computation);
/* Instructions of a computation in the order of the text: its schedule, else users after operands.
 */
void xpd_hlo_instruction_order(struct xpd_hlo_printer *printer, uint32_t computation,
                               const uint32_t **instruction, uint32_t *count);

#endif
