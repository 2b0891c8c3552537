/* Streaming JSON writer over a string buffer: columns, escapes, 64-bit safe.
 *
 * The writer adds commas and colons. Unbalanced use is a programmer's mistake (asserted).
 * Integers beyond +-2^53 are written as decimal strings, so that a browser never rounds one;
 * doubles are written with the fewest digits of %.15g / %.16g / %.17g that read back equal; NaN and
 * infinity become null. Text that is not UTF-8 is repaired with U+FFFD; control characters and '<',
 * '>', '&' are escaped as \u00XX (an answer is safe inside any page). */
#ifndef XPROFD_JSON_WRITER_H
#define XPROFD_JSON_WRITER_H

#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

#define XPD_JSON_DEPTH 32

struct xpd_jsonw {
    struct xpd_strbuf *out;
    uint8_t depth;
    bool need_comma[XPD_JSON_DEPTH + 1];
    bool after_key;
};

void xpd_jsonw_init(struct xpd_jsonw *w, struct xpd_strbuf *out);
void xpd_json_obj(struct xpd_jsonw *w);
void xpd_json_obj_end(struct xpd_jsonw *w);
void xpd_json_arr(struct xpd_jsonw *w);
void xpd_json_arr_end(struct xpd_jsonw *w);
void xpd_json_key(struct xpd_jsonw *w, const char *key);

void xpd_json_str(struct xpd_jsonw *w, struct xpd_str text);
void xpd_json_text(struct xpd_jsonw *w, const char *text); /* NULL is null */
void xpd_json_i64(struct xpd_jsonw *w, int64_t value);
void xpd_json_u64(struct xpd_jsonw *w, uint64_t value);
void xpd_json_i64_string(struct xpd_jsonw *w, int64_t value); /* always quoted: ids */
void xpd_json_u64_string(struct xpd_jsonw *w, uint64_t value);
void xpd_json_double(struct xpd_jsonw *w, double value); /* null when it is not finite */
void xpd_json_bool(struct xpd_jsonw *w, bool value);
void xpd_json_null(struct xpd_jsonw *w);
/* Appends text that is already JSON: a value, or in an object members with their keys. The caller
 * guarantees that it is valid. */
void xpd_json_raw(struct xpd_jsonw *w, struct xpd_str json);

/* key and value in one call */
void xpd_json_kstr(struct xpd_jsonw *w, const char *key, struct xpd_str text);
void xpd_json_ktext(struct xpd_jsonw *w, const char *key, const char *text);
void xpd_json_ki64(struct xpd_jsonw *w, const char *key, int64_t value);
void xpd_json_ku64(struct xpd_jsonw *w, const char *key, uint64_t value);
void xpd_json_kdouble(struct xpd_jsonw *w, const char *key, double value);
void xpd_json_kbool(struct xpd_jsonw *w, const char *key, bool value);
void xpd_json_knull(struct xpd_jsonw *w, const char *key);

/* "key":[...] columns */
void xpd_json_col_i64(struct xpd_jsonw *w, const char *key, const int64_t *at, size_t count);
void xpd_json_col_u32(struct xpd_jsonw *w, const char *key, const uint32_t *at, size_t count);

#endif
