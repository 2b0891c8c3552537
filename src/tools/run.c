/* /api/v1/run: one run, loaded: its files, what was read of each, its modules, what it can show. */
#include "common/rail.h"

#define PLANES_MAX     256
#define LINES_MAX      512 /* of a plane */
#define TEXTS_MAX      64
#define ERROR_TEXT_MAX 8000

static void write_line(struct xpd_jsonw *w, const struct xpd_xspace *space,
                       const struct xpd_line *line)
{
    xpd_name_id name = line->display_name ? line->display_name : line->name;
    xpd_json_obj(w);
    xpd_json_kstr(w, "name", xpd_intern_get(&space->names, name));
    xpd_json_ku64(w, "events", line->event_count);
    xpd_json_ku64(w, "offset_bytes", line->range.offset);
    xpd_json_ku64(w, "size_bytes", line->range.size);
    xpd_json_obj_end(w);
}

static void write_planes(struct xpd_jsonw *w, const struct xpd_xspace *space)
{
    uint32_t planes = space ? space->plane_count : 0;
    uint32_t shown = planes < PLANES_MAX ? planes : PLANES_MAX;
    xpd_json_key(w, "planes");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < shown; i++) {
        const struct xpd_plane *plane = &space->plane[i];
        uint32_t lines = plane->line_count < LINES_MAX ? plane->line_count : LINES_MAX;
        xpd_json_obj(w);
        xpd_json_kstr(w, "name", xpd_intern_get(&space->names, plane->name));
        xpd_json_key(w, "lines");
        xpd_json_arr(w);
        for (uint32_t j = 0; j < lines; j++)
            write_line(w, space, &plane->line[j]);
        xpd_json_arr_end(w);
        xpd_json_ku64(w, "lines_left_out", plane->line_count - lines);
        xpd_json_ku64(w, "events", plane->event_count);
        xpd_json_ku64(w, "offset_bytes", plane->range.offset);
        xpd_json_ku64(w, "size_bytes", plane->range.size);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "planes_left_out", planes - shown);
}

static void write_texts(struct xpd_jsonw *w, const char *key, const struct xpd_xspace *space,
                        const xpd_name_id *text, uint32_t count)
{
    uint32_t n = count < TEXTS_MAX ? count : TEXTS_MAX;
    XPD_COLUMN(w, key, n, xpd_json_str(w, xpd_intern_get(&space->names, text[row])));
}

static const char *format_word(enum xpd_input_format format)
{
    return format == XPD_INPUT_XPLANE      ? "xplane"
           : format == XPD_INPUT_HLO_PROTO ? "hlo_proto"
           : format == XPD_INPUT_HEAP      ? "pprof"
           : format == XPD_INPUT_HLO_TEXT  ? "hlo_text"
                                           : "error_text";
}

static void write_host(struct xpd_jsonw *w, const struct xpd_host *host, bool portable)
{
    const struct xpd_xspace *space = host->space;
    bool failed = host->error.code != XPD_OK;
    xpd_json_obj(w);
    xpd_json_ktext(w, "name", host->name);
    xpd_json_ktext(w, "file", host->input->name);
    xpd_json_ku64(w, "size_bytes", host->input->identity.size_bytes);
    if (portable)
        xpd_json_knull(w, "mtime_ms");
    else
        xpd_json_ki64(w, "mtime_ms", host->input->identity.mtime_ns / 1000000);
    xpd_json_ktext(w, "format", format_word(host->input->format));
    xpd_json_kbool(w, "complete", space ? space->complete : !failed);
    if (space) {
        xpd_json_ku64(w, "read_until_bytes", space->read_until);
        xpd_json_ku64(w, "whole_bytes", space->whole_bytes);
    } else {
        xpd_json_knull(w, "read_until_bytes");
        xpd_json_knull(w, "whole_bytes");
    }
    xpd_json_ktext(w, "error", failed ? host->error.text : host->input->problem);
    write_planes(w, space);
    write_texts(w, "hostnames", space, space ? space->hostname : NULL,
                space ? space->hostname_count : 0);
    write_texts(w, "errors", space, space ? space->error : NULL, space ? space->error_count : 0);
    write_texts(w, "warnings", space, space ? space->warning : NULL,
                space ? space->warning_count : 0);
    xpd_json_warnings(w, "reading", space ? &space->warnings : NULL);
    xpd_json_obj_end(w);
}

