/* Parameters of a query against a tool's specification. In: decoded name=value pairs. Out: XPD_OK,
 * or XPD_EINVAL with the parameter in `where` and what it may be in the text. */
#include "xprofd/profile/chips.h"
#include "xprofd/tools/tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX                                                                                   \
    16384            /* bytes of any value; the server has a limit of its own for the whole line */
#define SHOWN_MAX 60 /* bytes of a wrong value that are repeated in the message */

/* Names every tool understands; text ones need no check here. */
static const struct xpd_param_spec common[] = {
    {.name = "space", .type = XPD_PARAM_INT, .min = INT64_MIN, .max = INT64_MAX},
    {.name = "hbm", .type = XPD_PARAM_SIZE, .min = 1, .max = INT64_MAX},
    {.name = NULL},
};

static const struct xpd_param *find(const struct xpd_param *param, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(param[i].name, xpd_str_of(name)))
            return &param[i];
    return NULL;
}

static int wrong(const struct xpd_param_spec *spec, struct xpd_str value, struct xpd_err *err,
                 const char *what)
{
    int shown = (int)(value.size < SHOWN_MAX ? value.size : SHOWN_MAX);
    return xpd_fail(err, XPD_EINVAL, spec->name, XPD_NO_OFFSET, "%s is %s, not \"%.*s\"%s",
                    spec->name, what, shown, value.data, value.size > SHOWN_MAX ? "..." : "");
}

static int check_int(const struct xpd_param_spec *spec, struct xpd_str value, struct xpd_err *err)
{
    int64_t number;
    if (xpd_str_to_i64(value, &number) && number >= spec->min && number <= spec->max)
        return XPD_OK;
    char what[96];
    if (spec->max == INT64_MAX)
        snprintf(what, sizeof what, "a whole number from %" PRId64, spec->min);
    else
        snprintf(what, sizeof what, "a whole number from %" PRId64 " to %" PRId64, spec->min,
                 spec->max);
    return wrong(spec, value, err, spec->min == INT64_MIN ? "a whole number" : what);
}

static int check_size(const struct xpd_param_spec *spec, struct xpd_str value, struct xpd_err *err)
{
    int64_t bytes;
    if (xpd_str_to_bytes(value, &bytes) && bytes >= spec->min && bytes <= spec->max)
        return XPD_OK;
    char what[96];
    snprintf(what, sizeof what,
             "a number of bytes from %" PRId64 ", or one with a unit, such as 16GiB", spec->min);
    return wrong(spec, value, err, what);
}

static int check_double(const struct xpd_param_spec *spec, struct xpd_str value,
                        struct xpd_err *err)
{
    char copy[64];
    if (value.size > 0 && value.size < sizeof copy) {
        memcpy(copy, value.data, value.size);
        copy[value.size] = '\0';
        char *end;
        double number = strtod(copy, &end);
        if (end == copy + value.size && isfinite(number) &&
            (spec->min <= 0 || number >= (double)spec->min))
            return XPD_OK;
    }
    char what[64];
    snprintf(what, sizeof what, "a number, %" PRId64 " or more", spec->min);
    return wrong(spec, value, err, spec->min > 0 ? what : "a number");
}

int xpd_word_index(const char *words, struct xpd_str value)
{
    for (int index = 0; *words; index++) {
        size_t size = strcspn(words, " ");
        if (value.size == size && memcmp(words, value.data, size) == 0)
            return index;
        words += size;
        words += strspn(words, " ");
    }
    return -1;
}

static int check_enum(const struct xpd_param_spec *spec, struct xpd_str value, struct xpd_err *err)
{
    if (value.size > 0 && xpd_word_index(spec->words, value) >= 0)
        return XPD_OK;
    char what[256];
    snprintf(what, sizeof what, "one of: %s", spec->words);
    return wrong(spec, value, err, what);
}

