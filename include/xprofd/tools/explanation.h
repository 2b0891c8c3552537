/* The answer of graph/explain and explain: one instruction in plain sentences. Texts and rows live
 * as long as the request. */
#ifndef XPROFD_TOOLS_EXPLANATION_H
#define XPROFD_TOOLS_EXPLANATION_H

#include "xprofd/answer/record.h"
#include "xprofd/profile/chips.h"

/* The words of xpd_op_group_word. */
#define XPD_EXPLAIN_GROUPS "none matmul elem reduce move coll control host custom"

/* What a chip can do, as an answer has it (struct xpd_peaks). */
#define XPD_PEAKS_FIELDS(FIELD)                                                                    \
    FIELD(STRING, device, "its name")                                                              \
    FIELD(MAYBE(REAL), flops_per_s, "of its matrix units")                                         \
    FIELD(MAYBE(REAL), hbm_bytes_per_s, "of its main memory")                                      \
    FIELD(MAYBE(REAL), link_bytes_per_s, "one way, over one link to a neighbour")                  \
    FIELD(MAYBE(REAL), clock_hz, "of its cores")                                                   \
    FIELD(MAYBE(STRING), source, "where the value comes from")                                     \
    FIELD(MAYBE(REAL), vector_flops_per_s, "of its vector units, fp32")                            \
    FIELD(MAYBE(REAL), shared_bytes_per_s, "of a GPU's shared memory (LDS)")                       \
    FIELD(MAYBE(REAL), vmem_read_bytes_per_s, "of a TPU's vector memory")                          \
    FIELD(MAYBE(REAL), vmem_write_bytes_per_s, "likewise")                                         \
    FIELD(MAYBE(REAL), cmem_read_bytes_per_s, "of a TPU's common memory")                          \
    FIELD(MAYBE(REAL), cmem_write_bytes_per_s, "likewise")
const struct xpd_record *xpd_peaks_record(void);

#define XPD_EXPLAIN_SEGMENT_FIELDS(FIELD)                                                          \
    FIELD(TEXT, text, "the next stretch of the instruction's text")                                \
    FIELD(INDEX, part, "row of `parts`")
XPD_RECORD_TYPE(xpd_explain_segment, XPD_EXPLAIN_SEGMENT_FIELDS)

#define XPD_EXPLAIN_PART_FIELDS(FIELD)                                                             \
    FIELD(STRING, label, "")                                                                       \
    FIELD(TEXT, sentence, "")                                                                      \
    FIELD(BOOL, missing, "not in the text")
XPD_RECORD_TYPE(xpd_explain_part, XPD_EXPLAIN_PART_FIELDS)

#define XPD_EXPLAIN_TEXT_FIELDS(FIELD)                                                             \
    FIELD(COLUMNS(xpd_explain_segment), segments, "")                                              \
    FIELD(COLUMNS(xpd_explain_part), parts, "")                                                    \
    FIELD(COUNT, left_out, "attributes without a part")
XPD_RECORD_TYPE(xpd_explain_text, XPD_EXPLAIN_TEXT_FIELDS)

#define XPD_EXPLAIN_OUTPUT_FIELDS(FIELD)                                                           \
    FIELD(TEXT, shape, "with layout")                                                              \
    FIELD(INT, elements, "")                                                                       \
    FIELD(INT, size_bytes, "with padding")                                                         \
    FIELD(MAYBE(INT), unpadded_bytes, "")                                                          \
    FIELD(COUNT, results, "elements of a tuple; else 1")                                           \
    FIELD(TEXT, space, "memory of the largest array; \"\": none")
XPD_RECORD_TYPE(xpd_explain_output, XPD_EXPLAIN_OUTPUT_FIELDS)

#define XPD_EXPLAIN_STEP_FIELDS(FIELD)                                                             \
    FIELD(TEXT, label, "`logical`, a tile, or another order of dimensions")                        \
    FIELD(VALUES(SIGNED), dims, "the array after this step of tiling")                             \
    FIELD(TEXT, words, "")                                                                         \
    FIELD(MAYBE(INT), size_bytes, "where the size is final")
XPD_RECORD_TYPE(xpd_explain_step, XPD_EXPLAIN_STEP_FIELDS)

