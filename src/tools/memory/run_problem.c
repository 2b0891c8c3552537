/* The worst problem of a run in one line.
 *
 * In: the run's problems as the list of runs counts them. Out: a sentence a list has room for ("did
 * not compile: needs 22.90 GiB of 15.75 GiB in HBM, 94 % padding"), and the whole text behind it.
 * A problem of which nothing is known in numbers keeps its own first line. */
#include "run_problem.h"

#include "../common/sidebar.h"
#include "xprofd/base/bytes_text.h"
#include "xprofd/memory/oom_text.h"

#include <stdio.h>
#include <string.h>

#define TEXT_MAX 400 /* of the sentence and of what stands behind it, bytes */

struct line {
    char text[TEXT_MAX + 1];
    bool retold; /* in other words than the problem's own */
};

static struct xpd_str first_line(const char *whole)
{
    struct xpd_str text = xpd_str_of(whole);
    const char *end = memchr(text.data, '\n', text.size);
    if (end)
        text.size = (size_t)(end - text.data);
    if (text.size > TEXT_MAX)
        text.size = TEXT_MAX;
    return text;
}

/* The problem is this file's: its own error, or a warning of the run that begins with its name. */
static bool speaks_of(const char *text, const struct xpd_host *host)
{
    size_t size = strlen(host->input->name);
    return text == host->error.text ||
           (strncmp(text, host->input->name, size) == 0 && text[size] == ':');
}

/* A file of which the length fields promise more than is there. */
static bool tell_cut(struct line *out, const struct xpd_host *host)
{
    const struct xpd_xspace *space = host->space;
    uint64_t there = host->input->identity.size_bytes;
    if (!space || space->whole_bytes <= there)
        return false;
    char have[32], want[32];
    xpd_number_text(have, there);
    xpd_number_text(want, space->whole_bytes);
    unsigned percent = (unsigned)((double)there * 100.0 / (double)space->whole_bytes + 0.5);
    snprintf(out->text, sizeof out->text,
             "%.200s is truncated: it has %s of at least %s bytes (%u %%)", host->input->name, have,
             want, percent > 99 ? 99 : percent);
    return true;
}

/* What of the peak is padding, in percent; 0 where the error speaks of another memory. */
static unsigned padding_percent(const struct xpd_oom_text *oom, const struct xpd_mem_space *space,
                                const struct xpd_peak_split *split)
{
    if (!space || !split || space->peak_bytes <= 0 || oom->color != space->color)
        return 0;
    double padding = 0;
    for (int i = 0; i < XPD_CLASS_COUNT; i++)
        padding += (double)split->padding[i];
    return (unsigned)(padding * 100.0 / (double)space->peak_bytes + 0.5);
}

static bool tell_out_of_memory(struct line *out, const struct xpd_tool_ctx *ctx,
                               const struct xpd_mem_space *space,
                               const struct xpd_peak_split *split)
{
    struct xpd_oom_text oom;
    if (xpd_oom_read(&oom, xpd_str_of(ctx->run->error_text), ctx->arena, NULL) != XPD_OK ||
        !oom.understood || oom.needed_bytes < 0)
        return false;
    char needed[48], capacity[48] = "", name[17] = "", padding[40] = "";
    xpd_bytes_text_own(needed, oom.needed_bytes);
    if (oom.capacity_bytes >= 0)
        xpd_bytes_text(capacity, oom.capacity_bytes, oom.needed_bytes);
    for (size_t i = 0; i < oom.space.size && i + 1 < sizeof name; i++) {
        char c = oom.space.data[i];
        name[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    unsigned percent = padding_percent(&oom, space, split);
    if (percent > 0)
        snprintf(padding, sizeof padding, ", %u %% padding", percent);
    snprintf(out->text, sizeof out->text, "did not compile: needs %s%s%s%s%s%s", needed,
             capacity[0] ? " of " : "", capacity, name[0] ? " in " : "", name, padding);
    return true;
}

static void tell(struct line *out, const struct xpd_tool_ctx *ctx, const char *text,
                 const struct xpd_mem_space *space, const struct xpd_peak_split *split)
{
    const struct xpd_run *run = ctx->run;
    out->retold = false;
    if (text == run->error_text)
        out->retold = tell_out_of_memory(out, ctx, space, split);
    for (uint32_t i = 0; i < run->host_count && !out->retold; i++)
        if (speaks_of(text, &run->host[i]))
            out->retold = tell_cut(out, &run->host[i]);
}

XPD_RECORD_TABLE(xpd_run_problem, XPD_RUN_PROBLEM_FIELDS)

const struct xpd_run_problem *xpd_run_problem_of(const struct xpd_tool_ctx *ctx,
                                                 const struct xpd_mem_space *space,
                                                 const struct xpd_peak_split *split,
                                                 uint32_t *count)
{
    struct xpd_run_problems problems;
    struct xpd_run_problem *out = XPD_NEW(ctx->arena, struct xpd_run_problem);
    xpd_run_problems_of(ctx->run, &problems);
    *count = problems.count;
    if (!out || !problems.text)
        return NULL;
    struct line line;
    tell(&line, ctx, problems.text, space, split);
    struct xpd_str own = first_line(problems.text);
    out->severity = xpd_severity_word(problems.severity);
    out->text = line.retold ? xpd_arena_str(ctx->arena, xpd_str_of(line.text)) : own;
    if (line.retold)
        out->detail = own;
    return out;
}
