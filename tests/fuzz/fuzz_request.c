/* What a stranger can put into a request: target, Host, Accept-Encoding, If-None-Match. The input
 * is one of each, a line each. */
#include <stdlib.h>

#include "server/query.h"
#include "server/response.h"
#include "server/security.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *take_line(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
    size_t length = end ? (size_t)(end - *data) : *size;
    char *line = malloc(length + 1);
    if (!line)
        abort();
    if (length)
        memcpy(line, *data, length);
    line[length] = '\0';
    *data += end ? length + 1 : length;
    *size -= end ? length + 1 : length;
    return line;
}

static void decode(struct xpd_str target)
{
    struct xpd_arena arena;
    struct xpd_query query;
    struct xpd_str path;
    struct xpd_strbuf key = {0};
    xpd_arena_init(&arena, 1 << 20);
    if (xpd_percent_decode(&arena, target, false, &path, NULL) == XPD_OK && path.size > target.size)
        abort();
    if (xpd_query_decode(&arena, target, &query, NULL) == XPD_OK) {
        for (uint32_t i = 0; i < query.count; i++)
            if (memchr(query.param[i].value.data, 0, query.param[i].value.size))
                abort();
        xpd_query_canonical(&query, &key);
    }
    xpd_strbuf_fini(&key);
    xpd_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_host_rule rule = {.bind = "127.0.0.1", .allowed = "a.example,b.example"};
    struct xpd_err err;
    char tag[48];
    xpd_tag_of(data, size, tag);
    char *target = take_line(&data, &size), *host = take_line(&data, &size);
    char *encoding = take_line(&data, &size), *match = take_line(&data, &size);
    decode(xpd_str_of(target));
    xpd_host_check(&rule, host, &err);
    xpd_accepts_gzip(encoding);
    xpd_tag_matches(match, tag);
    free(target);
    free(host);
    free(encoding);
    free(match);
    return 0;
}
