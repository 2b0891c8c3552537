/* Computations: "[ENTRY ]%name (p0: f32[2]) -> f32[2] {", the instructions, "}", attributes after
 * the brace. */
#include "parse_internal.h"

#include <stdlib.h>

enum { PROGRAM_PARAMETER = 1, PROGRAM_RESULT = 2, PROGRAM_NAME = 3 };

/* "(p0: f32[2], p1: s32[]) -> f32[2]", as a ProgramShape without its tag. */
static bool read_program_shape(struct xpd_parse *p, struct xpd_text_scan *scan)
{
    struct xpd_text_scan names;
    bool good = true;
    if (!xpd_scan_take(scan, '('))
        return false;
    names = *scan;
    while (good && !xpd_scan_take(scan, ')')) {
        xpd_scan_space(scan);
        struct xpd_str name = xpd_scan_name(scan);
        good = name.size > 1 && (xpd_str_ends(name, ":") || xpd_scan_take(scan, ':')) &&
               xpd_parse_bare_shape(scan, &p->shapes, PROGRAM_PARAMETER);
        (void)xpd_scan_take(scan, ',');
    }
    good = good && xpd_scan_word(scan, XPD_STR("->")) &&
           xpd_parse_bare_shape(scan, &p->shapes, PROGRAM_RESULT);
    while (good && !xpd_scan_take(&names, ')')) {
        xpd_scan_space(&names);
        struct xpd_str name = xpd_scan_name(&names);
        name.size -= xpd_str_ends(name, ":");
        xpd_out_text(&p->shapes, PROGRAM_NAME, name);
        (void)xpd_scan_take(&names, ':');
        good = xpd_parse_skip_shape(&names);
        (void)xpd_scan_take(&names, ',');
    }
    return good;
}

/* ", execution_thread="x", backend_config={...}" after the closing brace. */
static void read_behind(struct xpd_parse *p, struct xpd_parsed_computation *computation)
{
    for (;;) {
        xpd_scan_blank(&p->scan);
        if (xpd_scan_peek(&p->scan) != ',')
            break;
        p->scan.at++;
        xpd_scan_blank(&p->scan);
        struct xpd_str key = xpd_scan_name(&p->scan);
        if (!xpd_scan_more(&p->scan) || *p->scan.at != '=')
            break;
        p->scan.at++;
        struct xpd_str text = xpd_parse_text(p, xpd_parse_value(p, true));
        if (xpd_str_eq(key, XPD_STR("execution_thread")))
            computation->thread = xpd_arena_str(&p->scratch, text);
        else if (xpd_str_eq(key, XPD_STR("backend_config")))
            computation->config = xpd_arena_str(&p->scratch, text);
        else
            xpd_parse_warn(p, key.data, XPD_NOTE, "hlo_text_computation_attribute",
                           "the computation's attribute \"%.*s\" is not known and left out",
                           (int)(key.size < 80 ? key.size : 80), key.data);
    }
}

/* At the beginning of a line; on one line. */
static bool read_head(struct xpd_parse *p, struct xpd_text_scan *scan,
                      struct xpd_parsed_computation *computation)
{
    *computation = (struct xpd_parsed_computation){.first = (uint32_t)p->instruction.count};
    computation->name = xpd_scan_name(scan);
    xpd_scan_blank(scan);
    if (xpd_str_eq(computation->name, XPD_STR("ENTRY")) && xpd_scan_peek(scan) != '{') {
        computation->is_entry = true;
        computation->name = xpd_scan_name(scan);
        xpd_scan_blank(scan);
    }
    if (computation->name.size == 0)
        return false;
    computation->shape_at = p->shapes.size;
    if (xpd_scan_peek(scan) == '(' && !read_program_shape(p, scan)) {
        if (!p->shapes.failed)
            p->shapes.size = computation->shape_at;
        return false;
    }
    computation->shape_size = p->shapes.size - computation->shape_at;
    return xpd_scan_take(scan, '{');
}

/* True when the closing brace was there. */
static bool read_instructions(struct xpd_parse *p, struct xpd_parsed_computation *computation)
{
    for (;;) {
        xpd_scan_space(&p->scan);
        if (!xpd_scan_more(&p->scan) || p->too_many || p->body.failed)
            return false;
        if (*p->scan.at == '}') {
            p->scan.at++;
            return true;
        }
        const char *begin = p->scan.at;
        xpd_parse_open_line(p);
        if (!xpd_parse_instruction(p, computation)) {
            struct xpd_text_scan line = {begin, p->scan.end};
            struct xpd_parsed_computation other;
            if (read_head(p, &line, &other)) { /* a brace is missing */
                p->scan = (struct xpd_text_scan){begin, p->text_end};
                return false;
            }
            xpd_parse_warn(
                p, begin, XPD_WARNING, "hlo_text_line",
                "this line of computation \"%.*s\" is not an instruction and is left out",
                (int)(computation->name.size < 80 ? computation->name.size : 80),
                computation->name.data);
        }
        xpd_parse_next_line(p);
    }
}

