/* Heap events from live ranges, in the order in which XLA's heap simulator meets them.
 *
 * In: the values of one temporary allocation with their ranges. Out: ALLOC and FREE of each, or
 * SHARE_WITH where a value begins at the offset of one that still lives. At one step values begin,
 * in order of (first, last, id), before others end in that same order. Tuples of pointers are
 * allocated beside the heap and have no events. */
#include "../text/text_scan.h"
#include "assignment_internal.h"
#include "xprofd/hlo/module.h"
#include "xprofd/wire/cursor.h"

/* Live ranges in XLA's reports.
 *
 * In: the section "HloLiveRange" of a buffer-assignment report or a file of its own, with lines
 * such as "    name{0,1}:12-40" below "  BufferLiveRange:". Out: first and last step of the values
 * that they name. A range of a value that has no allocation is XLA's business: nothing to show. */

static bool take_range(struct xpd_str line, struct xpd_str *key, int64_t *first, int64_t *last)
{
    size_t close = line.size;
    while (close > 0 && line.data[close - 1] != '}')
        close--;
    *key = xpd_str_trim((struct xpd_str){line.data, close});
    struct xpd_text_scan scan = {line.data + close, line.data + line.size};
    return key->size != 0 && xpd_text_take(&scan, ':') && xpd_text_int(&scan, first) &&
           xpd_text_take(&scan, '-') && xpd_text_int(&scan, last) && scan.at == scan.end &&
           *first <= *last;
}

/* A range of no value that the report has: the program has its instruction all the same. */
static void note_strange(struct xpd_assignment *a, struct xpd_str key, const char *name,
                         uint64_t number)
{
    int64_t id;
    size_t brace = xpd_str_find(key, XPD_STR("{"), false);
    struct xpd_str instruction = {key.data, brace == SIZE_MAX ? key.size : brace};
    if (!a->names || xpd_hlo_names_instruction(a->names, instruction, &id))
        return;
    if (a->strange.count++ > 0)
        return;
    a->strange.line = number;
    a->strange.file = name;
    a->strange.name = instruction;
}

static void read_range(struct xpd_assignment *a, struct xpd_str line, const char *name,
                       uint64_t number)
{
    struct xpd_str key;
    int64_t first, last;
    if (!take_range(line, &key, &first, &last)) {
        xpd_assignment_warn(a, name, number, "assignment_text_range",
                            "this live range cannot be read; its value has none", line);
        return;
    }
    xpd_name_id id = xpd_intern_find(&a->key, key);
    if (id == XPD_NO_NAME || id >= a->value_of.count || a->value_of.at[id] == XPD_NO_INDEX) {
        note_strange(a, key, name, number);
        return;
    }
    struct xpd_said_value *value = &a->value.at[a->value_of.at[id]];
    a->facts.ranges += value->first < 0;
    value->first = first;
    value->last = last;
}

void xpd_assignment_read_ranges(struct xpd_assignment *a, struct xpd_str text, const char *name)
{
    struct xpd_line_walk walk = {.at = text.data, .end = text.data + text.size};
    struct xpd_str line;
    bool in_ranges = false;
    while (xpd_line_next(&walk, &line)) {
        struct xpd_str word = xpd_str_trim(line);
        if (xpd_str_eq(word, XPD_STR("BufferLiveRange:"))) {
            in_ranges = a->facts.has_live_ranges = true;
        } else if (!xpd_str_starts(line, "    ")) {
            in_ranges = false;
        } else if (in_ranges) {
            read_range(a, line, name, walk.number);
        }
    }
}

/* Values that hold nothing of their own: results of the custom call "ConcatBitcast", by which a TPU
 * compiler says that pieces copied into fast memory side by side are one array from here on.
 *
 * In: the program's proto. Out: is_view of the values such instructions define. Only reports of TPU
 * compilers have them, so other programs are not walked. */

enum { CALL_TARGET = 28, ID = 35 };

static void look_for_view(void *self, const struct xpd_field *instruction)
{
    struct xpd_cursor cursor = xpd_cursor_sub(instruction);
    struct xpd_field field;
    bool is_view = false;
    uint64_t id = 0;
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number == CALL_TARGET && field.wire_type == 2)
            is_view = xpd_str_eq(xpd_field_str(&field), XPD_STR("ConcatBitcast"));
        else if (field.number == ID && field.wire_type == 0)
            id = field.value;
    }
    if (is_view)
        xpd_map64_put(self, id, 1);
}

