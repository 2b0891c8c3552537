/* The number of executions of each program without a line "XLA Modules": CPUs, and GPUs as traced.
 *
 * In: the planes of the file and its programs. Out: run_count of each program, and whether it is
 * exact. A CPU's events carry program_id, run_id and device_ordinal: each pair of device and run
 * counts once. The GPU runtime opens one host event "<module>:XLA GPU module" for each execution on
 * a device; its kernels name their program and no run. Programs with such kernels only did run, but
 * the number is unknown. Only files without "XLA Modules" are read here, after everything else. */
#include "decode.h"
#include "plane.h"
#include "xprofd/profile/event_read.h"
#include <inttypes.h>
#include <string.h>

/* The stats that identify a run. */
enum { XPD_RUN_PROGRAM, XPD_RUN_ID, XPD_RUN_DEVICE, XPD_RUN_MODULE, XPD_RUN_STATS };

#define XPD_RUN_SHARED (XPD_NO_INDEX - 1) /* several programs have that name */

struct xpd_run_seen { /* of one program */
    uint64_t pairs, launches;
    bool kernels; /* an event of it without a run */
};

struct xpd_run_event { /* stats of one event */
    uint64_t metadata_id, value[XPD_RUN_STATS];
    bool has[XPD_RUN_STATS];
};

struct xpd_run_scan {
    struct xpd_reader *reader;
    struct xpd_run_seen *seen; /* by index in reader->hlo */
    struct xpd_map64 of_name;  /* name of a module -> index; XPD_RUN_SHARED when several have it */
    struct xpd_map64 pair_set; /* hashes of program, device and run */
    struct xpd_map64 runs, known_runs; /* run ids: all, those of a known program */
    bool any_launch, gave_up;
    uint64_t bytes_left;
    /* of the plane being read */
    uint64_t plane_id;
    struct xpd_stat_ids ids;
    struct xpd_event_said said;
    struct xpd_run_event
        last; /* events of a run are consecutive: the last one is not looked up again */
    struct xpd_map64 module_text; /* stat metadata id, a text that names a module -> index */
    struct xpd_map64 launch;      /* event metadata id -> index */
};

/* Facts about runs of programs from a plane's tables: the stats that identify runs, texts that name
 * a program, events that launch one. */

static const char launch_end[] = ":XLA GPU module";

/* scan->of_name, of all programs. */
static void xpd_run_index_names(struct xpd_run_scan *scan)
{
    struct xpd_reader *reader = scan->reader;
    for (size_t i = 0; i < reader->hlo.count; i++) {
        uint64_t name = reader->hlo.at[i].name;
        bool first = xpd_map64_get(&scan->of_name, name) == XPD_NO_INDEX;
        xpd_map64_put(&scan->of_name, name, first ? (uint32_t)i : XPD_RUN_SHARED);
    }
}

/* Index of the module called `text`, XPD_RUN_SHARED, or XPD_NO_INDEX. */
static uint32_t module_named(const struct xpd_run_scan *scan, struct xpd_str text)
{
    xpd_name_id name = xpd_intern_find(&scan->reader->space->names, text);
    return name == XPD_NO_NAME ? XPD_NO_INDEX : xpd_map64_get(&scan->of_name, name);
}

static bool peek_name(struct xpd_run_scan *scan, const struct xpd_metadata *entry,
                      struct xpd_str *name)
{
    const uint8_t *bytes;
    if (entry->name.size == 0 || entry->name.size > 4096 ||
        xpd_window_peek(&scan->reader->window, entry->name.offset, (size_t)entry->name.size, &bytes,
                        NULL) != XPD_OK)
        return false;
    *name = (struct xpd_str){(const char *)bytes, (size_t)entry->name.size};
    return true;
}

