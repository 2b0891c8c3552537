/* Circles in what has to end: stack frames among their own callers, computations that call
 * themselves. Every walk stops by its own limit; here they are reported: one warning for
 * each frame or call that closes a circle. In: the finished module. Linear in frames and calls, no
 * recursion. */
#include "load_internal.h"

enum state { UNSEEN, ON_PATH, DONE };

/* Each frame has one parent: a walk up ends at the top, in what is done, or on its own path. */
static void frame_circles(struct xpd_hlo_load *load)
{
    const struct xpd_hlo *hlo = load->hlo;
    uint8_t *state = XPD_NEW_ARRAY(&load->scratch, uint8_t, (size_t)hlo->frame_count + 1);
    for (uint32_t i = 1; state && i <= hlo->frame_count; i++) {
        uint32_t at = i;
        for (; at != 0 && state[at] == UNSEEN; at = hlo->frame[at - 1].parent)
            state[at] = ON_PATH;
        if (at != 0 && state[at] == ON_PATH)
            XPD_HLO_WARN(load, XPD_WARNING, "frame_circle", load->frames.offset,
                         "the stack frame %u is among its own callers; stacks through it are shown "
                         "up to there",
                         at);
        for (at = i; at != 0 && state[at] == ON_PATH; at = hlo->frame[at - 1].parent)
            state[at] = DONE;
    }
}

struct call_walk {
    struct xpd_hlo_load *load;
    uint8_t *state;
    uint32_t *path, *next; /* computations on the path, and the next call of each to look at */
    uint32_t depth;
};

/* Instructions of a computation are consecutive, and so are their calls. */
static void enter(struct call_walk *walk, uint32_t computation)
{
    const struct xpd_hlo *hlo = walk->load->hlo;
    walk->state[computation] = ON_PATH;
    walk->path[walk->depth] = computation;
    walk->next[walk->depth++] =
        hlo->instructions.called_first[hlo->computations.first[computation]];
}

static uint32_t calls_end(const struct xpd_hlo *hlo, uint32_t computation)
{
    const struct xpd_hlo_computations *all = &hlo->computations;
    return hlo->instructions
        .called_first[all->first[computation] + all->instruction_count[computation]];
}

static void warn_call(struct xpd_hlo_load *load, uint32_t computation)
{
    struct xpd_str name = xpd_hlo_text(load->hlo, load->hlo->computations.name[computation]);
    XPD_HLO_WARN(load, XPD_WARNING, "call_circle", XPD_NO_OFFSET,
                 "the computation %%%.*s calls itself, directly or through others, so it cannot "
                 "run; its calls are followed once",
                 (int)(name.size < 80 ? name.size : 80), name.data);
}

static void walk_from(struct call_walk *walk, uint32_t start)
{
    const struct xpd_hlo *hlo = walk->load->hlo;
    for (enter(walk, start); walk->depth > 0;) {
        uint32_t computation = walk->path[walk->depth - 1];
        uint32_t *next = &walk->next[walk->depth - 1];
        if (*next == calls_end(hlo, computation)) {
            walk->state[computation] = DONE;
            walk->depth--;
            continue;
        }
        uint32_t called = hlo->instructions.called[(*next)++];
        if (called >= hlo->computations.count || walk->state[called] == DONE)
            continue;
        if (walk->state[called] == UNSEEN)
            enter(walk, called);
        else
            warn_call(walk->load, called);
    }
}

static void call_circles(struct xpd_hlo_load *load)
{
    uint32_t count = load->hlo->computations.count;
    struct call_walk walk = {
        .load = load,
        .state = XPD_NEW_ARRAY(&load->scratch, uint8_t, (size_t)count + 1),
        .path = XPD_NEW_ARRAY(&load->scratch, uint32_t, (size_t)count + 1),
        .next = XPD_NEW_ARRAY(&load->scratch, uint32_t, (size_t)count + 1),
    };
    if (!walk.state || !walk.path || !walk.next)
        return;
    for (uint32_t c = 0; c < count; c++)
        if (walk.state[c] == UNSEEN)
            walk_from(&walk, c);
}

void xpd_hlo_note_circles(struct xpd_hlo_load *load)
{
    frame_circles(load);
    call_circles(load);
    xpd_arena_reset(&load->scratch);
}
