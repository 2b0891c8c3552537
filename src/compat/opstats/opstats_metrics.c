/* Databases of op metrics: looking up, adding up, sorting. Rules: XProf's op_metrics_db_utils.cc
 * and op_metrics_db_combiner.cc. */
#include "opstats_metrics.h"

#include <stdlib.h>

void xpd_ops_db_init(struct xpd_ops_db *db, struct xpd_arena *arena)
{
    *db = (struct xpd_ops_db){.arena = arena};
}

void xpd_ops_db_fini(struct xpd_ops_db *db)
{
    free(db->at);
    xpd_map64_fini(&db->index);
    *db = (struct xpd_ops_db){0};
}

void xpd_ops_db_freeze(struct xpd_ops_db *db)
{
    struct xpd_ops_metrics *kept = XPD_COPY_ARRAY(db->arena, db->at, db->count);
    free(db->at);
    xpd_map64_fini(&db->index);
    db->failed = db->failed || !kept;
    db->at = kept;
    db->count = kept ? db->count : 0;
}

struct xpd_ops_metrics *xpd_ops_db_put(struct xpd_ops_db *db, uint64_t program_id,
                                       struct xpd_str name)
{
    uint64_t key = xpd_hash(name.data, name.size) ^ program_id * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = xpd_map64_get(&db->index, key);
    if (at != XPD_NO_INDEX)
        return &db->at[at];
    if (db->count == db->capacity) {
        uint32_t capacity = db->capacity ? db->capacity * 2 : 64;
        struct xpd_ops_metrics *grown = realloc(db->at, capacity * sizeof *grown);
        db->failed = db->failed || !grown;
        if (!grown)
            return NULL;
        db->at = grown;
        db->capacity = capacity;
    }
    xpd_map64_put(&db->index, key, db->count);
    db->failed = db->failed || db->index.failed;
    struct xpd_ops_metrics *op = &db->at[db->count++];
    *op = (struct xpd_ops_metrics){.program_id = program_id, .name = name};
    return op;
}

void xpd_ops_db_finish(struct xpd_ops_db *db, uint64_t total_ps)
{
    db->total_ps = total_ps > db->total_op_ps ? total_ps : db->total_op_ps;
    struct xpd_ops_metrics *op = xpd_ops_db_put(db, 0, XPD_STR("IDLE"));
    if (!op)
        return;
    op->category = op->name;
    op->time_ps = op->self_ps = db->total_ps - db->total_op_ps;
}

/* There are a handful of kinds: an array grows when it meets one, not with each addition. */
void xpd_ops_add_access(struct xpd_arena *arena, struct xpd_ops_access **to, uint32_t *to_count,
                        const struct xpd_ops_access *access, uint32_t count, uint64_t times)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 0;
        while (at < *to_count &&
               ((*to)[at].space != access[i].space || (*to)[at].operation != access[i].operation))
            at++;
        if (at == *to_count) {
            struct xpd_ops_access *all =
                XPD_NEW_ARRAY(arena, struct xpd_ops_access, (size_t)at + 1);
            if (!all)
                return; /* the arena remembers */
            if (at > 0)
                memcpy(all, *to, at * sizeof *all);
            all[at] = (struct xpd_ops_access){access[i].space, access[i].operation, 0};
            *to = all;
            ++*to_count;
        }
        (*to)[at].bytes += access[i].bytes * times;
    }
}

static void keep_text(struct xpd_str *to, struct xpd_str from)
{
    if (to->size == 0)
        *to = from;
}

static void copy_facts(struct xpd_ops_metrics *to, const struct xpd_ops_metrics *from)
{
    keep_text(&to->long_name, from->long_name);
    keep_text(&to->category, from->category);
    keep_text(&to->provenance, from->provenance);
    keep_text(&to->dedup_name, from->dedup_name);
    if (to->file.size == 0 && to->stack.size == 0 && to->line == 0) {
        to->file = from->file;
        to->stack = from->stack;
        to->line = from->line;
    }
    if (to->children.count == 0)
        to->children = from->children;
    if (to->core == XPD_OPS_NO_CORE)
        to->core = from->core;
}

static void add_amounts(struct xpd_arena *arena, struct xpd_ops_metrics *to,
                        const struct xpd_ops_metrics *from)
{
    to->eager |= from->eager;
    to->occurrences += from->occurrences;
    to->time_ps += from->time_ps;
    to->self_ps += from->self_ps;
    to->normalized_ps += from->normalized_ps;
    to->dma_stall_ps += from->dma_stall_ps;
    to->flops += from->flops;
    to->model_flops += from->model_flops;
    to->flops_v2 += from->flops_v2;
    to->model_flops_v2 += from->model_flops_v2;
    to->bytes += from->bytes;
    to->energy_j += from->energy_j;
    xpd_ops_add_access(arena, &to->access, &to->access_count, from->access, from->access_count, 1);
}

void xpd_ops_db_combine(struct xpd_ops_db *db, const struct xpd_ops_db *src)
{
    db->total_ps += src->total_ps;
    db->total_op_ps += src->total_op_ps;
    db->normalized_op_ps += src->normalized_op_ps;
    db->infeed_ps += src->infeed_ps;
    db->infeed_gap_ps += src->infeed_gap_ps;
    db->failed |= src->failed;
    for (uint32_t i = 0; i < src->count; i++) {
        struct xpd_ops_metrics *op = xpd_ops_db_put(db, src->at[i].program_id, src->at[i].name);
        if (!op)
            return;
        copy_facts(op, &src->at[i]);
        add_amounts(db->arena, op, &src->at[i]);
    }
}

static int by_self_time(const void *a, const void *b)
{
    const struct xpd_ops_metrics *x = *(const struct xpd_ops_metrics *const *)a;
    const struct xpd_ops_metrics *y = *(const struct xpd_ops_metrics *const *)b;
    if (x->self_ps != y->self_ps)
        return x->self_ps > y->self_ps ? -1 : 1;
    int order = xpd_str_order(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

const struct xpd_ops_metrics **xpd_ops_sorted(const struct xpd_ops_metrics *op, uint32_t count,
                                              uint32_t most, uint32_t *sorted,
                                              struct xpd_arena *arena)
{
    const struct xpd_ops_metrics **list =
        XPD_NEW_ARRAY(arena, const struct xpd_ops_metrics *, count);
    *sorted = list ? (count < most ? count : most) : 0;
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = &op[i];
    if (list)
        qsort(list, count, sizeof *list, by_self_time);
    return list;
}
