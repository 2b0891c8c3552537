/* Reads the options of `xprofd serve`; prints --help and --version. */
#include "serve_options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "xprofd/base/build.h"
#include "xprofd/cli/command.h"

#define DEFAULT_PORT   6006
#define SCAN_DEPTH_MAX 64

static const char help_head[] =
    "Usage: xprofd [serve] [PATH] [OPTIONS]\n"
    "       xprofd COMMAND ...\n\n"
    "Opens XLA/JAX profiles, XLA dumps and heap files and serves a page about them.\n"
    "PATH is a log folder, a run, one file (.xplane.pb, .hlo.pb, HLO text, .prof; also\n"
    ".gz), an archive of a logdir (.zip, .tar, .tar.gz) or any folder above them; the\n"
    "current folder by default.\n"
    "xprofd never writes there.\n\n"
    "Commands:\n";

static const char help_tail[] =
    "\nOptions of serve:\n"
    "  --logdir=PATH          the same as PATH\n"
    "  --port=N               the port (default 6006); 0 takes any free one\n"
    "  --bind=ADDRESS         where to listen (default 127.0.0.1 and ::1: this machine\n"
    "                         only)\n"
    "  --allow-host=NAMES     further host names that a proxy uses for the page,\n                 "
    "        separated by commas; * allows any\n"
    "  --socket=PATH          listen on a unix socket instead of a port\n"
    "  --base-path=/PATH      prefix of the page behind a proxy\n"
    "  --trust-proxy          trust X-Forwarded-For, -Host and -Proto\n"
    "  --token=TEXT           answer only clients with this token (16 characters or more);\n"
    "                         the page takes it once as ?token=TEXT\n"
    "  --token-file=FILE      the same, from the first line of a file\n"
    "  --hbm=SIZE             memory of one device, if the profile does not say\n"
    "  --config=FILE          thresholds and muted rules of findings (docs/CI.md)\n"
    "  --source-url=TEMPLATE  turns source lines into links, for example\n"
    "                         https://host/blob/main/{path}#L{line}\n"
    "  --memory-limit=SIZE    memory for loaded profiles (default: half of the\n"
    "                         machine's memory)\n"
    "  --scan-depth=N         how many folders deep to look (default 12)\n"
    "  --web-dir=FOLDER       serve the page from a folder instead\n"
    "  --verbose              log to stderr, including each request\n"
    "  --log=text|json        format of the log\n"
    "  --help, -h             this text\n"
    "  --version              the version\n"
    "SIZE is a number of bytes, or one with K, M, G or T: 16G.\n\n"
    "Exit codes: 0 fine; 1 a check fails; 2 wrong usage; 3 cannot start (port in use,\naddress not "
    "of this machine), or the input does not exist or cannot be read;\n4 a check could not be "
    "made; 5 out of memory or an internal error. serve starts\neven if the path exists but cannot "
    "be read: the page shows why.\n";

static void print_help(void)
{
    fputs(help_head, stdout);
    uint32_t count;
    const struct xpd_command *const *commands = xpd_commands(&count);
    for (uint32_t i = 0; i < count; i++)
        printf("  %-22s %s\n", commands[i]->name, commands[i]->help);
    fputs(help_tail, stdout);
}

static int set_port(struct xpd_serve_options *out, char *text)
{
    int64_t value;
    if (!xpd_cli_number(text, 0, 65535, &value))
        return xpd_cli_usage("--port is a number from 0 to 65535, not \"%s\"", text);
    out->server.port = (uint16_t)value;
    return XPD_EXIT_OK;
}

static int set_scan_depth(struct xpd_serve_options *out, char *text)
{
    int64_t value;
    if (!xpd_cli_number(text, 1, SCAN_DEPTH_MAX, &value))
        return xpd_cli_usage("--scan-depth is a number from 1 to %d, not \"%s\"", SCAN_DEPTH_MAX,
                             text);
    out->store.scan.max_depth = (uint32_t)value;
    return XPD_EXIT_OK;
}

static int set_memory_limit(struct xpd_serve_options *out, char *text)
{
    int64_t value;
    if (!xpd_cli_size(text, &value) || value < (1 << 20))
        return xpd_cli_usage("--memory-limit is a size of 1M or more, such as 4G, not \"%s\"",
                             text);
    out->store.memory_limit_bytes = (uint64_t)value;
    return XPD_EXIT_OK;
}

static int set_hbm(struct xpd_serve_options *out, char *text)
{
    int64_t value;
    if (!xpd_cli_size(text, &value) || value == 0)
        return xpd_cli_usage("--hbm is a size such as 16G, not \"%s\"", text);
    out->server.hbm_override_bytes = value;
    return XPD_EXIT_OK;
}

static int set_path(struct xpd_serve_options *out, char *path)
{
    if (out->path) {
        bool word = !strchr(out->path, '/') && access(out->path, F_OK) != 0;
        const struct xpd_command *near = word ? xpd_command_near(out->path) : NULL;
        if (near)
            return xpd_cli_usage("unknown command \"%s\"; did you mean %s?", out->path, near->name);
        return xpd_cli_usage("only one path is allowed: both \"%s\" and \"%s\" were given%s",
                             out->path, path, word ? ", and the first is not a command" : "");
    }
    if (!*path)
        return xpd_cli_usage("the path is empty");
    out->path = path;
    return XPD_EXIT_OK;
}

