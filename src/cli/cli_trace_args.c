/* In: argv behind the command's name. Out: a checked struct; and a tool called with it. */
#include "cli_trace_args.h"
#include "json_out.h"
#include "options.h"

#include "xprofd/cli/command.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Digits times `scale` (a power of ten), with as many decimals as the scale has. */
static bool scaled(struct xpd_str text, int64_t scale, int64_t *value)
{
    int64_t sum = 0;
    bool point = false, any = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9' || (point && scale == 1))
            return false;
        if (point)
            scale /= 10;
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, c - '0', &sum))
            return false;
        any = true;
    }
    return any && !__builtin_mul_overflow(sum, scale, value);
}

bool xpd_cli_time(const char *text, int64_t *ps)
{
    static const struct {
        const char *word;
        int64_t scale;
    } unit[] = {{"ps", 1},
                {"ns", 1000},
                {"us", 1000000},
                {"ms", 1000000000},
                {"s", INT64_C(1000000000000)}};
    struct xpd_str all = xpd_str_of(text);
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (xpd_str_ends(all, unit[i].word))
            return scaled((struct xpd_str){text, all.size - strlen(unit[i].word)}, unit[i].scale,
                          ps);
    return scaled(all, 1, ps);
}

static int take_time(void *args, const struct xpd_option *option, const char *text,
                     struct xpd_err *err)
{
    struct xpd_typed_time *time = (void *)((char *)args + option->at);
    time->given = true;
    if (xpd_cli_time(text, &time->ps))
        return XPD_OK;
    return xpd_fail(err, XPD_EINVAL, option->name, XPD_NO_OFFSET,
                    "%s takes a time from the start of the trace such as 1.5ms, 20us or 3s, not "
                    "\"%s\"",
                    option->name, text);
}

static bool is_rate(const char *text)
{
    char *end;
    double rate = strtod(text, &end);
    return end != text && *end == '\0' && rate > 0 && rate < 1e21;
}

static int no_rate(const struct xpd_option *option, const char *text, struct xpd_err *err)
{
    return xpd_fail(err, XPD_EINVAL, option->name, XPD_NO_OFFSET,
                    "%s takes a rate per second such as 5.3e12, not \"%s\"", option->name, text);
}

static int take_rate(void *args, const struct xpd_option *option, const char *text,
                     struct xpd_err *err)
{
    *(const char **)((char *)args + option->at) = text;
    return is_rate(text) ? XPD_OK : no_rate(option, text, err);
}

/* "vector:1.5e14" as the parameter peak_vector. */
static int take_peak(void *to, const struct xpd_option *option, const char *text,
                     struct xpd_err *err)
{
    static const char *const param[] = {"peak_vector",     "peak_shared",    "peak_vmem_read",
                                        "peak_vmem_write", "peak_cmem_read", "peak_cmem_write",
                                        "peak_link"};
    struct xpd_trace_args *args = to;
    const char *colon = strchr(text, ':');
    struct xpd_str limit = {text, colon ? (size_t)(colon - text) : 0};
    for (size_t i = 0; colon && i < sizeof param / sizeof *param; i++)
        if (xpd_str_eq(limit, xpd_str_of(param[i] + strlen("peak_")))) {
            if (!is_rate(colon + 1))
                return no_rate(option, colon + 1, err);
            if (args->peak_count < XPD_PEAKS_TYPED)
                args->peak[args->peak_count++] =
                    (struct xpd_param){xpd_str_of(param[i]), xpd_str_of(colon + 1)};
            return XPD_OK;
        }
    return xpd_fail(err, XPD_EINVAL, "--peak", XPD_NO_OFFSET,
                    "--peak takes LIMIT:N such as vector:1.5e14, with one of vector, shared, "
                    "vmem_read, vmem_write, cmem_read, cmem_write and link, not \"%s\"",
                    text);
}

