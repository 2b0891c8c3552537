/* Records: an answer described once.
 *
 * A record is a C struct whose members are listed in a macro, each with its kind, its key and one
 * line of help. The list makes the struct, and the table of fields from which the JSON, the CSV,
 * the table on a terminal (write.h), the types of the page, the OpenAPI document and docs/API.md
 * are written:
 *
 *     #define XPD_LANE_FIELDS(FIELD)                                                  \
 *         FIELD(INDEX, process, "process of trace/rows")                              \
 *         FIELD(MAYBE(PS), busy_ps, "time covered by its events; null: nothing was measured")
 *     XPD_RECORD(xpd_lane, XPD_LANE_FIELDS)
 *
 * gives `struct xpd_lane {uint32_t process; int64_t busy_ps;}` and `xpd_lane_record()`. A key is
 * the name of the member and ends in its unit (_ps, _ns, _bytes, _flops, _per_s). A number without
 * a unit is a count, a number or an index.
 *
 * Kinds, their C type and JSON form:
 *   BOOL        bool                  true, false
 *   FLAG        int8_t, 0 or 1        true, false: a BOOL that may be unknown
 *   INT         int64_t, 0 and up     number
 *   SIGNED      int64_t               number
 *   COUNT       uint32_t              number
 *   INDEX       uint32_t              number
 *   BIG         int64_t               decimal string, for what may be beyond 2^53
 *   ID          uint64_t              decimal string
 *   REAL        double                number
 *   TEXT        struct xpd_str        string
 *   STRING      const char *          string
 *   NAME        struct xpd_str        index into `names` of the same answer; 0 = ""
 *   WORD(words) const char *          one of the words, which are separated by blanks
 *   OBJECT(r)   const struct r *      {...}
 *   COLUMNS(r)  at, n                 {"n": 2, "key": [.., ..], ...}: a table, a column a field
 *   INLINE(r)   at, n                 the same, its keys among those of the record it is in
 *   LIST(r)     at, n                 [{...}, {...}]
 *   VALUES(k)   at, n                 [.., ..] of one of the kinds above but WORD
 *   MAYBE(k)    that of k             null when unknown: INT, REAL and FLAG below 0, SIGNED and BIG
 *                                     XPD_UNKNOWN, INDEX XPD_NO_INDEX, ID 0, NULL for texts, words,
 *                                     OBJECT and the `at` of COLUMNS, LIST and VALUES
 * A REAL that is not finite is null in any case. XPD_RECORD_TABLE alone makes a record of an
 * existing struct. The caller owns everything that pointers refer to (usually the arena of the
 * request). */
#ifndef XPROFD_ANSWER_RECORD_H
#define XPROFD_ANSWER_RECORD_H

#include "xprofd/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XPD_UNKNOWN INT64_MIN /* of SIGNED and BIG */

enum xpd_kind {
    XPD_BOOL,
    XPD_FLAG,
    XPD_INT,
    XPD_SIGNED,
    XPD_COUNT,
    XPD_INDEX,
    XPD_BIG,
    XPD_ID,
    XPD_REAL,
    XPD_TEXT,
    XPD_STRING,
    XPD_NAME,
    XPD_WORD,
    XPD_OBJECT,
    XPD_COLUMNS,
    XPD_INLINE,
    XPD_LIST,
    XPD_VALUES
};

struct xpd_record;
struct xpd_record_field { /* in 40 bytes: the program has 3,500 of them */
    const char *key, *help;
    uint32_t offset; /* of the member */
    enum xpd_kind kind : 8;
    enum xpd_kind item : 8;               /* VALUES: of what */
    bool maybe : 1;                       /* null is possible */
    const char *words;                    /* WORD: "device host" */
    const struct xpd_record *(*of)(void); /* OBJECT, COLUMNS, INLINE, LIST */
};
struct xpd_record {
    const char *name; /* of the struct */
    const struct xpd_record_field *field;
    uint32_t count;
    size_t size; /* of the struct */
};

/* The member of COLUMNS, INLINE, LIST and VALUES: `at` has `n` structs or values. */
struct xpd_rows {
    const void *at;
    uint32_t n;
};

