/* The file of thresholds and silences. In: its text. Out: a configuration, or the first mistake
 * with line and column. */
#include "xprofd/doctor/doctor.h"

#include "doctor_lines.h"

#define SILENCES_MAX 1000

/* Where the pattern ends: a colon before a space, so that "train.py:41" can be one, else the first.
 */
static const char *pattern_end(struct xpd_str rest)
{
    size_t at = xpd_str_find(rest, XPD_STR(": "), false);
    return at != SIZE_MAX ? rest.data + at : memchr(rest.data, ':', rest.size);
}

/* "D08 glob: reason" or "D12 reason". */
static int silence(struct xpd_doctor_config *out, const struct xpd_text_line *line,
                   struct xpd_str rest, struct xpd_err *err)
{
    size_t id = 0;
    while (id < rest.size && !xpd_text_is_space(rest.data[id]) && rest.data[id] != ':')
        id++;
    if (!xpd_doctor_is_rule((struct xpd_str){rest.data, id}))
        return xpd_text_line_fail(line, rest.data, err,
                                  "`silence` needs the id of a rule, such as D01 or T01");
    const char *colon = pattern_end(rest);
    size_t end = colon ? (size_t)(colon - rest.data) : id;
    struct xpd_str reason = xpd_text_trim(
        (struct xpd_str){rest.data + end + (colon != NULL), rest.size - end - (colon != NULL)});
    if (reason.size == 0)
        return xpd_text_line_fail(
            line, rest.data + rest.size, err,
            "`silence` needs a reason: silence D08 block/*: saved on purpose");
    if (out->silence_count == SILENCES_MAX)
        return xpd_text_line_fail(line, rest.data, err, "at most 1000 `silence` lines");
    out->silence[out->silence_count++] =
        (struct xpd_doctor_silence){xpd_text_trim((struct xpd_str){rest.data, end}), reason};
    return XPD_OK;
}

static int setting(struct xpd_doctor_config *out, const struct xpd_text_line *line,
                   struct xpd_str text, struct xpd_err *err)
{
    const char *equal = memchr(text.data, '=', text.size);
    struct xpd_err inner = {0};
    if (!equal)
        return xpd_text_line_fail(line, text.data, err,
                                  "a line is `name = value` or `silence D12 reason`");
    size_t at = (size_t)(equal - text.data);
    struct xpd_str name = xpd_text_trim((struct xpd_str){text.data, at});
    struct xpd_str value = xpd_text_trim((struct xpd_str){equal + 1, text.size - at - 1});
    if (xpd_doctor_threshold_set(&out->thresholds, name, value, &inner) == XPD_OK)
        return XPD_OK;
    bool unknown = strcmp(inner.where, "threshold") == 0;
    return xpd_text_line_fail(line, unknown || value.size == 0 ? text.data : value.data, err,
                              inner.text);
}

int xpd_doctor_config_more(struct xpd_doctor_config *out, struct xpd_str text, const char *file,
                           struct xpd_err *err)
{
    struct xpd_text_line line = {.file = file};
    while (text.size > 0) {
        xpd_text_line_next(&line, &text);
        if (line.text.size == 0)
            continue;
        int rc =
            xpd_str_starts(line.text, "silence ")
                ? silence(out, &line,
                          xpd_text_trim((struct xpd_str){line.text.data + 8, line.text.size - 8}),
                          err)
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
        return xpd_no_memory(err, file, "for this file");
    return xpd_doctor_config_more(out, text, file, err);
}
