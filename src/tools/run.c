/* /api/v1/run: one run, loaded: its files, what was read of each, its modules, what it can show. */
#include "common/sidebar.h"

#define PLANES_MAX     256
#define LINES_MAX      512 /* of a plane */
#define TEXTS_MAX      64
#define ERROR_TEXT_MAX 8000

#define XPD_LINE_SHOWN_FIELDS(FIELD)                                                               \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(INT, events, "how many")                                                                 \
    FIELD(INT, offset_bytes, "offset in the file")                                                 \
    FIELD(INT, size_bytes, "")
XPD_RECORD(xpd_line_shown, XPD_LINE_SHOWN_FIELDS)

#define XPD_PLANE_SHOWN_FIELDS(FIELD)                                                              \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(LIST(xpd_line_shown), lines, "at most 512")                                              \
    FIELD(COUNT, lines_left_out, "")                                                               \
    FIELD(INT, events, "how many")                                                                 \
    FIELD(INT, offset_bytes, "offset in the file")                                                 \
    FIELD(INT, size_bytes, "")
XPD_RECORD(xpd_plane_shown, XPD_PLANE_SHOWN_FIELDS)

#define XPD_HOST_SHOWN_FIELDS(FIELD)                                                               \
    FIELD(STRING, name, "\"\" for a dump")                                                         \
    FIELD(STRING, file, "")                                                                        \
    FIELD(INT, size_bytes, "")                                                                     \
    FIELD(MAYBE(INT), mtime_ms, "of the file, since 1970; null in a report file")                  \
    FIELD(WORD("xplane hlo_proto pprof hlo_text error_text"), format, "")                          \
    FIELD(BOOL, complete, "the file was read to its end without damage")                           \
    FIELD(MAYBE(INT), read_until_bytes, "of a profile: offset where reading ended")                \
    FIELD(MAYBE(INT), whole_bytes, "of a profile: the size that its length fields promise")        \
    FIELD(MAYBE(STRING), error, "why it could not be read")                                        \
    FIELD(LIST(xpd_plane_shown), planes, "at most 256")                                            \
    FIELD(COUNT, planes_left_out, "")                                                              \
    FIELD(VALUES(TEXT), hostnames, "in the profile, at most 64")                                   \
    FIELD(VALUES(TEXT), errors, "errors recorded by the profiler, at most 64")                     \
    FIELD(VALUES(TEXT), warnings, "errors recorded by the profiler, at most 64")                   \
    FIELD(LIST(xpd_warning_row), reading, "warnings from reading the file")
XPD_RECORD(xpd_host_shown, XPD_HOST_SHOWN_FIELDS)

#define XPD_RUN_MODULE_FIELDS(FIELD)                                                               \
    FIELD(STRING, key, "the parameter `module`")                                                   \
    FIELD(STRING, name, "")                                                                        \
    FIELD(ID, program_id, "")                                                                      \
    FIELD(VALUES(INDEX), hosts, "indexes in `hosts`")                                              \
    FIELD(MAYBE(INT), run_count, "how often it ran")                                               \
    FIELD(BOOL, ran, "events name it, also where they do not tell how often it ran")               \
    FIELD(INT, proto_bytes, "size of its HLO")                                                     \
    FIELD(BOOL, failed_to_compile, "")
XPD_RECORD(xpd_run_module, XPD_RUN_MODULE_FIELDS)

#define XPD_RUN_SHOWN_FIELDS(FIELD)                                                                \
    FIELD(STRING, id, "")                                                                          \
    FIELD(STRING, label, "the shortest suffix of `id` that is unique")                             \
    FIELD(WORD(XPD_RUN_KINDS), kind, "")                                                           \
    FIELD(MAYBE(TEXT), fingerprint, "changes when a file does; null in a report file")             \
    FIELD(MAYBE(TEXT), platform, "`tpu`, `gpu`, `cpu`")                                            \
    FIELD(MAYBE(TEXT), device_type, "`TPU v6 Lite`, ...")                                          \
    FIELD(MAYBE(TEXT), versions, "of the compiler")                                                \
    FIELD(COUNT, device_count, "")                                                                 \
    XPD_CAPACITY_FIELDS(FIELD)                                                                     \
    FIELD(LIST(xpd_host_shown), hosts, "one for each file")                                        \
    FIELD(VALUES(STRING), hosts_left_out, "hosts that `only` leaves out")                          \
    FIELD(LIST(xpd_tool_state), tools, "availability of each tool")                                \
    FIELD(COLUMNS(xpd_run_module), modules, "by key")                                              \
    FIELD(MAYBE(TEXT), error_text, "of a dump that did not compile, the first 8,000 bytes")        \
    FIELD(LIST(xpd_warning_row), warnings, "of the whole run")
