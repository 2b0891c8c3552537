/* Makes a comparison. In: two prepared calls. Out: groups, opcodes, findings gone and new, what
 * makes the workloads different.
 *
 * The diagnoses of the two sides and the differences between them need nothing of each other: two
 * threads take what is next of the three. */
#include "compare_parts.h"
#include "xprofd/base/threads.h"

#include <stdatomic.h>

static void mismatch(struct xpd_comparison *c, const char *what)
{
    if (c->mismatch_count < sizeof c->mismatch / sizeof *c->mismatch)
        c->mismatch[c->mismatch_count++] = what;
}

/* "the compiler differs: A before, B after"; only where both profiles say what it was. */
static void compare_compilers(struct xpd_comparison *c)
{
    const char *a = c->ctx[0].run->versions, *b = c->ctx[1].run->versions;
    c->compilers_known = a[0] != '\0' && b[0] != '\0';
    if (!c->compilers_known || strcmp(a, b) == 0)
        return;
    const char *text =
        xpd_arena_printf(c->ctx[0].arena, "different compilers: %.300s before, %.300s after", a, b);
    mismatch(c, text ? text : "the compiler differs");
}

const char *xpd_compare_nothing(const struct xpd_tool_ctx ctx[2])
{
    static const char *const why[2][2] = {
        {"neither program has a buffer assignment, so their memory is unknown",
         "the program before has no buffer assignment, so its memory is unknown"},
        {"the program after has no buffer assignment, so its memory is unknown", NULL}};
    return why[ctx[0].hlo->has_buffer_assignment][ctx[1].hlo->has_buffer_assignment];
}

static bool same_signature(const struct xpd_hlo *a, const struct xpd_hlo *b)
{
    struct xpd_strbuf x = {0}, y = {0};
    xpd_program_signature(&x, a);
    xpd_program_signature(&y, b);
    bool same = xpd_str_eq((struct xpd_str){x.data, x.size}, (struct xpd_str){y.data, y.size});
    xpd_strbuf_fini(&x);
    xpd_strbuf_fini(&y);
    return same;
}

static void find_mismatches(struct xpd_comparison *c)
{
    const struct xpd_tool_ctx *a = &c->ctx[0], *b = &c->ctx[1];
    if (!same_signature(a->hlo, b->hlo))
        mismatch(c, "arguments or results have different types or shapes");
    if (strcmp(a->run->platform, b->run->platform) != 0)
        mismatch(c, "different platforms");
    if (strcmp(a->run->device_type, b->run->device_type) != 0)
        mismatch(c, "the device differs");
    compare_compilers(c);
}

/* The same rule in the same space, and first of all at the same place. */
static bool same_finding(const struct xpd_finding *a, const struct xpd_finding *b, bool place)
{
    return a->rule == b->rule && a->color == b->color && (!place || xpd_str_eq(a->place, b->place));
}

static int pair_findings(struct xpd_comparison *c, struct xpd_err *err)
{
    const struct xpd_diagnosis *a = &c->diagnosis[0], *b = &c->diagnosis[1];
    struct xpd_arena *arena = c->ctx[0].arena;
    bool *used = XPD_NEW_ARRAY(arena, bool, a->count);
    const struct xpd_finding **before = XPD_NEW_ARRAY(arena, const struct xpd_finding *, b->count);
    c->change = XPD_NEW_ARRAY(arena, struct xpd_finding_change, (size_t)a->count + b->count);
    if (!used || !before || !c->change)
        return xpd_tools_no_memory(err);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < b->count; i++)
            for (uint32_t k = 0; k < a->count && !before[i]; k++)
                if (!used[k] && same_finding(&a->finding[k], &b->finding[i], pass == 0)) {
                    used[k] = true;
                    before[i] = &a->finding[k];
                }
    for (uint32_t i = 0; i < b->count; i++)
        if (!before[i])
            c->change[c->change_count++] = (struct xpd_finding_change){NULL, &b->finding[i]};
    for (uint32_t k = 0; k < a->count; k++)
        if (!used[k])
            c->change[c->change_count++] = (struct xpd_finding_change){&a->finding[k], NULL};
    for (uint32_t i = 0; i < b->count; i++)
        if (before[i])
            c->change[c->change_count++] = (struct xpd_finding_change){before[i], &b->finding[i]};
    return XPD_OK;
}

/* ---- parts ---- */

enum { BEFORE, AFTER, DIFFERENCES, PARTS }; /* the first two are sides */

struct making {
    struct xpd_comparison *c;
    _Atomic uint32_t next; /* part to be taken */
    int rc[PARTS];
    struct xpd_err err[PARTS];
    struct xpd_load_state state[2];
};

/* In an arena of its own: that of the call belongs to one thread. */
static int diagnose(struct making *making, uint32_t s)
{
    struct xpd_tool_ctx ctx = making->c->ctx[s];
    ctx.arena = &making->c->arena[s];
    ctx.state = ctx.state ? &making->state[s] : NULL;
    return xpd_diagnose(&making->c->diagnosis[s], &ctx, xpd_param_text(&ctx, "config"),
                        XPD_DIAGNOSE_ALL, ctx.space, &making->err[s]);
}

