/* What can be told of a record without an answer. */
#include "xprofd/answer/record.h"

#include <string.h>

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
