/* Values of an HloProto as text or JSON. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_PROTO_PUT_H
#define XPROFD_SRC_HLO_PROTO_PUT_H

#include "proto_table.h"
#include "xprofd/hlo/proto_text.h"
#include "xprofd/json/writer.h"

struct xpd_proto_put {
    struct xpd_strbuf *out;
    bool is_json;
    struct xpd_jsonw json;
    uint32_t indent; /* messages open around the field, in text */
};

/* A number by its bits as they stand on the wire (varints in full, fixed ones zero-extended). */
void xpd_proto_put_number(struct xpd_proto_put *p, const struct xpd_proto_field *field,
                          uint64_t bits);
void xpd_proto_put_text(struct xpd_proto_put *p, const struct xpd_proto_field *field,
                        struct xpd_str text);
/* Whether a number is the zero that is not written. */
bool xpd_proto_is_zero(const struct xpd_proto_field *field, uint64_t bits);
void xpd_proto_put_note(struct xpd_proto_put *p, const char *note);
/* The spaces before a field, in text. */
void xpd_proto_put_indent(struct xpd_proto_put *p);

#endif
