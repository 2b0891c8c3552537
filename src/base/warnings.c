/* Warnings beside a result.
 *
 * In: a fixed code and a sentence. Out: at most XPD_WARNINGS_MAX entries, one per code, in order of
 * first appearance. A flood of the same code costs a comparison, not memory. */
#include "xprofd/base/warnings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void xpd_warn(struct xpd_warnings *list, enum xpd_severity severity, const char *code,
              uint64_t offset, const char *fmt, ...)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->item[i].code == code || strcmp(list->item[i].code, code) == 0) {
            list->item[i].count++;
            return;
        }
    }
    if (list->count >= XPD_WARNINGS_MAX) {
        list->dropped++;
        return;
    }

    char text[1024];
    va_list args;
    va_start(args, fmt);
    int size = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    size_t kept = size < 0 ? 0 : (size_t)size < sizeof text ? (size_t)size : sizeof text - 1;
    const char *copy = list->arena ? xpd_arena_strndup(list->arena, text, kept) : NULL;
    list->item[list->count++] = (struct xpd_warning){
        .severity = severity,
        .code = code,
        .text = copy ? copy : code, /* out of memory: the code is still kept */
        .offset = offset,
        .count = 1,
    };
}

const char *xpd_severity_word(enum xpd_severity severity)
{
    switch (severity) {
    case XPD_NOTE: return "note";
    case XPD_WARNING: return "warning";
    case XPD_ERROR: return "error";
    }
    return "error";
}
