/* The items of a what-if: read from the query, tried, written. */
#include "../tables/table_costs.h"
#include "whatif.h"
#include "whatif_changed.h"
#include "xprofd/base/checked.h"
#include <string.h>

/* What is held at a step of a changed program.
 *
 * In: a plan, as memory/whatif reads it. Each buffer's changes of the curve are kept with its
 * storage; the rows held at a step (memory/held.h) less those that cover it are the rows of the
 * changed program, so that their sum is its curve. */

/* ---- the plan, with whose change is whose ---- */

static void keep(struct xpd_changed *c, uint32_t storage, struct xpd_changed_less less)
{
    less.next = c->first[storage];
    XPD_PUSH(&c->less, less);
    if (!c->less.failed)
        c->first[storage] = (uint32_t)c->less.count;
}

static void add(struct xpd_changed *c, uint32_t buffer, const struct xpd_whatif_item *item)
{
    struct xpd_plan *plan = &c->plan;
    uint32_t changes = plan->change_count, done = plan->done_count;
    int64_t resident = plan->resident_less_bytes;
    int64_t parts = item->action == XPD_ACTION_HALVE   ? 2
                    : item->action == XPD_ACTION_SHARD ? item->parts
                                                       : 1;
    (void)xpd_plan_add(plan, buffer, item->action, item->parts);
    if (plan->failed || plan->done_count == done)
        return; /* it cannot be, or its storage was changed before */
    uint32_t storage = plan->done_key[plan->done_count - 1];
    for (uint32_t i = changes; i < plan->change_count; i++)
        keep(c, storage,
             (struct xpd_changed_less){.from = plan->change[i].from,
                                       .to = plan->change[i].to,
                                       .bytes = plan->change[i].less_bytes,
                                       .parts = parts});
    if (plan->resident_less_bytes != resident)
        keep(c, storage,
             (struct xpd_changed_less){
                 .to = UINT32_MAX, .bytes = plan->resident_less_bytes - resident, .parts = parts});
}

int xpd_changed_make(struct xpd_changed *c, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_whatif_list wants;
    size_t storages = (size_t)ctx->hlo->buffers.count + ctx->hlo->allocation_count;
    *c = (struct xpd_changed){.ctx = ctx};
    if (ctx->space->live_is_union)
        return xpd_fail(
            err, XPD_EINVAL, "space", XPD_NO_OFFSET,
            "addresses overlap in this memory space, so rows do not add up to the curve");
    int rc = xpd_whatif_read(ctx, "plan", &wants, err);
    if (rc != XPD_OK)
        return rc;
    xpd_plan_init(&c->plan, ctx->mem, ctx->space, ctx->arena);
    c->first = XPD_NEW_ARRAY(ctx->arena, uint32_t, storages + 1);
    c->stays = XPD_NEW_ARRAY(ctx->arena, uint32_t, (size_t)ctx->space->tenancy_count + 1);
    if (!c->first || !c->stays)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < wants.count; i++)
        for (uint32_t k = 0; k < wants.at[i].count; k++)
            add(c, wants.at[i].buffer[k], &wants.at[i]);
    for (uint32_t i = 0; i < c->plan.longer_count; i++) {
        const struct xpd_plan_longer *l = &c->plan.longer[i];
        if (l->until > c->stays[l->tenancy])
            c->stays[l->tenancy] = l->until;
    }
    return c->plan.failed || c->less.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

void xpd_changed_fini(struct xpd_changed *c)
{
    XPD_VEC_FINI(&c->less);
}

/* ---- a step of it ---- */

