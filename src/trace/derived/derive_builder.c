/* XProf's rule, step by step, so that the rows have the same events to the picosecond. */
#include "derive_builder.h"
#include "derive.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/threads.h"
#include "xprofd/trace/tf_op.h"
#include <stdlib.h>

#define NEAR_DEPTHS 256u /* number of values distinguished by a byte */
/* Of one row: bits of its depths are counted in 32. */
#define EVENTS_MAX (UINT32_MAX - 64u * XPD_DEPTHS_MAX)

/* What the makers of derived rows draw with: names, pairs of events and rows, as drafts. */

uint32_t xpd_derive_name(struct xpd_deriving *deriving, struct xpd_str caption, struct xpd_str name,
                         enum xpd_op_group group)
{
    struct xpd_intern *names = &deriving->out->names;
    xpd_name_id caption_id = xpd_intern_put(names, caption.data, caption.size);
    xpd_name_id name_id = xpd_intern_put(names, name.data, name.size);
    uint64_t key = (uint64_t)caption_id << 32 | name_id;
    uint32_t at = xpd_map64_get(&deriving->name_of, key);
    if (at != XPD_NO_INDEX)
        return at;
    struct xpd_event_name entry = {.caption = caption_id,
                                   .name = name_id,
                                   .plane = XPD_NO_INDEX,
                                   .metadata = XPD_NO_METADATA,
                                   .group = (uint8_t)group,
                                   .flops = -1,
                                   .bytes = -1};
    at = (uint32_t)deriving->name.count;
    XPD_PUSH(&deriving->name, entry);
    xpd_map64_put(&deriving->name_of, key, at);
    if (deriving->name.failed || deriving->name_of.failed || names->failed) {
        deriving->failed = true;
        return 0;
    }
    return at;
}

uint32_t xpd_derive_framework_op(struct xpd_deriving *deriving, const struct xpd_tf_op *op,
                                 struct xpd_str full, enum xpd_op_group group)
{
    struct xpd_str caption = op->caption.size ? op->caption : full;
    size_t before = strlen(op->prefix);
    char *text = before > 0 ? malloc(before + caption.size) : NULL;
    if (text) {
        memcpy(text, op->prefix, before);
        memcpy(text + before, caption.data, caption.size);
        caption = (struct xpd_str){text, before + caption.size};
    }
    deriving->failed |= before > 0 && !text;
    uint32_t name = xpd_derive_name(deriving, caption, full, group);
    free(text);
    if (!deriving->failed && op->caption.size > 0)
        deriving->name.at[name].displayed = true;
    return name;
}

uint32_t xpd_derive_pair(struct xpd_deriving *deriving, uint64_t event2, int64_t device_ps)
{
    struct xpd_derived_pair pair = {.event2 = event2, .device_ps = device_ps, .launch_id = -1};
    XPD_PUSH(&deriving->pair, pair);
    if (deriving->pair.failed || deriving->pair.count > UINT32_MAX) {
        deriving->failed = true;
        return 0;
    }
    return (uint32_t)deriving->pair.count;
}

void xpd_derive_row(struct xpd_deriving *deriving, uint32_t process, int64_t id,
                    struct xpd_str caption, enum xpd_row_kind kind, const char *how,
                    struct xpd_builder *builder)
{
    xpd_builder_settle(builder);
    deriving->failed |= xpd_builder_failed(builder);
    if (builder->sheet.index.count == 0)
        return;
    struct xpd_draft_row row = {
        .process = process,
        .id = id,
        .caption = xpd_intern_put(&deriving->out->names, caption.data, caption.size),
        .kind = kind,
        .how = how,
        .sheet = builder->sheet};
    XPD_PUSH(&deriving->draft, row);
    if (deriving->draft.failed) {
        deriving->failed = true;
        return;
    }
    builder->sheet = (struct xpd_sheet){0};
}

/* The sheet of a row. */

