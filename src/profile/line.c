/* One line (row of events) of a plane: its head and how many events it has.
 *
 * Most of a large profile is here: 25 million events per GB, of about 40 bytes each. An event is
 * skipped by its two-byte head inside the window, so counting costs little more than reading. */
#include "plane.h"

enum { VARINT = 0, LENGTH = 2 };

struct count_state {
    uint64_t at, end; /* end by the file */
    uint64_t events;
};

/* Skips events that start at state->at as far as the window reaches. Stops at anything else. */
static int skip_events(struct xpd_reader *reader, struct count_state *state, struct xpd_err *err)
{
    const uint8_t *start;
    size_t size;
    uint64_t end = state->end < reader->size ? state->end : reader->size;
    int rc = xpd_walk_span(reader, state->at, end, &start, &size, err);
    if (rc != XPD_OK)
        return rc;
    const uint8_t *p = start, *stop = start + size, *payload;
    size_t length;
    uint64_t events = 0;
    while ((payload = xpd_plain_event(p, stop, &length))) {
        p = payload + length;
        events++;
    }
    state->at += (uint64_t)(p - start);
    state->events += events;
    return xpd_walk_progress(reader, state->at, err);
}

bool xpd_line_run(struct xpd_reader *reader, struct xpd_wire_range range,
                  bool (*go_on)(void *context, uint64_t line), void *context,
                  struct xpd_event_run *run)
{
    struct count_state state = {.at = range.offset, .end = xpd_range_end(range)};
    struct xpd_walk_field field;
    do {
        if (xpd_walk_next(reader, &state.at, state.end, &field, NULL) != XPD_WALK_FIELD)
            return false;
    } while (field.number != 4 || field.type != LENGTH);
    run->from = state.at;
    for (;;) {
        uint64_t before = state.at;
        run->at = state.at;
        run->count = state.events;
        if (state.at >= state.end || state.at >= reader->size)
            return true;
        if (!go_on(context, range.offset) || skip_events(reader, &state, NULL) != XPD_OK)
            return false;
        if (state.at != before)
            continue;
        if (xpd_walk_next(reader, &state.at, state.end, &field, NULL) != XPD_WALK_FIELD ||
            field.number != 4 || field.type != LENGTH)
            return true;
        state.events++;
    }
}

/* Events counted by the scout after the first one. */
static void take_run(struct xpd_reader *reader, struct xpd_wire_range range,
                     struct count_state *state)
{
    struct xpd_event_run run;
    if (!reader->scout || range.size < XPD_SCOUT_LINE_BYTES)
        return;
    atomic_store_explicit(&reader->scout->pass_at, range.offset, memory_order_relaxed);
    if (!xpd_scout_ask(reader->scout, range.offset, state->at, &run))
        return;
    state->at = run.at;
    state->events += run.count;
}

static bool read_head(struct xpd_reader *reader, const struct xpd_walk_field *field,
                      struct xpd_line *line, struct xpd_err *err)
{
    bool failed = false;
    if (field->type == LENGTH) {
        if (field->number == 2)
            line->name = xpd_walk_text(reader, field->payload, &failed, err);
        else if (field->number == 11)
            line->display_name = xpd_walk_text(reader, field->payload, &failed, err);
    } else if (field->type == VARINT) {
        int64_t value = (int64_t)field->value;
        switch (field->number) {
        case 1: line->id = value; break;
        case 3: line->timestamp_ns = value; break;
        case 9: line->duration_ps = value; break;
        case 10: line->display_id = value; break;
        default: break;
        }
    }
    return !failed;
}

int xpd_line_load(struct xpd_reader *reader, struct xpd_wire_range range, struct xpd_line *line,
                  enum xpd_walk *verdict, uint64_t *stop, struct xpd_err *err)
{
    struct count_state state = {.at = range.offset, .end = xpd_range_end(range)};
    struct xpd_walk_field field;
    *line = (struct xpd_line){.range = range};
    enum xpd_walk step;
    for (;;) {
        if (state.events != 0 && state.at < state.end && state.at < reader->size) {
            int rc = skip_events(reader, &state, err);
            if (rc != XPD_OK)
                return rc;
        }
        step = xpd_walk_next(reader, &state.at, state.end, &field, err);
        if (step != XPD_WALK_FIELD)
            break;
        if (field.number == 4 && field.type == LENGTH) {
            if (state.events++ == 0)
                take_run(reader, range, &state);
        } else if (!read_head(reader, &field, line, err)) {
            return err->code;
        }
    }
    if (step == XPD_WALK_FAILED)
        return err->code;
    line->event_count = state.events;
    line->range.size = state.at - range.offset;
    *verdict = step;
    *stop = state.at;
    return XPD_OK;
}
