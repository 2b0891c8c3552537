/* Budget files and files of thresholds and silences, of any bytes.
 *
 * What is read lies inside the text; what is not read is an error with file, line and column; a
 * silence has a reason; a threshold is a finite number that is not negative. */
#include "must.h"

#include "xprofd/doctor/budget.h"
#include "xprofd/doctor/doctor.h"

#include <math.h>
#include <string.h>

static bool inside(struct xpd_str part, struct xpd_str text)
{
    return part.size == 0 ||
           (part.data >= text.data && part.data + part.size <= text.data + text.size);
}

static void budget(struct xpd_str text)
{
    struct xpd_arena arena;
    struct xpd_budget b;
    struct xpd_err err = {0};
    xpd_arena_init(&arena, 64 << 20);
    int rc = xpd_budget_read(&b, text, "f", &arena, &err);
    MUST(rc == XPD_OK || rc == XPD_EINVAL || rc == XPD_ELIMIT);
    MUST(rc == XPD_OK || (err.where[0] == 'f' && err.text[0] != '\0'));
    for (uint32_t i = 0; rc == XPD_OK && i < b.limit_count; i++) {
        const struct xpd_limit *l = &b.limit[i];
        MUST(inside(l->name, text) && inside(l->value, text) && inside(l->text, text));
        MUST(l->line > 0 && l->measure < XPD_MEASURE_COUNT && l->bytes >= 0 && l->share >= 0);
    }
    xpd_arena_fini(&arena);
}

static void config(struct xpd_str text)
{
    struct xpd_arena arena;
    struct xpd_doctor_config c;
    struct xpd_err err = {0};
    xpd_arena_init(&arena, 64 << 20);
    int rc = xpd_doctor_config_read(&c, text, "f", &arena, &err);
    MUST(rc == XPD_OK || rc == XPD_EINVAL);
    MUST(rc == XPD_OK || strncmp(err.where, "f:", 2) == 0);
    for (uint32_t i = 0; rc == XPD_OK && i < c.silence_count; i++) {
        MUST(inside(c.silence[i].pattern, text) && c.silence[i].reason.size > 0);
        xpd_doctor_glob(c.silence[i].pattern, c.silence[i].reason);
    }
    MUST(rc != XPD_OK || (isfinite(c.thresholds.giant_share) && c.thresholds.giant_share >= 0));
    xpd_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_str text = {size ? (const char *)data : "", size};
    struct xpd_strbuf scope = {0};
    budget(text);
    config(text);
    xpd_doctor_scope(&scope, text);
    MUST(scope.size <= size);
    xpd_strbuf_fini(&scope);
    return 0;
}
