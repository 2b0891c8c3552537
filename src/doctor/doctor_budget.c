/* Reads budget files. In: text. Out: sections and limits, or the first mistake with line and
 * column. */
#include "xprofd/doctor/budget.h"

#include "doctor_lines.h"
#include "xprofd/doctor/doctor.h"

#include <math.h>
#include <stdlib.h>

#define LINES_MAX 10000

static struct xpd_str word(struct xpd_str text)
{
    size_t size = 0;
    while (size < text.size && !xpd_text_is_space(text.data[size]))
        size++;
    return (struct xpd_str){text.data, size};
}

/* Only digits and points are valid: strtod would accept more, strspn would read past the end. */
static bool is_decimal(struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((text.data[i] < '0' || text.data[i] > '9') && text.data[i] != '.')
            return false;
    return text.size > 0;
}

static bool percent(struct xpd_str text, double *share)
{
    char copy[32], *end;
    if (text.size < 2 || text.size >= sizeof copy || text.data[text.size - 1] != '%' ||
        !is_decimal((struct xpd_str){text.data, text.size - 1}))
        return false;
    memcpy(copy, text.data, text.size - 1);
    copy[text.size - 1] = '\0';
    *share = strtod(copy, &end) / 100;
    return *end == '\0' && isfinite(*share);
}

/* "190ms": a number with s, ms, us or ns; with `in_ms` also without, as the measure says it. Up to
 * a day. */
