/* What search.c finds and search_write.c writes. */
#ifndef XPROFD_SRC_TOOLS_SEARCH_PARTS_H
#define XPROFD_SRC_TOOLS_SEARCH_PARTS_H

#include "common/name_ranks.h"

/* By the words of the name, then, of buffers only, by those of an instruction that lies in it. */
enum { XPD_SEARCH_NAMED = 3, XPD_SEARCH_RANKS = 6 };

enum xpd_search_kind { XPD_FOUND_MODULE, XPD_FOUND_BUFFER, XPD_FOUND_OP, XPD_FOUND_KINDS };

struct xpd_search_hits {
    uint32_t module, index; /* index of the buffer or instruction */
    uint32_t other; /* of an instruction: the buffer its result is in; of a buffer that was not
                       found by its own name: the instruction that was. Else XPD_NO_INDEX */
};

struct xpd_search {
    const struct xpd_tool_ctx *ctx;
    struct xpd_match match;
    uint32_t limit;
    struct xpd_search_hits *hit[XPD_FOUND_KINDS][XPD_SEARCH_RANKS]; /* at most limit each */
    uint32_t kept[XPD_FOUND_KINDS][XPD_SEARCH_RANKS];
    uint64_t total[XPD_FOUND_KINDS];
    bool has_space;
    int64_t color;   /* of the parameter space */
    uint32_t module; /* of the parameter module, XPD_NO_INDEX = all */
    uint64_t other_spaces, other_modules;
    struct xpd_strbuf text;
};

struct xpd_found_row {
    enum xpd_search_kind kind;
    struct xpd_search_hits hit;
    const struct xpd_hlo *hlo; /* NULL for modules */
    const struct xpd_mem *mem;
};

#define XPD_SEARCH_ROW_FIELDS(FIELD)                                                               \
    FIELD(WORD("module buffer op"), kind, "")                                                      \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(TEXT, detail, "key of a module, shape of a buffer, opcode and shape of an instruction")  \
    FIELD(STRING, module, "key")                                                                   \
    FIELD(MAYBE(INDEX), buffer, "the row's own, or the one that an instruction's result lies in")  \
    FIELD(MAYBE(TEXT), held_by, "of an instruction: name of that buffer, where it is another")     \
    FIELD(MAYBE(TEXT), holds,                                                                      \
          "of a buffer found by the name of an instruction that lies in it: that name")            \
    FIELD(MAYBE(SIGNED), instruction_id, "")                                                       \
    FIELD(MAYBE(SIGNED), space, "color of the buffer's memory space")                              \
    FIELD(MAYBE(INDEX), step, "where the buffer begins")                                           \
    FIELD(MAYBE(INT), size_bytes, "of a buffer, or of an instruction's result")                    \
    FIELD(MAYBE(SIGNED), saving_bytes, "by how much the peak falls without the buffer")
XPD_RECORD_TYPE(xpd_search_row, XPD_SEARCH_ROW_FIELDS)

#define XPD_SEARCH_FIELDS(FIELD)                                                                   \
    FIELD(TEXT, q, "as asked")                                                                     \
    FIELD(MAYBE(TEXT), note, "what the search did not decide")                                     \
    FIELD(MAYBE(TEXT), opcode, "the operation that `q` names")                                     \
    FIELD(MAYBE(STRING), opcode_text, "what that operation does")                                  \
    FIELD(INLINE(xpd_search_row), rows, "exact names, then names that begin so, then the rest")    \
    FIELD(INT, total, "rows found, listed or not")                                                 \
    FIELD(INT, total_modules, "")                                                                  \
    FIELD(INT, total_buffers, "")                                                                  \
    FIELD(INT, total_ops, "")                                                                      \
    FIELD(INT, other_spaces, "buffers in memory spaces other than `space`")                        \
    FIELD(INT, other_modules, "rows in modules other than `module`")
XPD_RECORD_TYPE(xpd_search_answer, XPD_SEARCH_FIELDS)

/* NULL without memory. */
const struct xpd_search_answer *xpd_search_answer_of(struct xpd_search *search,
                                                     const struct xpd_found_row *rows, uint32_t n);

#endif
