/* Sizes and numbers as people read them, the same in the page, in findings and on the command line.
 */
#ifndef XPROFD_BASE_BYTES_TEXT_H
#define XPROFD_BASE_BYTES_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* "6,226.3 MiB" or "22.90 GiB"; rounded half up, as the page does. What would read as zero is told
 * in a smaller unit: "512 B"; "0 B" is nothing. */
void xpd_bytes_text(char out[48], int64_t bytes, bool in_gib);
/* In the unit of the page of a program with this peak: GiB from 10 GiB on; a peak that would read
 * 0.0 MiB (below 0.1 MiB) is told in KiB, one below 1 KiB in bytes. */
void xpd_bytes_text_of_page(char out[48], int64_t bytes, int64_t peak_bytes);
/* In the unit in which it reads well by itself: "256.0 KiB", never 0.3 MiB; GiB from 10 GiB on. */
void xpd_bytes_text_own(char out[48], int64_t bytes);
/* "4,194,304" */
void xpd_number_text(char out[32], uint64_t value);

#endif
