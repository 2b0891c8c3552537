/* See tf_op.h. */
#include "tf_op.h"

#include <strings.h>

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool xpd_ops_is_tf_name(struct xpd_str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool fits = is_upper(c) || is_lower(c) || is_digit(c) || c == '.' ||
                    (i > 0 && (c == '_' || c == '\\' || c == '/' || c == '>' || c == '-'));
        if (!fits)
            return false;
    }
    return name.size > 0;
}

bool xpd_ops_is_tf_type(struct xpd_str type)
{
    for (size_t i = 0; i < type.size; i++) {
        char c = type.data[i];
        if (!is_upper(c) && c != '_' && !(i > 0 && (is_lower(c) || is_digit(c))))
            return false;
    }
    return type.size > 0;
}

/* Lower case, digits and '_', then perhaps "[...]" at the end. */
static bool is_jax_type(struct xpd_str type)
{
    size_t i = 0;
    while (i < type.size &&
           (is_lower(type.data[i]) || type.data[i] == '_' || (i > 0 && is_digit(type.data[i]))))
        i++;
    if (i == 0)
        return false;
    return i == type.size || (type.data[i] == '[' && type.data[type.size - 1] == ']' &&
                              !memchr(type.data, '\n', type.size));
}

static struct xpd_str last_part(struct xpd_str text, char end)
{
    for (size_t i = text.size; i > 0; i--)
        if (text.data[i - 1] == end)
            return (struct xpd_str){text.data + i, text.size - i};
    return text;
}

bool xpd_ops_is_jax(struct xpd_str name, struct xpd_str type)
{
    return name.size > 0 && is_jax_type(type) &&
           xpd_str_find(last_part(name, '/'), type, false) != SIZE_MAX;
}

/* Of "a/b/MatMul_1" MatMul. */
static struct xpd_str derived_type(struct xpd_str name)
{
    struct xpd_str op = last_part(name, '/'), number = last_part(op, '_');
    int64_t value;
    if (number.size && xpd_str_to_i64(number, &value) && number.size < op.size)
        op.size -= number.size + 1;
    return op;
}

static struct xpd_ops_full_name without_type(struct xpd_str full)
{
    static const struct {
        const char *prefix, *type;
    } copies[] = {{"MEMCPYHToD", "MemcpyHToD"},
                  {"MEMCPYDToH", "MemcpyDToH"},
                  {"MEMCPYDToD", "MemcpyDToD"},
                  {"MEMCPYHToH", "MemcpyHToH"}};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (full.size >= 10 && strncasecmp(full.data, copies[i].prefix, 10) == 0)
            return (struct xpd_ops_full_name){full, xpd_str_of(copies[i].type), true};
    return (struct xpd_ops_full_name){full, XPD_STR(""), false};
}

struct xpd_ops_full_name xpd_ops_parse_full_name(struct xpd_str full)
{
    const char *colon = full.size ? memchr(full.data, ':', full.size) : NULL;
    if (!colon)
        return without_type(full);
    size_t at = (size_t)(colon - full.data);
    struct xpd_str name = {full.data, at}, type = {colon + 1, full.size - at - 1};
    if (xpd_str_eq(name, XPD_STR("Iterator")))
        return (struct xpd_ops_full_name){full, XPD_STR("Dataset"), true};
    if (xpd_ops_is_tf_name(name) && xpd_ops_is_tf_type(type))
        return (struct xpd_ops_full_name){name, type, true};
    struct xpd_str guess = type.size ? type : derived_type(name);
    if (is_jax_type(guess)) {
        const char *bracket = memchr(guess.data, '[', guess.size);
        if (bracket)
            guess.size = (size_t)(bracket - guess.data);
        return (struct xpd_ops_full_name){name, guess, true};
    }
    if (type.size == 0)
        return (struct xpd_ops_full_name){name, guess, true};
    return (struct xpd_ops_full_name){full, XPD_STR(""), false};
}
