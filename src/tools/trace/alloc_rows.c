/* Rows of live allocations. In: lanes and one or two instants. Out: rows, equal ones folded, in
 * order; and whether their sum is the heap. */
#include "alloc_rows.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"

XPD_RECORD_TABLE(xpd_alloc_row, XPD_ALLOC_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_alloc_held, XPD_ALLOC_HELD_FIELDS)

/* ---- which are live ---- */

static int64_t count_lives(const struct xpd_alloc_ask *ask)
{
    int64_t count = 0;
    for (uint32_t k = ask->first; k < ask->end; k++)
        count += ask->lanes->at[k].of->count;
    return count;
}

static int collect(struct xpd_alloc_one **out, uint32_t *count, const struct xpd_alloc_ask *ask,
                   struct xpd_err *err)
{
    *count = 0;
    *out = XPD_NEW_ROOM(ask->call->ctx->arena, struct xpd_alloc_one, (size_t)count_lives(ask));
    if (!*out)
        return xpd_tools_no_memory(err);
    for (uint32_t k = ask->first; k < ask->end; k++) {
        const struct xpd_alloc_lane *lane = &ask->lanes->at[k];
        const struct xpd_alloc_purpose *purpose = xpd_tools_alloc_purposes(ask->call, lane, err);
        int64_t a_ps = xpd_tools_alloc_own(ask->call, lane, ask->a_ps);
        int64_t b_ps = xpd_tools_alloc_own(ask->call, lane, ask->b_ps);
        if (!purpose)
            return xpd_table_status(NULL, err);
        *count += xpd_alloc_live_add(*out + *count, lane->lives, purpose, k, a_ps,
                                     ask->two ? &b_ps : NULL);
    }
    return XPD_OK;
}

/* ---- rows ---- */

static struct xpd_alloc_row row_of(const struct xpd_alloc_ask *ask,
                                   const struct xpd_alloc_group *group)
{
    static const char *const state_word[] = {"both", "only_a", "only_b"}; /* xpd_alloc_state */
    const struct xpd_alloc_one *l = group->first;
    const struct xpd_alloc_lane *lane = &ask->lanes->at[l->lane];
    const struct xpd_allocation *e = &lane->of->event[l->event];
    struct xpd_arena *arena = ask->call->ctx->arena;
    return (struct xpd_alloc_row){
        .state = state_word[l->state],
        .allocator = l->lane,
        .size_bytes = group->size_bytes,
        .requested_bytes = group->requested_bytes,
        .count = group->count,
        .what = xpd_tools_alloc_what(lane, l->purpose, e),
        .op = xpd_tools_alloc_text(lane, e->op),
        .shape = xpd_tools_alloc_text(lane, e->shape),
        .data_type = e->data_type > 0 ? xpd_allocation_type(e->data_type, arena) : XPD_STR(""),
        .region = xpd_tools_alloc_text(lane, e->region),
        .program = l->purpose->program,
        .source = l->purpose->source,
        .from_ps = xpd_tools_alloc_at(ask->call, lane, e->at_ps),
        .last_from_ps = xpd_tools_alloc_at(ask->call, lane, group->last_from_ps),
        .to_ps = group->to_ps == INT64_MAX ? XPD_UNKNOWN
                                           : xpd_tools_alloc_at(ask->call, lane, group->to_ps),
        .address = xpd_tools_alloc_address(e, arena),
        .event =
            l->purpose->event == UINT64_MAX ? -1 : (int64_t)(l->purpose->event + lane->first_event),
    };
}

/* ---- order ---- */

static const char *const sort_keys[] = {
    "size_bytes",      "count",     "what",      "op",      "shape",
    "program",         "from_ps",   "to_ps",     "address", "state",
    "requested_bytes", "data_type", "allocator", "region",  "source"};

struct ordering {
    size_t key; /* in sort_keys */
    int sign;
};

static int64_t number_at(const struct xpd_alloc_row *row, size_t key)
{
    switch (key) {
    case 1: return row->count;
    case 6: return row->from_ps;
    case 7: return row->to_ps == XPD_UNKNOWN ? INT64_MAX : row->to_ps;
    case 10: return row->requested_bytes;
    case 12: return row->allocator;
    default: return row->size_bytes;
    }
}

static struct xpd_str text_at(const struct xpd_alloc_row *row, size_t key)
{
    switch (key) {
    case 2: return row->what;
    case 3: return row->op;
    case 4: return row->shape;
    case 5: return row->program;
    case 8: return row->address;
    case 9: return xpd_str_of(row->state);
    case 11: return row->data_type;
    case 14: return row->source;
    default: return row->region;
    }
}