static int check_chip(const struct xpd_param_spec *spec, struct xpd_str value, struct xpd_err *err)
{
    if (value.size == 0 || xpd_peaks_find(value))
        return XPD_OK;
    char names[360], what[368];
    xpd_peaks_names(names, sizeof names, value);
    snprintf(what, sizeof what, "one of %s", names);
    return wrong(spec, value, err, what);
}

static int check_refused(const struct xpd_param_spec *spec, struct xpd_str value,
                         struct xpd_err *err)
{
    if (value.size == 0)
        return XPD_OK;
    return xpd_fail(err, XPD_EINVAL, spec->name, XPD_NO_OFFSET, "%s= is not offered: %s",
                    spec->name, spec->help);
}

static int check_one(const struct xpd_param_spec *spec, const struct xpd_param *param,
                     struct xpd_err *err)
{
    if (!param) {
        if (!spec->required)
            return XPD_OK;
        return xpd_fail(err, XPD_EINVAL, spec->name, XPD_NO_OFFSET, "%s= is missing", spec->name);
    }
    if (param->value.size > TEXT_MAX)
        return xpd_fail(err, XPD_EINVAL, spec->name, XPD_NO_OFFSET, "%s is longer than %d bytes",
                        spec->name, TEXT_MAX);
    switch (spec->type) {
    case XPD_PARAM_INT: return check_int(spec, param->value, err);
    case XPD_PARAM_SIZE: return check_size(spec, param->value, err);
    case XPD_PARAM_DOUBLE: return check_double(spec, param->value, err);
    case XPD_PARAM_ENUM: return check_enum(spec, param->value, err);
    case XPD_PARAM_CHIP: return check_chip(spec, param->value, err);
    case XPD_PARAM_REFUSED: return check_refused(spec, param->value, err);
    case XPD_PARAM_TEXT: break;
    }
    if (spec->max > 0 && param->value.size > (uint64_t)spec->max)
        return xpd_fail(err, XPD_EINVAL, spec->name, XPD_NO_OFFSET,
                        "%s is longer than %" PRId64 " bytes", spec->name, spec->max);
    return XPD_OK;
}

static int check_list(const struct xpd_param_spec *spec, const struct xpd_param *param,
                      uint32_t count, struct xpd_err *err)
{
    for (; spec && spec->name; spec++) {
        int rc = check_one(spec, find(param, count, spec->name), err);
        if (rc != XPD_OK)
            return rc;
    }
    return XPD_OK;
}

int xpd_params_check(const struct xpd_tool *tool, const struct xpd_param *param, uint32_t count,
                     struct xpd_err *err)
{
    int rc = check_list(common, param, count, err);
    return rc == XPD_OK ? check_list(tool->params, param, count, err) : rc;
}

bool xpd_param_has(const struct xpd_tool_ctx *ctx, const char *name)
{
    return find(ctx->param, ctx->param_count, name) != NULL;
}

struct xpd_str xpd_param_text(const struct xpd_tool_ctx *ctx, const char *name)
{
    const struct xpd_param *param = find(ctx->param, ctx->param_count, name);
    return param ? param->value : XPD_STR("");
}

int xpd_param_word(const struct xpd_tool_ctx *ctx, const struct xpd_tool *tool, const char *name)
{
    const struct xpd_param *param = find(ctx->param, ctx->param_count, name);
    for (const struct xpd_param_spec *spec = tool->params; param && spec && spec->name; spec++)
        if (strcmp(spec->name, name) == 0)
            return xpd_word_index(spec->words, param->value);
    return -1;
}

int64_t xpd_param_int(const struct xpd_tool_ctx *ctx, const struct xpd_tool *tool, const char *name)
{
    int64_t value;
    const struct xpd_param *param = find(ctx->param, ctx->param_count, name);
    if (param && xpd_str_to_i64(param->value, &value))
        return value;
    for (const struct xpd_param_spec *spec = tool->params; spec && spec->name; spec++)
        if (strcmp(spec->name, name) == 0)
            return spec->type == XPD_PARAM_SIZE && param && xpd_str_to_bytes(param->value, &value)
                       ? value
                       : spec->fallback;
    return 0;
}
