/* Processes, rows, names: which lines make which row, in which order, with which caption. Expected
 * values follow by hand from what is written here. */
#include "core_space.h"
#include "derive_space.h"
#include "tempfile.h"
#include "xspace_hlo.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct core_event one[] = {{1000, 500, 1}};

static void order_and_kinds(void **state)
{
    static const char *const plane_name[] = {"/host:CPU",
                                             "#Chip HBM",
                                             "/device:CUSTOM:MOSAIC:x",
                                             "/device:TPU:10",
                                             "/device:TPU:2 SparseCore 1",
                                             "/device:TPU:2",
                                             "/device:GPU:0"};
    static const char *const expected[] = {
        "/device:TPU:2", "/device:TPU:10",          "/device:TPU:2 SparseCore 1",
        "/device:GPU:0", "/device:CUSTOM:MOSAIC:x", "/host:CPU",
        "#Chip HBM"};
    static const enum xpd_process_kind kind[] = {
        XPD_PROCESS_TPU,    XPD_PROCESS_TPU,  XPD_PROCESS_SPARSE_CORE, XPD_PROCESS_GPU,
        XPD_PROCESS_CUSTOM, XPD_PROCESS_HOST, XPD_PROCESS_OTHER};
    static const int64_t device[] = {2, 10, 2, 0, -1, -1, -1};
    struct pbw w = {0};
    (void)state;
    for (int i = 0; i < 7; i++) {
        size_t plane = core_plane(&w, plane_name[i]);
        core_line(&w, 9, "Overlay", one, 1);
        core_line(&w, 7, "empty", NULL, 0);
        core_line(&w, 4, "Async XLA Ops", one, 1);
        core_line(&w, 30, "XLA Ops", one, 1);
        core_line(&w, 2, "XLA Modules", one, 1);
        core_line(&w, 50, "Steps", one, 1);
        core_names(&w, 1);
        pbw_end(&w, plane);
    }
    struct core_trace core = core_load(w.data, w.len, 2);
    const struct xpd_trace *trace = core.trace;
    core_check(trace);
    assert_int_equal(trace->process_count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_string_equal(core_text(trace, trace->process[i].name), expected[i]);
        assert_int_equal(trace->process[i].kind, kind[i]);
        assert_int_equal(trace->process[i].device, device[i]);
        assert_int_equal(trace->process[i].row_count, 5);
    }
    static const enum xpd_row_kind device_rows[] = {XPD_ROW_STEPS, XPD_ROW_MODULES, XPD_ROW_OPS,
                                                    XPD_ROW_ASYNC_OPS, XPD_ROW_LINE};
    static const int64_t host_ids[] = {2, 4, 9, 30, 50};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(trace->row[trace->process[0].first_row + i].kind, device_rows[i]);
        const struct xpd_trace_row *host = &trace->row[trace->process[5].first_row + i];
        assert_int_equal(host->kind, XPD_ROW_LINE);
        assert_int_equal(host->id, host_ids[i]);
    }
    core_free(&core);
    pbw_free(&w);
}

