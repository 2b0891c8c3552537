/* The lines of a node's label in XProf's words (2.3). In: an instruction. Out: Graphviz's HTML-like
 * text. */
#include "dot_parts.h"

#include "xprofd/hlo/gpu_config.h"

enum { SHAPE_MAX = 64, GROUPS_MAX = 128, ELEMENTS_MAX = 64 /* deeper than tuples of a file */ };

void xpd_dot_title(struct xpd_dot *d, uint32_t i)
{
    struct xpd_str name = xpd_dot_name_of(d, i), opcode = xpd_dot_opcode_of(d, i);
    if (xpd_dot_is(d, i, "parameter")) {
        xpd_strbuf_printf(d->out, "<b>Parameter %lld</b>",
                          (long long)d->hlo->instructions.parameter_number[i]);
        return;
    }
    xpd_strbuf_puts(d->out, "<b>");
    xpd_markup_put(d->out, name);
    xpd_strbuf_puts(d->out, "</b>");
    if (name.size >= opcode.size && memcmp(name.data, opcode.data, opcode.size) == 0)
        return;
    xpd_dot_line(d);
    xpd_markup_put(d->out, opcode);
    if (xpd_dot_is(d, i, "fusion")) {
        xpd_strbuf_putc(d->out, ':');
        xpd_markup_put(d->out, xpd_hlo_text(d->hlo, d->hlo->instructions.fusion_kind[i]));
    }
}

void xpd_dot_trivial(struct xpd_dot *d, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t first = ins->called_first[i], count = ins->called_first[i + 1] - first;
    if (xpd_dot_is(d, i, "fusion"))
        return;
    for (uint32_t k = 0; k < count; k++) {
        const char *does = ins->called[first + k] == XPD_NO_INDEX
                               ? NULL
                               : d->g->index->trivial[ins->called[first + k]];
        if (!does)
            continue;
        xpd_dot_line(d);
        if (count == 1)
            xpd_strbuf_printf(d->out, "Subcomputation: <b>%s</b>", does);
        else
            xpd_strbuf_printf(d->out, "Subcomputation %u: <b>%s</b>", k, does);
    }
}

static void put_cut(struct xpd_dot *d, struct xpd_str text, size_t most)
{
    bool cut = text.size > most;
    xpd_markup_put(d->out, (struct xpd_str){text.data, cut ? most - 3 : text.size});
    if (cut)
        xpd_strbuf_puts(d->out, "...");
}

static void put_attribute(struct xpd_dot *d, struct xpd_str line)
{
    bool bold = xpd_str_starts(line, "feature_group_count=");
    bool long_list = xpd_str_starts(line, "replica_groups=") ||
                     xpd_str_starts(line, "source_target_pairs=") ||
                     xpd_str_starts(line, "control-predecessors=");
    xpd_dot_line(d);
    if (bold)
        xpd_strbuf_puts(d->out, "<b>");
    put_cut(d, line, long_list ? GROUPS_MAX : SIZE_MAX);
    if (bold)
        xpd_strbuf_puts(d->out, "</b>");
}

static bool has_several_dims(const struct xpd_shape *shape, int depth)
{
    if (shape->rank > 1)
        return true;
    for (uint32_t i = 0; i < shape->element_count && depth < SHAPE_MAX; i++)
        if (has_several_dims(&shape->element[i], depth + 1))
            return true;
    return false;
}

static void put_shape(struct xpd_dot *d, uint32_t i)
{
    const struct xpd_shape *shape = d->hlo->instructions.shape[i];
    struct xpd_strbuf text = {0};
    xpd_dot_line(d);
    xpd_shape_text(&text, shape, !xpd_dot_is(d, i, "tuple") && has_several_dims(shape, 0));
    put_cut(d, xpd_dot_whole(&text), SHAPE_MAX);
    xpd_strbuf_fini(&text);
}

/* The instruction behind `i` that does not change its value, XPD_NO_INDEX = `i` makes it. `element`
 * holds which elements of tuples are still to be taken, the innermost last. */
static uint32_t value_behind(const struct xpd_dot *d, uint32_t i, int64_t element[ELEMENTS_MAX],
                             uint32_t *depth)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    if (xpd_dot_is(d, i, "bitcast") || xpd_dot_is(d, i, "copy"))
        return xpd_dot_operand_of(d, i, 0);
    if (xpd_dot_is(d, i, "get-tuple-element") && *depth < ELEMENTS_MAX) {
        element[(*depth)++] = ins->tuple_index[i];
        return xpd_dot_operand_of(d, i, 0);
    }
    if (xpd_dot_is(d, i, "tuple") && *depth > 0) {
        int64_t at = element[--*depth];
        return at >= 0 && at < UINT32_MAX ? xpd_dot_operand_of(d, i, (uint32_t)at) : XPD_NO_INDEX;
    }
    uint32_t first = ins->called_first[i];
    if (!xpd_dot_is(d, i, "call") || first == ins->called_first[i + 1] ||
        ins->called[first] == XPD_NO_INDEX)
        return XPD_NO_INDEX;
    return d->hlo->computations.root[ins->called[first]];
}