static void sheet_fini(struct xpd_sheet *sheet)
{
    XPD_VEC_FINI(&sheet->index);
    XPD_VEC_FINI(&sheet->name);
    XPD_VEC_FINI(&sheet->near);
    XPD_VEC_FINI(&sheet->far);
    XPD_VEC_FINI(&sheet->own);
    XPD_VEC_FINI(&sheet->pair);
}

bool xpd_sheet_next(struct xpd_sheet_reader *reader, struct xpd_drawn *out)
{
    const struct xpd_sheet *sheet = reader->sheet;
    size_t at = reader->at;
    if (at >= sheet->index.count)
        return false;
    *out = (struct xpd_drawn){.depth = sheet->near.at ? sheet->near.at[at] : sheet->far.at[at],
                              .index = sheet->index.at[at],
                              .name = sheet->name.at[at],
                              .order = (uint32_t)at};
    const struct xpd_depth *depth = &sheet->depth[out->depth];
    int64_t duration_ps = depth->duration_ps[out->index];
    if (reader->own < sheet->own.count && sheet->own.at[reader->own].order == at)
        duration_ps = sheet->own.at[reader->own++].duration_ps;
    if (reader->pair < sheet->pair.count && sheet->pair.at[reader->pair].order == at)
        out->pair = sheet->pair.at[reader->pair++].pair;
    out->start_ps = depth->start_ps[out->index];
    out->end_ps = out->start_ps + duration_ps;
    reader->at++;
    return true;
}

static bool has_own(const struct xpd_sheet *sheet, const struct xpd_drawn *drawn)
{
    return drawn->end_ps - drawn->start_ps != sheet->depth[drawn->depth].duration_ps[drawn->index];
}

static struct xpd_drawn_own own_of(const struct xpd_drawn *drawn)
{
    return (struct xpd_drawn_own){drawn->order, drawn->end_ps - drawn->start_ps};
}

/* Notes when a drawn event ends, now that this is known. */
static void end_drawn(struct xpd_sheet *sheet, const struct xpd_drawn *drawn)
{
    struct xpd_drawn_own own = own_of(drawn);
    struct xpd_drawn_pair pair = {drawn->order, drawn->pair};
    if (has_own(sheet, drawn))
        XPD_PUSH(&sheet->own, own);
    if (drawn->pair)
        XPD_PUSH(&sheet->pair, pair);
}

static struct xpd_drawn begin_drawn(struct xpd_sheet *sheet, const struct xpd_depth *depth,
                                    uint32_t index, int64_t end_ps, uint32_t name)
{
    struct xpd_drawn drawn = {.start_ps = depth->start_ps[index],
                              .end_ps = end_ps,
                              .depth = (uint32_t)(depth - sheet->depth),
                              .index = index,
                              .name = name,
                              .order = (uint32_t)sheet->index.count};
    XPD_PUSH(&sheet->index, index);
    XPD_PUSH(&sheet->name, name);
    if (sheet->depth_count <= NEAR_DEPTHS)
        XPD_PUSH(&sheet->near, (uint8_t)drawn.depth);
    else
        XPD_PUSH(&sheet->far, drawn.depth);
    return drawn;
}

void xpd_builder_from(struct xpd_builder *row, const struct xpd_depth *depth, uint32_t count)
{
    row->sheet.depth = depth;
    row->sheet.depth_count = count;
}

void xpd_builder_from_process(struct xpd_builder *row, const struct xpd_trace *trace,
                              uint32_t process)
{
    const struct xpd_trace_process *at = &trace->process[process];
    uint32_t first = UINT32_MAX, end = 0;
    for (uint32_t i = 0; i < at->row_count; i++) {
        const struct xpd_trace_row *of = &trace->row[at->first_row + i];
        first = of->first_depth < first ? of->first_depth : first;
        end = of->first_depth + of->depth_count > end ? of->first_depth + of->depth_count : end;
    }
    if (first < end)
        xpd_builder_from(row, &trace->depth[first], end - first);
}

