/* Records the answers of a report. In: an opened profile, the plan. Out: answers in the report and
 * a tally of what was held and left out.
 *
 * Turn by turn, program by program, line by line of the plan. */
#include "report_ask.h"
#include "report_base.h"

#include "xprofd/memory/held.h"
#include <inttypes.h>
#include <stdlib.h>

enum {
    TURNS = 3,
    SPACES_MAX = 32,
    NEAR_MAX = 16,
    TILE_STEPS = 4096, /* what memory/steps answers at most */
    TILES_MAX = 64,
    STEPS_MAX = 1000,
    LARGEST_MAX = 200,
    BUFFERS_MAX = 2000
};

/* ---- what a line of the plan is asked about ---- */

static int ask_range(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                     uint32_t *field, uint32_t count, struct xpd_err *err)
{
    int rc = XPD_OK;
    for (uint32_t i = 0; i < count && rc == XPD_OK; i++) {
        *field = i;
        rc = xpd_report_ask(r, q, place, err);
    }
    return rc;
}

static int ask_near(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                    struct xpd_err *err)
{
    struct xpd_near_peak near[NEAR_MAX];
    uint32_t count = xpd_near_peaks(place->space, 0.10, near, NEAR_MAX);
    int rc = XPD_OK;
    for (uint32_t i = 0; i < count && i < NEAR_MAX && rc == XPD_OK; i++) {
        place->step = near[i].step;
        if (near[i].step != place->space->peak_step)
            rc = xpd_report_ask(r, q, place, err);
    }
    return rc;
}

static int ask_tiles(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                     struct xpd_err *err)
{
    uint32_t steps = place->space->step_count;
    int rc = XPD_OK;
    for (uint32_t i = 0; i < TILES_MAX && rc == XPD_OK; i++) {
        place->from = i * (TILE_STEPS / 2);
        place->to = steps - place->from < TILE_STEPS ? steps : place->from + TILE_STEPS;
        rc = xpd_report_ask(r, q, place, err);
        if (place->to == steps)
            return rc;
    }
    uint32_t rest = (steps - place->to + TILE_STEPS / 2 - 1) / (TILE_STEPS / 2);
    q->line->left_out += rest;
    return rc;
}

