#include "session_test.h"

#include "../../support/vectors.h"
#include "../../support/xspace_wrap.h"
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

char *st_folder(void)
{
    const char *tmp = getenv("TMPDIR");
    char *path = malloc(512);
    snprintf(path, 512, "%s/xpd_session_XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void st_remove(char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

static void make_parents(char *path)
{
    for (char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        mkdir(path, 0755);
        *p = '/';
    }
}

static char *join(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    sprintf(path, "%s/%s", folder, name);
    make_parents(path);
    return path;
}

void st_write(const char *folder, const char *name, const void *bytes, size_t size)
{
    char *path = join(folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(path);
}

void st_text(const char *folder, const char *name, const char *text)
{
    st_write(folder, name, text, strlen(text));
}

void st_mkdir(const char *folder, const char *name)
{
    char *path = join(folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
    free(path);
}

void st_link(const char *folder, const char *name, const char *to)
{
    char *path = join(folder, name);
    assert_int_equal(symlink(to, path), 0);
    free(path);
}

void st_profile(const char *folder, const char *name, const char *vector, uint64_t program_id)
{
    struct pbw hlo = {0}, space = {0};
    vec_find(vector)->build(&hlo);
    xspace_wrap(&space, vector, program_id, &hlo);
    st_write(folder, name, space.data, space.len);
    pbw_free(&hlo);
    pbw_free(&space);
}

void st_hlo(const char *folder, const char *name, const char *vector)
{
    struct pbw hlo = {0};
    vec_find(vector)->build(&hlo);
    st_write(folder, name, hlo.data, hlo.len);
    pbw_free(&hlo);
}

struct xpd_catalog *st_scan(const char *root)
{
    struct xpd_catalog *catalog;
    struct xpd_err err = {0};
    assert_int_equal(xpd_catalog_scan(&catalog, root, NULL, 1, &err), XPD_OK);
    return catalog;
}

static char list[8192];

static void add(const char *text)
{
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", text);
}

const char *st_ids(const struct xpd_catalog *catalog)
{
    list[0] = '\0';
    for (uint32_t i = 0; i < catalog->run_count; i++)
        add(catalog->run[i].id);
    return list;
}

const char *st_inputs(const struct xpd_catalog *catalog, const char *id)
{
    const struct xpd_run_entry *run = xpd_catalog_find(catalog, xpd_str_of(id));
    list[0] = '\0';
    for (uint32_t i = 0; run && i < run->input_count; i++)
        add(run->input[i].name);
    return run ? list : "no such run";
}

const char *st_keys(const struct xpd_run *run)
{
    list[0] = '\0';
    for (uint32_t i = 0; i < run->module_count; i++)
        add(run->module[i].key);
    return list;
}

struct xpd_store *st_open(const char *root, uint64_t memory_limit_bytes)
{
    struct xpd_store *store;
    struct xpd_store_options options = {.memory_limit_bytes = memory_limit_bytes};
    struct xpd_err err = {0};
    assert_int_equal(xpd_store_open(&store, root, &options, &err), XPD_OK);
    return store;
}

const struct xpd_run *st_acquire(struct xpd_store *store, const char *id)
{
    const struct xpd_run *run;
    struct xpd_load_state state;
    struct xpd_err err = {0};
    int rc = xpd_store_acquire(store, xpd_str_of(id), -1, &run, &state, &err);
    if (rc != XPD_OK)
        fail_msg("acquire %s: %s", id, err.text);
    return run;
}

const char *st_shared(void)
{
    static char path[4096];
    const char *shared = getenv("XPD_SHARED"), *source = getenv("XPD_SOURCE");
    if (shared)
        snprintf(path, sizeof path, "%s/data", shared);
    else
        snprintf(path, sizeof path, "%s/../shared/data", source ? source : ".");
    if (access(path, R_OK) == 0)
        return path;
    print_message("%s is not there: this test needs the shared data\n", path);
    return NULL;
}
