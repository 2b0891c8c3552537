/* Hierarchies of operations. In: rows, and which hierarchy. Out: the parts of a row's path. */
#include "xprofd/ops/paths.h"

/* ---- parts ---- */

static void put(struct xpd_ops_paths *p, struct xpd_str part)
{
    if (part.size == 0 || p->count == XPD_OPS_PARTS_MAX)
        return;
    xpd_strbuf_add(&p->text, part.data, part.size);
    p->end[p->count++] = (uint32_t)p->text.size;
}

static void put_word(struct xpd_ops_paths *p, const char *word)
{
    put(p, xpd_str_of(word));
}

static void put_column(struct xpd_ops_paths *p, const struct xpd_op_row *row,
                       enum xpd_op_text column, const char *none)
{
    size_t before = p->text.size;
    if (p->count == XPD_OPS_PARTS_MAX)
        return;
    xpd_op_row_text(&p->text, column, row, &p->program[row->program]);
    if (p->text.size == before)
        xpd_strbuf_puts(&p->text, none);
    p->end[p->count++] = (uint32_t)p->text.size;
}

static void put_program(struct xpd_ops_paths *p, const struct xpd_op_row *row)
{
    if (p->programs)
        put_word(p, p->program[row->program].name);
}

static void put_pass(struct xpd_ops_paths *p, const struct xpd_op_row *row)
{
    const char *word = xpd_phase_word(row->phase);
    if (p->passes)
        put_word(p, word ? word : "no pass");
}

/* The text of a column, apart from the parts; to be freed. */
static struct xpd_strbuf text_of(const struct xpd_ops_paths *p, const struct xpd_op_row *row,
                                 enum xpd_op_text column)
{
    struct xpd_strbuf text = {0};
    xpd_op_row_text(&text, column, row, &p->program[row->program]);
    return text;
}

static void put_scopes(struct xpd_ops_paths *p, struct xpd_str rest)
{
    struct xpd_str part;
    while (xpd_scope_next_part(&rest, &part))
        put(p, part);
}

/* "decoder/block_*", "block_3", the pass, what is below. */
static void put_layer(struct xpd_ops_paths *p, const struct xpd_op_row *row, struct xpd_str scope)
{
    struct xpd_strbuf outer = {0};
    struct xpd_str rest = scope, part;
    bool found = false;
    while (!found && xpd_scope_next_part(&rest, &part)) {
        xpd_strbuf_puts(&outer, outer.size > 0 ? "/" : "");
        found = xpd_scope_fold(&outer, part);
        if (!found)
            xpd_strbuf_add(&outer, part.data, part.size);
    }
    if (found) {
        put(p, (struct xpd_str){outer.data, outer.size});
        put(p, part);
        put_pass(p, row);
        put_scopes(p, rest);
    } else {
        put_word(p, "outside of layers");
        put_scopes(p, scope);
    }
    p->text.failed |= outer.failed;
    xpd_strbuf_fini(&outer);
}

static void put_source(struct xpd_ops_paths *p, struct xpd_str source)
{
    size_t colon = source.size;
    while (colon > 0 && source.data[colon - 1] != ':')
        colon--;
    if (source.size == 0) {
        put_word(p, "no source recorded");
        return;
    }
    put(p, (struct xpd_str){source.data, colon > 0 ? colon - 1 : source.size});
    if (colon == 0 || p->count == XPD_OPS_PARTS_MAX)
        return;
    xpd_strbuf_printf(&p->text, "line %.*s", (int)(source.size - colon), source.data + colon);
    p->end[p->count++] = (uint32_t)p->text.size;
}

static void put_text(struct xpd_ops_paths *p, const struct xpd_op_row *row)
{
    struct xpd_strbuf text =
        text_of(p, row, p->by == XPD_OPS_BY_SOURCE ? XPD_OPS_SOURCE : XPD_OPS_SCOPE);
    struct xpd_str said = {text.data ? text.data : "", text.size};
    if (p->by == XPD_OPS_BY_SOURCE)
        put_source(p, said);
    else if (p->by == XPD_OPS_BY_LAYER)
        put_layer(p, row, said);
    else {
        put_pass(p, row);
        put_scopes(p, said);
    }
    p->text.failed |= text.failed;
    xpd_strbuf_fini(&text);
}

void xpd_ops_path_of(struct xpd_ops_paths *p, const struct xpd_op_row *row)
{
    xpd_strbuf_clear(&p->text);
    p->count = 0;
    if (p->by != XPD_OPS_BY_SOURCE && p->by != XPD_OPS_BY_GROUP)
        put_program(p, row);
    if (p->by == XPD_OPS_BY_PROGRAM)
        put_column(p, row, XPD_OPS_CATEGORY, "no category");
    else if (p->by == XPD_OPS_BY_GROUP) {
        put_column(p, row, XPD_OPS_GROUP, "none");
        put_column(p, row, XPD_OPS_OPCODE, "no opcode");
    } else if (p->by != XPD_OPS_BY_KERNEL)
        put_text(p, row);
    for (uint32_t i = 0, from = 0; i < p->count; from = p->end[i++])
        p->part[i] = (struct xpd_str){p->text.data + from, p->end[i] - from};
}

void xpd_ops_paths_look(struct xpd_ops_paths *p, const struct xpd_op_row *row)
{
    p->programs |= p->first && p->first->program != row->program;
    p->passes |= row->phase != XPD_PHASE_NONE;
    p->first = p->first ? p->first : row;
    if (p->by != XPD_OPS_BY_PROGRAM || p->fixed)
        return;
    xpd_strbuf_clear(&p->text);
    xpd_op_row_text(&p->text, XPD_OPS_SCOPE, row, &p->program[row->program]);
    p->by = p->text.size > 0 ? XPD_OPS_BY_SCOPE : XPD_OPS_BY_PROGRAM;
}

void xpd_ops_paths_init(struct xpd_ops_paths *p, const struct xpd_ops_program *program, int by)
{
    *p = (struct xpd_ops_paths){.program = program,
                                .by = by < 0 ? XPD_OPS_BY_PROGRAM : (enum xpd_ops_by)by,
                                .fixed = by >= 0};
}

bool xpd_ops_paths_fini(struct xpd_ops_paths *p)
{
    bool ok = !p->text.failed && !p->flat.failed;
    xpd_strbuf_fini(&p->text);
    xpd_strbuf_fini(&p->flat);
    return ok;
}

/* ---- what is in a box ---- */

bool xpd_ops_is_below(struct xpd_str path, struct xpd_str box)
{
    return path.size >= box.size && memcmp(path.data, box.data, box.size) == 0 &&
           (path.size == box.size || path.data[box.size] == '/');
}

bool xpd_ops_path_below(struct xpd_ops_paths *p, const struct xpd_op_row *row, struct xpd_str box)
{
    struct xpd_strbuf *flat = &p->flat;
    xpd_ops_path_of(p, row);
    xpd_strbuf_clear(flat);
    for (uint32_t i = 0; i < p->count; i++) {
        xpd_strbuf_add(flat, p->part[i].data, p->part[i].size);
        xpd_strbuf_putc(flat, '/');
    }
    xpd_strbuf_add(flat, row->name.data, row->name.size);
    return xpd_ops_is_below((struct xpd_str){flat->data, flat->size}, box);
}
