/* What a request passes before the router: the prefix of a proxy, the host, the token, who asks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "server/front.h"

#define TOKEN "0123456789abcdef"

static const struct xpd_front plain = {.host_rule = {.bind = "127.0.0.1"}, .base_path = ""};
static const struct xpd_front below = {.host_rule = {.bind = "127.0.0.1"}, .base_path = "/a/b"};
static const struct xpd_front secret = {
    .host_rule = {.bind = "127.0.0.1"}, .base_path = "", .token = TOKEN};
static const struct xpd_front proxied = {
    .host_rule = {.bind = "127.0.0.1", .allowed = "page.example"},
    .base_path = "",
    .token = TOKEN,
    .trusts_proxy = true};

static void expect_inner(const char *target, const char *inner)
{
    struct xpd_str got = xpd_front_inner(&below, target);
    if (!got.data || !inner)
        assert_true(!got.data && !inner);
    else
        assert_true(xpd_str_eq(got, xpd_str_of(inner)));
}

static void prefixes(void **state)
{
    (void)state;
    expect_inner("/a/b/", "/");
    expect_inner("/a/b/api/v1/runs?x=1", "/api/v1/runs?x=1");
    expect_inner("/a/b", NULL);
    expect_inner("/a/bc/", NULL);
    expect_inner("/", NULL);
    expect_inner("", NULL);
    assert_true(xpd_str_eq(xpd_front_inner(&plain, "/a/b/"), XPD_STR("/a/b/")));
    assert_true(xpd_front_is_health(&below, "/a/b/healthz"));
    assert_true(xpd_front_is_health(&below, "/healthz?x"));
    assert_false(xpd_front_is_health(&below, "/healthz/"));
    assert_false(xpd_front_is_health(&plain, "/a/b/healthz"));
}

static struct xpd_response answer(const struct xpd_front *front, struct xpd_asked asked, int status)
{
    struct xpd_response out = {0};
    assert_false(xpd_front_lets_in(front, &asked, &out));
    assert_int_equal(out.status, status);
    xpd_response_release(&out);
    return out;
}

static void expect_redirect(const struct xpd_front *front, const char *target, const char *location)
{
    struct xpd_response out = answer(front, (struct xpd_asked){.target = target}, 302);
    assert_string_equal(out.location, location);
}

static void paths_outside_the_folder(void **state)
{
    (void)state;
    expect_redirect(&below, "/a/b", "b/");
    expect_redirect(&below, "/a/b?x=1", "b/?x=1");
    expect_redirect(&below, "/", "a/b/");
    answer(&below, (struct xpd_asked){.target = "/a"}, 404);
    answer(&below, (struct xpd_asked){.target = "/api/v1/runs"}, 404);
}

static bool lets_in(const struct xpd_front *front, struct xpd_asked asked)
{
    struct xpd_response out = {0};
    bool in = xpd_front_lets_in(front, &asked, &out);
    xpd_response_release(&out);
    return in;
}

static void expect_cookie(const char *before, const char *value, const char *after, bool in)
{
    char cookies[300];
    struct xpd_response out = answer(&secret, (struct xpd_asked){.target = "/?token=" TOKEN}, 302);
    size_t name = strcspn(out.cookie, "=");
    snprintf(cookies, sizeof cookies, "%s%.*s=%s%s", before, (int)name, out.cookie, value, after);
    assert_int_equal(lets_in(&secret, (struct xpd_asked){.target = "/", .cookie = cookies}), in);
}

static void tokens(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "0123456789abcdeF",
                                        "0123456789abcde",
                                        "0123456789abcdef0",
                                        "0123456789abcdef0123456789abcdef",
                                        "1"};
    assert_true(lets_in(&plain, (struct xpd_asked){.target = "/"}));
    answer(&secret, (struct xpd_asked){.target = "/"}, 401);
    assert_true(lets_in(&secret, (struct xpd_asked){.target = "/api/v1/runs",
                                                    .authorization = "bearer  " TOKEN " "}));
    answer(&secret, (struct xpd_asked){.target = "/", .authorization = "Basic " TOKEN}, 401);
    expect_cookie("", TOKEN, "", true);
    expect_cookie("a=b; ", TOKEN, ";c=d", true);
    expect_cookie("x", TOKEN, "", false);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[100];
        snprintf(text, sizeof text, "Bearer %s", wrong[i]);
        answer(&secret, (struct xpd_asked){.target = "/", .authorization = text}, 401);
        snprintf(text, sizeof text, "/?token=%s", wrong[i]);
        answer(&secret, (struct xpd_asked){.target = text}, 401);
        expect_cookie("", wrong[i], "", false);
    }
    struct xpd_response page =
        answer(&secret, (struct xpd_asked){.target = "/", .accept = "text/html,*/*"}, 401);
    assert_string_equal(page.type, "text/html; charset=utf-8");
    assert_null(strstr(page.policy, "unsafe"));
}

