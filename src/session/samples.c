/* The catalog of the samples that the program carries: runs that no scan finds.
 *
 * In: the samples. Out: a catalog of one run each, its input in memory. It is made once with the
 * store and never changes. */
#include "session_internal.h"

#include <stdlib.h>
#include <string.h>

static bool fill(struct xpd_catalog *catalog, const struct xpd_sample *sample,
                 struct xpd_run_entry *run)
{
    struct xpd_arena *arena = &catalog->arena;
    struct xpd_input *input = XPD_NEW_ARRAY(arena, struct xpd_input, 1);
    *run = (struct xpd_run_entry){
        .id = xpd_arena_printf(arena, "%s%s", XPD_SAMPLE_PREFIX, sample->name),
        .folder = "",
        .name = sample->name,
        .kind = XPD_RUN_PROFILE,
        .size_bytes = sample->gzip_bytes,
        .input = input,
        .input_count = 1,
    };
    if (!input || !run->id)
        return false;
    run->label = run->id;
    *input = (struct xpd_input){
        .path = "",
        .bytes = sample->gzip,
        .name = xpd_arena_printf(arena, "%s.xplane.pb.gz", sample->name),
        .host = sample->name,
        .format = XPD_INPUT_XPLANE,
        .identity = {.size_bytes = sample->gzip_bytes},
    };
    run->fingerprint = xpd_hash(sample->gzip, sample->gzip_bytes);
    return input->name != NULL;
}

struct xpd_catalog *xpd_samples_catalog(const struct xpd_sample *sample, uint32_t count)
{
    struct xpd_catalog *catalog = calloc(1, sizeof *catalog);
    if (!catalog)
        return NULL;
    atomic_init(&catalog->holders, 1);
    xpd_arena_init(&catalog->arena, 0);
    catalog->root = "";
    catalog->run = XPD_NEW_ARRAY(&catalog->arena, struct xpd_run_entry, count);
    bool fine = catalog->run != NULL;
    for (uint32_t i = 0; i < count && fine; i++)
        fine = fill(catalog, &sample[i], &catalog->run[catalog->run_count++]);
    if (fine)
        return catalog;
    xpd_catalog_release(catalog);
    return NULL;
}

const struct xpd_sample *xpd_store_samples(const struct xpd_store *store, uint32_t *count)
{
    *count = store->sample_count;
    return store->sample;
}
