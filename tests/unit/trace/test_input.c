/* What a program waits for: classes of events, steps that add up, loaders, the verdict. */
#include "derive_space.h"

#include "xprofd/trace/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct dstat root[] = {{"_r", 1, NULL}, {"step_num", 7, NULL}, {0}};
static const struct dstat op[] = {{"hlo_op", 0, "dot.1"}, {"hlo_module", 0, "jit_f"}, {0}};

struct looked {
    struct dspace d;
    struct xpd_arena arena;
    struct xpd_input_run input;
    struct xpd_input_verdict verdict;
    const struct xpd_input_given *given;
    uint32_t given_count;
};

static uint32_t named(struct looked *l, const char *name)
{
    return dspace_name(&l->d, name, "", NO_STATS);
}

/* Every moment of every step is in one part; the devices' times add up to the step, too. */
static void assert_closes(const struct xpd_input_run *in)
{
    int64_t length_ps = 0;
    for (uint32_t s = 0; s < in->step_count; s++) {
        const struct xpd_input_step *step = &in->step[s];
        int64_t sum_ps = 0;
        for (int c = 0; c < XPD_INPUT_PARTS; c++) {
            assert_true(step->part_ps[c] >= 0);
            sum_ps += step->part_ps[c];
        }
        assert_int_equal(sum_ps, step->to_ps - step->from_ps);
        if (in->devices) {
            assert_true(step->idle_other_ps >= 0);
            assert_int_equal(step->busy_ps + step->idle_input_ps + step->idle_transfer_ps +
                                 step->idle_other_ps,
                             step->to_ps - step->from_ps);
        }
        length_ps += sum_ps;
    }
    assert_int_equal(length_ps, in->length_ps);
}

/* A step asked about alone is the same as among all, with what was found for them or without. */
static void assert_same_again(struct looked *l, struct xpd_input_ask ask)
{
    for (uint32_t s = 0; s < l->input.step_count; s++) {
        const struct xpd_step_numbers chosen = {l->input.step[s].number, l->input.step[s].number};
        struct xpd_input_run alone, again;
        ask.chosen = &chosen;
        ask.chosen_count = 1;
        ask.same = NULL;
        assert_int_equal(xpd_input_make(&alone, &ask, &l->arena, NULL), XPD_OK);
        ask.same = &l->input;
        assert_int_equal(xpd_input_make(&again, &ask, &l->arena, NULL), XPD_OK);
        assert_int_equal(again.step_count, 1);
        assert_memory_equal(alone.step, &l->input.step[s], sizeof *alone.step);
        assert_memory_equal(again.step, alone.step, sizeof *again.step);
        assert_int_equal(again.program, alone.program);
        assert_int_equal(again.thread_count, alone.thread_count);
        for (uint32_t t = 0; t < again.thread_count; t++) {
            assert_int_equal(again.thread[t].role, alone.thread[t].role);
            assert_int_equal(again.thread[t].busy_ps, alone.thread[t].busy_ps);
        }
        assert_int_equal(again.piece_count, alone.piece_count);
    }
}

static void look_with(struct looked *l, const char *rules, const struct xpd_step_numbers *chosen,
                      uint32_t count)
{
    struct xpd_input_rules own;
    struct xpd_overlap_table table;
    dspace_load(&l->d);
    struct xpd_view view = {.trace = l->d.trace, .derived = l->d.derived};
    assert_int_equal(xpd_input_rules_read(&own, xpd_str_of(rules), NULL), XPD_OK);
    assert_int_equal(xpd_overlap_table_make(&table, &view, &l->arena, NULL), XPD_OK);
    struct xpd_input_ask ask = {.view = &view,
                                .table = &table,
                                .rules = &own,
                                .chosen = chosen,
                                .chosen_count = count,
                                .given = l->given,
                                .given_count = l->given_count,
                                .pieces = true};
    assert_int_equal(xpd_input_make(&l->input, &ask, &l->arena, NULL), XPD_OK);
    xpd_input_judge(&l->verdict, &l->input);
    assert_closes(&l->input);
    assert_same_again(l, ask);
}

static void look(struct looked *l)
{
    look_with(l, "", NULL, 0);
}

static void done(struct looked *l)
{
    xpd_arena_fini(&l->arena);
    dspace_free(&l->d);
}

