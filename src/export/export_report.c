/* Puts a report together. In: the page, answers one by one, a limit. Out: one HTML file.
 *
 * An answer is taken only when the file is certain to stay within its limit: as long as there is
 * much room, answers gather in a block whose largest possible size is counted; where that no
 * longer fits, an answer becomes a block of its own whose size is known. */
#include "xprofd/export/report.h"

#include "xprofd/base/base64.h"
#include "xprofd/json/writer.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BLOCK_BYTES   ((size_t)256 << 10) /* of answers, before compression */
#define ELEMENT_BYTES 128                 /* the tags around a block, at most */
#define MARK          "<!--xprofd:"

struct xpd_report_text {
    struct xpd_strbuf before, after; /* the page around the answers, its files put in */
    struct xpd_strbuf pending;       /* the block that is being filled */
    struct xpd_strbuf blocks;        /* finished, as elements */
    struct xpd_strbuf route, query;  /* of all answers: JSON arrays without brackets */
    struct xpd_strbuf block, line, kind;
    uint64_t limit_bytes;
    uint32_t count, block_count, lines;
};

/* ---- one element ---- */

static int gzip(struct xpd_str raw, struct xpd_strbuf *out, struct xpd_err *err)
{
    z_stream z = {0};
    /* Level 9 makes a report 1 to 5 % smaller, and takes as long as all else that makes one. */
    int ok = deflateInit2(&z, 5, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
    if (ok == Z_OK && raw.size < UINT32_MAX / 2 &&
        xpd_strbuf_reserve(out, deflateBound(&z, (uLong)raw.size))) {
        z.next_in = (Bytef *)(uintptr_t)raw.data;
        z.avail_in = (uInt)raw.size;
        z.next_out = (Bytef *)out->data + out->size;
        z.avail_out = (uInt)deflateBound(&z, (uLong)raw.size);
        ok = deflate(&z, Z_FINISH) == Z_STREAM_END ? Z_OK : Z_MEM_ERROR;
        out->size += z.total_out;
    } else {
        ok = Z_MEM_ERROR;
    }
    deflateEnd(&z);
    return ok == Z_OK ? XPD_OK : xpd_no_memory(err, NULL, "for the report");
}

/* <script type="application/gzip" id="..">base64</script>: data, never run. */
static int put_element(struct xpd_strbuf *out, const char *id, struct xpd_str raw,
                       struct xpd_err *err)
{
    struct xpd_strbuf packed = {0};
    int rc = gzip(raw, &packed, err);
    if (rc == XPD_OK) {
        xpd_strbuf_printf(out, "<script type=\"application/gzip\" id=\"%s\">", id);
        xpd_base64_add(out, packed.data, packed.size);
        xpd_strbuf_puts(out, "</script>\n");
        if (out->failed)
            rc = xpd_no_memory(err, NULL, "for the report");
    }
    xpd_strbuf_fini(&packed);
    return rc;
}

/* The largest size of an element of a number of bytes: gzip of incompressible data. */
static uint64_t most(size_t raw)
{
    return xpd_base64_size(raw + raw / 1000 + 64) + ELEMENT_BYTES;
}

/* ---- the page ---- */

static int put_file(struct xpd_strbuf *out, const struct xpd_report_page *page, struct xpd_str name,
                    struct xpd_err *err)
{
    struct xpd_strbuf bytes = {0};
    char id[96];
    int stem = (int)strcspn(name.data, ".");
    snprintf(id, sizeof id, "file-%.*s", stem < 64 ? stem : 64, name.data);
    int rc = page->file(page->ctx, name, &bytes, err);
    if (rc == XPD_OK)
        rc = put_element(out, id, (struct xpd_str){bytes.data, bytes.size}, err);
    xpd_strbuf_fini(&bytes);
    return rc;
}

/* Copies the page, with its files at their marks. */
static int split_page(struct xpd_report_text *report, const struct xpd_report_page *page,
                      struct xpd_err *err)
{
    struct xpd_strbuf *out = &report->before;
    struct xpd_str rest = page->text;
    int rc = XPD_OK;
    for (;;) {
        size_t at = xpd_str_find(rest, XPD_STR(MARK), false);
        if (at == SIZE_MAX)
            break;
        xpd_strbuf_add(out, rest.data, at);
        rest = (struct xpd_str){rest.data + at + strlen(MARK), rest.size - at - strlen(MARK)};
        size_t end = xpd_str_find(rest, XPD_STR("-->"), false);
        if (end == SIZE_MAX)
            return xpd_fail(err, XPD_EFORMAT, "report.html", XPD_NO_OFFSET,
                            "a placeholder of the page has no end");
        struct xpd_str mark = {rest.data, end};
        if (xpd_str_starts(mark, "file "))
            rc = put_file(out, page, (struct xpd_str){mark.data + 5, mark.size - 5}, err);
        else if (xpd_str_eq(mark, XPD_STR("answers")))
            out = &report->after;
        if (rc != XPD_OK)
            return rc;
        rest = (struct xpd_str){rest.data + end + 3, rest.size - end - 3};
    }
    xpd_strbuf_add(out, rest.data, rest.size);
    return out == &report->after ? XPD_OK
                                 : xpd_fail(err, XPD_EFORMAT, "report.html", XPD_NO_OFFSET,
                                            "the page has no placeholder for the answers");
}

/* ---- answers ---- */

/* What the head will be at most: it compresses, but nothing is promised about how well. */
static uint64_t head_most(const struct xpd_report_text *report)
{
    return most(XPD_REPORT_HEAD + report->route.size + report->query.size + report->block.size +
                report->line.size + report->kind.size);
}

static uint64_t used(const struct xpd_report_text *report)
{
    return report->before.size + report->after.size + report->blocks.size;
}

int xpd_report_new(struct xpd_report_text **out, const struct xpd_report_page *page,
                   uint64_t limit_bytes, struct xpd_err *err)
{
    struct xpd_report_text *report = calloc(1, sizeof *report);
    *out = report;
    if (!report)
        return xpd_no_memory(err, NULL, "for the report");
    report->limit_bytes = limit_bytes;
    int rc = split_page(report, page, err);
    if (rc == XPD_OK && used(report) + head_most(report) > limit_bytes)
        rc = xpd_fail(err, XPD_ELIMIT, NULL, XPD_NO_OFFSET,
                      "the page alone is %" PRIu64 " bytes; the limit of %" PRIu64
                      " leaves no room for answers",
                      used(report) + head_most(report), limit_bytes);
    return rc;
}

void xpd_report_free(struct xpd_report_text *report)
{
    if (!report)
        return;
    xpd_strbuf_fini(&report->before);
    xpd_strbuf_fini(&report->after);
    xpd_strbuf_fini(&report->pending);
    xpd_strbuf_fini(&report->blocks);
    xpd_strbuf_fini(&report->route);
    xpd_strbuf_fini(&report->query);
    xpd_strbuf_fini(&report->block);
    xpd_strbuf_fini(&report->line);
    xpd_strbuf_fini(&report->kind);
    free(report);
}

uint32_t xpd_report_count(const struct xpd_report_text *report)
{
    return report->count;
}

static int put_block(struct xpd_report_text *report, struct xpd_strbuf *out, struct xpd_str raw,
                     struct xpd_err *err)
{
    char id[32];
    snprintf(id, sizeof id, "block-%" PRIu32, report->block_count);
    return put_element(out, id, raw, err);
}

static int flush(struct xpd_report_text *report, struct xpd_err *err)
{
    if (report->pending.size == 0)
        return XPD_OK;
    int rc = put_block(report, &report->blocks,
                       (struct xpd_str){report->pending.data, report->pending.size}, err);
    xpd_strbuf_clear(&report->pending);
    report->block_count++;
    report->lines = 0;
    return rc;
}

/* A value in one of the head's columns. */
static struct xpd_jsonw column(struct xpd_strbuf *out, uint32_t row)
{
    struct xpd_jsonw w;
    if (row)
        xpd_strbuf_putc(out, ',');
    xpd_jsonw_init(&w, out);
    return w;
}

static void note(struct xpd_report_text *report, const struct xpd_report_answer *answer)
{
    struct xpd_jsonw w = column(&report->route, report->count);
    xpd_json_str(&w, answer->route);
    w = column(&report->query, report->count);
    xpd_json_str(&w, answer->query);
    w = column(&report->block, report->count);
    xpd_json_u64(&w, report->block_count);
    w = column(&report->line, report->count);
    xpd_json_u64(&w, report->lines);
    w = column(&report->kind, report->count);
    xpd_json_u64(&w, answer->kind);
    report->count++;
    report->lines++;
}

/* The answer as a line. */
static void put_line(struct xpd_strbuf *out, const struct xpd_report_answer *answer)
{
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, out);
    if (answer->kind == XPD_ANSWER_TEXT)
        xpd_json_str(&w, answer->body);
    else
        xpd_json_raw(&w, answer->body);
    xpd_strbuf_putc(out, '\n');
}

