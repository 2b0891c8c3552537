/* The operations of MLIR bytecode version 0: names, operands, results, regions, attributes, types.
 * In: the section. Out: text in MLIR's generic form; a builtin.module around all of it as MLIR
 * prints that.
 *
 * Values are numbered as MLIR prints them: block arguments as %arg0 and on, results from %0; those
 * of an inner region continue after all of the outer region. */
#include "kernel_internal.h"

#include "xprofd/base/vec.h"

enum { DEPTH_MOST = 64 };
#define NO_ATTRIBUTES UINT64_MAX
enum {
    HAS_ATTRIBUTES = 1,
    HAS_RESULTS = 2,
    HAS_OPERANDS = 4,
    HAS_SUCCESSORS = 8,
    HAS_REGIONS = 16
};

struct value {
    uint32_t number, of, results; /* argument: results 0 */
    uint64_t type;
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
    uint32_t count = xpd_mlir_count(&w->from);
    for (uint32_t i = 0; i < count && !w->from.failed; i++) {
        if (i)
            xpd_strbuf_puts(w->out, ", ");
        put_value(w, xpd_mlir_int(&w->from));
    }
}

static void put_results(struct walk *w, struct region *region)
{
    uint32_t count = xpd_mlir_count(&w->from), number = region->results;
    for (uint32_t i = 0; i < count && !w->from.failed; i++)
        define(w, region, (struct value){number, i, count, xpd_mlir_int(&w->from)});
    if (count == 0)
        return;
    region->results++;
    xpd_strbuf_putc(w->out, '%');
    xpd_strbuf_u64(w->out, number);
    if (count > 1)
        xpd_strbuf_printf(w->out, ":%u", count);
    xpd_strbuf_puts(w->out, " = ");
}

/* "(i32, i32) -> i1": the operands are read again, the results lie from `first` on. */
static void put_types(struct walk *w, struct xpd_mlir_bytes operands, size_t first, size_t end)
{
    uint32_t count = operands.at ? xpd_mlir_count(&operands) : 0;
    xpd_strbuf_puts(w->out, " : (");
    for (uint32_t i = 0; i < count && !w->m->full; i++) {
        uint64_t index = xpd_mlir_int(&operands);
        xpd_strbuf_puts(w->out, i ? ", " : "");
        xpd_mlir_put_type(
            w->out, w->m,
            index < w->value.count - w->scope ? w->value.at[w->scope + index].type : UINT64_MAX, 0);
    }
    xpd_strbuf_puts(w->out, ") -> ");
    bool one = end - first == 1;
    xpd_strbuf_puts(w->out, one ? "" : "(");
    for (size_t i = first; i < end && !w->m->full; i++) {
        xpd_strbuf_puts(w->out, i > first ? ", " : "");
        xpd_mlir_put_type(w->out, w->m, w->value.at[i].type, 0);
    }
    xpd_strbuf_puts(w->out, one ? "" : ")");
}

struct operation {
    struct xpd_mlir_op name;
    uint8_t has;
    uint64_t attributes; /* NO_ATTRIBUTES */
};

static struct operation take_operation(struct walk *w)
{
    struct operation op = {.attributes = NO_ATTRIBUTES};
    uint64_t name = xpd_mlir_int(&w->from);
    op.has = w->from.at < w->from.end ? *w->from.at++ : 0;
    (void)xpd_mlir_int(&w->from); /* location */
    if (op.has & HAS_ATTRIBUTES)
        op.attributes = xpd_mlir_int(&w->from);
    op.name = name < w->m->op_count ? w->m->op[name] : (struct xpd_mlir_op){{"?", 1}, {"?", 1}};
    return op;
}

static void put_regions(struct walk *w, struct region *region, int depth, bool named)
{
    uint64_t head = xpd_mlir_int(&w->from), regions = head >> 1;
    size_t scope = w->scope;
    if (head & 1) /* they see no values of around them */
        w->scope = w->value.count;
    for (uint64_t i = 0; i < regions && !w->from.failed; i++) {
        xpd_strbuf_puts(w->out, i ? ", {\n" : named ? " ({\n" : " {\n");
        put_region(w, head & 1 ? NULL : region, depth + 1);
        put_indent(w, depth);
        xpd_strbuf_puts(w->out, i + 1 == regions && named ? "})" : "}");
    }
    w->scope = scope;
}

