/* Instructions of a run's modules as XProf's tables show them. */
#ifndef XPROFD_COMPAT_OPSTATS_MODULES_H
#define XPROFD_COMPAT_OPSTATS_MODULES_H

#include "gpu.h"
#include "xprofd/base/map64.h"
#include "xprofd/hlo/print.h"

struct xpd_ops_modules {
    const struct xpd_tool_ctx *ctx;
    uint32_t host;
    struct xpd_arena *arena;
    struct xpd_ops_module *module; /* by index in the run; made on demand */
    bool with_costs;
};
int xpd_ops_modules_init(struct xpd_ops_modules *modules, const struct xpd_tool_ctx *ctx,
                         uint32_t host, bool with_costs, struct xpd_arena *arena);
void xpd_ops_modules_fini(struct xpd_ops_modules *modules);

/* Not found: the run has no such program, or it has no such instruction. */
const struct xpd_ops_instruction *xpd_ops_modules_find(void *modules, uint64_t program_id,
                                                       struct xpd_str name);
struct xpd_ops_place {
    const struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    uint32_t instruction; /* in it */
};
/* The instruction of the program "name(id)" itself, valid as long as `modules`; false: as above. */
bool xpd_ops_modules_place(struct xpd_ops_modules *modules, struct xpd_str key, struct xpd_str name,
                           struct xpd_ops_place *out);
/* Adds the contents of a fusion below the existing children of `op`. */
void xpd_ops_modules_children(struct xpd_ops_modules *modules, struct xpd_ops_metrics *op);

#endif