XPD_RECORD(xpd_run_shown, XPD_RUN_SHOWN_FIELDS)

static struct xpd_line_shown line_of(const struct xpd_xspace *space, const struct xpd_line *line)
{
    xpd_name_id name = line->display_name ? line->display_name : line->name;
    return (struct xpd_line_shown){xpd_intern_get(&space->names, name), (int64_t)line->event_count,
                                   (int64_t)line->range.offset, (int64_t)line->range.size};
}

static struct xpd_plane_shown plane_of(const struct xpd_xspace *space,
                                       const struct xpd_plane *plane, struct xpd_arena *arena)
{
    uint32_t n = plane->line_count < LINES_MAX ? plane->line_count : LINES_MAX;
    struct xpd_line_shown *line = XPD_NEW_ARRAY(arena, struct xpd_line_shown, n);
    for (uint32_t i = 0; line && i < n; i++)
        line[i] = line_of(space, &plane->line[i]);
    return (struct xpd_plane_shown){.name = xpd_intern_get(&space->names, plane->name),
                                    .lines = {line, n},
                                    .lines_left_out = plane->line_count - n,
                                    .events = (int64_t)plane->event_count,
                                    .offset_bytes = (int64_t)plane->range.offset,
                                    .size_bytes = (int64_t)plane->range.size};
}

/* At most TEXTS_MAX; *count is how many. */
static struct xpd_str *texts_of(const struct xpd_xspace *space, const xpd_name_id *text,
                                uint32_t *count, struct xpd_arena *arena)
{
    *count = *count < TEXTS_MAX ? *count : TEXTS_MAX;
    struct xpd_str *out = XPD_NEW_ARRAY(arena, struct xpd_str, *count);
    for (uint32_t i = 0; out && i < *count; i++)
        out[i] = xpd_intern_get(&space->names, text[i]);
    return out;
}

static void fill_space(struct xpd_host_shown *out, const struct xpd_xspace *space,
                       struct xpd_arena *arena)
{
    uint32_t n = space->plane_count < PLANES_MAX ? space->plane_count : PLANES_MAX;
    uint32_t hostnames = space->hostname_count, errors = space->error_count,
             warnings = space->warning_count;
    struct xpd_plane_shown *plane = XPD_NEW_ARRAY(arena, struct xpd_plane_shown, n);
    for (uint32_t i = 0; plane && i < n; i++)
        plane[i] = plane_of(space, &space->plane[i], arena);
    out->complete = space->complete;
    out->read_until_bytes = (int64_t)space->read_until;
    out->whole_bytes = (int64_t)space->whole_bytes;
    out->planes.at = plane;
    out->planes.n = n;
    out->planes_left_out = space->plane_count - n;
    out->hostnames.at = texts_of(space, space->hostname, &hostnames, arena);
    out->hostnames.n = hostnames;
    out->errors.at = texts_of(space, space->error, &errors, arena);
    out->errors.n = errors;
    out->warnings.at = texts_of(space, space->warning, &warnings, arena);
    out->warnings.n = warnings;
    out->reading.at = xpd_tools_warnings(arena, &space->warnings);
    out->reading.n = space->warnings.count;
}

static const char *format_word(enum xpd_input_format format)
{
    return format == XPD_INPUT_XPLANE      ? "xplane"
           : format == XPD_INPUT_HLO_PROTO ? "hlo_proto"
           : format == XPD_INPUT_HEAP      ? "pprof"
           : format == XPD_INPUT_HLO_TEXT  ? "hlo_text"
                                           : "error_text";
}

