/* A comparison for a terminal and for a pull request. In: a comparison. Out: text; the groups' sum
 * is always said, with whether it equals the change of the peak. */
#include "../memory/curve_text.h"
#include "compare_parts.h"

#define GROUPS_TEXT 10
#define GROUPS_MD   5

static void put_signed(struct xpd_strbuf *out, int64_t bytes, int64_t page_bytes)
{
    char text[48];
    if (bytes == 0) {
        xpd_strbuf_putc(out, '0');
        return;
    }
    xpd_bytes_text(text, bytes, page_bytes);
    if (bytes > 0)
        xpd_strbuf_putc(out, '+');
    xpd_strbuf_puts(out, text);
}

static void put_bytes(struct xpd_strbuf *out, int64_t bytes, int64_t page_bytes)
{
    char text[48];
    xpd_bytes_text(text, bytes, page_bytes);
    xpd_strbuf_puts(out, text);
}

/* The unit of the smaller one tells both. */
static int64_t page_of(const struct xpd_comparison *c)
{
    const int64_t *peak = c->result.peak;
    return peak[0] > 0 && peak[0] < peak[1] ? peak[0] : peak[1];
}

static void put_percent(struct xpd_strbuf *out, const struct xpd_comparison *c)
{
    if (c->result.peak[0] > 0)
        xpd_strbuf_printf(out, " (%+.1f %%)",
                          (double)c->result.difference * 100 / (double)c->result.peak[0]);
}

static void put_peak(struct xpd_strbuf *out, const struct xpd_comparison *c, int s)
{
    if (c->ctx[s].hlo->has_buffer_assignment)
        put_bytes(out, c->result.peak[s], page_of(c));
    else
        xpd_strbuf_puts(out, "unknown");
}

static void put_head(struct xpd_strbuf *out, const struct xpd_comparison *c)
{
    char scratch[24];
    xpd_strbuf_printf(out, "%s ",
                      xpd_space_name(c->ctx[1].run->platform, c->ctx[1].color, scratch));
    put_peak(out, c, 0);
    xpd_strbuf_puts(out, " -> ");
    put_peak(out, c, 1);
    if (c->nothing)
        return;
    xpd_strbuf_puts(out, ", ");
    put_signed(out, c->result.difference, page_of(c));
    put_percent(out, c);
}

/* "18 x f32[1024,4096]" of a group. */
static void put_group(struct xpd_strbuf *out, const struct xpd_comparison *c,
                      const struct xpd_compare_group *g, uint32_t *instruction, int *side)
{
    *side = g->buffer[1] != XPD_NO_INDEX;
    uint32_t buffer = g->buffer[*side];
    const struct xpd_mem *mem = c->ctx[*side].mem;
    *instruction = XPD_NO_INDEX;
    if (g->overlap)
        xpd_strbuf_puts(out, "overlapping bytes");
    if (buffer == XPD_NO_INDEX)
        return;
    if (g->count[0] > 0 && g->count[1] > 0 && g->count[0] != g->count[1])
        xpd_strbuf_printf(out, "%" PRIu32 " -> %" PRIu32 " x ", g->count[0], g->count[1]);
    else
        xpd_strbuf_printf(out, "%" PRIu32 " x ",
                          g->count[0] > g->count[1] ? g->count[0] : g->count[1]);
    if (mem->buffer[buffer].shape)
        xpd_shape_text(out, mem->buffer[buffer].shape, false);
    *instruction = mem->buffer[buffer].instruction;
}

static void pad(struct xpd_strbuf *out, size_t from, size_t width)
{
    while (out->size < from + width)
        xpd_strbuf_putc(out, ' ');
}

/* As a person reads it: "only after". */
static void put_state(struct xpd_strbuf *out, enum xpd_compare_state state)
{
    for (const char *at = xpd_compare_state_word(state); *at; at++)
        xpd_strbuf_putc(out, *at == '_' ? ' ' : *at);
}

static void put_groups(struct xpd_strbuf *out, const struct xpd_comparison *c)
{
    struct xpd_strbuf cell = {0};
    for (uint32_t i = 0; i < c->result.different_count && i < GROUPS_TEXT; i++) {
        const struct xpd_compare_group *g = &c->result.group[i];
        uint32_t instruction;
        int side;
        xpd_strbuf_clear(&cell);
        put_signed(&cell, g->bytes[1] - g->bytes[0], page_of(c));
        xpd_strbuf_printf(out, "%16s  ", cell.data ? cell.data : "");
        size_t at = out->size;
        put_group(out, c, g, &instruction, &side);
        pad(out, at, 34);
        at = out->size;
        xpd_strbuf_printf(out, "  %s", g->overlap ? "" : xpd_mem_class_word(g->mem_class));
        pad(out, at, 12);
        at = out->size;
        xpd_strbuf_puts(out, "  ");
        put_state(out, g->state);
        pad(out, at, 16);
        if (instruction != XPD_NO_INDEX) {
            xpd_strbuf_puts(out, "  ");
            xpd_doctor_scope(out, xpd_hlo_op_name(c->ctx[side].hlo, instruction));
            xpd_strbuf_puts(out, "  ");
            xpd_source_put_of(out, c->ctx[side].hlo, instruction);
        }
        xpd_strbuf_putc(out, '\n');
    }
    xpd_strbuf_fini(&cell);
}