void xpd_builder_draw(struct xpd_builder *row, const struct xpd_depth *depth, uint32_t index,
                      int64_t end_ps, uint32_t name, uint32_t pair)
{
    if (xpd_builder_failed(row))
        return;
    struct xpd_drawn drawn = begin_drawn(&row->sheet, depth, index, end_ps, name);
    drawn.pair = pair;
    end_drawn(&row->sheet, &drawn);
}

static int by_order(const void *a, const void *b) /* both begin with it */
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

void xpd_builder_settle(struct xpd_builder *row)
{
    struct xpd_sheet *sheet = &row->sheet;
    for (size_t i = 0; i < row->open.count && !xpd_builder_failed(row); i++)
        end_drawn(sheet, &row->open.at[i].drawn);
    row->open.count = 0;
    if (sheet->own.count > 1)
        qsort(sheet->own.at, sheet->own.count, sizeof *sheet->own.at, by_order);
    if (sheet->pair.count > 1)
        qsort(sheet->pair.at, sheet->pair.count, sizeof *sheet->pair.at, by_order);
}

bool xpd_builder_failed(const struct xpd_builder *row)
{
    const struct xpd_sheet *sheet = &row->sheet;
    return row->open.failed || sheet->index.failed || sheet->name.failed || sheet->near.failed ||
           sheet->far.failed || sheet->own.failed || sheet->pair.failed;
}

void xpd_builder_fini(struct xpd_builder *row)
{
    sheet_fini(&row->sheet);
    XPD_VEC_FINI(&row->open);
}

static struct xpd_drawn *open_at(struct xpd_builder *row, size_t level)
{
    return &row->open.at[level].drawn;
}

/* Spans that are nested and equal would lie on each other: each deeper one ends 1 ns earlier. */
static void shrink(struct xpd_builder *row, size_t level)
{
    if (row->open.count < level + 2)
        return;
    const struct xpd_drawn *innermost = open_at(row, row->open.count - 1);
    int64_t cap = (innermost->end_ps - innermost->start_ps) / 1000 - 1, steps = 0;
    int64_t start_ps = 0, end_ps = 0;
    for (size_t i = level; i < row->open.count; i++) {
        struct xpd_drawn *at = open_at(row, i);
        if (i > level && at->start_ps == start_ps && at->end_ps == end_ps && steps < cap)
            steps++;
        start_ps = at->start_ps;
        end_ps = at->end_ps;
        at->end_ps -= 1000 * steps;
    }
}

static void close_from(struct xpd_builder *row, size_t level)
{
    if (level < row->open.count) {
        shrink(row, level);
        for (size_t i = level; i < row->open.count; i++)
            end_drawn(&row->sheet, open_at(row, i));
        row->open.count = level;
    }
    if (level == 0)
        for (size_t i = 0; i < sizeof row->dependent / sizeof *row->dependent; i++)
            if (row->dependent[i])
                close_from(row->dependent[i], 0);
}

static bool extends(const struct xpd_builder *row, size_t level, uint32_t name,
                    const struct xpd_span *span)
{
    if (level >= row->open.count)
        return false;
    const struct xpd_open_level *open = &row->open.at[level];
    const struct xpd_drawn *last = &open->drawn;
    if (last->name != name || open->group != span->group ||
        (open->scope_id >= 0 && span->scope_id >= 0 && open->scope_id != span->scope_id))
        return false;
    if (row->gpu || span->group != XPD_NO_GROUP)
        return true;
    bool overflow = false;
    int64_t lasted = xpd_add_i64(last->end_ps, -last->start_ps, &overflow);
    int64_t reach = xpd_add_i64(last->end_ps, xpd_mul_i64(lasted, 2, &overflow), &overflow);
    return reach >= span->start_ps;
}

