/* Answers on a terminal: what a line's first word says is coloured. In: text of an answer. Out: the
 * same text; without a terminal, with NO_COLOR (no-color.org) or TERM=dumb byte for byte. */
#include "profile_args.h"

#include <stdlib.h>
#include <unistd.h>

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
