/* Durations as text. */
#ifndef XPROFD_BASE_TIME_TEXT_H
#define XPROFD_BASE_TIME_TEXT_H

#define XPD_TIME_TEXT_BYTES 40

/* "784.1 ms", in the largest unit in which it is 1 or more: s, ms, us, ns, ps. Returns `out`. */
const char *xpd_time_text(char out[XPD_TIME_TEXT_BYTES], double ps);

#endif
