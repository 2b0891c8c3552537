/* The symbols of tools.def, so that each tool's file can check its own definition against the list.
 */
#ifndef XPROFD_SRC_TOOLS_COMMON_TOOLS_H
#define XPROFD_SRC_TOOLS_COMMON_TOOLS_H

#include "xprofd/tools/tool.h"

#define TOOL(symbol) extern const struct xpd_tool symbol;
#include "../tools.def"
#undef TOOL

#endif
