/* Which xprofd this is. */
#ifndef XPROFD_BASE_BUILD_H
#define XPROFD_BASE_BUILD_H

/* "1.2.3", as in CMakeLists.txt. */
const char *xpd_version(void);
/* What this program was built from and for: "5286ee34d1ab 2026-11-28, x86_64, static musl". ", with
 * changes" follows the commit when files of the tree differed from it. "unknown commit" stands in
 * its place where neither git nor a source archive of ours told it. */
const char *xpd_build(void);

#endif
