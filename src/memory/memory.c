/* The analysis from end to end: assignment, spaces, totals, replay, union, peak, index, uses.
 *
 * In: a loaded HloProto. Out: struct xpd_mem, frozen. Content never makes it fail: what is damaged
 * is a warning. Invariants: everything returned lives in mem->arena; scratch dies here. */
#include "xprofd/memory/memory.h"
#include "memory_internal.h"
#include "xprofd/base/bytes_text.h"
#include "xprofd/base/error.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The message for a module without a buffer assignment: a dump from before or after that pass of
 * the compiler. */

/* Kernels may name scratch memory of their own: known, but no peak. */
static const struct xpd_hlo_scoped *largest_scoped(const struct xpd_hlo *hlo)
{
    const struct xpd_hlo_scoped *largest = NULL;
    for (uint32_t i = 0; i < hlo->scoped_count; i++)
        if (hlo->scoped[i].size_bytes > (largest ? largest->size_bytes : 0))
            largest = &hlo->scoped[i];
    return largest;
}

int xpd_mem_no_assignment(const struct xpd_hlo *hlo, const char *where, struct xpd_err *err)
{
    const struct xpd_hlo_scoped *scoped = largest_scoped(hlo);
    char also[200] = "", size[48];
    if (scoped) {
        xpd_bytes_text(size, scoped->size_bytes, scoped->size_bytes);
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[scoped->instruction]);
        snprintf(also, sizeof also,
                 ". It names at most %s of scratch memory (space %" PRId64 ") for one kernel: %.*s",
                 size, scoped->memory_space, (int)(name.size < 80 ? name.size : 80), name.data);
    }
    return xpd_fail(
        err, XPD_ENOTFOUND, where, XPD_NO_OFFSET,
        "this module has no buffer assignment, so its memory is unknown; a profile of the "
        "compiled program, XLA's *after_optimizations.hlo.pb dump, or the *-buffer-assignment.txt "
        "beside a module's text has one%s",
        also);
}

static bool build(struct xpd_mem_build *b)
{
    if (!xpd_mem_build_assignment(b) || !xpd_mem_build_spaces(b))
        return false;
    xpd_mem_build_totals(b);
    if (!xpd_mem_build_replay(b))
        return false;
    for (uint32_t s = 0; s < b->mem->space_count; s++) {
        struct xpd_mem_space *space = &b->mem->space[s];
        if (space->live_is_union && !xpd_mem_build_union(b, space))
            return false;
        xpd_mem_build_peak(space);
        if (!xpd_mem_build_index(b, space))
            return false;
    }
    return xpd_mem_build_uses(b);
}

int xpd_mem_analyse(struct xpd_mem **out, const struct xpd_hlo *hlo, uint64_t arena_budget_bytes,
                    struct xpd_err *err)
{
    *out = NULL;
    struct xpd_mem *mem = calloc(1, sizeof *mem);
    if (!mem)
        return xpd_no_memory(err, NULL, "to analyse the module");
    xpd_arena_init(&mem->arena, arena_budget_bytes);
    mem->hlo = hlo;
    mem->warnings.arena = &mem->arena;
    struct xpd_mem_build b = {.mem = mem};
    xpd_arena_init(&b.scratch, arena_budget_bytes);
    bool ok = build(&b), over_budget = mem->arena.over_budget || b.scratch.over_budget;
    xpd_arena_fini(&b.scratch);
    if (!ok) {
        xpd_mem_free(mem);
        if (!over_budget)
            return xpd_no_memory(err, NULL, "to analyse the module");
        return xpd_fail(err, XPD_ELIMIT, NULL, XPD_NO_OFFSET,
                        "The memory analysis of the module needs more than the %llu bytes allowed "
                        "(--memory-limit).",
                        (unsigned long long)arena_budget_bytes);
    }
    if (b.overflow)
        xpd_warn(
            &mem->warnings, XPD_WARNING, "overflow", XPD_NO_OFFSET,
            "A sum of sizes or offsets does not fit in 64 bits; numbers are cut at the limit.");
    *out = mem;
    return XPD_OK;
}

void xpd_mem_free(struct xpd_mem *mem)
{
    if (!mem)
        return;
    xpd_arena_fini(&mem->arena);
    free(mem);
}

uint64_t xpd_mem_memory_bytes(const struct xpd_mem *mem)
{
    return sizeof *mem + mem->arena.used_bytes;
}
