/* The note that goes out beside an answer. It becomes a header, so nothing in it may end a line. */
#include "xprofd/tools/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void xpd_tool_note(struct xpd_tool_result *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(out->note, sizeof out->note, format, args);
    va_end(args);
    if (size < 0)
        out->note[0] = '\0';
    for (char *at = out->note; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
    if (size >= XPD_NOTE_BYTES)
        memcpy(out->note + XPD_NOTE_BYTES - 4, "...", 4);
}
