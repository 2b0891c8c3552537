/* A report: what was put in comes out again, its contents cannot break out, and the limit holds. */
#include "xprofd/export/report.h"

#include "xprofd/base/base64.h"
#include "xprofd/json/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#define PAGE                                                                                       \
    "<html><!--xprofd:file layout.abc.js--><p>middle</p><!--xprofd:answers--><script>run"          \
    "</script></html>"

enum { TEXT_BYTES = 1 << 21 };

static int page_file(void *ctx, struct xpd_str name, struct xpd_strbuf *out, struct xpd_err *err)
{
    (void)ctx;
    if (!xpd_str_eq(name, XPD_STR("layout.abc.js")))
        return xpd_fail(err, XPD_ENOTFOUND, NULL, XPD_NO_OFFSET, "no such file");
    xpd_strbuf_puts(out, "the </script> worker");
    return XPD_OK;
}

static const struct xpd_report_page page = {XPD_STR(PAGE), page_file, NULL};

/* ---- reading a report, by other means than writing it ---- */

static int letter(char c)
{
    const char *all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(all, c);
    return c && at ? (int)(at - all) : -1;
}

/* The inflated content of the element of that id, "" when there is none. free() it. */
static char *element(const struct xpd_strbuf *html, const char *id)
{
    char tag[96];
    snprintf(tag, sizeof tag, "<script type=\"application/gzip\" id=\"%s\">", id);
    char *text = calloc(1, TEXT_BYTES);
    const char *at = strstr(html->data, tag);
    if (!at)
        return text;
    at += strlen(tag);
    const char *end = strchr(at, '<');
    assert_non_null(end);
    assert_int_equal(strncmp(end, "</script>", 9), 0);
    unsigned char *packed = malloc((size_t)(end - at) + 4);
    size_t size = 0;
    uint32_t bits = 0;
    int have = 0;
    for (; at < end && *at != '='; at++) {
        assert_true(letter(*at) >= 0);
        bits = bits << 6 | (uint32_t)letter(*at);
        have += 6;
        if (have >= 8)
            packed[size++] = (unsigned char)(bits >> (have -= 8));
    }
    z_stream z = {.next_in = packed,
                  .avail_in = (uInt)size,
                  .next_out = (Bytef *)text,
                  .avail_out = TEXT_BYTES - 1};
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    free(packed);
    return text;
}

static int64_t cell(const struct xpd_json *head, const char *column, size_t row)
{
    int64_t value = -1;
    const struct xpd_json *answers = xpd_json_member(head, "answers");
    assert_true(xpd_json_to_i64(xpd_json_item(xpd_json_member(answers, column), row), &value));
    return value;
}

/* The line of an answer, by what the head says. free() it. */
static char *answer_line(const struct xpd_strbuf *html, const struct xpd_json *head, size_t row)
{
    static char *block, block_id[32]; /* the one looked at last */
    static const char *of;
    char id[32];
    snprintf(id, sizeof id, "block-%lld", (long long)cell(head, "block", row));
    if (!block || of != html->data || strcmp(id, block_id) != 0) {
        free(block);
        block = element(html, id);
        of = html->data;
        memcpy(block_id, id, sizeof id);
    }
    const char *at = block;
    for (int64_t line = cell(head, "line", row); line > 0; line--)
        at = strchr(at, '\n') + 1;
    return strndup(at, strcspn(at, "\n"));
}

static size_t occurrences(const struct xpd_strbuf *html, const char *text)
{
    size_t n = 0;
    for (const char *at = html->data; (at = strstr(at, text)); at++)
        n++;
    return n;
}

/* ---- tests ---- */

static void add(struct xpd_report_text *report, const char *route, const char *query,
                const char *body, enum xpd_answer_kind kind)
{
    struct xpd_err err = {0};
    bool taken = false;
    struct xpd_report_answer answer = {xpd_str_of(route), xpd_str_of(query), xpd_str_of(body),
                                       kind};
    assert_int_equal(xpd_report_add(report, &answer, &taken, &err), XPD_OK);
    assert_true(taken);
}

static void make(struct xpd_strbuf *html)
{
    struct xpd_report_text *report;
    struct xpd_err err = {0};
    assert_int_equal(xpd_report_new(&report, &page, 1 << 20, &err), XPD_OK);
    add(report, "a/b", "x=1", "{\"t\":\"</script><!-- \\u0000\"}", XPD_ANSWER_JSON);
    add(report, "a/text", "", "two\nlines </script>", XPD_ANSWER_TEXT);
    add(report, "a/b", "x=2", "{\"error\":{}}", XPD_ANSWER_ERROR);
    assert_int_equal(xpd_report_finish(report, XPD_STR("\"schema\":1"), html, &err), XPD_OK);
    xpd_report_free(report);
}

