/* Options of the commands about one profile. In: argv behind the command's name. Out: a checked
 * struct. */
#include "profile_args.h"
#include "options.h"
#include "xprofd/cli/command.h"
#include "xprofd/profile/chips.h"
#include <errno.h>
#include <getopt.h>
#include <string.h>

static int take_fail_on(void *args, const struct xpd_option *option, const char *text,
                        struct xpd_err *err)
{
    if (strcmp(text, "error") != 0 && strcmp(text, "warn") != 0 && strcmp(text, "info") != 0)
        return xpd_fail(err, XPD_EINVAL, "--fail-on", XPD_NO_OFFSET,
                        "--fail-on takes error, warn or info, not \"%s\"", text);
    *(const char **)((char *)args + option->at) = text;
    return XPD_OK;
}

#define OPTION(kind, member, name) XPD_OPTION(kind, struct xpd_profile_args, member, name)

static const struct xpd_option options[] = {
    {OPTION(TEXT, run, "--run")},
    {OPTION(TEXT, host, "--host")},
    {OPTION(TEXT, module, "--module")},
    {OPTION(TEXT, program, "--program")},
    {OPTION(TEXT, base_module, "--base-module")},
    {OPTION(TEXT, diff, "--diff")},
    {OPTION(TEXT, space, "--space")},
    {OPTION(TEXT, web_dir, "--web-dir")},
    {OPTION(TEXT, format, "--format")},
    {OPTION(TEXT, node, "--node")},
    {OPTION(FLAG, time, "--time")},
    {OPTION(FLAG, over_time, "--over-time")},
    {OPTION(TEXT, at, "--at")},
    {OPTION(TEXT, against, "--against")},
    {OPTION(FLAG, fail_on_leak, "--fail-on-leak")},
    {OPTION(TEXT, device, "--device")},
    {OPTION(TEXT, peak_flops, "--peak-flops")},
    {OPTION(TEXT, peak_bandwidth, "--peak-bandwidth")},
    {OPTION(TEXT, mesh, "--mesh")},
    {OPTION(TEXT, sharding, "--sharding")},
    {OPTION(FLAG, metadata, "--metadata")},
    {OPTION(TEXT, config, "--config")},
    {OPTION(TEXT, budget, "--budget")},
    {OPTION(TEXT, sarif, "--sarif")},
    {OPTION(TEXT, junit, "--junit")},
    {OPTION(TEXT, slack, "--slack")},
    {OPTION(FLAG, update, "--update")},
    {OPTION(FLAG, strict, "--strict")},
    {OPTION(FLAG, ascii, "--ascii")},
    {OPTION(SIZE, hbm_bytes, "--hbm")},
    {OPTION(SIZE, max_bytes, "--max-size")},
    {OPTION(NUMBER, width, "--width"), .max = 10},
    {OPTION(NUMBER, top, "--top"), .max = 4096},
    {OPTION(NUMBER, step, "--step"), .max = UINT32_MAX - 1},
    {OPTION(OTHER, fail_on, "--fail-on"), .take = take_fail_on},
    XPD_OPTION_FORM_OF("--md", XPD_OUT_MD),
    XPD_OPTION_FORM_OF("--json", XPD_OUT_JSON),
    XPD_OPTION_FORM_OF("--csv", XPD_OUT_CSV),
    {OPTION(TEXT, file, "-o")},
    {.name = NULL}};

int xpd_cli_check_device(const char *device, struct xpd_err *err)
{
    char names[360];
    if (!device || xpd_peaks_find(xpd_str_of(device)))
        return XPD_OK;
    xpd_peaks_names(names, sizeof names, xpd_str_of(device));
    return xpd_fail(err, XPD_EINVAL, "--device", XPD_NO_OFFSET,
                    "--device takes one of %s, not \"%.60s\"", names, device);
}

struct xpd_str xpd_cli_format_word(enum xpd_output output)
{
    static const char *const word[] = {[XPD_OUT_TEXT] = "text",
                                       [XPD_OUT_JSON] = "json",
                                       [XPD_OUT_CSV] = "csv",
                                       [XPD_OUT_MD] = "md"};
    return xpd_str_of(word[output]);
}

