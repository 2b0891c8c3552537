/* xprofd heap FILE: what a process held by line of its source, and what grows; text, JSON or CSV,
 * and a limit for CI. */
#include "json_out.h"
#include "options.h"
#include "xprofd/cli/command.h"
#include "xprofd/tools/heap.h"

#include "xprofd/base/bytes_text.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_TEXT 20
#define ROWS_MAX  100000
#define BY_WORDS  "line function file stack size device kind"

static const char help[] =
    "usage: xprofd heap FILE [--against=FILE] [--by=line|function|file|stack|size|device|kind]\n"
    "                   [--file=NAME] [--type=NAME] [--device=NAME] [--kind=buffer|executable]\n"
    "                   [--line=KEY] [--own=TEXT] [--top=N] [--run=NAME]\n"
    "                   [--fail-on-growth=SIZE] [--json|--csv]\n"
    "Shows what a process held, by source line. FILE is a pprof profile, gzip or not: what\n"
    "jax.profiler.save_device_memory_profile writes (memory.prof), a heap or CPU profile of Go or\n"
    "C++; or a folder of such files. Files that differ in one number of their names, as\n"
    "memory.step20.prof and memory.step40.prof do, are a series: the last is compared with the\n"
    "first, and a line grows when each of three or more files has more of it than the one before.\n"
    "--against: a file to compare with, or the name of one in the folder. --file: the file of\nthe "
    "folder to show. --by: what a row is; the line is the innermost one of your own code.\n"
    "--own: which source files are yours, text or /expression/; default: all but libraries.\n"
    "--type: which value of a sample (alloc_space); the file sets the default.\n"
    "Exits with 1 when a line, or all together, gained more than --fail-on-growth.\n";

struct heap_args {
    struct xpd_profile_args profile;
    const char *against, *by, *file, *type, *device, *kind, *line, *own;
    int64_t fail_bytes; /* -1 = no limit */
};

struct asked { /* parameters of a call */
    struct xpd_param param[14];
    uint32_t count;
    char limit[24];
};

/* ---- options ---- */

static int take_by(void *args, const struct xpd_option *option, const char *text,
                   struct xpd_err *err)
{
    *(const char **)((char *)args + option->at) = text;
    if (xpd_word_index(BY_WORDS, xpd_str_of(text)) >= 0)
        return XPD_OK;
    return xpd_fail(err, XPD_EINVAL, "--by", XPD_NO_OFFSET, "--by takes one of %s, not \"%s\"",
                    BY_WORDS, text);
}

static int take_growth(void *args, const struct xpd_option *option, const char *text,
                       struct xpd_err *err)
{
    if (xpd_cli_size(text, (void *)((char *)args + option->at)))
        return XPD_OK;
    return xpd_fail(err, XPD_EINVAL, "--fail-on-growth", XPD_NO_OFFSET,
                    "--fail-on-growth takes a size such as 64MiB, not \"%s\"", text);
}

#define OPTION(kind, member, name) XPD_OPTION(kind, struct heap_args, member, name)
static const struct xpd_option options[] = {
    {OPTION(TEXT, against, "--against")},
    {OPTION(OTHER, by, "--by"), .take = take_by},
    {OPTION(TEXT, file, "--file")},
    {OPTION(TEXT, type, "--type")},
    {OPTION(TEXT, device, "--device")},
    {OPTION(TEXT, kind, "--kind")},
    {OPTION(TEXT, line, "--line")},
    {OPTION(TEXT, own, "--own")},
    {OPTION(TEXT, profile.run, "--run")},
    {OPTION(NUMBER, profile.top, "--top"), .min = 1, .max = ROWS_MAX},
    {OPTION(OTHER, fail_bytes, "--fail-on-growth"), .take = take_growth},
    XPD_OPTION_FORM_OF("--json", XPD_OUT_JSON),
    XPD_OPTION_FORM_OF("--csv", XPD_OUT_CSV),
    {.name = NULL}};

static int parse(struct heap_args *args, int argc, char **argv, struct xpd_err *err)
{
    *args = (struct heap_args){.profile = {.top = -1, .step = -1, .width = -1, .hbm_bytes = -1},
                               .fail_bytes = -1};
    int rc = xpd_options_read(args, options, help, argc, argv, err);
    if (rc != XPD_OK || args->profile.help)
        return rc;
    if (optind >= argc)
        return xpd_fail(err, XPD_EINVAL, "FILE", XPD_NO_OFFSET,
                        "give a heap file (memory.prof) or a folder of them");
    args->profile.path = argv[optind];
    if (optind + 1 < argc)
        return xpd_fail(err, XPD_EINVAL, argv[optind + 1], XPD_NO_OFFSET,
                        "one file at a time: unexpected \"%s\"; --against compares two",
                        argv[optind + 1]);
    return XPD_OK;
}