static int find_stats(struct xpd_run_scan *scan, struct xpd_wire_range range, struct xpd_err *err)
{
    static const char *const name[XPD_RUN_STATS] = {"program_id", "run_id", "device_ordinal",
                                                    "hlo_module"};
    struct xpd_metadata_region region = {range.offset, xpd_range_end(range)};
    struct xpd_metadata entry;
    struct xpd_str text;
    enum xpd_walk step;
    scan->ids = (struct xpd_stat_ids){0};
    while ((step = xpd_metadata_next(scan->reader, &region, XPD_STAT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        if (!peek_name(scan, &entry, &text))
            continue;
        for (uint32_t i = 0; i < XPD_RUN_STATS; i++)
            if (xpd_str_eq(text, xpd_str_of(name[i])))
                xpd_stat_ids_want(&scan->ids, i, entry.id);
        uint32_t module = module_named(scan, text);
        if (module < scan->reader->hlo.count)
            xpd_map64_put(&scan->module_text, entry.id, module);
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

static int find_launches(struct xpd_run_scan *scan, struct xpd_wire_range range,
                         struct xpd_err *err)
{
    struct xpd_metadata_region region = {range.offset, xpd_range_end(range)};
    struct xpd_metadata entry;
    struct xpd_str text;
    enum xpd_walk step;
    while ((step = xpd_metadata_next(scan->reader, &region, XPD_EVENT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        if (!peek_name(scan, &entry, &text) || !xpd_str_ends(text, launch_end))
            continue;
        text.size -= sizeof launch_end - 1;
        uint32_t module = module_named(scan, text);
        scan->any_launch = true;
        if (module < scan->reader->hlo.count)
            xpd_map64_put(&scan->launch, entry.id, module);
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

/* What `scan` knows of the plane being read, but for its id. */
static int xpd_run_read_names(struct xpd_run_scan *scan, struct xpd_wire_range plane,
                              struct xpd_err *err)
{
    xpd_map64_fini(&scan->module_text);
    xpd_map64_fini(&scan->launch);
    scan->module_text = scan->launch = (struct xpd_map64){0};
    int rc = find_stats(scan, plane, err);
    if (rc == XPD_OK)
        rc = find_launches(scan, plane, err);
    scan->last = (struct xpd_run_event){0};
    return rc;
}

#define SCAN_BYTES_MAX                                                                             \
    ((uint64_t)512 << 20)    /* of lines; 250 MB take 0.6 s (docs/PERFORMANCE.md)                  \
                              */
#define PAIRS_MAX (1u << 22) /* of program, device and run */

/* The stats of an event that identify a run. A module counts only if its name is a reference. */
static struct xpd_run_event read_event(struct xpd_run_scan *scan, const uint8_t *bytes, size_t size)
{
    struct xpd_run_event event = {0};
    xpd_event_read(&scan->ids, bytes, size, &scan->said);
    event.metadata_id = scan->said.metadata;
    for (uint32_t i = 0; i < XPD_RUN_STATS; i++)
        if (i != XPD_RUN_MODULE)
            event.has[i] = xpd_said_integer(&scan->said, i, &event.value[i]);
    const struct xpd_said *module = &scan->said.stat[XPD_RUN_MODULE];
    if ((scan->said.has >> XPD_RUN_MODULE & 1) && module->field == XPD_SAID_REF) {
        event.has[XPD_RUN_MODULE] = true;
        event.value[XPD_RUN_MODULE] = module->value;
    }
    return event;
}

/* ---- meaning of events ---- */

/* True when it was not there. */
static bool add_to(struct xpd_run_scan *scan, struct xpd_map64 *set, uint64_t key)
{
    if (xpd_map64_get(set, key) != XPD_NO_INDEX)
        return false;
    if (set->count >= PAIRS_MAX) {
        scan->gave_up = true;
        return false;
    }
    xpd_map64_put(set, key, 1);
    return true;
}

static bool same_stats(const struct xpd_run_event *a, const struct xpd_run_event *b)
{
    return memcmp(a->has, b->has, sizeof a->has) == 0 &&
           memcmp(a->value, b->value, sizeof a->value) == 0;
}

static void take_event(struct xpd_run_scan *scan, const struct xpd_run_event *event)
{
    uint32_t program = XPD_NO_INDEX;
    if (scan->launch.count != 0) {
        uint32_t launched = xpd_map64_get(&scan->launch, event->metadata_id);
        if (launched != XPD_NO_INDEX)
            scan->seen[launched].launches++;
    }
    if (same_stats(event, &scan->last))
        return; /* nothing below counts twice */
    scan->last = *event;
    if (event->has[XPD_RUN_PROGRAM])
        program = xpd_map64_get(&scan->reader->hlo_seen, event->value[XPD_RUN_PROGRAM]);
    else if (event->has[XPD_RUN_MODULE])
        program = xpd_map64_get(&scan->module_text, event->value[XPD_RUN_MODULE]);
    if (event->has[XPD_RUN_ID]) {
        add_to(scan, &scan->runs, event->value[XPD_RUN_ID]);
        if (event->has[XPD_RUN_PROGRAM] || event->has[XPD_RUN_MODULE])
            add_to(scan, &scan->known_runs, event->value[XPD_RUN_ID]);
    }
    if (program >= scan->reader->hlo.count)
        return;
    if (!event->has[XPD_RUN_ID]) {
        scan->seen[program].kernels = true;
        return;
    }
    uint64_t device = event->has[XPD_RUN_DEVICE] ? event->value[XPD_RUN_DEVICE] : scan->plane_id;
    uint64_t pair[3] = {program, device, event->value[XPD_RUN_ID]};
    scan->seen[program].pairs += add_to(scan, &scan->pair_set, xpd_hash(pair, sizeof pair));
}

/* Plain events from *at on as far as the window reaches; stops at anything else. */
static int scan_span(struct xpd_run_scan *scan, uint64_t *at, uint64_t end, struct xpd_err *err)
{
    struct xpd_reader *reader = scan->reader;
    const uint8_t *start;
    size_t size;
    int rc = xpd_walk_span(reader, *at, end, &start, &size, err);
    if (rc != XPD_OK)
        return rc;
    const uint8_t *p = start, *stop = start + size, *payload;
    size_t length;
    while ((payload = xpd_plain_event(p, stop, &length))) {
        struct xpd_run_event event = read_event(scan, payload, length);
        take_event(scan, &event);
        p = payload + length;
    }
    *at += (uint64_t)(p - start);
    /* the file was read up to its end before: what is told is that it goes on */
    return xpd_walk_progress(reader, reader->size, err);
}

static int scan_line(struct xpd_run_scan *scan, const struct xpd_line *line, struct xpd_err *err)
{
    struct xpd_reader *reader = scan->reader;
    struct xpd_walk_field field;
    uint64_t at = line->range.offset, end = xpd_range_end(line->range);
    enum xpd_walk step;
    if (line->range.size > scan->bytes_left) {
        scan->gave_up = true;
        return XPD_OK;
    }
    scan->bytes_left -= line->range.size;
    for (;;) {
        int rc = at < end && at < reader->size ? scan_span(scan, &at, end, err) : XPD_OK;
        if (rc != XPD_OK)
            return rc;
        step = xpd_walk_next(reader, &at, end, &field, err);
        if (step != XPD_WALK_FIELD)
            break;
        const uint8_t *bytes;
        if (field.number != 4 || field.type != LENGTH || field.payload.size == 0)
            continue;
        if (field.payload.size > XPD_WINDOW_BYTES) {
            scan->gave_up = true;
            continue;
        }
        rc = xpd_window_peek(&reader->window, field.payload.offset, (size_t)field.payload.size,
                             &bytes, err);
        if (rc != XPD_OK)
            return rc;
        struct xpd_run_event event = read_event(scan, bytes, (size_t)field.payload.size);
        take_event(scan, &event);
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

static int scan_plane(struct xpd_run_scan *scan, const struct xpd_plane *plane, struct xpd_err *err)
{
    scan->plane_id = (uint64_t)plane->id;
    int rc = xpd_run_read_names(scan, plane->range, err);
    bool anything = (scan->ids.known & (1u << XPD_RUN_PROGRAM | 1u << XPD_RUN_ID)) ||
                    scan->module_text.count != 0 || scan->launch.count != 0;
    for (uint32_t i = 0; i < plane->line_count && rc == XPD_OK && anything; i++)
        rc = scan_line(scan, &plane->line[i], err);
    return rc;
}

/* ---- conclusions ---- */

/* A program without events did not run, if every run is recorded with its program. */
static void settle(struct xpd_run_scan *scan)
{
    struct xpd_reader *reader = scan->reader;
    bool all_told = !scan->gave_up && scan->runs.count == scan->known_runs.count &&
                    (scan->any_launch || scan->runs.count != 0);
    uint32_t untold = 0;
    for (size_t i = 0; i < reader->hlo.count; i++) {
        struct xpd_hlo_ref *hlo = &reader->hlo.at[i];
        const struct xpd_run_seen *seen = &scan->seen[i];
        bool shared = xpd_map64_get(&scan->of_name, hlo->name) == XPD_RUN_SHARED;
        uint64_t count = seen->pairs ? seen->pairs : seen->launches;
        hlo->run_count = count ? count : seen->kernels;
        hlo->run_count_known =
            count ? !scan->gave_up : !seen->kernels && all_told && (!shared || !scan->any_launch);
        untold += hlo->run_count != 0 && !hlo->run_count_known;
    }
    if (scan->gave_up)
        xpd_warn(&reader->space->warnings, XPD_NOTE, "runs_not_counted", XPD_NO_OFFSET,
                 "How often programs ran is not counted in profiles with more than %" PRIu64
                 " MiB of events or %u runs.",
                 SCAN_BYTES_MAX >> 20, PAIRS_MAX);
    else if (untold != 0)
        xpd_warn(&reader->space->warnings, XPD_NOTE, "runs_not_told", XPD_NO_OFFSET,
                 "%u programs ran, and the trace does not show how often: their events name the "
                 "program but no run.",
                 untold);
}

int xpd_run_ids_count(struct xpd_reader *reader, const struct xpd_plane *plane, size_t plane_count,
                      struct xpd_err *err)
{
    if (reader->hlo.count == 0)
        return XPD_OK;
    struct xpd_run_scan scan = {.reader = reader, .bytes_left = SCAN_BYTES_MAX};
    scan.seen = calloc(reader->hlo.count, sizeof *scan.seen);
    xpd_run_index_names(&scan);
    int rc = XPD_OK;
    for (size_t i = 0; i < plane_count && rc == XPD_OK && scan.seen; i++) {
        struct xpd_str name = xpd_intern_get(&reader->space->names, plane[i].name);
        if (plane[i].event_count != 0 &&
            (xpd_str_starts(name, "/device:GPU:") || xpd_str_eq(name, XPD_STR("/host:CPU"))))
            rc = scan_plane(&scan, &plane[i], err);
    }
    if (rc == XPD_OK &&
        (!scan.seen || scan.of_name.failed || scan.pair_set.failed || scan.runs.failed ||
         scan.known_runs.failed || scan.module_text.failed || scan.launch.failed))
        rc = xpd_no_memory(err, xpd_source_name(reader->window.source), "to count program runs");
    if (rc == XPD_OK)
        settle(&scan);
    free(scan.seen);
    xpd_map64_fini(&scan.of_name);
    xpd_map64_fini(&scan.pair_set);
    xpd_map64_fini(&scan.runs);
    xpd_map64_fini(&scan.known_runs);
    xpd_map64_fini(&scan.module_text);
    xpd_map64_fini(&scan.launch);
    return rc;
}