static int64_t part(const struct looked *l, enum xpd_input_class class)
{
    return l->input.sum.part_ps[class];
}

static const struct xpd_input_stage *stage_of(const struct looked *l, enum xpd_input_class class)
{
    for (uint32_t i = 0; i < l->input.stage_count; i++)
        if (l->input.stage[i].class == class && l->input.stage[i].parent == XPD_NO_INDEX)
            return &l->input.stage[i];
    return NULL;
}

static struct xpd_str stage_name(const struct looked *l, const struct xpd_input_stage *stage)
{
    struct xpd_view view = {.trace = l->d.trace, .derived = l->d.derived};
    return xpd_view_caption(&view, stage->name);
}

/* `steps` marks of 1000 ps each from 0 on, on a thread "python" that is open then. */
static void mark_steps(struct looked *l, int steps)
{
    uint32_t step = named(l, "train");
    dspace_line(&l->d, "python", 5);
    for (int i = 0; i < steps; i++) {
        const struct dstat stats[] = {{"_r", 1, NULL}, {"step_num", i, NULL}, {0}};
        dspace_event(&l->d, step, i * 1000, 1000, stats);
    }
}

/* A loader thread reads and prepares; the program waits for its queue. */
static void a_loader_that_is_too_slow(void **state)
{
    (void)state;
    struct looked l = {0};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t next = named(&l, "$loader.py:49 next"), get = named(&l, "$queue.py:154 get");
    uint32_t wait = named(&l, "$threading.py:295 wait"), put = named(&l, "$device.py:1 device_put");
    uint32_t launch = named(&l, "PjitFunction(f)"), aval = named(&l, "$core.py:9 aval");
    uint32_t work = named(&l, "$loader.py:10 work"), read = named(&l, "$loader.py:19 read");
    uint32_t zip = named(&l, "$zlib decompress"), augment = named(&l, "$loader.py:24 augment");
    uint32_t std = named(&l, "$<unknown> std"), full = named(&l, "$queue.py:122 put");
    uint32_t run = named(&l, "dot.1");
    mark_steps(&l, 2);
    for (int i = 0; i < 2; i++) {
        int64_t at = i * 1000;
        dspace_event(&l.d, next, at + 10, 790, NO_STATS);
        dspace_event(&l.d, get, at + 20, 780, NO_STATS);
        dspace_event(&l.d, wait, at + 30, 760, NO_STATS);
        dspace_event(&l.d, put, at + 800, 50, NO_STATS);
        dspace_event(&l.d, launch, at + 850, 50, NO_STATS);
        dspace_event(&l.d, aval, at + 860, 10, NO_STATS);
    }
    dspace_line(&l.d, "", 6);
    dspace_event(&l.d, work, 0, 2000, NO_STATS);
    for (int i = 0; i < 2; i++) {
        int64_t at = i * 1000;
        dspace_event(&l.d, read, at + 100, 200, NO_STATS);
        dspace_event(&l.d, zip, at + 110, 180, NO_STATS);
        dspace_event(&l.d, augment, at + 300, 600, NO_STATS);
        dspace_event(&l.d, std, at + 350, 300, NO_STATS);
        dspace_event(&l.d, full, at + 900, 20, NO_STATS);
    }
    dspace_line(&l.d, "tf_XLAEigen/1", 7);
    dspace_event(&l.d, run, 880, 100, op);
    dspace_event(&l.d, run, 1880, 100, op);
    look(&l);
    assert_int_equal(l.input.what, XPD_INPUT_MARKS);
    assert_int_equal(l.input.step_count, 2);
    assert_int_equal(part(&l, XPD_INPUT_WAIT), 1580);
    assert_int_equal(part(&l, XPD_INPUT_TRANSFER), 100);
    assert_int_equal(part(&l, XPD_INPUT_LAUNCH), 100);
    assert_int_equal(part(&l, XPD_INPUT_COMPUTE), 160); /* not under the launch */
    assert_int_equal(part(&l, XPD_INPUT_OTHER), 60);
    assert_int_equal(l.input.sum.busy_ps, 200);
    assert_int_equal(l.input.sum.idle_input_ps, 1580);
    assert_int_equal(l.input.sum.idle_transfer_ps, 100);
    assert_int_equal(l.input.loaders, 1);
    assert_int_equal(l.input.sum.load_ps, 400);
    assert_int_equal(l.input.sum.full_ps, 40);
    assert_int_equal(l.input.sum.preprocess_ps, 2000 - 400 - 40); /* the loop's own time, too */
    const struct xpd_input_stage *stage = stage_of(&l, XPD_INPUT_PREPROCESS);
    assert_non_null(stage);
    assert_true(xpd_str_eq(stage_name(&l, stage), XPD_STR("$loader.py:24 augment")));
    stage = stage_of(&l, XPD_INPUT_LOAD);
    assert_non_null(stage);
    assert_true(xpd_str_eq(stage_name(&l, stage), XPD_STR("$loader.py:19 read")));
    assert_int_equal(l.verdict.says, XPD_INPUT_YES);
    assert_int_equal(l.verdict.side, XPD_INPUT_SLOW);
    assert_int_equal(l.verdict.needed, 5); /* 980 / 210 */
    assert_int_equal(l.input.waits.count, 2);
    assert_int_equal(l.input.waits.start_ps[0], 10);
    assert_int_equal(l.input.waits.end_ps[0], 800);
    done(&l);
}