#define OPTION(kind, member, name) XPD_OPTION(kind, struct xpd_trace_args, member, name)
static const struct xpd_option options[] = {
    {OPTION(TEXT, profile.run, "--run")},
    {OPTION(TEXT, profile.host, "--host")},
    {OPTION(TEXT, profile.module, "--module")},
    {OPTION(TEXT, by, "--by")},
    {OPTION(TEXT, clock, "--clock")},
    {OPTION(TEXT, rows, "--rows")},
    {OPTION(TEXT, sort, "--sort")},
    {OPTION(TEXT, filter, "--filter")},
    {OPTION(TEXT, steps, "--steps")},
    {OPTION(TEXT, device, "--device")},
    {OPTION(TEXT, step, "--step")},
    {OPTION(TEXT, chip, "--chip")},
    {OPTION(TEXT, program, "--program")},
    {OPTION(TEXT, profile.format, "--format")},
    {OPTION(FLAG, derived, "--derived")},
    {OPTION(FLAG, no_args, "--no-args")},
    {OPTION(FLAG, layers, "--layers")},
    {OPTION(TEXT, passes, "--passes")},
    {OPTION(TEXT, profile.diff, "--diff")},
    {OPTION(TEXT, profile.base_module, "--base-module")},
    {OPTION(TEXT, rules, "--rules")},
    {OPTION(TEXT, fail_wait, "--fail-wait")},
    {OPTION(TEXT, base_steps, "--base-steps")},
    {OPTION(TEXT, file, "-o")},
    {OPTION(NUMBER, profile.top, "--top"), .min = 1, .max = 100000},
    {OPTION(OTHER, peak_flops, "--peak-flops"), .take = take_rate},
    {OPTION(OTHER, peak_bandwidth, "--peak-bandwidth"), .take = take_rate},
    {OPTION(OTHER, peak, "--peak"), .take = take_peak},
    {OPTION(OTHER, from, "--from"), .take = take_time},
    {OPTION(OTHER, to, "--to"), .take = take_time},
    XPD_OPTION_FORM_OF("--json", XPD_OUT_JSON),
    XPD_OPTION_FORM_OF("--csv", XPD_OUT_CSV),
    {.name = NULL}};

/* XPD_EINVAL with the option in `where`. */
static int parse_args(struct xpd_trace_args *args, const char *help, int argc, char **argv,
                      struct xpd_err *err)
{
    *args =
        (struct xpd_trace_args){.profile = {.top = -1, .step = -1, .width = -1, .hbm_bytes = -1}};
    int rc = xpd_options_read(args, options, help, argc, argv, err);
    if (rc != XPD_OK || args->profile.help)
        return rc;
    if (optind >= argc)
        return xpd_fail(err, XPD_EINVAL, "PROFILE", XPD_NO_OFFSET,
                        "give a profile: a logdir, a run folder or an .xplane.pb");
    args->profile.path = argv[optind];
    if (optind + 1 < argc)
        return xpd_fail(err, XPD_EINVAL, argv[optind + 1], XPD_NO_OFFSET,
                        "one profile at a time: unexpected \"%s\"", argv[optind + 1]);
    return XPD_OK;
}

/* Prints which parts of the file the numbers leave out; in JSON this is `covers`. */
static void tell_missing(const struct xpd_cli_profile *profile)
{
    const struct xpd_warnings *warnings = profile->run ? profile->run->warnings : NULL;
    for (uint32_t i = 0; warnings && i < warnings->count; i++)
        if (warnings->item[i].severity == XPD_ERROR)
            fprintf(stderr, "xprofd: warning: %s\n", warnings->item[i].text);
}

