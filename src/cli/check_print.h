/* Budget files and checked budgets, shared by `check`, `budget` and `diff --budget`. */
#ifndef XPROFD_CLI_CHECK_PRINT_H
#define XPROFD_CLI_CHECK_PRINT_H

#include "profile_args.h"
#include "xprofd/tools/check.h"

struct xpd_budget_file {
    struct xpd_strbuf bytes, config;
    struct xpd_str budget_text, config_text;
    struct xpd_budget budget;
};
/* --budget and --config. */
int xpd_budget_file_read(struct xpd_budget_file *file, const struct xpd_profile_args *args,
                         struct xpd_arena *arena, struct xpd_err *err);
void xpd_budget_file_free(struct xpd_budget_file *file);

/* Exit code of a checked budget: --strict counts unchecked limits as broken. */
int xpd_check_exit(const struct xpd_check *check, const struct xpd_profile_args *args);
/* The files of --sarif and --junit. */
int xpd_check_write(const struct xpd_check *check, const struct xpd_profile_args *args,
                    struct xpd_err *err);
/* Writes stdout in the requested form, and the files of --sarif and --junit. */
int xpd_check_print(const struct xpd_check *check, const struct xpd_profile_args *args,
                    const char *command, int *code, struct xpd_err *err);

#endif