static void the_token_leaves_the_url(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"/?token=" TOKEN, "./"},
        {"/?a=1&token=" TOKEN "&b=2", "./?a=1&b=2"},
        {"/?token=" TOKEN "&token=x", "./"},
        {"/api/v1/run?run=a&token=" TOKEN, "./run?run=a"},
        {"//evil.example?token=" TOKEN, "./evil.example"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_redirect(&secret, rows[i][0], rows[i][1]);
    char text[1100] = "/?token=" TOKEN "&x=";
    memset(text + strlen(text), 'x', sizeof text - 1 - strlen(text));
    answer(&secret, (struct xpd_asked){.target = text}, 414);
    struct xpd_response out = answer(
        &proxied, (struct xpd_asked){.target = "/?token=" TOKEN, .forwarded_proto = "https"}, 302);
    assert_non_null(strstr(out.cookie, "; HttpOnly; SameSite=Lax; Secure"));
    out = answer(&secret,
                 (struct xpd_asked){.target = "/?token=" TOKEN, .forwarded_proto = "https"}, 302);
    assert_null(strstr(out.cookie, "Secure"));
    struct xpd_strbuf shown = {0};
    xpd_front_shown("/x?a=1&token=" TOKEN "&b=2", &shown);
    assert_string_equal(shown.data, "/x?a=1&b=2");
    xpd_strbuf_fini(&shown);
}

static bool takes_host(const struct xpd_front *front, const char *host, const char *forwarded)
{
    struct xpd_response out = {0};
    struct xpd_asked asked = {.target = "/", .host = host, .forwarded_host = forwarded};
    bool takes = xpd_front_takes_host(front, &asked, &out);
    xpd_response_release(&out);
    return takes;
}

/* A page of a stranger may send X-Forwarded-Host as well: it never replaces the check of Host. */
static void hosts(void **state)
{
    (void)state;
    assert_true(takes_host(&proxied, "localhost", "page.example"));
    assert_false(takes_host(&proxied, "localhost", "evil.example"));
    assert_false(takes_host(&proxied, "evil.example", "localhost"));
    assert_true(takes_host(&plain, "localhost", "evil.example"));
    assert_false(takes_host(&plain, NULL, "localhost"));
}

static void expect_client(const struct xpd_front *front, const char *forwarded, const char *client)
{
    char got[XPD_CLIENT_BYTES];
    struct xpd_asked asked = {.forwarded_for = forwarded};
    xpd_front_client(front, &asked, "127.0.0.1", got);
    assert_string_equal(got, client);
}

static void who_asks(void **state)
{
    (void)state;
    expect_client(&plain, "10.0.0.9", "127.0.0.1");
    expect_client(&proxied, NULL, "127.0.0.1");
    expect_client(&proxied, "", "127.0.0.1");
    expect_client(&proxied, "10.0.0.9", "10.0.0.9");
    expect_client(&proxied, "1.2.3.4,  10.0.0.9 ", "10.0.0.9");
    expect_client(&proxied, "10.0.0.9\x01", "127.0.0.1");
    expect_client(&proxied, "0123456789012345678901234567890123456789012345678", "127.0.0.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes), cmocka_unit_test(paths_outside_the_folder),
        cmocka_unit_test(tokens),   cmocka_unit_test(the_token_leaves_the_url),
        cmocka_unit_test(hosts),    cmocka_unit_test(who_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
