/* The life of one buffer: when it is held, who uses it, who had its bytes before and after, who
 * shares them. */
#include "card_parts.h"

#define TENANCIES_MAX 64
#define USERS_MAX     256
#define SHARES_MAX    64

XPD_RECORD_TABLE(xpd_buffer_stay, XPD_BUFFER_STAY_FIELDS)
XPD_RECORD_TABLE(xpd_card_lifetime, XPD_BUFFER_LIFE_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_use, XPD_BUFFER_USE_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_user, XPD_BUFFER_USER_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_uses, XPD_BUFFER_USES_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_neighbour, XPD_BUFFER_NEIGHBOUR_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_share, XPD_BUFFER_SHARE_FIELDS)

struct user_steps { /* the users that are shown */
    uint32_t user[USERS_MAX], step[USERS_MAX];
    uint32_t count;
};

/* The first step at which each user allocates or shares; all lie between the first and the last
 * use. */
static bool find_steps(struct user_steps *users, const struct xpd_card *card,
                       const struct xpd_use_span *span)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    const struct xpd_hlo_events *events = &hlo->events;
    struct xpd_map64 by_name = {0};
    uint32_t end = span->last_step < card->space->step_count ? span->last_step + 1 : 0;
    for (uint32_t i = users->count; i-- > 0;) {
        users->step[i] = XPD_NO_STEP;
        xpd_map64_put(&by_name, hlo->instructions.name[users->user[i]], i);
    }
    for (uint32_t s = span->first_step; s < end; s++) {
        uint32_t event = card->space->event[s];
        if (events->kind[event] == XPD_EVENT_FREE)
            continue;
        uint32_t at = xpd_map64_get(&by_name, events->instruction_name[event]);
        if (at != XPD_NO_INDEX && users->step[at] == XPD_NO_STEP)
            users->step[at] = s;
    }
    for (uint32_t i = 0; i < users->count; i++) {
        if (users->step[i] != XPD_NO_STEP)
            continue;
        if (users->user[i] == span->first_instruction)
            users->step[i] = span->first_step;
        else if (users->user[i] == span->last_instruction)
            users->step[i] = span->last_step;
    }
    bool failed = by_name.failed;
    xpd_map64_fini(&by_name);
    return !failed;
}

static void fill_stays(struct xpd_card_lifetime *out, const struct xpd_card *card)
{
    const struct xpd_tenancy *tenancy = card->space->tenancy;
    struct xpd_buffer_stay *row =
        XPD_NEW_ARRAY(card->ctx->arena, struct xpd_buffer_stay, TENANCIES_MAX);
    uint32_t n = 0, count = 0;
    for (uint32_t at = card->tenancy; row && at < card->space->tenancy_count;
         at = tenancy[at].next_of_buffer, count++)
        if (n < TENANCIES_MAX)
            row[n++] = (struct xpd_buffer_stay){tenancy[at].start_step, tenancy[at].end_step,
                                                tenancy[at].offset_bytes, tenancy[at].size_bytes};
    out->tenancies.at = row;
    out->tenancies.n = n;
    out->tenancies_left_out = count - n;
}

static const struct xpd_card_lifetime *life_of(const struct xpd_card *card)
{
    const struct xpd_mem_space *space = card->space;
    const struct xpd_mem_buffer *value = card->buffer;
    struct xpd_card_lifetime *out = XPD_NEW(card->ctx->arena, struct xpd_card_lifetime);
    bool resident = value->mem_class != XPD_CLASS_TEMPORARY &&
                    value->mem_class != XPD_CLASS_THREAD_LOCAL && space->step_count > 0;
    uint32_t flags = 0;
    if (!out)
        return NULL;
    for (uint32_t at = card->tenancy; at < space->tenancy_count;
         at = space->tenancy[at].next_of_buffer)
        flags |= space->tenancy[at].flags;
    out->start_step = resident ? 0 : value->first_step;
    out->end_step = resident ? space->step_count : value->end_step;
    if (flags & XPD_TENANCY_UNTRACED) {
        out->start_step = space->tenancy[card->tenancy].start_step;
        out->end_step = space->tenancy[card->tenancy].end_step;
    }
    out->steps = out->start_step == XPD_NO_STEP ? -1 : (int64_t)out->end_step - out->start_step;
    out->never_freed = flags & XPD_TENANCY_NEVER_FREED;
    out->untraced = flags & XPD_TENANCY_UNTRACED;
    fill_stays(out, card);
    return out;
}

/* ---- uses ---- */

static const struct xpd_buffer_use *use_of(const struct xpd_card *card, uint32_t instruction,
                                           uint32_t step)
{
    struct xpd_buffer_use *out =
        instruction == XPD_NO_INDEX ? NULL : XPD_NEW(card->ctx->arena, struct xpd_buffer_use);
    if (out)
        *out = (struct xpd_buffer_use){xpd_hlo_instruction_name(card->ctx->hlo, instruction), step};
    return out;
}

