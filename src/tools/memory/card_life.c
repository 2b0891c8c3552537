/* The life of one buffer: when it is held, who uses it, who had its bytes before and after, who
 * shares them. */
#include "card_parts.h"

#define TENANCIES_MAX 64
#define USERS_MAX     256
#define SHARES_MAX    64

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

static void write_life(struct xpd_jsonw *w, const struct xpd_card *card)
{
    const struct xpd_mem_space *space = card->space;
    const struct xpd_mem_buffer *value = card->buffer;
    bool resident = value->mem_class != XPD_CLASS_TEMPORARY &&
                    value->mem_class != XPD_CLASS_THREAD_LOCAL && space->step_count > 0;
    uint32_t start = resident ? 0 : value->first_step;
    uint32_t end = resident ? space->step_count : value->end_step, flags = 0, count = 0;
    for (uint32_t at = card->tenancy; at < space->tenancy_count;
         at = space->tenancy[at].next_of_buffer, count++)
        flags |= space->tenancy[at].flags;
    if (flags & XPD_TENANCY_UNTRACED) {
        start = space->tenancy[card->tenancy].start_step;
        end = space->tenancy[card->tenancy].end_step;
    }
    xpd_json_key(w, "life");
    xpd_json_obj(w);
    xpd_tools_kindex(w, "start", start);
    xpd_tools_kindex(w, "end", end);
    xpd_tools_kknown(w, "steps", start == XPD_NO_STEP ? -1 : (int64_t)end - start);
    xpd_json_kbool(w, "never_freed", flags & XPD_TENANCY_NEVER_FREED);
    xpd_json_kbool(w, "untraced", flags & XPD_TENANCY_UNTRACED);
    xpd_json_key(w, "tenancies");
    xpd_json_arr(w);
    uint32_t written = 0;
    for (uint32_t at = card->tenancy; at < space->tenancy_count && written < TENANCIES_MAX;
         at = space->tenancy[at].next_of_buffer, written++) {
        xpd_json_obj(w);
        xpd_json_ku64(w, "start", space->tenancy[at].start_step);
        xpd_json_ku64(w, "end", space->tenancy[at].end_step);
        xpd_json_ki64(w, "offset_bytes", space->tenancy[at].offset_bytes);
        xpd_json_ki64(w, "size_bytes", space->tenancy[at].size_bytes);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "tenancies_left_out", count - written);
    xpd_json_obj_end(w);
}

/* ---- uses ---- */

static void write_end(struct xpd_jsonw *w, const char *key, const struct xpd_hlo *hlo,
                      uint32_t instruction, uint32_t step)
{
    if (instruction == XPD_NO_INDEX) {
        xpd_json_knull(w, key);
        return;
    }
    xpd_json_key(w, key);
    xpd_json_obj(w);
    xpd_json_kstr(w, "name", xpd_tools_instruction_name(hlo, instruction));
    xpd_tools_kindex(w, "step", step);
    xpd_json_obj_end(w);
}

static void write_user(struct xpd_jsonw *w, struct xpd_card *card, uint32_t user, uint32_t step)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    xpd_json_obj(w);
    xpd_json_kstr(w, "name", xpd_tools_instruction_name(hlo, user));
    xpd_json_kstr(w, "opcode", xpd_tools_opcode(hlo, user));
    xpd_tools_kindex(w, "step", step);
    xpd_strbuf_clear(&card->text);
    xpd_shape_text(&card->text, hlo->instructions.shape[user], false);
    xpd_card_text(w, "shape", card);
    xpd_json_obj_end(w);
}

