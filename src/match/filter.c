/* Filter expressions. In: what a person typed, and the keys of a table. Out: terms; whether they
 * hold for a row. */
#include "xprofd/match/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct xpd_str all;
    size_t at;
    const struct xpd_filter_key *key;
    uint32_t key_count;
    struct xpd_arena *arena;
    struct xpd_err *err;
};

/* ---- errors ---- */

static int wrong(const struct reading *r, size_t at, const char *what)
{
    return xpd_fail(r->err, XPD_EINVAL, "filter", XPD_NO_OFFSET, "Column %zu of the filter: %s.",
                    at + 1, what);
}

static int wrong_key(const struct reading *r, size_t at)
{
    char keys[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < r->key_count && used < sizeof keys - 32; i++)
        used += (size_t)snprintf(keys + used, sizeof keys - used, "%s%s", i ? ", " : "",
                                 r->key[i].name);
    return xpd_fail(r->err, XPD_EINVAL, "filter", XPD_NO_OFFSET,
                    "Column %zu of the filter: there is no such key; the keys are %s. Put a text "
                    "with a colon in quotes.",
                    at + 1, keys);
}

/* ---- characters ---- */

static int peek(const struct reading *r)
{
    return r->at < r->all.size ? (unsigned char)r->all.data[r->at] : -1;
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool ends_word(int c)
{
    return c < 0 || is_blank(c) || c == '|';
}

static void skip_blanks(struct reading *r)
{
    while (is_blank(peek(r)))
        r->at++;
}

/* ---- texts ---- */

/* From one quote or slash to the next that no backslash is before. */
static bool take_closed(struct reading *r, struct xpd_str *out)
{
    size_t start = r->at;
    char close = r->all.data[r->at++];
    while (peek(r) >= 0 && r->all.data[r->at] != close)
        r->at += close == '/' && peek(r) == '\\' && r->at + 1 < r->all.size ? 2 : 1;
    if (peek(r) < 0)
        return false;
    r->at++;
    bool quoted = close == '"';
    *out = (struct xpd_str){r->all.data + start + quoted, r->at - start - 2 * quoted};
    return true;
}

static int take_text(struct reading *r, struct xpd_filter_term *term)
{
    size_t start = r->at;
    int c = peek(r);
    if (c == '"' || c == '/') {
        if (!take_closed(r, &term->text))
            return wrong(r, start,
                         c == '"' ? "this quote is not closed"
                                  : "this expression has no closing slash");
    } else {
        while (!ends_word(peek(r)))
            r->at++;
        term->text = (struct xpd_str){r->all.data + start, r->at - start};
    }
    if (term->text.size == 0)
        return wrong(r, start, "a text is missing");
    term->match = XPD_NEW(r->arena, struct xpd_match);
    if (!term->match)
        return xpd_no_memory(r->err, NULL, "for this answer");
    xpd_match_init(term->match, term->text);
    return XPD_OK;
}

/* ---- numbers ---- */

static const struct unit {
    const char *word;
    enum xpd_filter_unit unit;
    double factor;
} units[] = {{"ps", XPD_UNIT_TIME, 1},
             {"ns", XPD_UNIT_TIME, 1e3},
             {"us", XPD_UNIT_TIME, 1e6},
             {"\xc2\xb5s", XPD_UNIT_TIME, 1e6},
             {"ms", XPD_UNIT_TIME, 1e9},
             {"s", XPD_UNIT_TIME, 1e12},
             {"%", XPD_UNIT_SHARE, 0.01},
             {"B", XPD_UNIT_BYTES, 1},
             {"KiB", XPD_UNIT_BYTES, 1024},
             {"MiB", XPD_UNIT_BYTES, 1024.0 * 1024},
             {"GiB", XPD_UNIT_BYTES, 1024.0 * 1024 * 1024},
             {"K", XPD_UNIT_COUNT, 1e3},
             {"M", XPD_UNIT_COUNT, 1e6},
             {"G", XPD_UNIT_COUNT, 1e9},
             {"T", XPD_UNIT_COUNT, 1e12}};

static const struct unit *unit_of(struct xpd_str word)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (xpd_str_eq(word, xpd_str_of(units[i].word)))
            return &units[i];
    return NULL;
}

/* Default unit of a number. */
static double usual(enum xpd_filter_unit unit)
{
    return unit == XPD_UNIT_SHARE ? 0.01 : 1;
}

static int take_number(struct reading *r, struct xpd_filter_term *term)
{
    const struct xpd_filter_key *key = &r->key[term->key];
    size_t start = r->at, used = 0;
    char digits[40];
    while (used < sizeof digits - 1 && peek(r) >= 0 && strchr("0123456789.", peek(r)))
        digits[used++] = r->all.data[r->at++];
    if (used > 0 && (peek(r) == 'e' || peek(r) == 'E'))
        do
            digits[used++] = r->all.data[r->at++];
        while (used < sizeof digits - 1 && peek(r) >= 0 && strchr("0123456789+-", peek(r)));
    digits[used] = '\0';
    char *end = digits;
    double number = strtod(digits, &end);
    if (used == 0 || *end != '\0')
        return wrong(r, start, "a number is missing");
    size_t word = r->at;
    while (!ends_word(peek(r)))
        r->at++;
    struct xpd_str text = {r->all.data + word, r->at - word};
    const struct unit *unit = text.size > 0 ? unit_of(text) : NULL;
    if (text.size > 0 && (!unit || (unit->unit != key->unit &&
                                    (unit->unit != key->other || unit->unit == XPD_UNIT_NONE))))
        return wrong(r, word, "this unit does not fit that key");
    term->unit = unit ? unit->unit : key->unit;
    term->number = number * (unit ? unit->factor : usual(key->unit));
    return XPD_OK;
}

