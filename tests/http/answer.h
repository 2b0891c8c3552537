/* A JSON answer of a server and its members by path. */
#ifndef XPROFD_TESTS_HTTP_ANSWER_H
#define XPROFD_TESTS_HTTP_ANSWER_H

#include "common.h"
#include "xprofd/json/reader.h"

struct answer {
    struct http_reply reply;
    struct xpd_json *json;
};

__attribute__((unused)) static struct answer ask(const struct server_process *server,
                                                 const char *target, int status)
{
    struct answer answer = {.reply = http_get_loaded(server->port, target)};
    if (answer.reply.status != status)
        fail_msg("%s: %d %.300s", target, answer.reply.status, answer.reply.body);
    answer.json = xpd_json_parse((struct xpd_str){answer.reply.body, answer.reply.size});
    assert_non_null(answer.json);
    return answer;
}

__attribute__((unused)) static void done(struct answer *answer)
{
    xpd_json_free(answer->json);
    http_reply_free(&answer->reply);
}

/* "rows.self": the member of a member. */
__attribute__((unused)) static const struct xpd_json *find(const struct answer *answer,
                                                           const char *path)
{
    const struct xpd_json *at = answer->json;
    char part[64];
    while (*path) {
        size_t size = strcspn(path, ".");
        assert_true(size < sizeof part);
        memcpy(part, path, size);
        part[size] = '\0';
        at = xpd_json_member(at, part);
        if (!at)
            fail_msg("no %s", path);
        path += size + (path[size] == '.');
    }
    return at;
}

__attribute__((unused)) static int64_t number(const struct answer *answer, const char *path)
{
    int64_t value = INT64_MIN;
    if (!xpd_json_to_i64(find(answer, path), &value))
        fail_msg("%s is no number", path);
    return value;
}

__attribute__((unused)) static int64_t item(const struct answer *answer, const char *path,
                                            size_t index)
{
    int64_t value = INT64_MIN;
    if (!xpd_json_to_i64(xpd_json_item(find(answer, path), index), &value))
        fail_msg("%s[%zu] is no number", path, index);
    return value;
}

__attribute__((unused)) static bool truth(const struct answer *answer, const char *path,
                                          size_t index)
{
    return xpd_json_is_true(xpd_json_item(find(answer, path), index));
}

__attribute__((unused)) static int64_t sum(const struct answer *answer, const char *path)
{
    int64_t all = 0;
    size_t count = xpd_json_count(find(answer, path));
    for (size_t i = 0; i < count; i++)
        all += item(answer, path, i);
    return all;
}

/* A route of the trace (name, then '?', then parameters for the run) about the first run. */
__attribute__((unused)) static struct answer ask_trace(const struct server_process *server,
                                                       const char *route, const char *more)
{
    struct answer runs = ask(server, "/api/v1/runs", 200);
    const char *id = xpd_json_to_text(xpd_json_item(find(&runs, "id"), 0));
    char target[512];
    assert_non_null(id);
    snprintf(target, sizeof target, "/api/v1/trace/%s?run=%s%s", route, id, more);
    done(&runs);
    return ask(server, target, 200);
}

#endif
