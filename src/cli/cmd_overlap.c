/* xprofd overlap PROFILE: how much of communication and copies is hidden under compute, by device
 * or by step. */
#include "json_out.h"
#include "trace_args.h"
#include "xprofd/cli/command.h"
#include "xprofd/json/reader.h"

#include <string.h>

static const char help[] =
    "usage: xprofd overlap PROFILE [--by=device|step|collective] [--from=TIME] [--to=TIME]\n"
    "                              [--top=N] [--run=NAME] [--host=NAME] [--json]\n"
    "Shows what each device did: compute, communication and host copies (hidden under compute\n"
    "or exposed), and idle time. Times are unions of intervals on the host's clock, over a\n"
    "range (default: the whole trace) or for each step (--by=step, first 20 rows by default).\n"
    "--by=collective: how long each collective took on each device and how much of it no\n"
    "compute hid, most exposed first.\n";

#define ROWS_MAX 5000 /* of a table on a terminal */

enum { COMPUTE, HIDDEN_COMM, COMM, HIDDEN_COPY, COPY, IDLE, COLUMNS };
static const char *const column[COLUMNS] = {"compute",         "overlapped_comm", "exposed_comm",
                                            "overlapped_copy", "exposed_copy",    "idle"};

static double cell(const struct xpd_json *doc, const char *name, size_t row)
{
    const struct xpd_json *item = xpd_json_item(xpd_json_member(doc, name), row);
    int64_t value = 0;
    return item && xpd_json_to_i64(item, &value) ? (double)value : 0;
}

static void print_share(double part, double other)
{
    if (part + other <= 0)
        printf(" %9s", "none");
    else
        printf(" %7.1f %%", part * 100 / (part + other));
}

static bool is_known(const struct xpd_json *doc, size_t row)
{
    int64_t value;
    return xpd_json_to_i64(xpd_json_item(xpd_json_member(doc, column[COMPUTE]), row), &value);
}

/* Milliseconds of the six columns, and how much of communication and copies is exposed. */
static void print_row(const struct xpd_json *doc, size_t row)
{
    double at[COLUMNS];
    bool known = is_known(doc, row);
    for (int i = 0; i < COLUMNS; i++) {
        at[i] = cell(doc, column[i], row);
        if (known)
            printf(" %12.3f", at[i] / 1e9);
        else
            printf(" %12s", "unknown");
    }
    if (known) {
        print_share(at[COMM], at[HIDDEN_COMM]);
        print_share(at[COPY], at[HIDDEN_COPY]);
    } else {
        printf(" %9s %9s", "unknown", "unknown");
    }
    fputs("  ", stdout);
    const char *name = xpd_json_to_text(xpd_json_item(xpd_json_member(doc, "name"), row));
    xpd_cli_put(stdout, xpd_str_of(name), 120);
    putchar('\n');
}

/* Why nothing of the trace computes; "" = something does. */
static const char *unknown_of(const struct xpd_json *doc)
{
    const char *why = xpd_json_to_text(xpd_json_member(doc, "compute_unknown"));
    return why ? why : "";
}

/* Of the lanes of the steps, each reason once. */
static void print_reasons(const struct xpd_json *doc)
{
    const struct xpd_json *why = xpd_json_member(xpd_json_member(doc, "lanes"), "compute_unknown");
    const char *said = "";
    for (size_t i = 0; i < xpd_json_count(why); i++) {
        const char *text = xpd_json_to_text(xpd_json_item(why, i));
        if (!text || strcmp(text, said) == 0)
            continue;
        printf("unknown: %s\n", text);
        said = text;
    }
}

static void print_table(const struct xpd_json *doc, bool by_step, int64_t top)
{
    size_t rows = xpd_json_count(xpd_json_member(doc, "name")), shown = 0;
    int64_t left_out = 0;
    printf("%12s %12s %12s %12s %12s %12s %9s %9s  %s\n", "compute ms", "hidden comm", "exposed",
           "hidden copy", "exposed", "idle", "comm exp.", "copy exp.", by_step ? "step" : "device");
    for (size_t i = 0; i < rows && shown < (size_t)top; i++, shown++)
        print_row(doc, i);
    if (rows == 0 && by_step)
        puts("There are no steps in this trace; --by=device needs none.");
    else if (rows == 0)
        printf("unknown: %s\n", unknown_of(doc));
    else if (by_step)
        print_reasons(doc);
    (void)xpd_json_to_i64(xpd_json_member(doc, "left_out"), &left_out);
    if (rows > shown || left_out > 0)
        printf("%lld more\n", (long long)(rows - shown) + (long long)left_out);
}

