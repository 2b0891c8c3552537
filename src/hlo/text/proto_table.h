/* The tables of proto_fields.def and proto_words.def. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_PROTO_TABLE_H
#define XPROFD_SRC_HLO_PROTO_TABLE_H

#include "xprofd/base/str.h"
#include <stdbool.h>
#include <stdint.h>

enum xpd_proto_rule { XPD_RULE_ONE, XPD_RULE_MAY, XPD_RULE_MANY, XPD_RULE_MAP };
enum xpd_proto_kind {
    XPD_KIND_I32,
    XPD_KIND_I64,
    XPD_KIND_U32,
    XPD_KIND_U64,
    XPD_KIND_BOOL,
    XPD_KIND_ENUM,
    XPD_KIND_F32,
    XPD_KIND_F64,
    XPD_KIND_STR,
    XPD_KIND_BYTES,
    XPD_KIND_MSG
};

/* The lists of words: XPD_WORDS_FftType and so on. */
enum {
#define W(name, words) XPD_WORDS_##name,
#include "proto_words.def"
#undef W
    XPD_WORD_LISTS
};

struct xpd_proto_field {
    uint16_t number; /* 0 ends the list */
    uint8_t rule, kind;
    uint16_t sub; /* MSG: the message; ENUM: its words */
    const char *name;
};

/* The fields of a message in the order of their numbers; message 0 is the HloProto. */
const struct xpd_proto_field *xpd_proto_fields(uint16_t message);
/* The word for a value of an enum, "" when XLA has none that we know. */
struct xpd_str xpd_proto_word(uint16_t words, int64_t value);
/* The value of the word in HLO text: letters of either case count alike, and the text may leave out
 * what all words of a list begin with ("fprop" for CONVOLUTION_KIND_FPROP). False: none is called
 * that. */
bool xpd_proto_value(uint16_t words, struct xpd_str text, int64_t *value);

#endif
