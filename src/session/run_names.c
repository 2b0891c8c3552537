/* Labels of runs, and pairs of dumps and profiles. In: the runs of a
 * finished scan. Out: a label for each, the shortest unique part of
 * its path; for a dump, the profile of the same experiment. Both
 * follow from paths alone, so they are known before any file is
 * read. */
#include "scan.h"

#include "xprofd/base/map64.h"
#include <string.h>

/* The folder above; "" above the first part. */
static struct xpd_str above(struct xpd_str path)
{
    while (path.size > 0 && path.data[path.size - 1] != '/')
        path.size--;
    path.size -= path.size > 0;
    return path;
}

/* The text after the last "/" of a path. */
static struct xpd_str last_part(struct xpd_str path)
{
    size_t skip = above(path).size;
    skip += skip > 0 || (path.size > 0 && path.data[0] == '/');
    return (struct xpd_str){path.data + skip, path.size - skip};
}

static struct xpd_str end_from(struct xpd_str id, struct xpd_str part)
{
    return (struct xpd_str){part.data, id.size - (size_t)(part.data - id.data)};
}

/* ---- labels ---- */

struct names { /* number of occurrences of parts in ids; values are counts */
    struct xpd_map64 part, end;
    uint32_t moments; /* names that say a time only */
};

/* Profilers name runs after the time: unlike "train", such a name is not descriptive. */
static bool is_moment(struct xpd_str name)
{
    static const char marks[] = "0123456789_-:.T ";
    for (size_t i = 0; i < name.size; i++)
        if (!memchr(marks, name.data[i], sizeof marks - 1))
            return false;
    return name.size > 0;
}

static uint64_t end_key(struct xpd_str id, struct xpd_str part)
{
    struct xpd_str end = end_from(id, part);
    return xpd_hash(end.data, end.size);
}

/* A part by what it says, the last part there (all moments are one), and whether the two stand side
 * by side. */
static uint64_t part_key(struct xpd_str id, struct xpd_str part, uint32_t depth, bool moment)
{
    uint64_t key[3] = {xpd_hash(part.data, part.size), depth < 2 ? depth : 2,
                       moment ? 0 : end_key(id, last_part(id))};
    return xpd_hash(key, sizeof key);
}

static void count(struct xpd_map64 *map, uint64_t key)
{
    uint32_t before = xpd_map64_get(map, key);
    xpd_map64_put(map, key, before == XPD_NO_INDEX ? 1 : before + 1);
}

static void count_parts(struct names *names, const char *text)
{
    struct xpd_str id = xpd_str_of(text);
    bool moment = is_moment(last_part(id));
    uint32_t depth = 0;
    names->moments += moment;
    for (struct xpd_str at = id; at.size > 0; at = above(at), depth++) {
        count(&names->part, part_key(id, last_part(at), depth, false));
        if (moment)
            count(&names->part, part_key(id, last_part(at), depth, true));
        count(&names->end, end_key(id, last_part(at)));
    }
}

/* "folder/name", with "..." for the parts between. */
static const char *with_folder(struct xpd_str id, struct xpd_str part, uint32_t depth,
                               struct xpd_arena *arena)
{
    struct xpd_str name = last_part(id);
    return xpd_arena_printf(arena, "%.*s/%s%.*s", (int)part.size, part.data,
                            depth == 1 ? "" : "\xe2\x80\xa6/", (int)name.size, name.data);
}

/* A folder of one day or one commit: its runs are another experiment than its neighbours.
 */
static bool is_border(struct xpd_str folder)
{
    static const char hex[] = "0123456789abcdef";
    struct xpd_str part = last_part(folder);
    bool digit = false, letters = false;
    for (size_t i = 0; i < part.size; i++) {
        letters |= !memchr(hex, part.data[i], sizeof hex - 1);
        digit |= part.data[i] >= '0' && part.data[i] <= '9';
    }
    return (part.size >= 6 && is_moment(part)) ||
           (part.size >= 7 && part.size <= 40 && digit && !letters);
}

struct choice {     /* folder allowed in a label */
    bool plain;     /* none of a day or a commit */
    bool moment;    /* beside all names that are moments, not beside its own alone */
    uint32_t below; /* fewer runs than this share it */
};

static const char *nearest(const struct names *names, struct xpd_str id, struct choice choice,
                           struct xpd_arena *arena)
{
    uint32_t depth = 1;
    for (struct xpd_str at = above(id); at.size > 0; at = above(at), depth++)
        if (!(choice.plain && is_border(at)) &&
            xpd_map64_get(&names->part, part_key(id, last_part(at), depth, choice.moment)) <
                choice.below)
            return with_folder(id, last_part(at), depth, arena);
    return NULL;
}

/* The name where no other run is called so, a moment with the nearest folder that not all moments
 * have; else the nearest folder that tells it from those of its name, one of a day or a commit
 * last; else as much of the end as is needed. */
static const char *label_of(const struct names *names, const char *text, struct xpd_arena *arena)
{
    struct xpd_str id = xpd_str_of(text), name = last_part(id);
    bool alone = xpd_map64_get(&names->end, end_key(id, name)) == 1;
    bool moment = alone && is_moment(name);
    struct choice choice = {true, moment, moment && names->moments > 1 ? names->moments : 2};
    const char *with = moment || !alone ? nearest(names, id, choice, arena) : NULL;
    if (!with && !alone)
        with = nearest(names, id, (struct choice){.below = 2}, arena);
    if (with)
        return with;
    for (struct xpd_str at = id; at.size > 0; at = above(at)) {
        struct xpd_str end = end_from(id, last_part(at));
        if (xpd_map64_get(&names->end, end_key(id, last_part(at))) == 1)
            return xpd_arena_strndup(arena, end.data, end.size);
    }
    return text; /* the end of a longer path: "run" beside "a/run" */
}

