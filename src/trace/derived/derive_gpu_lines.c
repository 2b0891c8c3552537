/* The order in which XProf numbers the lines of a GPU. */
#include "derive.h"

#include <stdlib.h>

struct use {
    uint32_t row, line;
    bool compute;
    uint64_t events;
};

/* Streams that compute first, then the fullest, then as in the file. */
static int by_use(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->compute != y->compute)
        return x->compute ? -1 : 1;
    if (x->events != y->events)
        return x->events > y->events ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Series of one line of counters follow each other: they are one line. */
static bool is_line(const struct xpd_trace_row *row, const struct xpd_trace_row *before)
{
    return row->kind != XPD_ROW_INTERNAL && row->event_count > 0 &&
           (row->kind != XPD_ROW_COUNTER || !before || before->kind != XPD_ROW_COUNTER ||
            before->id != row->id);
}

bool xpd_gpu_lines(const struct xpd_trace *trace, uint32_t process, uint32_t *row, uint32_t *count)
{
    const struct xpd_trace_process *at = &trace->process[process];
    struct use *use = calloc((size_t)at->row_count + 1, sizeof *use);
    *count = 0;
    if (!use)
        return false;
    for (uint32_t i = 0; i < at->row_count; i++) {
        const struct xpd_trace_row *one = &trace->row[at->first_row + i];
        struct xpd_str caption = xpd_intern_get(&trace->names, one->caption);
        if (is_line(one, i > 0 ? one - 1 : NULL))
            use[(*count)++] = (struct use){
                .row = at->first_row + i,
                .line = one->line,
                .compute = xpd_str_find(caption, XPD_STR("Compute"), false) != SIZE_MAX,
                .events = one->event_count};
    }
    if (*count > 1)
        qsort(use, *count, sizeof *use, by_use);
    for (uint32_t i = 0; i < *count; i++)
        row[i] = use[i].row;
    free(use);
    return true;
}