/* The row's sizes with the changes of its storage that cover the step. */
static void change(const struct xpd_changed *c, struct xpd_held *row, uint32_t step)
{
    uint32_t storage;
    if (row->tenancy != XPD_NO_INDEX)
        storage = c->ctx->mem->buffer[c->ctx->space->tenancy[row->tenancy].buffer].root;
    else if (row->allocation != XPD_NO_INDEX)
        storage = c->ctx->hlo->buffers.count + row->allocation;
    else
        return;
    for (uint32_t i = c->first[storage]; i != 0; i = c->less.at[i - 1].next) {
        const struct xpd_changed_less *less = &c->less.at[i - 1];
        if (step < less->from || (step >= less->to && less->to != UINT32_MAX))
            continue;
        xpd_grow_i64(&row->size_bytes, -less->bytes);
        row->unpadded_bytes =
            row->unpadded_bytes / less->parts + (row->unpadded_bytes % less->parts != 0);
    }
    if (row->unpadded_bytes > row->size_bytes)
        row->unpadded_bytes = row->size_bytes;
}

static void put(struct xpd_changed_rows *rows, struct xpd_held held, int64_t now_bytes)
{
    rows->at[rows->count++] = (struct xpd_changed_row){held, now_bytes};
    xpd_grow_i64(&rows->now_bytes, now_bytes);
    xpd_grow_i64(&rows->bytes, held.size_bytes);
}

/* An input of what is computed once more, held until then. */
static struct xpd_held staying(const struct xpd_changed *c, uint32_t t)
{
    const struct xpd_tenancy *tenancy = &c->ctx->space->tenancy[t];
    return (struct xpd_held){.buffer = tenancy->buffer,
                             .tenancy = t,
                             .allocation = c->ctx->mem->buffer[tenancy->buffer].allocation,
                             .start = tenancy->start_step,
                             .end = c->stays[t],
                             .mem_class = XPD_CLASS_TEMPORARY,
                             .size_bytes = tenancy->size_bytes,
                             .unpadded_bytes = tenancy->unpadded_bytes,
                             .offset_bytes = tenancy->offset_bytes};
}

/* Of what is live at the step before the changes. */
static int changed_rows(struct xpd_changed_rows *rows, const struct xpd_changed *c,
                        const struct xpd_held_list *held, uint32_t step, struct xpd_err *err)
{
    const struct xpd_mem_space *space = c->ctx->space;
    uint32_t stays = 0;
    for (uint32_t t = 0; t < space->tenancy_count; t++)
        stays += space->tenancy[t].end_step <= step && step < c->stays[t];
    *rows = (struct xpd_changed_rows){.at = XPD_NEW_ARRAY(c->ctx->arena, struct xpd_changed_row,
                                                          (size_t)held->count + stays + 1)};
    if (!rows->at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < held->count; i++) {
        struct xpd_held row = held->at[i];
        change(c, &row, step);
        put(rows, row, held->at[i].size_bytes);
    }
    for (uint32_t t = 0; t < space->tenancy_count && stays > 0; t++)
        if (space->tenancy[t].end_step <= step && step < c->stays[t])
            put(rows, staying(c, t), 0);
    return XPD_OK;
}

int xpd_changed_at(struct xpd_changed_rows *rows, const struct xpd_changed *c, uint32_t step,
                   struct xpd_err *err)
{
    struct xpd_held_list held;
    int rc = xpd_held_at(&held, c->ctx->mem, c->ctx->space, step, c->ctx->arena, err);
    return rc == XPD_OK ? changed_rows(rows, c, &held, step, err) : rc;
}

/* ---- lists of the changed program ---- */

/* In: the list before the changes. */
static int changed_list(struct xpd_held_list *list, const struct xpd_changed *c, uint32_t step,
                        struct xpd_err *err)
{
    struct xpd_changed_rows rows;
    int rc = changed_rows(&rows, c, list, step, err);
    if (rc != XPD_OK)
        return rc;
    list->at = XPD_NEW_ARRAY(c->ctx->arena, struct xpd_held, (size_t)rows.count + 1);
    if (!list->at)
        return xpd_tools_no_memory(err);
    list->count = list->resident_count = 0;
    list->unpadded_bytes = 0;
    list->bytes = list->listed_bytes = rows.bytes;
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct xpd_held *row = &rows.at[i].held;
        if (row->size_bytes <= 0 && rows.at[i].now_bytes > 0)
            continue;
        list->resident_count += row->tenancy == XPD_NO_INDEX;
        xpd_grow_i64(&list->unpadded_bytes, row->unpadded_bytes);
        list->at[list->count++] = *row;
    }
    return XPD_OK;
}

