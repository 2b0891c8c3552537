/* The fields of an HloProto by message, and the words of its enums. */
#include "proto_table.h"

#include <string.h>

enum {
#define M(message, ...) MESSAGE_##message,
#include "proto_fields.def"
#undef M
    MESSAGES
};
enum {
#define W(name, words) WORDS_##name,
#include "proto_words.def"
#undef W
    WORD_LISTS
};

#define SUB_MSG(message)         MESSAGE_##message
#define SUB_ENUM(words)          WORDS_##words
#define SUB_I32(none)            0
#define SUB_I64(none)            0
#define SUB_U32(none)            0
#define SUB_U64(none)            0
#define SUB_BOOL(none)           0
#define SUB_F32(none)            0
#define SUB_F64(none)            0
#define SUB_STR(none)            0
#define SUB_BYTES(none)          0
#define ONE(n, name, kind, sub)  {n, XPD_RULE_ONE, XPD_KIND_##kind, SUB_##kind(sub), #name},
#define MAY(n, name, kind, sub)  {n, XPD_RULE_MAY, XPD_KIND_##kind, SUB_##kind(sub), #name},
#define MANY(n, name, kind, sub) {n, XPD_RULE_MANY, XPD_KIND_##kind, SUB_##kind(sub), #name},
#define MAP(n, name, kind, sub)  {n, XPD_RULE_MAP, XPD_KIND_##kind, SUB_##kind(sub), #name},

#define M(message, ...) static const struct xpd_proto_field fields_##message[] = {__VA_ARGS__{0}};
#include "proto_fields.def"
#undef M

static const struct xpd_proto_field *const fields[MESSAGES] = {
#define M(message, ...) fields_##message,
#include "proto_fields.def"
#undef M
};

static const char *const word_list[WORD_LISTS] = {
#define W(name, words) words,
#include "proto_words.def"
#undef W
};

const struct xpd_proto_field *xpd_proto_fields(uint16_t message)
{
    return fields[message];
}

struct xpd_str xpd_proto_word(uint16_t words, int64_t value)
{
    const char *at = word_list[words];
    for (; value > 0 && *at; value--) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return (struct xpd_str){at, value == 0 ? strcspn(at, " ") : 0};
}