/* A block of one answer, when it fits. */
static int add_alone(struct xpd_report_text *report, const struct xpd_report_answer *answer,
                     struct xpd_str line, uint64_t head, bool *taken, struct xpd_err *err)
{
    struct xpd_strbuf element = {0};
    int rc = put_block(report, &element, line, err);
    *taken = rc == XPD_OK && used(report) + element.size + head <= report->limit_bytes;
    if (*taken) {
        xpd_strbuf_add(&report->blocks, element.data, element.size);
        note(report, answer);
        report->block_count++;
        report->lines = 0;
    }
    xpd_strbuf_fini(&element);
    return rc;
}

int xpd_report_add(struct xpd_report_text *report, const struct xpd_report_answer *answer,
                   bool *taken, struct xpd_err *err)
{
    struct xpd_strbuf line = {0};
    put_line(&line, answer);
    *taken = false;
    if (line.failed)
        return xpd_no_memory(err, NULL, "for the report");
    struct xpd_str text = {line.data, line.size};
    /* twice the query and the route: as JSON they may grow by escapes */
    uint64_t head = head_most(report) + 2 * (answer->query.size + answer->route.size) + 64;
    int rc = XPD_OK;
    if (report->pending.size + text.size > BLOCK_BYTES ||
        used(report) + most(report->pending.size + text.size) + head > report->limit_bytes)
        rc = flush(report, err);
    if (rc == XPD_OK && text.size <= BLOCK_BYTES &&
        used(report) + most(report->pending.size + text.size) + head <= report->limit_bytes) {
        xpd_strbuf_add(&report->pending, text.data, text.size);
        note(report, answer);
        *taken = true;
    } else if (rc == XPD_OK) {
        rc = add_alone(report, answer, text, head, taken, err);
    }
    xpd_strbuf_fini(&line);
    if (rc == XPD_OK && (report->pending.failed || report->blocks.failed))
        rc = xpd_no_memory(err, NULL, "for the report");
    return rc;
}