int xpd_tools_held(struct xpd_held_list *list, const struct xpd_tool_ctx *ctx, uint32_t step,
                   struct xpd_err *err)
{
    struct xpd_changed c;
    int rc = xpd_held_at(list, ctx->mem, ctx->space, step, ctx->arena, err);
    if (rc != XPD_OK || !xpd_param_has(ctx, "plan"))
        return rc;
    rc = xpd_changed_make(&c, ctx, err);
    if (rc == XPD_OK)
        rc = changed_list(list, &c, step, err);
    xpd_changed_fini(&c);
    return rc;
}

#define PARTS_MAX 65536

static int wrong(const struct xpd_tool_ctx *ctx, const char *where, struct xpd_str item,
                 struct xpd_err *err)
{
    return xpd_fail(err, XPD_EINVAL, where, XPD_NO_OFFSET,
                    "%s must be buffer indexes below %" PRIu32
                    " separated by commas%s, not \"%.*s\"",
                    where, ctx->hlo->buffers.count,
                    where[0] == 'p' || where[0] == 't'
                        ? ", each (or several as 3+5-9) with :drop, :halve, :unpad, :donate, "
                          ":offload, :recompute or :shard:N"
                        : "",
                    (int)(item.size < 40 ? item.size : 40), item.data);
}

static struct xpd_str cut(struct xpd_str *rest, char end)
{
    const char *at = rest->size > 0 ? memchr(rest->data, end, rest->size) : NULL;
    struct xpd_str part = {rest->data, at ? (size_t)(at - rest->data) : rest->size};
    size_t taken = part.size + (at != NULL);
    *rest = (struct xpd_str){rest->data + taken, rest->size - taken};
    return part;
}

static bool index_of(const struct xpd_tool_ctx *ctx, struct xpd_str text, int64_t *index)
{
    return xpd_str_to_i64(text, index) && *index >= 0 && *index < ctx->hlo->buffers.count;
}

struct reader {
    const struct xpd_tool_ctx *ctx;
    uint32_t *pool;
    uint32_t used;
    bool *seen; /* of this item; of a list without actions, of all of it */
    bool full;
};

/* "3+5-9" appended to the pool. */
static bool read_buffers(struct reader *r, struct xpd_str text, struct xpd_whatif_item *item)
{
    item->buffer = r->pool + r->used;
    do {
        struct xpd_str range = cut(&text, '+'), first = cut(&range, '-');
        int64_t from, to;
        if (!index_of(r->ctx, first, &from))
            return false;
        to = from;
        if (range.data > first.data + first.size && !index_of(r->ctx, range, &to))
            return false;
        for (; from <= to && !r->full; from++) {
            if (r->seen[from])
                continue;
            if (r->used == XPD_WHATIF_BUFFERS) {
                r->full = true;
                break;
            }
            r->seen[from] = true;
            r->pool[r->used++] = (uint32_t)from;
            item->count++;
        }
    } while (text.size > 0);
    return true;
}

static bool read_action(struct xpd_str text, struct xpd_whatif_item *item)
{
    struct xpd_str word = cut(&text, ':');
    unsigned a = 0;
    while (a < XPD_ACTION_COUNT &&
           !xpd_str_eq(word, xpd_str_of(xpd_action_word((enum xpd_action)a))))
        a++;
    item->action = (enum xpd_action)a;
    if (a == XPD_ACTION_COUNT)
        return false;
    if (a != XPD_ACTION_SHARD)
        return text.size == 0;
    return xpd_str_to_i64(text, &item->parts) && item->parts >= 2 && item->parts <= PARTS_MAX;
}