static int larger_first(const void *a, const void *b)
{
    const struct xpd_held *x = a, *y = b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes < y->size_bytes ? 1 : -1;
    return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static int ask_largest(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                       struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_held_list list = {0};
    int rc = xpd_held_at(&list, place->mem, place->space, place->space->peak_step, &arena, err);
    if (rc == XPD_OK && list.count > 0)
        qsort(list.at, list.count, sizeof *list.at, larger_first);
    for (uint32_t i = 0; rc == XPD_OK && i < list.count; i++) {
        place->buffer = list.at[i].buffer;
        place->tenancy = list.at[i].tenancy;
        place->step = place->space->peak_step;
        bool tenant = place->tenancy != XPD_NO_INDEX;
        if (place->buffer == XPD_NO_INDEX || (q->line->each == XPD_EACH_TENANT && !tenant))
            continue;
        if (i < LARGEST_MAX)
            rc = xpd_report_ask(r, q, place, err);
        else
            q->line->left_out++;
    }
    xpd_arena_fini(&arena);
    return rc;
}

static int ask_buffers(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                       struct xpd_err *err)
{
    const struct xpd_hlo_buffers *buffers = &place->hlo->buffers;
    uint32_t asked = 0;
    int rc = XPD_OK;
    for (uint32_t i = 0; i < buffers->count && rc == XPD_OK; i++) {
        if (buffers->color[i] != place->space->color)
            continue;
        place->buffer = i;
        if (asked++ < BUFFERS_MAX)
            rc = xpd_report_ask(r, q, place, err);
        else
            q->line->left_out++;
    }
    return rc;
}

static int ask_in_space(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                        struct xpd_err *err)
{
    uint32_t steps = place->space->step_count;
    switch (q->line->each) {
    case XPD_EACH_PEAK:
        place->step = place->space->peak_step;
        return xpd_report_ask(r, q, place, err);
    case XPD_EACH_NEAR: return ask_near(r, q, place, err);
    case XPD_EACH_TILE: return steps > 0 ? ask_tiles(r, q, place, err) : XPD_OK;
    case XPD_EACH_STEP:
        if (steps <= STEPS_MAX)
            return ask_range(r, q, place, &place->step, steps, err);
        q->line->left_out += steps;
        return XPD_OK;
    case XPD_EACH_LARGEST:
    case XPD_EACH_TENANT: return ask_largest(r, q, place, err);
    case XPD_EACH_LEAF:
    case XPD_EACH_GROUP:
        place->step = place->space->peak_step;
        return xpd_report_ask_within(r, q, place, err);
    case XPD_EACH_BUFFER: return ask_buffers(r, q, place, err);
    case XPD_EACH_PAGE:
    case XPD_EACH_TEXT: return xpd_report_ask_pages(r, q, place, err);
    default: return xpd_report_ask(r, q, place, err);
    }
}

static const struct xpd_ask_place nowhere = {.module = XPD_NO_INDEX,
                                             .process = XPD_NO_INDEX,
                                             .thread = XPD_NO_INDEX,
                                             .step = XPD_NO_INDEX,
                                             .from = XPD_NO_INDEX,
                                             .to = XPD_NO_INDEX,
                                             .buffer = XPD_NO_INDEX,
                                             .tenancy = XPD_NO_INDEX,
                                             .computation = XPD_NO_INDEX};

static int record_run(struct xpd_recorder *r, int turn, struct xpd_err *err)
{
    int rc = XPD_OK;
    for (size_t i = 0; i < r->plan.lines.count && rc == XPD_OK; i++) {
        struct xpd_report_line *line = &r->plan.lines.at[i];
        struct xpd_question q = {.line = line};
        struct xpd_ask_place place = nowhere;
        if (line->when / 100 != turn)
            continue;
        if (line->each == XPD_EACH_RUN ||
            (line->each == XPD_EACH_MEASURED && r->profile->run->has_events))
            rc = xpd_report_ask(r, &q, &place, err);
        else if (line->each < XPD_EACH_HOST && r->profile->run->entry->kind == XPD_RUN_HEAP)
            rc = xpd_report_ask_heap(r, &q, &place, err);
        else if (line->each != XPD_EACH_MEASURED && xpd_line_of_trace(line) &&
                 r->profile->run->has_events && !r->of_base)
            rc = xpd_report_ask_hosts(r, &q, &place, err);
    }
    return rc;
}

/* ---- programs ---- */

static bool wants_space(const struct xpd_recorder *r, const struct xpd_mem_space *space)
{
    int64_t color;
    return !r->want->space || strcmp(r->want->space, "all") == 0 ||
           (xpd_str_to_i64(xpd_str_of(r->want->space), &color) && color == space->color);
}

/* Memory spaces of a program in the order they are recorded, the main one first; at most
 * `capacity`. */
static uint32_t spaces_to_record(const struct xpd_recorder *r, const struct xpd_mem *mem,
                                 const struct xpd_mem_space **out, uint32_t capacity)
{
    const struct xpd_mem_space *first = xpd_mem_main_space(mem);
    uint32_t count = 0;
    for (int main_one = 1; main_one >= 0; main_one--)
        for (uint32_t i = 0; i < mem->space_count && count < capacity; i++)
            if ((&mem->space[i] == first) == main_one && wants_space(r, &mem->space[i]))
                out[count++] = &mem->space[i];
    return count;
}

static bool wants_module(const struct xpd_recorder *r, uint32_t module)
{
    uint32_t wanted;
    if (r->of_base) /* of the baseline, what something is compared with */
        return r->base->back[module] != XPD_NO_INDEX;
    return !r->want->module || (xpd_run_find_module(r->profile->run, xpd_str_of(r->want->module),
                                                    &wanted, NULL) == XPD_OK &&
                                wanted == module);
}

static int record_module(struct xpd_recorder *r, int turn, uint32_t module, struct xpd_err *err)
{
    struct xpd_ask_place of = nowhere;
    const struct xpd_mem_space *space[SPACES_MAX];
    uint32_t spaces = 0;
    of.module = module;
    if (xpd_store_module(r->profile->store, r->profile->run, module, &of.hlo, &of.mem, NULL) ==
        XPD_OK)
        spaces = spaces_to_record(r, of.mem, space, SPACES_MAX);
    int rc = XPD_OK;
    for (size_t i = 0; i < r->plan.lines.count && rc == XPD_OK; i++) {
        struct xpd_report_line *line = &r->plan.lines.at[i];
        struct xpd_question q = {.line = line};
        struct xpd_ask_place place = of;
        if (line->when / 100 != turn || line->each < XPD_EACH_MODULE ||
            (xpd_line_compares(line) && !r->base))
            continue;
        if (line->each == XPD_EACH_ENTRY)
            place.computation = of.hlo ? of.hlo->entry : XPD_NO_INDEX;
        if (line->each == XPD_EACH_MODULE || place.computation != XPD_NO_INDEX)
            rc = xpd_report_ask(r, &q, &place, err);
        uint32_t asked = line->each == XPD_EACH_TEXT && spaces > 1 ? 1 : spaces;
        for (uint32_t s = 0; line->each >= XPD_EACH_SPACE && s < asked && rc == XPD_OK; s++) {
            place = of;
            place.space = space[s];
            rc = ask_in_space(r, &q, &place, err);
        }
        /* A program without memory: the page asks for its summary all the same. */
        if (line->each == XPD_EACH_SPACE && spaces == 0)
            rc = xpd_report_ask(r, &q, &place, err);
    }
    return rc;
}

struct ranked {
    int64_t peak_bytes;
    uint32_t module;
};

static int by_peak(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->peak_bytes != y->peak_bytes)
        return x->peak_bytes < y->peak_bytes ? 1 : -1;
    return (x->module > y->module) - (x->module < y->module);
}

