/* Runs the rules over one memory space. In: a frozen analysis. Out: findings in a fixed order.
 *
 * The rows at the peak, their groups and the way from a storage to its row are made once; each rule
 * then only looks. */
#include "doctor_internal.h"

#include "xprofd/doctor/compare.h"

#include <stdlib.h>

enum { MAIN = 0, ALL = 1, TIME = 2, HEAP = 3 };

static const struct xpd_doctor_rule rules[] = {
#define RULE(id, name, function, spaces, try_text, wrong) {#id, name, try_text, wrong},
#include "rules.def"
#undef RULE
};
static const struct {
    xpd_rule *run;
    int spaces;
} runs[] = {
#define RULE(id, name, function, spaces, try_text, wrong) {function, spaces},
#include "rules.def"
#undef RULE
};
#define RULES (sizeof rules / sizeof *rules)

const struct xpd_doctor_rule *xpd_doctor_rules(uint32_t *count)
{
    *count = RULES;
    return rules;
}

bool xpd_doctor_is_rule(struct xpd_str id)
{
    uint32_t count;
    const struct xpd_doctor_rule *rule = xpd_doctor_rules(&count);
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(id, xpd_str_of(rule[i].id)))
            return true;
    return false;
}

const char *xpd_doctor_severity_word(enum xpd_doctor_severity s)
{
    return s == XPD_DOCTOR_ERROR ? "error" : s == XPD_DOCTOR_WARN ? "warn" : "info";
}

const char *xpd_doctor_confidence_word(enum xpd_doctor_confidence c)
{
    return c == XPD_DOCTOR_FACT ? "fact" : c == XPD_DOCTOR_LIKELY ? "likely" : "hint";
}

/* ---- shared by the rules ---- */

static bool index_rows(struct xpd_dx *dx)
{
    const struct xpd_hlo *hlo = dx->hlo;
    dx->row_of_storage =
        XPD_NEW_ARRAY(dx->arena, uint32_t, (size_t)hlo->buffers.count + hlo->allocation_count);
    if (!dx->row_of_storage)
        return false;
    for (uint32_t i = 0; i < dx->held.count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        if (row->tenancy == XPD_NO_INDEX)
            dx->row_of_storage[hlo->buffers.count + row->allocation] = i + 1;
        else if (row->buffer != XPD_NO_INDEX)
            dx->row_of_storage[dx->mem->buffer[row->buffer].root] = i + 1;
    }
    return true;
}

static bool index_callers(struct xpd_dx *dx)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    dx->caller = XPD_NEW_ARRAY(dx->arena, uint32_t, dx->hlo->computations.count);
    if (!dx->caller)
        return false;
    for (uint32_t i = 0; i < dx->hlo->computations.count; i++)
        dx->caller[i] = XPD_NO_INDEX;
    for (uint32_t i = ins->count; i-- > 0;)
        for (uint32_t k = ins->called_first[i]; k < ins->called_first[i + 1]; k++)
            if (ins->called[k] < dx->hlo->computations.count)
                dx->caller[ins->called[k]] = i;
    return true;
}

static bool index_dones(struct xpd_dx *dx)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    dx->done = XPD_NEW_ARRAY(dx->arena, uint32_t, ins->count);
    if (!dx->done)
        return false;
    for (uint32_t i = 0; i < ins->count; i++)
        dx->done[i] = XPD_NO_INDEX;
    for (uint32_t i = ins->count; i-- > 0;) {
        uint32_t start = xpd_hlo_start_of(dx->hlo, i);
        if (start != XPD_NO_INDEX && ins->computation[start] == ins->computation[i])
            dx->done[start] = i;
    }
    return true;
}

static bool group_rows(struct xpd_dx *dx)
{
    struct xpd_strbuf key = {0};
    struct xpd_intern names;
    dx->group_of_row = XPD_NEW_ARRAY(dx->arena, uint32_t, dx->held.count);
    xpd_intern_init(&names, dx->arena);
    for (uint32_t i = 0; dx->group_of_row && i < dx->held.count; i++) {
        xpd_strbuf_clear(&key);
        xpd_group_key(&key, dx->mem, dx->held.at[i].buffer, dx->held.at[i].mem_class, true);
        dx->group_of_row[i] = xpd_intern_put(&names, key.data ? key.data : "", key.size);
    }
    bool ok = dx->group_of_row && !key.failed && !names.failed;
    xpd_intern_fini(&names);
    xpd_strbuf_fini(&key);
    return ok;
}

static bool prepare(struct xpd_dx *dx, struct xpd_err *err)
{
    dx->peak_bytes = dx->space->peak_bytes;
    dx->page_bytes = dx->peak_bytes;
    if (xpd_held_at(&dx->held, dx->mem, dx->space, dx->space->peak_step, dx->arena, err) != XPD_OK)
        return false;
    return index_rows(dx) && xpd_hlo_buffers_of(&dx->buffers_of, dx->hlo, dx->arena) &&
           index_callers(dx) && index_dones(dx) && group_rows(dx);
}

/* ---- order and silences ---- */

