/* Which xprofd this is. */
#ifndef XPROFD_BASE_BUILD_H
#define XPROFD_BASE_BUILD_H

/* "1.2.3", as in CMakeLists.txt. */
const char *xpd_version(void);
/* Commit, processor and linking of this build: "5286ee34d1ab 2026-11-28, x86_64, static musl". ",
 * with changes" follows the commit if files of the tree differed. "unknown commit" if neither git
 * nor a source archive gave it. */
const char *xpd_build(void);

#endif
