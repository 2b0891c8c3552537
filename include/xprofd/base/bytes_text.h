/* Sizes and numbers as people read them, the same in the page, in findings and on the command line.
 */
#ifndef XPROFD_BASE_BYTES_TEXT_H
#define XPROFD_BASE_BYTES_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* "6,226.3 MiB" or "22.90 GiB"; rounded half up, as the page does. */
void xpd_bytes_text(char out[48], int64_t bytes, bool in_gib);
/* "4,194,304" */
void xpd_number_text(char out[32], uint64_t value);

#endif
