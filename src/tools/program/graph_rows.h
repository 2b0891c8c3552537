/* What the tools about a program's graph share: finding an instruction as a person or a link names
 * it, and columns about instructions. */
#ifndef XPROFD_SRC_TOOLS_PROGRAM_GRAPH_ROWS_H
#define XPROFD_SRC_TOOLS_PROGRAM_GRAPH_ROWS_H

#include "../tables/graph_common.h"
#include "../tables/table_costs.h"
#include "xprofd/graph/view.h"
#include "xprofd/tools/graph_table.h"

struct xpd_graph_ask { /* the tables a question needs, and its answer in the making */
    const struct xpd_tool_ctx *ctx;
    const struct xpd_hlo *hlo;
    const struct xpd_graph_index *index;
    const struct xpd_costs *costs;
    struct xpd_strbuf scratch;
    struct xpd_jsonw w;
};

/* Gets the tables of the module and starts the answer; xpd_graph_ask_fini in any case. */
int xpd_graph_ask_init(struct xpd_graph_ask *ask, const struct xpd_tool_ctx *ctx,
                       struct xpd_tool_result *out, struct xpd_err *err);
void xpd_graph_ask_fini(struct xpd_graph_ask *ask);

/* The instruction of a decimal id, else of a name with or without '%'; XPD_NO_INDEX = none. */
uint32_t xpd_graph_instruction(const struct xpd_hlo *hlo, struct xpd_str text);
/* The parameter `computation`, the entry without one. */
int xpd_graph_pick_computation(const struct xpd_tool_ctx *ctx, uint32_t *computation,
                               struct xpd_err *err);
/* Looks the parameter up; false when it was not there and the answer says so. */
bool xpd_graph_find(struct xpd_graph_ask *ask, const char *parameter, uint32_t *instruction,
                    struct xpd_tool_result *out);

/* The answer of graph/around (graph_view_json.c). */
void xpd_graph_put_view(struct xpd_graph_ask *ask, const struct xpd_view *view,
                        const struct xpd_view_options *options, bool all);

/* ---- values of one instruction, each written to ask->w ---- */

void xpd_graph_put_id(struct xpd_graph_ask *ask, uint32_t i);
void xpd_graph_put_name(struct xpd_graph_ask *ask, uint32_t i);
void xpd_graph_put_shape(struct xpd_graph_ask *ask, const struct xpd_shape *shape);
/* Where the largest array of the result lies: "HBM", "VMEM", "S(6)"; "" without one. */
void xpd_graph_put_space(struct xpd_graph_ask *ask, uint32_t i);
void xpd_graph_put_label(struct xpd_graph_ask *ask, uint32_t i); /* path of a parameter, else "" */
void xpd_graph_put_line(struct xpd_graph_ask *ask, uint32_t i);  /* null when it has none */
void xpd_graph_put_known(struct xpd_graph_ask *ask, int64_t value); /* negative is null */

/* The columns "ix" and "id" and those named in `columns`, a list of words with blanks between, for
 * the instructions given. */
void xpd_graph_columns(struct xpd_graph_ask *ask, const char *columns, const uint32_t *instruction,
                       uint32_t count);

#endif
