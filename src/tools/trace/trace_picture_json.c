/* The columns of boxes as JSON, on two threads where they are many: seven columns of up to 120,000
 * numbers are two megabytes of digits.
 *
 * In: a picture. Out: its "box" and "merged" in the answer, the same with any number of threads. */
#include "trace_picture.h"
#include "xprofd/base/threads.h"

#include <stdatomic.h>

#define BOX_BYTES   24   /* of JSON, about */
#define THREAD_FROM 8000 /* boxes; below that, a thread more costs what it brings */

struct writing {
    struct xpd_jsonw *w; /* "box" */
    const struct xpd_picture *picture;
    struct xpd_strbuf merged;
    _Atomic uint32_t next; /* part to be taken: 0 and 1 */
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
    (void)xpd_strbuf_reserve(out, 256 + (size_t)n * BOX_BYTES / 2);
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "n", n);
    xpd_json_ki64(&w, "busy_q", INT64_C(1) << xpd_picture_busy_shift(picture));
    xpd_json_col_i64(&w, "at", picture->at, n);
    xpd_json_col_i64(&w, "count", picture->count, n);
    xpd_json_col_i64(&w, "busy", picture->busy, n);
    xpd_json_col_i64(&w, "longest", picture->longest, n);
    xpd_json_obj_end(&w);
}

static void write_parts(void *context, uint32_t thread)
{
    struct writing *writing = context;
    uint32_t part;
    (void)thread;
    while ((part = atomic_fetch_add_explicit(&writing->next, 1, memory_order_relaxed)) < 2)
        if (part == 0)
            write_box(writing->w, writing->picture);
        else
            write_merged(&writing->merged, writing->picture);
}

void xpd_picture_write(struct xpd_jsonw *w, const struct xpd_picture *picture)
{
    struct writing writing = {.w = w, .picture = picture};
    bool alone = picture->box_count < THREAD_FROM || xpd_threads_count(0) < 2;
    /* A guess, to grow once. */
    (void)xpd_strbuf_reserve(w->out, 4096 + (size_t)picture->box_count * BOX_BYTES);
    xpd_threads_run(alone ? 1 : 2, write_parts, &writing);
    w->out->failed |= writing.merged.failed;
    xpd_json_key(w, "merged");
    xpd_json_raw(w, (struct xpd_str){writing.merged.data, writing.merged.size});
    xpd_strbuf_fini(&writing.merged);
}