static uint32_t first_module(const struct xpd_recorder *r)
{
    if (!r->base)
        return r->default_module;
    return r->of_base ? r->base->pair[r->base->opens] : r->base->opens;
}

/* Modules in the order they are recorded. */
static uint32_t rank(const struct xpd_recorder *r, struct ranked *out)
{
    const struct xpd_run *run = r->profile->run;
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->module_count; i++) {
        const struct xpd_hlo *hlo;
        const struct xpd_mem *mem = NULL;
        int64_t peak = -1;
        if (!wants_module(r, i))
            continue;
        if (xpd_store_module(r->profile->store, run, i, &hlo, &mem, NULL) == XPD_OK)
            for (uint32_t s = 0; s < mem->space_count; s++)
                if (mem->space[s].peak_bytes > peak)
                    peak = mem->space[s].peak_bytes;
        out[count++] = (struct ranked){i == first_module(r) ? INT64_MAX : peak, i};
    }
    qsort(out, count, sizeof *out, by_peak);
    return count;
}

static int record_turn(struct xpd_recorder *r, int turn, const struct ranked *ranked,
                       uint32_t modules, struct xpd_err *err)
{
    int rc = record_run(r, turn, err);
    for (uint32_t i = 0; i < modules && rc == XPD_OK; i++)
        rc = record_module(r, turn, ranked[i].module, err);
    return rc;
}

/* The profile, or the baseline in its place, from here on. */
static void turn_to(struct xpd_recorder *r, const struct xpd_report_of *profile, bool base)
{
    r->profile = profile;
    r->of_base = base;
}

int xpd_record(struct xpd_recorder *r, struct xpd_err *err)
{
    const struct xpd_report_of *profile[2] = {r->profile, r->base ? &r->base->before : NULL};
    struct ranked *ranked[2] = {NULL, NULL};
    uint32_t modules[2] = {0, 0};
    int rc = XPD_OK;
    for (int s = 0; s < 2 && profile[s] && rc == XPD_OK; s++) {
        ranked[s] = calloc(profile[s]->run->module_count + 1, sizeof *ranked[s]);
        turn_to(r, profile[s], s == 1);
        if (ranked[s])
            modules[s] = rank(r, ranked[s]);
        else
            rc = xpd_no_memory(err, NULL, "for the report");
    }
    for (int turn = 1; turn <= TURNS && rc == XPD_OK; turn++)
        for (int s = 0; s < 2 && profile[s] && rc == XPD_OK; s++) {
            turn_to(r, profile[s], s == 1);
            rc = record_turn(r, turn, ranked[s], modules[s], err);
        }
    turn_to(r, profile[0], false);
    free(ranked[0]);
    free(ranked[1]);
    return rc;
}