/* An error that nothing is saved on (D01 does not fit, D26 the compiler gave up) is the reason to
 * read the others: it comes first. */
static bool says_why(const struct xpd_finding *f)
{
    return f->severity == XPD_DOCTOR_ERROR && (f->rule == rules || f->saving_bytes <= 0);
}

int xpd_finding_compare(const void *a, const void *b)
{
    const struct xpd_finding *x = a, *y = b;
    bool quiet_x = x->silenced != NULL, quiet_y = y->silenced != NULL;
    if (quiet_x != quiet_y)
        return quiet_x - quiet_y;
    bool why_x = says_why(x), why_y = says_why(y);
    if (why_x != why_y)
        return why_y - why_x;
    if (x->share < y->share || x->share > y->share)
        return x->share < y->share ? 1 : -1;
    if (x->about != y->about)
        return x->about == XPD_FINDS_TIME ? -1 : y->about == XPD_FINDS_TIME ? 1 : 0;
    if (x->saving_ps != y->saving_ps)
        return x->saving_ps < y->saving_ps ? 1 : -1;
    if (x->saving_bytes != y->saving_bytes)
        return x->saving_bytes < y->saving_bytes ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    if (x->color != y->color)
        return x->color < y->color ? -1 : 1;
    uint32_t first_x = x->buffer_count ? x->buffer[0] : 0;
    uint32_t first_y = y->buffer_count ? y->buffer[0] : 0;
    return (first_x > first_y) - (first_x < first_y);
}

static void apply_silences(const struct xpd_dx *dx, struct xpd_finding *f)
{
    const struct xpd_doctor_config *config = dx->in->config;
    for (uint32_t i = 0; config && i < config->silence_count && !f->silenced; i++) {
        struct xpd_str pattern = config->silence[i].pattern;
        if (!xpd_str_starts(pattern, f->rule->id))
            continue;
        struct xpd_str place = {pattern.data + 3, pattern.size - 3};
        while (place.size > 0 && place.data[0] == ' ') {
            place.data++;
            place.size--;
        }
        if (place.size == 0 || xpd_doctor_glob(place, f->place))
            f->silenced = &config->silence[i];
    }
}

/* Why a saving is less than the size of the finding. */
static void explain_saving(struct xpd_dx *dx, struct xpd_finding *f)
{
    if (!f->action || f->saving_bytes <= 0 || f->saving_bytes == f->bytes)
        return;
    const char *about = xpd_dx_bytes(dx, f->bytes);
    if (strcmp(about, xpd_dx_bytes(dx, f->saving_bytes)) == 0)
        return; /* by less than is shown */
    bool less = f->saving_bytes < f->bytes, half = strcmp(f->action, "halve") == 0;
    bool unpad = strcmp(f->action, "unpad") == 0;
    bool moves = f->new_step != XPD_NO_STEP && f->new_step != dx->space->peak_step;
    const char *what = half    ? "16-bit types save half of it; "
                       : unpad ? "only padding is removed; "
                               : "";
    const char *move =
        moves ? xpd_arena_printf(dx->arena,
                                 "the peak then moves to step %" PRIu32 ", with other buffers",
                                 f->new_step)
              : "some of it is already freed at the peak, or shares memory";
    const char *text =
        less ? xpd_arena_printf(dx->arena, "less than the full %s: %s%s", about, what,
                                move ? move : "")
             : xpd_arena_printf(dx->arena,
                                "more than the %s named: the change applies to all %" PRIu32
                                " buffers",
                                about, f->buffer_count);
    f->saving_note = xpd_str_of(text ? text : "");
}

static bool hand_over(struct xpd_doctor *out, struct xpd_dx *dx)
{
    out->count = (uint32_t)dx->found.count;
    out->finding = XPD_NEW_ARRAY(dx->arena, struct xpd_finding, out->count);
    if (!out->finding || dx->found.failed || dx->not_judged.failed)
        return false;
    for (uint32_t i = 0; i < out->count; i++) {
        out->finding[i] = dx->found.at[i];
        apply_silences(dx, &out->finding[i]);
        explain_saving(dx, &out->finding[i]);
        out->silenced_count += out->finding[i].silenced != NULL;
    }
    if (out->count > 1)
        qsort(out->finding, out->count, sizeof *out->finding, xpd_finding_compare);
    const char *text = xpd_arena_strndup(dx->arena, dx->not_judged.data ? dx->not_judged.data : "",
                                         dx->not_judged.size);
    out->not_judged = (struct xpd_str){text ? text : "", text ? dx->not_judged.size : 0};
    out->rules_not_judged = dx->not_judged_count;
    return text != NULL;
}

static bool applies(const struct xpd_dx *dx, size_t rule)
{
    int spaces = runs[rule].spaces;
    if (dx->time)
        return spaces == TIME;
    if (dx->heap)
        return spaces == HEAP;
    if (dx->space)
        return spaces == ALL || (dx->is_main && spaces == MAIN);
    return runs[rule].run == xpd_rule_cannot_judge;
}

