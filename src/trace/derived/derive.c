/* Derived rows: the order in which they are made. Queries of the result: derived.c. */
#include "derive.h"

static int by_event(const void *a, const void *b)
{
    const struct xpd_step_name *x = a, *y = b;
    return (x->event > y->event) - (x->event < y->event);
}

static void keep_step_names(struct xpd_deriving *deriving)
{
    struct xpd_derived *out = deriving->out;
    size_t count = deriving->groups.named.count;
    out->step_name = XPD_COPY_VEC(&out->arena, &deriving->groups.named);
    if (!out->step_name || count == 0)
        return;
    qsort(out->step_name, count, sizeof *out->step_name, by_event);
    out->step_name_count = (uint32_t)count;
}

static void fini(struct xpd_deriving *deriving)
{
    for (size_t i = 0; i < deriving->draft.count; i++)
        xpd_draft_fini(&deriving->draft.at[i]);
    XPD_VEC_FINI(&deriving->draft);
    XPD_VEC_FINI(&deriving->row);
    XPD_VEC_FINI(&deriving->depth);
    XPD_VEC_FINI(&deriving->pair);
    XPD_VEC_FINI(&deriving->name);
    XPD_VEC_FINI(&deriving->groups.named);
    XPD_VEC_FINI(&deriving->groups.root);
    XPD_VEC_FINI(&deriving->groups.group_name);
    xpd_map64_fini(&deriving->name_of);
    XPD_VEC_FINI(&deriving->launch);
    XPD_VEC_FINI(&deriving->launch_stats);
    XPD_VEC_FINI(&deriving->scope);
    XPD_VEC_FINI(&deriving->step);
    xpd_map64_fini(&deriving->scope_of);
    XPD_VEC_FINI(&deriving->hlo);
    xpd_map64_fini(&deriving->hlo_of);
    xpd_map64_fini(&deriving->hlo_read);
}

static int derive(struct xpd_deriving *deriving, struct xpd_err *err)
{
    struct xpd_derived *out = deriving->out;
    int rc = xpd_groups_make(&out->groups, deriving->trace, &deriving->groups, err);
    if (rc != XPD_OK)
        return rc;
    xpd_steps_count_roots(deriving);
    for (uint32_t p = 0; p < deriving->trace->process_count; p++) {
        switch (deriving->trace->process[p].kind) {
        case XPD_PROCESS_TPU:
            xpd_derive_tpu(deriving, p);
            xpd_derive_offload(deriving, p);
            break;
        case XPD_PROCESS_GPU: xpd_derive_gpu(deriving, p); break;
        case XPD_PROCESS_HOST: xpd_derive_regions(deriving, p); break;
        default: break;
        }
        deriving->failed = deriving->failed || !xpd_derive_freeze(deriving);
    }
    xpd_derive_steps(deriving);
    if (!deriving->failed)
        keep_step_names(deriving);
    xpd_derive_launches_keep(deriving);
    if (deriving->failed || !xpd_derive_finish(deriving) || out->arena.failed || out->names.failed)
        return xpd_no_memory(err, NULL, "for the derived rows");
    return XPD_OK;
}

int xpd_derived_make(struct xpd_derived **out, const struct xpd_trace *trace,
                     uint64_t arena_budget_bytes, struct xpd_err *err)
{
    struct xpd_derived *derived = calloc(1, sizeof *derived);
    if (!derived)
        return xpd_no_memory(err, NULL, "for the derived rows");
    xpd_arena_init(&derived->arena, arena_budget_bytes);
    xpd_intern_init(&derived->names, &derived->arena);
    derived->warnings.arena = &derived->arena;
    derived->trace = trace;
    struct xpd_deriving deriving = {.out = derived,
                                    .trace = trace,
                                    .groups = {.arena = &derived->arena,
                                               .names = &derived->names,
                                               .warnings = &derived->warnings}};
    int rc = derive(&deriving, err);
    fini(&deriving);
    if (rc != XPD_OK) {
        xpd_derived_free(derived);
        derived = NULL;
    }
    *out = derived;
    return rc;
}