int xpd_trace_run(const char *command, const char *help, int argc, char **argv,
                  int (*print)(const struct xpd_cli_profile *profile,
                               const struct xpd_trace_args *args, struct xpd_err *err))
{
    struct xpd_trace_args args;
    struct xpd_cli_profile profile = {0};
    struct xpd_err err = {0};
    int rc = parse_args(&args, help, argc, argv, &err);
    if (rc == XPD_OK && args.profile.help) {
        fputs(help, stdout);
        return XPD_EXIT_OK;
    }
    if (rc == XPD_OK && args.profile.module && !strstr(help, "--module"))
        rc = xpd_fail(&err, XPD_EINVAL, "--module", XPD_NO_OFFSET,
                      "%s covers all programs of a host; --module works only with xprofd ops",
                      command);
    if (rc == XPD_OK && args.file && !strstr(help, "-o FILE"))
        rc = xpd_fail(&err, XPD_EINVAL, "-o", XPD_NO_OFFSET,
                      "unknown option: -o; %s writes to stdout", command);
    if (rc == XPD_OK)
        rc = xpd_cli_options_belong(help, argc, argv, &err);
    if (rc == XPD_OK)
        rc = xpd_cli_check_device(args.device, &err);
    if (rc == XPD_OK)
        rc = xpd_cli_open(&profile, &args.profile, &err);
    if (rc == XPD_OK && !xpd_cli_any_read(profile.run))
        rc = xpd_run_no_modules(profile.run, &err); /* says why the first file is none */
    if (rc == XPD_OK && args.profile.output != XPD_OUT_JSON)
        tell_missing(&profile);
    int exit_code = XPD_EXIT_OK;
    args.exit_code = &exit_code;
    if (rc == XPD_OK)
        rc = print(&profile, &args, &err);
    int code = rc == XPD_OK ? exit_code : xpd_cli_fail(&args.profile, command, &err);
    xpd_cli_close(&profile);
    return code;
}

/* ---- calling a tool ---- */

#define PARAMS_MAX 32

struct query {
    const struct xpd_tool *tool;
    struct xpd_param param[PARAMS_MAX];
    uint32_t count;
    char from[24], to[24];
};

static bool declares(const struct xpd_tool *tool, struct xpd_str name)
{
    for (const struct xpd_param_spec *spec = tool->params; spec && spec->name; spec++)
        if (xpd_str_eq(name, xpd_str_of(spec->name)))
            return true;
    return false;
}

/* An option that was typed, when the tool has a parameter of that name: the help of a command,
 * which options are checked against, says which options it takes. */
static void put(struct query *query, const char *name, const char *value)
{
    if (value && query->count < PARAMS_MAX && declares(query->tool, xpd_str_of(name)))
        query->param[query->count++] = (struct xpd_param){xpd_str_of(name), xpd_str_of(value)};
}

static void put_any(struct query *query, struct xpd_param param)
{
    if (query->count < PARAMS_MAX)
        query->param[query->count++] = param;
}

static void put_range(struct query *query, const struct xpd_trace_args *args)
{
    snprintf(query->from, sizeof query->from, "%" PRId64, args->from.ps);
    snprintf(query->to, sizeof query->to, "%" PRId64, args->to.ps);
    put(query, "from", args->from.given ? query->from : NULL);
    put(query, "to", args->to.given ? query->to : NULL);
}

static void make_query(struct query *query, const struct xpd_cli_profile *profile,
                       const struct xpd_trace_args *args, const struct xpd_param *more,
                       uint32_t more_count)
{
    const struct {
        const char *name, *value;
    } typed[] = {{"module", args->profile.module},
                 {"base_module", args->profile.base_module},
                 {"base_steps", args->base_steps},
                 {"rows", args->rows},
                 {"step", args->step},
                 {"steps", args->steps},
                 {"chip", args->chip},
                 {"program", args->program},
                 {"clock", args->clock},
                 {"by", args->by},
                 {"passes", args->passes},
                 {"sort", args->sort},
                 {"filter", args->filter},
                 {"device", args->device},
                 {"peak_flops", args->peak_flops},
                 {"peak_bandwidth", args->peak_bandwidth}};
    put_any(query, (struct xpd_param){XPD_STR("run"), xpd_str_of(profile->run->entry->id)});
    if (args->profile.host)
        put_any(query, (struct xpd_param){XPD_STR("host"), xpd_str_of(args->profile.host)});
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        put(query, typed[i].name, typed[i].value);
    put_range(query, args);
    for (uint32_t i = 0; i < args->peak_count; i++)
        if (declares(query->tool, args->peak[i].name))
            put_any(query, args->peak[i]);
    for (uint32_t i = 0; i < more_count; i++)
        put_any(query, more[i]);
}