static bool is_text(size_t key)
{
    return (key >= 2 && key <= 5) || key == 8 || key == 9 || key == 11 || key >= 13;
}

static int by_order(const void *a, const void *b, void *context)
{
    const struct ordering *o = context;
    const struct xpd_alloc_row *x = a, *y = b;
    int order = is_text(o->key) ? xpd_str_order(text_at(x, o->key), text_at(y, o->key))
                                : XPD_ORDER(number_at(x, o->key), number_at(y, o->key));
    if (order != 0)
        return order * o->sign;
    order = XPD_ORDER(y->size_bytes, x->size_bytes);
    return order != 0 ? order : XPD_ORDER(x->from_ps, y->from_ps);
}

static int sort_rows(struct xpd_alloc_rows *rows, const struct xpd_alloc_ask *ask,
                     struct xpd_err *err)
{
    struct ordering o = {0};
    size_t keys = sizeof sort_keys / sizeof *sort_keys;
    while (ask->sort.size > 0 && o.key < keys &&
           !xpd_str_eq(ask->sort, xpd_str_of(sort_keys[o.key])))
        o.key++;
    if (o.key == keys)
        return xpd_fail(err, XPD_EINVAL, "sort", XPD_NO_OFFSET, "rows have no key \"%.*s\"",
                        (int)ask->sort.size, ask->sort.data);
    bool ascends = ask->order >= 0 ? ask->order == 1 : is_text(o.key) || o.key == 6 || o.key == 7;
    o.sign = ascends ? 1 : -1;
    if (rows->count > 1)
        qsort_r(rows->row, rows->count, sizeof *rows->row, by_order, &o);
    return XPD_OK;
}

int xpd_tools_alloc_rows(struct xpd_alloc_rows *out, const struct xpd_alloc_ask *ask,
                         struct xpd_err *err)
{
    struct xpd_arena *arena = ask->call->ctx->arena;
    struct xpd_alloc_one *live;
    uint32_t count;
    int rc = collect(&live, &count, ask, err);
    *out = (struct xpd_alloc_rows){0};
    if (rc != XPD_OK)
        return rc;
    struct xpd_alloc_group *group = XPD_NEW_ROOM(arena, struct xpd_alloc_group, count);
    out->row = XPD_NEW_ARRAY(arena, struct xpd_alloc_row, count);
    if (!group || !out->row)
        return xpd_tools_no_memory(err);
    out->count = xpd_alloc_groups(group, live, count, ask->fold);
    for (uint32_t i = 0; i < out->count; i++)
        out->row[i] = row_of(ask, &group[i]);
    return arena->failed ? xpd_tools_no_memory(err) : sort_rows(out, ask, err);
}

/* ---- what is held ---- */

static struct xpd_alloc_held held_at(const struct xpd_alloc_ask *ask, uint32_t index, int64_t at_ps)
{
    const struct xpd_alloc_lane *lane = &ask->lanes->at[index];
    struct xpd_alloc_sum sum =
        xpd_alloc_sum_at(lane->lives, xpd_tools_alloc_own(ask->call, lane, at_ps));
    const struct xpd_allocation *e = sum.event == XPD_NO_INDEX ? NULL : &lane->of->event[sum.event];
    return (struct xpd_alloc_held){
        .allocator = index,
        .title = lane->title,
        .in_use_bytes = e ? xpd_allocation_in_use(e) : -1,
        .reserved_bytes = e ? e->reserved_bytes : -1,
        .heap_bytes = sum.heap_bytes,
        .available_bytes = e ? e->available_bytes : -1,
        .fragmentation = e ? e->fragmentation : -1,
        .largest_free_bytes = e ? xpd_allocation_largest_free(e) : -1,
        .listed_bytes = sum.listed_bytes,
        .listed_count = (int64_t)sum.listed_count,
        .unsized_count = (int64_t)sum.unsized_count,
        .before_bytes = sum.before_bytes,
        .without_address_bytes = sum.without_address_bytes,
        .closes_by_bytes = sum.closes_by,
    };
}

struct xpd_alloc_held *xpd_tools_alloc_held(const struct xpd_alloc_ask *ask, int64_t at_ps,
                                            struct xpd_err *err)
{
    struct xpd_alloc_held *held =
        XPD_NEW_ARRAY(ask->call->ctx->arena, struct xpd_alloc_held, ask->end - ask->first);
    if (!held)
        xpd_tools_no_memory(err);
    for (uint32_t k = ask->first; held && k < ask->end; k++)
        held[k - ask->first] = held_at(ask, k, at_ps);
    return held;
}
