/* A single value of an answer, read from its struct: the one place that knows what is null. */
#ifndef XPROFD_SRC_ANSWER_VALUE_H
#define XPROFD_SRC_ANSWER_VALUE_H

#include "xprofd/answer/record.h"

#include <string.h>

struct xpd_value {
    enum { XPD_IS_NULL, XPD_IS_BOOL, XPD_IS_WHOLE, XPD_IS_ID, XPD_IS_REAL, XPD_IS_TEXT } is;
    union {
        bool truth;
        int64_t whole;
        uint64_t id;
        double real;
        struct xpd_str text;
    };
};

/* Of the first ten kinds; `at` is the member, or the element of a VALUES field (`kind` is then its
 * item). */
struct xpd_value xpd_value_read(const struct xpd_record_field *field, enum xpd_kind kind,
                                const char *at);
/* Of a member that has rows. */
struct xpd_rows xpd_value_rows(const char *at);
/* Of one element of a VALUES field. */
size_t xpd_value_size(enum xpd_kind kind);

#endif
