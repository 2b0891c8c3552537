/* The list of allocations in a buffer-assignment report.
 *
 * In: lines such as
 *   allocation 5: size 512, color 2, page 0, parameter 0, shape |f32[8]| at ShapeIndex {1},
 * constant: value: <6 name{0,1} (phi) @2> (size=512,offset=0): f32[8]{0} Out: allocations and
 * values. The sections behind the list say the same things again. */
#include "../text/text_scan.h"
#include "assignment_internal.h"

bool xpd_line_next(struct xpd_line_walk *walk, struct xpd_str *line)
{
    if (walk->at >= walk->end)
        return false;
    const char *stop = memchr(walk->at, '\n', (size_t)(walk->end - walk->at));
    const char *end = stop ? stop : walk->end;
    *line = (struct xpd_str){walk->at, (size_t)(end - walk->at)};
    if (line->size > 0 && line->data[line->size - 1] == '\r')
        line->size--;
    walk->at = stop ? stop + 1 : walk->end;
    walk->number++;
    return true;
}

void xpd_assignment_warn(struct xpd_assignment *a, const char *name, uint64_t line,
                         const char *code, const char *what, struct xpd_str said)
{
    int size = (int)(said.size < 120 ? said.size : 120);
    xpd_warn(a->warnings, XPD_WARNING, code, XPD_NO_OFFSET, "%s, line %llu: %s: %.*s", name,
             (unsigned long long)line, what, size, size ? said.data : "");
}

static struct xpd_str rest_of(const struct xpd_text_scan *scan)
{
    return (struct xpd_str){scan->at, (size_t)(scan->end - scan->at)};
}

/* The text before `stop`, which is consumed; false: no `stop`. */
static bool take_until(struct xpd_text_scan *scan, char stop, struct xpd_str *text)
{
    const char *found = memchr(scan->at, stop, (size_t)(scan->end - scan->at));
    if (!found)
        return false;
    *text = (struct xpd_str){scan->at, (size_t)(found - scan->at)};
    scan->at = found + 1;
    return true;
}

/* A place in a tuple, without its braces: digits and commas. */
static bool take_index(struct xpd_text_scan *scan, struct xpd_str *index)
{
    if (!take_until(scan, '}', index))
        return false;
    for (size_t i = 0; i < index->size; i++)
        if (index->data[i] != ',' && (index->data[i] < '0' || index->data[i] > '9'))
            return false;
    return index->size < 512;
}

/* Colors and ids may be negative in old reports. */
static bool take_int(struct xpd_text_scan *scan, int64_t *value)
{
    bool minus = xpd_text_take(scan, '-');
    if (!xpd_text_int(scan, value))
        return false;
    *value = minus ? -*value : *value;
    return true;
}

/* One of the words after an allocation's size; false: unknown. */
static bool take_word(struct xpd_text_scan *scan, struct xpd_said_allocation *said)
{
    static const struct {
        const char *word;
        uint32_t flag;
    } flags[] = {{"constant", XPD_SAYS_CONSTANT},
                 {"thread-local", XPD_SAYS_THREAD_LOCAL},
                 {"maybe-live-out", XPD_SAYS_LIVE_OUT},
                 {"preallocated-temp", XPD_SAYS_TEMP}};
    struct xpd_str skipped;
    int64_t page;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (xpd_text_take_word(scan, xpd_str_of(flags[i].word))) {
            said->flags |= flags[i].flag;
            return true;
        }
    if (xpd_text_take_word(scan, XPD_STR("color ")))
        return take_int(scan, &said->color);
    if (xpd_text_take_word(scan, XPD_STR("page "))) {
        said->flags |= XPD_SAYS_PAGE;
        return take_int(scan, &page);
    }
    if (xpd_text_take_word(scan, XPD_STR("parameter "))) {
        said->flags |= XPD_SAYS_PARAMETER;
        return xpd_text_int(scan, &said->parameter);
    }
    if (xpd_text_take_word(scan, XPD_STR("output shape is |")))
        return take_until(scan, '|', &skipped);
    if (!xpd_text_take_word(scan, XPD_STR("shape |")) || !take_until(scan, '|', &skipped))
        return false;
    return !xpd_text_take_word(scan, XPD_STR("at ShapeIndex {")) ||
           take_index(scan, &said->parameter_index);
}

/* Unknown words are skipped with a warning: the proto has no field for them either. */
static void read_words(struct xpd_assignment *a, struct xpd_text_scan *scan,
                       struct xpd_said_allocation *said, uint64_t number)
{
    while (xpd_text_take(scan, ',')) {
        const char *word = scan->at;
        if (take_word(scan, said))
            continue;
        scan->at = word;
        xpd_assignment_warn(a, a->text->name, number, "assignment_text_word",
                            "an unknown word about an allocation is passed over", rest_of(scan));
        while (scan->at < scan->end && *scan->at != ',' && *scan->at != ':')
            scan->at++;
    }
}