int xpd_profile_args_parse(struct xpd_profile_args *args, const char *help, int argc, char **argv,
                           struct xpd_err *err)
{
    return xpd_profile_args_parse_paths(args, help, 1, argc, argv, err);
}

/* Parses the options and the first path; *next is the argument after it. */
static int parse(struct xpd_profile_args *args, const char *help, int argc, char **argv, int *next,
                 struct xpd_err *err)
{
    *args = (struct xpd_profile_args){
        .top = -1, .step = -1, .width = -1, .hbm_bytes = -1, .max_bytes = -1};
    int rc = xpd_options_read(args, options, help, argc, argv, err);
    if (rc == XPD_OK && args->file && !strstr(help, "-o FILE"))
        return xpd_fail(err, XPD_EINVAL, "option", XPD_NO_OFFSET,
                        "unknown option: -o; --help lists the options");
    if (rc != XPD_OK || args->help)
        return rc;
    rc = xpd_cli_options_belong(help, argc, argv, err);
    if (rc == XPD_OK)
        rc = xpd_cli_check_stdout(args, err);
    if (rc == XPD_OK && optind >= argc)
        return xpd_fail(
            err, XPD_EINVAL, "PROFILE", XPD_NO_OFFSET,
            "give a profile: a logdir, a run folder, an .xplane.pb, a HloProto or an XLA dump "
            "directory");
    args->path = argv[optind];
    *next = optind + 1;
    return rc;
}

int xpd_profile_args_parse_words(struct xpd_profile_args *args, const char *help, int words,
                                 int argc, char **argv, struct xpd_err *err)
{
    int left = argc, rc = parse(args, help, argc, argv, &left, err);
    for (; rc == XPD_OK && left < argc && args->word_count < words; left++)
        args->word[args->word_count++] = argv[left];
    if (rc == XPD_OK && left < argc)
        return xpd_fail(err, XPD_EINVAL, argv[left], XPD_NO_OFFSET, "unexpected \"%s\"",
                        argv[left]);
    return rc;
}

int xpd_profile_args_parse_file(struct xpd_profile_args *args, const char *help, int argc,
                                char **argv, struct xpd_err *err)
{
    int left = argc, rc = parse(args, help, argc, argv, &left, err);
    if (rc != XPD_OK || args->help || left == argc)
        return rc;
    return xpd_fail(err, XPD_EINVAL, argv[left], XPD_NO_OFFSET,
                    "one profile at a time: unexpected \"%s\"", argv[left]);
}

int xpd_profile_args_parse_paths(struct xpd_profile_args *args, const char *help, int paths,
                                 int argc, char **argv, struct xpd_err *err)
{
    int left = argc, rc = parse(args, help, argc, argv, &left, err);
    if (rc != XPD_OK || args->help)
        return rc;
    if (paths > 1 && left < argc)
        args->path2 = argv[left++];
    if (left < argc)
        return xpd_fail(err, XPD_EINVAL, argv[left], XPD_NO_OFFSET, "%s; unexpected \"%s\"",
                        paths > 1 ? "two profiles at most" : "one profile at a time", argv[left]);
    return XPD_OK;
}

int xpd_cli_read_file(const char *path, size_t limit, struct xpd_strbuf *out, struct xpd_err *err)
{
    char chunk[4096];
    size_t got;
    FILE *in = fopen(path, "rb");
    if (!in)
        return xpd_fail(err, errno == ENOENT ? XPD_ENOTFOUND : XPD_EIO, path, XPD_NO_OFFSET,
                        "%s cannot be read: %s", path, strerror(errno));
    while (out->size <= limit && (got = fread(chunk, 1, sizeof chunk, in)) > 0)
        xpd_strbuf_add(out, chunk, got);
    bool failed = ferror(in) != 0;
    fclose(in);
    if (failed)
        return xpd_fail(err, XPD_EIO, path, XPD_NO_OFFSET, "%s cannot be read", path);
    if (out->size > limit)
        return xpd_fail(err, XPD_ELIMIT, path, XPD_NO_OFFSET, "%s is larger than %zu bytes", path,
                        limit);
    return out->failed ? xpd_no_memory(err, path, "for %s", path) : XPD_OK;
}