static void emit(struct xpd_builder *row, size_t level, uint32_t name, const struct xpd_span *span)
{
    if (extends(row, level, name, span)) {
        struct xpd_drawn *last = open_at(row, level);
        if (span->end_ps > last->end_ps)
            last->end_ps = span->end_ps;
        return;
    }
    close_from(row, level);
    struct xpd_open_level open = {
        .drawn = begin_drawn(&row->sheet, span->depth, span->index, span->end_ps, name),
        .scope_id = span->scope_id,
        .group = span->group};
    if (!xpd_builder_failed(row))
        XPD_PUSH(&row->open, open);
}

void xpd_builder_stack_scoped(struct xpd_builder *row, const uint32_t *name, const int64_t *scope,
                              uint32_t count, const struct xpd_span *span)
{
    struct xpd_span level = *span;
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count && !xpd_builder_failed(row); i++) {
        level.scope_id = scope[i];
        emit(row, i, name[i], &level);
    }
    if (!xpd_builder_failed(row))
        close_from(row, count);
}

void xpd_builder_stack(struct xpd_builder *row, const uint32_t *name, uint32_t count,
                       const struct xpd_span *span)
{
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count && !xpd_builder_failed(row); i++)
        emit(row, i, name[i], span);
    if (!xpd_builder_failed(row))
        close_from(row, count);
}

void xpd_builder_one(struct xpd_builder *row, uint32_t name, const struct xpd_span *span)
{
    if (!xpd_builder_failed(row))
        emit(row, 0, name, span);
}

void xpd_builder_close(struct xpd_builder *row)
{
    close_from(row, 0);
}

/* From drafts to frozen rows: events in order, first fit into depths, nine bytes an event. */

static int by_id(const void *a, const void *b)
{
    const struct xpd_draft_row *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_start(const void *a, const void *b)
{
    const struct xpd_drawn *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    if (x->end_ps != y->end_ps)
        return x->end_ps > y->end_ps ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order); /* a scope before those inside of it */
}

/* Puts events [first, first + tie.count) of a sheet in order, which were read from there, and what
 * only some of them have, which stands there in `own` and `pair`. */
static void order_tie(struct xpd_sheet *sheet, struct xpd_drawn *tie, size_t count,
                      const struct xpd_sheet_reader *from)
{
    size_t own = from->own, pair = from->pair;
    bool sorted = true;
    for (size_t i = 1; i < count; i++)
        sorted = sorted && by_start(&tie[i - 1], &tie[i]) < 0;
    if (sorted)
        return;
    qsort(tie, count, sizeof *tie, by_start);
    for (size_t i = 0; i < count; i++) {
        size_t at = from->at + i;
        sheet->index.at[at] = tie[i].index;
        sheet->name.at[at] = tie[i].name;
        if (sheet->near.at)
            sheet->near.at[at] = (uint8_t)tie[i].depth;
        else
            sheet->far.at[at] = tie[i].depth;
        tie[i].order = (uint32_t)at;
        if (has_own(sheet, &tie[i]))
            sheet->own.at[own++] = own_of(&tie[i]);
        if (tie[i].pair)
            sheet->pair.at[pair++] = (struct xpd_drawn_pair){(uint32_t)at, tie[i].pair};
    }
}

static bool starts_ascend(const struct xpd_sheet *sheet)
{
    struct xpd_sheet_reader reader = {.sheet = sheet};
    struct xpd_drawn drawn;
    int64_t before_ps = INT64_MIN;
    for (; xpd_sheet_next(&reader, &drawn); before_ps = drawn.start_ps)
        if (drawn.start_ps < before_ps)
            return false;
    return true;
}

/* Rows are mostly drawn in order of their starts: then only those that begin together need to be
 * put in order. */
static bool order_sheet(struct xpd_sheet *sheet)
{
    XPD_VEC(struct xpd_drawn) tie = {0};
    bool ascend = starts_ascend(sheet);
    struct xpd_sheet_reader reader = {.sheet = sheet}, first = reader, before = reader;
    struct xpd_drawn drawn;
    for (; xpd_sheet_next(&reader, &drawn) && !tie.failed; before = reader) {
        if (ascend && tie.count > 0 && tie.at[0].start_ps != drawn.start_ps) {
            order_tie(sheet, tie.at, tie.count, &first);
            tie.count = 0;
        }
        if (tie.count == 0)
            first = before;
        XPD_PUSH(&tie, drawn);
    }
    bool fine = !tie.failed;
    if (fine)
        order_tie(sheet, tie.at, tie.count, &first);
    XPD_VEC_FINI(&tie);
    return fine;
}

