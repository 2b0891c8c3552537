/* Options of the commands about one profile. In: argv behind the command's name. Out: a checked
 * struct. */
#include "profile_args.h"
#include "option_check.h"
#include "xprofd/cli/command.h"
#include <errno.h>
#include <getopt.h>
#include <string.h>

enum {
    OPT_RUN = 256,
    OPT_HOST,
    OPT_MODULE,
    OPT_BASE_MODULE,
    OPT_DIFF,
    OPT_SPACE,
    OPT_TOP,
    OPT_STEP,
    OPT_HBM,
    OPT_FORMAT,
    OPT_NODE,
    OPT_TIME,
    OPT_OVER_TIME,
    OPT_AT,
    OPT_AGAINST,
    OPT_FAIL_ON_LEAK,
    OPT_DEVICE,
    OPT_PEAK_FLOPS,
    OPT_PEAK_BANDWIDTH,
    OPT_MESH,
    OPT_SHARDING,
    OPT_METADATA,
    OPT_WIDTH,
    OPT_FAIL_ON,
    OPT_CONFIG,
    OPT_BUDGET,
    OPT_SARIF,
    OPT_JUNIT,
    OPT_SLACK,
    OPT_UPDATE,
    OPT_STRICT,
    OPT_ASCII,
    OPT_MAX_SIZE,
    OPT_WEB_DIR,
    OPT_MD,
    OPT_JSON,
    OPT_CSV,
    OPT_HELP
};

static const struct option options[] = {
    {"run", required_argument, NULL, OPT_RUN},
    {"host", required_argument, NULL, OPT_HOST},
    {"module", required_argument, NULL, OPT_MODULE},
    {"base-module", required_argument, NULL, OPT_BASE_MODULE},
    {"diff", required_argument, NULL, OPT_DIFF},
    {"space", required_argument, NULL, OPT_SPACE},
    {"top", required_argument, NULL, OPT_TOP},
    {"step", required_argument, NULL, OPT_STEP},
    {"hbm", required_argument, NULL, OPT_HBM},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"node", required_argument, NULL, OPT_NODE},
    {"time", no_argument, NULL, OPT_TIME},
    {"over-time", no_argument, NULL, OPT_OVER_TIME},
    {"at", required_argument, NULL, OPT_AT},
    {"against", required_argument, NULL, OPT_AGAINST},
    {"fail-on-leak", no_argument, NULL, OPT_FAIL_ON_LEAK},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"peak-flops", required_argument, NULL, OPT_PEAK_FLOPS},
    {"peak-bandwidth", required_argument, NULL, OPT_PEAK_BANDWIDTH},
    {"mesh", required_argument, NULL, OPT_MESH},
    {"sharding", required_argument, NULL, OPT_SHARDING},
    {"metadata", no_argument, NULL, OPT_METADATA},
    {"width", required_argument, NULL, OPT_WIDTH},
    {"fail-on", required_argument, NULL, OPT_FAIL_ON},
    {"config", required_argument, NULL, OPT_CONFIG},
    {"budget", required_argument, NULL, OPT_BUDGET},
    {"sarif", required_argument, NULL, OPT_SARIF},
    {"junit", required_argument, NULL, OPT_JUNIT},
    {"slack", required_argument, NULL, OPT_SLACK},
    {"update", no_argument, NULL, OPT_UPDATE},
    {"strict", no_argument, NULL, OPT_STRICT},
    {"ascii", no_argument, NULL, OPT_ASCII},
    {"max-size", required_argument, NULL, OPT_MAX_SIZE},
    {"web-dir", required_argument, NULL, OPT_WEB_DIR},
    {"md", no_argument, NULL, OPT_MD},
    {"json", no_argument, NULL, OPT_JSON},
    {"csv", no_argument, NULL, OPT_CSV},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0}};

