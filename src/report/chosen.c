/* Chosen buffers on the graph. In: logical buffers. Out: the row of each one's storage, so that
 * what is drawn adds up to bytes of the curve, and the stretches in which it is held, with places.
 */
#include "xprofd/report/report.h"

/* As what-if and the card take a buffer away: all stretches of its root's storage. */
static uint32_t first_tenancy(const struct xpd_mem *mem, uint32_t buffer)
{
    uint32_t root = mem->buffer[buffer].root;
    return root == XPD_NO_INDEX ? XPD_NO_INDEX : mem->buffer[root].storage_tenancy;
}

/* A tenancy is in the space when its storage's root leads there: other spaces number theirs anew.
 */
static bool is_temporary_here(const struct xpd_report *report, uint32_t buffer)
{
    const struct xpd_mem *mem = report->mem;
    uint32_t allocation = mem->buffer[buffer].allocation;
    return allocation != XPD_NO_INDEX &&
           mem->hlo->allocation[allocation].color == report->space->color &&
           mem->buffer[buffer].mem_class == XPD_CLASS_TEMPORARY;
}

static void take_tenancies(const struct xpd_report *report, struct xpd_report_chosen *chosen,
                           uint32_t place, uint32_t *key)
{
    const struct xpd_mem_space *space = report->space;
    chosen->state = XPD_CHOSEN_NEVER;
    for (uint32_t t = first_tenancy(report->mem, chosen->buffer); t < space->tenancy_count;
         t = space->tenancy[t].next_of_buffer) {
        uint32_t row = report->resident_count + t;
        if (key[row] != XPD_NO_INDEX) {
            chosen->twin = key[row];
            chosen->row = row;
            return;
        }
        if (chosen->row == XPD_NO_INDEX)
            chosen->row = row;
        key[row] = place;
        bool traced = !(space->tenancy[t].flags & XPD_TENANCY_UNTRACED);
        chosen->state = traced ? XPD_CHOSEN_LIVE : XPD_CHOSEN_NO_EVENTS;
    }
}

static void take_resident(const struct xpd_report *report, struct xpd_report_chosen *chosen,
                          uint32_t place, uint32_t *key)
{
    uint32_t allocation = report->mem->buffer[chosen->buffer].allocation;
    for (uint32_t row = 0; row < report->resident_count; row++) {
        if (report->row[row].allocation != allocation)
            continue;
        chosen->row = row;
        chosen->state = XPD_CHOSEN_ALWAYS;
        if (key[row] == XPD_NO_INDEX)
            key[row] = place;
        else
            chosen->twin = key[row];
        return;
    }
}

void xpd_report_choose(const struct xpd_report *report, struct xpd_report_chosen *chosen,
                       uint32_t count, uint32_t *key)
{
    for (uint32_t i = 0; i < report->row_count; i++)
        key[i] = XPD_NO_INDEX;
    for (uint32_t i = 0; i < count; i++) {
        chosen[i] = (struct xpd_report_chosen){.buffer = chosen[i].buffer,
                                               .row = XPD_NO_INDEX,
                                               .twin = XPD_NO_INDEX,
                                               .state = XPD_CHOSEN_ELSEWHERE};
        if (is_temporary_here(report, chosen[i].buffer))
            take_tenancies(report, &chosen[i], i, key);
        else if (report->mem->buffer[chosen[i].buffer].allocation != XPD_NO_INDEX)
            take_resident(report, &chosen[i], i, key);
        if (chosen[i].twin != XPD_NO_INDEX)
            chosen[i].state = chosen[chosen[i].twin].state;
    }
}

uint32_t xpd_report_pieces(const struct xpd_report *report, const uint32_t *key, uint32_t keys,
                           struct xpd_report_piece *out, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->span_count; i++) {
        const struct xpd_report_span *span = &report->span[i];
        uint32_t tenancy = report->row[span->row].tenancy;
        if (key[span->row] >= keys)
            continue;
        if (count < capacity)
            out[count] = (struct xpd_report_piece){
                .of = key[span->row],
                .from = span->from,
                .to = span->to == XPD_NO_STEP ? report->space->step_count : span->to,
                .bytes = span->bytes,
                .offset_bytes =
                    tenancy == XPD_NO_INDEX ? -1 : report->space->tenancy[tenancy].offset_bytes};
        count++;
    }
    return count;
}

const char *xpd_report_state_word(enum xpd_report_state state)
{
    static const char *const words[] = {"live", "always", "no_events", "never", "elsewhere"};
    return (unsigned)state < sizeof words / sizeof *words ? words[state] : "elsewhere";
}
