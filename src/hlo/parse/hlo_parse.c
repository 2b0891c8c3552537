/* A module of HLO text, from its first line to the last.
 *
 * In: text, trusted in nothing. Out: an HloModuleProto. One pass over the text writes each
 * instruction's message (parse_instruction.c), a second over what was written puts them into the
 * order of a file (parse_order.c, parse_assemble.c). */
#include "parse_internal.h"

#include <stdlib.h>

static void close_parse(struct xpd_parse *p)
{
    xpd_arena_fini(&p->scratch);
    xpd_strbuf_fini(&p->header);
    xpd_strbuf_fini(&p->frames);
    xpd_strbuf_fini(&p->body);
    xpd_strbuf_fini(&p->shapes);
    xpd_strbuf_fini(&p->wrapped);
    xpd_strbuf_fini(&p->line_text);
    xpd_strbuf_fini(&p->decoded);
    for (uint32_t i = 0; i < XPD_GROUPS; i++)
        xpd_strbuf_fini(&p->group[i]);
    XPD_VEC_FINI(&p->instruction);
    XPD_VEC_FINI(&p->computation);
    XPD_VEC_FINI(&p->operand);
    XPD_VEC_FINI(&p->called);
    XPD_VEC_FINI(&p->instruction_of);
    XPD_VEC_FINI(&p->folded);
    XPD_VEC_FINI(&p->operand_ahead);
    XPD_VEC_FINI(&p->computation_ahead);
    XPD_VEC_FINI(&p->parameter);
    XPD_VEC_FINI(&p->is_fusion);
    XPD_VEC_FINI(&p->name_use);
    XPD_VEC_FINI(&p->computation_id);
    XPD_VEC_FINI(&p->computation_of);
    xpd_intern_fini(&p->instruction_name);
    xpd_intern_fini(&p->computation_name);
    free(p);
}

static bool ran_out(const struct xpd_parse *p)
{
    bool failed = p->header.failed || p->frames.failed || p->body.failed || p->shapes.failed ||
                  p->wrapped.failed || p->line_text.failed || p->decoded.failed;
    for (uint32_t i = 0; i < XPD_GROUPS; i++)
        failed = failed || p->group[i].failed;
    return failed || p->instruction.failed || p->computation.failed || p->operand.failed ||
           p->called.failed || p->instruction_of.failed || p->folded.failed ||
           p->operand_ahead.failed || p->computation_ahead.failed || p->parameter.failed ||
           p->is_fusion.failed || p->name_use.failed || p->computation_id.failed ||
           p->computation_of.failed || p->instruction_name.failed || p->computation_name.failed ||
           p->scratch.failed || p->arena->failed;
}

static bool at_module(const struct xpd_text_scan *scan)
{
    struct xpd_str rest = xpd_scan_rest(scan);
    return xpd_str_starts(rest, "HloModule ");
}

/* Where the module begins: with the text, else at the first line that begins one, as in a log. */
static void find_module(struct xpd_parse *p)
{
    struct xpd_text_scan scan = p->scan;
    if (xpd_str_starts(xpd_scan_rest(&scan), "\xEF\xBB\xBF")) /* a byte order mark */
        scan.at += 3;
    p->scan.at = scan.at;
    for (xpd_scan_space(&scan); xpd_scan_more(&scan); xpd_scan_space(&scan)) {
        if (at_module(&scan)) {
            p->scan.at = scan.at + strlen("HloModule ");
            xpd_parse_header(p);
            return;
        }
        const char *newline = memchr(scan.at, '\n', (size_t)(scan.end - scan.at));
        scan.at = newline ? newline : scan.end;
    }
    xpd_parse_warn(p, p->scan.at, XPD_WARNING, "hlo_text_no_header",
                   "no line begins with HloModule: the computations are read, and what the header "
                   "says of them is not known");
}

