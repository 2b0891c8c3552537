/* Log lines: form, level, no control characters, one line whatever the length. */
#define _GNU_SOURCE 1
#include "xprofd/base/log.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char caught[4096];
static FILE *catcher;
static int real_stderr;

static void catch_stderr(void)
{
    fflush(stderr);
    catcher = tmpfile();
    assert_non_null(catcher);
    real_stderr = dup(STDERR_FILENO);
    assert_true(dup2(fileno(catcher), STDERR_FILENO) >= 0);
}

static const char *release_stderr(void)
{
    assert_true(dup2(real_stderr, STDERR_FILENO) >= 0);
    close(real_stderr);
    rewind(catcher);
    caught[fread(caught, 1, sizeof caught - 1, catcher)] = '\0';
    fclose(catcher);
    return caught;
}

static void form_and_level(void **state)
{
    (void)state;
    catch_stderr();
    xpd_log_set_level(XPD_LOG_WARNING);
    xpd_log(XPD_LOG_ERROR, "cannot open %s", "a.pb");
    xpd_log(XPD_LOG_WARNING, "w");
    xpd_log(XPD_LOG_INFO, "not shown");
    xpd_log_set_level(XPD_LOG_DEBUG);
    xpd_log(XPD_LOG_INFO, "i");
    xpd_log(XPD_LOG_DEBUG, "d");
    assert_string_equal(release_stderr(), "xprofd: error: cannot open a.pb\n"
                                          "xprofd: warning: w\n"
                                          "xprofd: info: i\n"
                                          "xprofd: debug: d\n");
}

static void one_clean_line(void **state)
{
    (void)state;
    catch_stderr();
    xpd_log_set_level(XPD_LOG_INFO);
    xpd_log(XPD_LOG_INFO, "%s", "a\nxprofd: error: b\x1b[2J\x7f\xC3\xA4");
    assert_string_equal(release_stderr(), "xprofd: info: a xprofd: error: b [2J \xC3\xA4\n");

    catch_stderr();
    xpd_log(XPD_LOG_INFO, "%05000d", 1);
    const char *line = release_stderr();
    size_t size = strlen(line);
    assert_in_range(size, 1000, 1024);
    assert_ptr_equal(strchr(line, '\n'), line + size - 1);
}

static void errno_is_kept(void **state)
{
    (void)state;
    catch_stderr();
    errno = ENOENT;
    xpd_log(XPD_LOG_ERROR, "x");
    int after = errno;
    release_stderr();
    assert_int_equal(after, ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(form_and_level),
        cmocka_unit_test(one_clean_line),
        cmocka_unit_test(errno_is_kept),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
