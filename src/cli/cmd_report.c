/* xprofd report PROFILE -o FILE: the page with its answers in one HTML file. */
#include "profile_args.h"
#include "report_base.h"
#include "report_head.h"
#include "report_record.h"
#include "xprofd/cli/command.h"
#include "xprofd/server/page.h"

#include <inttypes.h>
#include <stdlib.h>

#define LIMIT_BYTES (INT64_C(8) << 20)

static const char help[] =
    "usage: xprofd report PROFILE -o FILE [--diff=BASE [--base-module=NAME]] [--run=NAME]\n"
    "                     [--module=NAME] [--space=N] [--hbm=SIZE] [--max-size=SIZE]\n"
    "Writes one HTML file: the page with the answers that its views ask for. It opens from disk,\n"
    "in any browser of the last years, and asks nobody for anything. -o - is stdout. The file is\n"
    "at most --max-size (default 8M); what is left out is named on stderr and in the file.\n"
    "--module and --space keep one program, one memory space. The same profile gives the same\n"
    "bytes. --web-dir=FOLDER takes the page from a folder.\n"
    "With --diff the file opens at the comparison of BASE (before) with PROFILE (after), and "
    "holds\n"
    "both. Each program is compared with the one that xprofd diff would take; --module and\n"
    "--base-module name two. When BASE has several runs, the one called as --run is meant.\n";

static int page_file(void *ctx, struct xpd_str name, struct xpd_strbuf *out, struct xpd_err *err)
{
    const struct xpd_profile_args *args = ctx;
    return xpd_page_file(args->web_dir, name, out, err);
}

static int load_page(const struct xpd_profile_args *args, struct xpd_strbuf *page,
                     struct xpd_err *err)
{
    int rc = xpd_page_file(args->web_dir, XPD_STR("report.html"), page, err);
    if (rc == XPD_ENOTFOUND)
        return xpd_fail(err, XPD_ENOTFOUND, args->web_dir ? args->web_dir : "xprofd", XPD_NO_OFFSET,
                        args->web_dir ? "the folder of --web-dir has no report.html"
                                      : "this xprofd was built without its page "
                                        "(-DXPD_WEB=OFF), so it cannot write reports");
    return rc;
}

static int write_out(const char *path, struct xpd_str html, struct xpd_err *err)
{
    int rc = xpd_cli_write_file(path, html, err);
    if (rc != XPD_OK)
        xpd_cli_remove_file(path);
    return rc;
}

static void tell(const struct xpd_recorder *r, uint64_t limit)
{
    struct xpd_strbuf left_out = {0};
    xpd_report_left_out(&left_out, r);
    if (left_out.size > 0)
        fprintf(stderr, "xprofd report: left out (--max-size is %" PRIu64 " bytes): %s\n", limit,
                left_out.data);
    xpd_strbuf_fini(&left_out);
}

static int pick_module(struct xpd_recorder *r, struct xpd_err *err)
{
    const struct xpd_cli_profile *profile = r->profile;
    if (profile->run->module_count == 0)
        return XPD_OK;
    if (r->args->module)
        return xpd_run_find_module(profile->run, xpd_str_of(r->args->module), &r->default_module,
                                   err);
    return xpd_store_default_module(profile->store, profile->run, &r->default_module, err);
}

static void tell_lines(const struct xpd_strbuf *lines)
{
    for (size_t at = 0; at < lines->size;) {
        size_t size = strcspn(lines->data + at, "\n");
        fputs("xprofd report: ", stderr);
        xpd_cli_put(stderr, (struct xpd_str){lines->data + at, size}, size);
        fputc('\n', stderr);
        at += size + 1;
    }
}

static void tell_base(const struct xpd_recorder *r)
{
    struct xpd_strbuf result = {0};
    if (!r->base)
        return;
    xpd_report_base_result(&result, r->base, r->args);
    tell_lines(&result);
    tell_lines(&r->alone);
    xpd_strbuf_fini(&result);
}

static int open_base(struct xpd_recorder *r, struct xpd_report_base *base, struct xpd_err *err)
{
    if (!r->args->diff)
        return XPD_OK;
    int rc = xpd_report_base_open(base, r->profile, r->args, r->default_module, err);
    if (rc == XPD_OK)
        rc = xpd_cli_check_target(&base->before, "-o", r->args->file, err);
    if (rc != XPD_OK)
        return rc;
    r->base = base;
    xpd_report_base_alone(&r->alone, base, r->args);
    return XPD_OK;
}

