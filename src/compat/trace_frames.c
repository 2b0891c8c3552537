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
    text = xpd_compat_cut(text, &answer->scratch);
    (void)xpd_intern_put(&answer->frames, text.data, text.size);
}

static bool is_frame_name(struct xpd_str name)
{
    return xpd_str_eq(name, XPD_STR("long_name")) || xpd_str_eq(name, XPD_STR("hlo_text"));
}

bool xpd_answer_is_frame(const struct xpd_compat_arg *arg)
{
    return arg->type == XPD_STAT_TEXT && arg->text.size > XPD_COMPAT_FRAME_BYTES &&
           is_frame_name(arg->name);
}

void xpd_answer_stat_frames(struct xpd_trace_answer *answer, uint64_t event)
{
    struct xpd_stat_value *stat = NULL;
    uint32_t count = 0, from_metadata;
    if (event >= answer->host->trace->event_count || answer->rc != XPD_OK)
        return;
    xpd_arena_reset(&answer->scratch);
    answer->rc = xpd_trace_stats(answer->host->trace, event, &answer->scratch, &stat, &count,
                                 &from_metadata, answer->err);
    for (uint32_t i = 0; answer->rc == XPD_OK && i < count; i++)
        if (stat[i].type == XPD_STAT_TEXT && stat[i].text.size > XPD_COMPAT_FRAME_BYTES &&
            is_frame_name(stat[i].name))
            (void)xpd_intern_put(&answer->frames, stat[i].text.data, stat[i].text.size);
}

/* Hardly any plane has such stats: events of others are not read for them. */
static bool has_stat_frames(const struct xpd_trace *trace, const struct xpd_trace_row *row)
{
    const struct xpd_plane_tables *tables = &trace->tables[trace->process[row->process].plane];
    uint64_t id;
    return xpd_plane_stat_id(tables, &trace->names, XPD_STR("hlo_text"), &id) ||
           xpd_plane_stat_id(tables, &trace->names, XPD_STR("long_name"), &id);
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
        bool stats = has_stat_frames(host->trace, row);
        for (uint32_t i = 0; i < depth->count; i++) {
            if (host->xprof->hidden && host->xprof->hidden[depth->name[i]])
                continue;
            used[depth->name[i]] = true;
            if (stats)
                xpd_answer_stat_frames(answer, depth->first_event + i);
        }
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
        xpd_json_kstr(w, "name", text);
        xpd_json_obj_end(w);
    }
    xpd_json_obj_end(w);
}
