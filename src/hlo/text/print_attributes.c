/* The attributes between the operands and the metadata: an opcode's own ones (print_own.c), then
 * those that every instruction may have, in the order of XLA's text. */
#include "print_put.h"

#include <stdlib.h>

static void put_computation(struct xpd_print *p, const char *key, uint32_t called)
{
    if (key)
        xpd_put(p, key);
    if (called == XPD_NO_INDEX)
        xpd_strbuf_putc(p->out, '?');
    else
        xpd_print_name(p, p->hlo->computations.name[called]);
}

static void put_computations(struct xpd_print *p, const char *key, const uint32_t *called,
                             uint32_t count, bool braces)
{
    xpd_put(p, key);
    if (braces)
        xpd_strbuf_putc(p->out, '{');
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0)
            xpd_strbuf_puts(p->out, ", ");
        put_computation(p, NULL, called[i]);
    }
    if (braces)
        xpd_strbuf_putc(p->out, '}');
}

static bool is_one_of(struct xpd_str opcode, const char *const *words)
{
    for (; *words; words++)
        if (xpd_str_eq(opcode, xpd_str_of(*words)))
            return true;
    return false;
}

static void called_computations(struct xpd_print *p, uint32_t wrapped)
{
    static const char *const applies[] = {
        "call",           "map",  "reduce-window",    "reduce", "scatter", "all-reduce",
        "reduce-scatter", "sort", "all-reduce-start", "scan",   NULL};
    static const char *const async[] = {"async-start", "async-update", "async-done", NULL};
    const struct xpd_hlo_instructions *ins = &p->hlo->instructions;
    const uint32_t *called = ins->called + ins->called_first[p->instruction];
    uint32_t n = ins->called_first[p->instruction + 1] - ins->called_first[p->instruction];
    struct xpd_str opcode = xpd_print_opcode(p);
    const struct xpd_shape *operand = xpd_first_operand_shape(p);
    if (n == 0)
        return;
    if (xpd_str_eq(opcode, XPD_STR("while")) && n >= 2) {
        put_computation(p, "condition", called[1]);
        put_computation(p, "body", called[0]);
    } else if (xpd_str_eq(opcode, XPD_STR("select-and-scatter")) && n >= 2) {
        put_computation(p, "select", called[0]);
        put_computation(p, "scatter", called[1]);
    } else if (xpd_str_eq(opcode, XPD_STR("conditional"))) {
        if (n == 2 && operand && operand->type == 1) {
            put_computation(p, "true_computation", called[0]);
            put_computation(p, "false_computation", called[1]);
        } else
            put_computations(p, "branch_computations", called, n, true);
    } else if (is_one_of(opcode, applies)) {
        put_computation(p, "to_apply", called[0]);
        if (xpd_str_eq(opcode, XPD_STR("call")))
            xpd_put_true(p, "is_composite", 89);
    } else if (xpd_str_eq(opcode, XPD_STR("custom-call"))) {
        put_computations(p, "called_computations", called, n, true);
    } else if (is_one_of(opcode, async)) {
        if (xpd_str_eq(opcode, XPD_STR("async-start")) && wrapped == XPD_NO_INDEX)
            put_computation(p, "calls", called[0]);
    } else {
        put_computations(p, "calls", called, n, false);
    }
}

struct attribute {
    struct xpd_str key, value;
    uint32_t place; /* in the file: of one key the last one counts */
};

static int by_key(const void *a, const void *b)
{
    const struct attribute *x = a, *y = b;
    int order = xpd_str_order(x->key, y->key);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

void xpd_print_frontend_attributes(struct xpd_print *p, uint32_t number)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw all = xpd_raw_message(scratch, &p->raw, number), entry;
    struct attribute *attribute = XPD_NEW_ARRAY(scratch, struct attribute, xpd_raw_count(&all, 1));
    uint32_t n = 0, at = 0;
    while (attribute && xpd_raw_each(scratch, &all, 1, &at, &entry))
        attribute[n] = (struct attribute){xpd_raw_text(&entry, 1), xpd_raw_text(&entry, 2), n}, n++;
    if (n == 0)
        return;
    qsort(attribute, n, sizeof *attribute, by_key);
    xpd_put(p, "frontend_attributes");
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (i + 1 < n && xpd_str_eq(attribute[i].key, attribute[i + 1].key))
            continue;
        xpd_strbuf_putc(p->out, any ? ',' : '{');
        any = true;
        xpd_strbuf_add(p->out, attribute[i].key.data, attribute[i].key.size);
        xpd_strbuf_putc(p->out, '=');
        xpd_print_dictionary(p->out, attribute[i].value);
    }
    xpd_strbuf_putc(p->out, '}');
}

uint32_t xpd_print_find_local(const struct xpd_print *p, int64_t id)
{
    const struct xpd_hlo *hlo = p->hlo;
    uint32_t computation = hlo->instructions.computation[p->instruction];
    uint32_t found = xpd_map64_get(&hlo->instruction_by_id, (uint64_t)id);
    if (found != XPD_NO_INDEX)
        return found;
    uint32_t first = hlo->computations.first[computation];
    for (uint32_t i = first; i < first + hlo->computations.instruction_count[computation]; i++)
        if ((uint32_t)hlo->instructions.id[i] == (uint32_t)id)
            return i;
    return XPD_NO_INDEX;
}

