/* Thin reader over cJSON for small JSON inputs (backend configs) and for our own answers. Only this
 * module includes cJSON. Depth and size are limited before parsing. */
#ifndef XPROFD_JSON_READER_H
#define XPROFD_JSON_READER_H

#include "xprofd/base/str.h"

struct xpd_json; /* a parsed document or a value in it */

/* NULL when the text is not JSON, is larger than 1 MiB or nests deeper than 64. */
struct xpd_json *xpd_json_parse(struct xpd_str text);
/* The same of any size: for answers that we wrote ourselves. */
struct xpd_json *xpd_json_parse_answer(struct xpd_str text);
void xpd_json_free(struct xpd_json *doc);
/* The result belongs to the document. NULL: no such member, or not an object. */
const struct xpd_json *xpd_json_member(const struct xpd_json *object, const char *key);
size_t xpd_json_count(const struct xpd_json *array); /* 0 when it is not an array */
const struct xpd_json *xpd_json_item(const struct xpd_json *array, size_t index);
enum xpd_json_kind {
    XPD_JSON_NULL,
    XPD_JSON_BOOL,
    XPD_JSON_NUMBER,
    XPD_JSON_TEXT,
    XPD_JSON_ARRAY,
    XPD_JSON_OBJECT
};
enum xpd_json_kind xpd_json_kind(const struct xpd_json *value); /* of NULL: XPD_JSON_NULL */
/* An item of an array or a member of an object; NULL behind the last. */
const struct xpd_json *xpd_json_child(const struct xpd_json *value, size_t index);
const char *xpd_json_key_of(const struct xpd_json *member); /* "" of an item */
/* A number, or a string that is one ("NaN" and "Infinity" too, as protobuf writes them). */
bool xpd_json_to_double(const struct xpd_json *value, double *out);
/* A number, or a string that is a decimal number (XLA writes int64 as strings). */
bool xpd_json_to_i64(const struct xpd_json *value, int64_t *out);
/* The same as XProf reads it: blanks around the digits of a string and the fraction of a number are
 * ignored. */
bool xpd_json_to_i64_loosely(const struct xpd_json *value, int64_t *out);
/* The literal true; false for everything else, NULL too. */
bool xpd_json_is_true(const struct xpd_json *value);
/* NULL when it is not a string. */
const char *xpd_json_to_text(const struct xpd_json *value);

#endif
