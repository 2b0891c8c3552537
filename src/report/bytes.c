/* What each key holds after each of a list of steps. In: spans, a key for each row, steps. Out: a
 * table. A span adds itself at the first of the steps it covers and takes itself away behind the
 * last one; one pass then sums up. */
#include "xprofd/base/bisect.h"
#include "xprofd/report/report.h"

#include <stdlib.h>

/* Places by step, so that a span finds its own with a look-up. */
struct places {
    const struct xpd_report_steps *steps;
    uint32_t *of; /* by step up to the last one; NULL: searched for */
    uint32_t known;
};

/* First place whose step is not before `step`. */
static uint32_t search(const struct xpd_report_steps *steps, uint32_t step)
{
    uint32_t low = 0;
    XPD_BISECT(low, steps->count, middle, steps->at[middle] < step);
    return low;
}

static uint32_t place_of(const struct places *places, uint32_t step)
{
    return !places->of            ? search(places->steps, step)
           : step < places->known ? places->of[step]
                                  : places->steps->count;
}

/* Few spans, or no memory: no table. */
static void make_places(struct places *places, uint32_t spans)
{
    const struct xpd_report_steps *steps = places->steps;
    uint32_t last = steps->count > 0 ? steps->at[steps->count - 1] : XPD_NO_STEP;
    if (last == XPD_NO_STEP || last / 4 > spans)
        return;
    places->known = last + 1;
    places->of = malloc((size_t)places->known * sizeof *places->of);
    for (uint32_t place = 0, step = 0; places->of && place < steps->count; place++)
        for (; step <= steps->at[place]; step++)
            places->of[step] = place;
}

enum what { BYTES, OWN, COUNT };

static int64_t amount(const struct xpd_report_span *span, enum what what)
{
    return what == BYTES ? span->bytes : what == OWN ? span->own_bytes : 1;
}

static int64_t *sums(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                     struct xpd_report_steps steps, enum what what, struct xpd_arena *arena)
{
    size_t width = (size_t)steps.count + 1; /* the last place takes what ends behind all steps */
    int64_t *out = XPD_NEW_ARRAY(arena, int64_t, width * keys + 1);
    struct places places = {.steps = &steps};
    if (!out)
        return NULL;
    make_places(&places, report->span_count);
    for (uint32_t i = 0; i < report->span_count; i++) {
        const struct xpd_report_span *span = &report->span[i];
        uint32_t of = key[span->row];
        if (of >= keys)
            continue;
        uint32_t from = place_of(&places, span->from);
        uint32_t to = span->to == XPD_NO_STEP ? steps.count : place_of(&places, span->to);
        if (from >= to)
            continue;
        out[of * width + from] += amount(span, what);
        out[of * width + to] -= amount(span, what);
    }
    free(places.of);
    for (uint32_t k = 0; k < keys; k++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < steps.count; i++) {
            sum += out[k * width + i];
            out[(size_t)k * steps.count + i] = sum; /* narrower rows: never ahead of what is read */
        }
    }
    return out;
}

int64_t *xpd_report_bytes(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                          struct xpd_report_steps steps, struct xpd_arena *arena)
{
    return sums(report, key, keys, steps, BYTES, arena);
}

int64_t *xpd_report_own_bytes(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                              struct xpd_report_steps steps, struct xpd_arena *arena)
{
    return sums(report, key, keys, steps, OWN, arena);
}

int64_t *xpd_report_counts(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                           struct xpd_report_steps steps, struct xpd_arena *arena)
{
    return sums(report, key, keys, steps, COUNT, arena);
}