/* The rules of a kind, and what they share made ready: `space`, `time` or `heap`, or none (D30). */
static int run_rules(struct xpd_doctor *out, struct xpd_dx *dx, struct xpd_err *err)
{
    struct xpd_doctor_thresholds defaults;
    xpd_doctor_thresholds_init(&defaults);
    dx->t = dx->in->config ? &dx->in->config->thresholds : &defaults;
    dx->mem = dx->in->mem;
    dx->hlo = dx->mem ? dx->mem->hlo : NULL;
    *out = (struct xpd_doctor){0};
    bool ok = !dx->space || prepare(dx, err);
    for (size_t i = 0; ok && i < RULES; i++) {
        dx->rule = &rules[i];
        if (applies(dx, i)) {
            runs[i].run(dx);
            out->rules_checked++;
        }
        ok = !dx->arena->failed;
    }
    ok = ok && hand_over(out, dx);
    xpd_hlo_printer_free(dx->printer);
    XPD_VEC_FINI(&dx->found);
    xpd_strbuf_fini(&dx->not_judged);
    return ok ? XPD_OK : xpd_no_memory(err, NULL, "for the findings");
}

int xpd_doctor_run(struct xpd_doctor *out, const struct xpd_doctor_input *input,
                   const struct xpd_mem_space *space, struct xpd_arena *arena, struct xpd_err *err)
{
    struct xpd_dx dx = {.in = input, .space = space, .arena = arena};
    dx.is_main = space && space == xpd_mem_main_space(input->mem);
    return run_rules(out, &dx, err);
}

int xpd_doctor_time_run(struct xpd_doctor *out, const struct xpd_doctor_input *input,
                        const struct xpd_doctor_time *time, struct xpd_arena *arena,
                        struct xpd_err *err)
{
    const struct xpd_mem_space *space = input->mem ? xpd_mem_main_space(input->mem) : NULL;
    struct xpd_dx dx = {.in = input, .time = time, .arena = arena};
    dx.page_bytes = space ? space->peak_bytes : 0;
    return run_rules(out, &dx, err);
}

int xpd_doctor_heap_run(struct xpd_doctor *out, const struct xpd_doctor_input *input,
                        const struct xpd_doctor_heap *heap, struct xpd_arena *arena,
                        struct xpd_err *err)
{
    struct xpd_dx dx = {.in = input, .heap = heap, .arena = arena};
    return run_rules(out, &dx, err);
}

/* ---- findings of all memory spaces and of time in one list ---- */

/* Of each buffer the findings that change it, as bits of the first 64 that save anything. */
static void find_owners(uint64_t *owners, const struct xpd_finding *finding, uint32_t count,
                        const uint32_t *bit)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; bit[i] < 64 && k < finding[i].buffer_count; k++)
            owners[finding[i].buffer[k]] |= UINT64_C(1) << bit[i];
}

static uint64_t others_of(const struct xpd_finding *f, const uint64_t *owners)
{
    uint64_t all = 0;
    for (uint32_t k = 0; k < f->buffer_count; k++)
        all |= owners[f->buffer[k]];
    return all;
}

static bool list_overlaps(struct xpd_finding *finding, uint32_t count, const uint32_t *bit,
                          const uint64_t *owners, struct xpd_arena *arena)
{
    for (uint32_t i = 0; i < count; i++) {
        if (bit[i] >= 64)
            continue;
        uint64_t all = others_of(&finding[i], owners) & ~(UINT64_C(1) << bit[i]);
        uint32_t *list = XPD_NEW_ARRAY(arena, uint32_t, (size_t)__builtin_popcountll(all));
        uint32_t n = 0;
        if (!list)
            return false;
        for (uint32_t k = 0; k < count; k++)
            if (bit[k] < 64 && (all >> bit[k] & 1))
                list[n++] = k;
        finding[i].overlap = list;
        finding[i].overlap_count = n;
    }
    return true;
}

static bool find_overlaps(struct xpd_finding *finding, uint32_t count, const struct xpd_mem *mem,
                          struct xpd_arena *arena)
{
    uint64_t *owners = XPD_NEW_ARRAY(arena, uint64_t, mem ? mem->hlo->buffers.count : 0);
    uint32_t *bit = XPD_NEW_ARRAY(arena, uint32_t, count), next = 0;
    if (!owners || !bit)
        return false;
    for (uint32_t i = 0; i < count; i++)
        bit[i] = finding[i].saving_bytes > 0 && !finding[i].silenced ? next++ : 64;
    find_owners(owners, finding, count, bit);
    return list_overlaps(finding, count, bit, owners, arena);
}

bool xpd_doctor_rank(struct xpd_finding *finding, uint32_t count, const struct xpd_mem *mem,
                     int64_t scale_bytes, struct xpd_arena *arena)
{
    for (uint32_t i = 0; i < count; i++)
        if (finding[i].about == XPD_FINDS_MEMORY && finding[i].saving_bytes >= 0 && scale_bytes > 0)
            finding[i].share = (double)finding[i].saving_bytes / (double)scale_bytes;
    if (count > 1)
        qsort(finding, count, sizeof *finding, xpd_finding_compare);
    return find_overlaps(finding, count, mem, arena);
}