#define XPD_EXPLAIN_TILE_FIELDS(FIELD) FIELD(VALUES(SIGNED), dims, "-1: the whole dimension (`*`)")
XPD_RECORD_TYPE(xpd_explain_tile, XPD_EXPLAIN_TILE_FIELDS)

#define XPD_EXPLAIN_CELL_ROW_FIELDS(FIELD)                                                         \
    FIELD(VALUES(SIGNED), elements, "offset of the element in each column; -1: none")
XPD_RECORD_TYPE(xpd_explain_cell_row, XPD_EXPLAIN_CELL_ROW_FIELDS)

#define XPD_EXPLAIN_CELLS_FIELDS(FIELD)                                                            \
    FIELD(VALUES(SIGNED), rows, "indexes in the second minor dimension that are shown")            \
    FIELD(VALUES(SIGNED), columns, "indexes in the minor dimension")                               \
    FIELD(INT, row_size, "elements in the second minor dimension")                                 \
    FIELD(INT, column_size, "elements in the minor dimension")                                     \
    FIELD(INT, row_extent, "drawn: of one tile, or of the array with padding")                     \
    FIELD(INT, column_extent, "likewise")                                                          \
    FIELD(LIST(xpd_explain_cell_row), offset, "a row for each of `rows`")
XPD_RECORD_TYPE(xpd_explain_cells, XPD_EXPLAIN_CELLS_FIELDS)

#define XPD_EXPLAIN_LAYOUT_FIELDS(FIELD)                                                           \
    FIELD(VALUES(SIGNED), dims, "")                                                                \
    FIELD(VALUES(SIGNED), minor_to_major, "")                                                      \
    FIELD(LIST(xpd_explain_tile), tiles, "outermost first")                                        \
    FIELD(INT, element_bits, "")                                                                   \
    FIELD(INT, unpadded_bytes, "")                                                                 \
    FIELD(INT, tiled_bytes, "")                                                                    \
    FIELD(LIST(xpd_explain_step), steps,                                                           \
          "tiling first, then the size with other dimension orders")                               \
    FIELD(OBJECT(xpd_explain_cells), cells, "where elements lie")
XPD_RECORD_TYPE(xpd_explain_layout, XPD_EXPLAIN_LAYOUT_FIELDS)

#define XPD_EXPLAIN_TRAFFIC_FIELDS(FIELD)                                                          \
    FIELD(TEXT, space, "memory")                                                                   \
    FIELD(INT, read_bytes, "")                                                                     \
    FIELD(INT, written_bytes, "")
XPD_RECORD_TYPE(xpd_explain_traffic, XPD_EXPLAIN_TRAFFIC_FIELDS)

#define XPD_EXPLAIN_EXPECTED_FIELDS(FIELD)                                                         \
    FIELD(MAYBE(INT), flops, "")                                                                   \
    FIELD(MAYBE(INT), hbm_bytes, "read and written")                                               \
    FIELD(MAYBE(INT), link_bytes, "sent to other devices")                                         \
    FIELD(MAYBE(INT), cycles, "the compiler's estimate")                                           \
    FIELD(BOOL, partial, "a part of the work is unknown")                                          \
    FIELD(BOOL, collective, "")                                                                    \
    FIELD(BOOL, vector, "vector units do the work: it has no matrix multiplication")               \
    FIELD(STRING, rule, "where the amounts come from")                                             \
    FIELD(COLUMNS(xpd_explain_traffic), traffic, "by memory")                                      \
    FIELD(MAYBE(OBJECT(xpd_peaks)), peaks, "the peaks that the times assume")                      \
    FIELD(LIST(xpd_peaks), chips, "chips with known peaks")                                        \
    FIELD(MAYBE(REAL), work_peak_per_s, "FLOP/s of the units that do the work")                    \
    FIELD(MAYBE(REAL), compute_s, "at these peaks")                                                \
    FIELD(MAYBE(REAL), hbm_s, "")                                                                  \
    FIELD(MAYBE(REAL), vmem_s, "")                                                                 \
    FIELD(MAYBE(REAL), cmem_s, "")                                                                 \
    FIELD(MAYBE(REAL), link_s, "")                                                                 \
    FIELD(MAYBE(REAL), cycles_s, "")                                                               \
    FIELD(MAYBE(REAL), roofline_s, "the longest of the times at peaks")                            \
    FIELD(MAYBE(STRING), bound, "which of them sets it")                                           \
    FIELD(TEXT, verdict, "in words")
