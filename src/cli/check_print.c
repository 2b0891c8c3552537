/* Reads budgets and prints what came of them. In: options, rows. Out: stdout and files. */
#include "check_print.h"
#include "json_out.h"
#include "xprofd/cli/command.h"

#define BUDGET_MAX (1 << 20)
#define CONFIG_MAX 16384

int xpd_budget_file_read(struct xpd_budget_file *file, const struct xpd_profile_args *args,
                         struct xpd_arena *arena, struct xpd_err *err)
{
    int rc = xpd_cli_read_file(args->budget, BUDGET_MAX, &file->bytes, err);
    if (rc == XPD_OK && args->config)
        rc = xpd_cli_read_file(args->config, CONFIG_MAX, &file->config, err);
    if (rc != XPD_OK)
        return rc;
    file->budget_text =
        (struct xpd_str){file->bytes.data ? file->bytes.data : "", file->bytes.size};
    file->config_text =
        (struct xpd_str){file->config.data ? file->config.data : "", file->config.size};
    return xpd_budget_read(&file->budget, file->budget_text, args->budget, arena, err);
}

void xpd_budget_file_free(struct xpd_budget_file *file)
{
    xpd_strbuf_fini(&file->bytes);
    xpd_strbuf_fini(&file->config);
}

int xpd_check_exit(const struct xpd_check *check, const struct xpd_profile_args *args)
{
    bool unjudged = check->not_judged > 0 || check->incomparable;
    return check->broken > 0          ? XPD_EXIT_BROKEN
           : unjudged && args->strict ? XPD_EXIT_BROKEN
           : unjudged                 ? XPD_EXIT_UNJUDGED
                                      : XPD_EXIT_OK;
}

int xpd_check_write(const struct xpd_check *check, const struct xpd_profile_args *args,
                    struct xpd_err *err)
{
    struct xpd_strbuf out = {0};
    struct xpd_jsonw w;
    int rc = XPD_OK;
    if (args->junit) {
        xpd_check_junit(&out, check);
        rc = xpd_cli_write_file(args->junit, (struct xpd_str){out.data, out.size}, err);
    }
    if (args->sarif && rc == XPD_OK) {
        xpd_strbuf_clear(&out);
        xpd_jsonw_init(&w, &out);
        xpd_check_sarif(&w, check);
        rc = xpd_cli_write_file(args->sarif, (struct xpd_str){out.data, out.size}, err);
    }
    xpd_strbuf_fini(&out);
    return rc;
}

int xpd_check_print(const struct xpd_check *check, const struct xpd_profile_args *args,
                    const char *command, int *code, struct xpd_err *err)
{
    *code = xpd_check_exit(check, args);
    if (xpd_cli_stdout_taken(args))
        return xpd_check_write(check, args, err);
    if (args->output == XPD_OUT_JSON) {
        struct xpd_cli_json json;
        struct xpd_jsonw *w = xpd_cli_json_begin(&json, command);
        xpd_cli_json_verdict(w, *code);
        xpd_json_key(w, "check");
        xpd_check_json(w, check);
        xpd_cli_json_end(&json);
    } else {
        struct xpd_strbuf out = {0};
        if (args->output == XPD_OUT_MD)
            xpd_check_markdown(&out, check);
        else
            xpd_check_text(&out, check);
        xpd_cli_put_lines(stdout, (struct xpd_str){out.data ? out.data : "", out.size});
        if (args->output != XPD_OUT_MD)
            printf("exit %d\n", *code);
        xpd_strbuf_fini(&out);
    }
    return xpd_check_write(check, args, err);
}