static bool time_of(struct xpd_str text, bool in_ms, int64_t *ps)
{
    static const struct {
        const char *unit;
        double ps;
    } units[] = {{"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"s", 1e12}, {"", 1e9}};
    char copy[32], *end;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t unit = strlen(units[i].unit);
        if ((unit == 0 && !in_ms) || text.size <= unit || text.size >= sizeof copy ||
            !xpd_str_ends(text, units[i].unit) ||
            !is_decimal((struct xpd_str){text.data, text.size - unit}))
            continue;
        memcpy(copy, text.data, text.size - unit);
        copy[text.size - unit] = '\0';
        double value = strtod(copy, &end) * units[i].ps;
        if (*end != '\0' || !(value <= 86400e12))
            return false;
        *ps = (int64_t)(value + 0.5);
        return true;
    }
    return false;
}

/* "190ms" or "190ms +-5%"; the value ends before the band. */
static bool time_and_band(struct xpd_limit *limit)
{
    struct xpd_str first = word(limit->value);
    struct xpd_str rest = xpd_text_trim(
        (struct xpd_str){limit->value.data + first.size, limit->value.size - first.size});
    if (rest.size > 0 && (!xpd_str_starts(rest, "+-") ||
                          !percent((struct xpd_str){rest.data + 2, rest.size - 2}, &limit->band)))
        return false;
    limit->value = first;
    return time_of(first, xpd_str_ends(limit->name, "_ms"), &limit->time_ps);
}

static bool quantile_of(struct xpd_str name, double *quantile)
{
    *quantile = xpd_str_eq(name, XPD_STR("p50"))   ? 0.5
                : xpd_str_eq(name, XPD_STR("p90")) ? 0.9
                : xpd_str_eq(name, XPD_STR("max")) ? 1
                                                   : 0;
    return *quantile > 0;
}

/* "peak_bytes.HBM" is a measure and its space; XPD_MEASURE_COUNT: not a measure. */
static enum xpd_measure measure_of(struct xpd_limit *limit)
{
    static const struct {
        const char *name;
        enum xpd_measure measure;
        bool has_space;
    } known[] = {{"peak_bytes", XPD_MEASURE_PEAK, true},
                 {"reserved_bytes", XPD_MEASURE_RESERVED, true},
                 {"heap_bytes", XPD_MEASURE_TEMP, true},
                 {"temp_bytes", XPD_MEASURE_TEMP, true}, /* its name before */
                 {"argument_bytes", XPD_MEASURE_ARGUMENT, true},
                 {"growth", XPD_MEASURE_GROWTH, true},
                 {"padding_share", XPD_MEASURE_PADDING, false},
                 {"step_ms", XPD_MEASURE_STEP_TIME, false},
                 {"exposed_comm", XPD_MEASURE_EXPOSED_COMM, false},
                 {"exposed_ms", XPD_MEASURE_EXPOSED_TIME, false},
                 {"idle_share", XPD_MEASURE_IDLE, false},
                 {"measured_peak", XPD_MEASURE_MEASURED_PEAK, false},
                 {"growth_per_step", XPD_MEASURE_GROWTH_PER_STEP, false},
                 {"fragmentation", XPD_MEASURE_FRAGMENTATION, false}};
    const char *dot = memchr(limit->name.data, '.', limit->name.size);
    size_t size = dot ? (size_t)(dot - limit->name.data) : limit->name.size;
    struct xpd_str base = {limit->name.data, size};
    struct xpd_str rest = {limit->name.data + size + (dot != NULL),
                           limit->name.size - size - (dot != NULL)};
    if (xpd_str_eq(base, XPD_STR("doctor"))) {
        limit->rule = rest;
        return !dot                                              ? XPD_MEASURE_DOCTOR
               : xpd_doctor_is_rule(rest) && rest.data[0] == 'D' ? XPD_MEASURE_DOCTOR_RULE
                                                                 : XPD_MEASURE_COUNT;
    }
    if (xpd_str_eq(base, XPD_STR("step_time")))
        return quantile_of(rest, &limit->quantile) ? XPD_MEASURE_STEP_TIME : XPD_MEASURE_COUNT;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (xpd_str_eq(base, xpd_str_of(known[i].name)) &&
            (known[i].has_space ? !dot || rest.size > 0 : !dot)) {
            limit->space = rest;
            limit->quantile = 0.5; /* of step_ms */
            return known[i].measure;
        }
    return XPD_MEASURE_COUNT;
}

static int read_no(struct xpd_limit *limit, const struct xpd_text_line *at, struct xpd_str rest,
                   struct xpd_err *err)
{
    static const char *const severity[] = {"error", "warn", "info"};
    if (xpd_str_eq(word(rest), XPD_STR("no"))) {
        struct xpd_str what = xpd_text_trim((struct xpd_str){rest.data + 2, rest.size - 2});
        for (int i = 0; i < 3; i++)
            if (xpd_str_eq(what, xpd_str_of(severity[i]))) {
                limit->severity = i;
                return XPD_OK;
            }
    }
    return xpd_text_line_fail(at, rest.data, err, "doctor takes: no error, no warn or no info");
}

static int read_limit(struct xpd_limit *limit, const struct xpd_text_line *at, struct xpd_str line,
                      struct xpd_err *err)
{
    struct xpd_str name = word(line);
    const char *less = memchr(name.data, '<', name.size);
    if (less)
        name.size = (size_t)(less - name.data);
    *limit = (struct xpd_limit){.name = name, .line = at->number};
    limit->measure = measure_of(limit);
    if (limit->measure == XPD_MEASURE_COUNT)
        return xpd_text_line_fail(
            at, line.data, err,
            "measures are peak_bytes, reserved_bytes, heap_bytes, argument_bytes, growth "
            "(each with .SPACE), padding_share, fragmentation, doctor, doctor.D01 to D30, "
            "step_ms, step_time.p50, .p90 and .max, exposed_comm, exposed_ms, idle_share, "
            "measured_peak, growth_per_step");
    struct xpd_str rest =
        xpd_text_trim((struct xpd_str){line.data + limit->name.size, line.size - limit->name.size});
    limit->text = rest;
    if (limit->measure == XPD_MEASURE_DOCTOR)
        return read_no(limit, at, rest, err);
    if (!xpd_str_starts(rest, "<="))
        return xpd_text_line_fail(at, rest.data, err, "write a limit as: <= VALUE");
    limit->value = xpd_text_trim((struct xpd_str){rest.data + 2, rest.size - 2});
    if (xpd_measure_is_time(limit->measure))
        return time_and_band(limit)
                   ? XPD_OK
                   : xpd_text_line_fail(at, limit->value.data, err,
                                        "this measure takes a time, such as 190ms or 190ms +-5%");
    if (xpd_measure_is_share(limit->measure) ? percent(limit->value, &limit->share)
                                             : xpd_str_to_bytes(limit->value, &limit->bytes))
        return XPD_OK;
    return xpd_text_line_fail(at, limit->value.data, err,
                              xpd_measure_is_share(limit->measure)
                                  ? "this measure takes a percentage, such as 2%"
                                  : "this measure takes a size, such as 14.5GiB");
}

static int read_section(struct xpd_budget *out, const struct xpd_text_line *at, struct xpd_str line,
                        struct xpd_err *err)
{
    struct xpd_str name = xpd_text_trim((struct xpd_str){line.data + 1, line.size - 1});
    if (name.size < 2 || name.data[name.size - 1] != ']')
        return xpd_text_line_fail(at, line.data, err, "write a section as: [module name]");
    name.size--;
    out->section[out->section_count++] = (struct xpd_budget_section){
        .pattern = xpd_text_trim(name), .line = at->number, .first = out->limit_count};
    return XPD_OK;
}

static int read_line(struct xpd_budget *out, const struct xpd_text_line *at, struct xpd_str line,
                     struct xpd_err *err)
{
    if (line.data[0] == '[')
        return read_section(out, at, line, err);
    if (out->section_count == 0)
        return xpd_text_line_fail(at, line.data, err, "a limit must be under a [module name]");
    int rc = read_limit(&out->limit[out->limit_count], at, line, err);
    if (rc != XPD_OK)
        return rc;
    out->limit_count++;
    out->section[out->section_count - 1].count++;
    return XPD_OK;
}

int xpd_budget_read(struct xpd_budget *out, struct xpd_str text, const char *file,
                    struct xpd_arena *arena, struct xpd_err *err)
{
    size_t lines = 1;
    for (size_t i = 0; i < text.size; i++)
        lines += text.data[i] == '\n';
    *out = (struct xpd_budget){0};
    if (lines > LINES_MAX)
        return xpd_fail(err, XPD_ELIMIT, file, XPD_NO_OFFSET, "a budget has at most %d lines",
                        LINES_MAX);
    out->section = XPD_NEW_ARRAY(arena, struct xpd_budget_section, lines);
    out->limit = XPD_NEW_ARRAY(arena, struct xpd_limit, lines);
    if (!out->section || !out->limit)
        return xpd_no_memory(err, file, "for this budget");
    struct xpd_text_line line = {.file = file};
    while (text.size > 0) {
        xpd_text_line_next(&line, &text);
        int rc = line.text.size > 0 ? read_line(out, &line, line.text, err) : XPD_OK;
        if (rc != XPD_OK)
            return rc;
    }
    return out->limit_count > 0
               ? XPD_OK
               : xpd_fail(err, XPD_EINVAL, file, XPD_NO_OFFSET, "this budget has no limits");
}