static void read_module(struct xpd_parse *p)
{
    find_module(p);
    for (xpd_scan_space(&p->scan); xpd_scan_more(&p->scan); xpd_scan_space(&p->scan)) {
        if (p->too_many || p->body.failed)
            return;
        if (at_module(&p->scan)) {
            xpd_parse_warn(p, p->scan.at, XPD_WARNING, "hlo_text_second_module",
                           "a second module begins here; it and everything after it are not read");
            return;
        }
        if (xpd_parse_frames(p) || xpd_parse_computation(p))
            continue;
        xpd_parse_warn(p, p->scan.at, XPD_WARNING, "hlo_text_between",
                       "this line does not begin a computation and is left out");
        xpd_parse_open_line(p);
        xpd_parse_next_line(p);
    }
}

/* Without ENTRY the last computation is the entry, as XLA's parser has it. */
static void find_entry(struct xpd_parse *p)
{
    for (size_t c = p->computation.count; c > 0 && p->entry == XPD_PARSE_NO_ID; c--)
        p->entry = p->computation.at[c - 1].id;
}

static void tell_missing(struct xpd_parse *p)
{
    for (size_t i = 0; i < p->computation_ahead.count && !p->computation_of.failed; i++) {
        const struct xpd_reference *ahead = &p->computation_ahead.at[i];
        if (p->computation_of.at[ahead->id - 1] == XPD_NO_INDEX)
            xpd_parse_warn(p, ahead->name.data, XPD_WARNING, "hlo_text_called",
                           "the text has no computation \"%.*s\"",
                           (int)(ahead->name.size < 80 ? ahead->name.size : 80), ahead->name.data);
    }
}

static int finish(struct xpd_parse *p, struct xpd_str *module_proto, struct xpd_hlo_names **names,
                  struct xpd_err *err)
{
    if (p->too_many)
        return xpd_fail(err, XPD_ELIMIT, p->name, XPD_NO_OFFSET,
                        "The text has more than 2^31 instructions, which is the most that are "
                        "read.");
    if (!ran_out(p) && p->computation.count == 0)
        return xpd_fail(err, XPD_EFORMAT, p->name, XPD_NO_OFFSET,
                        "The text holds no computation of HLO: no line is \"name {\" or \"%%name "
                        "(parameters) -> shape {\".");
    if (!ran_out(p)) {
        find_entry(p);
        tell_missing(p);
        *module_proto = xpd_parse_assemble(p);
        if (names)
            *names = xpd_parse_keep_names(p);
    }
    if (ran_out(p) || !module_proto->data)
        return p->arena->over_budget
                   ? xpd_fail(err, XPD_ELIMIT, p->name, XPD_NO_OFFSET,
                              "The program needs more than the %llu bytes that may be used for it.",
                              (unsigned long long)p->arena->budget_bytes)
                   : xpd_no_memory(err, p->name, "to read this text");
    return XPD_OK;
}

int xpd_hlo_text_parse(struct xpd_str text, const char *name, struct xpd_arena *arena,
                       struct xpd_warnings *warnings, struct xpd_str *module_proto,
                       struct xpd_hlo_names **names, struct xpd_err *err)
{
    struct xpd_parse *p = calloc(1, sizeof *p);
    *module_proto = (struct xpd_str){NULL, 0};
    if (names)
        *names = NULL;
    if (!p)
        return xpd_no_memory(err, name, "to read this text");
    if (text.size == 0) /* a place to stand at */
        text.data = "";
    p->scan = (struct xpd_text_scan){text.data, text.data + text.size};
    p->start = p->counted = text.data;
    p->text_end = p->scan.end;
    p->line = 1;
    p->name = name ? name : "";
    p->arena = arena;
    p->warnings = warnings;
    (void)xpd_strbuf_reserve(&p->body, text.size / 8 * 7); /* as much as it takes, by experience */
    xpd_intern_init(&p->instruction_name, arena);
    xpd_intern_init(&p->computation_name, arena);
    read_module(p);
    int rc = finish(p, module_proto, names, err);
    close_parse(p);
    return rc;
}

bool xpd_hlo_text_is_module(struct xpd_str text)
{
    if (text.size == 0)
        return false;
    struct xpd_text_scan scan = {text.data, text.data + text.size};
    if (xpd_str_starts(text, "\xEF\xBB\xBF"))
        scan.at += 3;
    xpd_scan_space(&scan);
    return at_module(&scan);
}