int xpd_whatif_read(const struct xpd_tool_ctx *ctx, const char *name, struct xpd_whatif_list *list,
                    struct xpd_err *err)
{
    bool actions = name[0] == 'p' || name[0] == 't';
    struct xpd_str rest = xpd_param_text(ctx, name);
    struct reader r = {.ctx = ctx,
                       .pool = XPD_NEW_ARRAY(ctx->arena, uint32_t, XPD_WHATIF_BUFFERS),
                       .seen =
                           XPD_NEW_ARRAY(ctx->arena, bool, (size_t)ctx->hlo->buffers.count + 1)};
    uint32_t most = actions ? XPD_WHATIF_ITEMS : XPD_WHATIF_BUFFERS;
    *list = (struct xpd_whatif_list){.at = XPD_NEW_ARRAY(ctx->arena, struct xpd_whatif_item, most)};
    if (!r.pool || !r.seen || !list->at)
        return xpd_tools_no_memory(err);
    while (rest.size > 0) {
        struct xpd_str item = cut(&rest, ','), text = item, buffers = cut(&text, ':');
        if (list->count == most)
            return xpd_fail(err, XPD_ELIMIT, name, XPD_NO_OFFSET, "at most %u changes at a time",
                            (unsigned)most);
        struct xpd_whatif_item *out = &list->at[list->count];
        *out = (struct xpd_whatif_item){.action = XPD_ACTION_DROP};
        if (!read_buffers(&r, buffers, out) || (actions && !read_action(text, out)) ||
            (!actions && text.data != buffers.data + buffers.size))
            return wrong(ctx, name, item, err);
        if (r.full)
            return xpd_fail(err, XPD_ELIMIT, name, XPD_NO_OFFSET, "at most %d buffers at a time",
                            XPD_WHATIF_BUFFERS);
        list->count += out->count > 0;
        for (uint32_t i = 0; actions && i < out->count; i++)
            r.seen[out->buffer[i]] = false;
    }
    for (uint32_t i = 0; i < r.used; i++) {
        list->buffers += !r.seen[r.pool[i]] || !actions;
        r.seen[r.pool[i]] = true;
    }
    return XPD_OK;
}

/* Work of computing the buffers once more; an instruction with several results counts once. */
static int64_t flops_of(const struct xpd_tool_ctx *ctx, const struct xpd_whatif_item *item)
{
    struct xpd_err ignored;
    const struct xpd_costs *costs = xpd_tools_costs(ctx, &ignored);
    int64_t sum = 0;
    uint32_t last = XPD_NO_INDEX;
    for (uint32_t i = 0; costs && i < item->count; i++) {
        uint32_t instruction = ctx->mem->buffer[item->buffer[i]].instruction;
        if (instruction == last)
            continue;
        last = instruction;
        if (instruction >= costs->count || costs->flops[instruction] < 0)
            return -1;
        xpd_grow_i64(&sum, costs->flops[instruction]);
    }
    return costs ? sum : -1;
}

bool xpd_whatif_apply(struct xpd_trial *trial, struct xpd_whatif_item *item,
                      const struct xpd_tool_ctx *ctx)
{
    struct xpd_trial_mark before = xpd_trial_mark(trial);
    item->changed = 0;
    item->bytes = 0;
    item->impossible = NULL;
    const char *first = NULL;
    for (uint32_t i = 0; i < item->count; i++) {
        const char *no = xpd_trial_add(trial, item->buffer[i], item->action, item->parts);
        first = i == 0 ? no : first;
        item->changed += no == NULL;
        xpd_grow_i64(&item->bytes, ctx->mem->buffer[item->buffer[i]].size_bytes);
    }
    item->impossible = item->changed == 0 ? first : NULL;
    item->moved_bytes = trial->plan.moved_bytes - before.moved_bytes;
    item->recomputed_bytes = trial->plan.recomputed_bytes - before.recomputed_bytes;
    item->flops =
        item->action == XPD_ACTION_RECOMPUTE && item->changed > 0 ? flops_of(ctx, item) : -1;
    return !trial->plan.failed;
}