static void fill_users(struct xpd_buffer_uses *out, struct xpd_card *card,
                       const struct user_steps *users)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    struct xpd_arena *arena = card->ctx->arena;
    struct xpd_buffer_user *row = XPD_NEW_ARRAY(arena, struct xpd_buffer_user, users->count);
    uint32_t *tick = XPD_NEW_ARRAY(arena, uint32_t, users->count), ticks = 0, last = XPD_NO_STEP;
    if (!row || !tick)
        return;
    for (uint32_t i = 0; i < users->count; i++) {
        uint32_t user = users->user[i], step = users->step[i];
        xpd_shape_text(&card->text, hlo->instructions.shape[user], false);
        row[i] = (struct xpd_buffer_user){xpd_hlo_instruction_name(hlo, user),
                                          xpd_hlo_opcode(hlo, user), step, xpd_card_text(card)};
        if (step != XPD_NO_STEP && step != last)
            tick[ticks++] = step;
        last = step != XPD_NO_STEP ? step : last;
    }
    out->ticks.at = tick;
    out->ticks.n = ticks;
    out->users.at = row;
    out->users.n = users->count;
}

static int fill_uses(struct xpd_card *card, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = card->ctx;
    struct xpd_use_span span;
    struct user_steps users;
    struct xpd_buffer_uses *out = XPD_NEW(ctx->arena, struct xpd_buffer_uses);
    xpd_uses_of(ctx->mem, card->space, card->index, &span);
    uint32_t total = xpd_users_of(ctx->mem, card->index, users.user, USERS_MAX);
    users.count = total < USERS_MAX ? total : USERS_MAX;
    if (!out || !find_steps(&users, card, &span))
        return xpd_tools_no_memory(err);
    out->first = use_of(card, span.first_instruction, span.first_step);
    out->last = use_of(card, span.last_instruction, span.last_step);
    out->count = span.use_count;
    out->idle_from = span.idle_from;
    out->idle_to = span.idle_to;
    out->users_total = total;
    fill_users(out, card, &users);
    card->out->uses = out;
    return XPD_OK;
}

/* ---- the same bytes ---- */

static const struct xpd_buffer_neighbour *neighbour_of(struct xpd_card *card, uint32_t tenancy,
                                                       uint32_t more)
{
    struct xpd_buffer_neighbour *out =
        tenancy == XPD_NO_INDEX ? NULL : XPD_NEW(card->ctx->arena, struct xpd_buffer_neighbour);
    if (!out)
        return NULL;
    const struct xpd_tenancy *other = &card->space->tenancy[tenancy];
    xpd_mem_buffer_name(&card->text, card->ctx->mem, other->buffer);
    *out = (struct xpd_buffer_neighbour){other->buffer, xpd_card_text(card), other->start_step,
                                         other->end_step, more};
    return out;
}

static void fill_neighbours(struct xpd_card *card)
{
    uint32_t before = XPD_NO_INDEX, after = XPD_NO_INDEX, before_more = 0, after_more = 0;
    if (card->tenancy < card->space->tenancy_count)
        xpd_neighbours(card->space, card->tenancy, &before, &before_more, &after, &after_more);
    card->out->before = neighbour_of(card, before, before_more);
    card->out->after = neighbour_of(card, after, after_more);
}

static struct xpd_buffer_share share_of(struct xpd_card *card, uint32_t index)
{
    struct xpd_buffer_share out = {.buffer = index};
    xpd_mem_buffer_name(&card->text, card->ctx->mem, index);
    out.name = xpd_card_text(card);
    xpd_shape_text(&card->text, card->ctx->mem->buffer[index].shape, false);
    out.shape = xpd_card_text(card);
    return out;
}

static void fill_shares(struct xpd_card *card)
{
    const struct xpd_mem *mem = card->ctx->mem;
    struct xpd_buffer_share *row =
        XPD_NEW_ARRAY(card->ctx->arena, struct xpd_buffer_share, SHARES_MAX);
    uint32_t n = 0, total = 0;
    for (uint32_t i = 0; row && i < mem->hlo->buffers.count; i++) {
        if (i == card->index || mem->buffer[i].root != card->buffer->root)
            continue;
        if (total++ < SHARES_MAX)
            row[n++] = share_of(card, i);
    }
    card->out->shares.at = row;
    card->out->shares.n = n;
    card->out->shares_left_out = total - n;
}

int xpd_card_life(struct xpd_card *card, struct xpd_err *err)
{
    card->out->life = life_of(card);
    int rc = fill_uses(card, err);
    if (rc != XPD_OK)
        return rc;
    fill_neighbours(card);
    fill_shares(card);
    return XPD_OK;
}