static void put_curves(struct xpd_strbuf *out, const struct xpd_comparison *c, bool ascii)
{
    const struct xpd_mem_space *space[2] = {c->ctx[0].space, c->ctx[1].space};
    static const char *const name[2] = {"before", "after"};
    xpd_curves_text(out, space, name, page_of(c), ascii);
}

/* Behind the peaks: where they are, and what else changed. */
static void put_totals(struct xpd_strbuf *out, const struct xpd_comparison *c)
{
    const struct xpd_compare *r = &c->result;
    if (c->ctx[0].space->peak_step != XPD_NO_STEP && c->ctx[1].space->peak_step != XPD_NO_STEP)
        xpd_strbuf_printf(out, ", at step %" PRIu32 " -> %" PRIu32, c->ctx[0].space->peak_step,
                          c->ctx[1].space->peak_step);
    xpd_strbuf_puts(out, "\nreserved ");
    put_signed(out, r->reserved[1] - r->reserved[0], page_of(c));
    xpd_strbuf_puts(out, ", fragmentation ");
    if (r->fragmentation[0] < 0 || r->fragmentation[1] < 0)
        xpd_strbuf_puts(out, "unknown");
    else
        put_signed(out, r->fragmentation[1] - r->fragmentation[0], page_of(c));
    xpd_strbuf_puts(out, ", padding ");
    put_signed(out, r->padding[1] - r->padding[0], page_of(c));
}

void xpd_comparison_text(struct xpd_strbuf *out, const struct xpd_comparison *c, bool ascii)
{
    const struct xpd_compare *r = &c->result;
    xpd_strbuf_printf(out, "before   %s, %s\n", c->ctx[0].run->entry->id,
                      c->ctx[0].run->module[c->ctx[0].module].key);
    xpd_strbuf_printf(out, "after    %s, %s\npeak     ", c->ctx[1].run->entry->id,
                      c->ctx[1].run->module[c->ctx[1].module].key);
    put_head(out, c);
    if (!c->nothing)
        put_totals(out, c);
    xpd_strbuf_putc(out, '\n');
    for (uint32_t i = 0; i < c->mismatch_count; i++)
        xpd_strbuf_printf(out, "warning  not the same workload: %s\n", c->mismatch[i]);
    if (c->nothing) {
        xpd_strbuf_printf(out, "\nnothing to compare: %s\n", c->nothing);
        return;
    }
    put_curves(out, c, ascii);
    xpd_strbuf_putc(out, '\n');
    if (r->different_count == 0)
        xpd_strbuf_printf(out, "no difference, %" PRIu32 " groups equal\n", r->group_count);
    put_groups(out, c);
    if (r->different_count > GROUPS_TEXT)
        xpd_strbuf_printf(out, "%16s  %" PRIu32 " more groups\n", "",
                          r->different_count - GROUPS_TEXT);
    if (r->different_count > 0) {
        xpd_strbuf_puts(out, "sum of all groups ");
        put_signed(out, r->sum[1] - r->sum[0], page_of(c));
        xpd_strbuf_puts(out, r->closes
                                 ? " = change of the peak\n"
                                 : " IS NOT the change of the peak: please report this bug\n");
    }
    for (uint32_t i = 0; i < c->change_count; i++) {
        const struct xpd_finding_change *f = &c->change[i];
        const struct xpd_finding *shown = f->after ? f->after : f->before;
        if (f->before && f->after)
            continue;
        xpd_strbuf_printf(out, "%s %s  ", f->after ? "new " : "gone", shown->rule->id);
        xpd_strbuf_add(out, shown->claim.data, shown->claim.size);
        xpd_strbuf_putc(out, '\n');
    }
}