static void hosts_of(struct xpd_jsonw *w, const struct xpd_module *module)
{
    xpd_json_arr(w);
    for (uint32_t i = 0; i < module->host_count; i++)
        xpd_json_u64(w, module->host[i]);
    xpd_json_arr_end(w);
}

static void write_modules(struct xpd_jsonw *w, const struct xpd_run *run)
{
    const struct xpd_module *module = run->module;
    uint32_t n = run->module_count;
    xpd_json_key(w, "modules");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "key", n, xpd_json_text(w, module[row].key));
    XPD_COLUMN(w, "name", n, xpd_json_text(w, module[row].name));
    XPD_COLUMN(w, "program_id", n, xpd_json_u64_string(w, module[row].program_id));
    XPD_COLUMN(w, "hosts", n, hosts_of(w, &module[row]));
    XPD_COLUMN(w, "run_count", n, xpd_tools_run_count(w, &module[row]));
    XPD_COLUMN(w, "proto_bytes", n, xpd_json_u64(w, module[row].proto_bytes));
    XPD_COLUMN(w, "failed_to_compile", n, xpd_json_bool(w, module[row].failed_to_compile));
    xpd_json_obj_end(w);
}

static void write_error_text(struct xpd_jsonw *w, const char *text)
{
    struct xpd_str shown = xpd_str_of(text);
    if (shown.size > ERROR_TEXT_MAX)
        shown.size = ERROR_TEXT_MAX;
    xpd_tools_kstr(w, "error_text", shown);
}

static int run_tool(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                    struct xpd_err *err)
{
    (void)err;
    const struct xpd_run *run = ctx->run;
    struct xpd_capacity capacity;
    xpd_tools_capacity(ctx, 0, &capacity);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ktext(&w, "id", run->entry->id);
    xpd_json_ktext(&w, "label", run->entry->label);
    xpd_json_ktext(&w, "kind", xpd_run_kind_word(run->entry->kind));
    xpd_json_key(&w, "fingerprint");
    if (ctx->portable)
        xpd_json_null(&w);
    else
        xpd_tools_fingerprint(&w, run->entry);
    xpd_tools_kstr(&w, "platform", xpd_str_of(run->platform));
    xpd_tools_kstr(&w, "device_type", xpd_str_of(run->device_type));
    xpd_tools_kstr(&w, "versions", xpd_str_of(run->versions));
    xpd_json_ku64(&w, "device_count", run->device_count);
    xpd_tools_capacity_write(&w, &capacity);
    xpd_json_key(&w, "hosts");
    xpd_json_arr(&w);
    for (uint32_t i = 0; i < run->host_count; i++)
        write_host(&w, &run->host[i], ctx->portable);
    xpd_json_arr_end(&w);
    XPD_COLUMN(&w, "hosts_left_out", run->left_out_count,
               xpd_json_text(&w, run->left_out[row]->host));
    struct xpd_tool_state tool[XPD_RAIL_TOOLS];
    xpd_rail_of(tool, run);
    xpd_json_key(&w, "tools");
    xpd_json_arr(&w);
    for (size_t i = 0; i < XPD_RAIL_TOOLS; i++)
        xpd_answer_put(&w, xpd_tool_state_record(), &tool[i]);
    xpd_json_arr_end(&w);
    write_modules(&w, run);
    write_error_text(&w, run->error_text);
    xpd_json_warnings(&w, "warnings", run->warnings);
    xpd_json_obj_end(&w);
    return XPD_OK;
}

const struct xpd_tool xpd_tool_run = {
    .route = "/api/v1/run",
    .title = "One run, loaded: its files and how far each was read, its modules, what it can show.",
    .needs = XPD_NEEDS_RUN,
    .run = run_tool,
};
