/* Sizes and numbers as text, the same on the page, in findings and on the command line.
 */
#ifndef XPROFD_BASE_BYTES_TEXT_H
#define XPROFD_BASE_BYTES_TEXT_H

#include <stdint.h>

/* "6,226.3 MiB", "22.90 GiB" or "160.7 KiB": in the unit that suits `page_bytes`, which is the peak
 * where a page or text is about a program; MiB if it is 0 or less. Rounded half up, as the page
 * does. A value that would read as zero has a smaller unit: "512 B"; only 0 is "0 B". */
void xpd_bytes_text(char out[48], int64_t bytes, int64_t page_bytes);
/* In a unit that suits the value alone: "256.0 KiB", not 0.3 MiB; GiB from 10 GiB on. */
void xpd_bytes_text_own(char out[48], int64_t bytes);
/* "4,194,304" */
void xpd_number_text(char out[32], uint64_t value);

#endif