static int find_differences(struct xpd_comparison *c, struct xpd_err *err)
{
    const struct xpd_tool_ctx *a = &c->ctx[0], *b = &c->ctx[1];
    struct xpd_compare_side side[2] = {{a->mem, a->space}, {b->mem, b->space}};
    int rc = xpd_compare_run(&c->result, side, a->arena, err);
    if (rc == XPD_OK)
        rc = xpd_compare_opcodes(&c->opcode, &c->opcode_count, &c->opcodes, a->hlo, b->hlo,
                                 a->arena, err);
    if (rc == XPD_OK)
        rc = xpd_compare_again(&c->again, &c->again_count, a->hlo, b->hlo, a->arena, err);
    for (int s = 0; s < 2 && rc == XPD_OK; s++)
        xpd_compare_facts_of(&c->facts[s], &c->ctx[s]);
    return rc;
}

static void make_parts(void *context, uint32_t thread)
{
    struct making *making = context;
    uint32_t at;
    (void)thread;
    while ((at = atomic_fetch_add_explicit(&making->next, 1, memory_order_relaxed)) < PARTS)
        making->rc[at] = at == DIFFERENCES ? find_differences(making->c, &making->err[DIFFERENCES])
                                           : diagnose(making, at);
}

/* What went wrong first in the order of one thread: differences, before, after. */
static int outcome(const struct making *making, struct xpd_err *err)
{
    static const int order[PARTS] = {DIFFERENCES, BEFORE, AFTER};
    for (int k = 0; k < PARTS; k++) {
        int at = order[k], rc = making->rc[at];
        if (rc == XPD_OK)
            continue;
        if (err)
            *err = making->err[at];
        if (at != DIFFERENCES && making->c->ctx[at].state)
            *making->c->ctx[at].state = making->state[at];
        return rc;
    }
    return XPD_OK;
}

int xpd_comparison_make(struct xpd_comparison *c, const struct xpd_tool_ctx ctx[2],
                        struct xpd_err *err)
{
    struct making making = {.c = c};
    uint32_t processors = xpd_threads_count(0);
    *c = (struct xpd_comparison){.ctx = ctx, .nothing = xpd_compare_nothing(ctx)};
    for (int s = 0; s < 2; s++)
        xpd_arena_init(&c->arena[s], ctx[s].arena->budget_bytes);
    xpd_threads_run(processors < PARTS ? processors : PARTS, make_parts, &making);
    for (int s = 0; s < 2; s++)
        ctx[s].arena->failed |= c->arena[s].failed;
    int rc = outcome(&making, err);
    if (rc == XPD_OK)
        rc = pair_findings(c, err);
    if (rc == XPD_OK)
        find_mismatches(c);
    if (c->nothing) /* what one side is not known to hold is no difference */
        c->result.group_count = c->result.different_count = c->change_count = 0;
    return rc;
}

void xpd_comparison_fini(struct xpd_comparison *c)
{
    for (int s = 0; s < 2; s++)
        xpd_arena_fini(&c->arena[s]);
}

int xpd_compare_pair(struct xpd_store *store, const struct xpd_run *before,
                     const struct xpd_module *like, const struct xpd_hlo *after, uint32_t *module,
                     struct xpd_err *err)
{
    uint32_t named = XPD_NO_INDEX, count = 0, signed_ = XPD_NO_INDEX, alike = 0;
    uint32_t keyed = XPD_NO_INDEX;
    for (uint32_t i = 0; i < before->module_count; i++) {
        const struct xpd_hlo *hlo;
        if (strcmp(before->module[i].name, like->name) != 0)
            continue;
        count++;
        named = i;
        if (strcmp(before->module[i].key, like->key) == 0)
            keyed = i;
        if (xpd_store_module(store, before, i, &hlo, NULL, NULL) == XPD_OK &&
            same_signature(hlo, after)) {
            signed_ = i;
            alike++;
        }
    }
    /* A key may be a hash of the program or only its number in the process: it settles what the
     * signatures leave open. */
    *module = alike == 1              ? signed_
              : keyed != XPD_NO_INDEX ? keyed
              : count == 1            ? named
                                      : XPD_NO_INDEX;
    if (*module == XPD_NO_INDEX && count == 0 && before->module_count == 1)
        *module = 0; /* one program on each side: dumps call it by file */
    if (*module != XPD_NO_INDEX)
        return XPD_OK;
    char have[256] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < before->module_count && i < 8 && used < sizeof have - 60; i++)
        used += (size_t)snprintf(have + used, sizeof have - used, "%s%.50s", i ? ", " : "",
                                 before->module[i].key);
    return xpd_fail(err, XPD_ENOTFOUND, "base_module", XPD_NO_OFFSET,
                    "%s: %" PRIu32 " modules before have that name; they are %s", like->name, count,
                    have);
}
