/* Makes a comparison. In: two prepared calls. Out: groups, opcodes, findings gone and new, what
 * makes the workloads different.
 *
 * The diagnoses of the two sides and the differences between them need nothing of each other: two
 * threads take what is next of the three. */
#include "../tables/table_costs.h"
#include "compare_parts.h"
#include "xprofd/base/threads.h"
#include <string.h>

/* What a comparison says beside the groups: work, traffic, capacity, and what is computed again.
 * In: prepared calls. Out: numbers. */

static void sum_entry(struct xpd_compare_facts *out, const struct xpd_hlo *hlo,
                      const struct xpd_costs *costs)
{
    uint32_t first = hlo->computations.first[hlo->entry];
    uint32_t end = first + hlo->computations.instruction_count[hlo->entry];
    out->flops = out->bytes_accessed = 0;
    for (uint32_t i = first; i < end && i < costs->count; i++) {
        if (costs->flops[i] > 0)
            xpd_grow_i64(&out->flops, costs->flops[i]);
        if (costs->bytes[i] > 0)
            xpd_grow_i64(&out->bytes_accessed, costs->bytes[i]);
    }
}

static void xpd_compare_facts_of(struct xpd_compare_facts *out, const struct xpd_tool_ctx *ctx)
{
    struct xpd_err ignored;
    const struct xpd_costs *costs = xpd_tools_costs(ctx, &ignored);
    *out = (struct xpd_compare_facts){.flops = -1, .bytes_accessed = -1};
    xpd_tools_capacity(ctx, ctx->color, &out->capacity);
    if (costs && ctx->hlo->entry < ctx->hlo->computations.count)
        sum_entry(out, ctx->hlo, costs);
}

/* JAX's mark for what is computed a second time in the backward pass. */
static bool is_again(struct xpd_str op_name)
{
    return xpd_str_find(op_name, XPD_STR("rematted_computation"), false) < op_name.size;
}

static int by_more(const void *a, const void *b)
{
    const struct xpd_again *x = a, *y = b;
    int64_t dx = (int64_t)x->fusions[1] - x->fusions[0];
    int64_t dy = (int64_t)y->fusions[1] - y->fusions[0];
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    if (dx != dy)
        return dx < dy ? 1 : -1;
    return xpd_str_order(x->scope, y->scope);
}

static xpd_name_id scope_id(struct xpd_intern *scopes, struct xpd_strbuf *text,
                            const struct xpd_hlo *hlo, uint32_t instruction)
{
    uint32_t c = hlo->instructions.computation[instruction];
    struct xpd_str op_name = xpd_hlo_op_name(hlo, instruction);
    if ((c < hlo->computations.count && hlo->computations.is_fusion[c]) || !is_again(op_name))
        return 0;
    xpd_strbuf_clear(text);
    xpd_doctor_scope(text, op_name);
    return xpd_intern_put(scopes, text->data ? text->data : "", text->size);
}