static void comes_out_again(void **state)
{
    (void)state;
    struct xpd_strbuf html = {0}, again = {0};
    make(&html);
    char *text = element(&html, "report-head");
    struct xpd_json *head = xpd_json_parse(xpd_str_of(text));
    assert_non_null(head);
    assert_int_equal(cell(head, "kind", 0), XPD_ANSWER_JSON);
    assert_int_equal(cell(head, "kind", 1), XPD_ANSWER_TEXT);
    assert_int_equal(cell(head, "kind", 2), XPD_ANSWER_ERROR);
    const char *want[] = {"{\"t\":\"</script><!-- \\u0000\"}",
                          "\"two\\u000alines \\u003c/script\\u003e\"", "{\"error\":{}}"};
    for (size_t row = 0; row < 3; row++) {
        char *line = answer_line(&html, head, row);
        assert_string_equal(line, want[row]);
        free(line);
    }
    char *worker = element(&html, "file-layout");
    assert_string_equal(worker, "the </script> worker");
    /* The worker, the head, one block, the page's own: nothing else ends an element. */
    assert_int_equal(occurrences(&html, "</script"), 4);
    assert_int_equal(occurrences(&html, "<!--"), 0);
    make(&again);
    assert_int_equal(again.size, html.size);
    assert_memory_equal(again.data, html.data, html.size);
    free(worker);
    free(text);
    xpd_json_free(head);
    xpd_strbuf_fini(&html);
    xpd_strbuf_fini(&again);
}

/* Letters that do not compress below 6 bits each. */
static void noise(struct xpd_strbuf *out, size_t size, uint64_t seed)
{
    xpd_strbuf_putc(out, '"');
    for (size_t i = 0; i < size; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        xpd_strbuf_putc(
            out, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[seed >> 58]);
    }
    xpd_strbuf_putc(out, '"');
}

static void limit_holds(void **state)
{
    (void)state;
    static const size_t sizes[] = {300, 900000, 70000, 500};
    enum { ANSWERS = 60 };
    const uint64_t limit = 1500000;
    struct xpd_report_text *report;
    struct xpd_err err = {0};
    uint32_t taken_of[4] = {0}, asked_of[4] = {0}, all = 0;
    bool small_after_large = false;
    assert_int_equal(xpd_report_new(&report, &page, limit, &err), XPD_OK);
    for (uint32_t i = 0; i < ANSWERS; i++) {
        struct xpd_strbuf body = {0};
        char query[32];
        bool taken;
        uint32_t of = i % 4;
        noise(&body, sizes[of], i + 1);
        snprintf(query, sizeof query, "i=%u", i);
        struct xpd_report_answer answer = {
            XPD_STR("r"), xpd_str_of(query), {body.data, body.size}, XPD_ANSWER_JSON};
        assert_int_equal(xpd_report_add(report, &answer, &taken, &err), XPD_OK);
        asked_of[of]++;
        taken_of[of] += taken;
        all += taken;
        if (taken && of != 1 && taken_of[1] < asked_of[1])
            small_after_large = true;
        xpd_strbuf_fini(&body);
    }
    assert_int_equal(xpd_report_count(report), all);
    assert_int_equal(taken_of[1], 1); /* 900,000 letters are 900,000 bytes: two do not fit */
    assert_true(small_after_large);
    assert_true(taken_of[2] > 0 && taken_of[2] < asked_of[2]);
    struct xpd_strbuf html = {0};
    assert_int_equal(xpd_report_finish(report, XPD_STR("\"schema\":1"), &html, &err), XPD_OK);
    assert_true(html.size <= limit);
    assert_true(html.size > limit * 8 / 10); /* the room is used */
    char *text = element(&html, "report-head");
    struct xpd_json *head = xpd_json_parse(xpd_str_of(text));
    for (uint32_t row = 0; row < all; row++) { /* each where the head says */
        char *line = answer_line(&html, head, row);
        size_t size = strlen(line) - 2;
        assert_true(size == 300 || size == 500 || size == 70000 || size == 900000);
        free(line);
    }
    free(text);
    xpd_json_free(head);
    xpd_strbuf_fini(&html);
    xpd_report_free(report);
}

static void refuses(void **state)
{
    (void)state;
    static const struct {
        struct xpd_str text;
        uint64_t limit;
        int code;
        const char *words;
    } cases[] = {
        {XPD_STR("<html></html>"), 1 << 20, XPD_EFORMAT, "no placeholder for the answers"},
        {XPD_STR("<html><!--xprofd:answers"), 1 << 20, XPD_EFORMAT, "has no end"},
        {XPD_STR("<!--xprofd:file other.js--><!--xprofd:answers-->"), 1 << 20, XPD_ENOTFOUND, ""},
        {XPD_STR(PAGE), 1000, XPD_ELIMIT, "1000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xpd_report_text *report;
        struct xpd_err err = {0};
        struct xpd_report_page with = {cases[i].text, page_file, NULL};
        assert_int_equal(xpd_report_new(&report, &with, cases[i].limit, &err), cases[i].code);
        assert_non_null(strstr(err.text, cases[i].words));
        xpd_report_free(report);
    }
}

/* RFC 4648, section 10. */
static void base64_vectors(void **state)
{
    (void)state;
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        struct xpd_strbuf out = {0};
        xpd_base64_add(&out, vectors[i][0], strlen(vectors[i][0]));
        assert_string_equal(out.data ? out.data : "", vectors[i][1]);
        assert_int_equal(xpd_base64_size(strlen(vectors[i][0])), strlen(vectors[i][1]));
        xpd_strbuf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_out_again),
        cmocka_unit_test(limit_holds),
        cmocka_unit_test(refuses),
        cmocka_unit_test(base64_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
