/* What the tools about a program's graph share: finding an instruction as a person or a link names
 * it, and fields about instructions. */
#ifndef XPROFD_SRC_TOOLS_PROGRAM_GRAPH_ROWS_H
#define XPROFD_SRC_TOOLS_PROGRAM_GRAPH_ROWS_H

#include "../tables/graph_common.h"
#include "../tables/table_costs.h"
#include "xprofd/answer/record.h"
#include "xprofd/graph/view.h"
#include "xprofd/tools/graph_table.h"

struct xpd_graph_ask { /* the tables a question needs */
    const struct xpd_tool_ctx *ctx;
    const struct xpd_hlo *hlo;
    const struct xpd_graph_index *index;
    const struct xpd_costs *costs;
    struct xpd_strbuf scratch;
};

/* Gets the tables of the module; xpd_graph_ask_fini in any case. */
int xpd_graph_ask_init(struct xpd_graph_ask *ask, const struct xpd_tool_ctx *ctx,
                       struct xpd_err *err);
void xpd_graph_ask_fini(struct xpd_graph_ask *ask);
/* The answer of a tool: a struct of this record, filled by `fill`. */
int xpd_graph_answer(const struct xpd_tool_ctx *ctx, const struct xpd_record *record,
                     int (*fill)(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err),
                     const void **out, struct xpd_err *err);

/* The instruction of a decimal id, else of a name with or without '%'; XPD_NO_INDEX = none. */
uint32_t xpd_graph_instruction(const struct xpd_hlo *hlo, struct xpd_str text);
/* The parameter `computation`, the entry without one. */
int xpd_graph_pick_computation(const struct xpd_tool_ctx *ctx, uint32_t *computation,
                               struct xpd_err *err);
/* Looks the parameter up; XPD_ENOTFOUND with the parameter in err->where, of which
 * xpd_graph_nearest (struct xpd_tool, not_found) makes a 404 with `nearest`, the instructions with
 * the most similar names, and `other_modules`, how many there are to look in; without a body
 * (ctx->use) the names stand in err->text. Other errors stay what they are. */
int xpd_graph_find(const struct xpd_graph_ask *ask, const char *parameter, uint32_t *instruction,
                   struct xpd_err *err);
int xpd_graph_nearest(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                      struct xpd_err *err);
#define XPD_GRAPH_NOT_FOUND                                                                        \
    "Not found: 404, and `error` has `nearest` (`[{id, ix, name, line, module}]`, 5) and "         \
    "`other_modules` (how many more the run has)."

#define XPD_GRAPH_COUNT_PARAM(usual, most)                                                         \
    {                                                                                              \
        .name = "count", .type = XPD_PARAM_INT, .min = 1, .max = (most), .fallback = (usual),      \
        .help = "rows"                                                                             \
    }

/* ---- fields of one instruction, for the lists of records; xpd_graph_fill knows them by key ----
 */

#define XPD_OP_IX(FIELD)     FIELD(INDEX, ix, "index of the instruction in the module")
#define XPD_OP_ID(FIELD)     FIELD(BIG, id, "of the instruction")
#define XPD_OP_NAME(FIELD)   FIELD(TEXT, name, "of the instruction")
#define XPD_OP_OPCODE(FIELD) FIELD(TEXT, opcode, "")
#define XPD_OP_KIND(FIELD)   FIELD(TEXT, kind, "of a fusion, else \"\"")
#define XPD_OP_OP_NAME(FIELD)                                                                      \
    FIELD(TEXT, op_name, "path in the model's code; of a fusion without one, of what is inside")
#define XPD_OP_LABEL(FIELD)                                                                        \
    FIELD(TEXT, label,                                                                             \
          "path of an entry parameter in the caller's program, `params.blocks[0].up`; else \"\"")
#define XPD_OP_SHAPE(FIELD)    FIELD(TEXT, shape, "with layout")
#define XPD_OP_BYTES(FIELD)    FIELD(INT, size_bytes, "of the result, with padding")
#define XPD_OP_ELEMENTS(FIELD) FIELD(SIGNED, elements, "of the result")
#define XPD_OP_SPACE(FIELD)                                                                        \
    FIELD(TEXT, space,                                                                             \
          "memory of the largest array of the result: HBM, VMEM, S(6); \"\" without one")
#define XPD_OP_GROUP(FIELD) FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work")
#define XPD_OP_SCHEME(FIELD)                                                                       \
    FIELD(WORD("white yellow green dark_blue purple gray brown dark_green orange dark_orange"),    \
          scheme, "XProf's colour")
#define XPD_OP_LINE(FIELD)                                                                         \
    FIELD(MAYBE(INT), line,                                                                        \
          "from 1, in `graph/text?format=long&metadata=1`; null when the text folds it")
#define XPD_OP_COMPUTATION(FIELD) FIELD(TEXT, computation, "computation that contains it")
#define XPD_OP_IS_ROOT(FIELD)     FIELD(BOOL, is_root, "of its computation")
#define XPD_OP_COLLECTIVE(FIELD)                                                                   \
    FIELD(TEXT, collective, "opcode of the collective that it is or contains, or \"\"")
#define XPD_OP_CYCLES(FIELD) FIELD(MAYBE(INT), cycles, "the compiler's estimate")
#define XPD_OP_FLOPS(FIELD)  FIELD(MAYBE(INT), flops, "of one execution")
#define XPD_OP_MOVED(FIELD)  FIELD(MAYBE(INT), moved_bytes, "read and written")
#define XPD_OP_MATMUL(FIELD)                                                                       \
    FIELD(TEXT, matmul, "`m×n×k`, with `batch·` in front when there is one; \"\": it holds none")

/* Fills the fields above of `count` rows of this record, for the instructions given; other fields
 * stay as they are. */
void xpd_graph_fill(struct xpd_graph_ask *ask, const struct xpd_record *record, void *rows,
                    const uint32_t *instruction, uint32_t count);
/* As many rows of the record, filled so, in the request's arena. NULL: no memory. */
void *xpd_graph_rows(struct xpd_graph_ask *ask, const struct xpd_record *record,
                     const uint32_t *instruction, uint32_t count);
struct xpd_str xpd_graph_name(const struct xpd_graph_ask *ask, uint32_t i);
struct xpd_str xpd_graph_shape(struct xpd_graph_ask *ask, const struct xpd_shape *shape);
/* Where a computation begins in the text; -1: the text folds it, or XPD_NO_INDEX. */
int64_t xpd_graph_head_line(const struct xpd_graph_ask *ask, uint32_t computation);

#endif
