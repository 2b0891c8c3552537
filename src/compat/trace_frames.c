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
static bool hidden(const struct xpd_xprof *xprof, const struct xpd_trace_row *row)
{
    enum xpd_process_kind kind = xprof->input.trace->process[row->process].kind;
    return kind == XPD_PROCESS_OTHER || (xpd_process_is_tpu(kind) && !xprof->has_tpu);
}

static bool is_named_row(const struct xpd_xprof *xprof, const struct xpd_trace_row *row)
{
    return !hidden(xprof, row) && row->kind != XPD_ROW_COUNTER && row->kind != XPD_ROW_INTERNAL;
}

bool xpd_compat_picture_names(struct xpd_compat_picture *picture)
{
    const struct xpd_xprof *xprof = picture->xprof;
    const struct xpd_trace *trace = xprof->input.trace;
    const struct xpd_derived *derived = xprof->input.derived;
    bool *named = calloc((size_t)trace->name_count + derived->name_count + 1, sizeof *named);
    picture->named = named;
    for (uint32_t d = 0; named && d < trace->depth_count; d++) {
        const struct xpd_depth *depth = &trace->depth[d];
        bool shown = is_named_row(xprof, &trace->row[depth->row]);
        for (uint32_t i = 0; shown && i < depth->count; i++)
            if (!xprof->hidden || !xprof->hidden[depth->name[i]])
                named[depth->name[i]] = true;
    }
    for (uint32_t d = 0; named && d < derived->depth_count && !xprof->without_derived; d++) {
        const struct xpd_depth *depth = &derived->depth[d];
        const struct xpd_trace_row *row = &derived->row[depth->row];
        bool shown = (row->kind == XPD_ROW_FRAMEWORK_OPS || row->kind == XPD_ROW_OPS) &&
                     !xpd_xprof_lacks(row) && !hidden(xprof, row);
        for (uint32_t i = 0; shown && i < depth->count; i++)
            named[depth->name[i]] = true;
    }
    return named != NULL;
}

/* Those of single events first. */
static void add_stat_frames(struct xpd_trace_answer *answer)
{
    const struct xpd_xprof *xprof = answer->host->xprof;
    const struct xpd_trace *trace = answer->host->trace;
    for (uint32_t d = 0; d < trace->depth_count; d++) {
        const struct xpd_depth *depth = &trace->depth[d];
        const struct xpd_trace_row *row = &trace->row[depth->row];
        bool any = is_named_row(xprof, row) && has_stat_frames(trace, row);
        for (uint32_t i = 0; any && i < depth->count; i++)
            if (!xprof->hidden || !xprof->hidden[depth->name[i]])
                xpd_answer_stat_frames(answer, depth->first_event + i);
    }
}

void xpd_answer_all_frames(struct xpd_trace_answer *answer)
{
    const bool *named = answer->host->picture->named;
    uint32_t measured = answer->host->trace->name_count;
    add_stat_frames(answer);
    for (uint32_t i = 0; i < measured + answer->host->derived->name_count; i++)
        if (named[i])
            xpd_answer_frame(answer, i >= measured, i >= measured ? i - measured : i);
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