/* First fit with a tree of the smallest end below each node; leaf i is depth i. */
struct fit {
    int64_t least[2 * XPD_DEPTHS_MAX];
};

static void fit_set(struct fit *fit, uint32_t leaf, int64_t end_ps)
{
    uint32_t at = leaf + XPD_DEPTHS_MAX;
    fit->least[at] = end_ps;
    for (at /= 2; at > 0; at /= 2) {
        int64_t left = fit->least[2 * at], right = fit->least[2 * at + 1];
        fit->least[at] = left < right ? left : right;
    }
}

/* The first depth that is free at the time; the last one when none is. */
static uint32_t fit_find(const struct fit *fit, int64_t start_ps)
{
    if (fit->least[1] > start_ps)
        return XPD_DEPTHS_MAX - 1;
    uint32_t at = 1;
    while (at < XPD_DEPTHS_MAX)
        at = fit->least[2 * at] <= start_ps ? 2 * at : 2 * at + 1;
    return at - XPD_DEPTHS_MAX;
}

/* Up to so many depths each is looked at, and no tree is needed. */
#define FEW 16

/* The tree when the few have these ends; NULL: no memory. */
static struct fit *fit_of(const int64_t end_ps[FEW])
{
    struct fit *fit = malloc(sizeof *fit);
    for (uint32_t i = 0; fit && i < 2 * XPD_DEPTHS_MAX; i++)
        fit->least[i] = INT64_MIN;
    for (uint32_t d = 0; fit && d < FEW; d++)
        fit_set(fit, d, end_ps[d]);
    return fit;
}

/* The depths of all events by start; those that find none among the few are placed by the tree. */
static void place_events(struct xpd_draft_row *row)
{
    int64_t end_ps[FEW] = {0};
    struct fit *fit = NULL;
    struct xpd_sheet_reader reader = {.sheet = &row->sheet};
    struct xpd_drawn drawn;
    for (size_t i = 0; xpd_sheet_next(&reader, &drawn); i++) {
        uint32_t d = 0;
        while (!fit && d < row->depths && d < FEW && end_ps[d] > drawn.start_ps)
            d++;
        if (!fit && d == FEW && !(fit = fit_of(end_ps))) {
            row->depths = 0;
            return;
        }
        if (fit) {
            row->overflow_count += fit->least[1] > drawn.start_ps;
            d = fit_find(fit, drawn.start_ps);
            fit_set(fit, d, drawn.end_ps);
        } else {
            end_ps[d] = drawn.end_ps;
        }
        row->depths = d >= row->depths ? d + 1 : row->depths;
        row->depth_of[i] = (uint16_t)d;
    }
    free(fit);
}

/* In order, and each in its depth. */
static void place_row(void *context, uint32_t number, uint32_t thread)
{
    struct xpd_draft_row *row = (struct xpd_draft_row *)context + number;
    size_t count = row->sheet.index.count;
    (void)thread;
    row->depth_of = count < EVENTS_MAX ? malloc(count * sizeof *row->depth_of) : NULL;
    if (row->depth_of && order_sheet(&row->sheet))
        place_events(row);
}

struct columns { /* of one row, depth after depth */
    uint32_t *index, *name, *far;
    uint8_t *near;
    struct xpd_ranks own; /* each depth begins with a word of its own */
    int64_t *own_ps;
    size_t words;
};

struct place {          /* of one depth */
    size_t first, next; /* of its events in the columns */
    size_t word;        /* of its bits */
    int64_t longest_ps;
};

