/* Types by group. In: a key for each instruction. Out: the lists of types of each key,
 * counted.
 *
 * Lists are compared by a hash of their codes, so that texts are made only for output. */
#include "xprofd/report/type_lists.h"

#include "xprofd/base/map64.h"
#include <stdlib.h>

enum {
    ARRAYS_MOST = 16, /* in a list; further ones are an ellipsis */
    DEPTH_MOST = 8,   /* of tuples in tuples: the nesting is the file's */
    OPEN = INT32_MIN, /* codes in addition to type numbers */
    CLOSE,
    MORE,
    ARROW,
    CODES = 2 * ARRAYS_MOST * (2 * DEPTH_MOST + 1) + 8
};

struct list {
    int32_t code[CODES];
    uint32_t count, arrays;
    bool cut;
};

static void put(struct list *list, int32_t code)
{
    if (list->count < CODES)
        list->code[list->count++] = code;
}

static void put_shape(struct list *list, const struct xpd_shape *shape, uint32_t depth)
{
    if (list->cut)
        return;
    if (list->arrays == ARRAYS_MOST || depth == DEPTH_MOST) {
        list->cut = true;
        put(list, MORE);
        return;
    }
    if (shape->type != XPD_TYPE_TUPLE) {
        list->arrays++;
        put(list, shape->type);
        return;
    }
    list->arrays += shape->element_count == 0;
    put(list, OPEN);
    for (uint32_t i = 0; i < shape->element_count && !list->cut; i++)
        put_shape(list, &shape->element[i], depth + 1);
    put(list, CLOSE);
}

static void read_list(struct list *list, const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t first = all->operand_first[instruction], end = all->operand_first[instruction + 1];
    *list = (struct list){.count = 0};
    put(list, OPEN);
    for (uint32_t k = first; k < end && !list->cut; k++)
        if (all->operand[k] != XPD_NO_INDEX)
            put_shape(list, all->shape[all->operand[k]], 0);
    put(list, CLOSE);
    put(list, ARROW);
    list->cut = false; /* the result has its own memory */
    list->arrays = 0;
    put_shape(list, all->shape[instruction], 0);
}

void xpd_report_types_text(struct xpd_strbuf *out, const struct xpd_hlo *hlo, uint32_t instruction)
{
    struct list list;
    char scratch[16];
    bool first = true;
    read_list(&list, hlo, instruction);
    for (uint32_t i = 0; i < list.count; i++) {
        int32_t code = list.code[i];
        if (!first && code != CLOSE && code != ARROW)
            xpd_strbuf_puts(out, ", ");
        switch (code) {
        case OPEN: xpd_strbuf_putc(out, '('); break;
        case CLOSE: xpd_strbuf_putc(out, ')'); break;
        case MORE: xpd_strbuf_puts(out, "\xe2\x80\xa6"); break;
        case ARROW: xpd_strbuf_puts(out, " \xe2\x86\x92 "); break;
        default: xpd_strbuf_puts(out, xpd_type_name(code, scratch)); break;
        }
        first = code == OPEN || code == ARROW;
    }
}

static int by_key(const void *a, const void *b)
{
    const struct xpd_report_type *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->example > y->example) - (x->example < y->example);
}

int xpd_report_types_make(struct xpd_report_types *out, const struct xpd_hlo *hlo,
                          const uint32_t *key_of, uint32_t keys, struct xpd_arena *arena,
                          struct xpd_err *err)
{
    uint32_t n = hlo->instructions.count, count = 0;
    struct xpd_map64 seen = {0};
    out->type = XPD_NEW_ARRAY(arena, struct xpd_report_type, n);
    out->first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)keys + 1);
    if (!out->type || !out->first)
        return xpd_no_memory(err, NULL, "for the types");
    for (uint32_t i = 0; i < n; i++) {
        struct list list;
        if (key_of[i] == XPD_NO_INDEX)
            continue;
        read_list(&list, hlo, i);
        uint64_t id = xpd_hash((const char *)list.code, list.count * sizeof *list.code);
        id = (id ^ key_of[i]) * UINT64_C(0x9e3779b97f4a7c15) + key_of[i];
        uint32_t at = xpd_map64_get(&seen, id);
        if (at == XPD_NO_INDEX) {
            at = count++;
            xpd_map64_put(&seen, id, at);
            out->type[at] = (struct xpd_report_type){.key = key_of[i], .example = i};
        }
        out->type[at].count++;
    }
    bool failed = seen.failed;
    xpd_map64_fini(&seen);
    if (failed)
        return xpd_no_memory(err, NULL, "for the types");
    if (count > 1)
        qsort(out->type, count, sizeof *out->type, by_key);
    for (uint32_t i = 0; i < count; i++)
        out->first[out->type[i].key + 1]++;
    for (uint32_t k = 0; k < keys; k++)
        out->first[k + 1] += out->first[k];
    return XPD_OK;
}