static int allow_hosts(struct xpd_serve_options *out, char *names)
{
    out->server.allowed_hosts = names;
    if (strcmp(names, "*") == 0)
        out->server.allow_any_host = true;
    return XPD_EXIT_OK;
}

static int set_bind(struct xpd_serve_options *out, char *address)
{
    out->server.bind = address;
    out->server.both_loopbacks = false;
    return XPD_EXIT_OK;
}

/* "/" and "/x/" are what people write for "" and "/x"; the text is ours to change. */
static int set_base_path(struct xpd_serve_options *out, char *path)
{
    struct xpd_err err = {0};
    size_t size = strlen(path);
    if (size > 0 && path[size - 1] == '/')
        path[size - 1] = '\0';
    out->server.base_path = path;
    return (size == 1 && !*path) || xpd_base_path_check(path, &err) == XPD_OK
               ? XPD_EXIT_OK
               : xpd_cli_usage("%s", err.text);
}

static int set_token(struct xpd_serve_options *out, char *text)
{
    struct xpd_err err = {0};
    out->server.token = text;
    return xpd_token_check(text, &err) == XPD_OK ? XPD_EXIT_OK : xpd_cli_usage("%s", err.text);
}

static int set_log(struct xpd_serve_options *out, char *text)
{
    out->log_json = strcmp(text, "json") == 0;
    return out->log_json || strcmp(text, "text") == 0
               ? XPD_EXIT_OK
               : xpd_cli_usage("--log is text or json, not \"%s\"", text);
}

#define AT(member) .at = offsetof(struct xpd_serve_options, member)

/* `take` reads the value; without it the member `at` gets it: of a flag true, else the text. */
static const struct {
    const char *name;
    int (*take)(struct xpd_serve_options *out, char *text);
    size_t at;
    bool flag;
} options[] = {
    {"logdir", .take = set_path},
    {"port", .take = set_port},
    {"bind", .take = set_bind},
    {"web-dir", AT(server.web_dir)},
    {"memory-limit", .take = set_memory_limit},
    {"hbm", .take = set_hbm},
    {"source-url", AT(server.source_url)},
    {"config", AT(config)},
    {"scan-depth", .take = set_scan_depth},
    {"allow-host", .take = allow_hosts},
    {"socket", AT(server.socket_path)},
    {"base-path", .take = set_base_path},
    {"trust-proxy", AT(server.trust_proxy), .flag = true},
    {"token", .take = set_token},
    {"token-file", AT(token_file)},
    {"log", .take = set_log},
    {"verbose", AT(verbose), .flag = true},
};
enum { OPTIONS = sizeof options / sizeof *options, OPT_HELP = 256, OPT_VERSION, OPT_FIRST };

static int set_option(struct xpd_serve_options *out, int i, char *text)
{
    void *at = (char *)out + options[i].at;
    if (options[i].take)
        return options[i].take(out, text);
    if (options[i].flag)
        *(bool *)at = true;
    else
        *(const char **)at = text;
    return XPD_EXIT_OK;
}

/* An address that means "all of this machine's": it has no name of its own to check against. */
static bool is_wildcard(const char *bind)
{
    return strcmp(bind, "0.0.0.0") == 0 || strcmp(bind, "::") == 0;
}

bool xpd_serve_options_parse(int argc, char **argv, struct xpd_serve_options *out, int *exit_code)
{
    *out = (struct xpd_serve_options){.server = {.bind = "127.0.0.1",
                                                 .both_loopbacks = true,
                                                 .port = DEFAULT_PORT,
                                                 .hbm_override_bytes = -1}};
    struct option known[OPTIONS + 3] = {{"help", no_argument, NULL, OPT_HELP},
                                        {"version", no_argument, NULL, OPT_VERSION}};
    for (int i = 0; i < OPTIONS; i++)
        known[i + 2] =
            (struct option){options[i].name, options[i].flag ? no_argument : required_argument,
                            NULL, OPT_FIRST + i};
    *exit_code = XPD_EXIT_OK;
    opterr = 0;
    optind = 1;
    int option;
    while (*exit_code == XPD_EXIT_OK &&
           (option = getopt_long(argc, argv, ":hp:l:", known, NULL)) != -1) {
        switch (option) {
        case 'h':
        case OPT_HELP: print_help(); return false;
        case OPT_VERSION: printf("xprofd %s (%s)\n", xpd_version(), xpd_build()); return false;
        case 'p': *exit_code = set_port(out, optarg); break;
        case 'l': *exit_code = set_path(out, optarg); break;
        case ':': *exit_code = xpd_cli_usage("%s needs a value", argv[optind - 1]); break;
        case '?': *exit_code = xpd_cli_usage("unknown option %s", argv[optind - 1]); break;
        default: *exit_code = set_option(out, option - OPT_FIRST, optarg);
        }
    }
    for (; *exit_code == XPD_EXIT_OK && optind < argc; optind++)
        *exit_code = set_path(out, argv[optind]);
    if (*exit_code == XPD_EXIT_OK && out->server.token && out->token_file)
        *exit_code = xpd_cli_usage("give --token or --token-file, not both");
    if (!out->path)
        out->path = ".";
    if (is_wildcard(out->server.bind))
        out->server.allow_any_host = true;
    return *exit_code == XPD_EXIT_OK;
}