#define XPD_TYPE_BOOL        bool
#define XPD_TYPE_FLAG        int8_t
#define XPD_TYPE_INT         int64_t
#define XPD_TYPE_SIGNED      int64_t
#define XPD_TYPE_COUNT       uint32_t
#define XPD_TYPE_INDEX       uint32_t
#define XPD_TYPE_BIG         int64_t
#define XPD_TYPE_ID          uint64_t
#define XPD_TYPE_REAL        double
#define XPD_TYPE_TEXT        struct xpd_str
#define XPD_TYPE_STRING      const char *
#define XPD_TYPE_NAME        struct xpd_str
#define XPD_TYPE_WORD(words) const char *
#define XPD_TYPE_OBJECT(r)   const struct r *
#define XPD_TYPE_COLUMNS(r)                                                                        \
    struct {                                                                                       \
        const struct r *at;                                                                        \
        uint32_t n;                                                                                \
    }
#define XPD_TYPE_INLINE(r) XPD_TYPE_COLUMNS(r)
#define XPD_TYPE_LIST(r)   XPD_TYPE_COLUMNS(r)
#define XPD_TYPE_VALUES(k)                                                                         \
    struct {                                                                                       \
        const XPD_TYPE_##k *at;                                                                    \
        uint32_t n;                                                                                \
    }
#define XPD_TYPE_MAYBE(k) XPD_TYPE_##k

#define XPD_KIND_BOOL       .kind = XPD_BOOL
#define XPD_KIND_FLAG       .kind = XPD_FLAG
#define XPD_KIND_INT        .kind = XPD_INT
#define XPD_KIND_SIGNED     .kind = XPD_SIGNED
#define XPD_KIND_COUNT      .kind = XPD_COUNT
#define XPD_KIND_INDEX      .kind = XPD_INDEX
#define XPD_KIND_BIG        .kind = XPD_BIG
#define XPD_KIND_ID         .kind = XPD_ID
#define XPD_KIND_REAL       .kind = XPD_REAL
#define XPD_KIND_TEXT       .kind = XPD_TEXT
#define XPD_KIND_STRING     .kind = XPD_STRING
#define XPD_KIND_NAME       .kind = XPD_NAME
#define XPD_KIND_WORD(list) .kind = XPD_WORD, .words = (list)
#define XPD_KIND_OBJECT(r)  .kind = XPD_OBJECT, .of = r##_record
#define XPD_KIND_COLUMNS(r) .kind = XPD_COLUMNS, .of = r##_record
#define XPD_KIND_INLINE(r)  .kind = XPD_INLINE, .of = r##_record
#define XPD_KIND_LIST(r)    .kind = XPD_LIST, .of = r##_record
#define XPD_KIND_VALUES(k)  .kind = XPD_VALUES, .item = XPD_##k
#define XPD_KIND_MAYBE(k)   XPD_KIND_##k, .maybe = true

#define XPD_FIELD_MEMBER(kind, name, text) XPD_TYPE_##kind name;
#define XPD_FIELD_ENTRY(kind_, name, text)                                                         \
    {XPD_KIND_##kind_, .key = #name, .help = (text), .offset = offsetof(self, name)},

/* In a header: the struct, and the function that a C file defines with XPD_RECORD_TABLE. */
#define XPD_RECORD_TYPE(tag, FIELDS)                                                               \
    struct tag {                                                                                   \
        FIELDS(XPD_FIELD_MEMBER)                                                                   \
    };                                                                                             \
    const struct xpd_record *tag##_record(void);
#define XPD_RECORD_TABLE(tag, FIELDS)                                                              \
    const struct xpd_record *tag##_record(void)                                                    \
    {                                                                                              \
        typedef struct tag self;                                                                   \
        static const struct xpd_record_field field[] = {FIELDS(XPD_FIELD_ENTRY)};                  \
        static const struct xpd_record record = {#tag, field, sizeof field / sizeof *field,        \
                                                 sizeof(self)};                                    \
        return &record;                                                                            \
    }
/* Both, of a record that one C file uses. */
#define XPD_RECORD(tag, FIELDS)                                                                    \
    XPD_RECORD_TYPE(tag, FIELDS)                                                                   \
    XPD_RECORD_TABLE(tag, FIELDS)

/* The unit at the end of a key: "ps", "ns", "bytes", "flops", "per s" ...; "" has none. */
const char *xpd_key_unit(const char *key);
/* The length of the key without it. */
size_t xpd_key_stem(const char *key);
/* The COLUMNS or INLINE field of this key; NULL = none. */
const struct xpd_record_field *xpd_record_table(const struct xpd_record *record, const char *key);

#endif
