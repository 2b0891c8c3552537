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

void xpd_search_write(struct xpd_jsonw *w, struct xpd_search *search,
                      const struct xpd_found_row *rows, uint32_t n);

#endif