static int write_uses(struct xpd_jsonw *w, struct xpd_card *card, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = card->ctx;
    struct xpd_use_span span;
    struct user_steps users;
    xpd_uses_of(ctx->mem, card->space, card->index, &span);
    uint32_t total = xpd_users_of(ctx->mem, card->index, users.user, USERS_MAX);
    uint32_t n = users.count = total < USERS_MAX ? total : USERS_MAX;
    if (!find_steps(&users, card, &span))
        return xpd_tools_no_memory(err);
    xpd_json_key(w, "uses");
    xpd_json_obj(w);
    write_end(w, "first", ctx->hlo, span.first_instruction, span.first_step);
    write_end(w, "last", ctx->hlo, span.last_instruction, span.last_step);
    xpd_json_ku64(w, "count", span.use_count);
    xpd_json_key(w, "ticks");
    xpd_json_arr(w);
    uint32_t last = XPD_NO_STEP;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t step = users.step[i];
        if (step != XPD_NO_STEP && step != last)
            xpd_json_u64(w, step);
        last = step != XPD_NO_STEP ? step : last;
    }
    xpd_json_arr_end(w);
    xpd_tools_kindex(w, "idle_from", span.idle_from);
    xpd_tools_kindex(w, "idle_to", span.idle_to);
    xpd_json_key(w, "users");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++)
        write_user(w, card, users.user[i], users.step[i]);
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "users_total", total);
    xpd_json_obj_end(w);
    return XPD_OK;
}

/* ---- the same bytes ---- */

static void write_neighbour(struct xpd_jsonw *w, const char *key, struct xpd_card *card,
                            uint32_t tenancy, uint32_t more)
{
    if (tenancy == XPD_NO_INDEX) {
        xpd_json_knull(w, key);
        return;
    }
    const struct xpd_tenancy *other = &card->space->tenancy[tenancy];
    xpd_json_key(w, key);
    xpd_json_obj(w);
    xpd_json_ku64(w, "buffer", other->buffer);
    xpd_strbuf_clear(&card->text);
    xpd_tools_buffer_name(&card->text, card->ctx->mem, other->buffer);
    xpd_card_text(w, "name", card);
    xpd_json_ku64(w, "start", other->start_step);
    xpd_json_ku64(w, "end", other->end_step);
    xpd_json_ku64(w, "more", more);
    xpd_json_obj_end(w);
}

static void write_neighbours(struct xpd_jsonw *w, struct xpd_card *card)
{
    uint32_t before = XPD_NO_INDEX, after = XPD_NO_INDEX, before_more = 0, after_more = 0;
    if (card->tenancy < card->space->tenancy_count)
        xpd_neighbours(card->space, card->tenancy, &before, &before_more, &after, &after_more);
    write_neighbour(w, "before", card, before, before_more);
    write_neighbour(w, "after", card, after, after_more);
}

static void write_share(struct xpd_jsonw *w, struct xpd_card *card, uint32_t index)
{
    xpd_json_obj(w);
    xpd_json_ku64(w, "buffer", index);
    xpd_strbuf_clear(&card->text);
    xpd_tools_buffer_name(&card->text, card->ctx->mem, index);
    xpd_card_text(w, "name", card);
    xpd_shape_text(&card->text, card->ctx->mem->buffer[index].shape, false);
    xpd_card_text(w, "shape", card);
    xpd_json_obj_end(w);
}

static void write_shares(struct xpd_jsonw *w, struct xpd_card *card)
{
    const struct xpd_mem *mem = card->ctx->mem;
    uint32_t written = 0, total = 0;
    xpd_json_key(w, "shares");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < mem->hlo->buffers.count; i++) {
        if (i == card->index || mem->buffer[i].root != card->buffer->root)
            continue;
        if (total++ < SHARES_MAX) {
            write_share(w, card, i);
            written++;
        }
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "shares_left_out", total - written);
}

int xpd_card_life(struct xpd_jsonw *w, struct xpd_card *card, struct xpd_err *err)
{
    write_life(w, card);
    int rc = write_uses(w, card, err);
    if (rc != XPD_OK)
        return rc;
    write_neighbours(w, card);
    write_shares(w, card);
    return XPD_OK;
}