static bool read_allocation(struct xpd_assignment *a, struct xpd_str line, uint64_t number)
{
    struct xpd_text_scan scan = {line.data, line.data + line.size};
    struct xpd_said_allocation said = {.first = (uint32_t)a->value.count};
    struct xpd_str address;
    bool whole = xpd_text_take_word(&scan, XPD_STR("allocation ")) &&
                 xpd_text_int(&scan, &said.index) && xpd_text_take(&scan, ':');
    if (whole && xpd_text_take_word(&scan, XPD_STR("0x"))) /* until about 2021 */
        whole = take_until(&scan, ',', &address);
    whole = whole && xpd_text_take_word(&scan, XPD_STR("size ")) &&
            xpd_text_int(&scan, &said.size_bytes);
    if (!whole) {
        xpd_assignment_warn(a, a->text->name, number, "assignment_text_allocation",
                            "this allocation has no number or size below 2^63 and is left out",
                            line);
        return false;
    }
    read_words(a, &scan, &said, number);
    if (!xpd_text_take(&scan, ':'))
        xpd_assignment_warn(a, a->text->name, number, "assignment_text_cut", "this line has no end",
                            line);
    said.color = said.color > 0 ? said.color : 0;
    XPD_PUSH(&a->allocation, said);
    return !a->allocation.failed;
}

static bool take_value(struct xpd_text_scan *scan, struct xpd_said_value *said)
{
    if (!xpd_text_take_word(scan, XPD_STR("value: <")) || !take_int(scan, &said->id))
        return false;
    while (scan->at < scan->end && *scan->at == ' ')
        scan->at++;
    said->name.data = scan->at;
    while (scan->at < scan->end && *scan->at != ' ' && *scan->at != '{')
        scan->at++;
    said->name.size = (size_t)(scan->at - said->name.data);
    if (scan->at < scan->end && *scan->at == '{') {
        scan->at++;
        if (!take_index(scan, &said->index))
            return false;
    }
    xpd_text_take_word(scan, XPD_STR("(phi)"));
    return xpd_text_take(scan, '@') && take_int(scan, &said->color) && xpd_text_take(scan, '>') &&
           xpd_text_take_word(scan, XPD_STR("(size=")) && xpd_text_int(scan, &said->size_bytes) &&
           xpd_text_take_word(scan, XPD_STR(",offset=")) &&
           xpd_text_int(scan, &said->offset_bytes) && xpd_text_take(scan, ')') &&
           said->name.size != 0;
}

/* The ranges name a value "name{index}". */
static void keep_key(struct xpd_assignment *a, const struct xpd_said_value *said, uint32_t value,
                     uint64_t number)
{
    struct xpd_strbuf text = {0};
    xpd_strbuf_add(&text, said->name.data, said->name.size);
    xpd_strbuf_putc(&text, '{');
    xpd_strbuf_add(&text, said->index.data, said->index.size);
    xpd_strbuf_putc(&text, '}');
    xpd_name_id id = text.failed ? 0 : xpd_intern_put(&a->key, text.data, text.size);
    while (!a->value_of.failed && a->value_of.count <= id)
        XPD_PUSH(&a->value_of, XPD_NO_INDEX);
    a->key_failed |= text.failed || a->key.failed || a->value_of.failed;
    if (!a->key_failed && a->value_of.at[id] != XPD_NO_INDEX)
        xpd_assignment_warn(a, a->text->name, number, "assignment_text_twice",
                            "two values have one name; the live range is taken for the last",
                            (struct xpd_str){text.data, text.size});
    if (!a->key_failed)
        a->value_of.at[id] = value;
    xpd_strbuf_fini(&text);
}

static void read_value(struct xpd_assignment *a, struct xpd_str line, uint64_t number)
{
    struct xpd_text_scan scan = {line.data, line.data + line.size};
    struct xpd_said_value said = {
        .first = -1, .allocation = (uint32_t)a->allocation.count - 1, .line = number};
    if (!take_value(&scan, &said)) {
        xpd_assignment_warn(a, a->text->name, number, "assignment_text_value",
                            "this value cannot be read and is left out", line);
        return;
    }
    xpd_text_take(&scan, ':');
    said.is_tuple = xpd_text_take(&scan, '(');
    if (said.is_tuple || !take_until(&scan, '[', &said.dims) || !take_until(&scan, ']', &said.dims))
        said.dims = (struct xpd_str){NULL, 0};
    said.color = said.color > 0 ? said.color : 0;
    keep_key(a, &said, (uint32_t)a->value.count, number);
    XPD_PUSH(&a->value, said);
    a->allocation.at[a->allocation.count - 1].count += !a->value.failed;
}

/* "Total bytes used: 110724 (108.1KiB)" */
static void read_total(struct xpd_assignment *a, struct xpd_str line)
{
    struct xpd_text_scan scan = {line.data, line.data + line.size};
    int64_t bytes;
    if (xpd_text_take_word(&scan, XPD_STR("Total bytes used:")) && xpd_text_int(&scan, &bytes))
        a->facts.said_bytes = bytes;
}

void xpd_assignment_read(struct xpd_assignment *a)
{
    struct xpd_str text = a->text->assignment, line;
    struct xpd_line_walk walk = {.at = text.data, .end = text.data + text.size};
    bool in_list = false, in_allocation = false;
    while (xpd_line_next(&walk, &line)) {
        if (xpd_str_starts(line, "BufferAssignment:")) {
            in_list = true;
        } else if (xpd_str_starts(line, "Total bytes used:")) {
            in_list = false;
            read_total(a, line);
        } else if (in_list && xpd_str_starts(line, "allocation ")) {
            in_allocation = read_allocation(a, line, walk.number);
        } else if (in_list && in_allocation && xpd_str_starts(line, " value:")) {
            read_value(a, line, walk.number);
        } else if (in_list && line.size != 0 && !xpd_str_starts(line, " value:")) {
            xpd_assignment_warn(a, a->text->name, walk.number, "assignment_text_line",
                                "this line is neither an allocation nor a value", line);
        } else if (line.size == 0) {
            in_list = false;
        }
    }
}