static const struct xpd_host_shown *hosts_of(const struct xpd_tool_ctx *ctx)
{
    const struct xpd_run *run = ctx->run;
    struct xpd_host_shown *out = XPD_NEW_ARRAY(ctx->arena, struct xpd_host_shown, run->host_count);
    for (uint32_t i = 0; out && i < run->host_count; i++) {
        const struct xpd_host *host = &run->host[i];
        const struct xpd_identity *identity = &host->input->identity;
        bool failed = host->error.code != XPD_OK;
        out[i] = (struct xpd_host_shown){
            .name = host->name,
            .file = host->input->name,
            .size_bytes = (int64_t)identity->size_bytes,
            .mtime_ms = ctx->portable ? -1 : identity->mtime_ns / 1000000,
            .format = format_word(host->input->format),
            .complete = !failed,
            .read_until_bytes = -1,
            .whole_bytes = -1,
            .error = failed ? host->error.text : host->input->problem,
        };
        if (host->space)
            fill_space(&out[i], host->space, ctx->arena);
    }
    return out;
}

static const struct xpd_run_module *modules_of(const struct xpd_tool_ctx *ctx)
{
    const struct xpd_run *run = ctx->run;
    struct xpd_run_module *out =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_run_module, run->module_count);
    for (uint32_t i = 0; out && i < run->module_count; i++) {
        const struct xpd_module *module = &run->module[i];
        out[i] = (struct xpd_run_module){.key = module->key,
                                         .name = module->name,
                                         .program_id = module->program_id,
                                         .hosts = {module->host, module->host_count},
                                         .run_count = xpd_tools_run_count(module),
                                         .ran = module->run_count > 0,
                                         .proto_bytes = (int64_t)module->proto_bytes,
                                         .failed_to_compile = module->failed_to_compile};
    }
    return out;
}

static const char **left_out_of(const struct xpd_tool_ctx *ctx)
{
    const char **name = XPD_NEW_ARRAY(ctx->arena, const char *, ctx->run->left_out_count);
    for (uint32_t i = 0; name && i < ctx->run->left_out_count; i++)
        name[i] = ctx->run->left_out[i]->host;
    return name;
}

static int run_tool(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    const struct xpd_run *run = ctx->run;
    struct xpd_run_shown *out = XPD_NEW(ctx->arena, struct xpd_run_shown);
    struct xpd_tool_state *tool =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_tool_state, XPD_SIDEBAR_TOOLS);
    struct xpd_capacity capacity;
    if (!out || !tool)
        return xpd_tools_no_memory(err);
    struct xpd_str error = xpd_str_of(run->error_text);
    error.size = error.size > ERROR_TEXT_MAX ? ERROR_TEXT_MAX : error.size;
    xpd_tools_capacity(ctx, 0, &capacity);
    xpd_sidebar_of(tool, run);
    *out = (struct xpd_run_shown){
        .id = run->entry->id,
        .label = run->entry->label,
        .kind = xpd_run_kind_word(run->entry->kind),
        .platform = xpd_tools_or_null(xpd_str_of(run->platform)),
        .device_type = xpd_tools_or_null(xpd_str_of(run->device_type)),
        .versions = xpd_tools_or_null(xpd_str_of(run->versions)),
        .device_count = run->device_count,
        XPD_CAPACITY_OF(capacity),
        .hosts = {hosts_of(ctx), run->host_count},
        .hosts_left_out = {left_out_of(ctx), run->left_out_count},
        .tools = {tool, XPD_SIDEBAR_TOOLS},
        .modules = {modules_of(ctx), run->module_count},
        .error_text = xpd_tools_or_null(error),
        .warnings = {xpd_tools_warnings(ctx->arena, run->warnings),
                     run->warnings ? run->warnings->count : 0},
    };
    if (!ctx->portable)
        out->fingerprint = xpd_tools_fingerprint(ctx->arena, run->entry);
    *answer = out;
    return XPD_OK;
}

const struct xpd_tool xpd_tool_run = {
    .route = "/api/v1/run",
    .title =
        "One run, loaded: its files with their reading progress, its modules, the available tools.",
    .needs = XPD_NEEDS_RUN,
    .answer = xpd_run_shown_record,
    .make = run_tool,
    XPD_IN_REPORT("", {105, XPD_EACH_RUN, "", "the run and its files"}),
};
