/* Numbers as a person reads them. */
#include "xprofd/base/bytes_text.h"
#include "xprofd/explain/parts.h"

#include <math.h>
#include <stdio.h>

void xpd_put_number(struct xpd_strbuf *out, int64_t value)
{
    char text[32];
    if (value < 0)
        xpd_strbuf_putc(out, '-');
    xpd_number_text(text, value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value);
    xpd_strbuf_puts(out, text);
}

/* Three digits: 1.50, 16.0, 349. */
static void three(struct xpd_strbuf *out, double value)
{
    double size = fabs(value);
    xpd_strbuf_printf(out, "%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
}

void xpd_put_bytes(struct xpd_strbuf *out, int64_t bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    uint32_t at = 0;
    while (at < 6 && (bytes >> (10 * (at + 1))) >= 1)
        at++;
    int64_t whole = bytes >> (10 * at);
    if (whole << (10 * at) == bytes)
        xpd_put_number(out, whole);
    else
        three(out, (double)bytes / (double)(INT64_C(1) << (10 * at)));
    xpd_strbuf_printf(out, " %s", unit[at]);
}

void xpd_put_decimal(struct xpd_strbuf *out, double value, const char *unit)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E"};
    uint32_t at = 0;
    while (at < 6 && fabs(value) >= 999.5) {
        value /= 1000;
        at++;
    }
    if (at == 0 && value == floor(value))
        xpd_strbuf_printf(out, "%.0f %s", value, unit);
    else {
        three(out, value);
        xpd_strbuf_printf(out, " %s%s", prefix[at], unit);
    }
}

void xpd_put_seconds(struct xpd_strbuf *out, double seconds)
{
    static const struct {
        double from, scale;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {0, 1e6, "\xc2\xb5s"}};
    uint32_t at = 0;
    if (seconds > 0 && seconds < 1e-7) {
        xpd_strbuf_puts(out, "< 0.1 \xc2\xb5s");
        return;
    }
    if (seconds == 0) {
        xpd_strbuf_puts(out, "0 \xc2\xb5s");
        return;
    }
    while (seconds * 1.0005 < units[at].from)
        at++;
    three(out, seconds * units[at].scale);
    xpd_strbuf_printf(out, " %s", units[at].unit);
}
