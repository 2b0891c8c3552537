/* Names for grouping and for silences. In: op names as JAX writes them. Out: scopes without the
 * marks of transformations and without numbers, so that a recomputed or another layer's array has
 * the same name. */
#include "xprofd/doctor/doctor.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next part of a path; slashes inside parentheses do not count. */
static bool next_part(struct xpd_str *rest, struct xpd_str *part)
{
    while (rest->size > 0 && rest->data[0] == '/') {
        rest->data++;
        rest->size--;
    }
    size_t end = 0;
    uint32_t depth = 0;
    for (; end < rest->size && (rest->data[end] != '/' || depth > 0); end++) {
        depth += rest->data[end] == '(';
        depth -= rest->data[end] == ')' && depth > 0;
    }
    *part = (struct xpd_str){rest->data, end};
    rest->data += end;
    rest->size -= end;
    return end > 0;
}

/* transpose(jvp(block)) is block; jit(...) of the whole program is nothing. */
static struct xpd_str unwrap(struct xpd_str part)
{
    static const char *const mark[] = {"transpose(", "jvp(", "checkpoint(", "remat(", "vmap("};
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
            size_t size = strlen(mark[i]);
            if (!xpd_str_starts(part, mark[i]) || part.data[part.size - 1] != ')')
                continue;
            part = (struct xpd_str){part.data + size, part.size - size - 1};
            again = part.size > 0;
        }
    }
    return part;
}

static bool is_mark(struct xpd_str part)
{
    static const char *const mark[] = {"checkpoint", "rematted_computation", "remat", "jvp",
                                       "transpose"};
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
        if (xpd_str_eq(part, xpd_str_of(mark[i])))
            return true;
    return part.size == 0 || xpd_str_starts(part, "jit(") || xpd_str_starts(part, "pjit(");
}

void xpd_doctor_scope(struct xpd_strbuf *out, struct xpd_str op_name)
{
    struct xpd_str rest = op_name, part;
    bool any = false;
    while (next_part(&rest, &part)) {
        part = unwrap(part);
        if (is_mark(part))
            continue;
        if (any)
            xpd_strbuf_putc(out, '/');
        any = true;
        for (size_t i = 0; i < part.size; i++) {
            if (!is_digit(part.data[i])) {
                xpd_strbuf_putc(out, part.data[i]);
                continue;
            }
            while (i + 1 < part.size && is_digit(part.data[i + 1]))
                i++;
            xpd_strbuf_putc(out, '*');
        }
    }
}

bool xpd_doctor_glob(struct xpd_str pattern, struct xpd_str text)
{
    size_t p = 0, t = 0, star = SIZE_MAX, from = 0;
    while (t < text.size) {
        if (p < pattern.size && pattern.data[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.size &&
                   (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.data[p] == '*')
        p++;
    return p == pattern.size;
}