/* ---- which run ---- */

/* The only run of heap files below a path, as its id (malloc'ed); the path may also hold other
 * runs. NULL: none, or more than one; opening the path then reports it. */
static char *heap_run(const char *path, const struct xpd_catalog *have)
{
    struct xpd_catalog *scanned = NULL;
    const char *id = NULL;
    uint32_t heaps = 0;
    if (!have && xpd_catalog_scan(&scanned, path, NULL, 0, NULL) != XPD_OK)
        return NULL;
    const struct xpd_catalog *catalog = have ? have : scanned;
    for (uint32_t i = 0; i < catalog->run_count; i++)
        if (catalog->run[i].kind == XPD_RUN_HEAP) {
            id = catalog->run[i].id;
            heaps++;
        }
    char *copy = heaps == 1 ? strdup(id) : NULL;
    xpd_catalog_release(scanned);
    return copy;
}

/* --against names a file of the folder itself, or a path. */
static bool against_is_path(const struct heap_args *args)
{
    struct xpd_identity identity;
    return args->against && xpd_identity_of(args->against, &identity);
}

static void put(struct asked *asked, const char *name, const char *value)
{
    if (value)
        asked->param[asked->count++] = (struct xpd_param){xpd_str_of(name), xpd_str_of(value)};
}

static int ask(struct asked *asked, const struct xpd_cli_profile *profile,
               const struct heap_args *args, char **base, struct xpd_err *err)
{
    *asked = (struct asked){0};
    *base = NULL;
    if (against_is_path(args)) {
        const struct xpd_catalog *catalog = xpd_store_base(profile->store);
        *base = catalog ? heap_run(NULL, catalog) : NULL;
        if (!*base)
            return xpd_fail(err, XPD_ENOTFOUND, args->against, XPD_NO_OFFSET, "%s",
                            catalog && catalog->root_problem
                                ? catalog->root_problem
                                : "there is no heap file to compare with, or more than one folder "
                                  "of them: give one file");
        put(asked, "base_run", *base);
    } else {
        put(asked, "against", args->against);
    }
    put(asked, "file", args->file);
    put(asked, "type", args->type);
    put(asked, "device", args->device);
    put(asked, "kind", args->kind);
    put(asked, "line", args->line);
    put(asked, "own", args->own);
    return XPD_OK;
}

/* ---- output ---- */

static int call(const struct xpd_cli_profile *profile, const struct heap_args *args,
                const char *route, const struct asked *common, const char *format,
                struct xpd_strbuf *out, struct xpd_err *err)
{
    struct asked asked = *common;
    bool lines = strcmp(route, "/api/v1/heap/lines") == 0;
    int64_t usual = strcmp(format, "text") == 0 ? ROWS_TEXT : ROWS_MAX;
    snprintf(asked.limit, sizeof asked.limit, "%" PRId64,
             args->profile.top < 0 ? usual : args->profile.top);
    put(&asked, "format", format);
    put(&asked, "group", lines ? args->by : NULL);
    put(&asked, "limit", lines ? asked.limit : NULL);
    return xpd_cli_call(profile, &args->profile, route, NULL, -1, asked.param, asked.count, out,
                        err);
}

static struct xpd_str text_of(const struct xpd_strbuf *buf)
{
    return (struct xpd_str){buf->data ? buf->data : "", buf->size};
}

static int print_json(const struct xpd_cli_profile *profile, const struct heap_args *args,
                      const struct asked *asked, int code, struct xpd_err *err)
{
    struct xpd_strbuf summary = {0}, lines = {0};
    int rc = call(profile, args, "/api/v1/heap/summary", asked, "json", &summary, err);
    if (rc == XPD_OK)
        rc = call(profile, args, "/api/v1/heap/lines", asked, "json", &lines, err);
    if (rc == XPD_OK) {
        struct xpd_cli_json out;
        struct xpd_jsonw *w = xpd_cli_json_begin(&out, "heap");
        xpd_cli_json_verdict(w, code);
        xpd_cli_json_covers(w, profile, &args->profile);
        xpd_json_key(w, "summary");
        xpd_json_raw(w, text_of(&summary));
        xpd_json_key(w, "lines");
        xpd_json_raw(w, text_of(&lines));
        xpd_cli_json_end(&out);
    }
    xpd_strbuf_fini(&summary);
    xpd_strbuf_fini(&lines);
    return rc;
}

