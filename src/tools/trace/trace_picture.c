/* A window of the trace as columns.
 *
 * In: rows and a window. Out: their boxes, read by two threads when they are many, and again on a
 * coarser grid while they are too many. */
#include "trace_picture.h"

#include <stdlib.h>

enum { COLUMNS = 7 };

/* Room for as many as there may be: what is not used is never touched. */
static bool make_room(struct xpd_picture *picture, const struct xpd_trace_call *call)
{
    int64_t **column[COLUMNS] = {&picture->start, &picture->length, &picture->name,   &picture->at,
                                 &picture->count, &picture->busy,   &picture->longest};
    picture->memory = malloc((size_t)COLUMNS * XPD_BOXES_MAX * sizeof *picture->memory);
    picture->place = XPD_NEW_ARRAY(call->ctx->arena, uint32_t, xpd_view_names(picture->view));
    for (size_t i = 0; picture->memory && i < COLUMNS; i++)
        *column[i] = picture->memory + i * XPD_BOXES_MAX;
    return picture->memory && picture->place;
}

int xpd_picture_read(struct xpd_picture *picture, const struct xpd_trace_call *call,
                     const struct xpd_row_list *rows, bool flat,
                     const struct xpd_trace_window *window, struct xpd_err *err)
{
    struct xpd_picture more = {.view = &call->view, .from_ps = window->from_ps}; /* the second's */
    struct xpd_picture_plan plan;
    struct xpd_trace_window at = *window;
    *picture = more;
    bool fine = xpd_picture_plan(&plan, call, rows, flat, window) && make_room(picture, call) &&
                (plan.threads == 1 || make_room(&more, call));
    for (; fine; at.cell_shift++) {
        xpd_picture_read_parts(picture, &more, &plan, &at);
        if (!picture->too_many || at.cell_shift >= 62)
            break;
    }
    xpd_picture_fini(&more);
    return !fine || picture->run.failed || picture->used_name.failed ? xpd_tools_no_memory(err)
                                                                     : XPD_OK;
}

void xpd_picture_fini(struct xpd_picture *picture)
{
    free(picture->memory);
    XPD_VEC_FINI(&picture->run);
    XPD_VEC_FINI(&picture->used_name);
    *picture = (struct xpd_picture){0};
}
