/* What rows of the buffer table are sorted by. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_BUFFER_KEY_H
#define XPROFD_SRC_TOOLS_MEMORY_BUFFER_KEY_H

#include "table_buffers.h"

bool xpd_buffer_key_is_text(enum xpd_buffer_key key);
/* The way the page sorts on the first click. */
bool xpd_buffer_key_sorts_down(enum xpd_buffer_key key);
/* Of keys that are no text. What is not known is INT64_MAX going up and INT64_MIN going down, so
 * that it stands last in either direction. */
int64_t xpd_buffer_number(const struct xpd_buffer_table *table, enum xpd_buffer_key key,
                          bool descending, const struct xpd_buffer_row *row);
/* Of text keys; kept in the arena of the answer, or the module's. */
struct xpd_str xpd_buffer_text(const struct xpd_buffer_table *table, enum xpd_buffer_key key,
                               const struct xpd_buffer_row *row, struct xpd_strbuf *scratch);

#endif
