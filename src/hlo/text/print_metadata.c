/* OpMetadata, where an instruction came from, and how exact its result is to be. */
#include "print_put.h"

#include <stdlib.h>

struct keys { /* the keys of one OpMetadata, a blank between two */
    struct xpd_print *p;
    bool any;
};

static void next_key(struct keys *keys, const char *key)
{
    if (keys->any)
        xpd_strbuf_putc(keys->p->out, ' ');
    keys->any = true;
    xpd_strbuf_puts(keys->p->out, key);
    xpd_strbuf_putc(keys->p->out, '=');
}

static void put_text(struct keys *keys, const char *key, struct xpd_str text, bool escaped)
{
    if (text.size == 0)
        return;
    next_key(keys, key);
    xpd_strbuf_putc(keys->p->out, '"');
    if (escaped)
        xpd_print_escaped(keys->p->out, text);
    else
        xpd_strbuf_add(keys->p->out, text.data, text.size);
    xpd_strbuf_putc(keys->p->out, '"');
}

static void put_number(struct keys *keys, const char *key, int64_t value)
{
    if (value == 0)
        return;
    next_key(keys, key);
    xpd_strbuf_i64(keys->p->out, value);
}

/* op_name="a" stack_frame_id=1 without the braces, with this number for the frame
 * (0: none); whether there was any. */
static bool print_metadata_text(struct xpd_print *p, const struct xpd_raw *metadata, int64_t frame)
{
    struct keys keys = {p, false};
    put_text(&keys, "op_type", xpd_raw_text(metadata, 1), true);
    put_text(&keys, "op_name", xpd_raw_text(metadata, 2), true);
    put_text(&keys, "source_file", xpd_raw_text(metadata, 3), true);
    put_number(&keys, "source_line", (int32_t)xpd_raw_int(metadata, 4, 0));
    put_number(&keys, "source_end_line", (int32_t)xpd_raw_int(metadata, 17, 0));
    put_number(&keys, "source_column", (int32_t)xpd_raw_int(metadata, 18, 0));
    put_number(&keys, "source_end_column", (int32_t)xpd_raw_int(metadata, 19, 0));
    struct xpd_raw_ints profile = xpd_raw_ints(&p->printer->scratch, metadata, 5);
    if (profile.count) {
        next_key(&keys, "profile_type");
        xpd_strbuf_putc(p->out, '{');
        xpd_print_ints(p->out, profile);
        xpd_strbuf_putc(p->out, '}');
    }
    put_text(&keys, "deduplicated_name", xpd_raw_text(metadata, 12), true);
    /* XProf does not escape this one; a line of ours stays one line. */
    put_text(&keys, "scheduling_name", xpd_raw_text(metadata, 16), !(p->flags & XPD_PRINT_XPROF));
    put_number(&keys, "stack_frame_id", frame);
    put_text(&keys, "metadata_payload", xpd_print_payload_of(p, metadata, 20), true);
    return keys.any;
}

void xpd_print_sharding_metadata(struct xpd_print *p, const struct xpd_raw *raw, uint32_t number)
{
    struct xpd_raw one;
    uint32_t at = 0;
    for (bool first = true; xpd_raw_each(&p->printer->scratch, raw, number, &at, &one);
         first = false) {
        xpd_strbuf_puts(p->out, first ? "{" : ", {");
        print_metadata_text(p, &one, xpd_raw_int(&one, 15, 0));
        xpd_strbuf_putc(p->out, '}');
    }
}

/* XProf's number of the instruction's stack frame; 0 = it has none, or one that is not there. */
static int64_t frame_of(struct xpd_print *p, int64_t frame)
{
    if (frame <= 0 || (uint64_t)frame > p->hlo->frame_count)
        return 0;
    xpd_print_make_frames(p->printer);
    return p->printer->new_frame ? p->printer->new_frame[frame] : 0;
}

void xpd_print_metadata(struct xpd_print *p)
{
    static const char before[] = ", metadata={";
    struct xpd_raw metadata = xpd_raw_message(&p->printer->scratch, &p->raw, 7);
    int64_t frame = xpd_raw_int(&metadata, 15, 0);
    if (xpd_raw_text(&metadata, 1).size == 0 && xpd_raw_text(&metadata, 2).size == 0 &&
        xpd_raw_text(&metadata, 3).size == 0 && xpd_raw_text(&metadata, 16).size == 0 &&
        frame == 0 && !xpd_raw_has(&metadata, 20))
        return;
    size_t from = p->out->size;
    xpd_strbuf_puts(p->out, before);
    if (print_metadata_text(p, &metadata, frame_of(p, frame)))
        xpd_strbuf_putc(p->out, '}');
    else if (!p->out->failed)
        p->out->size = from;
}

/* ---- origin: the name of the instruction before passes replaced it ---- */

struct origin {
    struct xpd_raw_ints index; /* place in the result */
    bool has;
    struct xpd_str name;
    struct xpd_raw_ints of; /* place in the result of the one of that name */
    uint32_t order;
};

enum { ORIGIN_WIDTH = 1024 }; /* members of a tuple that are written */