/* Lines of one display id, also of two planes of one name, are one row; the last caption wins. */
static void merged_lines(void **state)
{
    static const struct core_event a[] = {{100, 50, 1}, {300, 50, 2}};
    static const struct core_event b[] = {{0, 60, 1}, {200, 50, 2}, {400, 10, 1}};
    struct pbw w = {0};
    (void)state;
    size_t plane = core_plane(&w, "/host:CPU"), line;
    core_line(&w, 5, "first", a, 2);
    line = pbw_begin(&w, 3);
    pbw_int(&w, 1, 77);
    pbw_int(&w, 10, 5);
    pbw_str(&w, 2, "second");
    pbw_str(&w, 11, "shown");
    size_t event = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 2);
    pbw_uint(&w, 2, 350);
    pbw_uint(&w, 3, 5);
    pbw_end(&w, event);
    pbw_end(&w, line);
    core_names(&w, 2);
    pbw_end(&w, plane);
    plane = core_plane(&w, "/host:CPU");
    core_name(&w, 4, 1, "other");
    core_line(&w, 5, "third", b, 3);
    core_name(&w, 4, 2, "table");
    pbw_end(&w, plane);

    struct core_trace core = core_load(w.data, w.len, 1);
    const struct xpd_trace *trace = core.trace;
    core_check(trace);
    assert_int_equal(trace->process_count, 1);
    assert_int_equal(trace->row_count, 1);
    assert_string_equal(core_text(trace, trace->row[0].caption), "third");
    assert_int_equal(trace->row[0].depth_count, 1);
    assert_int_equal(trace->row[0].busy_ps, 60 + 50 + 50 + 50 + 5 + 10);
    static const int64_t start[] = {0, 100, 200, 300, 350, 400};
    static const char *const caption[] = {"other", "op1", "table", "op2", "op2", "other"};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(trace->depth[0].start_ps[i], start[i]);
        assert_string_equal(core_text(trace, trace->name[trace->depth[0].name[i]].caption),
                            caption[i]);
    }
    core_free(&core);
    pbw_free(&w);
}

static void internal_events(void **state)
{
    static const struct core_event events[] = {{0, 100, 1}, {10, 0, 2}, {20, 5, 1}, {30, 0, 2}};
    struct pbw w = {0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        size_t plane = core_plane(&w, i == 0 ? "/host:CPU" : "/device:TPU:0");
        core_line(&w, 5, "thread", events, 4);
        core_line(&w, 6, "only", events + 1, 1);
        core_name(&w, 4, 1, "work");
        core_name(&w, 4, 2, "MemoryAllocation");
        pbw_end(&w, plane);
    }
    struct core_trace core = core_load(w.data, w.len, 1);
    const struct xpd_trace *trace = core.trace;
    core_check(trace);
    assert_int_equal(trace->event_count, 10);
    assert_int_equal(trace->hidden_count, 3); /* on devices nothing is internal */
    const struct xpd_trace_row *row = core_row(trace, "thread", XPD_ROW_INTERNAL);
    assert_non_null(row);
    assert_int_equal(row->event_count, 2);
    assert_int_equal(row->id, 5);
    assert_ptr_equal(&row[-1], &trace->row[trace->process[1].first_row]);
    assert_int_equal(row[-1].event_count, 2);
    assert_int_equal(row[-1].depth_count, 2);
    assert_int_equal(core_row(trace, "only", XPD_ROW_INTERNAL)->event_count, 1);
    assert_int_equal(trace->process[1].row_count, 3);
    core_free(&core);
    pbw_free(&w);
}

#define BEGINS(n) ((const struct dstat[]){{"device_offset_ps", n, NULL}, {0}})

/* When events began by the device's clock: beside each event of a row of work, whatever its order
 * in the file and its depth; of a row only where all of them say it. */
static void device_starts(void **state)
{
    (void)state;
    static const int64_t at[][2] = {{500, 10}, {0, 1000}, {100, 50}, {200, 50}, {1000, 5}};
    struct dspace d = {0};
    for (int64_t chip = 0; chip < 3; chip++) {
        static const char *const name[] = {"/device:TPU:0", "/device:TPU:1", "/device:TPU:2"};
        dspace_plane(&d, name[chip], 1 + chip);
        uint32_t op = dspace_name(&d, "%a.1 = f32[] add()", "", NO_STATS);
        dspace_line(&d, "XLA Ops", 3);
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            int64_t begins = at[i][0] * 3 + 77;
            bool lacks = chip == 1 && i == 2;
            begins = chip == 2 && i == 4 ? INT64_MAX / 2 + 1 : begins;
            dspace_event(&d, op, at[i][0], at[i][1], lacks ? NO_STATS : BEGINS(begins));
        }
        dspace_line(&d, "Steps", 4);
        dspace_event(&d, op, 0, 10, BEGINS(1));
    }
    dspace_load(&d);
    const struct xpd_trace *trace = d.trace;
    for (uint32_t r = 0; r < trace->row_count; r++)
        for (uint32_t k = 0; k < trace->row[r].depth_count; k++) {
            const struct xpd_depth *depth = &trace->depth[trace->row[r].first_depth + k];
            bool all = trace->row[r].kind == XPD_ROW_OPS && trace->row[r].process == 0;
            assert_int_equal(xpd_depth_has_device_starts(depth), all);
            for (uint32_t i = 0; all && i < depth->count; i++)
                assert_int_equal(xpd_depth_device_start(depth, i),
                                 xpd_depth_start(depth, i) * 3 + 77);
        }
    assert_int_equal(trace->row[trace->process[0].first_row + 1].depth_count, 2);
    dspace_free(&d);
}

