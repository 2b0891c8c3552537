/* The file of thresholds and silences. In: its text. Out: a configuration, or the first mistake
 * with line and column. */
#include "xprofd/doctor/doctor.h"

#include <inttypes.h>
#include <stdio.h>

#define SILENCES_MAX 1000

struct line {
    struct xpd_str text; /* what is left of it */
    const char *start;
    uint32_t number;
    const char *file;
};

static int fail_at(const struct line *line, const char *at, struct xpd_err *err, const char *what)
{
    char where[160];
    snprintf(where, sizeof where, "%.100s:%" PRIu32 ":%zu", line->file, line->number,
             (size_t)(at - line->start) + 1);
    return xpd_fail(err, XPD_EINVAL, where, XPD_NO_OFFSET, "%s", what);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct xpd_str trim(struct xpd_str text)
{
    while (text.size > 0 && is_space(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && is_space(text.data[text.size - 1]))
        text.size--;
    return text;
}

static bool is_known_id(struct xpd_str id)
{
    uint32_t count;
    const struct xpd_doctor_rule *rule = xpd_doctor_rules(&count);
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(id, xpd_str_of(rule[i].id)))
            return true;
    return false;
}

/* "D08 glob: reason" or "D12 reason". */
static int silence(struct xpd_doctor_config *out, const struct line *line, struct xpd_str rest,
                   struct xpd_err *err)
{
    size_t id = 0;
    while (id < rest.size && !is_space(rest.data[id]) && rest.data[id] != ':')
        id++;
    if (!is_known_id((struct xpd_str){rest.data, id}))
        return fail_at(line, rest.data, err, "a silence begins with the id of a rule, D01 to D30");
    const char *colon = memchr(rest.data, ':', rest.size);
    size_t end = colon ? (size_t)(colon - rest.data) : id;
    struct xpd_str reason = trim(
        (struct xpd_str){rest.data + end + (colon != NULL), rest.size - end - (colon != NULL)});
    if (reason.size == 0)
        return fail_at(line, rest.data + rest.size, err,
                       "a silence needs a reason: silence D08 block/*: saved on purpose");
    if (out->silence_count == SILENCES_MAX)
        return fail_at(line, rest.data, err, "at most 1000 silences");
    out->silence[out->silence_count++] =
        (struct xpd_doctor_silence){trim((struct xpd_str){rest.data, end}), reason};
    return XPD_OK;
}

static int setting(struct xpd_doctor_config *out, const struct line *line, struct xpd_str text,
                   struct xpd_err *err)
{
    const char *equal = memchr(text.data, '=', text.size);
    struct xpd_err inner = {0};
    if (!equal)
        return fail_at(line, text.data, err, "a line is `name = value` or `silence D12 reason`");
    size_t at = (size_t)(equal - text.data);
    struct xpd_str name = trim((struct xpd_str){text.data, at});
    struct xpd_str value = trim((struct xpd_str){equal + 1, text.size - at - 1});
    if (xpd_doctor_threshold_set(&out->thresholds, name, value, &inner) == XPD_OK)
        return XPD_OK;
    bool unknown = strcmp(inner.where, "threshold") == 0;
    return fail_at(line, unknown || value.size == 0 ? text.data : value.data, err, inner.text);
}

int xpd_doctor_config_more(struct xpd_doctor_config *out, struct xpd_str text, const char *file,
                           struct xpd_err *err)
{
    uint32_t number = 0;
    for (size_t at = 0; at < text.size;) {
        const char *start = text.data + at, *end = memchr(start, '\n', text.size - at);
        size_t size = end ? (size_t)(end - start) : text.size - at;
        struct line line = {.start = start, .number = ++number, .file = file};
        const char *comment = memchr(start, '#', size);
        line.text = trim((struct xpd_str){start, comment ? (size_t)(comment - start) : size});
        at += size + 1;
        if (line.text.size == 0)
            continue;
        int rc = xpd_str_starts(line.text, "silence ")
                     ? silence(out, &line,
                               trim((struct xpd_str){line.text.data + 8, line.text.size - 8}), err)
                     : setting(out, &line, line.text, err);
        if (rc != XPD_OK)
            return rc;
    }
    return XPD_OK;
}

int xpd_doctor_config_read(struct xpd_doctor_config *out, struct xpd_str text, const char *file,
                           struct xpd_arena *arena, struct xpd_err *err)
{
    *out = (struct xpd_doctor_config){
        .silence = XPD_NEW_ARRAY(arena, struct xpd_doctor_silence, SILENCES_MAX)};
    xpd_doctor_thresholds_init(&out->thresholds);
    if (!out->silence)
        return xpd_fail(err, XPD_ENOMEM, file, XPD_NO_OFFSET, "no memory for this file");
    return xpd_doctor_config_more(out, text, file, err);
}