static int xpd_compare_again(struct xpd_again **out, uint32_t *count, const struct xpd_hlo *before,
                             const struct xpd_hlo *after, struct xpd_arena *arena,
                             struct xpd_err *err)
{
    const struct xpd_hlo *hlo[2] = {before, after};
    struct xpd_strbuf text = {0};
    struct xpd_intern scopes;
    xpd_name_id *id[2] = {NULL, NULL};
    bool ok = true;
    *count = 0;
    xpd_intern_init(&scopes, arena);
    for (int s = 0; s < 2 && ok; s++) {
        id[s] = XPD_NEW_ARRAY(arena, xpd_name_id, (size_t)hlo[s]->instructions.count + 1);
        ok = id[s] != NULL;
        for (uint32_t i = 0; ok && i < hlo[s]->instructions.count; i++)
            id[s][i] = scope_id(&scopes, &text, hlo[s], i);
    }
    struct xpd_again *list = ok ? XPD_NEW_ARRAY(arena, struct xpd_again, scopes.count) : NULL;
    ok = ok && list && !scopes.failed && !text.failed;
    for (int s = 0; s < 2 && ok; s++)
        for (uint32_t i = 0; i < hlo[s]->instructions.count; i++) {
            struct xpd_str opcode = xpd_hlo_text(hlo[s], hlo[s]->instructions.opcode[i]);
            if (id[s][i] == 0)
                continue;
            list[id[s][i]].scope = xpd_intern_get(&scopes, id[s][i]);
            list[id[s][i]].instructions[s]++;
            list[id[s][i]].fusions[s] += xpd_str_eq(opcode, XPD_STR("fusion"));
        }
    for (uint32_t i = 1; ok && i < scopes.count; i++)
        if (list[i].fusions[0] != list[i].fusions[1])
            list[(*count)++] = list[i];
    if (*count > 1)
        qsort(list, *count, sizeof *list, by_more);
    *out = list;
    xpd_strbuf_fini(&text);
    xpd_intern_fini(&scopes);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

/* The two sides of a comparison. In: a prepared call, its parameters base_*. Out: what a tool makes
 * of it and of the same call as if it asked for the baseline. */

static bool on_host(const struct xpd_module *module, const struct xpd_run *run, struct xpd_str host)
{
    for (uint32_t i = 0; i < module->host_count; i++)
        if (xpd_str_eq(host, xpd_str_of(run->host[module->host[i]].name)))
            return true;
    return false;
}

static int pick_space(const struct xpd_tool_ctx *ctx, struct xpd_tool_ctx *base,
                      struct xpd_err *err)
{
    int64_t color = ctx->color;
    xpd_str_to_i64(xpd_param_text(ctx, "base_space"), &color);
    base->space = xpd_mem_space_of(base->mem, color);
    base->color = color;
    if (base->space)
        return XPD_OK;
    if (base->mem->space_count == 0)
        return xpd_fail(err, XPD_ENOTFOUND, "base_module", XPD_NO_OFFSET,
                        "module %s of the program before has no buffer assignment, so its memory "
                        "is unknown and cannot be compared",
                        base->run->module[base->module].key);
    return xpd_fail(err, XPD_ENOTFOUND, "base_space", XPD_NO_OFFSET,
                    "before: module %s has no memory space %" PRId64 "",
                    base->run->module[base->module].key, color);
}

/* The run is held until the answer is written (ctx->beside). */
static int open_base(const struct xpd_tool_ctx *ctx, struct xpd_tool_ctx *base, struct xpd_err *err)
{
    *base = *ctx;
    base->run = NULL;
    struct xpd_str run = xpd_param_text(ctx, "base_run");
    struct xpd_str module = xpd_param_text(ctx, "base_module");
    struct xpd_str host = xpd_param_text(ctx, "base_host");
    if (run.size == 0)
        run = xpd_str_of(ctx->run->entry->id);
    bool same = xpd_str_eq(run, xpd_str_of(ctx->run->entry->id));
    struct xpd_str only = same ? xpd_param_text(ctx, "only") : XPD_STR("");
    int rc =
        xpd_store_acquire_part(ctx->store, run, only, ctx->wait_ms, &base->run, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    *ctx->beside = base->run;
    rc = module.size > 0 ? xpd_run_find_module(base->run, module, &base->module, err)
                         : xpd_compare_pair(ctx->store, base->run, &ctx->run->module[ctx->module],
                                            ctx->hlo, &base->module, err);
    if (rc == XPD_OK && host.size > 0 &&
        !on_host(&base->run->module[base->module], base->run, host))
        rc = xpd_fail(err, XPD_ENOTFOUND, "base_host", XPD_NO_OFFSET,
                      "before: host %.*s does not have module %s",
                      (int)(host.size < 80 ? host.size : 80), host.data,
                      base->run->module[base->module].key);
    if (rc == XPD_OK)
        rc = xpd_store_module(ctx->store, base->run, base->module, &base->hlo, &base->mem, err);
    return rc == XPD_OK ? pick_space(ctx, base, err) : rc;
}

int xpd_compare_with_base(const struct xpd_tool_ctx *ctx, xpd_compare_answer_fn *answer,
                          size_t size, const void **to, struct xpd_err *err)
{
    struct xpd_tool_ctx both[2] = {{0}, *ctx};
    void *made = xpd_arena_calloc(ctx->arena, 1, size);
    if (!made)
        return xpd_tools_no_memory(err);
    *to = made;
    int rc = open_base(ctx, &both[0], err);
    return rc == XPD_OK ? answer(both, made, err) : rc;
}

struct xpd_compared_words xpd_compared_words(struct xpd_texts *texts,
                                             const struct xpd_tool_ctx ctx[2],
                                             const uint32_t buffer[2])
{
    int s = buffer[1] != XPD_NO_INDEX;
    const struct xpd_hlo *hlo = ctx[s].hlo;
    uint32_t instruction = xpd_mem_instruction(ctx[s].mem, buffer[s]);
    struct xpd_compared_words words = {0};
    if (buffer[s] == XPD_NO_INDEX)
        return words;
    words.group = xpd_hlo_group_word(hlo, instruction);
    words.opcode = xpd_hlo_opcode(hlo, instruction);
    xpd_doctor_scope(&texts->scratch, xpd_hlo_op_name(hlo, instruction));
    words.scope = xpd_strbuf_keep(&texts->scratch, texts->arena);
    xpd_source_put_of(&texts->scratch, hlo, instruction);
    words.source = xpd_strbuf_keep(&texts->scratch, texts->arena);
    return words;
}

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

static void make_part(void *context, uint32_t part, uint32_t thread)
{
    struct making *making = context;
    (void)thread;
    making->rc[part] = part == DIFFERENCES ? find_differences(making->c, &making->err[DIFFERENCES])
                                           : diagnose(making, part);
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
    *c = (struct xpd_comparison){.ctx = ctx, .nothing = xpd_compare_nothing(ctx)};
    for (int s = 0; s < 2; s++)
        xpd_arena_init(&c->arena[s], ctx[s].arena->budget_bytes);
    xpd_threads_each(0, PARTS, make_part, &making);
    for (int s = 0; s < 2; s++)
        ctx[s].arena->failed |= c->arena[s].failed;
    int rc = outcome(&making, err);
    if (rc == XPD_OK)
        rc = pair_findings(c, err);
    if (rc == XPD_OK)
        find_mismatches(c);
    if (c->nothing) /* what one side is not known to hold is not a difference */
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
