/* A picture in the making, as Graphviz text. Private to src/graph. */
#ifndef XPROFD_SRC_GRAPH_DOT_PARTS_H
#define XPROFD_SRC_GRAPH_DOT_PARTS_H

#include "xprofd/base/markup.h"
#include "xprofd/graph/dot.h"

struct xpd_dot {
    const struct xpd_graph *g;
    const struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    struct xpd_strbuf *out;
    bool show_config;
};

static inline struct xpd_str xpd_dot_name_of(const struct xpd_dot *d, uint32_t i)
{
    return xpd_hlo_text(d->hlo, d->hlo->instructions.name[i]);
}

static inline struct xpd_str xpd_dot_opcode_of(const struct xpd_dot *d, uint32_t i)
{
    return xpd_hlo_text(d->hlo, d->hlo->instructions.opcode[i]);
}

static inline bool xpd_dot_is(const struct xpd_dot *d, uint32_t i, const char *opcode)
{
    return xpd_str_eq(xpd_dot_opcode_of(d, i), xpd_str_of(opcode));
}

static inline uint32_t xpd_dot_operand_of(const struct xpd_dot *d, uint32_t i, uint32_t k)
{
    const struct xpd_hlo_instructions *ins = &d->hlo->instructions;
    uint32_t count = ins->operand_first[i + 1] - ins->operand_first[i];
    return k < count ? ins->operand[ins->operand_first[i] + k] : XPD_NO_INDEX;
}

static inline struct xpd_str xpd_dot_whole(const struct xpd_strbuf *text)
{
    return (struct xpd_str){text->data ? text->data : "", text->size};
}

static inline void xpd_dot_line(struct xpd_dot *d)
{
    xpd_strbuf_puts(d->out, "<br/>");
}

/* dot_label.c: the lines of a label, each begun with a line break but the title. */
void xpd_dot_title(struct xpd_dot *d, uint32_t instruction);
void xpd_dot_trivial(struct xpd_dot *d, uint32_t instruction); /* what small computations do */
void xpd_dot_extra(struct xpd_dot *d, uint32_t instruction);   /* attributes and shape */
void xpd_dot_config(struct xpd_dot *d, uint32_t instruction);

#endif