static void put_chip(struct looked *l, const char *plane, int64_t id, bool waits)
{
    dspace_plane(&l->d, plane, id);
    uint32_t infeed = named(l, "infeed.1"), fusion = named(l, "fusion.2");
    dspace_line(&l->d, "XLA Ops", 3);
    if (waits)
        dspace_event(&l->d, infeed, 0, 400, NO_STATS);
    dspace_event(&l->d, fusion, 400, 500, NO_STATS);
}

/* The mean wait is that of TensorCores: a SparseCore runs no infeed, and is none of them. */
static void infeed_of_chips(void **state)
{
    (void)state;
    struct looked l = {0};
    put_chip(&l, "/device:TPU:0", 1, true);
    put_chip(&l, "/device:TPU:0 SparseCore 0", 2, false);
    put_chip(&l, "/device:TPU:0 SparseCore 1", 3, false);
    dspace_plane(&l.d, "/host:CPU", 4);
    mark_steps(&l, 1);
    look(&l);
    assert_int_equal(l.input.sum.infeed_ps, 400);
    assert_int_equal(l.verdict.says, XPD_INPUT_YES);
    done(&l);
}

/* next() that reads and prepares by itself: no thread waits, yet it is input. */
static void no_loader_thread(void **state)
{
    (void)state;
    struct looked l = {0};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t next = named(&l, "$data.py:7 __next__"), read = named(&l, "$io open");
    uint32_t crop = named(&l, "$data.py:20 crop");
    mark_steps(&l, 3);
    for (int i = 0; i < 3; i++) {
        dspace_event(&l.d, next, i * 1000 + 100, 500, NO_STATS);
        dspace_event(&l.d, read, i * 1000 + 150, 100, NO_STATS);
        dspace_event(&l.d, crop, i * 1000 + 300, 200, NO_STATS);
    }
    look(&l);
    assert_int_equal(part(&l, XPD_INPUT_LOAD), 300);
    assert_int_equal(part(&l, XPD_INPUT_PREPROCESS), 1200);
    assert_int_equal(part(&l, XPD_INPUT_WAIT), 0);
    assert_false(l.input.devices);
    assert_int_equal(l.input.loaders, 0);
    assert_int_equal(l.verdict.says, XPD_INPUT_YES);
    assert_int_equal(l.verdict.side, XPD_INPUT_ITSELF);
    assert_int_equal(l.verdict.wait_ps, 1500);
    done(&l);
}

/* A fetch inside of a launch is a wait; calls of threads beside the program are none, where the
 * program has a thread. */