static bool put_labels(struct xpd_catalog *catalog)
{
    struct names names = {0};
    bool fine = true;
    for (uint32_t i = 0; i < catalog->run_count; i++)
        count_parts(&names, catalog->run[i].id);
    for (uint32_t i = 0; i < catalog->run_count; i++) {
        struct xpd_run_entry *run = &catalog->run[i];
        run->label = label_of(&names, run->id, &catalog->arena);
        fine &= run->label != NULL;
    }
    fine &= !names.part.failed && !names.end.failed;
    xpd_map64_fini(&names.part);
    xpd_map64_fini(&names.end);
    return fine;
}

/* ---- experiments ---- */

struct place { /* a folder with profiles somewhere below */
    const struct xpd_run_entry *newest;
    bool one_folder; /* all are in one folder, so they are one program's logdir */
};

struct places {
    struct xpd_map64 of; /* hash of the folder to an index */
    XPD_VEC(struct place) place;
};

static void add_profile(struct places *places, const struct xpd_run_entry *run)
{
    struct xpd_str at = xpd_str_of(run->id);
    for (bool out = true; at.size > 0 && out;) {
        at = above(at);
        out = !is_border(at);
        uint64_t key = xpd_hash(at.data, at.size);
        uint32_t known = xpd_map64_get(&places->of, key);
        if (known == XPD_NO_INDEX) {
            xpd_map64_put(&places->of, key, (uint32_t)places->place.count);
            XPD_PUSH(&places->place, ((struct place){run, true}));
            continue;
        }
        struct place *place = &places->place.at[known];
        place->one_folder &= strcmp(place->newest->folder, run->folder) == 0;
        if (run->mtime_ms > place->newest->mtime_ms)
            place->newest = run;
    }
}

/* The nearest folder around a dump with profiles decides, unless it has several logdirs.
 */
static const char *profile_beside(const struct places *places, const struct xpd_run_entry *dump)
{
    for (struct xpd_str at = xpd_str_of(dump->id);; at = above(at)) {
        uint32_t known = xpd_map64_get(&places->of, xpd_hash(at.data, at.size));
        if (known != XPD_NO_INDEX)
            return places->place.at[known].one_folder ? places->place.at[known].newest->id : NULL;
        if (at.size == 0 || is_border(at))
            return NULL;
    }
}

/* Without a profile: the dump in whose folder it lies. */
static const char *dump_around(const struct xpd_catalog *catalog, const struct xpd_map64 *dumps,
                               const struct xpd_run_entry *dump)
{
    for (struct xpd_str at = above(xpd_str_of(dump->id)); at.size > 0; at = above(at)) {
        uint32_t known = xpd_map64_get(dumps, xpd_hash(at.data, at.size));
        if (known != XPD_NO_INDEX)
            return catalog->run[known].lead ? catalog->run[known].lead : catalog->run[known].id;
    }
    return NULL;
}

static bool put_leads(struct xpd_catalog *catalog)
{
    struct places places = {0};
    struct xpd_map64 dumps = {0};
    for (uint32_t i = 0; i < catalog->run_count; i++)
        if (catalog->run[i].kind == XPD_RUN_PROFILE)
            add_profile(&places, &catalog->run[i]);
    /* Backwards, because ids are in descending order, so outer folders come first. */
    for (uint32_t i = catalog->run_count; i-- > 0 && !places.place.failed;) {
        struct xpd_run_entry *run = &catalog->run[i];
        if (run->kind != XPD_RUN_DUMP)
            continue;
        run->lead = profile_beside(&places, run);
        if (!run->lead)
            run->lead = dump_around(catalog, &dumps, run);
        xpd_map64_put(&dumps, xpd_hash(run->id, strlen(run->id)), i);
    }
    bool fine = !places.of.failed && !places.place.failed && !dumps.failed;
    xpd_map64_fini(&places.of);
    xpd_map64_fini(&dumps);
    XPD_VEC_FINI(&places.place);
    return fine;
}

/* The fingerprints of an experiment added up, first at the run that leads it. */
static bool put_kin(struct xpd_catalog *catalog)
{
    struct xpd_map64 index = {0};
    for (uint32_t i = 0; i < catalog->run_count; i++)
        xpd_map64_put(&index, xpd_hash(catalog->run[i].id, strlen(catalog->run[i].id)), i);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < catalog->run_count; i++) {
            struct xpd_run_entry *run = &catalog->run[i];
            const char *id = run->lead ? run->lead : run->id;
            uint32_t head = xpd_map64_get(&index, xpd_hash(id, strlen(id)));
            if (head < catalog->run_count && pass == 0)
                catalog->run[head].kin_fingerprint += run->fingerprint;
            else if (head < catalog->run_count)
                run->kin_fingerprint = catalog->run[head].kin_fingerprint;
        }
    bool fine = !index.failed;
    xpd_map64_fini(&index);
    return fine;
}

bool xpd_name_runs(struct xpd_catalog *catalog)
{
    return put_labels(catalog) && put_leads(catalog) && put_kin(catalog);
}