static void put_sample(struct pbw *w, uint64_t metadata, uint64_t at, uint64_t value)
{
    size_t event = pbw_begin(w, 4);
    pbw_uint(w, 1, metadata);
    pbw_uint(w, 2, at);
    core_stat(w, 1, 3, value);
    pbw_end(w, event);
}

static void counters(void **state)
{
    struct pbw w = {0};
    (void)state;
    size_t plane = core_plane(&w, "/host:CPU"), line = pbw_begin(&w, 3), event;
    pbw_int(&w, 1, 8);
    pbw_str(&w, 2, "_counters_");
    put_sample(&w, 2, 3000000, 7);
    put_sample(&w, 1, 1000000, 100);
    put_sample(&w, 1, 2000000, 120);
    event = pbw_begin(&w, 4); /* a double */
    pbw_uint(&w, 1, 2);
    pbw_uint(&w, 2, 1000000);
    size_t stat = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 1);
    pbw_raw(&w, "\x11\0\0\0\0\0\0\xf8\x3f", 9);
    pbw_end(&w, stat);
    pbw_end(&w, event);
    pbw_end(&w, line);
    core_line(&w, 8, "counters_ are a thread here", one, 1);
    core_name(&w, 4, 1, "c");
    core_name(&w, 4, 2, "d");
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    const struct xpd_trace *trace = core.trace;
    core_check(trace);
    assert_int_equal(trace->row_count, 3);
    const struct xpd_trace_row *c = core_row(trace, "c", XPD_ROW_COUNTER);
    const struct xpd_trace_row *d = core_row(trace, "d", XPD_ROW_COUNTER);
    assert_non_null(c);
    assert_non_null(d);
    assert_int_equal(c->event_count, 2);
    assert_true(trace->depth[c->first_depth].value[0] == 100);
    assert_true(trace->depth[c->first_depth].value[1] == 120);
    assert_true(trace->depth[d->first_depth].value[0] == 1.5);
    assert_true(trace->depth[d->first_depth].value[1] == 7);
    assert_int_equal(trace->depth[d->first_depth].start_ps[1], 3000000);
    core_free(&core);
    pbw_free(&w);
}

/* A sample that names no number has none: it is not zero. */
static void samples_without_a_number(void **state)
{
    (void)state;
    static const struct dstat number[] = {{"v", 5, NULL}, {0}}, word[] = {{"v", 0, "n/a"}, {0}};
    struct dspace d = {0};
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t name = dspace_name(&d, "queue", "", NO_STATS);
    dspace_line(&d, "_counters_", 8);
    dspace_event(&d, name, 0, 0, number);
    dspace_event(&d, name, 100, 0, word);
    dspace_event(&d, name, 200, 0, NO_STATS);
    dspace_load(&d);
    const struct xpd_trace_row *row = core_row(d.trace, "queue", XPD_ROW_COUNTER);
    assert_non_null(row);
    const double *value = d.trace->depth[row->first_depth].value;
    assert_true(value[0] == 5);
    assert_true(isnan(value[1]) && isnan(value[2]));
    assert_non_null(core_warning(d.trace, "samples_without_numbers"));
    dspace_free(&d);
}

