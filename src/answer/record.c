/* Properties of a record, and values of an answer. In: bytes of its struct. Out: value or null.
 */
#include "value.h"

#include "xprofd/base/map64.h"

#include <assert.h>
#include <math.h>

static const struct unit {
    const char *suffix, *name;
} units[] = {
    {"_ps", "ps"},
    {"_ns", "ns"},
    {"_ms", "ms"},
    {"_s", "s"},
    {"_hz", "Hz"},
    {"_bytes", "bytes"},
    {"_flops", "FLOP"},
    {"flops_per_s", "FLOP/s"},
    {"bytes_per_s", "bytes/s"},
    {"_bytes_per_s", "bytes/s"},
    {"_share", "of 1"},
    {"_percent", "%"},
};

/* The longest suffix that a key ends in; NULL = none. */
static const struct unit *unit_of(const char *key)
{
    const struct unit *found = NULL;
    size_t size = strlen(key);
    for (const struct unit *unit = units; unit < units + sizeof units / sizeof *units; unit++) {
        size_t end = strlen(unit->suffix);
        if (size >= end && strcmp(key + size - end, unit->suffix) == 0 &&
            (!found || end > strlen(found->suffix)))
            found = unit;
    }
    return found;
}

const char *xpd_key_unit(const char *key)
{
    const struct unit *unit = unit_of(key);
    return unit ? unit->name : "";
}

size_t xpd_key_stem(const char *key)
{
    const struct unit *unit = unit_of(key);
    return strlen(key) - (unit ? strlen(unit->suffix) : 0);
}

const struct xpd_record_field *xpd_record_table(const struct xpd_record *record, const char *key)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct xpd_record_field *field = &record->field[i];
        bool is_table = field->kind == XPD_COLUMNS || field->kind == XPD_INLINE;
        if (is_table && strcmp(field->key, key) == 0)
            return field;
    }
    return NULL;
}

/* ---- values ---- */

#define MEMBER(type, at)                                                                           \
    __extension__({                                                                                \
        type value;                                                                                \
        memcpy(&value, (at), sizeof value);                                                        \
        value;                                                                                     \
    })

static struct xpd_value whole(bool known, int64_t value)
{
    return (struct xpd_value){.is = known ? XPD_IS_WHOLE : XPD_IS_NULL, .whole = value};
}

/* A word outside of its list would make the page's types wrong. */
static bool is_word(const char *words, const char *value)
{
    size_t size = strlen(value);
    for (const char *at = words; (at = strstr(at, value)); at += size)
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return false;
}

static struct xpd_value string(bool maybe, const char *value)
{
    if (!value && maybe)
        return (struct xpd_value){.is = XPD_IS_NULL};
    return (struct xpd_value){.is = XPD_IS_TEXT, .text = xpd_str_of(value ? value : "")};
}

static struct xpd_value word(const struct xpd_record_field *field, const char *value)
{
    assert(value ? is_word(field->words, value) : field->maybe);
    (void)is_word;
    return string(field->maybe, value);
}

static struct xpd_value text(bool maybe, struct xpd_str value)
{
    bool known = value.data || !maybe;
    return (struct xpd_value){.is = known ? XPD_IS_TEXT : XPD_IS_NULL, .text = value};
}

static struct xpd_value flag(bool maybe, int8_t value)
{
    bool known = value >= 0 || !maybe;
    return (struct xpd_value){.is = known ? XPD_IS_BOOL : XPD_IS_NULL, .truth = value > 0};
}

static struct xpd_value real(bool maybe, double value)
{
    bool known = isfinite(value) && (!maybe || value >= 0);
    return (struct xpd_value){.is = known ? XPD_IS_REAL : XPD_IS_NULL, .real = value};
}

struct xpd_value xpd_value_read(const struct xpd_record_field *field, enum xpd_kind kind,
                                const char *at)
{
    bool maybe = field->maybe;
    uint32_t index;
    int64_t number;
    uint64_t id;
    switch (kind) {
    case XPD_BOOL: return (struct xpd_value){.is = XPD_IS_BOOL, .truth = MEMBER(bool, at)};
    case XPD_FLAG: return flag(maybe, MEMBER(int8_t, at));
    case XPD_INT: number = MEMBER(int64_t, at); return whole(!maybe || number >= 0, number);
    case XPD_SIGNED:
    case XPD_BIG:
        number = MEMBER(int64_t, at);
        return whole(!maybe || number != XPD_UNKNOWN, number);
    case XPD_COUNT: return whole(true, MEMBER(uint32_t, at));
    case XPD_INDEX:
        index = MEMBER(uint32_t, at);
        return whole(!maybe || index != XPD_NO_INDEX, index);
    case XPD_ID:
        id = MEMBER(uint64_t, at);
        return (struct xpd_value){.is = maybe && id == 0 ? XPD_IS_NULL : XPD_IS_ID, .id = id};
    case XPD_REAL: return real(maybe, MEMBER(double, at));
    case XPD_TEXT:
    case XPD_NAME: return text(maybe, MEMBER(struct xpd_str, at));
    case XPD_STRING: return string(maybe, MEMBER(const char *, at));
    case XPD_WORD: return word(field, MEMBER(const char *, at));
    default: assert(!"a single value"); return (struct xpd_value){.is = XPD_IS_NULL};
    }
}

struct xpd_rows xpd_value_rows(const char *at)
{
    return MEMBER(struct xpd_rows, at);
}

size_t xpd_value_size(enum xpd_kind kind)
{
    switch (kind) {
    case XPD_BOOL: return sizeof(bool);
    case XPD_FLAG: return sizeof(int8_t);
    case XPD_COUNT:
    case XPD_INDEX: return sizeof(uint32_t);
    case XPD_REAL: return sizeof(double);
    case XPD_TEXT:
    case XPD_NAME: return sizeof(struct xpd_str);
    case XPD_STRING:
    case XPD_WORD: return sizeof(const char *);
    default: return sizeof(int64_t);
    }
}
