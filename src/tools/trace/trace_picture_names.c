/* The names of a picture: the answer's own table.
 *
 * In: a picture. Out: what stands on its boxes and colours them, in the order of its places. */
#include "trace_picture.h"

#define AHEAD 8 /* names, asked for before they are needed */

struct shown { /* of a name */
    struct xpd_str caption;
    const char *group;
    bool wait;
};

static void write_captions(struct xpd_jsonw *w, const struct shown *name, uint32_t n)
{
    XPD_COLUMN(w, "caption", n, {
        __builtin_prefetch(name[row + AHEAD < n ? row + AHEAD : row].caption.data);
        xpd_json_str(w, name[row].caption);
    });
}

/* Few texts stand for many names: a column of indexes into a table. */
static void write_scopes(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                         const uint32_t *name, uint32_t n)
{
    struct xpd_names scopes;
    xpd_names_init(&scopes, call->ctx->arena);
    XPD_COLUMN(w, "scope", n,
               xpd_json_u64(w, xpd_names_kept(&scopes, xpd_view_scope(&call->view, name[row]))));
    xpd_names_write(&scopes, w);
    xpd_names_fini(&scopes);
}

/* Names stand all over memory: they are looked up once, one right after the other, so that the
 * processor waits for many of them at once. */
int xpd_picture_write_names(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                            const struct xpd_picture *picture, struct xpd_err *err)
{
    const struct xpd_view *view = &call->view;
    uint32_t n = (uint32_t)picture->used_name.count;
    const uint32_t *at = picture->used_name.at;
    struct shown *name = XPD_NEW_ARRAY(call->ctx->arena, struct shown, n);
    if (!name)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_event_name *event = xpd_view_name(view, at[i]);
        name[i] = (struct shown){xpd_view_caption(view, at[i]), xpd_op_group_word(event->group),
                                 event->wait};
    }
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_col_u32(w, "id", at, n);
    write_captions(w, name, n);
    XPD_COLUMN(w, "group", n, xpd_json_text(w, name[row].group));
    XPD_COLUMN(w, "wait", n, xpd_json_i64(w, name[row].wait));
    if (picture->with_scopes) {
        write_scopes(w, call, at, n);
    } else {
        xpd_json_knull(w, "scope");
        xpd_json_knull(w, "names");
    }
    xpd_json_obj_end(w);
    return XPD_OK;
}