/* A sample is an instant on the host's clock, whatever its event says it took: its device time
 * would be less than nothing. */
static void samples_take_no_time(void **state)
{
    struct pbw w = {0};
    (void)state;
    size_t plane = core_plane(&w, "/device:TPU:0"), line = pbw_begin(&w, 3);
    pbw_int(&w, 1, 8);
    pbw_str(&w, 2, "_counters_");
    static const uint64_t device_ps[] = {5, UINT64_C(1) << 37};
    for (size_t i = 0; i < 2; i++) {
        size_t event = pbw_begin(&w, 4);
        pbw_uint(&w, 1, 1);
        pbw_uint(&w, 2, 1000 * (i + 1));
        pbw_uint(&w, 3, 14);
        core_stat(&w, 2, 3, device_ps[i]);
        pbw_end(&w, event);
    }
    pbw_end(&w, line);
    core_name(&w, 4, 1, "c");
    core_name(&w, 5, 2, "device_duration_ps");
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    const struct xpd_trace_row *c = core_row(core.trace, "c", XPD_ROW_COUNTER);
    assert_non_null(c);
    assert_int_equal(c->event_count, 2);
    assert_false(c->has_device_clock);
    const struct xpd_depth *depth = &core.trace->depth[c->first_depth];
    for (uint32_t i = 0; i < depth->count; i++) {
        assert_int_equal(depth->duration_ps[i], 0);
        assert_int_equal(xpd_trace_device_ps(core.trace, depth, i), -1);
    }
    core_free(&core);
    pbw_free(&w);
}

/* Captions: step_name of the event, else display name, else name; facts from the metadata. */
static void names_and_facts(void **state)
{
    struct pbw w = {0};
    (void)state;
    size_t plane = core_plane(&w, "/device:TPU:0"), line = pbw_begin(&w, 3), event, entry, body;
    pbw_int(&w, 1, 3);
    pbw_str(&w, 2, "XLA Ops");
    event = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 1);
    pbw_uint(&w, 3, 50);
    pbw_end(&w, event);
    for (int i = 0; i < 2; i++) {
        event = pbw_begin(&w, 4);
        pbw_uint(&w, 1, 1);
        pbw_uint(&w, 2, 100 + 100 * (uint64_t)i);
        if (i == 1) /* twice in one event: the last counts */
            core_stat_text(&w, 8, "train 2");
        core_stat_text(&w, 8, "train 3");
        pbw_end(&w, event);
    }
    event = pbw_begin(&w, 4); /* names nothing */
    pbw_uint(&w, 1, 55);
    pbw_uint(&w, 2, 400);
    pbw_end(&w, event);
    pbw_end(&w, line);
    entry = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 1);
    body = pbw_begin(&w, 2);
    pbw_str(&w, 2, "%all-reduce.7 = f32[] all-reduce()");
    pbw_str(&w, 4, "all-reduce.7");
    size_t stat = pbw_begin(&w, 5);
    pbw_uint(&w, 1, 10);
    pbw_uint(&w, 7, 11);
    pbw_end(&w, stat);
    stat = pbw_begin(&w, 5);
    pbw_uint(&w, 1, 12);
    pbw_uint(&w, 3, 1234);
    pbw_end(&w, stat);
    stat = pbw_begin(&w, 5);
    pbw_uint(&w, 1, 13);
    pbw_str(&w, 5, "jit(f)/add:");
    pbw_end(&w, stat);
    pbw_end(&w, body);
    pbw_end(&w, entry);
    core_name(&w, 5, 8, "step_name");
    core_name(&w, 5, 10, "hlo_category");
    core_name(&w, 5, 11, "all-reduce fusion");
    core_name(&w, 5, 12, "flops");
    core_name(&w, 5, 13, "tf_op");
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    const struct xpd_trace *trace = core.trace;
    core_check(trace);
    const struct xpd_depth *depth = &trace->depth[0];
    const struct xpd_event_name *name = &trace->name[depth->name[0]];
    assert_string_equal(core_text(trace, name->caption), "all-reduce.7");
    assert_string_equal(core_text(trace, name->name), "%all-reduce.7 = f32[] all-reduce()");
    assert_string_equal(core_text(trace, name->category), "all-reduce fusion");
    assert_string_equal(core_text(trace, name->tf_op), "jit(f)/add:");
    assert_int_equal(name->flops, 1234);
    assert_int_equal(name->bytes, -1);
    assert_int_equal(name->group, XPD_OP_COLLECTIVE);
    assert_int_equal(depth->name[1], depth->name[2]);
    name = &trace->name[depth->name[1]];
    assert_string_equal(core_text(trace, name->caption), "train 3");
    assert_string_equal(core_text(trace, name->name), "%all-reduce.7 = f32[] all-reduce()");
    assert_int_equal(name->metadata, trace->name[depth->name[0]].metadata);
    name = &trace->name[depth->name[3]];
    assert_int_equal(name->metadata, XPD_NO_METADATA);
    assert_string_equal(core_text(trace, name->caption), "");
    assert_int_equal(core_warning(trace, "unknown_events")->count, 1);
    struct xpd_arena scratch = {0};
    struct xpd_stat_value *value;
    uint32_t count, shared;
    assert_int_equal(xpd_trace_stats(trace, 1, &scratch, &value, &count, &shared, NULL), XPD_OK);
    assert_int_equal(count, 4);
    assert_int_equal(shared, 3);
    assert_string_equal(value[3].text.data, "train 3");
    assert_int_equal(xpd_trace_stats(trace, 4, &scratch, &value, &count, &shared, NULL),
                     XPD_ENOTFOUND);
    xpd_arena_fini(&scratch);
    core_free(&core);
    pbw_free(&w);
}

