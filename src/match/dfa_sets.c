/* Sets of bytes in an expression: [brackets], \w and its like. In: the expression's text. Out:
 * bits, in small letters: bytes of a text are made small before they are looked up. */
#include "dfa_internal.h"

#include <ctype.h>
#include <string.h>

static uint8_t folded(char c)
{
    return (uint8_t)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

static void put(uint64_t set[4], uint32_t byte)
{
    set[byte >> 6] |= UINT64_C(1) << (byte & 63);
}

static void invert(uint64_t set[4])
{
    for (int i = 0; i < 4; i++)
        set[i] = ~set[i];
}

void xpd_nfa_put(uint64_t set[4], char c)
{
    put(set, folded(c));
}

bool xpd_nfa_is_word(uint8_t byte)
{
    return byte < 128 && (isalnum(byte) || byte == '_');
}

/* Bytes above 127 are in no class of the C locale. */
bool xpd_nfa_put_escape(char c, uint64_t set[4])
{
    if (c == '\0')
        return false;
    if (!strchr("wWsSdD", c)) {
        xpd_nfa_put(set, c);
        return strchr(".[]{}()*+?^$|/-\\", c) != NULL;
    }
    char kind = (char)(c | 0x20);
    for (uint8_t byte = 0; byte < 128; byte++)
        if (kind == 'w'   ? xpd_nfa_is_word(byte)
            : kind == 's' ? isspace(byte) != 0
                          : isdigit(byte) != 0)
            xpd_nfa_put(set, (char)byte);
    if (c != kind)
        invert(set);
    return true;
}

/* [:class:] at *at; false: not known. */
static bool put_class(const char *text, uint32_t size, uint32_t *at, uint64_t set[4])
{
    static const struct {
        const char *word;
        int (*has)(int);
    } classes[] = {{"alpha", isalpha}, {"digit", isdigit},  {"alnum", isalnum},
                   {"space", isspace}, {"punct", ispunct},  {"lower", isalpha},
                   {"upper", isalpha}, {"xdigit", isxdigit}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        uint32_t length = (uint32_t)strlen(classes[i].word);
        const char *here = text + *at + 2;
        if (*at + 4 + length > size || memcmp(here, classes[i].word, length) != 0 ||
            here[length] != ':' || here[length + 1] != ']')
            continue;
        for (int byte = 0; byte < 128; byte++)
            if (classes[i].has(byte))
                xpd_nfa_put(set, (char)byte);
        *at += length + 4;
        return true;
    }
    return false;
}

/* Whether a range means the same before and after letters are made small: from letter to letter of
 * one case, or without any letter. */
static bool plain_range(char from, char to)
{
    bool letters = false;
    for (int byte = (unsigned char)from; byte <= (unsigned char)to; byte++)
        letters |= isalpha(byte) != 0;
    return !letters || (islower((unsigned char)from) && islower((unsigned char)to)) ||
           (isupper((unsigned char)from) && isupper((unsigned char)to));
}

/* A - that is neither at an end nor between two plain bytes is left to the library. */
bool xpd_nfa_bracket(const char *text, uint32_t size, uint32_t *place, uint64_t set[4])
{
    uint32_t at = *place + 1;
    bool ok = true, inverted = at < size && text[at] == '^';
    at += inverted;
    for (uint32_t first = at; at < size && (at == first || text[at] != ']');) {
        char c = text[at], after = at + 1 < size ? text[at + 1] : 0;
        if (c == '[' && (after == ':' || after == '.' || after == '=')) {
            ok &= put_class(text, size, &at, set);
            if (!ok || (at + 1 < size && text[at] == '-' && text[at + 1] != ']'))
                break;
            continue;
        }
        char last = at + 2 < size ? text[at + 2] : 0;
        bool range = after == '-' && last != ']' && last != 0;
        bool odd_end = range && (last == '[' || last == '-');
        ok &= !odd_end && !(c == '-' && at != first && after != ']');
        ok &= !(c == '-' && range) && !(range && !plain_range(c, last));
        for (uint32_t byte = folded(c); byte <= folded(range ? last : c); byte++)
            put(set, byte);
        at += range ? 3 : 1;
    }
    ok &= at < size && text[at] == ']';
    *place = at + 1;
    if (inverted)
        invert(set);
    return ok;
}