static int count_option(const char *name, const char *text, int64_t max, int64_t *value,
                        struct xpd_err *err)
{
    if (xpd_str_to_i64(xpd_str_of(text), value) && *value >= 0 && *value <= max)
        return XPD_OK;
    return xpd_fail(err, XPD_EINVAL, name, XPD_NO_OFFSET,
                    "%s takes a number from 0 to %lld, not \"%s\"", name, (long long)max, text);
}

static int size_option(const char *name, const char *text, int64_t *bytes, struct xpd_err *err)
{
    if (xpd_cli_size(text, bytes) && *bytes > 0)
        return XPD_OK;
    return xpd_fail(err, XPD_EINVAL, name, XPD_NO_OFFSET,
                    "%s takes a size such as 16G or 17179869184, not \"%s\"", name, text);
}

static int word_option(const char *text, struct xpd_profile_args *args, struct xpd_err *err)
{
    if (strcmp(text, "error") != 0 && strcmp(text, "warn") != 0 && strcmp(text, "info") != 0)
        return xpd_fail(err, XPD_EINVAL, "--fail-on", XPD_NO_OFFSET,
                        "--fail-on takes error, warn or info, not \"%s\"", text);
    args->fail_on = text;
    return XPD_OK;
}

#define CHOICES "--json, --csv and --md"

static int take(struct xpd_profile_args *args, int option, char **argv, const char *help,
                struct xpd_err *err)
{
    switch (option) {
    case OPT_RUN: args->run = optarg; return XPD_OK;
    case OPT_HOST: args->host = optarg; return XPD_OK;
    case OPT_MODULE: args->module = optarg; return XPD_OK;
    case OPT_BASE_MODULE: args->base_module = optarg; return XPD_OK;
    case OPT_DIFF: args->diff = optarg; return XPD_OK;
    case OPT_SPACE: args->space = optarg; return XPD_OK;
    case OPT_HBM: return size_option("--hbm", optarg, &args->hbm_bytes, err);
    case OPT_MAX_SIZE: return size_option("--max-size", optarg, &args->max_bytes, err);
    case OPT_WEB_DIR: args->web_dir = optarg; return XPD_OK;
    case 'o': args->file = optarg; return XPD_OK;
    case OPT_FORMAT: args->format = optarg; return XPD_OK;
    case OPT_NODE: args->node = optarg; return XPD_OK;
    case OPT_TIME: args->time = true; return XPD_OK;
    case OPT_OVER_TIME: args->over_time = true; return XPD_OK;
    case OPT_AT: args->at = optarg; return XPD_OK;
    case OPT_AGAINST: args->against = optarg; return XPD_OK;
    case OPT_FAIL_ON_LEAK: args->fail_on_leak = true; return XPD_OK;
    case OPT_DEVICE: args->device = optarg; return XPD_OK;
    case OPT_PEAK_FLOPS: args->peak_flops = optarg; return XPD_OK;
    case OPT_PEAK_BANDWIDTH: args->peak_bandwidth = optarg; return XPD_OK;
    case OPT_MESH: args->mesh = optarg; return XPD_OK;
    case OPT_SHARDING: args->sharding = optarg; return XPD_OK;
    case OPT_METADATA: args->metadata = true; return XPD_OK;
    case OPT_WIDTH: return count_option("--width", optarg, 10, &args->width, err);
    case OPT_TOP: return count_option("--top", optarg, 4096, &args->top, err);
    case OPT_STEP: return count_option("--step", optarg, UINT32_MAX - 1, &args->step, err);
    case OPT_FAIL_ON: return word_option(optarg, args, err);
    case OPT_CONFIG: args->config = optarg; return XPD_OK;
    case OPT_BUDGET: args->budget = optarg; return XPD_OK;
    case OPT_SARIF: args->sarif = optarg; return XPD_OK;
    case OPT_JUNIT: args->junit = optarg; return XPD_OK;
    case OPT_SLACK: args->slack = optarg; return XPD_OK;
    case OPT_UPDATE: args->update = true; return XPD_OK;
    case OPT_STRICT: args->strict = true; return XPD_OK;
    case OPT_ASCII: args->ascii = true; return XPD_OK;
    case OPT_MD: return xpd_cli_output_option(args, XPD_OUT_MD, CHOICES, err);
    case OPT_JSON: return xpd_cli_output_option(args, XPD_OUT_JSON, CHOICES, err);
    case OPT_CSV: return xpd_cli_output_option(args, XPD_OUT_CSV, CHOICES, err);
    case 'h':
    case OPT_HELP: args->help = true; return XPD_OK;
    default: return xpd_cli_option_wrong(option, argv, help, err);
    }
}