static bool columns_init(struct columns *columns, struct xpd_arena *arena,
                         const struct xpd_draft_row *row)
{
    size_t count = row->sheet.index.count;
    columns->index = XPD_NEW_ROOM(arena, uint32_t, count);
    columns->name = XPD_NEW_ROOM(arena, uint32_t, count);
    if (row->sheet.depth_count <= NEAR_DEPTHS)
        columns->near = XPD_NEW_ROOM(arena, uint8_t, count);
    else
        columns->far = XPD_NEW_ROOM(arena, uint32_t, count);
    columns->own_ps = XPD_NEW_ROOM(arena, int64_t, row->sheet.own.count);
    return xpd_ranks_init(&columns->own, arena, columns->words) && !arena->failed;
}

/* Where each depth of a row begins; NULL: no memory. */
static struct place *places_of(const struct xpd_draft_row *row, size_t *words)
{
    struct place *place = calloc((size_t)row->depths + 1, sizeof *place);
    for (size_t i = 0; place && i < row->sheet.index.count; i++)
        place[row->depth_of[i] + 1].first++;
    for (uint32_t d = 0; place && d < row->depths; d++) {
        place[d + 1].word = place[d].word + xpd_ranks_words(place[d + 1].first);
        place[d + 1].first += place[d].first;
        place[d].next = place[d].first;
    }
    *words = place ? place[row->depths].word : 0;
    return place;
}

/* The durations of those that have their own: those of a depth come in its order. */
static void fill_own(const struct xpd_draft_row *row, struct columns *columns, struct place *place)
{
    xpd_ranks_count(&columns->own, columns->words);
    for (uint32_t d = 0; d < row->depths; d++)
        place[d].next = columns->own.before[place[d].word];
    for (size_t i = 0; i < row->sheet.own.count; i++) {
        const struct xpd_drawn_own *own = &row->sheet.own.at[i];
        columns->own_ps[place[row->depth_of[own->order]].next++] = own->duration_ps;
    }
}

/* Events of the row by depth, in one pass, and what is known of all of them. */
static void fill(struct xpd_deriving *deriving, const struct xpd_draft_row *row,
                 struct columns *columns, struct place *place, struct xpd_trace_row *out)
{
    uint64_t first_event = deriving->trace->event_count + deriving->out->event_count;
    int64_t until_ps = INT64_MIN;
    struct xpd_sheet_reader reader = {.sheet = &row->sheet};
    struct xpd_drawn drawn;
    for (size_t i = 0; xpd_sheet_next(&reader, &drawn); i++) {
        struct place *in = &place[row->depth_of[i]];
        size_t at = in->next++;
        int64_t duration_ps = drawn.end_ps - drawn.start_ps;
        int64_t from_ps = drawn.start_ps > until_ps ? drawn.start_ps : until_ps;
        columns->index[at] = drawn.index;
        columns->name[at] = deriving->trace->name_count + drawn.name;
        if (columns->near)
            columns->near[at] = (uint8_t)drawn.depth;
        else
            columns->far[at] = drawn.depth;
        if (has_own(&row->sheet, &drawn))
            xpd_ranks_set(&columns->own, in->word * 64 + at - in->first);
        if (drawn.pair)
            deriving->pair.at[drawn.pair - 1].event = first_event + at;
        in->longest_ps = duration_ps > in->longest_ps ? duration_ps : in->longest_ps;
        out->first_ps = i == 0 ? drawn.start_ps : out->first_ps;
        out->busy_ps += drawn.end_ps > from_ps ? drawn.end_ps - from_ps : 0;
        until_ps = drawn.end_ps > until_ps ? drawn.end_ps : until_ps;
    }
    out->end_ps = until_ps;
}