/* Lines with unix times, as in files that were not normalised. */
static void unix_times(void **state)
{
    struct pbw w = {0};
    (void)state;
    size_t plane = core_plane(&w, "/host:CPU");
    for (int i = 0; i < 2; i++) {
        size_t line = pbw_begin(&w, 3);
        pbw_int(&w, 1, 5 + i);
        pbw_int(&w, 3, INT64_C(1741722099081044120) + 1000 * i);
        size_t event = pbw_begin(&w, 4);
        pbw_uint(&w, 2, 70);
        pbw_uint(&w, 3, 10);
        pbw_end(&w, event);
        pbw_end(&w, line);
    }
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    assert_int_equal(core.trace->origin_ns, INT64_C(1741722099081044120));
    assert_int_equal(core.trace->first_ps, 70);
    assert_int_equal(core.trace->end_ps, 1000080);
    assert_non_null(core_warning(core.trace, "unix_times"));
    core_free(&core);
    pbw_free(&w);
}

/* Counts and bounds of the real TPU v6e profile. */
static void real_profile(void **state)
{
    static const struct {
        const char *process, *row;
        uint64_t events;
    } expected[] = {{"/device:TPU:0", "XLA Modules", 105},
                    {"/device:TPU:0", "XLA Ops", 1504},
                    {"/device:TPU:0", "Async XLA Ops", 600},
                    {"/device:TPU:0", "XLA TraceMe", 108},
                    {"/device:TPU:3", "XLA Modules", 103}};
    char path[512];
    (void)state;
    if (!shared_xplane("tpu-v6e-offload", path, sizeof path))
        skip();
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct core_trace core = core_load_file(path, threads);
        const struct xpd_trace *trace = core.trace;
        core_check(trace);
        assert_int_equal(trace->event_count, 18364 + 906 + 2317 + 3 * 1712);
        assert_int_equal(trace->hidden_count, 906);
        assert_int_equal(trace->first_ps, INT64_C(482851900000));
        assert_int_equal(trace->end_ps, INT64_C(98102478363000));
        assert_int_equal(trace->profile_start_ns, INT64_C(1741722099081044120));
        assert_int_equal(trace->process_count, 5);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            for (uint32_t p = 0; p < trace->process_count; p++) {
                const struct xpd_trace_process *process = &trace->process[p];
                if (strcmp(core_text(trace, process->name), expected[i].process) != 0)
                    continue;
                for (uint32_t r = 0; r < process->row_count; r++) {
                    const struct xpd_trace_row *row = &trace->row[process->first_row + r];
                    if (strcmp(core_text(trace, row->caption), expected[i].row) == 0)
                        assert_int_equal(row->event_count, expected[i].events);
                }
            }
        core_free(&core);
    }
}

