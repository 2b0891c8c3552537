/* One program as text and as a proto, each loaded and analysed; what differs, in words. */
#ifndef TESTS_UNIT_MEMORY_TEXT_PAIR_H
#define TESTS_UNIT_MEMORY_TEXT_PAIR_H

#include "mem_test.h"

struct text_pair {
    struct mem_case text, proto;
    struct xpd_warnings notes; /* of reading the text */
    struct xpd_arena arena;
};

/* Opens the module's text with its report and live ranges (NULL: none), each a path, also .gz.
 * False, with a sentence, when a file cannot be read. */
bool text_open(struct mem_case *c, struct xpd_arena *arena, struct xpd_warnings *notes,
               const char *module, const char *assignment, const char *live_range);
/* The HloProto in that file. */
bool text_open_proto(struct mem_case *c, const char *path);
/* How many things differ between the two; each kind is told once, with its first case. */
uint32_t text_pair_differences(const struct text_pair *pair, const char *title);

#endif
