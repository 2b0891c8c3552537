/* The columns of boxes and the names of them as JSON, on two threads where they are many: seven
 * columns of up to 120,000 numbers are two megabytes of digits.
 *
 * In: a picture. Out: its "box" and "merged" in the answer and its "names", the same with any
 * number of threads. */
#include "trace_picture.h"
#include "xprofd/base/threads.h"

#define BOX_BYTES  24 /* of JSON, about */
#define NAME_BYTES 48 /* the same */
#define AHEAD      8  /* names, asked for before they are needed */

/* ---- names: what stands on the boxes and colours them, in the order of its places ---- */

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
static int put_names(struct xpd_jsonw *w, const struct xpd_trace_call *call,
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

/* ---- columns ---- */

/* The longest first, so that both threads end at about the same time. */
enum part { NAMES, BOX, MERGED, MERGED_TIMES, PARTS };

struct writing {
    struct xpd_jsonw *w; /* "box" */
    const struct xpd_trace_call *call;
    const struct xpd_picture *picture;
    struct xpd_strbuf *names;        /* what is between the braces of both: */
    struct xpd_strbuf merged, times; /* "merged" */
    int rc;                          /* of the names */
    struct xpd_err *err;
};

static void write_box(struct xpd_jsonw *w, const struct xpd_picture *picture)
{
    uint32_t n = picture->box_count;
    xpd_json_key(w, "box");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_col_i64(w, "start", picture->start, n);
    xpd_json_col_i64(w, "length", picture->length, n);
    xpd_json_col_i64(w, "name", picture->name, n);
    xpd_json_obj_end(w);
}

static void write_merged(struct xpd_strbuf *out, const struct xpd_picture *picture)
{
    uint32_t n = picture->merged_count;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, out);
    (void)xpd_strbuf_reserve(out, 256 + (size_t)n * BOX_BYTES / 4);
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "n", n);
    xpd_json_ki64(&w, "busy_q", INT64_C(1) << xpd_picture_busy_shift(picture));
    xpd_json_col_i64(&w, "at", picture->at, n);
    xpd_json_col_i64(&w, "count", picture->count, n);
    xpd_json_obj_end(&w);
}

static void write_times(struct xpd_strbuf *out, const struct xpd_picture *picture)
{
    uint32_t n = picture->merged_count;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, out);
    (void)xpd_strbuf_reserve(out, 256 + (size_t)n * BOX_BYTES / 4);
    xpd_json_obj(&w);
    xpd_json_col_i64(&w, "busy", picture->busy, n);
    xpd_json_col_i64(&w, "longest", picture->longest, n);
    xpd_json_obj_end(&w);
}

static void write_names(struct writing *writing)
{
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, writing->names);
    (void)xpd_strbuf_reserve(writing->names, 4096 + writing->picture->used_name.count * NAME_BYTES);
    writing->rc = put_names(&w, writing->call, writing->picture, writing->err);
}

static void write_part(void *context, uint32_t part, uint32_t thread)
{
    struct writing *writing = context;
    (void)thread;
    switch ((enum part)part) {
    case NAMES: write_names(writing); break;
    case BOX: write_box(writing->w, writing->picture); break;
    case MERGED: write_merged(&writing->merged, writing->picture); break;
    case MERGED_TIMES: write_times(&writing->times, writing->picture); break;
    case PARTS: break;
    }
}

/* Those of an object that was written elsewhere. */
static void add_members(struct xpd_jsonw *w, struct xpd_strbuf *text)
{
    if (!text->failed && text->size > 2)
        xpd_json_raw(w, (struct xpd_str){text->data + 1, text->size - 2});
    w->out->failed |= text->failed;
    xpd_strbuf_fini(text);
}

int xpd_picture_write(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                      const struct xpd_picture *picture, struct xpd_strbuf *names,
                      struct xpd_err *err)
{
    struct writing writing = {
        .w = w, .call = call, .picture = picture, .names = names, .rc = XPD_OK, .err = err};
    bool alone = picture->box_count < XPD_PICTURE_THREAD_FROM || xpd_threads_count(0) < 2;
    /* A guess, to grow once. */
    (void)xpd_strbuf_reserve(w->out, 4096 + (size_t)picture->box_count * BOX_BYTES);
    xpd_threads_each(alone ? 1 : 2, PARTS, write_part, &writing);
    w->out->failed |= names->failed;
    xpd_json_key(w, "merged");
    xpd_json_obj(w);
    add_members(w, &writing.merged);
    add_members(w, &writing.times);
    xpd_json_obj_end(w);
    return writing.rc;
}
