/* Options of the commands about one profile. In: argv behind the command's name. Out: a checked
 * struct. */
#include "profile_args.h"
#include "xprofd/cli/command.h"
#include <getopt.h>
#include <string.h>

enum {
    OPT_RUN = 256,
    OPT_HOST,
    OPT_MODULE,
    OPT_SPACE,
    OPT_TOP,
    OPT_STEP,
    OPT_HBM,
    OPT_FORMAT,
    OPT_NODE,
    OPT_METADATA,
    OPT_WIDTH,
    OPT_JSON,
    OPT_CSV,
    OPT_HELP
};

static const struct option options[] = {{"run", required_argument, NULL, OPT_RUN},
                                        {"host", required_argument, NULL, OPT_HOST},
                                        {"module", required_argument, NULL, OPT_MODULE},
                                        {"space", required_argument, NULL, OPT_SPACE},
                                        {"top", required_argument, NULL, OPT_TOP},
                                        {"step", required_argument, NULL, OPT_STEP},
                                        {"hbm", required_argument, NULL, OPT_HBM},
                                        {"format", required_argument, NULL, OPT_FORMAT},
                                        {"node", required_argument, NULL, OPT_NODE},
                                        {"metadata", no_argument, NULL, OPT_METADATA},
                                        {"width", required_argument, NULL, OPT_WIDTH},
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

static int size_option(const char *text, int64_t *bytes, struct xpd_err *err)
{
    if (xpd_cli_size(text, bytes))
        return XPD_OK;
    return xpd_fail(err, XPD_EINVAL, "--hbm", XPD_NO_OFFSET,
                    "--hbm takes a size such as 16G or 17179869184, not \"%s\"", text);
}

static int take(struct xpd_profile_args *args, int option, struct xpd_err *err)
{
    switch (option) {
    case OPT_RUN: args->run = optarg; return XPD_OK;
    case OPT_HOST: args->host = optarg; return XPD_OK;
    case OPT_MODULE: args->module = optarg; return XPD_OK;
    case OPT_SPACE: args->space = optarg; return XPD_OK;
    case OPT_HBM: return size_option(optarg, &args->hbm_bytes, err);
    case OPT_FORMAT: args->format = optarg; return XPD_OK;
    case OPT_NODE: args->node = optarg; return XPD_OK;
    case OPT_METADATA: args->metadata = true; return XPD_OK;
    case OPT_WIDTH: return count_option("--width", optarg, 10, &args->width, err);
    case OPT_TOP: return count_option("--top", optarg, 4096, &args->top, err);
    case OPT_STEP: return count_option("--step", optarg, UINT32_MAX - 1, &args->step, err);
    case OPT_JSON: args->output = XPD_OUT_JSON; return XPD_OK;
    case OPT_CSV: args->output = XPD_OUT_CSV; return XPD_OK;
    case OPT_HELP: args->help = true; return XPD_OK;
    default:
        return xpd_fail(err, XPD_EINVAL, "option", XPD_NO_OFFSET,
                        "there is no such option, or its value is missing; --help lists them");
    }
}

int xpd_profile_args_parse(struct xpd_profile_args *args, int argc, char **argv,
                           struct xpd_err *err)
{
    *args = (struct xpd_profile_args){.top = -1, .step = -1, .width = -1, .hbm_bytes = -1};
    /* so that an error in an earlier option is told as JSON too */
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--json") == 0)
            args->output = XPD_OUT_JSON;
    opterr = 0;
    optind = 0; /* the command may follow an earlier parse of the global options */
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        int rc = take(args, option, err);
        if (rc != XPD_OK)
            return rc;
    }
    if (args->help)
        return XPD_OK;
    if (optind >= argc)
        return xpd_fail(
            err, XPD_EINVAL, "PROFILE", XPD_NO_OFFSET,
            "name a profile: a logdir, a run folder, an .xplane.pb, a HloProto or an XLA dump "
            "directory");
    args->path = argv[optind];
    if (optind + 1 < argc)
        return xpd_fail(err, XPD_EINVAL, argv[optind + 1], XPD_NO_OFFSET,
                        "one profile at a time; \"%s\" is left over", argv[optind + 1]);
    return XPD_OK;
}