/* module @name attributes {...} { ... } */
static bool put_module(struct walk *w, const struct operation *op, struct region *region, int depth)
{
    if (!xpd_str_eq(op->name.dialect, XPD_STR("builtin")) ||
        !xpd_str_eq(op->name.name, XPD_STR("module")) || op->has & ~(HAS_ATTRIBUTES | HAS_REGIONS))
        return false;
    put_indent(w, depth);
    xpd_strbuf_puts(w->out, "module");
    if (op->attributes != NO_ATTRIBUTES) {
        struct xpd_str name = xpd_mlir_member(w->m, op->attributes, "sym_name");
        xpd_strbuf_puts(w->out, name.size ? " @" : "");
        xpd_mlir_put(w->out, name);
        xpd_mlir_put_dictionary(w->out, w->m, op->attributes, 0, " attributes ", "sym_name");
    }
    if (op->has & HAS_REGIONS)
        put_regions(w, region, depth, false);
    xpd_strbuf_putc(w->out, '\n');
    return true;
}

static void put_operation(struct walk *w, struct region *region, int depth)
{
    struct operation op = take_operation(w);
    if (put_module(w, &op, region, depth))
        return;
    put_indent(w, depth);
    size_t first = region->next;
    if (op.has & HAS_RESULTS)
        put_results(w, region);
    size_t end = region->next;
    xpd_strbuf_putc(w->out, '"');
    xpd_mlir_put(w->out, op.name.dialect);
    xpd_strbuf_putc(w->out, '.');
    xpd_mlir_put(w->out, op.name.name);
    xpd_strbuf_puts(w->out, "\"(");
    struct xpd_mlir_bytes operands = op.has & HAS_OPERANDS ? w->from : (struct xpd_mlir_bytes){0};
    if (op.has & HAS_OPERANDS)
        put_operands(w);
    xpd_strbuf_putc(w->out, ')');
    if (op.has & HAS_SUCCESSORS)
        for (uint32_t i = 0, count = xpd_mlir_count(&w->from); i < count && !w->from.failed; i++)
            xpd_strbuf_printf(w->out, "%s^bb%llu%s", i ? ", " : "[",
                              (unsigned long long)xpd_mlir_int(&w->from),
                              i + 1 == count ? "]" : "");
    if (op.has & HAS_REGIONS)
        put_regions(w, region, depth, true);
    if (op.attributes != NO_ATTRIBUTES)
        xpd_mlir_put_dictionary(w->out, w->m, op.attributes, 0, " ", NULL);
    put_types(w, operands, first, end);
    xpd_strbuf_putc(w->out, '\n');
}

static void put_block(struct walk *w, struct region *region, uint32_t block, int depth)
{
    uint64_t head = xpd_mlir_int(&w->from), ops = head >> 1;
    if (head & 1) {
        uint32_t count = xpd_mlir_count(&w->from);
        put_indent(w, depth - 1);
        xpd_strbuf_printf(w->out, "^bb%u(", block);
        for (uint32_t i = 0; i < count && !w->from.failed; i++) {
            uint64_t type = xpd_mlir_int(&w->from);
            (void)xpd_mlir_int(&w->from); /* location */
            xpd_strbuf_printf(w->out, "%s%%arg%u: ", i ? ", " : "", region->arguments);
            xpd_mlir_put_type(w->out, w->m, type, 0);
            define(w, region, (struct value){region->arguments++, 0, 0, type});
        }
        xpd_strbuf_puts(w->out, "):\n");
    }
    for (uint64_t i = 0; i < ops && !w->from.failed && !w->m->full; i++)
        put_operation(w, region, depth);
}

static void put_region(struct walk *w, const struct region *around, int depth)
{
    uint32_t blocks = xpd_mlir_count(&w->from), values = blocks ? xpd_mlir_count(&w->from) : 0;
    size_t before = w->value.count;
    if (depth >= DEPTH_MOST)
        w->from.failed = true;
    for (uint32_t i = 0; i < values && !w->value.failed; i++)
        XPD_PUSH(&w->value, ((struct value){0, 0, 0, UINT64_MAX}));
    struct region region = {.next = before};
    if (around) { /* numbers continue after the outer region */
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
        put_block(&w, &top, 0, 0);
    m->cut = m->cut || w.from.failed || w.value.failed;
    XPD_VEC_FINI(&w.value);
}
