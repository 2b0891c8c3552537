/* The answer about one buffer, and the parts that its files fill. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_CARD_PARTS_H
#define XPROFD_SRC_TOOLS_MEMORY_CARD_PARTS_H

#include "../common/common.h"
#include "xprofd/memory/held.h"

#define XPD_BUFFER_ALLOCATION_FIELDS(FIELD)                                                        \
    FIELD(INT, index, "of the compiler's allocation")                                              \
    FIELD(INT, size_bytes, "")                                                                     \
    FIELD(COUNT, members, "number of buffers in it")
XPD_RECORD_TYPE(xpd_buffer_allocation, XPD_BUFFER_ALLOCATION_FIELDS)

#define XPD_BUFFER_XPROF_FIELDS(FIELD)                                                             \
    FIELD(INT, unpadded_bytes, "")                                                                 \
    FIELD(TEXT, shape, "")
XPD_RECORD_TYPE(xpd_buffer_xprof, XPD_BUFFER_XPROF_FIELDS)

#define XPD_BUFFER_EQUAL_FIELDS(FIELD)                                                             \
    FIELD(COUNT, count, "equal buffers, including this one")                                       \
    FIELD(VALUES(INDEX), buffers, "at most 256")                                                   \
    FIELD(MAYBE(INT), saving_bytes, "how far the peak falls without them; null beyond 4,096")      \
    FIELD(MAYBE(INT), peak_without_bytes, "the peak without them")
XPD_RECORD_TYPE(xpd_buffer_equal, XPD_BUFFER_EQUAL_FIELDS)

#define XPD_BUFFER_DIM_FIELDS(FIELD)                                                               \
    FIELD(COUNT, dimension, "")                                                                    \
    FIELD(INT, elements, "elements of the array in this dimension")                                \
    FIELD(INT, padded_elements, "with padding")                                                    \
    FIELD(INT, tile, "elements of a tile in this dimension")                                       \
    FIELD(INT, cost_bytes, "bytes of padding")                                                     \
    FIELD(TEXT, words, "the same in words")
XPD_RECORD_TYPE(xpd_buffer_dim, XPD_BUFFER_DIM_FIELDS)

#define XPD_BUFFER_ORDER_FIELDS(FIELD)                                                             \
    FIELD(VALUES(SIGNED), minor_to_major, "order of dimensions")                                   \
    FIELD(INT, tiled_bytes, "size in this order")
XPD_RECORD_TYPE(xpd_buffer_order, XPD_BUFFER_ORDER_FIELDS)

#define XPD_BUFFER_PADDING_FIELDS(FIELD)                                                           \
    FIELD(BOOL, known, "the layout defines its tiles")                                             \
    FIELD(MAYBE(INT), tiled_bytes, "size by its tiles")                                            \
    FIELD(MAYBE(SIGNED), other_overhead_bytes, "`size_bytes` minus `tiled_bytes`")                 \
    FIELD(MAYBE(TEXT), tile, "`8x128`")                                                            \
    FIELD(LIST(xpd_buffer_dim), dims, "minor dimension first")                                     \
    FIELD(LIST(xpd_buffer_order), orders, "other orders of the dimensions, the cheapest first")
XPD_RECORD_TYPE(xpd_buffer_padding, XPD_BUFFER_PADDING_FIELDS)

#define XPD_BUFFER_STAY_FIELDS(FIELD)                                                              \
    FIELD(COUNT, start_step, "")                                                                   \
    FIELD(COUNT, end_step, "first step without it")                                                \
    FIELD(INT, offset_bytes, "in the heap")                                                        \
    FIELD(INT, size_bytes, "")
XPD_RECORD_TYPE(xpd_buffer_stay, XPD_BUFFER_STAY_FIELDS)

#define XPD_BUFFER_LIFE_FIELDS(FIELD)                                                              \
    FIELD(MAYBE(INDEX), start_step, "null: no heap event names it")                                \
    FIELD(MAYBE(INDEX), end_step, "first step without it")                                         \
    FIELD(MAYBE(INT), steps, "how many")                                                           \
    FIELD(BOOL, never_freed, "")                                                                   \
    FIELD(BOOL, untraced, "in the heap without events")                                            \
    FIELD(LIST(xpd_buffer_stay), tenancies, "its lifetimes, at most 64")                           \
    FIELD(COUNT, tenancies_left_out, "")
XPD_RECORD_TYPE(xpd_card_lifetime, XPD_BUFFER_LIFE_FIELDS)

#define XPD_BUFFER_USE_FIELDS(FIELD)                                                               \
    FIELD(TEXT, name, "instruction")                                                               \
    FIELD(MAYBE(INDEX), step, "")
XPD_RECORD_TYPE(xpd_buffer_use, XPD_BUFFER_USE_FIELDS)

#define XPD_BUFFER_USER_FIELDS(FIELD)                                                              \
    FIELD(TEXT, name, "instruction")                                                               \
    FIELD(TEXT, opcode, "")                                                                        \
    FIELD(MAYBE(INDEX), step, "its first")                                                         \
    FIELD(TEXT, shape, "of its result")
XPD_RECORD_TYPE(xpd_buffer_user, XPD_BUFFER_USER_FIELDS)

#define XPD_BUFFER_USES_FIELDS(FIELD)                                                              \
    FIELD(MAYBE(OBJECT(xpd_buffer_use)), first, "null: no user")                                   \
    FIELD(MAYBE(OBJECT(xpd_buffer_use)), last, "")                                                 \
    FIELD(COUNT, count, "uses")                                                                    \
    FIELD(VALUES(INDEX), ticks, "steps of the users below, each once")                             \
    FIELD(MAYBE(INDEX), idle_from, "the longest stretch of steps between two uses")                \
    FIELD(MAYBE(INDEX), idle_to, "its end")                                                        \
    FIELD(LIST(xpd_buffer_user), users, "at most 256")                                             \
    FIELD(COUNT, users_total, "")
XPD_RECORD_TYPE(xpd_buffer_uses, XPD_BUFFER_USES_FIELDS)

#define XPD_BUFFER_NEIGHBOUR_FIELDS(FIELD)                                                         \
    FIELD(INDEX, buffer, "")                                                                       \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(COUNT, start_step, "")                                                                   \
    FIELD(COUNT, end_step, "first step without it")                                                \
    FIELD(COUNT, more, "number of others")
XPD_RECORD_TYPE(xpd_buffer_neighbour, XPD_BUFFER_NEIGHBOUR_FIELDS)

#define XPD_BUFFER_SHARE_FIELDS(FIELD)                                                             \
    FIELD(INDEX, buffer, "")                                                                       \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(TEXT, shape, "")
XPD_RECORD_TYPE(xpd_buffer_share, XPD_BUFFER_SHARE_FIELDS)

#define XPD_BUFFER_FRAME_FIELDS(FIELD)                                                             \
    FIELD(TEXT, file, "")                                                                          \
    FIELD(INT, line, "")                                                                           \
    FIELD(INT, column, "")                                                                         \
    FIELD(TEXT, function, "")
XPD_RECORD_TYPE(xpd_buffer_frame, XPD_BUFFER_FRAME_FIELDS)

#define XPD_BUFFER_SOURCE_FIELDS(FIELD)                                                            \
    FIELD(MAYBE(TEXT), file, "")                                                                   \
    FIELD(MAYBE(INT), line, "")                                                                    \
    FIELD(MAYBE(TEXT), op_name, "path in the model's code")                                        \
    FIELD(MAYBE(TEXT), from, "the instruction that defines it, if not the buffer's own")           \
    FIELD(LIST(xpd_buffer_frame), frames, "innermost first")                                       \
    FIELD(MAYBE(INT), frames_cut, "number of frames that follow; null: unlimited")                 \
    FIELD(MAYBE(TEXT), url, "with the option `--source-url`")
XPD_RECORD_TYPE(xpd_buffer_source, XPD_BUFFER_SOURCE_FIELDS)

#define XPD_BUFFER_LINKS_FIELDS(FIELD)                                                             \
    FIELD(MAYBE(TEXT), graph, "instruction to show in Graph")                                      \
    FIELD(MAYBE(TEXT), trace, "instruction to show in Graph")                                      \
    FIELD(MAYBE(STRING), trace_reason, "why Trace cannot show it")
XPD_RECORD_TYPE(xpd_buffer_links, XPD_BUFFER_LINKS_FIELDS)

#define XPD_BUFFER_FIELDS(FIELD)                                                                   \
    FIELD(INDEX, buffer, "index in the buffer assignment")                                         \
    FIELD(SIGNED, id, "the compiler's")                                                            \
    FIELD(SIGNED, space, "color of its memory space")                                              \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(MAYBE(TEXT), instruction, "that defines it")                                             \
    FIELD(MAYBE(SIGNED), instruction_id, "")                                                       \
    FIELD(MAYBE(TEXT), opcode, "")                                                                 \
    FIELD(VALUES(SIGNED), shape_index, "part of that instruction's result")                        \
    FIELD(TEXT, shape, "with layout")                                                              \
    FIELD(VALUES(TEXT), shape_words, "the same in words")                                          \
    FIELD(WORD(XPD_CLASS_WORDS), class, "")                                                        \
    FIELD(MAYBE(SIGNED), parameter_number, "null: not a parameter")                                \
    FIELD(MAYBE(TEXT), parameter_name, "path in the caller's program")                             \
    FIELD(MAYBE(VALUES(SIGNED)), aliased_output, "index of the output written into it")            \
    FIELD(MAYBE(FLAG), donated, "for a parameter: its memory may be written")                      \
    FIELD(BOOL, alias, "an output is written into it")                                             \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work")                                            \
    FIELD(INT, size_bytes, "")                                                                     \
    FIELD(INT, unpadded_bytes, "")                                                                 \
    FIELD(SIGNED, padding_bytes, "`size_bytes` less `unpadded_bytes`")                             \
    FIELD(MAYBE(REAL), expansion, "`size_bytes` over `unpadded_bytes`")                            \
    FIELD(MAYBE(INT), assigned_bytes, "in its allocation; null: it has none")                      \
    FIELD(MAYBE(INT), offset_bytes, "in its allocation")                                           \
    FIELD(MAYBE(OBJECT(xpd_buffer_allocation)), allocation, "")                                    \
    FIELD(MAYBE(OBJECT(xpd_buffer_xprof)), xprof, "XProf's value, where it differs")               \
    FIELD(SIGNED, saving_bytes, "how far the peak falls without it")                               \
    FIELD(INT, peak_without_bytes, "the peak without it")                                          \
    FIELD(MAYBE(INDEX), peak_without_step, "the step of that peak")                                \
    FIELD(REAL, share_of_peak, "its share of the bytes at the peak")                               \
    FIELD(OBJECT(xpd_buffer_equal), equal, "equal buffers")                                        \
    FIELD(OBJECT(xpd_buffer_padding), padding, "")                                                 \
    FIELD(OBJECT(xpd_card_lifetime), life, "its lifetime")                                         \
    FIELD(OBJECT(xpd_buffer_uses), uses, "")                                                       \
    FIELD(MAYBE(OBJECT(xpd_buffer_neighbour)), before, "the last buffer at its address before it") \
    FIELD(MAYBE(OBJECT(xpd_buffer_neighbour)), after, "the first buffer at its address after it")  \
    FIELD(LIST(xpd_buffer_share), shares, "buffers in the same storage, at most 64")               \
    FIELD(COUNT, shares_left_out, "")                                                              \
    FIELD(OBJECT(xpd_buffer_source), source, "")                                                   \
    FIELD(OBJECT(xpd_buffer_links), links, "")
XPD_RECORD_TYPE(xpd_buffer_answer, XPD_BUFFER_FIELDS)

struct xpd_card {
    const struct xpd_tool_ctx *ctx;
    struct xpd_buffer_answer *out;
    const struct xpd_mem_space *space; /* the one the buffer lies in */
    uint32_t index;                    /* of the buffer */
    const struct xpd_mem_buffer *buffer;
    uint32_t tenancy; /* first one, XPD_NO_INDEX = none */
    struct xpd_strbuf text;
};

/* Each fills the fields of card->out that are named; texts are kept in the request's arena, whose
 * failure is the answer's. */
void xpd_card_shape(struct xpd_card *card);   /* shape, shape_words */
void xpd_card_padding(struct xpd_card *card); /* padding */
/* life, uses, before, after, shares */
int xpd_card_life(struct xpd_card *card, struct xpd_err *err);
void xpd_card_source(struct xpd_card *card); /* source, links */
/* saving_bytes, peak_without_*, share_of_peak, equal */
int xpd_card_saving(struct xpd_card *card, struct xpd_err *err);

/* What card->text holds, kept; it is empty afterwards. */
static inline struct xpd_str xpd_card_text(struct xpd_card *card)
{
    return xpd_strbuf_keep(&card->text, card->ctx->arena);
}

#endif