static void fetches_of_tensorflow(void **state)
{
    (void)state;
    struct looked l = {0};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t eager = named(&l, "EagerLocalExecute: IteratorGetNext");
    uint32_t fetch = named(&l, "IteratorGetNextOp::DoCompute"), top = named(&l, "Iterator::Root");
    uint32_t process = named(&l, "ExecutorState::Process"), run = named(&l, "EagerExecute");
    uint32_t matmul = named(&l, "m/MatMul:MatMul");
    mark_steps(&l, 2);
    for (int i = 0; i < 2; i++) {
        dspace_event(&l.d, eager, i * 1000, 100, NO_STATS);
        dspace_event(&l.d, fetch, i * 1000 + 20, 60, NO_STATS);
        dspace_event(&l.d, top, i * 1000 + 30, 40, NO_STATS);
        dspace_event(&l.d, run, i * 1000 + 100, 800, NO_STATS);
    }
    dspace_line(&l.d, "tf_Compute/1", 6);
    dspace_event(&l.d, process, 140, 720, NO_STATS);
    dspace_event(&l.d, matmul, 150, 700, NO_STATS);
    dspace_event(&l.d, fetch, 0, 1000, NO_STATS);
    dspace_event(&l.d, process, 1140, 720, NO_STATS);
    dspace_event(&l.d, matmul, 1150, 700, NO_STATS);
    look(&l);
    /* 60 of each step itself; in the first also what a thread fetched for it while nothing ran:
     * 0..20, 80..150 and 850..900 under launches that return when the work is done. */
    assert_int_equal(l.input.step[1].part_ps[XPD_INPUT_WAIT], 60);
    assert_int_equal(l.input.step[1].part_ps[XPD_INPUT_COMPUTE], 700);
    assert_int_equal(l.input.step[1].part_ps[XPD_INPUT_LAUNCH], 140);
    assert_int_equal(l.input.step[0].part_ps[XPD_INPUT_WAIT], 60 + 20 + 70 + 50);
    assert_true(l.input.told);
    done(&l);
}

/* The batch is taken before the mark: a step reaches from the end of the one before. */
static void waits_between_the_marks(void **state)
{
    (void)state;
    struct looked l = {0};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t step = named(&l, "train"), get = named(&l, "$queue.py:154 get");
    dspace_line(&l.d, "python", 5);
    for (int i = 0; i < 4; i++) {
        const struct dstat stats[] = {{"_r", 1, NULL}, {"step_num", i, NULL}, {0}};
        dspace_event(&l.d, get, i * 1000, 600, NO_STATS);
        dspace_event(&l.d, step, i * 1000 + 700, 300, stats);
    }
    look(&l);
    assert_int_equal(l.input.what, XPD_INPUT_PERIODS);
    assert_int_equal(l.input.step_count, 3); /* when the first began to wait is unknown */
    assert_int_equal(l.input.length_ps, 3000);
    assert_int_equal(part(&l, XPD_INPUT_WAIT), 1800);
    assert_int_equal(l.verdict.says, XPD_INPUT_YES);
    done(&l);
}

/* No marks: from the end of one launch to the end of the next. */
static void launches_are_steps(void **state)
{
    (void)state;
    struct looked l = {0};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t launch = named(&l, "PjitFunction(f)"), other = named(&l, "PjitFunction(init)");
    uint32_t get = named(&l, "$queue.py:154 get");
    dspace_line(&l.d, "python", 5);
    dspace_event(&l.d, other, 0, 5000, NO_STATS); /* once, and long: no step */
    for (int i = 0; i < 4; i++) {
        dspace_event(&l.d, launch, 6000 + i * 1000, 200, NO_STATS);
        dspace_event(&l.d, launch, 6000 + i * 1000 + 10, 100, NO_STATS);
        dspace_event(&l.d, get, 6000 + i * 1000 + 300, 500, NO_STATS);
    }
    look(&l);
    assert_int_equal(l.input.what, XPD_INPUT_LAUNCHES);
    assert_int_equal(l.input.step_count, 3);
    assert_int_equal(part(&l, XPD_INPUT_WAIT), 1500);
    assert_int_equal(part(&l, XPD_INPUT_LAUNCH), 600);
    done(&l);
}

/* No marks, and the caller knows the steps of the chips: those, by the thread that launches.
 * Launches that run ahead of the chips are no measure of a step. */
