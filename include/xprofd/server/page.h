/* The files of the page, for uses other than the server. */
#ifndef XPROFD_SERVER_PAGE_H
#define XPROFD_SERVER_PAGE_H

#include "xprofd/base/error.h"
#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

/* Appends a file of the page: one of the program, or one of the folder `web_dir` (NULL = the
 * program's). XPD_ENOTFOUND when there is none of that name. */
int xpd_page_file(const char *web_dir, struct xpd_str name, struct xpd_strbuf *out,
                  struct xpd_err *err);

#endif
