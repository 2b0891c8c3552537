/* The operations of MLIR bytecode version 0: names, operands, results, regions. In: the section.
 * Out: text in MLIR's generic form, without attributes and types.
 *
 * Values are numbered as MLIR prints them: block arguments as %arg0 and on, results from %0; those
 * of an inner region go on after all of the region around it. */
#include "kernel_internal.h"

#include "xprofd/base/vec.h"

enum { DEPTH_MOST = 64, COUNT_MOST = 1 << 20 };
enum {
    HAS_ATTRIBUTES = 1,
    HAS_RESULTS = 2,
    HAS_OPERANDS = 4,
    HAS_SUCCESSORS = 8,
    HAS_REGIONS = 16
};

struct value {
    uint32_t number, of, results; /* argument: results 0 */
};

struct walk {
    struct xpd_strbuf *out;
    struct xpd_mlir *m;
    struct xpd_mlir_bytes from;
    XPD_VEC(struct value) value;
    size_t scope; /* where the values begin that operations may name: those of the region that sees
                     nothing around it */
};

struct region {
    size_t next;                          /* place of the value to be defined next */
    uint32_t arguments, results;          /* numbers to be given next */
    uint32_t first_argument, last_result; /* its first; behind its last, if it had no arguments */
};

/* A count that the bytes left can hold. */
static uint32_t take_count(struct walk *w)
{
    uint64_t count = xpd_mlir_int(&w->from);
    if (count > (uint64_t)(w->from.end - w->from.at) || count > COUNT_MOST)
        w->from.failed = true;
    return w->from.failed ? 0 : (uint32_t)count;
}

static void define(struct walk *w, struct region *region, struct value value)
{
    if (region->next < w->value.count)
        w->value.at[region->next++] = value;
    else
        w->from.failed = true;
}

static void put_value(struct walk *w, uint64_t index)
{
    if (index >= w->value.count - w->scope) {
        xpd_strbuf_puts(w->out, "%?");
        return;
    }
    const struct value *value = &w->value.at[w->scope + index];
    xpd_strbuf_puts(w->out, value->results ? "%" : "%arg");
    xpd_strbuf_u64(w->out, value->number);
    if (value->results > 1)
        xpd_strbuf_printf(w->out, "#%u", value->of);
}

static void put_indent(struct walk *w, int depth)
{
    for (int i = 0; i < depth; i++)
        xpd_strbuf_puts(w->out, "  ");
}

static void put_region(struct walk *w, const struct region *around, int depth);

static void put_operands(struct walk *w)
{
    uint32_t count = take_count(w);
    for (uint32_t i = 0; i < count && !w->from.failed; i++) {
        if (i)
            xpd_strbuf_puts(w->out, ", ");
        put_value(w, xpd_mlir_int(&w->from));
    }
}

static void put_results(struct walk *w, struct region *region)
{
    uint32_t count = take_count(w), number = region->results;
    for (uint32_t i = 0; i < count && !w->from.failed; i++) {
        (void)xpd_mlir_int(&w->from); /* its type */
        define(w, region, (struct value){number, i, count});
    }
    if (count == 0)
        return;
    region->results++;
    xpd_strbuf_putc(w->out, '%');
    xpd_strbuf_u64(w->out, number);
    if (count > 1)
        xpd_strbuf_printf(w->out, ":%u", count);
    xpd_strbuf_puts(w->out, " = ");
}

static void put_operation(struct walk *w, struct region *region, int depth)
{
    uint64_t name = xpd_mlir_int(&w->from);
    uint8_t has = w->from.at < w->from.end ? *w->from.at++ : 0;
    (void)xpd_mlir_int(&w->from); /* location */
    if (has & HAS_ATTRIBUTES)
        (void)xpd_mlir_int(&w->from);
    put_indent(w, depth);
    if (has & HAS_RESULTS)
        put_results(w, region);
    xpd_strbuf_putc(w->out, '"');
    if (name < w->m->op_count) {
        xpd_mlir_put(w->out, w->m->op[name].dialect);
        xpd_strbuf_putc(w->out, '.');
        xpd_mlir_put(w->out, w->m->op[name].name);
    } else {
        xpd_strbuf_putc(w->out, '?');
    }
    xpd_strbuf_puts(w->out, "\"(");
    if (has & HAS_OPERANDS)
        put_operands(w);
    xpd_strbuf_putc(w->out, ')');
    if (has & HAS_SUCCESSORS)
        for (uint32_t i = 0, count = take_count(w); i < count && !w->from.failed; i++)
            xpd_strbuf_printf(w->out, "%s^bb%llu%s", i ? ", " : "[",
                              (unsigned long long)xpd_mlir_int(&w->from),
                              i + 1 == count ? "]" : "");
    if (has & HAS_REGIONS) {
        uint64_t head = xpd_mlir_int(&w->from), regions = head >> 1;
        size_t scope = w->scope;
        if (head & 1) /* they see no values of around them */
            w->scope = w->value.count;
        for (uint64_t i = 0; i < regions && !w->from.failed; i++) {
            xpd_strbuf_puts(w->out, i ? ", {\n" : " ({\n");
            put_region(w, head & 1 ? NULL : region, depth + 1);
            put_indent(w, depth);
            xpd_strbuf_puts(w->out, i + 1 == regions ? "})" : "}");
        }
        w->scope = scope;
    }
    xpd_strbuf_putc(w->out, '\n');
}

static void put_block(struct walk *w, struct region *region, uint32_t block, int depth)
{
    uint64_t head = xpd_mlir_int(&w->from), ops = head >> 1;
    if (head & 1) {
        uint32_t count = take_count(w);
        put_indent(w, depth - 1);
        xpd_strbuf_printf(w->out, "^bb%u(", block);
        for (uint32_t i = 0; i < count && !w->from.failed; i++) {
            (void)xpd_mlir_int(&w->from); /* type */
            (void)xpd_mlir_int(&w->from); /* location */
            xpd_strbuf_printf(w->out, "%s%%arg%u", i ? ", " : "", region->arguments);
            define(w, region, (struct value){region->arguments++, 0, 0});
        }
        xpd_strbuf_puts(w->out, "):\n");
    }
    for (uint64_t i = 0; i < ops && !w->from.failed; i++)
        put_operation(w, region, depth);
}

static void put_region(struct walk *w, const struct region *around, int depth)
{
    uint32_t blocks = take_count(w), values = blocks ? take_count(w) : 0;
    size_t before = w->value.count;
    if (depth >= DEPTH_MOST)
        w->from.failed = true;
    for (uint32_t i = 0; i < values && !w->value.failed; i++)
        XPD_PUSH(&w->value, ((struct value){0, 0, 0}));
    struct region region = {.next = before};
    if (around) { /* numbers go on behind all of the region around */
        region.arguments = region.first_argument = around->arguments;
        region.results = around->last_result - (around->arguments - around->first_argument);
    }
    region.last_result = region.results + values;
    for (uint32_t i = 0; i < blocks && !w->from.failed; i++)
        put_block(w, &region, i, depth);
    w->value.count = before;
}

void xpd_mlir_put_operations(struct xpd_strbuf *out, struct xpd_mlir *m)
{
    struct walk w = {.out = out, .m = m, .from = m->section[XPD_MLIR_IR]};
    struct region top = {.next = 0};
    if (w.from.at)
        put_block(&w, &top, 0, 1);
    m->cut = m->cut || w.from.failed || w.value.failed;
    XPD_VEC_FINI(&w.value);
}