static void steps_of_the_caller(void **state)
{
    (void)state;
    static const struct xpd_input_given steps[] = {{7, 0, 1000}, {8, 1000, 2500}};
    struct looked l = {.given = steps, .given_count = 2};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t launch = named(&l, "PjitFunction(f)"), get = named(&l, "$queue.py:154 get");
    dspace_line(&l.d, "python", 5);
    for (int i = 0; i < 4; i++) {
        dspace_event(&l.d, launch, i * 100, 50, NO_STATS);
        dspace_event(&l.d, get, i * 100 + 50, 50, NO_STATS);
    }
    look(&l);
    assert_int_equal(l.input.what, XPD_INPUT_GIVEN);
    assert_int_equal(l.input.step_count, 2);
    assert_int_equal(l.input.step[1].number, 8);
    assert_int_equal(l.input.length_ps, 2500);
    assert_int_equal(part(&l, XPD_INPUT_WAIT), 200);
    assert_int_equal(part(&l, XPD_INPUT_LAUNCH), 200);
    done(&l);

    struct looked alone = {.given = steps, .given_count = 2}; /* no thread launches */
    dspace_plane(&alone.d, "/host:CPU", 1);
    dspace_line(&alone.d, "python", 5);
    dspace_event(&alone.d, named(&alone, "other"), 0, 2500, NO_STATS);
    look(&alone);
    assert_int_equal(alone.input.what, XPD_INPUT_GIVEN);
    assert_int_equal(alone.input.program, XPD_NO_INDEX);
    assert_int_equal(part(&alone, XPD_INPUT_OTHER), 2500);
    done(&alone);
}

/* The work of the host is unknown: neither yes nor no, unless it cannot change the answer. */
static void host_work_is_unknown(void **state)
{
    (void)state;
    for (int busy = 0; busy < 2; busy++) {
        struct looked l = {0};
        dspace_plane(&l.d, "/host:CPU", 1);
        uint32_t launch = named(&l, "PjitFunction(f)"), run = named(&l, "dot.1");
        mark_steps(&l, 2);
        dspace_event(&l.d, launch, 10, 20, NO_STATS);
        dspace_event(&l.d, launch, 1010, 20, NO_STATS);
        dspace_line(&l.d, "tf_XLAEigen/1", 6);
        dspace_event(&l.d, run, 20, busy ? 980 : 100, op);
        dspace_event(&l.d, run, 1000, busy ? 980 : 100, op);
        look(&l);
        assert_false(l.input.python);
        assert_false(l.input.told);
        assert_int_equal(l.verdict.says, busy ? XPD_INPUT_NO : XPD_INPUT_UNKNOWN);
        done(&l);
    }
}

/* An annotation of the user wins over the rules, inside and outside of them; so do their rules. */
static void the_user_says(void **state)
{
    (void)state;
    struct looked l = {0};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t wait = named(&l, "wait"), launch = named(&l, "PjitFunction(f)");
    uint32_t mine = named(&l, "$mine.py:3 fetch_it"), log = named(&l, "$queue.py:154 get");
    mark_steps(&l, 1);
    dspace_event(&l.d, wait, 0, 300, NO_STATS);
    dspace_event(&l.d, launch, 100, 100, NO_STATS);
    dspace_event(&l.d, mine, 400, 200, NO_STATS);
    dspace_event(&l.d, log, 700, 50, NO_STATS);
    look_with(&l, "wait:fetch_it,none:queue.py", NULL, 0);
    assert_int_equal(part(&l, XPD_INPUT_WAIT), 500);
    assert_int_equal(part(&l, XPD_INPUT_LAUNCH), 0);
    assert_int_equal(part(&l, XPD_INPUT_OTHER), 500);
    done(&l);
}

static void rules_that_are_none(void **state)
{
    (void)state;
    struct xpd_input_rules rules;
    struct xpd_err err;
    static const char *const wrong[] = {"wait", "wait:",          "pause:x",
                                        ":x",   "wait:a,,load:b", "compute:x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(xpd_input_rules_read(&rules, xpd_str_of(wrong[i]), &err), XPD_EINVAL);
        assert_string_equal(err.where, "rules");
    }
    char many[40 * 8] = "";
    for (int i = 0; i < 33; i++)
        strcat(many, i ? ",wait:x" : "wait:x");
    assert_int_equal(xpd_input_rules_read(&rules, xpd_str_of(many), &err), XPD_EINVAL);
    assert_int_equal(xpd_input_rules_read(&rules, XPD_STR("load:a:b"), &err), XPD_OK);
    assert_true(xpd_str_eq(rules.rule[0].text, XPD_STR("a:b")));
}

