/* What is wrong with an option, said with its name: shared by all commands. In: argv and what
 * getopt_long returned. Out: the error. */
#include "option_check.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64 };

/* The options that a help text names, one after the other: the next one at or behind `at`. */
static const char *next_option(const char *at, size_t *size)
{
    while ((at = strstr(at, "--")) != NULL) {
        *size = 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
        if (*size > 2)
            return at;
        at += 2;
    }
    return NULL;
}

/* Letters to change, add, leave out or swap with the next until one word is the other (at most
 * NAME_MAX_BYTES). */
static size_t distance(struct xpd_str a, struct xpd_str b)
{
    size_t row[3][NAME_MAX_BYTES + 1];
    for (size_t j = 0; j <= b.size; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= a.size; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b.size; j++) {
            size_t change = last[j - 1] + (a.data[i - 1] != b.data[j - 1]);
            size_t one = (last[j] < now[j - 1] ? last[j] : now[j - 1]) + 1;
            now[j] = change < one ? change : one;
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
                a.data[i - 2] == b.data[j - 1] && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
    }
    return row[a.size % 3][b.size];
}

bool xpd_cli_looks_like(struct xpd_str typed, struct xpd_str word)
{
    return typed.size <= NAME_MAX_BYTES && word.size <= NAME_MAX_BYTES && word.size > 2 &&
           distance(typed, word) <= (word.size > 5 ? 2 : 1);
}

/* "; --top is near" or nothing. */
static void nearest(char *out, size_t room, const char *help, struct xpd_str typed)
{
    size_t size;
    out[0] = '\0';
    for (const char *at = help; (at = next_option(at, &size)) != NULL; at += size)
        if (xpd_cli_looks_like((struct xpd_str){typed.data + 2, typed.size - 2},
                               (struct xpd_str){at + 2, size - 2})) {
            snprintf(out, room, ", %.*s is near;", (int)size, at);
            return;
        }
}

int xpd_cli_option_wrong(int got, char **argv, const char *help, struct xpd_err *err)
{
    const char *typed = argv[optind - 1];
    char letter[3] = {'-', (char)optopt, '\0'}, near[NAME_MAX_BYTES + 16] = "";
    if (strncmp(typed, "--", 2) != 0 && optopt > 0 && optopt < 256)
        typed = letter;
    const char *value = strchr(typed, '=');
    size_t whole = value ? (size_t)(value - typed) : strlen(typed);
    int size = (int)(whole < NAME_MAX_BYTES ? whole : NAME_MAX_BYTES);
    if (got == ':')
        return xpd_fail(err, XPD_EINVAL, typed, XPD_NO_OFFSET,
                        "%s needs a value; --help has an example", typed);
    if (value && optopt >= 256) /* one that stands alone */
        return xpd_fail(err, XPD_EINVAL, typed, XPD_NO_OFFSET, "%.*s takes no value", size, typed);
    if (help && size > 2)
        nearest(near, sizeof near, help, (struct xpd_str){typed, (size_t)size});
    return xpd_fail(err, XPD_EINVAL, "option", XPD_NO_OFFSET,
                    "unknown option: %.*s%s --help lists the options", size, typed,
                    near[0] ? near : ";");
}

static const char *instead_of(const char *name)
{
    if (strcmp(name, "--base-module") == 0)
        return "--base-module is for xprofd diff BEFORE AFTER and xprofd report --diff";
    if (strcmp(name, "--diff") == 0)
        return "--diff is for xprofd report; to compare in the terminal: xprofd diff BEFORE AFTER";
    if (strcmp(name, "--csv") == 0 || strcmp(name, "--md") == 0)
        return "it has no such format; --help lists its formats";
    return "--help lists its options";
}

int xpd_cli_options_belong(const char *help, int argc, char **argv, struct xpd_err *err)
{
    char name[NAME_MAX_BYTES];
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        size_t size = strcspn(argv[i], "=");
        if (strncmp(argv[i], "--", 2) != 0 || size >= sizeof name ||
            strncmp(argv[i], "--help", size) == 0 || strncmp(argv[i], "--json", size) == 0)
            continue;
        memcpy(name, argv[i], size);
        name[size] = '\0';
        if (!strstr(help, name))
            return xpd_fail(err, XPD_EINVAL, name, XPD_NO_OFFSET, "this command takes no %s; %s",
                            name, instead_of(name));
    }
    return XPD_OK;
}
