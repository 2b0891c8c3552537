/* Options of a command. In: argv, the table of its options. Out: its arguments, or an error that
 * names the option. */
#include "options.h"

#include "xprofd/cli/command.h"
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64, OPTIONS_MAX = 64, GOT_HELP = 256, GOT_FIRST };

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

/* "; did you mean --top?" or nothing. */
static void nearest(char *out, size_t room, const char *help, struct xpd_str typed)
{
    size_t size;
    out[0] = '\0';
    for (const char *at = help; (at = next_option(at, &size)) != NULL; at += size)
        if (xpd_cli_looks_like((struct xpd_str){typed.data + 2, typed.size - 2},
                               (struct xpd_str){at + 2, size - 2})) {
            snprintf(out, room, "; did you mean %.*s?", (int)size, at);
            return;
        }
}

/* getopt_long, with ':' first in its letters, returned `got`, which is ':' or '?'. */
static int option_wrong(int got, char **argv, const char *help, struct xpd_err *err)
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
    if (value && optopt >= 256) /* one without a value */
        return xpd_fail(err, XPD_EINVAL, typed, XPD_NO_OFFSET, "%.*s takes no value", size, typed);
    if (help && size > 2)
        nearest(near, sizeof near, help, (struct xpd_str){typed, (size_t)size});
    return xpd_fail(err, XPD_EINVAL, "option", XPD_NO_OFFSET,
                    "unknown option: %.*s%s --help lists the options", size, typed,
                    near[0] ? near : ";");
}

/* One kind of answer; two conflict. */
static int take_form(struct xpd_profile_args *args, const struct xpd_option *options,
                     enum xpd_output form, struct xpd_err *err)
{
    bool md = false;
    for (; options->name; options++)
        md = md || strcmp(options->name, "--md") == 0;
    if (args->has_output && args->output != form)
        return xpd_fail(err, XPD_EINVAL, "option", XPD_NO_OFFSET,
                        "%s are different formats: choose one",
                        md ? "--json, --csv and --md" : "--json and --csv");
    args->has_output = true;
    args->output = form;
    return XPD_OK;
}

static int take(void *args, const struct xpd_option *options, const struct xpd_option *option,
                const char *text, struct xpd_err *err)
{
    void *at = (char *)args + option->at;
    const char *name = option->name;
    switch (option->kind) {
    case XPD_OPTION_FLAG: *(bool *)at = true; return XPD_OK;
    case XPD_OPTION_TEXT: *(const char **)at = text; return XPD_OK;
    case XPD_OPTION_FORM: return take_form(args, options, option->form, err);
    case XPD_OPTION_OTHER: return option->take(args, option, text, err);
    case XPD_OPTION_NUMBER:
        if (xpd_cli_number(text, option->min, option->max, at))
            return XPD_OK;
        return xpd_fail(err, XPD_EINVAL, name, XPD_NO_OFFSET,
                        "%s takes a number from %" PRId64 " to %" PRId64 ", not \"%s\"", name,
                        option->min, option->max, text);
    case XPD_OPTION_SIZE:
        if (xpd_cli_size(text, at) && *(int64_t *)at > 0)
            return XPD_OK;
        return xpd_fail(err, XPD_EINVAL, name, XPD_NO_OFFSET,
                        "%s takes a size such as 16G or 17179869184, not \"%s\"", name, text);
    }
    return XPD_OK;
}

int xpd_options_read(void *args, const struct xpd_option *options, const char *help, int argc,
                     char **argv, struct xpd_err *err)
{
    struct xpd_profile_args *profile = args;
    struct option known[OPTIONS_MAX] = {{"help", no_argument, NULL, GOT_HELP}};
    char letters[2 * OPTIONS_MAX] = ":h";
    size_t used = strlen(letters);
    int got, rc = XPD_OK;
    for (int i = 0, n = 1; options[i].name && n < OPTIONS_MAX - 1; i++) {
        bool alone = options[i].kind == XPD_OPTION_FLAG || options[i].kind == XPD_OPTION_FORM;
        if (options[i].name[1] == '-')
            known[n++] = (struct option){
                options[i].name + 2, alone ? no_argument : required_argument, NULL, GOT_FIRST + i};
        else
            used +=
                (size_t)snprintf(letters + used, sizeof letters - used, "%c:", options[i].name[1]);
    }
    for (int i = 1; i < argc; i++) /* so that an error in an earlier option is told as JSON too */
        if (strcmp(argv[i], "--json") == 0)
            profile->output = XPD_OUT_JSON;
    opterr = 0;
    optind = 0; /* the command may follow an earlier parse of the global options */
    while (rc == XPD_OK && (got = getopt_long(argc, argv, letters, known, NULL)) != -1) {
        const struct xpd_option *option = options;
        if (got >= GOT_FIRST)
            option += got - GOT_FIRST;
        while (got < GOT_HELP && option->name && option->name[1] != got)
            option++;
        if (got == 'h' || got == GOT_HELP)
            profile->help = true;
        else
            rc = option->name ? take(args, options, option, optarg, err)
                              : option_wrong(got, argv, help, err);
    }
    return rc;
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