static void stages_of_tf_data(void **state)
{
    (void)state;
    struct looked l = {0};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t top = named(&l, "Iterator::Root"), map = named(&l, "Iterator::Root::Map[0]");
    uint32_t file = named(&l, "Iterator::Root::Map[3]::TFRecord");
    uint32_t decode = named(&l, "decode/DecodeJpeg:DecodeJpeg");
    mark_steps(&l, 1);
    dspace_event(&l.d, top, 0, 100, NO_STATS);
    dspace_event(&l.d, map, 10, 80, NO_STATS);
    dspace_line(&l.d, "tf_data_iterator_resource/1", 6);
    dspace_event(&l.d, file, 200, 50, NO_STATS);
    dspace_event(&l.d, file, 5000, 50, NO_STATS); /* behind the steps */
    dspace_line(&l.d, "tf_data_private_threadpool/1", 7);
    dspace_event(&l.d, decode, 300, 400, NO_STATS);
    dspace_line(&l.d, "tf_data_private_threadpool/2", 8);
    dspace_event(&l.d, decode, 500, 400, NO_STATS);
    look(&l);
    assert_int_equal(l.input.tf_count, 3);
    assert_true(xpd_str_eq(l.input.tf[2].path, XPD_STR("Root::Map::TFRecord")));
    assert_int_equal(l.input.tf[2].parent, 1);
    assert_int_equal(l.input.tf[2].calls, 1);
    assert_int_equal(l.input.tf[0].total_ps, 100);
    assert_int_equal(l.input.tf[0].self_ps, 20);
    assert_int_equal(l.input.tf_bounds, 1);
    assert_int_equal(l.input.map_busy_ps, 600); /* the threads overlap */
    assert_int_equal(l.input.map_name_ps, 800);
    assert_int_equal(l.input.loaders, 3);
    assert_int_equal(l.input.sum.preprocess_ps, 800);
    assert_int_equal(l.input.sum.load_ps, 50);
    done(&l);
}

/* Only some steps; the pieces of a thread are what the sums are of. */
static void chosen_steps(void **state)
{
    (void)state;
    struct looked l = {0};
    const struct xpd_step_numbers chosen[] = {{1, 1}, {3, 9}};
    int64_t wait_ps = 0;
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t get = named(&l, "$queue.py:154 get");
    mark_steps(&l, 4);
    for (int i = 0; i < 4; i++)
        dspace_event(&l.d, get, i * 1000 + 100, 100 * (i + 1), NO_STATS);
    look_with(&l, "", chosen, 2);
    assert_int_equal(l.input.step_count, 2);
    assert_int_equal(part(&l, XPD_INPUT_WAIT), 200 + 400);
    for (size_t i = 0; i < l.input.piece_count; i++)
        if (l.input.piece[i].class == XPD_INPUT_WAIT)
            wait_ps += l.input.piece[i].to_ps - l.input.piece[i].from_ps;
    assert_int_equal(wait_ps, 600);
    done(&l);
}

/* Two loops that both mark 0, 1: a number names one step. */
static void numbers_that_come_again(void **state)
{
    (void)state;
    struct looked l = {0};
    const struct xpd_step_numbers chosen[] = {{2, 2}};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t step = named(&l, "train"), get = named(&l, "$queue.py:154 get");
    dspace_line(&l.d, "python", 5);
    for (int i = 0; i < 4; i++) {
        const struct dstat stats[] = {{"_r", 1, NULL}, {"step_num", i % 2, NULL}, {0}};
        dspace_event(&l.d, step, i * 1000, 1000, stats);
        dspace_event(&l.d, get, i * 1000 + 100, 100 * (i + 1), NO_STATS);
    }
    look_with(&l, "", chosen, 1);
    assert_int_equal(l.input.step_count, 1);
    assert_int_equal(part(&l, XPD_INPUT_WAIT), 300);
    done(&l);
}