bool xpd_whatif_alone(struct xpd_trial *trial, struct xpd_whatif_list *list,
                      const struct xpd_tool_ctx *ctx)
{
    struct xpd_trial_mark empty = xpd_trial_mark(trial);
    int64_t now = xpd_trial_peak(trial, NULL);
    for (uint32_t i = 0; i < list->count; i++) {
        if (!xpd_whatif_apply(trial, &list->at[i], ctx))
            return false;
        list->at[i].alone_bytes = now - xpd_trial_peak(trial, NULL);
        xpd_trial_back(trial, empty);
    }
    return true;
}

XPD_RECORD_TABLE(xpd_whatif_row, XPD_WHATIF_ROW_FIELDS)

const struct xpd_whatif_row *xpd_whatif_rows(const struct xpd_whatif_list *list,
                                             struct xpd_arena *arena)
{
    struct xpd_whatif_row *row = XPD_NEW_ARRAY(arena, struct xpd_whatif_row, list->count);
    for (uint32_t i = 0; row && i < list->count; i++) {
        const struct xpd_whatif_item *item = &list->at[i];
        row[i] = (struct xpd_whatif_row){
            .buffer = item->buffer[0],
            .count = item->count,
            .changed = item->changed,
            .action = xpd_action_word(item->action),
            .impossible = item->impossible,
            .adds_bytes = item->adds_bytes,
            .alone_bytes = item->alone_bytes,
            .size_bytes = item->bytes,
            .moved_bytes = item->moved_bytes,
            .recomputed_bytes = item->recomputed_bytes,
            .flops = item->flops,
        };
    }
    return row;
}

static bool same_buffers(const struct xpd_whatif_item *a, const struct xpd_whatif_item *b)
{
    return a->count == b->count && a->buffer[0] == b->buffer[0];
}

int xpd_whatif_menu(struct xpd_whatif_list *menu, struct xpd_trial *trial,
                    struct xpd_whatif_list *wants, const struct xpd_tool_ctx *ctx,
                    struct xpd_err *err)
{
    struct xpd_whatif_list asked;
    *menu = (struct xpd_whatif_list){0};
    int rc = xpd_whatif_read(ctx, "menu", &asked, err);
    if (rc != XPD_OK || asked.count == 0)
        return rc;
    int64_t parts = 2;
    xpd_str_to_i64(xpd_param_text(ctx, "parts"), &parts);
    struct xpd_trial_mark empty = xpd_trial_mark(trial);
    bool ok = true;
    for (uint32_t i = 0; i < wants->count && ok; i++)
        if (!same_buffers(&wants->at[i], &asked.at[0]))
            ok = xpd_whatif_apply(trial, &wants->at[i], ctx);
    struct xpd_trial_mark others = xpd_trial_mark(trial);
    int64_t now = xpd_trial_peak(trial, NULL);
    menu->count = XPD_ACTION_COUNT;
    menu->at = XPD_NEW_ARRAY(ctx->arena, struct xpd_whatif_item, XPD_ACTION_COUNT);
    for (uint32_t a = 0; menu->at && a < XPD_ACTION_COUNT && ok; a++) {
        menu->at[a] = asked.at[0];
        menu->at[a].action = (enum xpd_action)a;
        menu->at[a].parts = parts;
        ok = xpd_whatif_apply(trial, &menu->at[a], ctx);
        menu->at[a].adds_bytes = menu->at[a].alone_bytes = now - xpd_trial_peak(trial, NULL);
        xpd_trial_back(trial, others);
    }
    xpd_trial_back(trial, empty);
    return ok && menu->at ? XPD_OK : xpd_tools_no_memory(err);
}
