/* What lies in an instruction and may be large: payloads, configs, the elements of a shape. */
#include "print_internal.h"

bool xpd_print_elements_at_most(const struct xpd_shape *shape, int64_t most)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (__builtin_mul_overflow(n, shape->dims[i], &n))
            return false;
    return n <= most;
}

struct xpd_str xpd_print_payload_of(struct xpd_print *p, const struct xpd_raw *raw, uint32_t number)
{
    struct xpd_str none = XPD_STR("");
    if (!xpd_raw_has(raw, number))
        return none;
    struct xpd_raw payload = xpd_raw_message(&p->printer->scratch, raw, number);
    struct xpd_str value = xpd_raw_text(&payload, 1);
    if (value.size != 0)
        return value;
    /* Kept once for all in the module's pool, HloModuleProto.payloads[22]. */
    int64_t id = xpd_raw_has(&payload, 2) ? xpd_raw_int(&payload, 2, -1)
                                          : xpd_raw_int(raw, number, payload.count ? -1 : 0);
    for (uint32_t i = 0; i < p->printer->top.count && id >= 0; i++)
        if (p->printer->top.field[i].number == 22 && id-- == 0)
            return xpd_field_str(&p->printer->top.field[i]);
    return none;
}

struct xpd_str xpd_print_config_of(struct xpd_print *p)
{
    struct xpd_str payload = xpd_print_payload_of(p, &p->raw, 99);
    return payload.size ? payload : xpd_raw_text(&p->raw, 43);
}
