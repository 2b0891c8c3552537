#include "xspace_hlo.h"

#include "xprofd/wire/cursor.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *shared_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *bytes = n < 0 ? NULL : malloc((size_t)n + 1);
    if (bytes && fread(bytes, 1, (size_t)n, f) != (size_t)n) {
        free(bytes);
        bytes = NULL;
    }
    fclose(f);
    if (bytes)
        bytes[n] = '\0';
    if (size)
        *size = bytes ? (size_t)n : 0;
    return bytes;
}

static bool is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *shared_dir(void)
{
    static char dir[1024];
    const char *env = getenv("XPD_SHARED");
    const char *source = getenv("XPD_SOURCE"), *here = strstr(__FILE__, "tests/support/");
    if (env)
        snprintf(dir, sizeof dir, "%s", env);
    else if (source)
        snprintf(dir, sizeof dir, "%s/../shared", source);
    else
        snprintf(dir, sizeof dir, "%.*s../shared", here ? (int)(here - __FILE__) : 0, __FILE__);
    if (!is_dir(dir))
        dir[0] = '\0';
    return dir;
}

bool shared_xplane(const char *set, char *path, size_t size)
{
    char dir[1200], run[1500] = "";
    snprintf(dir, sizeof dir, "%s/data/%s/logdir/plugins/profile", shared_dir(), set);
    DIR *d = opendir(dir);
    if (!d)
        return false;
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            snprintf(run, sizeof run, "%s/%s", dir, e->d_name);
    closedir(d);
    d = opendir(run);
    if (!d)
        return false;
    bool found = false;
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n > 10 && strcmp(e->d_name + n - 10, ".xplane.pb") == 0) {
            snprintf(path, size, "%s/%s", run, e->d_name);
            found = true;
        }
    }
    closedir(d);
    return found;
}

struct plane {
    int64_t hlo_stat[4], program_stat;
    size_t hlo_stats;
};

/* A map entry: the key and the message of its value. */
static bool entry(struct xpd_field *field, uint64_t *key, struct xpd_cursor *value)
{
    struct xpd_cursor c = xpd_cursor_sub(field);
    struct xpd_field f;
    bool found = false;
    *key = 0;
    while (xpd_cursor_next(&c, &f)) {
        if (f.number == 1)
            *key = f.value;
        if (f.number == 2) {
            *value = xpd_cursor_sub(&f);
            found = true;
        }
    }
    return found;
}

static void stat_name(struct plane *p, struct xpd_field *field)
{
    uint64_t key;
    struct xpd_cursor c;
    struct xpd_field f;
    if (!entry(field, &key, &c))
        return;
    while (xpd_cursor_next(&c, &f)) {
        if (f.number != 2 || f.wire_type != 2)
            continue;
        struct xpd_str name = xpd_field_str(&f);
        if (xpd_str_eq(name, XPD_STR("program_id")))
            p->program_stat = (int64_t)key;
        if ((xpd_str_eq(name, XPD_STR("Hlo Proto")) || xpd_str_eq(name, XPD_STR("HLO Proto"))) &&
            p->hlo_stats < 4)
            p->hlo_stat[p->hlo_stats++] = (int64_t)key;
    }
}

static void event_metadata(struct xspace_hlos *out, const struct plane *p, struct xpd_field *field)
{
    struct xspace_hlo h = {.bytes = NULL};
    struct xpd_cursor c;
    struct xpd_field f, s;
    if (!entry(field, &h.program_id, &c))
        return;
    while (xpd_cursor_next(&c, &f)) {
        if (f.number == 2)
            snprintf(h.name, sizeof h.name, "%.*s", (int)f.size, (const char *)f.bytes);
        if (f.number != 5)
            continue;
        struct xpd_cursor stat = xpd_cursor_sub(&f);
        int64_t id = 0;
        uint64_t number = 0;
        const uint8_t *bytes = NULL;
        size_t size = 0;
        while (xpd_cursor_next(&stat, &s)) {
            if (s.number == 1)
                id = (int64_t)s.value;
            if (s.number == 3 || s.number == 4)
                number = s.value;
            if (s.number == 6) {
                bytes = s.bytes;
                size = s.size;
            }
        }
        if (id == p->program_stat && !bytes)
            h.program_id = number;
        for (size_t i = 0; i < p->hlo_stats; i++)
            if (bytes && id == p->hlo_stat[i]) {
                h.bytes = bytes;
                h.size = size;
            }
    }
    struct xspace_hlo *more = h.bytes ? realloc(out->at, (out->count + 1) * sizeof *more) : NULL;
    if (!more)
        return;
    out->at = more;
    out->at[out->count++] = h;
}

static int by_program(const void *x, const void *y)
{
    const struct xspace_hlo *a = x, *b = y;
    return (a->program_id > b->program_id) - (a->program_id < b->program_id);
}

bool xspace_hlos_load(struct xspace_hlos *out, const char *path)
{
    size_t size;
    *out = (struct xspace_hlos){.file = (uint8_t *)shared_read(path, &size)};
    if (!out->file)
        return false;
    struct xpd_cursor space;
    struct xpd_field f, g;
    xpd_cursor_init(&space, out->file, size, 0);
    while (xpd_cursor_next(&space, &f)) {
        if (f.number != 1)
            continue;
        struct plane p = {.program_stat = -1};
        bool wanted = false;
        struct xpd_cursor plane = xpd_cursor_sub(&f);
        while (xpd_cursor_next(&plane, &g)) {
            if (g.number == 2)
                wanted = xpd_str_eq(xpd_field_str(&g), XPD_STR("/host:metadata"));
            if (g.number == 5)
                stat_name(&p, &g);
        }
        plane = xpd_cursor_sub(&f);
        while (wanted && xpd_cursor_next(&plane, &g))
            if (g.number == 4)
                event_metadata(out, &p, &g);
    }
    if (out->count > 1)
        qsort(out->at, out->count, sizeof *out->at, by_program);
    return true;
}

void xspace_hlos_free(struct xspace_hlos *hlos)
{
    free(hlos->at);
    free(hlos->file);
    *hlos = (struct xspace_hlos){.file = NULL};
}