struct xpd_str xpd_cli_format_word(enum xpd_output output)
{
    static const char *const word[] = {[XPD_OUT_TEXT] = "text",
                                       [XPD_OUT_JSON] = "json",
                                       [XPD_OUT_CSV] = "csv",
                                       [XPD_OUT_MD] = "md"};
    return xpd_str_of(word[output]);
}

int xpd_cli_output_option(struct xpd_profile_args *args, enum xpd_output output,
                          const char *choices, struct xpd_err *err)
{
    if (args->has_output && args->output != output)
        return xpd_fail(err, XPD_EINVAL, "option", XPD_NO_OFFSET,
                        "%s are different formats: choose one", choices);
    args->has_output = true;
    args->output = output;
    return XPD_OK;
}

int xpd_profile_args_parse(struct xpd_profile_args *args, const char *help, int argc, char **argv,
                           struct xpd_err *err)
{
    return xpd_profile_args_parse_paths(args, help, 1, argc, argv, err);
}

/* The options, and the first path; *next is the argument behind it. `letters`: as of getopt. */
static int parse(struct xpd_profile_args *args, const char *help, const char *letters, int argc,
                 char **argv, int *next, struct xpd_err *err)
{
    *args = (struct xpd_profile_args){
        .top = -1, .step = -1, .width = -1, .hbm_bytes = -1, .max_bytes = -1};
    /* so that an error in an earlier option is told as JSON too */
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--json") == 0)
            args->output = XPD_OUT_JSON;
    opterr = 0;
    optind = 0; /* the command may follow an earlier parse of the global options */
    int option;
    while ((option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
        int rc = take(args, option, argv, help, err);
        if (rc != XPD_OK)
            return rc;
    }
    if (args->help)
        return XPD_OK;
    int rc = xpd_cli_options_belong(help, argc, argv, err);
    if (rc == XPD_OK)
        rc = xpd_cli_check_stdout(args, err);
    if (rc != XPD_OK)
        return rc;
    if (optind >= argc)
        return xpd_fail(
            err, XPD_EINVAL, "PROFILE", XPD_NO_OFFSET,
            "give a profile: a logdir, a run folder, an .xplane.pb, a HloProto or an XLA dump "
            "directory");
    args->path = argv[optind];
    *next = optind + 1;
    return XPD_OK;
}

int xpd_profile_args_parse_words(struct xpd_profile_args *args, const char *help, int words,
                                 int argc, char **argv, struct xpd_err *err)
{
    int left = argc, rc = parse(args, help, ":h", argc, argv, &left, err);
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
    int left = argc, rc = parse(args, help, ":ho:", argc, argv, &left, err);
    if (rc != XPD_OK || args->help || left == argc)
        return rc;
    return xpd_fail(err, XPD_EINVAL, argv[left], XPD_NO_OFFSET,
                    "one profile at a time: unexpected \"%s\"", argv[left]);
}

int xpd_profile_args_parse_paths(struct xpd_profile_args *args, const char *help, int paths,
                                 int argc, char **argv, struct xpd_err *err)
{
    int left = argc, rc = parse(args, help, ":h", argc, argv, &left, err);
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
    return out->failed ? xpd_fail(err, XPD_ENOMEM, path, XPD_NO_OFFSET, "no memory for %s", path)
                       : XPD_OK;
}