/* The instruction whose value a call passes to a parameter, in any computation: XProf's rule,
 * checked with calls, loops and tuples as operands. */
static uint32_t producer_of(const struct xpd_dot *d, uint32_t i)
{
    int64_t element[ELEMENTS_MAX];
    uint32_t depth = 0;
    for (uint32_t hops = 0; hops < d->hlo->instructions.count; hops++) {
        uint32_t behind = value_behind(d, i, element, &depth);
        if (behind == XPD_NO_INDEX)
            return i;
        i = behind;
    }
    return i;
}

static void put_call_source(struct xpd_dot *d, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t caller = d->g->index->call_of[ins->computation[i]];
    if (!xpd_dot_is(d, i, "parameter") || caller == XPD_NO_INDEX)
        return;
    int64_t number = ins->parameter_number[i];
    uint32_t operand = number >= 0 && number < UINT32_MAX
                           ? xpd_dot_operand_of(d, caller, (uint32_t)number)
                           : XPD_NO_INDEX;
    if (operand == XPD_NO_INDEX)
        return;
    uint32_t from = producer_of(d, operand);
    xpd_dot_line(d);
    xpd_strbuf_puts(d->out, "<i>from ");
    xpd_markup_put(d->out, xpd_dot_name_of(d, from));
    xpd_strbuf_puts(d->out, " in ");
    if (ins->computation[from] == d->hlo->entry)
        xpd_strbuf_puts(d->out, "the ENTRY computation");
    else
        xpd_markup_put(d->out,
                       xpd_hlo_text(d->hlo, d->hlo->computations.name[ins->computation[from]]));
    xpd_strbuf_puts(d->out, "</i>");
}

static bool draws_body(const struct xpd_dot *d, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t first = ins->called_first[i];
    return xpd_dot_is(d, i, "fusion") && first < ins->called_first[i + 1] &&
           ins->called[first] != XPD_NO_INDEX && xpd_graph_draws_body(d->g, ins->called[first]);
}

/* The text from *at to the next `end`, which *at then is behind; false at the end of all. */
static bool next_piece(const struct xpd_strbuf *text, char end, size_t *at, struct xpd_str *piece)
{
    if (*at >= text->size)
        return false;
    const char *from = text->data + *at, *to = memchr(from, end, text->size - *at);
    *piece = (struct xpd_str){from, to ? (size_t)(to - from) : text->size - *at};
    *at += piece->size + 1;
    return true;
}

void xpd_dot_extra(struct xpd_dot *d, uint32_t i)
{
    struct xpd_strbuf text = {0};
    struct xpd_str piece;
    put_call_source(d, i);
    xpd_hlo_print_attributes(d->printer, i,
                             XPD_PRINT_PERCENT | XPD_PRINT_CONTROL | XPD_PRINT_NO_CALLED |
                                 XPD_PRINT_METADATA | XPD_PRINT_XPROF, /* that of shardings */
                             '\x1f', &text);
    for (size_t at = 0; next_piece(&text, '\x1f', &at, &piece);)
        put_attribute(d, piece);
    xpd_strbuf_fini(&text);
    if (!draws_body(d, i))
        put_shape(d, i);
}

/* A call of a GPU's library: its properties, below an empty line when there are several. */
static bool put_library_call(struct xpd_dot *d, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    enum { C64 = 15, C128 = 18 };
    bool is_complex = ins->shape[i]->type == C64 || ins->shape[i]->type == C128;
    struct xpd_strbuf lines = {0};
    struct xpd_str line;
    if (!xpd_dot_is(d, i, "custom-call"))
        return false;
    uint32_t count =
        xpd_gpu_config_lines(xpd_hlo_text(d->hlo, ins->call_target[i]),
                             xpd_hlo_config(d->printer, i, XPD_PRINT_XPROF), is_complex, &lines);
    if (count > 1)
        xpd_dot_line(d);
    for (size_t at = 0; next_piece(&lines, '\n', &at, &line);) {
        xpd_dot_line(d);
        xpd_markup_put(d->out, line);
    }
    d->out->failed |= lines.failed;
    xpd_strbuf_fini(&lines);
    return count > 0;
}

void xpd_dot_config(struct xpd_dot *d, uint32_t i)
{
    struct xpd_str config = XPD_STR("");
    if (put_library_call(d, i))
        return;
    if (d->show_config)
        config = xpd_hlo_config(d->printer, i, XPD_PRINT_XPROF);
    if (config.size == 0)
        return;
    xpd_dot_line(d);
    xpd_strbuf_puts(d->out, "backend_config=\"");
    xpd_markup_put(d->out, config);
    xpd_strbuf_putc(d->out, '"');
}