void xpd_assignment_mark_views(struct xpd_assignment *a, struct xpd_str module_proto)
{
    bool wanted = false;
    struct xpd_map64 view = {0};
    for (size_t i = 0; i < a->allocation.count && !wanted; i++)
        wanted = a->allocation.at[i].flags & XPD_SAYS_PAGE;
    if (!wanted || !a->names)
        return;
    xpd_each_instruction(module_proto, look_for_view, &view);
    for (size_t i = 0; i < a->value.count && view.count != 0; i++) {
        int64_t id;
        if (xpd_hlo_names_instruction(a->names, a->value.at[i].name, &id))
            a->value.at[i].is_view = xpd_map64_get(&view, (uint64_t)id) != XPD_NO_INDEX;
    }
    a->key_failed |= view.failed;
    xpd_map64_fini(&view);
}

struct order { /* of one value's end of life */
    int64_t first, last, id;
    uint32_t value;
};

static int by_first(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_last(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->last != y->last ? (x->last < y->last ? -1 : 1) : by_first(a, b);
}

static int by_first_and_id(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1)
                                : (x->id > y->id) - (x->id < y->id);
}

static int by_last_and_id(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->last != y->last ? (x->last < y->last ? -1 : 1) : (x->id > y->id) - (x->id < y->id);
}

struct holding { /* the value at an offset */
    struct xpd_map64 at;
    uint32_t *root; /* by value, less the allocation's first: whose storage it is in */
    bool *written;  /* so too: it has events */
    uint32_t first;
    bool planned;
};

/* The fast memory of a TPU (color 1) is planned by another pass: each value is a separate
 * allocation, also one that takes over its operand's place; views of these and values without
 * readers are not written. At one step the order is that of the ids. */
static bool is_planned(const struct xpd_said_allocation *of)
{
    return (of->flags & XPD_SAYS_PAGE) && of->color == 1;
}

static void push(struct xpd_assignment *a, uint8_t kind, uint32_t value, uint32_t canonical)
{
    struct xpd_said_event event = {kind, value, canonical};
    XPD_PUSH(&a->event, event);
}

static void begin(struct xpd_assignment *a, struct holding *h, uint32_t value)
{
    const struct xpd_said_value *v = &a->value.at[value];
    uint32_t there = xpd_map64_get(&h->at, (uint64_t)v->offset_bytes);
    const struct xpd_said_value *holder = there == XPD_NO_INDEX ? NULL : &a->value.at[there];
    bool lives = holder && holder->last >= v->first;
    uint32_t root = lives ? h->root[there - h->first] : value;
    h->root[value - h->first] = root;
    if (h->planned && (v->is_view || (lives && v->first == v->last)))
        return;
    h->written[value - h->first] = true;
    if (lives && !h->planned)
        push(a, XPD_EVENT_SHARE_WITH, value, root);
    else
        push(a, XPD_EVENT_ALLOC, value, XPD_NO_INDEX);
    if (lives) {
        XPD_PUSH(&a->shares, value);
        XPD_PUSH(&a->shares, root);
    }
    if (!lives || holder->last <= v->last)
        xpd_map64_put(&h->at, (uint64_t)v->offset_bytes, value);
}

static void merge(struct xpd_assignment *a, struct holding *h, struct order *begins,
                  struct order *ends, size_t count)
{
    size_t b = 0;
    qsort(begins, count, sizeof *begins, h->planned ? by_first_and_id : by_first);
    qsort(ends, count, sizeof *ends, h->planned ? by_last_and_id : by_last);
    for (size_t e = 0; e < count; e++) {
        for (; b < count && begins[b].first <= ends[e].last; b++)
            begin(a, h, begins[b].value);
        if (h->written[ends[e].value - h->first])
            push(a, XPD_EVENT_FREE, ends[e].value, XPD_NO_INDEX);
    }
}

bool xpd_assignment_make_events(struct xpd_assignment *a, const struct xpd_said_allocation *of)
{
    size_t most = (size_t)of->count + 1, count = 0;
    struct order *begins = calloc(most, sizeof *begins), *ends = calloc(most, sizeof *ends);
    struct holding h = {.first = of->first,
                        .planned = is_planned(of),
                        .root = calloc(most, sizeof *h.root),
                        .written = calloc(most, sizeof *h.written)};
    bool fine = begins && ends && h.root && h.written;
    a->event.count = 0;
    for (uint32_t i = of->first; fine && i < of->first + of->count; i++) {
        const struct xpd_said_value *v = &a->value.at[i];
        if (v->first < 0 || v->is_tuple)
            continue;
        begins[count] = (struct order){v->first, v->last, v->id, i};
        ends[count] = begins[count];
        count++;
    }
    if (fine)
        merge(a, &h, begins, ends, count);
    fine = fine && !h.at.failed && !a->event.failed && !a->shares.failed;
    xpd_map64_fini(&h.at);
    free(h.written);
    free(h.root);
    free(ends);
    free(begins);
    return fine;
}
