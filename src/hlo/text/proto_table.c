/* The fields of an HloProto by message, and the words of its enums. */
#include "proto_table.h"

#include <string.h>

enum {
#define M(message, ...) MESSAGE_##message,
#include "proto_fields.def"
#undef M
    MESSAGES
};

#define SUB_MSG(message)         MESSAGE_##message
#define SUB_ENUM(words)          XPD_WORDS_##words
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

static const char *const word_list[XPD_WORD_LISTS] = {
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

static bool same_letters(const char *a, struct xpd_str b)
{
    for (size_t i = 0; i < b.size; i++) {
        char c = b.data[i];
        if (a[i] != (c >= 'a' && c <= 'z' ? (char)(c - 32) : c))
            return false;
    }
    return true;
}

/* `whole`: the text must be at the beginning. */
static bool find_word(const char *at, struct xpd_str text, bool whole, int64_t *value)
{
    *value = 0;
    for (size_t size; text.size != 0 && *at; at += size + (at[size] == ' '), ++*value) {
        size = strcspn(at, " ");
        if (size < text.size || !same_letters(at + size - text.size, text))
            continue;
        if (size == text.size || (!whole && at[size - text.size - 1] == '_'))
            return true;
    }
    return false;
}

bool xpd_proto_value(uint16_t words, struct xpd_str text, int64_t *value)
{
    return find_word(word_list[words], text, true, value) ||
           find_word(word_list[words], text, false, value);
}