static int by_index(const void *a, const void *b)
{
    const struct origin *x = a, *y = b;
    for (uint32_t i = 0; i < x->index.count && i < y->index.count; i++)
        if (x->index.at[i] != y->index.at[i])
            return x->index.at[i] < y->index.at[i] ? -1 : 1;
    if (x->index.count != y->index.count)
        return x->index.count < y->index.count ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void put_leaf(struct xpd_print *p, const struct origin *origin)
{
    xpd_strbuf_putc(p->out, '{');
    if (origin->has) {
        xpd_strbuf_putc(p->out, '"');
        xpd_strbuf_add(p->out, origin->name.data, origin->name.size);
        xpd_strbuf_putc(p->out, '"');
        if (origin->of.count) {
            xpd_strbuf_puts(p->out, " {");
            xpd_print_ints(p->out, origin->of);
            xpd_strbuf_putc(p->out, '}');
        }
    }
    xpd_strbuf_putc(p->out, '}');
}

/* The node whose elements are [first, end): all begin with the same `depth` numbers. */
static void put_node(struct xpd_print *p, const struct origin *origin, uint32_t first, uint32_t end,
                     uint32_t depth)
{
    uint32_t at = first;
    while (at < end && origin[at].index.count == depth)
        at++; /* of this node itself: the last one counts, and only where it has no members */
    if (at == end && at > first) {
        put_leaf(p, &origin[at - 1]);
        return;
    }
    xpd_strbuf_putc(p->out, '(');
    for (int64_t k = 0; at < end && depth < XPD_PRINT_DEPTH; k++) {
        uint32_t last = at;
        while (last < end && origin[last].index.at[depth] <= k)
            last++;
        xpd_strbuf_puts(p->out, k ? ", " : "");
        if (k == ORIGIN_WIDTH) {
            xpd_strbuf_puts(p->out, "...");
            break;
        }
        put_node(p, origin, at, last, depth + 1);
        at = last;
    }
    xpd_strbuf_putc(p->out, ')');
}

static uint32_t read_origin(struct xpd_print *p, const struct xpd_raw *value, struct origin *origin)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw element;
    uint32_t at = 0, n = 0;
    while (origin && xpd_raw_each(scratch, value, 1, &at, &element)) {
        struct xpd_raw array = xpd_raw_message(scratch, &element, 2);
        origin[n] = (struct origin){.index = xpd_raw_ints(scratch, &element, 1),
                                    .has = xpd_raw_has(&element, 2),
                                    .name = xpd_raw_text(&array, 1),
                                    .of = xpd_raw_ints(scratch, &array, 2),
                                    .order = n};
        bool valid = true;
        for (uint32_t i = 0; i < origin[n].index.count; i++)
            valid = valid && origin[n].index.at[i] >= 0;
        n += valid;
    }
    return n;
}

void xpd_print_origin(struct xpd_print *p)
{
    if (!xpd_raw_has(&p->raw, 88))
        return;
    struct xpd_raw value = xpd_raw_message(&p->printer->scratch, &p->raw, 88);
    struct origin *origin =
        XPD_NEW_ARRAY(&p->printer->scratch, struct origin, xpd_raw_count(&value, 1));
    uint32_t n = read_origin(p, &value, origin);
    struct xpd_str calls = xpd_raw_text(&value, 3);
    if (n > 1)
        qsort(origin, n, sizeof *origin, by_index);
    xpd_put(p, "origin");
    xpd_strbuf_putc(p->out, '{');
    put_node(p, origin, 0, n, 0);
    if (calls.size) {
        xpd_strbuf_puts(p->out, ",[\"");
        xpd_strbuf_add(p->out, calls.data, calls.size);
        xpd_strbuf_puts(p->out, "\"]");
    }
    xpd_strbuf_putc(p->out, '}');
}

/* ---- result_accuracy ---- */

static bool has_accuracy(struct xpd_str opcode)
{
    static const char *const functions[] = {"acos",
                                            "acosh",
                                            "asin",
                                            "asinh",
                                            "atanh",
                                            "cbrt",
                                            "cosh",
                                            "cosine",
                                            "erf",
                                            "exponential",
                                            "exponential-minus-one",
                                            "log",
                                            "log-plus-one",
                                            "logistic",
                                            "rsqrt",
                                            "sine",
                                            "sinh",
                                            "sqrt",
                                            "tan",
                                            "tanh"};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (xpd_str_eq(opcode, xpd_str_of(functions[i])))
            return true;
    return false;
}

static double real_of(const struct xpd_raw *raw, uint32_t number)
{
    const struct xpd_field *field = xpd_raw_last(raw, number);
    double value = 0;
    if (field && field->wire_type == 1)
        memcpy(&value, &field->value, sizeof value);
    return value;
}

void xpd_print_accuracy(struct xpd_print *p)
{
    if (!xpd_raw_has(&p->raw, 91) || !has_accuracy(xpd_print_opcode(p)))
        return;
    struct xpd_raw accuracy = xpd_raw_message(&p->printer->scratch, &p->raw, 91);
    if (xpd_raw_has(&accuracy, 2)) {
        struct xpd_raw tolerance = xpd_raw_message(&p->printer->scratch, &accuracy, 2);
        xpd_put(p, "result_accuracy");
        xpd_strbuf_printf(p->out, "{tolerance={atol=%g,rtol=%g,ulps=%lld}}", real_of(&tolerance, 1),
                          real_of(&tolerance, 2), (long long)xpd_raw_int(&tolerance, 3, 0));
    } else if (xpd_raw_int(&accuracy, 1, 0) == 1) {
        xpd_put(p, "result_accuracy");
        xpd_strbuf_puts(p->out, "{mode=highest}");
    }
}