static void print_collectives(const struct xpd_json *doc)
{
    size_t rows = xpd_json_count(xpd_json_member(doc, "name"));
    printf("%12s %12s %9s %6s %12s  %-14s %s\n", "exposed ms", "of", "exposed", "runs", "worst ms",
           "device", "collective");
    for (size_t i = 0; i < rows; i++) {
        double exposed = cell(doc, "exposed", i), total = cell(doc, "total", i);
        const char *name = xpd_json_to_text(xpd_json_item(xpd_json_member(doc, "name"), i));
        printf("%12.3f %12.3f", exposed / 1e9, total / 1e9);
        print_share(exposed, total - exposed);
        printf(" %6.0f %12.3f  device %-7.0f ", cell(doc, "count", i),
               cell(doc, "most_exposed", i) / 1e9, cell(doc, "device", i));
        xpd_cli_put(stdout, xpd_str_of(name), 120);
        putchar('\n');
    }
    int64_t left_out = 0;
    (void)xpd_json_to_i64(xpd_json_member(doc, "left_out"), &left_out);
    if (rows == 0 && unknown_of(doc)[0] != 0)
        printf("unknown: %s\n", unknown_of(doc));
    else if (rows == 0)
        puts("No device of this trace ran a collective in this time.");
    if (left_out > 0)
        printf("%lld more\n", (long long)left_out);
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    bool by_step = args->by && strcmp(args->by, "step") == 0;
    bool each = args->by && strcmp(args->by, "collective") == 0;
    struct xpd_strbuf body = {0};
    if (args->by && !by_step && !each && strcmp(args->by, "device") != 0)
        return xpd_fail(err, XPD_EINVAL, "--by", XPD_NO_OFFSET,
                        "--by takes device, step or collective, not \"%.80s\"", args->by);
    if (by_step && (args->has_from || args->has_to))
        return xpd_fail(err, XPD_EINVAL, "--from", XPD_NO_OFFSET,
                        "a range goes with --by=device and --by=collective; steps have their own");
    bool json = args->profile.output == XPD_OUT_JSON;
    int64_t top = args->profile.top < 0          ? 20
                  : args->profile.top < ROWS_MAX ? args->profile.top
                                                 : ROWS_MAX;
    char limit[24];
    snprintf(limit, sizeof limit, "%lld", (long long)top);
    /* What is printed is asked for in its length; JSON is the whole answer. */
    struct xpd_param more[] = {{XPD_STR("by"), XPD_STR("collective")},
                               {XPD_STR("limit"), xpd_str_of(limit)}};
    uint32_t skip = each ? 0 : 1, count = each ? (json ? 1 : 2) : by_step && !json;
    int rc =
        xpd_trace_call(profile, args, by_step ? "/api/v1/trace/steps" : "/api/v1/trace/overlap",
                       more + skip, count, &body, NULL, err);
    struct xpd_str text = {body.data ? body.data : "", body.size};
    struct xpd_json *doc = rc == XPD_OK && !json ? xpd_json_parse_answer(text) : NULL;
    if (rc == XPD_OK && !doc && !json)
        rc = xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the answer");
    if (rc == XPD_OK && json)
        xpd_cli_json_answer(profile, &args->profile, "overlap", XPD_EXIT_OK,
                            by_step ? "steps" : "overlap", text);
    else if (rc == XPD_OK && each)
        print_collectives(doc);
    else if (rc == XPD_OK)
        print_table(doc, by_step, top);
    xpd_json_free(doc);
    xpd_strbuf_fini(&body);
    return rc;
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("overlap", help, argc, argv, print);
}

const struct xpd_command xpd_command_overlap = {
    .name = "overlap", .help = "show how much communication is hidden under compute", .run = run};
