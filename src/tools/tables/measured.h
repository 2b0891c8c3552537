/* What a module's instructions took where its program ran: the op times of a host, or of all hosts,
 * joined by (program, instruction name). */
#ifndef XPROFD_SRC_TOOLS_TABLES_MEASURED_H
#define XPROFD_SRC_TOOLS_TABLES_MEASURED_H

#include "../common/common.h"

struct xpd_measured {
    const char *why_not; /* one sentence without a full stop; NULL = the times are known */
    uint32_t host;       /* in run->host, or xpd_run_all_hosts; XPD_NO_INDEX without any */
    const struct xpd_trace *trace;
    const struct xpd_op_times *times;
    const struct xpd_op_program *program;
    const struct xpd_op **op; /* by instruction of ctx->hlo; NULL = not measured */
    /* What the chip waits for an asynchronous pair, by start and by done: the op of the done. NULL
     * = it is not a half of a pair, or its done was not measured. */
    const struct xpd_op **wait;
    const uint32_t *done;  /* by start and by done: the done; read where `wait` is known */
    uint32_t joined_count; /* instructions with times */
};
/* Why nothing can be known, told without reading events; NULL = they have to be read. XPD_NO_INDEX:
 * of any program, as of a run without HLO. */
const char *xpd_measured_never(const struct xpd_run *run, uint32_t module);
/* The first host of a module (XPD_NO_INDEX: of the run) that has events, XPD_NO_INDEX = none. */
uint32_t xpd_measured_host(const struct xpd_run *run, uint32_t module);
/* The times of the module `module` of ctx->run, whose HLO is `hlo`, on `host`; with XPD_NO_INDEX or
 * xpd_run_all_hosts on all hosts together. XPD_EBUSY while events are read; that nothing is known
 * is not an error. */
int xpd_measured_of(struct xpd_measured *out, const struct xpd_tool_ctx *ctx, uint32_t module,
                    const struct xpd_hlo *hlo, uint32_t host, struct xpd_err *err);
/* The program of a module in the times of `host`, or of all; NULL: it did not run there. Of all
 * hosts it is the one whose HLO is that of the module: others may have one of the same name and id.
 */
const struct xpd_op_program *xpd_measured_program(const struct xpd_run *run, uint32_t module,
                                                  const struct xpd_op_times *times, uint32_t host,
                                                  const struct xpd_hlo *hlo);
/* Executions that the host started and its GPUs did not record (xpd_lost_runs_of), in a sentence
 * without a full stop; *text NULL: none. XPD_EBUSY while events are read. */
int xpd_measured_lost(struct xpd_lost_runs *out, const char **text, const struct xpd_tool_ctx *ctx,
                      uint32_t host, struct xpd_err *err);
/* The host that the parameter `host` names; XPD_NO_INDEX = none. */
uint32_t xpd_measured_asked(const struct xpd_tool_ctx *ctx);
/* Of the module of the call, on the host of the parameter `host`, without it on all. */
int xpd_measured_make(struct xpd_measured *out, const struct xpd_tool_ctx *ctx,
                      struct xpd_err *err);

#endif