static int by_number(const void *a, const void *b)
{
    const struct xpd_parameter *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* The layout of the program if the header has none: that of the entry's parameters. */
static void put_layout(struct xpd_parse *p, const struct xpd_parsed_computation *computation)
{
    enum { MODULE_PROGRAM_SHAPE = 4 };
    size_t begin = xpd_out_begin(&p->header, MODULE_PROGRAM_SHAPE);
    struct xpd_text_scan scan;
    if (p->parameter.count > 1)
        qsort(p->parameter.at, p->parameter.count, sizeof *p->parameter.at, by_number);
    for (size_t i = 0; i < p->parameter.count; i++) {
        struct xpd_str shape = p->parameter.at[i].shape;
        scan = (struct xpd_text_scan){shape.data, shape.data + shape.size};
        (void)xpd_parse_shape(&scan, &p->header, PROGRAM_PARAMETER, NULL);
    }
    struct xpd_str shape = computation->root_shape;
    if (shape.size != 0) { /* a computation may be empty */
        scan = (struct xpd_text_scan){shape.data, shape.data + shape.size};
        (void)xpd_parse_shape(&scan, &p->header, PROGRAM_RESULT, NULL);
    }
    xpd_out_end(&p->header, begin);
    p->has_layout = true;
}

static void tell_missing(struct xpd_parse *p)
{
    for (size_t i = 0; i < p->operand_ahead.count; i++) {
        const struct xpd_reference *ahead = &p->operand_ahead.at[i];
        if (p->instruction_of.at[ahead->id - 1] == XPD_NO_INDEX)
            xpd_parse_warn(p, ahead->name.data, XPD_WARNING, "hlo_text_operand",
                           "its computation has no instruction \"%.*s\"",
                           (int)(ahead->name.size < 80 ? ahead->name.size : 80), ahead->name.data);
    }
    p->operand_ahead.count = 0;
}

static void end_computation(struct xpd_parse *p, struct xpd_parsed_computation *computation)
{
    computation->count = (uint32_t)p->instruction.count - computation->first;
    if (computation->root == XPD_PARSE_NO_ID && computation->count != 0) {
        xpd_parse_warn(p, computation->name.data, XPD_WARNING, "hlo_text_root",
                       "no instruction of computation \"%.*s\" is marked ROOT; its last one is "
                       "taken as that",
                       (int)(computation->name.size < 80 ? computation->name.size : 80),
                       computation->name.data);
        computation->root = computation->last;
        computation->root_shape = computation->last_shape;
    }
    tell_missing(p);
    if (computation->is_entry && p->entry == XPD_PARSE_NO_ID)
        p->entry = computation->id;
    if (computation->is_entry && !p->has_layout)
        put_layout(p, computation);
    if (!p->computation_of.failed)
        p->computation_of.at[computation->id - 1] = (uint32_t)p->computation.count;
    XPD_PUSH(&p->computation, *computation);
    xpd_parse_unfold(p);
}

bool xpd_parse_computation(struct xpd_parse *p)
{
    struct xpd_parsed_computation computation;
    const char *begin = p->scan.at;
    xpd_parse_open_line(p);
    bool good = read_head(p, &p->scan, &computation);
    p->scan = (struct xpd_text_scan){good ? p->scan.at : begin, p->text_end};
    if (!good)
        return false;
    computation.id = xpd_parse_define_computation(p, computation.name);
    p->parameter.count = 0;
    if (read_instructions(p, &computation)) {
        xpd_parse_open_line(p);
        read_behind(p, &computation);
        xpd_parse_next_line(p);
    } else {
        xpd_parse_warn(p, p->scan.at, XPD_ERROR, "hlo_text_cut",
                       "computation \"%.*s\" has no end here: it has the %u instructions that "
                       "stand before",
                       (int)(computation.name.size < 80 ? computation.name.size : 80),
                       computation.name.data, (uint32_t)p->instruction.count - computation.first);
    }
    end_computation(p, &computation);
    return true;
}
