/* The table of thresholds. In: names and values as text. Out: numbers the rules compare with. */
#include "xprofd/doctor/doctor.h"

#include "xprofd/base/error.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static const struct xpd_doctor_threshold_info table[] = {
#define THRESHOLD(name, value, unit, help) {#name, unit, help, value},
#include "xprofd/doctor/thresholds.def"
#undef THRESHOLD
};
static const size_t place[] = {
#define THRESHOLD(name, value, unit, help) offsetof(struct xpd_doctor_thresholds, name),
#include "xprofd/doctor/thresholds.def"
#undef THRESHOLD
};

const struct xpd_doctor_threshold_info *xpd_doctor_threshold_list(uint32_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

static double *member(struct xpd_doctor_thresholds *of, size_t i)
{
    return (double *)(void *)((char *)of + place[i]);
}

void xpd_doctor_thresholds_init(struct xpd_doctor_thresholds *out)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        *member(out, i) = table[i].value;
}

double xpd_doctor_threshold_value(const struct xpd_doctor_thresholds *of, uint32_t index)
{
    return index < sizeof table / sizeof *table
               ? *(const double *)(const void *)((const char *)of + place[index])
               : 0;
}

/* Only digits and points are valid: strtod would accept more, strspn would read past the end. */
static bool is_decimal(struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((text.data[i] < '0' || text.data[i] > '9') && text.data[i] != '.')
            return false;
    return text.size > 0;
}

/* A plain decimal number, nothing else of strtod's. */
static bool number(struct xpd_str text, double *value)
{
    char copy[32], *end;
    if (text.size >= sizeof copy || !is_decimal(text))
        return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    *value = strtod(copy, &end);
    return *end == '\0' && isfinite(*value);
}

static bool parse(struct xpd_str text, const char *unit, double *value)
{
    int64_t bytes;
    if (strcmp(unit, "bytes") == 0) {
        bool ok = xpd_str_to_bytes(text, &bytes);
        *value = ok ? (double)bytes : 0;
        return ok;
    }
    bool percent = text.size > 0 && text.data[text.size - 1] == '%';
    if (percent && strcmp(unit, "share") != 0)
        return false;
    if (!number((struct xpd_str){text.data, text.size - percent}, value))
        return false;
    if (percent)
        *value /= 100;
    return strcmp(unit, "share") != 0 || *value <= 100;
}

int xpd_doctor_threshold_set(struct xpd_doctor_thresholds *out, struct xpd_str name,
                             struct xpd_str value, struct xpd_err *err)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!xpd_str_eq(name, xpd_str_of(table[i].name)))
            continue;
        if (parse(value, table[i].unit, member(out, i)))
            return XPD_OK;
        return xpd_fail(err, XPD_EINVAL, table[i].name, XPD_NO_OFFSET,
                        "%s takes a %s, not \"%.*s\"", table[i].name,
                        strcmp(table[i].unit, "bytes") == 0   ? "size such as 64MiB"
                        : strcmp(table[i].unit, "share") == 0 ? "share such as 25% or 0.25"
                        : strcmp(table[i].unit, "us") == 0    ? "number of microseconds"
                                                              : "number",
                        (int)(value.size < 40 ? value.size : 40), value.data);
    }
    return xpd_fail(err, XPD_EINVAL, "threshold", XPD_NO_OFFSET,
                    "unknown threshold \"%.*s\"; docs/CI.md lists them",
                    (int)(name.size < 40 ? name.size : 40), name.data);
}
