/* An HloProto written out: protobuf's text format, as XProf's `pbtxt`, or protobuf's JSON.
 *
 * Read from the bytes, with the field names of XLA's own hlo.proto (src/hlo/text/proto_fields.def).
 * Fields in the order of their numbers, a repeated message once per item, maps by key; of a field
 * that has no presence a zero is left out; fields we do not know are left out. Parts that are
 * damaged or nested deeper than XPD_PROTO_DEPTH messages are left out with a note (a comment in
 * text, a member "_note" in JSON). JSON: names as in the .proto, bytes as base64, integers beyond
 * 2^53 and "NaN", "Infinity", "-Infinity" as strings. */
#ifndef XPROFD_HLO_PROTO_TEXT_H
#define XPROFD_HLO_PROTO_TEXT_H

#include "xprofd/base/error.h"
#include "xprofd/hlo/sink.h"

enum xpd_proto_form { XPD_PROTO_TEXT, XPD_PROTO_JSON };

#define XPD_PROTO_DEPTH 64 /* messages inside messages; in JSON about 14 */

/* Appends to `out`, which is handed to `sink` whenever it holds a piece; sink NULL: all of it stays
 * in `out`. The rest after the last piece stays in `out`. XPD_ENOMEM. */
int xpd_hlo_proto_text(enum xpd_proto_form form, const uint8_t *bytes, size_t size,
                       struct xpd_strbuf *out, const struct xpd_hlo_sink *sink,
                       struct xpd_err *err);

#endif