static int make(struct xpd_recorder *r, uint64_t limit, struct xpd_strbuf *html,
                struct xpd_err *err)
{
    struct xpd_strbuf page = {0}, head = {0};
    uint32_t lines;
    xpd_report_plan(&lines);
    r->tally = calloc(lines, sizeof *r->tally);
    int rc = r->tally ? load_page(r->args, &page, err)
                      : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the report");
    struct xpd_report_page with = {{page.data, page.size}, page_file, (void *)(uintptr_t)r->args};
    if (rc == XPD_OK)
        rc = xpd_report_new(&r->report, &with, limit, err);
    if (rc == XPD_OK)
        rc = xpd_record(r, err);
    if (rc == XPD_OK) {
        xpd_report_head(&head, r, limit);
        rc = xpd_report_finish(r->report, (struct xpd_str){head.data, head.size}, html, err);
    }
    xpd_strbuf_fini(&head);
    xpd_strbuf_fini(&page);
    return rc;
}

static int report(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                  struct xpd_err *err)
{
    uint64_t limit = (uint64_t)(args->max_bytes >= 0 ? args->max_bytes : LIMIT_BYTES);
    struct xpd_recorder r = {.profile = profile, .args = args};
    struct xpd_report_base base = {0};
    struct xpd_strbuf html = {0};
    int rc = xpd_cli_check_target(profile, "-o", args->file, err);
    if (rc == XPD_OK)
        rc = pick_module(&r, err);
    if (rc == XPD_OK)
        rc = open_base(&r, &base, err);
    if (rc == XPD_OK)
        rc = make(&r, limit, &html, err);
    if (rc == XPD_OK)
        rc = write_out(args->file, (struct xpd_str){html.data, html.size}, err);
    if (rc == XPD_OK) {
        tell_base(&r);
        tell(&r, limit);
    }
    xpd_strbuf_fini(&html);
    xpd_report_base_close(&base);
    xpd_strbuf_fini(&r.alone);
    xpd_report_free(r.report);
    xpd_arena_fini(&r.arena);
    xpd_map64_fini(&r.asked);
    free(r.tally);
    return rc;
}

static int check(const struct xpd_profile_args *args, struct xpd_err *err)
{
    if (!args->file)
        return xpd_fail(err, XPD_EINVAL, "-o", XPD_NO_OFFSET,
                        "say where the report goes: -o report.html, or -o - for stdout; nothing "
                        "is ever written beside a profile by itself");
    if (args->output != XPD_OUT_TEXT)
        return xpd_fail(err, XPD_EINVAL, "--json", XPD_NO_OFFSET,
                        "a report is an HTML file; it has no other form");
    if (args->diff && !args->diff[0])
        return xpd_fail(err, XPD_EINVAL, "--diff", XPD_NO_OFFSET,
                        "--diff takes the profile to compare with, the one before");
    if (args->base_module && !args->diff)
        return xpd_fail(err, XPD_EINVAL, "--base-module", XPD_NO_OFFSET,
                        "--base-module names a program of the baseline: it goes with --diff=BASE");
    return XPD_OK;
}

static int run(int argc, char **argv)
{
    struct xpd_profile_args args;
    struct xpd_cli_profile profile = {0};
    struct xpd_err err = {0};
    int rc = xpd_profile_args_parse_file(&args, help, argc, argv, &err);
    if (rc == XPD_OK && args.help) {
        fputs(help, stdout);
        return XPD_EXIT_OK;
    }
    if (rc == XPD_OK)
        rc = check(&args, &err);
    if (rc == XPD_OK)
        rc = xpd_cli_open(&profile, &args, &err);
    if (rc == XPD_OK)
        rc = report(&profile, &args, &err);
    int code = rc == XPD_OK ? XPD_EXIT_OK : xpd_cli_fail(&args, "report", &err);
    xpd_cli_close(&profile);
    return code;
}

const struct xpd_command xpd_command_report = {
    .name = "report", .help = "write the page and its data as one HTML file", .run = run};
