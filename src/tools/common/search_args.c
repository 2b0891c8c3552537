/* What a person typed, asked of millions of args.
 *
 * In: a key (how to compare, then the text). Out: a matcher for the texts "name=value". */
#include "search_args.h"
#include "common.h"
#include "xprofd/match/match.h"
#include <stdlib.h>

/* What a query asks for, as the tools need it: window, step, buffer. */

int xpd_tools_window(const struct xpd_tool_ctx *ctx, const struct xpd_tool *tool,
                     struct xpd_step_window *window, struct xpd_err *err)
{
    uint32_t steps = ctx->space->step_count;
    int64_t from = xpd_param_int(ctx, tool, "from");
    int64_t to = xpd_param_has(ctx, "to") ? xpd_param_int(ctx, tool, "to") : steps;
    *window = (struct xpd_step_window){0, 0};
    if (steps == 0)
        return XPD_OK;
    if (to > steps)
        to = steps;
    if (from >= to)
        return xpd_fail(err, XPD_EINVAL, "from", XPD_NO_OFFSET,
                        "the window is empty: from %" PRId64 " to %" PRId64 " of %" PRIu32 " steps",
                        from, to, steps);
    *window = (struct xpd_step_window){(uint32_t)from, (uint32_t)to};
    return XPD_OK;
}

int xpd_tools_step(const struct xpd_tool_ctx *ctx, const char *name, uint32_t *step,
                   struct xpd_err *err)
{
    int64_t value;
    *step = ctx->space->peak_step;
    if (!xpd_str_to_i64(xpd_param_text(ctx, name), &value))
        return XPD_OK;
    if (value < 0 || value >= ctx->space->step_count)
        return xpd_fail(err, XPD_EINVAL, name, XPD_NO_OFFSET,
                        "%s must be a step; this memory space has %" PRIu32 ", counted from 0",
                        name, ctx->space->step_count);
    *step = (uint32_t)value;
    return XPD_OK;
}

int xpd_tools_buffer(const struct xpd_tool_ctx *ctx, uint32_t *buffer, struct xpd_err *err)
{
    int64_t value;
    if (xpd_str_to_i64(xpd_param_text(ctx, "buffer"), &value)) {
        if (value < 0 || value >= ctx->hlo->buffers.count)
            return xpd_fail(err, XPD_ENOTFOUND, "buffer", XPD_NO_OFFSET,
                            "this module has %" PRIu32 " buffers, counted from 0",
                            ctx->hlo->buffers.count);
        *buffer = (uint32_t)value;
        return XPD_OK;
    }
    if (!xpd_str_to_i64(xpd_param_text(ctx, "id"), &value))
        return xpd_fail(err, XPD_EINVAL, "buffer", XPD_NO_OFFSET,
                        "buffer= (an index) or id= (the compiler's buffer id) is missing");
    *buffer = xpd_map64_get(&ctx->hlo->buffer_by_id, (uint64_t)value);
    if (*buffer == XPD_NO_INDEX)
        return xpd_fail(err, XPD_ENOTFOUND, "id", XPD_NO_OFFSET,
                        "this module has no buffer with id %" PRId64, value);
    return XPD_OK;
}

#define REGEX_NS_MAX (INT64_C(60) * 1000000000)

enum { EXACT = 'c', FOLDED = 'i', REGEX = 'r' };

struct asker {
    struct xpd_match match;
    struct xpd_arg_match *told;
    bool exact;
    struct xpd_str text;
};

struct xpd_str xpd_search_key(struct xpd_arena *arena, struct xpd_str text, bool regex, bool folds)
{
    char *key = xpd_arena_bytes(arena, text.size + 2);
    if (!key)
        return XPD_STR("");
    key[0] = (char)(regex ? REGEX : folds ? FOLDED : EXACT);
    if (text.size > 0)
        memcpy(key + 1, text.data, text.size);
    key[text.size + 1] = '\0';
    return (struct xpd_str){key, text.size + 1};
}

static bool matches(void *ctx, struct xpd_str text)
{
    struct asker *asker = ctx;
    if (asker->exact)
        return xpd_str_find(text, asker->text, false) != SIZE_MAX;
    bool hit = xpd_match_test(&asker->match, text) != XPD_MATCH_NONE;
    asker->told->stopped = asker->match.unjudged > 0;
    return hit;
}

/* Of letters that only words have no number is made. */
static bool may_be_number(struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '\0' || !strchr("0123456789+-.eEiInNfFaA", text.data[i]))
            return false;
    return true;
}

int xpd_search_open(struct xpd_str key, struct xpd_arg_match *match, struct xpd_err *err)
{
    struct asker *asker = calloc(1, sizeof *asker);
    if (!asker || key.size < 2) {
        free(asker);
        return xpd_no_memory(err, "q", "for this search");
    }
    asker->text = (struct xpd_str){key.data + 1, key.size - 1};
    asker->told = match;
    if (key.data[0] == REGEX)
        xpd_match_init_regex(&asker->match, asker->text);
    else
        xpd_match_init(&asker->match, asker->text);
    asker->match.allowed_ns = REGEX_NS_MAX;
    bool plain = !asker->match.is_regex;
    asker->exact = plain && key.data[0] == EXACT;
    *match =
        (struct xpd_arg_match){.matches = matches,
                               .ctx = asker,
                               .apart = plain && !memchr(asker->text.data, '=', asker->text.size),
                               .numbers = may_be_number(asker->text)};
    return XPD_OK;
}

void xpd_search_close(struct xpd_arg_match *match)
{
    struct asker *asker = match->ctx;
    xpd_match_fini(&asker->match);
    free(asker);
}