XPD_RECORD_TYPE(xpd_explain_expected, XPD_EXPLAIN_EXPECTED_FIELDS)

#define XPD_EXPLAIN_KIND_FIELDS(FIELD)                                                             \
    FIELD(TEXT, opcode, "")                                                                        \
    FIELD(COUNT, count, "")
XPD_RECORD_TYPE(xpd_explain_kind, XPD_EXPLAIN_KIND_FIELDS)

#define XPD_EXPLAIN_KINDS_FIELDS(FIELD)                                                            \
    FIELD(INLINE(xpd_explain_kind), rows, "at most 12")                                            \
    FIELD(COUNT, others, "instructions of other opcodes")
XPD_RECORD_TYPE(xpd_explain_kinds, XPD_EXPLAIN_KINDS_FIELDS)

#define XPD_EXPLAIN_MATMUL_FIELDS(FIELD)                                                           \
    FIELD(TEXT, name, "instruction")                                                               \
    FIELD(BOOL, is_convolution, "")                                                                \
    FIELD(INT, batch, "")                                                                          \
    FIELD(INT, m, "")                                                                              \
    FIELD(INT, n, "")                                                                              \
    FIELD(INT, k, "")                                                                              \
    FIELD(INT, flops, "")
XPD_RECORD_TYPE(xpd_explain_matmul, XPD_EXPLAIN_MATMUL_FIELDS)

#define XPD_EXPLAIN_COLLECTIVE_FIELDS(FIELD)                                                       \
    FIELD(STRING, kind, "opcode")                                                                  \
    FIELD(BOOL, hidden, "inside the operation")                                                    \
    FIELD(MAYBE(TEXT), name, "instruction; null in a pasted line")                                 \
    FIELD(TEXT, words, "what it does")                                                             \
    FIELD(MAYBE(TEXT), groups, "its replica groups, as the text writes them")                      \
    FIELD(MAYBE(TEXT), mesh, "the groups along the axes of the parameter `mesh`")
XPD_RECORD_TYPE(xpd_explain_collective, XPD_EXPLAIN_COLLECTIVE_FIELDS)

#define XPD_EXPLAIN_CONTAINS_FIELDS(FIELD)                                                         \
    FIELD(MAYBE(TEXT), body, "computation that it calls")                                          \
    FIELD(MAYBE(INT), instructions, "of the body")                                                 \
    FIELD(MAYBE(OBJECT(xpd_explain_kinds)), kinds, "the body by opcode")                           \
    FIELD(MAYBE(OBJECT(xpd_explain_matmul)), matmul, "")                                           \
    FIELD(MAYBE(OBJECT(xpd_explain_collective)), collective, "")                                   \
    FIELD(MAYBE(STRING), note, "why something is unknown")
XPD_RECORD_TYPE(xpd_explain_contains, XPD_EXPLAIN_CONTAINS_FIELDS)

#define XPD_EXPLAIN_SHARDING_FIELDS(FIELD)                                                         \
    FIELD(TEXT, text, "as HLO writes it")                                                          \
    FIELD(BOOL, typed, "taken from the parameter `sharding`")                                      \
    FIELD(TEXT, words, "")                                                                         \
    FIELD(MAYBE(VALUES(SIGNED)), global_dims, "of the whole array")                                \
    FIELD(MAYBE(TEXT), mesh, "the sharding along the axes of the parameter `mesh`")
XPD_RECORD_TYPE(xpd_explain_sharding, XPD_EXPLAIN_SHARDING_FIELDS)

#define XPD_EXPLAIN_NEAR_FIELDS(FIELD)                                                             \
    FIELD(MAYBE(INDEX), ix, "index of the instruction in the module")                              \
    FIELD(MAYBE(BIG), id, "of the instruction")                                                    \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(TEXT, shape, "\"\": the text does not have it")                                          \
    FIELD(MAYBE(INT), size_bytes, "of its result, with padding")                                   \
    FIELD(TEXT, space, "memory of the largest array; \"\": none")                                  \
    FIELD(MAYBE(WORD(XPD_EXPLAIN_GROUPS)), group, "kind of work")                                  \
    FIELD(MAYBE(INT), line, "in `graph/text?format=long&metadata=1`")                              \
    FIELD(TEXT, label, "path of an entry parameter in the caller's program; else \"\"")