static void push_depths(struct xpd_deriving *deriving, const struct xpd_draft_row *row,
                        const struct columns *columns, const struct place *place)
{
    struct xpd_derived *out = deriving->out;
    struct xpd_depth_from *from = XPD_NEW_ARRAY(&out->arena, struct xpd_depth_from, row->depths);
    for (uint32_t d = 0; from && d < row->depths; d++) {
        size_t first = place[d].first;
        struct xpd_depth depth = {
            .row = (uint32_t)deriving->row.count,
            .depth = d,
            .count = (uint32_t)(place[d + 1].first - first),
            .first_event = deriving->trace->event_count + out->event_count + first,
            .name = columns->name + first,
            .from = &from[d],
            .longest_ps = place[d].longest_ps,
            .overlapping = row->overflow_count > 0 && d + 1 == XPD_DEPTHS_MAX};
        from[d] = (struct xpd_depth_from){
            .depth = row->sheet.depth,
            .index = columns->index + first,
            .near = columns->near ? columns->near + first : NULL,
            .far = columns->far ? columns->far + first : NULL,
            .own = {columns->own.bit + place[d].word, columns->own.before + place[d].word},
            .own_ps = columns->own_ps};
        XPD_PUSH(&deriving->depth, depth);
    }
}

static bool freeze_row(struct xpd_deriving *deriving, const struct xpd_draft_row *draft)
{
    struct columns columns = {0};
    struct place *place = draft->depths > 0 ? places_of(draft, &columns.words) : NULL;
    bool fine = place && columns_init(&columns, &deriving->out->arena, draft);
    struct xpd_trace_row row = {.process = draft->process,
                                .id = draft->id,
                                .caption = draft->caption,
                                .kind = draft->kind,
                                .derived = true,
                                .how = draft->how,
                                .first_depth = (uint32_t)deriving->depth.count,
                                .depth_count = draft->depths,
                                .event_count = draft->sheet.index.count,
                                .overflow_count = draft->overflow_count,
                                .device_busy_ps = -1};
    if (fine) {
        fill(deriving, draft, &columns, place, &row);
        fill_own(draft, &columns, place);
        push_depths(deriving, draft, &columns, place);
        XPD_PUSH(&deriving->row, row);
        deriving->out->event_count += row.event_count;
    }
    free(place);
    return fine;
}

void xpd_draft_fini(struct xpd_draft_row *row)
{
    sheet_fini(&row->sheet);
    free(row->depth_of);
    row->depth_of = NULL;
}

bool xpd_derive_freeze(struct xpd_deriving *deriving)
{
    bool fine = true;
    if (deriving->draft.count == 0)
        return true;
    qsort(deriving->draft.at, deriving->draft.count, sizeof *deriving->draft.at, by_id);
    xpd_threads_each(0, (uint32_t)deriving->draft.count, place_row, deriving->draft.at);
    for (size_t i = 0; i < deriving->draft.count; i++) {
        fine = fine && freeze_row(deriving, &deriving->draft.at[i]);
        xpd_draft_fini(&deriving->draft.at[i]);
    }
    deriving->draft.count = 0;
    return fine && !deriving->row.failed && !deriving->depth.failed;
}

static int by_event(const void *a, const void *b)
{
    const struct xpd_derived_pair *x = a, *y = b;
    return (x->event > y->event) - (x->event < y->event);
}

bool xpd_derive_finish(struct xpd_deriving *deriving)
{
    struct xpd_derived *out = deriving->out;
    struct xpd_arena *arena = &out->arena;
    if (deriving->pair.failed)
        return false;
    if (deriving->pair.count > 1)
        qsort(deriving->pair.at, deriving->pair.count, sizeof *deriving->pair.at, by_event);
    out->row = XPD_COPY_VEC(arena, &deriving->row);
    out->depth = XPD_COPY_VEC(arena, &deriving->depth);
    out->pair = XPD_COPY_VEC(arena, &deriving->pair);
    out->name = XPD_COPY_VEC(arena, &deriving->name);
    out->row_count = (uint32_t)deriving->row.count;
    out->depth_count = (uint32_t)deriving->depth.count;
    out->pair_count = deriving->pair.count;
    out->name_count = (uint32_t)deriving->name.count;
    return !arena->failed;
}
