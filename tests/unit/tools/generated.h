/* A generated module in a folder of its own, opened as a tool sees it: run, module, memory space 0.
 */
#ifndef XPROFD_TESTS_UNIT_TOOLS_GENERATED_H
#define XPROFD_TESTS_UNIT_TOOLS_GENERATED_H

#include "hlo_bench.h"
#include "tool_call.h"

struct generated {
    struct xpd_store *store;
    struct xpd_arena arena;
    struct xpd_tool_ctx ctx;
    char path[256];
};
/* Fails the test when anything is missing. */
void generated_open(struct generated *made, const struct bench_size *size);
void generated_close(struct generated *made);

#endif
