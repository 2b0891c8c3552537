/* An answer of trace_viewer@ is sent in pieces while it is made. */
#include "trace_answer.h"

bool xpd_answer_sent(struct xpd_trace_answer *answer, size_t least)
{
    struct xpd_strbuf *out = answer->json.out;
    if (!answer->pump || out->size < least)
        return !out->failed;
    if (!xpd_pump_push(answer->pump, out) && answer->rc == XPD_OK)
        answer->rc = xpd_fail(answer->err, XPD_EBUSY, NULL, XPD_NO_OFFSET,
                              "the reader of this answer has gone");
    return answer->rc == XPD_OK;
}
