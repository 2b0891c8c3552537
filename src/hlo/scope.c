/* Scopes: parts of op name paths, and names that differ only in their number.
 *
 * JAX writes jit(train_step)/transpose(jvp(block))/attention/dot_general: the last part is the
 * operation itself. In: borrowed text. Out: borrowed parts of it, the pattern that names share. */
#include "xprofd/hlo/scope.h"

bool xpd_scope_next_part(struct xpd_str *rest, struct xpd_str *part)
{
    while (rest->size > 0 && rest->data[0] == '/') {
        rest->data++;
        rest->size--;
    }
    if (rest->size == 0)
        return false;
    size_t end = 0;
    uint32_t depth = 0;
    for (; end < rest->size && (rest->data[end] != '/' || depth > 0); end++) {
        if (rest->data[end] == '(')
            depth++;
        else if (rest->data[end] == ')' && depth > 0)
            depth--;
    }
    *part = (struct xpd_str){rest->data, end};
    rest->data += end;
    rest->size -= end;
    return true;
}

static bool is_call_of(struct xpd_str part, const char *name)
{
    return xpd_str_starts(part, name) && part.size > 0 && part.data[part.size - 1] == ')';
}

struct xpd_str xpd_scope_path(struct xpd_str op_name)
{
    struct xpd_str rest = op_name, part, after;
    for (;;) {
        struct xpd_str before = rest;
        after = rest;
        if (!xpd_scope_next_part(&after, &part) ||
            !(is_call_of(part, "jit(") || is_call_of(part, "pjit(")) || after.size <= 1)
            return before;
        rest = (struct xpd_str){after.data + 1, after.size - 1};
    }
}

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

/* ---- phases ---- */

const char *xpd_phase_word(enum xpd_phase phase)
{
    static const char *const words[XPD_PHASE_COUNT] = {NULL, "forward", "backward", "recompute"};
    return (unsigned)phase < XPD_PHASE_COUNT ? words[phase] : NULL;
}

enum xpd_phase xpd_scope_phase(struct xpd_str op_name)
{
    if (xpd_str_find(op_name, XPD_STR("rematted_computation"), false) != SIZE_MAX)
        return XPD_PHASE_RECOMPUTE;
    if (xpd_str_find(op_name, XPD_STR("transpose("), false) != SIZE_MAX)
        return XPD_PHASE_BACKWARD;
    return xpd_str_find(op_name, XPD_STR("jvp("), false) != SIZE_MAX ? XPD_PHASE_FORWARD
                                                                     : XPD_PHASE_NONE;
}

/* The part without the marks around it, outermost first: transpose(jvp(block)) is block. */
static struct xpd_str unmark(struct xpd_str part)
{
    static const char *const call[] = {"transpose(", "jvp(", "rematted_computation(",
                                       "checkpoint("};
    for (size_t i = 0; i < sizeof call / sizeof *call;) {
        if (!is_call_of(part, call[i])) {
            i++;
            continue;
        }
        size_t size = strlen(call[i]);
        part = (struct xpd_str){part.data + size, part.size - size - 1};
        i = 0;
    }
    bool mark = xpd_str_eq(part, XPD_STR("rematted_computation")) ||
                xpd_str_eq(part, XPD_STR("checkpoint"));
    return mark ? XPD_STR("") : part;
}

void xpd_scope_plain(struct xpd_strbuf *out, struct xpd_str op_name)
{
    struct xpd_str rest = xpd_scope_path(op_name), part, next, last = XPD_STR("");
    size_t start = out->size;
    bool more = xpd_scope_next_part(&rest, &part), last_marked = false;
    while (more && xpd_scope_next_part(&rest, &next)) {
        struct xpd_str bare = unmark(part);
        bool marked = bare.size < part.size;
        bool again = (marked || last_marked) && xpd_str_eq(bare, last);
        if (bare.size > 0 && !again) {
            if (out->size > start)
                xpd_strbuf_putc(out, '/');
            xpd_strbuf_add(out, bare.data, bare.size);
        }
        last_marked = bare.size > 0 ? marked : last_marked;
        last = bare.size > 0 ? bare : last;
        part = next;
    }
}
