/* Names that differ only in their number. In: borrowed text. Out: the pattern they share, or
 * whether a path has it. */
#include "scope_fold.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool xpd_scope_fold(struct xpd_strbuf *out, struct xpd_str name)
{
    size_t end = name.size;
    while (end > 0 && (name.data[end - 1] == ')' || name.data[end - 1] == ']'))
        end--;
    size_t start = end;
    while (start > 0 && is_digit(name.data[start - 1]))
        start--;
    if (start == end)
        return false;
    xpd_strbuf_add(out, name.data, start);
    xpd_strbuf_putc(out, '*');
    xpd_strbuf_add(out, name.data + end, name.size - end);
    return true;
}

bool xpd_scope_below(struct xpd_str path, struct xpd_str prefix)
{
    size_t at = 0;
    for (size_t i = 0; i < prefix.size; i++) {
        if (at < path.size && path.data[at] == prefix.data[i]) {
            at++;
            continue;
        }
        if (prefix.data[i] != '*' || at == path.size || !is_digit(path.data[at]))
            return false;
        while (at < path.size && is_digit(path.data[at]))
            at++; /* the whole number: layer_1 is not all of layer_12 */
    }
    return at == path.size || path.data[at] == '/';
}
