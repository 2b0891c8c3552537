/* Statuses, Accept-Encoding, tags, gzip, progress bodies; the Host rule; types of assets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zlib.h>

#include "server/assets.h"
#include "server/response.h"
#include "server/security.h"

static void test_statuses(void **state)
{
    (void)state;
    static const int wanted[][2] = {{XPD_OK, 200},        {XPD_EINVAL, 400},   {XPD_ENOTFOUND, 404},
                                    {XPD_EFORMAT, 422},   {XPD_ELIMIT, 413},   {XPD_ENOMEM, 503},
                                    {XPD_EBUSY, 503},     {XPD_ECHANGED, 409}, {XPD_EIO, 500},
                                    {XPD_EINTERNAL, 500}, {-1, 500},           {999, 500}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(xpd_status_of(wanted[i][0]), wanted[i][1]);
}

static void test_accept_encoding(void **state)
{
    (void)state;
    static const char *const yes[] = {"gzip",        "GZip",
                                      "x-gzip",      "*",
                                      "br, gzip",    "gzip;q=0.001",
                                      "gzip; q=1.0", "deflate, gzip;q=0.5, br",
                                      "*;q=0.1",     "identity;q=0,gzip",
                                      " gzip ",      "*;q=0, gzip",
                                      "gzip;Q=1"};
    static const char *const no[] = {
        "",         "identity",    "br",    "gzip;q=0",   "gzip;q=0.000",
        "*;q=0",    "gzip;q=0, *", "gzipx", "gzip;q=",    "gzip;q=abc",
        "gzip;x=1", ";",           ",,,",   "deflate;q=1"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!xpd_accepts_gzip(yes[i]))
            fail_msg("should accept: %s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (xpd_accepts_gzip(no[i]))
            fail_msg("should not accept: %s", no[i]);
    assert_false(xpd_accepts_gzip(NULL));
    assert_true(xpd_accepts_brotli("gzip, deflate, br"));
    assert_true(xpd_accepts_brotli("BR;q=0.1"));
    assert_false(xpd_accepts_brotli("gzip, br;q=0"));
    assert_false(xpd_accepts_brotli("*"));
    assert_false(xpd_accepts_brotli("gzip, brotli"));
    assert_false(xpd_accepts_brotli(NULL));
}

static void test_tags(void **state)
{
    (void)state;
    char tag[48], other[48];
    xpd_tag_of("abc", 3, tag);
    xpd_tag_of("abd", 3, other);
    assert_int_equal(strlen(tag), 18);
    assert_string_not_equal(tag, other);
    assert_true(xpd_tag_matches("\"x\"", "\"x\""));
    assert_true(xpd_tag_matches("W/\"x\"", "\"x\""));
    assert_true(xpd_tag_matches("\"x-gz\"", "\"x\""));
    assert_true(xpd_tag_matches("\"x\"", "\"x-gz\""));
    assert_true(xpd_tag_matches("\"a\", \"b\" ,\"x\"", "\"x\""));
    assert_true(xpd_tag_matches("*", "\"x\""));
    assert_false(xpd_tag_matches("x", "\"x\""));
    assert_false(xpd_tag_matches("\"y\"", "\"x\""));
    assert_false(xpd_tag_matches("", "\"x\""));
    assert_false(xpd_tag_matches(NULL, "\"x\""));
    assert_false(xpd_tag_matches("*", ""));
    assert_true(xpd_tag_matches("\"x-br\"", "\"x\""));
    xpd_tag_mark(tag, "gz");
    assert_string_equal(tag + 17, "-gz\"");
    xpd_tag_mark(other, "br");
    assert_string_equal(other + 17, "-br\"");
}

static void test_gzip(void **state)
{
    (void)state;
    char text[10000], back[10000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 7);
    struct xpd_strbuf out = {0};
    assert_true(xpd_gzip(text, sizeof text, &out));
    assert_true(out.size < sizeof text / 10);
    z_stream z = {.next_in = (Bytef *)out.data,
                  .avail_in = (uInt)out.size,
                  .next_out = (Bytef *)back,
                  .avail_out = sizeof back};
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, sizeof text);
    assert_memory_equal(text, back, sizeof text);
    inflateEnd(&z);
    xpd_strbuf_fini(&out);
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof text; i++) {
        seed = seed * 1664525u + 1013904223u;
        text[i] = (char)(seed >> 24);
    }
    out = (struct xpd_strbuf){0};
    assert_false(xpd_gzip(text, sizeof text, &out)); /* noise does not get smaller */
    assert_int_equal(out.size, 0);
    xpd_strbuf_fini(&out);
}

static void expect_loading(uint64_t done, uint64_t total, const char *percent)
{
    struct xpd_load_state loading = {
        .done_bytes = done, .total_bytes = total, .what = "reading \"a\""};
    struct xpd_response response;
    xpd_respond_loading(&response, &loading);
    assert_int_equal(response.status, 202);
    assert_non_null(strstr(response.body, "\"state\":\"loading\""));
    if (!strstr(response.body, percent))
        fail_msg("expected %s in %s", percent, (const char *)response.body);
    xpd_response_release(&response);
    xpd_response_release(&response); /* twice is legal */
}