/* Beyond 4 GiB: 5 GiB of an unknown field (a hole in the file) stand between two lines. */
static void far_in_a_large_file(void **state)
{
    static const uint64_t hole = UINT64_C(5) << 30;
    struct pbw before = {0}, after = {0}, head = {0};
    (void)state;
    pbw_str(&before, 2, "/device:TPU:0");
    core_line(&before, 2, "XLA Modules", one, 1);
    pbw_raw(&before, "\x7a\x80\x80\x80\x80\x14", 6); /* field 15, 5 GiB */
    size_t line = pbw_begin(&after, 3);
    pbw_int(&after, 1, 3);
    pbw_str(&after, 2, "XLA Ops");
    for (int i = 0; i < 3; i++) {
        size_t event = pbw_begin(&after, 4);
        pbw_uint(&after, 1, 1);
        pbw_uint(&after, 2, 100 - 10 * (uint64_t)i); /* backwards: they are sorted with it */
        core_stat(&after, 4, 3, (uint64_t)i);
        pbw_end(&after, event);
    }
    pbw_end(&after, line);
    core_names(&after, 1);
    core_name(&after, 5, 4, "n");
    uint64_t size = before.len + hole + after.len;
    pbw_raw(&head, "\x0a", 1);
    for (; size >= 0x80; size >>= 7)
        pbw_raw(&head, &(uint8_t){(uint8_t)(size | 0x80)}, 1);
    pbw_raw(&head, &(uint8_t){(uint8_t)size}, 1);
    pbw_raw(&head, before.data, before.len);
    char *path = temp_file(head.data, head.len, ".xplane.pb");
    temp_write_at(path, head.len + hole, after.data, after.len);

    struct core_trace core = core_load_file(path, 1);
    const struct xpd_trace *trace = core.trace;
    core_check(trace);
    assert_int_equal(trace->event_count, 4);
    const struct xpd_trace_row *row = core_row(trace, "XLA Ops", XPD_ROW_OPS);
    assert_non_null(row);
    const struct xpd_depth *depth = &trace->depth[row->first_depth];
    struct xpd_arena scratch = {0};
    for (uint32_t i = 0; i < 3; i++) {
        struct xpd_stat_value *value;
        uint32_t count, shared;
        assert_true(xpd_depth_where(depth, i) > hole);
        assert_int_equal(
            xpd_trace_stats(trace, depth->first_event + i, &scratch, &value, &count, &shared, NULL),
            XPD_OK);
        assert_int_equal(count, 1);
        assert_int_equal(value[0].integer, 2 - (int)i);
    }
    xpd_arena_fini(&scratch);
    core_free(&core);
    temp_remove(path);
    pbw_free(&before);
    pbw_free(&after);
    pbw_free(&head);
}

