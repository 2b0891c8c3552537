/* Large parts of an instruction: payloads, configs, the elements of a shape. */
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

/* The position after `word` at `at`, skipping blanks before it; 0: another word.
 */
static size_t behind(struct xpd_str text, size_t at, const char *word)
{
    size_t size = strlen(word);
    while (at < text.size && text.data[at] && strchr(" \t\n\f\r", text.data[at]))
        at++;
    return xpd_str_starts((struct xpd_str){text.data + at, text.size - at}, word) ? at + size : 0;
}

/* What XLA has taken out of GPUs' configs since, and XProf out of every text: an empty list of
 * queues to wait for, with the comma behind it, wherever it stands. */
static struct xpd_str without_queues(struct xpd_print *p, struct xpd_str config)
{
    static const char *const parts[] = {"\"wait_on_operation_queues\"", ":", "[", "]", ","};
    enum { PARTS = sizeof parts / sizeof *parts };
    char *out = NULL;
    size_t size = 0;
    for (size_t at = 0; at < config.size;) {
        size_t end = config.data[at] == '"' ? behind(config, at, parts[0]) : 0;
        for (size_t i = 1; i < PARTS && end; i++)
            end = behind(config, end, parts[i]);
        if (end && !out) {
            out = xpd_arena_bytes(&p->printer->scratch, config.size);
            if (!out)
                return config;
            memcpy(out, config.data, at);
            size = at;
        }
        if (end)
            at = end;
        else if (out)
            out[size++] = config.data[at++];
        else
            at++;
    }
    return out ? (struct xpd_str){out, size} : config;
}

struct xpd_str xpd_print_config_of(struct xpd_print *p)
{
    struct xpd_str payload = xpd_print_payload_of(p, &p->raw, 99);
    struct xpd_str config = payload.size ? payload : xpd_raw_text(&p->raw, 43);
    return p->flags & XPD_PRINT_XPROF ? without_queues(p, config) : config;
}