static enum xpd_filter_compare take_compare(struct reading *r)
{
    char first = r->all.data[r->at++];
    bool equal = first != '=' && peek(r) == '=';
    r->at += equal;
    if (first == '=')
        return XPD_FILTER_EQUAL;
    if (first == '<')
        return equal ? XPD_FILTER_LESS_EQUAL : XPD_FILTER_LESS;
    return equal ? XPD_FILTER_MORE_EQUAL : XPD_FILTER_MORE;
}

/* ---- terms ---- */

/* The letters before a ':' or a comparison; 0 = the term has no key. */
static size_t key_size(const struct reading *r)
{
    size_t at = r->at;
    while (at < r->all.size &&
           ((r->all.data[at] >= 'a' && r->all.data[at] <= 'z') ||
            (r->all.data[at] >= '0' && r->all.data[at] <= '9') || r->all.data[at] == '_'))
        at++;
    bool is_key = at > r->at && at < r->all.size && strchr(":<>=", r->all.data[at]);
    return is_key ? at - r->at : 0;
}

static int take_keyed(struct reading *r, struct xpd_filter_term *term, size_t size)
{
    struct xpd_str name = {r->all.data + r->at, size};
    size_t start = r->at;
    term->key = 0;
    while (term->key < r->key_count && !xpd_str_eq(name, xpd_str_of(r->key[term->key].name)))
        term->key++;
    if (term->key == r->key_count)
        return wrong_key(r, start);
    r->at += size;
    if (peek(r) == ':') {
        if (!r->key[term->key].is_text)
            return wrong(r, r->at, "this key is a number: compare it with <, > or =");
        r->at++;
        return take_text(r, term);
    }
    if (r->key[term->key].is_text)
        return wrong(r, r->at, "this key is a text: use a colon");
    term->compare = take_compare(r);
    return take_number(r, term);
}

static int take_term(struct reading *r, struct xpd_filter_term *term)
{
    *term = (struct xpd_filter_term){.key = r->key_count};
    while (peek(r) == '-') {
        term->is_not = !term->is_not;
        r->at++;
    }
    size_t size = key_size(r);
    return size > 0 ? take_keyed(r, term, size) : take_text(r, term);
}

int xpd_filter_parse(struct xpd_filter *out, struct xpd_arena *arena, struct xpd_str text,
                     const struct xpd_filter_key *key, uint32_t key_count, struct xpd_err *err)
{
    struct reading r = {text, 0, key, key_count, arena, err};
    bool begins = true;
    *out = (struct xpd_filter){
        .term = XPD_NEW_ARRAY(arena, struct xpd_filter_term, XPD_FILTER_TERMS_MAX)};
    if (!out->term)
        return xpd_no_memory(err, NULL, "for this answer");
    for (skip_blanks(&r); peek(&r) >= 0; skip_blanks(&r)) {
        if (peek(&r) == '|') {
            if (begins)
                return wrong(&r, r.at, "nothing comes before this |");
            begins = true;
            r.at++;
            continue;
        }
        if (out->count == XPD_FILTER_TERMS_MAX)
            return wrong(&r, r.at, "more than 64 terms");
        struct xpd_filter_term *term = &out->term[out->count];
        int rc = take_term(&r, term);
        if (rc != XPD_OK)
            return rc;
        term->begins = begins;
        begins = false;
        out->count++;
    }
    return begins && out->count > 0 ? wrong(&r, r.at, "nothing comes after the last |") : XPD_OK;
}

void xpd_filter_fini(struct xpd_filter *filter)
{
    for (uint32_t i = 0; i < filter->count; i++)
        if (filter->term[i].match)
            xpd_match_fini(filter->term[i].match);
    filter->count = 0;
}

/* ---- rows ---- */

bool xpd_filter_test(const struct xpd_filter *filter,
                     bool (*holds)(const struct xpd_filter_term *term, void *self), void *self)
{
    bool all = filter->count == 0;
    for (uint32_t i = 0; i < filter->count; i++) {
        const struct xpd_filter_term *term = &filter->term[i];
        if (term->begins && i > 0 && all)
            return true;
        if (term->begins)
            all = true;
        all = all && holds(term, self) != term->is_not;
    }
    return all;
}

bool xpd_filter_compares(const struct xpd_filter_term *term, double number)
{
    switch (term->compare) {
    case XPD_FILTER_LESS: return number < term->number;
    case XPD_FILTER_LESS_EQUAL: return number <= term->number;
    case XPD_FILTER_MORE: return number > term->number;
    case XPD_FILTER_MORE_EQUAL: return number >= term->number;
    case XPD_FILTER_EQUAL: return number >= term->number && number <= term->number;
    default: return false;
    }
}

const char *xpd_filter_note(const struct xpd_filter *filter, char room[XPD_MATCH_NOTE_MAX])
{
    const char *note = "";
    for (uint32_t i = 0; i < filter->count && !note[0]; i++)
        if (filter->term[i].match)
            note = xpd_match_note(filter->term[i].match, room);
    return note;
}
