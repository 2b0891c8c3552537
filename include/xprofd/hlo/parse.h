/* HLO text read back: what XLA prints, dumps and logs hold and people paste, as an HloModuleProto.
 *
 * Source of the rules: XLA's printer and parser.
 * Read are the short and the long form, with and without %, operand shapes, program shapes, index
 * comments, metadata and the tables of stack frames, old dialects and new. The result is bytes, so
 * that one loader reads every program.
 *
 * What the text does not hold, and what stands for it:
 *   ids                       computations and instructions are numbered from 1 in the order in
 *                             which the text first names them
 *   order in the file         operands before users as XLA writes it, found from the text; with
 *                             several instructions that nothing uses, their order in the text
 *   order of computations     callees before callers, as XLA's walk finds them; some compilers keep
 *                             theirs in the order in which they made them. Numbers of stack frames
 *                             in a text printed again follow from it, the frames are the same
 *   schedule                  the order of the text, when the header says is_scheduled=true, of
 *                             every computation that no fusion calls
 *   folded wrappers           the computation behind "slice-start" and its kin is made again;
 *                             names in it are made up, its root has the metadata of the start;
 *                             parameters that it does not use are missing
 *   literals shown as {...}   are missing
 *   stacks                    what XLA printed before 2025 holds the innermost line alone
 *   names XLA would not write blanks, commas, braces and quotes end a name; a proto by another hand
 *                             may have such
 *   buffer assignment, heap trace, device assignment, shardings of the program's parameters,
 *   sizes of code, profiles   are missing
 *   replica_count, num_partitions, allow_spmd_sharding_propagation_to_..., alias_passthrough_params
 *                             belong to the compiler's configuration: an HloModuleProto has no
 *                             field for them
 *   defaults that XLA does not print (precision default, comparison type of the operands, strides
 *   of 1, api version)        as XLA's parser sets them, or missing where a reader takes the same
 */
#ifndef XPROFD_HLO_PARSE_H
#define XPROFD_HLO_PARSE_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/base/warnings.h"

#define XPD_HLO_TEXT_DEPTH 64 /* tuples in tuples, of shapes, literals and shardings */

/* The ids that names of a text were given. Lives in the arena of the parse. */
struct xpd_hlo_names;

/* Reads one module. `name` says where the text is from (for messages). *module_proto (an
 * HloModuleProto) and *names (may be NULL: not wanted) live in `arena`. The result holds the parts
 * that were parsed; others are warnings with line and column (codes hlo_text_...). XPD_EFORMAT when
 * the text holds no computation, XPD_ENOMEM, XPD_ELIMIT beyond 2^31 instructions or an arena's
 * budget. Time and memory grow with the text. */
int xpd_hlo_text_parse(struct xpd_str text, const char *name, struct xpd_arena *arena,
                       struct xpd_warnings *warnings, struct xpd_str *module_proto,
                       struct xpd_hlo_names **names, struct xpd_err *err);

/* Whether the text begins like a module, ignoring blanks and comments. */
bool xpd_hlo_text_is_module(struct xpd_str text);

/* The id of the instruction of that name, without %. Where several computations have
 * an instruction of one name, that of the last. False: there is none. */
bool xpd_hlo_names_instruction(const struct xpd_hlo_names *names, struct xpd_str name, int64_t *id);

#endif
