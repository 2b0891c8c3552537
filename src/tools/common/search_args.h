/* A search in args as a key that says it all, and the matcher made from it. */
#ifndef XPROFD_SRC_TOOLS_COMMON_SEARCH_ARGS_H
#define XPROFD_SRC_TOOLS_COMMON_SEARCH_ARGS_H

#include "xprofd/base/arena.h"
#include "xprofd/trace/args.h"

#define XPD_SEARCH_TEXT_MAX 254 /* bytes of what is looked for */

/* "" = no memory. `folds`: letters of either case (regular expressions always do). */
struct xpd_str xpd_search_key(struct xpd_arena *arena, struct xpd_str text, bool regex, bool folds);
int xpd_search_open(struct xpd_str key, struct xpd_arg_match *match, struct xpd_err *err);
void xpd_search_close(struct xpd_arg_match *match);

#endif
