/* Text from a file or an argument on its way to a terminal, which would obey control characters. */
#include "profile_args.h"
#include "xprofd/cli/command.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Length of the UTF-8 sequence at the front, 0 when it is none: broken, overlong, a surrogate, or
 * above U+10FFFF. */
static size_t sequence(const unsigned char *at, size_t left)
{
    size_t size = at[0] < 0x80                    ? 1
                  : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                  : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                  : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                  : 0;
    if (size > left)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if (size == 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f)))
        return 0;
    if (size == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)))
        return 0;
    return size;
}

/* C0, DEL and C1 (U+0080 to U+009F). */
static bool is_control(const unsigned char *at, size_t size)
{
    return (size == 1 && (at[0] < 0x20 || at[0] == 0x7f)) ||
           (size == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

size_t xpd_cli_put(FILE *out, struct xpd_str text, size_t limit)
{
    const unsigned char *at = (const unsigned char *)text.data;
    size_t written = 0;
    for (size_t i = 0; i < text.size && written < limit; written++) {
        size_t size = sequence(at + i, text.size - i);
        if (size == 0 || is_control(at + i, size))
            fputc('?', out);
        else
            fwrite(at + i, 1, size, out);
        i += size ? size : 1;
    }
    return written;
}

/* Answers on a terminal: the first word of a line sets its colour. In: text of an answer. Out: the
 * same text; without a terminal, with NO_COLOR (no-color.org) or TERM=dumb byte for byte. */

#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define PLAIN  "\033[0m"

/* Words that begin a line; a space behind them belongs to it, so that a name does not match. */
static const struct {
    const char *word, *colour;
} words[] = {
    {"error ", RED},      {"warn ", YELLOW},
    {"BROKEN ", RED},     {"UNCHECKED ", YELLOW},
    {"ok ", GREEN},       {"new  ", RED},
    {"new ", RED},        {"gone ", GREEN},
    {"warning ", YELLOW}, {"not checked: ", YELLOW},
};

static bool is_terminal(FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(out)) && !(no_color && no_color[0]) && term && strcmp(term, "dumb") != 0;
}

/* "+512.0 MiB" and "-512.0 MiB" at the front of a row of differences. */
static size_t number_of(struct xpd_str line, size_t from)
{
    size_t end = from + 1;
    if (from == 0 || end >= line.size || (line.data[from] != '+' && line.data[from] != '-') ||
        line.data[end] < '0' || line.data[end] > '9')
        return 0;
    while (end < line.size &&
           !(line.data[end] == ' ' && end + 1 < line.size && line.data[end + 1] == ' '))
        end++;
    return end - from;
}

/* The part of a line that is coloured; NULL = none. */
static const char *colour_of(struct xpd_str line, size_t *from, size_t *size)
{
    size_t at = 0;
    while (at < line.size && line.data[at] == ' ')
        at++;
    struct xpd_str rest = {line.data + at, line.size - at};
    *from = at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (xpd_str_starts(rest, words[i].word)) {
            *size = strlen(words[i].word);
            return words[i].colour;
        }
    *size = number_of(line, at);
    return *size == 0 ? NULL : line.data[at] == '+' ? RED : GREEN;
}

static void put_line(FILE *out, struct xpd_str line, bool coloured)
{
    size_t from = 0, size = 0;
    const char *colour = coloured ? colour_of(line, &from, &size) : NULL;
    if (colour) {
        xpd_cli_put(out, (struct xpd_str){line.data, from}, SIZE_MAX);
        fputs(colour, out);
        xpd_cli_put(out, (struct xpd_str){line.data + from, size}, SIZE_MAX);
        fputs(PLAIN, out);
    }
    size_t done = colour ? from + size : 0;
    xpd_cli_put(out, (struct xpd_str){line.data + done, line.size - done}, SIZE_MAX);
    fputc('\n', out);
}

void xpd_cli_put_lines(FILE *out, struct xpd_str text)
{
    bool coloured = is_terminal(out);
    while (text.size > 0) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size;
        put_line(out, (struct xpd_str){text.data, size}, coloured);
        size += end != NULL;
        text.data += size;
        text.size -= size;
    }
}

/* Values of command-line words: sizes and numbers, and the error for an invalid one.
 */

bool xpd_cli_size(const char *text, int64_t *bytes)
{
    return xpd_str_to_bytes(xpd_str_of(text), bytes);
}

bool xpd_cli_number(const char *text, int64_t min, int64_t max, int64_t *value)
{
    return xpd_str_to_i64(xpd_str_of(text), value) && *value >= min && *value <= max;
}

int xpd_cli_usage(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("xprofd: ", stderr);
    vfprintf(stderr, fmt, args);
    fputs("\nxprofd: see xprofd --help\n", stderr);
    va_end(args);
    return XPD_EXIT_USAGE;
}