struct notes { /* on an answer, "" = none */
    char rows[XPD_NOTE_BYTES], filter[XPD_NOTE_BYTES];
};

static int call(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                const char *route, const struct xpd_param *more, uint32_t more_count,
                struct xpd_strbuf *out, FILE *file, struct notes *notes, struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct query query = {.tool = xpd_tool_find(xpd_str_of(route))};
    struct xpd_tool_result result = {0};
    struct xpd_load_state state;
    make_query(&query, profile, args, more, more_count);
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .param = query.param,
                               .param_count = query.count,
                               .hbm_override_bytes = -1};
    int rc = xpd_tool_call(query.tool, profile->store, &ctx, -1, &result, &state, err);
    if (rc == XPD_OK && result.source.next)
        rc = xpd_cli_write_source(&result.source, file, err);
    else if (rc == XPD_OK)
        *out = result.body;
    if (rc != XPD_OK || result.source.next)
        xpd_strbuf_fini(&result.body);
    memcpy(notes->rows, result.note, sizeof notes->rows);
    memcpy(notes->filter, result.filter_note, sizeof notes->filter);
    xpd_arena_fini(&arena);
    return rc;
}

int xpd_trace_call(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                   const char *route, const struct xpd_param *more, uint32_t more_count,
                   struct xpd_strbuf *out, FILE *file, struct xpd_err *err)
{
    struct notes notes;
    return call(profile, args, route, more, more_count, out, file, &notes, err);
}

/* A table has no place for it; JSON has. */
static void tell(const struct notes *notes, const char *command, const struct xpd_trace_args *args)
{
    if (notes->filter[0])
        fprintf(stderr, "xprofd %s: filter: %s\n", command, notes->filter);
    if (notes->rows[0] && args->profile.top < 0) /* who chose a number of rows knows it */
        fprintf(stderr, "xprofd %s: %s; --top=N shows more\n", command, notes->rows);
}

int xpd_trace_print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                    const char *command, const char *route, const char *key,
                    const struct xpd_param *more, uint32_t more_count, struct xpd_err *err)
{
    struct xpd_strbuf body = {0};
    struct xpd_param all[XPD_TRACE_MORE_MAX + 1];
    uint32_t count = 0;
    all[count++] = (struct xpd_param){XPD_STR("format"), xpd_cli_format_word(args->profile.output)};
    for (uint32_t i = 0; i < more_count; i++)
        all[count++] = more[i];
    struct notes notes;
    int rc = call(profile, args, route, all, count, &body, NULL, &notes, err);
    struct xpd_str text = {body.data ? body.data : "", body.size};
    if (rc == XPD_OK && args->profile.output == XPD_OUT_JSON)
        xpd_cli_json_answer(profile, &args->profile, command, *args->exit_code, key, text);
    else if (rc == XPD_OK && args->profile.output == XPD_OUT_CSV)
        fwrite(text.data, 1, text.size, stdout);
    else if (rc == XPD_OK)
        xpd_cli_put_lines(stdout, text);
    if (rc == XPD_OK && args->profile.output != XPD_OUT_JSON)
        tell(&notes, command, args);
    xpd_strbuf_fini(&body);
    return rc;
}

struct xpd_param xpd_trace_limit(char room[24], int64_t top, int64_t usual, int64_t most)
{
    int64_t rows = top < 0 ? usual : top;
    snprintf(room, 24, "%" PRId64, rows < most ? rows : most);
    return (struct xpd_param){XPD_STR("limit"), xpd_str_of(room)};
}
