/* xprofd hlo PROFILE: a program's HLO as XLA prints it, or its HloProto, to stdout. */
#include "profile_args.h"
#include "xprofd/cli/command.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: xprofd hlo PROFILE [--run=NAME] [--module=NAME] "
    "[--format=short|long|dot|pb|pbtxt|json]\n"
    "                          [--metadata] [--node=NAME] [--width=N]\n"
    "Prints a compiled program as XLA does: short (default), long (with % signs, program shapes\n"
    "and all constants), or its HloProto as bytes (pb), protobuf text (pbtxt) or JSON.\n"
    "--metadata adds op names and source lines.\n"
    "--node prints one computation, or one instruction with the shapes of its operands.\n"
    "--format=dot prints the graph within --width steps (default 2) of --node for Graphviz.\n"
    "The default module is the one with the largest peak among those that ran.\n";

static int print_proto(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                       uint32_t module, struct xpd_err *err)
{
    struct xpd_param format = {XPD_STR("format"), xpd_str_of(args->format)};
    return xpd_cli_print(profile, args, "/api/v1/graph/proto", profile->run->module[module].key,
                         &format, 1, err);
}

static bool is_proto_format(const char *format)
{
    return format && (strcmp(format, "pb") == 0 || strcmp(format, "pbtxt") == 0 ||
                      strcmp(format, "json") == 0);
}

static int ignore(void *self, const struct xpd_record *record, const void *answer,
                  struct xpd_err *err)
{
    (void)self, (void)record, (void)answer, (void)err;
    return XPD_OK;
}

/* The nearest names of a node that is not there: the tool that is asked for it names them. Always
 * XPD_ENOTFOUND. */
static int no_node(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                   const char *module, struct xpd_err *err)
{
    struct xpd_err other = {0};
    struct xpd_param node = {XPD_STR("node"), xpd_str_of(args->node)};
    if (xpd_cli_use(profile, args, "/api/v1/graph/near", module, &node, 1, ignore, NULL, &other) ==
        XPD_ENOTFOUND)
        xpd_fail(err, XPD_ENOTFOUND, "--node", XPD_NO_OFFSET, "%s", other.text);
    return XPD_ENOTFOUND;
}

static int print_text(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                      uint32_t module, struct xpd_err *err)
{
    struct xpd_param more[4];
    uint32_t count = 0;
    const char *key = profile->run->module[module].key;
    if (args->format)
        more[count++] = (struct xpd_param){XPD_STR("format"), xpd_str_of(args->format)};
    if (args->metadata)
        more[count++] = (struct xpd_param){XPD_STR("metadata"), XPD_STR("1")};
    int rc = XPD_ENOTFOUND;
    if (args->node) { /* a computation of that name, else an instruction */
        more[count] = (struct xpd_param){XPD_STR("computation"), xpd_str_of(args->node)};
        rc = xpd_cli_print(profile, args, "/api/v1/graph/text", key, more, count + 1, err);
        more[count++] = (struct xpd_param){XPD_STR("instruction"), xpd_str_of(args->node)};
        if (!args->format)
            more[count++] = (struct xpd_param){XPD_STR("format"), XPD_STR("expression")};
    }
    if (rc == XPD_ENOTFOUND)
        rc = xpd_cli_print(profile, args, "/api/v1/graph/text", key, more, count, err);
    return rc == XPD_ENOTFOUND && args->node ? no_node(profile, args, key, err) : rc;
}

static int print_dot(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                     uint32_t module, struct xpd_err *err)
{
    struct xpd_param more[3] = {{XPD_STR("node"), xpd_str_of(args->node)}};
    uint32_t count = 1;
    char width[24];
    if (!args->node)
        return xpd_fail(err, XPD_EINVAL, "--node", XPD_NO_OFFSET,
                        "--format=dot needs --node, an instruction or a computation");
    if (args->width >= 0) {
        snprintf(width, sizeof width, "%lld", (long long)args->width);
        more[count++] = (struct xpd_param){XPD_STR("radius"), xpd_str_of(width)};
    }
    if (args->metadata)
        more[count++] = (struct xpd_param){XPD_STR("config"), XPD_STR("1")};
    return xpd_cli_print(profile, args, "/api/v1/graph/dot", profile->run->module[module].key, more,
                         count, err);
}

static int check_format(const char *format, struct xpd_err *err)
{
    static const char *const known[] = {"short", "long", "dot", "pb", "pbtxt", "json"};
    for (size_t i = 0; format && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(format, known[i]) == 0)
            return XPD_OK;
    return !format ? XPD_OK
                   : xpd_fail(err, XPD_EINVAL, "--format", XPD_NO_OFFSET,
                              "--format takes short, long, dot, pb, pbtxt or json, not \"%.60s\"",
                              format);
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 struct xpd_err *err)
{
    uint32_t module;
    if (args->output != XPD_OUT_TEXT)
        return xpd_fail(err, XPD_EINVAL, "--json", XPD_NO_OFFSET,
                        "HLO is text; --format takes short, long, dot, pb, pbtxt or json");
    int rc = check_format(args->format, err);
    if (rc == XPD_OK)
        rc = xpd_cli_require_modules(profile, err);
    if (rc == XPD_OK)
        rc = xpd_cli_pick_module(profile, args, &module, err);
    if (rc != XPD_OK)
        return rc;
    if (is_proto_format(args->format))
        return print_proto(profile, args, module, err);
    if (args->format && strcmp(args->format, "dot") == 0)
        return print_dot(profile, args, module, err);
    return print_text(profile, args, module, err);
}

static int run(int argc, char **argv)
{
    return xpd_cli_run("hlo", help, argc, argv, print);
}

const struct xpd_command xpd_command_hlo = {
    .name = "hlo", .help = "print a compiled program's HLO as XLA does", .run = run};