static int print_text(const struct xpd_cli_profile *profile, const struct heap_args *args,
                      const struct asked *asked, struct xpd_err *err)
{
    struct xpd_strbuf out = {0};
    bool csv = args->profile.output == XPD_OUT_CSV;
    int rc = csv ? XPD_OK : call(profile, args, "/api/v1/heap/summary", asked, "text", &out, err);
    if (rc == XPD_OK && !csv)
        xpd_strbuf_putc(&out, '\n');
    if (rc == XPD_OK)
        rc = call(profile, args, "/api/v1/heap/lines", asked, csv ? "csv" : "text", &out, err);
    if (rc == XPD_OK && csv)
        fwrite(out.data, 1, out.size, stdout);
    else if (rc == XPD_OK)
        xpd_cli_put_lines(stdout, text_of(&out));
    xpd_strbuf_fini(&out);
    return rc;
}

/* ---- the limit ---- */

static void tell_gain(const char *what, struct xpd_str name, int64_t gained, int64_t limit,
                      struct xpd_str since)
{
    char gain[48], most[48];
    xpd_bytes_text_own(gain, gained);
    xpd_bytes_text_own(most, limit);
    fprintf(stderr, "xprofd heap: %s", what);
    xpd_cli_put(stderr, name, 200);
    fprintf(stderr, " gained %s since ", gain);
    xpd_cli_put(stderr, since, 200);
    fprintf(stderr, ", more than %s\n", most);
}

static int judge(const struct xpd_cli_profile *profile, const struct heap_args *args,
                 const struct asked *asked, int *code, struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_load_state state;
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .store = profile->store,
                               .run = profile->run,
                               .param = asked->param,
                               .param_count = asked->count,
                               .hbm_override_bytes = -1,
                               .wait_ms = -1,
                               .state = &state};
    struct xpd_heap_gain gain;
    int rc = xpd_tools_heap_gain(&gain, &ctx, err);
    if (rc == XPD_OK && (!gain.compared || !gain.bytes))
        rc = xpd_fail(err, XPD_EINVAL, "--fail-on-growth", XPD_NO_OFFSET,
                      gain.compared ? "--fail-on-growth is about bytes, which these values are not"
                                    : "--fail-on-growth needs two files: give --against, or a "
                                      "folder with a series");
    if (rc == XPD_OK && gain.most > args->fail_bytes)
        tell_gain("", gain.line, gain.most, args->fail_bytes, gain.against);
    else if (rc == XPD_OK && gain.total > args->fail_bytes)
        tell_gain("all lines of ", gain.file, gain.total, args->fail_bytes, gain.against);
    if (rc == XPD_OK && (gain.most > args->fail_bytes || gain.total > args->fail_bytes))
        *code = XPD_EXIT_BROKEN;
    xpd_arena_fini(&arena);
    return rc;
}

static int show(struct xpd_cli_profile *profile, struct heap_args *args, int *code,
                struct xpd_err *err)
{
    struct asked asked;
    char *base = NULL, *own_run = args->profile.run ? NULL : heap_run(args->profile.path, NULL);
    if (own_run)
        args->profile.run = own_run;
    if (against_is_path(args))
        args->profile.diff = args->against;
    int rc = xpd_cli_open(profile, &args->profile, err);
    if (rc == XPD_OK)
        rc = ask(&asked, profile, args, &base, err);
    if (rc == XPD_OK && args->fail_bytes >= 0)
        rc = judge(profile, args, &asked, code, err);
    if (rc == XPD_OK)
        rc = args->profile.output == XPD_OUT_JSON ? print_json(profile, args, &asked, *code, err)
                                                  : print_text(profile, args, &asked, err);
    free(base);
    free(own_run);
    return rc;
}

static int run(int argc, char **argv)
{
    struct heap_args args;
    struct xpd_cli_profile profile = {0};
    struct xpd_err err = {0};
    int code = XPD_EXIT_OK;
    int rc = parse(&args, argc, argv, &err);
    if (rc == XPD_OK && args.profile.help) {
        fputs(help, stdout);
        return XPD_EXIT_OK;
    }
    if (rc == XPD_OK)
        rc = show(&profile, &args, &code, &err);
    if (rc != XPD_OK)
        code = xpd_cli_fail(&args.profile, "heap", &err);
    xpd_cli_close(&profile);
    return code;
}

const struct xpd_command xpd_command_heap = {
    .name = "heap", .help = "what a process held, by line of its source (memory.prof)", .run = run};