static void control_predecessors(struct xpd_print *p)
{
    struct xpd_raw_ints ids = xpd_raw_ints(&p->printer->scratch, &p->raw, 37);
    for (uint32_t i = 0; i < ids.count; i++) {
        uint32_t found = xpd_print_find_local(p, ids.at[i]);
        xpd_put_item(p, i == 0, "control-predecessors={", ", ");
        if (found == XPD_NO_INDEX)
            xpd_strbuf_putc(p->out, '?');
        else
            xpd_print_name(p, p->hlo->instructions.name[found]);
    }
    if (ids.count)
        xpd_strbuf_putc(p->out, '}');
}

static void statistics(struct xpd_print *p)
{
    struct xpd_arena *scratch = &p->printer->scratch;
    struct xpd_raw all = xpd_raw_message(scratch, &p->raw, 82), one;
    uint32_t at = 0;
    if (xpd_raw_count(&all, 2) == 0)
        return;
    xpd_print_next(p);
    xpd_strbuf_printf(p->out, "statistics={visualizing_index=%lld",
                      (long long)xpd_raw_int(&all, 1, 0));
    while (xpd_raw_each(scratch, &all, 2, &at, &one)) {
        struct xpd_str name = xpd_raw_text(&one, 1);
        const struct xpd_field *value = xpd_raw_last(&one, 2);
        double real = 0;
        if (value && value->wire_type == 1)
            memcpy(&real, &value->value, sizeof real);
        xpd_strbuf_putc(p->out, ',');
        xpd_strbuf_add(p->out, name.data, name.size);
        xpd_strbuf_printf(p->out, "=%g", real);
    }
    xpd_strbuf_putc(p->out, '}');
}

/* The start of a folded async pair prints the attributes of the wrapped instruction; frontend
 * attributes are its own, if it has any. */
static void folded_attributes(struct xpd_print *p, uint32_t wrapped)
{
    struct xpd_print inner = *p;
    struct xpd_raw own = xpd_raw_message(&p->printer->scratch, &p->raw, 68);
    inner.no_frontend = xpd_raw_count(&own, 1) > 0;
    struct xpd_str thread = xpd_raw_text(&p->raw, 79);
    const struct xpd_field *message = &p->printer->message[wrapped];
    if (thread.size && !xpd_str_eq(thread, XPD_STR("main")))
        xpd_put_quoted(p, "async_execution_thread", 79);
    inner.instruction = wrapped;
    inner.raw = xpd_raw_read(&p->printer->scratch, message->bytes, (size_t)message->size);
    xpd_print_attributes(&inner, XPD_NO_INDEX);
}

static uint32_t leaves_of(const struct xpd_shape *shape)
{
    uint32_t leaves = 0;
    if (shape->type != XPD_TYPE_TUPLE)
        return 1;
    for (uint32_t i = 0; i < shape->element_count; i++)
        leaves += leaves_of(&shape->element[i]);
    return leaves;
}

/* XLA gives each array of a tuple the sharding that is said of the tuple; "()" counts as one. */
static void sharding_of(struct xpd_print *p)
{
    enum { TUPLE = 2 };
    bool metadata = p->flags & XPD_PRINT_METADATA;
    const struct xpd_shape *shape = p->hlo->instructions.shape[p->instruction];
    if (!xpd_raw_has(&p->raw, 40))
        return;
    struct xpd_raw sharding = xpd_raw_message(&p->printer->scratch, &p->raw, 40);
    xpd_put(p, "sharding");
    if (shape->type != XPD_TYPE_TUPLE || xpd_raw_int(&sharding, 1, 0) == TUPLE) {
        xpd_print_sharding(p, &sharding, 0, metadata);
        return;
    }
    uint32_t leaves = leaves_of(shape);
    xpd_strbuf_putc(p->out, '{');
    for (uint32_t i = 0; (i < leaves || i == 0) && !p->out->failed; i++) {
        if (i != 0 && i % 5 == 0)
            xpd_print_index(p->out, i);
        else if (i != 0)
            xpd_strbuf_puts(p->out, ", ");
        xpd_print_sharding(p, &sharding, 0, metadata);
    }
    xpd_strbuf_putc(p->out, '}');
}

void xpd_print_attributes(struct xpd_print *p, uint32_t wrapped)
{
    if (wrapped != XPD_NO_INDEX && xpd_str_eq(xpd_print_opcode(p), XPD_STR("async-start")))
        folded_attributes(p, wrapped);
    xpd_print_own_attributes(p);
    if (!(p->flags & XPD_PRINT_NO_CALLED))
        called_computations(p, wrapped);
    sharding_of(p);
    if (!p->no_frontend)
        xpd_print_frontend_attributes(p, 68);
    if (p->flags & XPD_PRINT_CONTROL)
        control_predecessors(p);
    statistics(p);
    xpd_print_accuracy(p);
}
