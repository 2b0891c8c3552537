/* xprofd report PROFILE -o FILE: the page with its answers in one HTML file. */
#include "profile_args.h"
#include "xprofd/cli/command.h"
#include "xprofd/server/page.h"
#include "xprofd/tools/report_file.h"

#include <inttypes.h>
#include <stdlib.h>

static const char help[] =
    "usage: xprofd report PROFILE -o FILE [--diff=BEFORE [--base-module=NAME]] [--run=NAME]\n"
    "                     [--module=NAME] [--space=N] [--hbm=SIZE] [--max-size=SIZE]\n"
    "Writes one HTML file: the page with the data of its views. It opens from disk in any\n"
    "recent browser, offline. -o - is stdout. The file is at most --max-size (default 8M);\n"
    "stderr and the file list what is left out. --module and --space keep one program or memory\n"
    "space. The same profile gives the same bytes. --web-dir=FOLDER takes the page from a\n"
    "folder.\n"
    "With --diff the file holds both profiles and opens at the comparison of BEFORE with\n"
    "PROFILE. Programs are paired as xprofd diff pairs them, or named by --module and\n"
    "--base-module. If BEFORE has several runs, the one named by --run is used.\n";

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

static void tell(const struct xpd_report_told *told, uint64_t limit)
{
    tell_lines(&told->base);
    if (told->left_out.size > 0)
        fprintf(stderr, "xprofd report: left out (--max-size is %" PRIu64 " bytes): %s\n", limit,
                told->left_out.data);
}

/* ---- the baseline ---- */

static int open_before(const struct xpd_cli_profile *after, struct xpd_cli_profile *before,
                       const struct xpd_profile_args *args, struct xpd_err *err)
{
    struct xpd_load_state state;
    const char *id = NULL;
    *before = (struct xpd_cli_profile){.store = after->store};
    int rc = xpd_cli_base_run(after->store, args, &id, err);
    if (rc == XPD_OK)
        rc = xpd_store_acquire(after->store, xpd_str_of(id), -1, &before->run, &state, err);
    if (rc == XPD_OK)
        rc = xpd_cli_check_target(before, "-o", args->file, err);
    return rc;
}

static int make(const struct xpd_cli_profile *profile, const struct xpd_cli_profile *before,
                const struct xpd_profile_args *args, struct xpd_err *err)
{
    struct xpd_report_of of = {profile->store, profile->run}, base = {before->store, before->run};
    struct xpd_report_want want = {
        .module = args->module,
        .space = args->space,
        .base_module = args->base_module,
        .hbm_bytes = args->hbm_bytes,
        .limit_bytes = (uint64_t)(args->max_bytes >= 0 ? args->max_bytes : XPD_REPORT_LIMIT_BYTES)};
    struct xpd_strbuf page = {0}, html = {0};
    struct xpd_report_told told = {0};
    int rc = load_page(args, &page, err);
    struct xpd_report_page with = {{page.data, page.size}, page_file, (void *)(uintptr_t)args};
    if (rc == XPD_OK)
        rc = xpd_report_file_make(&of, before->run ? &base : NULL, &want, &with, &html, &told, err);
    if (rc == XPD_OK)
        rc = write_out(args->file, (struct xpd_str){html.data, html.size}, err);
    if (rc == XPD_OK)
        tell(&told, want.limit_bytes);
    xpd_report_told_fini(&told);
    xpd_strbuf_fini(&html);
    xpd_strbuf_fini(&page);
    return rc;
}

static int report(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                  struct xpd_err *err)
{
    struct xpd_cli_profile before = {0};
    int rc = xpd_cli_check_target(profile, "-o", args->file, err);
    if (rc == XPD_OK && args->diff)
        rc = open_before(profile, &before, args, err);
    if (rc == XPD_OK)
        rc = make(profile, &before, args, err);
    if (before.run)
        xpd_store_release(before.store, before.run);
    return rc;
}

static int check(const struct xpd_profile_args *args, struct xpd_err *err)
{
    if (!args->file)
        return xpd_fail(err, XPD_EINVAL, "-o", XPD_NO_OFFSET,
                        "give an output file: -o report.html, or -o - for stdout; xprofd never "
                        "writes next to a profile on its own");
    if (args->output != XPD_OUT_TEXT)
        return xpd_fail(err, XPD_EINVAL, "--json", XPD_NO_OFFSET,
                        "a report is always an HTML file");
    if (args->diff && !args->diff[0])
        return xpd_fail(err, XPD_EINVAL, "--diff", XPD_NO_OFFSET,
                        "--diff takes the profile to compare with (BEFORE)");
    if (args->base_module && !args->diff)
        return xpd_fail(err, XPD_EINVAL, "--base-module", XPD_NO_OFFSET,
                        "--base-module names a program of BEFORE; it needs --diff=BEFORE");
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
    if (rc == XPD_OK && !xpd_cli_any_read(profile.run))
        rc = xpd_run_no_modules(profile.run, &err);
    if (rc == XPD_OK)
        rc = report(&profile, &args, &err);
    int code = rc == XPD_OK ? XPD_EXIT_OK : xpd_cli_fail(&args, "report", &err);
    xpd_cli_close(&profile);
    return code;
}

const struct xpd_command xpd_command_report = {
    .name = "report", .help = "write the page and its data as one HTML file", .run = run};
