/* Version and build, as text. The build text is in an object of the program only
 * (.cmake/Commit.cmake), so that a new commit relinks the program and not every test. */
#include "xprofd/base/build.h"

#include <stddef.h>

extern const char xpd_build_text[] __attribute__((weak));

const char *xpd_version(void)
{
    return XPD_VERSION;
}

const char *xpd_build(void)
{
    return xpd_build_text ? xpd_build_text : "unknown commit";
}
