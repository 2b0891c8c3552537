/* Long texts of an answer: each once, numbered from 1, as stack frames. */
#include "trace_answer.h"

#include <stdio.h>
#include <stdlib.h>

void xpd_answer_frame(struct xpd_trace_answer *answer, bool derived, uint32_t name_number)
{
    struct xpd_str text;
    if (!xpd_compat_long_name(answer->host, derived, name_number, &text) ||
        text.size <= XPD_COMPAT_FRAME_BYTES)
        return;
    (void)xpd_intern_put(&answer->frames, text.data, text.size);
}

/* XProf leaves TPUs out where there are GPUs. */
static bool hidden(const struct xpd_compat_host *host, const struct xpd_trace_row *row)
{
    enum xpd_process_kind kind = host->trace->process[row->process].kind;
    return kind == XPD_PROCESS_OTHER || (xpd_process_is_tpu(kind) && !host->xprof->has_tpu);
}

void xpd_answer_all_frames(struct xpd_trace_answer *answer)
{
    const struct xpd_compat_host *host = answer->host;
    uint32_t measured = host->trace->name_count;
    bool *used = calloc((size_t)measured + host->derived->name_count + 1, sizeof *used);
    if (!used) {
        answer->frames.failed = true;
        return;
    }
    for (uint32_t d = 0; d < host->trace->depth_count; d++) {
        const struct xpd_depth *depth = &host->trace->depth[d];
        const struct xpd_trace_row *row = &host->trace->row[depth->row];
        if (hidden(host, row) || row->kind == XPD_ROW_COUNTER || row->kind == XPD_ROW_INTERNAL)
            continue;
        for (uint32_t i = 0; i < depth->count; i++)
            used[depth->name[i]] = true;
    }
    for (uint32_t i = 0; i < host->derived->depth_count && !host->xprof->without_derived; i++) {
        const struct xpd_depth *depth = &host->derived->depth[i];
        const struct xpd_trace_row *row = &host->derived->row[depth->row];
        bool named = row->kind == XPD_ROW_FRAMEWORK_OPS || row->kind == XPD_ROW_OPS;
        for (uint32_t k = 0;
             named && !xpd_xprof_lacks(row) && !hidden(host, row) && k < depth->count; k++)
            used[depth->name[k]] = true;
    }
    for (uint32_t i = 0; i < measured; i++)
        if (used[i])
            xpd_answer_frame(answer, false, i);
    for (uint32_t i = 0; i < host->derived->name_count; i++)
        if (used[measured + i])
            xpd_answer_frame(answer, true, i);
    free(used);
}

void xpd_answer_write_frames(struct xpd_trace_answer *answer)
{
    struct xpd_jsonw *w = &answer->json;
    xpd_json_obj(w);
    for (uint32_t i = 1; i < answer->frames.count; i++) {
        char key[16];
        struct xpd_str text = xpd_intern_get(&answer->frames, i);
        (void)snprintf(key, sizeof key, "%u", i);
        xpd_json_key(w, key);
        xpd_json_obj(w);
        if (text.size > XPD_COMPAT_LONG_BYTES) {
            char *cut = xpd_arena_printf(&answer->scratch, "%.*s...<truncated>",
                                         XPD_COMPAT_LONG_BYTES, text.data);
            text = xpd_str_of(cut);
        }
        xpd_json_kstr(w, "name", text);
        xpd_json_obj_end(w);
    }
    xpd_json_obj_end(w);
}