/* ---- the end ---- */

static void put_column(struct xpd_strbuf *out, const char *name, const struct xpd_strbuf *values)
{
    xpd_strbuf_printf(out, ",\"%s\":[", name);
    xpd_strbuf_add(out, values->data, values->size);
    xpd_strbuf_putc(out, ']');
}

int xpd_report_finish(struct xpd_report_text *report, struct xpd_str head, struct xpd_strbuf *out,
                      struct xpd_err *err)
{
    struct xpd_strbuf json = {0};
    int rc = flush(report, err);
    xpd_strbuf_putc(&json, '{');
    xpd_strbuf_add(&json, head.data, head.size);
    xpd_strbuf_printf(&json, ",\"answers\":{\"n\":%" PRIu32, report->count);
    put_column(&json, "route", &report->route);
    put_column(&json, "query", &report->query);
    put_column(&json, "block", &report->block);
    put_column(&json, "line", &report->line);
    put_column(&json, "kind", &report->kind);
    xpd_strbuf_puts(&json, "}}");
    xpd_strbuf_add(out, report->before.data, report->before.size);
    if (rc == XPD_OK && !json.failed)
        rc = put_element(out, "report-head", (struct xpd_str){json.data, json.size}, err);
    xpd_strbuf_add(out, report->blocks.data, report->blocks.size);
    xpd_strbuf_add(out, report->after.data, report->after.size);
    if (rc == XPD_OK && (json.failed || out->failed))
        rc = xpd_no_memory(err, NULL, "for the report");
    if (rc == XPD_OK && out->size > report->limit_bytes)
        rc = xpd_fail(err, XPD_EINTERNAL, NULL, XPD_NO_OFFSET,
                      "the report is larger than its limit");
    xpd_strbuf_fini(&json);
    return rc;
}