static void groups(void **state)
{
    static const struct {
        const char *category, *caption;
        bool device;
        enum xpd_op_group group;
        bool wait;
    } expected[] = {
        {"loop fusion", "fusion.3", true, XPD_OP_ELEMENTWISE, false},
        {"convolution fusion", "fusion.4", true, XPD_OP_MATMUL, false},
        {"all-reduce fusion", "fusion", true, XPD_OP_COLLECTIVE, false},
        {"copy-done", "copy-done.12", true, XPD_OP_MOVE, true},
        {"data formatting", "reshape.1", true, XPD_OP_MOVE, false},
        {"host send", "send.1", true, XPD_OP_HOST, false},
        {"reduce", "reduce.1", true, XPD_OP_REDUCE, false},
        {"reduce-scatter", "reduce-scatter.1", true, XPD_OP_COLLECTIVE, false},
        {"custom-call", "custom-call.1", true, XPD_OP_CUSTOM, false},
        {"while", "while.2", true, XPD_OP_CONTROL, false},
        {"", "dependency-wait", true, XPD_OP_NONE, true},
        {"", "barrier-cores", true, XPD_OP_CONTROL, true},
        {"", "jit_step(123)", true, XPD_OP_NONE, false},
        {"", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", true, XPD_OP_MATMUL, false},
        {"", "void cutlass::Kernel<cutlass_80_tensorop_s16816gemm>()", true, XPD_OP_MATMUL, false},
        {"", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT", true, XPD_OP_MATMUL, false},
        {"", "Cijk_Ailk_Bljk_BBS_BH_MT128x128x64", true, XPD_OP_MATMUL, false},
        {"custom-call", "cublas-gemm.2", true, XPD_OP_MATMUL, false},
        {"custom-call", "cudnn-conv.1", true, XPD_OP_MATMUL, false},
        {"custom fusion", "gemm_fusion.1", true, XPD_OP_MATMUL, false},
        {"loop fusion", "gemm_like_fusion", true, XPD_OP_ELEMENTWISE, false},
        {"", "cublasGemmEx", false, XPD_OP_HOST, false},
        {"", "dot.4", false, XPD_OP_MATMUL, false},
        {"", "PjitFunction(add)", false, XPD_OP_HOST, false},
        {"", "BlockUntilReady", false, XPD_OP_HOST, true},
        {"", "ThreadPool::WaitForWork", false, XPD_OP_HOST, true},
        {"", "traitor", false, XPD_OP_HOST, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct xpd_str caption = xpd_str_of(expected[i].caption);
        enum xpd_op_group group =
            xpd_trace_group(xpd_str_of(expected[i].category), caption, expected[i].device);
        if (group != expected[i].group ||
            xpd_trace_is_wait(caption, expected[i].device) != expected[i].wait)
            fail_msg("%s: %s, %d", expected[i].caption, xpd_op_group_word(group),
                     xpd_trace_is_wait(caption, expected[i].device));
    }
    assert_true(xpd_trace_is_feed(XPD_STR("outfeed.2"), XPD_OP_HOST));
    assert_true(xpd_trace_is_feed(XPD_STR("recv-done.2"), XPD_OP_HOST));
    assert_false(xpd_trace_is_feed(XPD_STR("recv-done.2"), XPD_OP_COLLECTIVE));
    assert_false(xpd_trace_is_feed(XPD_STR("send-buffer.2"), XPD_OP_HOST));
    assert_true(xpd_trace_is_half(XPD_STR("copy-start.3")));
    assert_true(xpd_trace_is_half(XPD_STR("all-reduce-done")));
    assert_false(xpd_trace_is_half(XPD_STR("copy.3")));
    assert_false(xpd_trace_is_half(XPD_STR("restart")));
    assert_false(xpd_trace_is_half(XPD_STR("Step is almost-done")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_and_kinds),
        cmocka_unit_test(merged_lines),
        cmocka_unit_test(internal_events),
        cmocka_unit_test(device_starts),
        cmocka_unit_test(counters),
        cmocka_unit_test(samples_without_a_number),
        cmocka_unit_test(samples_take_no_time),
        cmocka_unit_test(names_and_facts),
        cmocka_unit_test(unix_times),
        cmocka_unit_test(far_in_a_large_file),
        cmocka_unit_test(real_profile),
        cmocka_unit_test(groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