static void test_bodies(void **state)
{
    (void)state;
    expect_loading(0, 0, "\"percent\":0");
    expect_loading(1, 3, "\"percent\":33");
    expect_loading(5, 3, "\"percent\":100");
    expect_loading(UINT64_MAX / 2, UINT64_MAX, "\"percent\":50");
    struct xpd_response response;
    struct xpd_err err = {0};
    xpd_fail(&err, XPD_ENOTFOUND, "run", XPD_NO_OFFSET, "no <run>");
    xpd_respond_error(&response, 0, &err);
    assert_int_equal(response.status, 404);
    assert_non_null(strstr(response.body, "not_found"));
    assert_null(strchr(response.body, '<'));
    xpd_response_release(&response);
    struct xpd_strbuf broken = {.failed = true};
    xpd_respond_text(&response, 200, "text/plain", &broken);
    assert_int_equal(response.status, 503);
    xpd_response_release(&response);
}

static void test_not_modified(void **state)
{
    (void)state;
    struct xpd_strbuf buf = {0};
    struct xpd_response response;
    xpd_strbuf_puts(&buf, "body");
    xpd_respond_text(&response, 200, "text/plain", &buf);
    xpd_tag_of("body", 4, response.tag);
    struct xpd_request_headers headers = {.if_none_match = "\"other\""};
    xpd_respond_if_changed(&response, &headers);
    assert_int_equal(response.status, 200);
    headers.if_none_match = response.tag;
    xpd_respond_if_changed(&response, &headers);
    assert_int_equal(response.status, 304);
    assert_int_equal(response.size, 0);
    xpd_response_release(&response);
}

static bool host_is_fine(const char *bind, const char *allowed, const char *host)
{
    struct xpd_host_rule rule = {.bind = bind, .allowed = allowed};
    struct xpd_err err = {0};
    int rc = xpd_host_check(&rule, host, &err);
    assert_true(rc == XPD_OK || err.text[0]);
    return rc == XPD_OK;
}

static void test_host(void **state)
{
    (void)state;
    assert_true(host_is_fine("127.0.0.1", NULL, "localhost:1"));
    assert_true(host_is_fine("192.0.2.7", NULL, "192.0.2.7:6006"));
    assert_true(host_is_fine("2001:db8::1", NULL, "[2001:db8::1]:6006"));
    assert_true(host_is_fine("127.0.0.1", "a.b, c.d", "C.D:80"));
    assert_true(host_is_fine("127.0.0.1", NULL, "[0:0:0:0:0:0:0:1]"));
    assert_false(host_is_fine("127.0.0.1", "a.b,c.d", "b"));
    assert_false(host_is_fine("127.0.0.1", NULL, "192.0.2.7"));
    assert_false(host_is_fine("127.0.0.1", NULL, "127.0.0.1.nip.io"));
    assert_false(
        host_is_fine("127.0.0.1", NULL, "2130706433")); /* a number is not an address here */
    assert_false(host_is_fine("127.0.0.1", NULL, "0.0.0.0"));
    assert_false(host_is_fine("127.0.0.1", NULL, ":80"));
    assert_false(host_is_fine("127.0.0.1", NULL, "."));
    assert_false(host_is_fine("127.0.0.1", "", ""));
    assert_false(host_is_fine("127.0.0.1", NULL, NULL));
    struct xpd_host_rule any = {.bind = "0.0.0.0", .any = true};
    assert_int_equal(xpd_host_check(&any, NULL, NULL), XPD_OK);
}

static void test_asset_names(void **state)
{
    (void)state;
    assert_true(xpd_asset_is_hashed("app.3FA9C07B.js"));
    assert_true(xpd_asset_is_hashed("app-KDJ3NSAW.css"));
    assert_true(xpd_asset_is_hashed("a.0123abcd.woff2"));
    assert_false(xpd_asset_is_hashed("index.html"));
    assert_false(xpd_asset_is_hashed("app.js"));
    assert_false(xpd_asset_is_hashed("favicon.min.js"));
    assert_false(xpd_asset_is_hashed("ABCDEFGH.js"));
    assert_false(xpd_asset_is_hashed("app.component.js"));
    assert_false(xpd_asset_is_hashed("app"));
    assert_string_equal(xpd_asset_type("x.woff2"), "font/woff2");
    assert_string_equal(xpd_asset_type("x.unknown"), "application/octet-stream");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statuses), cmocka_unit_test(test_accept_encoding),
        cmocka_unit_test(test_tags),     cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_bodies),   cmocka_unit_test(test_not_modified),
        cmocka_unit_test(test_host),     cmocka_unit_test(test_asset_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