/* Calls that nest, overlap and reach from step to step. */
static void random_threads(void **state)
{
    (void)state;
    static const char *const called[] = {"$queue.py:154 get",   "$queue.py:122 put",
                                         "$data.py:12 read",    "PjitFunction(f)",
                                         "$train.py:9 forward", "$numpy.py:7 load"};
    enum { CALLED = sizeof called / sizeof called[0], STEPS = 8, EVENTS = 60 };
    uint64_t seed = 7;
    for (int round = 0; round < 30; round++) {
        struct looked l = {0};
        uint32_t name[CALLED];
        dspace_plane(&l.d, "/host:CPU", 1);
        for (size_t i = 0; i < CALLED; i++)
            name[i] = named(&l, called[i]);
        mark_steps(&l, STEPS);
        for (int i = 0; i < 2 * EVENTS; i++) {
            if (i == EVENTS)
                dspace_line(&l.d, "loader", 6);
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            dspace_event(&l.d, name[(seed >> 33) % CALLED],
                         (int64_t)((seed >> 20) % (STEPS * 1000)),
                         (int64_t)((seed >> 43) % (round % 3 ? 300 : 3000)), NO_STATS);
        }
        look(&l);
        assert_int_equal(l.input.step_count, STEPS);
        done(&l);
    }
}

static void no_steps_at_all(void **state)
{
    (void)state;
    struct looked l = {0};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t get = named(&l, "$queue.py:154 get");
    dspace_line(&l.d, "python", 5);
    dspace_event(&l.d, get, 0, 100, NO_STATS);
    look(&l);
    assert_int_equal(l.input.step_count, 0);
    assert_non_null(strstr(l.input.why_none, "StepTraceAnnotation"));
    assert_int_equal(l.verdict.says, XPD_INPUT_UNKNOWN);
    done(&l);
}

/* Events that end behind the ones around them, at the ends of time, without a length, and steps
 * that lie over each other: the sums still close. */
static void hostile_times(void **state)
{
    (void)state;
    struct looked l = {0};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t step = named(&l, "train"), get = named(&l, "$queue.py:154 get");
    uint32_t read = named(&l, "$io open"), empty = named(&l, "$"), blank = named(&l, "$ ");
    dspace_line(&l.d, "python", 5);
    dspace_event(&l.d, step, 0, 1500, root);
    dspace_event(&l.d, step, 1000, 1000, root);
    dspace_event(&l.d, step, 1000, 0, root);
    dspace_event(&l.d, get, 900, 300, NO_STATS);
    dspace_event(&l.d, read, 1100, INT64_C(1) << 62, NO_STATS);
    dspace_event(&l.d, empty, 1200, 10, NO_STATS);
    dspace_event(&l.d, blank, 1300, 10, NO_STATS);
    dspace_line(&l.d, "", 6);
    dspace_event(&l.d, read, 0, INT64_C(1) << 62, NO_STATS);
    dspace_event(&l.d, get, 10, INT64_C(1) << 62, NO_STATS);
    look(&l);
    assert_true(l.input.step_count > 0);
    done(&l);
}

/* Frames of Python are known with and without the sign of the tracer. */
static void frames_without_the_sign(void **state)
{
    (void)state;
    struct looked l = {0};
    dspace_plane(&l.d, "/host:CPU", 1);
    uint32_t get = named(&l, "queue.py:154 get"), note = named(&l, "get");
    mark_steps(&l, 1);
    dspace_event(&l.d, get, 100, 300, NO_STATS);
    dspace_event(&l.d, note, 500, 300, NO_STATS);
    look(&l);
    assert_true(l.input.python);
    assert_int_equal(part(&l, XPD_INPUT_WAIT), 300);
    done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loader_that_is_too_slow),
        cmocka_unit_test(infeed_of_chips),
        cmocka_unit_test(no_loader_thread),
        cmocka_unit_test(fetches_of_tensorflow),
        cmocka_unit_test(waits_between_the_marks),
        cmocka_unit_test(launches_are_steps),
        cmocka_unit_test(steps_of_the_caller),
        cmocka_unit_test(host_work_is_unknown),
        cmocka_unit_test(the_user_says),
        cmocka_unit_test(rules_that_are_none),
        cmocka_unit_test(stages_of_tf_data),
        cmocka_unit_test(chosen_steps),
        cmocka_unit_test(numbers_that_come_again),
        cmocka_unit_test(random_threads),
        cmocka_unit_test(no_steps_at_all),
        cmocka_unit_test(hostile_times),
        cmocka_unit_test(frames_without_the_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
