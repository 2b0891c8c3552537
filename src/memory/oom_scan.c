/* Sizes and words in error texts.
 *
 * In: a text and a position. Out: values with the place they stand at. Nothing is copied. A size is
 * exact when it is printed in bytes; else its slack is half a unit of its last digit. */
#include "oom_scan.h"

#include <math.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '-';
}

/* Letters after the number; returns the factor and moves *at behind them. */
static double unit_at(struct xpd_str text, size_t *at)
{
    static const char letters[] = "KMGTP";
    double factor = 1;
    size_t i = *at;
    char c = i < text.size ? text.data[i] : '\0';
    for (size_t k = 0; letters[k] != '\0'; k++)
        if (c == letters[k] || (c == letters[k] + 32 && c != 'm' && c != 'p')) {
            factor = ldexp(1, 10 * (int)(k + 1));
            i++;
        }
    if (factor > 1 && i < text.size && text.data[i] == 'i')
        i++;
    if (i < text.size && text.data[i] == 'B')
        i++;
    if (i < text.size && (is_digit(text.data[i]) ||
                          (is_word(text.data[i]) && text.data[i] != '.' && text.data[i] != '-')))
        return 1; /* "10 Kernels": letters of a word */
    *at = i;
    return factor;
}

bool xpd_oom_size_at(struct xpd_str text, size_t at, struct xpd_oom_size *out)
{
    while (at < text.size && (text.data[at] == ' ' || text.data[at] == '('))
        at++;
    size_t i = at, digits = 0;
    double value = 0, last = 1;
    for (; i < text.size && (is_digit(text.data[i]) || (text.data[i] == ',' && i + 1 < text.size &&
                                                        is_digit(text.data[i + 1])));
         i++)
        if (text.data[i] != ',') {
            value = value * 10 + (text.data[i] - '0');
            digits++;
        }
    if (digits == 0 || digits > 19)
        return false;
    int64_t whole = value < 9e18 ? 0 : INT64_MAX;
    for (size_t k = at; whole != INT64_MAX && k < i; k++)
        if (text.data[k] != ',')
            whole = whole * 10 + (text.data[k] - '0');
    if (i + 1 < text.size && text.data[i] == '.' && is_digit(text.data[i + 1])) {
        for (i++; i < text.size && is_digit(text.data[i]); i++) {
            last /= 10;
            value += last * (text.data[i] - '0');
        }
    }
    if (i < text.size && text.data[i] == ' ' && i + 1 < text.size) {
        size_t behind = i + 1; /* "1.5 GiB", but not "5 of" */
        double factor = unit_at(text, &behind);
        if (factor > 1 && behind > i + 2)
            i++;
    }
    double factor = unit_at(text, &i);
    bool exact = factor == 1 && last == 1;
    double bytes = value * factor;
    *out = (struct xpd_oom_size){.bytes = exact             ? whole
                                          : bytes >= 9.2e18 ? INT64_MAX
                                                            : (int64_t)llround(bytes),
                                 .slack_bytes =
                                     exact ? 0 : (int64_t)ceil(fmin(last * factor / 2, 9e18)),
                                 .at = at,
                                 .end = i};
    return true;
}

size_t xpd_oom_after(struct xpd_str text, size_t from, const char *words)
{
    if (from > text.size)
        return SIZE_MAX;
    struct xpd_str rest = {text.data + from, text.size - from};
    size_t at = xpd_str_find(rest, xpd_str_of(words), true);
    return at == SIZE_MAX ? SIZE_MAX : from + at + strlen(words);
}

void xpd_oom_mark(struct xpd_oom_scan *s, size_t at, size_t size, const char *what)
{
    struct xpd_oom_part part = {.offset = (uint32_t)at, .size = (uint32_t)size, .what = what};
    if (size > 0 && s->part.count < 4096)
        XPD_PUSH(&s->part, part);
}

bool xpd_oom_size_after(struct xpd_oom_scan *s, size_t from, const char *words, const char *what,
                        struct xpd_oom_size *out)
{
    size_t at = xpd_oom_after(s->text, from, words);
    if (at == SIZE_MAX || !xpd_oom_size_at(s->text, at, out))
        return false;
    xpd_oom_mark(s, out->at, out->end - out->at, what);
    return true;
}

struct xpd_str xpd_oom_word_at(struct xpd_str text, size_t at)
{
    size_t end = at;
    while (end < text.size && is_word(text.data[end]))
        end++;
    while (end > at && (text.data[end - 1] == '.' || text.data[end - 1] == '-'))
        end--;
    return (struct xpd_str){text.data + (at < text.size ? at : text.size), end - at};
}

struct xpd_str xpd_oom_until(struct xpd_str text, size_t at, char stop)
{
    size_t end = at;
    while (end < text.size && text.data[end] != stop && text.data[end] != '\n')
        end++;
    return (struct xpd_str){text.data + (at < text.size ? at : text.size), end - at};
}