static void md_groups(struct xpd_strbuf *out, const struct xpd_comparison *c)
{
    const struct xpd_compare *r = &c->result;
    struct xpd_strbuf cell = {0};
    int64_t rest = 0;
    if (c->nothing) {
        xpd_strbuf_printf(out, "**Nothing to compare:** %s.\n", c->nothing);
        return;
    }
    if (r->different_count == 0) {
        xpd_strbuf_printf(out, "No difference, %" PRIu32 " groups equal.\n", r->group_count);
        return;
    }
    xpd_strbuf_puts(out, "| change | group | state | where |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < r->different_count; i++) {
        const struct xpd_compare_group *g = &r->group[i];
        uint32_t instruction;
        int side;
        if (i >= GROUPS_MD) {
            xpd_grow_i64(&rest, g->bytes[1] - g->bytes[0]);
            continue;
        }
        xpd_strbuf_puts(out, "| **");
        put_signed(out, g->bytes[1] - g->bytes[0], page_of(c));
        xpd_strbuf_puts(out, "** | ");
        xpd_strbuf_clear(&cell);
        put_group(&cell, c, g, &instruction, &side);
        xpd_strbuf_printf(&cell, " %s", g->overlap ? "" : xpd_mem_class_word(g->mem_class));
        xpd_markdown_put(out, (struct xpd_str){cell.data, cell.size});
        xpd_strbuf_puts(out, " | ");
        put_state(out, g->state);
        xpd_strbuf_puts(out, " | ");
        xpd_strbuf_clear(&cell);
        if (instruction != XPD_NO_INDEX) {
            xpd_doctor_scope(&cell, xpd_hlo_op_name(c->ctx[side].hlo, instruction));
            xpd_strbuf_putc(&cell, ' ');
            xpd_source_put_of(&cell, c->ctx[side].hlo, instruction);
        }
        xpd_markdown_put(out, (struct xpd_str){cell.data ? cell.data : "", cell.size});
        xpd_strbuf_puts(out, " |\n");
    }
    if (r->different_count > GROUPS_MD) {
        xpd_strbuf_puts(out, "| ");
        put_signed(out, rest, page_of(c));
        xpd_strbuf_printf(out, " | %" PRIu32 " more groups | | |\n",
                          r->different_count - GROUPS_MD);
    }
    xpd_strbuf_puts(out, "\nSum of all groups ");
    put_signed(out, r->sum[1] - r->sum[0], page_of(c));
    xpd_strbuf_puts(out, r->closes
                             ? " = change of the peak.\n"
                             : " **is not** the change of the peak: please report this bug.\n");
    xpd_strbuf_fini(&cell);
}

/* Where the finding is, and what its advice is worth. */
static void put_promise(struct xpd_strbuf *out, const struct xpd_comparison *c,
                        const struct xpd_finding *f)
{
    struct xpd_strbuf source = {0};
    char peak[48];
    if (f->instruction != XPD_NO_INDEX)
        xpd_source_put_of(&source, c->ctx[1].hlo, f->instruction);
    if (source.size > 0) {
        xpd_strbuf_puts(out, " At ");
        xpd_markdown_put(out, (struct xpd_str){source.data, source.size});
        xpd_strbuf_putc(out, '.');
    }
    if (f->saving_bytes > 0 && f->action) {
        xpd_bytes_text(peak, f->new_peak_bytes, page_of(c));
        xpd_strbuf_printf(out, " It brings the peak to **%s**.", peak);
    }
    xpd_strbuf_fini(&source);
}

static void md_findings(struct xpd_strbuf *out, const struct xpd_comparison *c)
{
    uint32_t told = 0, more = 0;
    for (uint32_t i = 0; i < c->change_count; i++) {
        const struct xpd_finding_change *f = &c->change[i];
        if (f->before || f->after->silenced)
            continue;
        if (told++ >= 3) {
            more++;
            continue;
        }
        xpd_strbuf_printf(out, "%s* **New finding %s** (%s): ", told == 1 ? "\n" : "",
                          f->after->rule->id, xpd_doctor_confidence_word(f->after->confidence));
        xpd_markdown_put(out, f->after->claim);
        xpd_strbuf_putc(out, ' ');
        xpd_markdown_put(out, f->after->advice);
        put_promise(out, c, f->after);
        xpd_strbuf_putc(out, '\n');
    }
    if (more > 0)
        xpd_strbuf_printf(out, "* %" PRIu32 " more new findings.\n", more);
}

void xpd_comparison_markdown(struct xpd_strbuf *out, const struct xpd_comparison *c)
{
    struct xpd_strbuf line = {0};
    xpd_strbuf_puts(out, "### Memory of ");
    xpd_markdown_put(out, xpd_str_of(c->ctx[1].run->module[c->ctx[1].module].name));
    xpd_strbuf_puts(out, ": ");
    put_head(&line, c);
    xpd_markdown_put(out, (struct xpd_str){line.data, line.size});
    xpd_strbuf_puts(out, "\n\n");
    for (uint32_t i = 0; i < c->mismatch_count; i++)
        xpd_strbuf_printf(out, "Not the same workload: %s.\n\n", c->mismatch[i]);
    md_groups(out, c);
    md_findings(out, c);
    xpd_strbuf_fini(&line);
}
