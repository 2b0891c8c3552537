/* Helpers of the tools that write values: nullable numbers, sizes as text, warnings, errors. */
#include "common.h"
#include "xprofd/tools/tool.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The note that goes out beside an answer. It becomes a header, so nothing in it may end a line. */

void xpd_tool_note(struct xpd_tool_result *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(out->note, sizeof out->note, format, args);
    va_end(args);
    if (size < 0)
        out->note[0] = '\0';
    for (char *at = out->note; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
    if (size >= XPD_NOTE_BYTES)
        memcpy(out->note + XPD_NOTE_BYTES - 4, "...", 4);
}

void xpd_tools_kknown(struct xpd_jsonw *w, const char *key, int64_t value)
{
    if (value < 0)
        xpd_json_knull(w, key);
    else
        xpd_json_ki64(w, key, value);
}

struct xpd_str xpd_tools_fingerprint(struct xpd_arena *arena, const struct xpd_run_entry *run)
{
    const char *text = xpd_arena_printf(arena, "%016" PRIx64, run->fingerprint);
    return xpd_str_of(text ? text : "");
}

int64_t xpd_tools_run_count(const struct xpd_module *module)
{
    return module->run_count_known ? (int64_t)module->run_count : -1;
}

int64_t xpd_tools_runs_on(const struct xpd_run *run, uint32_t module, uint32_t host)
{
    if (host >= run->host_count)
        return xpd_tools_run_count(&run->module[module]);
    const struct xpd_xspace *space = run->host[host].space;
    struct xpd_str key = xpd_str_of(run->module[module].key);
    for (uint32_t i = 0; space && i < space->hlo_count; i++)
        if (xpd_str_eq(xpd_intern_get(&space->names, space->hlo[i].key), key))
            return space->hlo[i].run_count_known ? (int64_t)space->hlo[i].run_count : -1;
    return -1;
}

struct xpd_str xpd_tools_or_null(struct xpd_str text)
{
    return text.size > 0 ? text : (struct xpd_str){0};
}

void xpd_tools_kstr(struct xpd_jsonw *w, const char *key, struct xpd_str text)
{
    if (text.size == 0)
        xpd_json_knull(w, key);
    else
        xpd_json_kstr(w, key, text);
}

bool xpd_tools_csv(const struct xpd_tool_ctx *ctx)
{
    return xpd_str_eq(xpd_param_text(ctx, "format"), XPD_STR("csv"));
}

void xpd_tools_start_csv(struct xpd_tool_result *out, struct xpd_csv *csv, const char *file_name)
{
    out->type = XPD_BODY_CSV;
    out->file_name = file_name;
    xpd_csv_init(csv, &out->body);
}

int xpd_tools_no_memory(struct xpd_err *err)
{
    return xpd_no_memory(err, NULL, "for this answer; ask for a smaller window or fewer rows");
}

XPD_RECORD_TABLE(xpd_warning_row, XPD_WARNING_ROW_FIELDS)

const struct xpd_warning_row *xpd_tools_warnings(struct xpd_arena *arena,
                                                 const struct xpd_warnings *list)
{
    uint32_t n = list ? list->count : 0;
    struct xpd_warning_row *row = XPD_NEW_ARRAY(arena, struct xpd_warning_row, n);
    for (uint32_t i = 0; row && i < n; i++) {
        const struct xpd_warning *item = &list->item[i];
        row[i] = (struct xpd_warning_row){
            .severity = xpd_severity_word(item->severity),
            .code = item->code,
            .text = item->text,
            .offset = item->offset == XPD_NO_OFFSET ? -1 : (int64_t)item->offset,
            .count = (int64_t)item->count,
        };
    }
    return row;
}

void xpd_json_warnings(struct xpd_jsonw *w, const char *key, const struct xpd_warnings *list)
{
    xpd_json_key(w, key);
    xpd_json_arr(w);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct xpd_warning *item = &list->item[i];
        xpd_json_obj(w);
        xpd_json_ktext(w, "severity", xpd_severity_word(item->severity));
        xpd_json_ktext(w, "code", item->code);
        xpd_json_ktext(w, "text", item->text);
        if (item->offset == XPD_NO_OFFSET)
            xpd_json_knull(w, "offset");
        else
            xpd_json_ku64(w, "offset", item->offset);
        xpd_json_ku64(w, "count", item->count);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

void xpd_json_error(struct xpd_jsonw *w, const struct xpd_err *err)
{
    xpd_json_obj(w);
    xpd_json_key(w, "error");
    xpd_json_obj(w);
    xpd_json_ktext(w, "code", xpd_code_word(err->code));
    xpd_json_ktext(w, "message", err->text);
    xpd_json_ktext(w, "where", err->where);
    if (err->offset == XPD_NO_OFFSET)
        xpd_json_knull(w, "offset");
    else
        xpd_json_ku64(w, "offset", err->offset);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

/* ---- hosts ---- */

uint32_t xpd_tools_part_host(const struct xpd_run *run, uint32_t part)
{
    for (uint32_t i = 0; i < run->host_count; i++)
        if (xpd_host_has_events(&run->host[i]) && part-- == 0)
            return i;
    return 0;
}

static bool is_word(struct xpd_str name, const char *word)
{
    return name.size == strlen(word) && xpd_str_find(name, xpd_str_of(word), true) == 0;
}

/* "ALL", or XProf's "ALL_HOSTS", in any letters; a host of that name comes first. */
static bool means_all(struct xpd_str name)
{
    return name.size == 0 || is_word(name, "ALL") || is_word(name, "ALL_HOSTS");
}

int xpd_tools_host_called(const struct xpd_run *run, struct xpd_str name, uint32_t *host,
                          struct xpd_err *err)
{
    uint32_t traced = xpd_run_traced_hosts(run);
    struct xpd_err none = {0};
    if (name.size && xpd_run_find_host(run, name, host, means_all(name) ? &none : err) == XPD_OK)
        return XPD_OK;
    *host = traced > 1    ? xpd_run_all_hosts(run)
            : traced == 1 ? xpd_tools_part_host(run, 0)
                          : XPD_NO_INDEX;
    return means_all(name) ? XPD_OK : XPD_ENOTFOUND;
}

int xpd_tool_host(const struct xpd_tool_ctx *ctx, uint32_t *host, struct xpd_err *err)
{
    struct xpd_str name = xpd_param_text(ctx, "host");
    *host = XPD_NO_INDEX;
    if (name.size == 0 || !ctx->run)
        return XPD_OK;
    return xpd_run_find_host(ctx->run, name, host, err);
}

uint32_t xpd_tools_host_named(const struct xpd_tool_ctx *ctx)
{
    uint32_t host;
    return xpd_tool_host(ctx, &host, NULL) == XPD_OK ? host : XPD_NO_INDEX;
}

uint32_t xpd_tools_host_of_program(const struct xpd_tool_ctx *ctx)
{
    const struct xpd_run *run = ctx->run;
    bool has = ctx->hlo && run && ctx->module < run->module_count;
    return has && run->module[ctx->module].host_count > 0 ? run->module[ctx->module].host[0]
                                                          : XPD_NO_INDEX;
}

const char *xpd_tools_whose(const struct xpd_run *run, uint32_t host)
{
    return host < run->host_count ? run->host[host].name : NULL;
}