XPD_RECORD_TYPE(xpd_explain_near, XPD_EXPLAIN_NEAR_FIELDS)

#define XPD_EXPLAIN_NEARS_FIELDS(FIELD)                                                            \
    FIELD(COUNT, total, "")                                                                        \
    FIELD(COUNT, left_out, "beyond 200")                                                           \
    FIELD(INLINE(xpd_explain_near), rows, "")
XPD_RECORD_TYPE(xpd_explain_nears, XPD_EXPLAIN_NEARS_FIELDS)

#define XPD_EXPLAIN_REPEAT_FIELDS(FIELD)                                                           \
    FIELD(INDEX, ix, "index of the instruction in the module")                                     \
    FIELD(BIG, id, "of the instruction")                                                           \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(MAYBE(INT), cycles, "")                                                                  \
    FIELD(MAYBE(INT), flops, "")                                                                   \
    FIELD(MAYBE(INT), line, "")
XPD_RECORD_TYPE(xpd_explain_repeat, XPD_EXPLAIN_REPEAT_FIELDS)

#define XPD_EXPLAIN_REPEATS_FIELDS(FIELD)                                                          \
    FIELD(COUNT, total, "")                                                                        \
    FIELD(COUNT, left_out, "beyond 40")                                                            \
    FIELD(INLINE(xpd_explain_repeat), rows, "")
XPD_RECORD_TYPE(xpd_explain_repeats, XPD_EXPLAIN_REPEATS_FIELDS)

#define XPD_EXPLAIN_FRAME_FIELDS(FIELD)                                                            \
    FIELD(TEXT, file, "")                                                                          \
    FIELD(INT, line, "")                                                                           \
    FIELD(TEXT, function, "")
XPD_RECORD_TYPE(xpd_explain_frame, XPD_EXPLAIN_FRAME_FIELDS)

#define XPD_EXPLAIN_SOURCE_FIELDS(FIELD)                                                           \
    FIELD(MAYBE(TEXT), file, "")                                                                   \
    FIELD(MAYBE(INT), line, "")                                                                    \
    FIELD(LIST(xpd_explain_frame), frames, "innermost first")
XPD_RECORD_TYPE(xpd_explain_source, XPD_EXPLAIN_SOURCE_FIELDS)

#define XPD_EXPLANATION_FIELDS(FIELD)                                                              \
    FIELD(BOOL, pasted, "from a line of text; what only a module knows is null")                   \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(TEXT, opcode, "")                                                                        \
    FIELD(WORD(XPD_EXPLAIN_GROUPS), group, "kind of work")                                         \
    FIELD(MAYBE(BIG), id, "of the instruction")                                                    \
    FIELD(MAYBE(INDEX), ix, "index of the instruction in the module")                              \
    FIELD(MAYBE(INT), line, "in `graph/text?format=long&metadata=1`")                              \
    FIELD(MAYBE(TEXT), op_name, "path in the model's code")                                        \
    FIELD(MAYBE(TEXT), computation, "computation that contains it")                                \
    FIELD(MAYBE(STRING), module, "key")                                                            \
    FIELD(MAYBE(STRING), device_type, "\"\": unknown")                                             \
    FIELD(OBJECT(xpd_explain_text), text, "its text, part by part")                                \
    FIELD(OBJECT(xpd_explain_output), output, "its result")                                        \
    FIELD(MAYBE(OBJECT(xpd_explain_layout)), layout, "of an array; null for a tuple")              \
    FIELD(OBJECT(xpd_explain_expected), expected, "expected time")                                 \
    FIELD(OBJECT(xpd_explain_contains), contains, "")                                              \
    FIELD(MAYBE(OBJECT(xpd_explain_sharding)), sharding, "")                                       \
    FIELD(OBJECT(xpd_explain_nears), operands, "")                                                 \
    FIELD(MAYBE(OBJECT(xpd_explain_nears)), users, "the nearest first")                            \
    FIELD(MAYBE(OBJECT(xpd_explain_repeats)), repeats, "the same operation in other layers")       \
    FIELD(MAYBE(OBJECT(xpd_explain_source)), source, "in the user's program")                      \
    FIELD(MAYBE(INT), kernel_bytes, "size of the kernel in its backend config; null: none")
XPD_RECORD_TYPE(xpd_explanation, XPD_EXPLANATION_FIELDS)

#endif
