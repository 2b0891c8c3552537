/* Files that a command writes because the user named them. */
#include "profile_args.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool xpd_cli_is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool xpd_cli_stdout_taken(const struct xpd_profile_args *args)
{
    return xpd_cli_is_stdout(args->sarif) || xpd_cli_is_stdout(args->junit);
}

int xpd_cli_check_stdout(const struct xpd_profile_args *args, struct xpd_err *err)
{
    const char *option = xpd_cli_is_stdout(args->sarif) ? "--sarif" : "--junit";
    if (!xpd_cli_stdout_taken(args))
        return XPD_OK;
    if (xpd_cli_is_stdout(args->sarif) && xpd_cli_is_stdout(args->junit))
        return xpd_fail(err, XPD_EINVAL, "--junit", XPD_NO_OFFSET,
                        "--sarif=- and --junit=- would both write to stdout: give a file for one");
    if (args->has_output)
        return xpd_fail(err, XPD_EINVAL, option, XPD_NO_OFFSET,
                        "%s=- and --json, --csv or --md would both write to stdout: give a file",
                        option);
    return XPD_OK;
}

int xpd_cli_check_target(const struct xpd_cli_profile *profile, const char *option,
                         const char *path, struct xpd_err *err)
{
    const struct xpd_run_entry *entry = profile->run->entry;
    struct stat st;
    if (!path || xpd_cli_is_stdout(path) || stat(path, &st) != 0)
        return XPD_OK;
    if (S_ISDIR(st.st_mode))
        return xpd_fail(err, XPD_EINVAL, option, XPD_NO_OFFSET,
                        "%s takes a file, but %s is a folder", option, path);
    for (uint32_t i = 0; i < entry->input_count; i++)
        if (entry->input[i].identity.device == (uint64_t)st.st_dev &&
            entry->input[i].identity.inode == (uint64_t)st.st_ino)
            return xpd_fail(err, XPD_EINVAL, option, XPD_NO_OFFSET,
                            "%s is a file of the profile and will not be overwritten", path);
    return XPD_OK;
}

int xpd_cli_check_targets(const struct xpd_cli_profile *profile,
                          const struct xpd_profile_args *args, struct xpd_err *err)
{
    int rc = xpd_cli_check_target(profile, "--sarif", args->sarif, err);
    return rc == XPD_OK ? xpd_cli_check_target(profile, "--junit", args->junit, err) : rc;
}

static int write_stdout(struct xpd_str text, struct xpd_err *err)
{
    return fwrite(text.data, 1, text.size, stdout) == text.size && fflush(stdout) == 0
               ? XPD_OK
               : xpd_fail(err, XPD_EWRITE, "stdout", XPD_NO_OFFSET, "stdout cannot be written: %s",
                          strerror(errno));
}

void xpd_cli_remove_file(const char *path)
{
    struct stat st;
    if (!xpd_cli_is_stdout(path) && stat(path, &st) == 0 && S_ISREG(st.st_mode))
        unlink(path);
}

int xpd_cli_write_file(const char *path, struct xpd_str text, struct xpd_err *err)
{
    if (xpd_cli_is_stdout(path))
        return write_stdout(text, err);
    FILE *out = fopen(path, "wb");
    if (!out)
        return xpd_fail(err, XPD_EIO, path, XPD_NO_OFFSET, "%s cannot be written: %s", path,
                        strerror(errno));
    bool ok = fwrite(text.data, 1, text.size, out) == text.size;
    if (fclose(out) != 0)
        ok = false;
    return ok ? XPD_OK
              : xpd_fail(err, XPD_EWRITE, path, XPD_NO_OFFSET, "%s cannot be written: %s", path,
                         strerror(errno));
}
