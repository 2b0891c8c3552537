/* Which tools of the sidebar have something to show of a run. */
#include "sidebar.h"

/* Then what the run held is unknown, and no reason may claim that it held nothing. */
static bool nothing_read(const struct xpd_run *run)
{
    uint32_t unread = 0;
    for (uint32_t i = 0; i < run->host_count; i++)
        unread += run->host[i].error.code != XPD_OK;
    return run->host_count > 0 && unread == run->host_count;
}

static const char unread[] =
    "no file of this run could be read, so its contents are unknown; Files of this run shows why";

static const char heap_only[] =
    "a heap file says where memory was allocated, not which program ran or when; Memory shows it, "
    "and Doctor says which lines grow";

/* Why a run has no program, or none with memory; NULL = it has one. */
static const char *program_reason(const struct xpd_run *run, bool has_memory)
{
    if (run->entry->kind == XPD_RUN_HEAP)
        return nothing_read(run) ? unread : heap_only;
    if (xpd_run_no_files(run->entry))
        return xpd_run_no_files(run->entry);
    if (run->module_count == 0 && nothing_read(run))
        return unread;
    if (run->module_count == 0)
        return "this run has no program: the profile has no HLO (plane /host:metadata). A JAX "
               "profile of a compiled program, or an XLA dump, has one";
    if (!has_memory)
        return "the programs of this run have no buffer assignment; profile the compiled program "
               "or dump with --xla_dump_to";
    return NULL;
}

const char *xpd_sidebar_graph_reason(const struct xpd_run *run)
{
    return run->module_count == 0 ? program_reason(run, false) : NULL;
}

const char *xpd_sidebar_trace_reason(const struct xpd_run *run)
{
    if (run->has_events)
        return NULL;
    if (run->entry->kind == XPD_RUN_HEAP)
        return nothing_read(run) ? unread : heap_only;
    if (xpd_run_no_files(run->entry))
        return xpd_run_no_files(run->entry);
    if (nothing_read(run))
        return unread;
    if (run->entry->kind == XPD_RUN_PROFILE)
        return "this run has no events: the program did not run during the capture. Capture a step "
               "with jax.profiler.trace to fill this page";
    return "compiler output has no events; a profile of the running program (jax.profiler.trace) "
           "does";
}

/* Heap files and memory events of allocators need no program. */
const char *xpd_sidebar_memory_reason(const struct xpd_run *run, bool has_memory)
{
    if (run->entry->kind == XPD_RUN_HEAP)
        return nothing_read(run) ? unread : NULL; /* mode Heap file */
    return run->has_memory_events ? NULL : program_reason(run, has_memory);
}

/* Without a run every tool is available. */
static const char *memory_reason(const struct xpd_run *run)
{
    return run ? xpd_sidebar_memory_reason(run, true) : NULL;
}

static const char *trace_reason(const struct xpd_run *run)
{
    return run ? xpd_sidebar_trace_reason(run) : NULL;
}

static const char *graph_reason(const struct xpd_run *run)
{
    return run ? xpd_sidebar_graph_reason(run) : NULL;
}

/* Findings about memory need a program, findings about time need events; heap files have their own.
 */
static const char *doctor_reason(const struct xpd_run *run)
{
    if (run && run->entry->kind == XPD_RUN_HEAP)
        return nothing_read(run) ? unread : NULL;
    return trace_reason(run) ? graph_reason(run) : NULL;
}

XPD_RECORD_TABLE(xpd_tool_state, XPD_TOOL_STATE_FIELDS)

void xpd_sidebar_of(struct xpd_tool_state out[XPD_SIDEBAR_TOOLS], const struct xpd_run *run)
{
#define TOOL(id, title, shows, chunk, reason, ...) {#id, #title, reason},
    static const struct {
        const char *id, *title;
        const char *(*reason)(const struct xpd_run *run);
    } sidebar[] = {XPD_SIDEBAR(TOOL)};
#undef TOOL
    for (size_t i = 0; i < XPD_SIDEBAR_TOOLS; i++) {
        const char *reason = sidebar[i].reason(run);
        out[i] = (struct xpd_tool_state){sidebar[i].id, sidebar[i].title, reason == NULL, reason};
    }
}

static void note(struct xpd_run_problems *out, enum xpd_severity severity, const char *text)
{
    out->count++;
    if (out->text && out->severity >= severity)
        return;
    out->severity = severity;
    out->text = text;
}

void xpd_run_problems_of(const struct xpd_run *run, struct xpd_run_problems *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < run->host_count; i++) {
        const struct xpd_host *host = &run->host[i];
        if (host->error.code != XPD_OK)
            note(out, XPD_ERROR, host->error.text);
    }
    for (uint32_t i = 0; i < run->module_count; i++)
        if (run->module[i].failed_to_compile)
            note(out, XPD_ERROR, run->error_text ? run->error_text : "a program did not compile");
    for (uint32_t i = 0; run->warnings && i < run->warnings->count; i++)
        if (run->warnings->item[i].severity > XPD_NOTE &&
            strcmp(run->warnings->item[i].code, "unreadable_file") != 0) /* counted by host above */
            note(out, run->warnings->item[i].severity, run->warnings->item[i].text);
}

const char *xpd_run_kind_word(enum xpd_run_kind kind)
{
    static const char *const word[] = {"profile", "dump", "file", "heap"};
    return word[kind];
}
