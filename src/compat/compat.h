/* Shared by the files of this folder. */
#ifndef XPROFD_COMPAT_COMPAT_H
#define XPROFD_COMPAT_COMPAT_H

#include "xprofd/compat/routes.h"
#include "xprofd/memory/xprof.h"

/* XProf's version whose answers these routes give. */
#define XPD_XPROF_VERSION "2.24.2"

/* The memory of one module as the query asks for it: module_name or program_id, and memory_space.
 */
struct xpd_compat_memory {
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    int64_t color;
    struct xpd_xprof_memory numbers;
};

/* XPD_EINVAL (no module named), XPD_ENOTFOUND (no such host or module, no buffer assignment), or
 * the error of loading the module; XPD_EFORMAT when XProf itself gives up on the heap trace. */
int xpd_compat_open_memory(const struct xpd_tool_ctx *ctx, struct xpd_compat_memory *out,
                           struct xpd_tool_result *result, struct xpd_err *err);

/* `host=` of the query names a host of the run, or is absent; else XPD_ENOTFOUND in XProf's words.
 */
int xpd_compat_check_host(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

/* session_path= and run_path=, which open any folder in XProf, are refused by
 * every route that reads runs. */
extern const struct xpd_param_spec xpd_compat_params[];
/* Whether the query has name=true, in any case; everything else is false, "1" too. */
bool xpd_compat_flag(const struct xpd_tool_ctx *ctx, const char *name);

/* The module of module_name= or program_id=; XPD_ENOTFOUND with `who` in the text when neither is
 * given. If XProf takes another module than the obvious one, a note goes into *out. */
int xpd_compat_pick_module(const struct xpd_tool_ctx *ctx, const char *who, uint32_t *module,
                           struct xpd_tool_result *out, struct xpd_err *err);
/* The first program in XProf's order (file_order.h) that has the instruction node_name=;
 * XPD_ENOTFOUND. */
int xpd_compat_pick_by_node(const struct xpd_tool_ctx *ctx, uint32_t *module,
                            struct xpd_tool_result *out, struct xpd_err *err);

/* Whether /data answers this tag. */
bool xpd_compat_has_tool(struct xpd_str tag);

/* graph_viewer: the texts and neighbours of a program. */
int xpd_compat_graph_viewer(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                            struct xpd_err *err);

/* trace_viewer@ and the old trace_viewer. */
int xpd_compat_trace_viewer(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                            struct xpd_err *err);
int xpd_compat_trace_viewer_old(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                                struct xpd_err *err);

/* memory_viewer as proto3 JSON. */
int xpd_compat_memory_viewer(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                             struct xpd_err *err);
/* The page of the "timeline" link: the boxes, without scripts. */
int xpd_compat_memory_timeline(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                               struct xpd_err *err);
int xpd_compat_memory_csv(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                          struct xpd_err *err);

#endif
