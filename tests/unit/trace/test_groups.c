/* Groups of XProf that no recorded answer shows: what a chip counts when nothing of the host
 * reaches it, what lies in a step, which events are linked. Expected values follow by hand from
 * what trace/groups/trace_groups.h says. */
#include "derive_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define TPU0       "/device:TPU:0"
#define ROOT(step) ((const struct dstat[]){{"_r", 1, NULL}, {"step_num", (step), NULL}, {0}})
#define MAKES(id)  ((const struct dstat[]){{"_pt", 15, NULL}, {"_p", (id), NULL}, {0}})
#define USES(id)   ((const struct dstat[]){{"_ct", 15, NULL}, {"_c", (id), NULL}, {0}})

static uint32_t plain(struct dspace *d, const char *name)
{
    return dspace_name(d, name, NULL, NO_STATS);
}

static void is_in(const struct dspace *d, const char *row, int64_t start_ps, uint32_t group)
{
    assert_int_equal(xpd_group_of(d->derived, dspace_find(d, row, start_ps)), group);
}

/* No step of the host reaches the chip: it counts its runs behind the groups of the host. */
static void lock_step_behind_hosts(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train");
    dspace_line(&d, "main", 11);
    dspace_event(&d, train, 0, 10, ROOT(7));
    dspace_event(&d, train, 20, 10, ROOT(8));
    dspace_plane(&d, TPU0, 2);
    uint32_t module = plain(&d, "jit_f(1)");
    dspace_line(&d, "XLA Modules", 2);
    dspace_event(&d, module, 100, 10, NO_STATS);
    dspace_event(&d, module, 200, 10, NO_STATS);
    dspace_load(&d);
    is_in(&d, "main", 20, 1);
    is_in(&d, "XLA Modules", 100, 2);
    is_in(&d, "XLA Modules", 200, 3);
    dspace_free(&d);
}

/* Only TensorCores count; a SparseCore has the step of the core that started it, or none. */
static void sparse_cores(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, TPU0, 2);
    uint32_t module = plain(&d, "jit_f(1)");
    dspace_line(&d, "XLA Modules", 2);
    dspace_event(&d, module, 100, 10, NO_STATS);
    dspace_event(&d, module, 200, 10, MAKES(5));
    dspace_plane(&d, "/device:TPU:0 SparseCore 0", 3);
    uint32_t run = plain(&d, "run");
    dspace_line(&d, "Sparse Core Modules", 2);
    dspace_event(&d, run, 105, 10, NO_STATS);
    dspace_event(&d, run, 205, 10, USES(5));
    dspace_load(&d);
    is_in(&d, "XLA Modules", 200, 1);
    is_in(&d, "Sparse Core Modules", 105, XPD_NO_GROUP);
    is_in(&d, "Sparse Core Modules", 205, 1);
    dspace_free(&d);
}

/* A link counts for the run that holds the event whole, and at the border for the later one. */
static void links_inside_of_runs(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t train = plain(&d, "train"), call = plain(&d, "call");
    dspace_line(&d, "main", 11);
    dspace_event(&d, train, 0, 10, ROOT(7));
    dspace_event(&d, call, 2, 1, MAKES(5));
    dspace_event(&d, train, 20, 10, ROOT(8));
    dspace_event(&d, call, 22, 1, MAKES(6));
    dspace_plane(&d, TPU0, 2);
    uint32_t module = plain(&d, "jit_f(1)"), add = plain(&d, "add");
    dspace_line(&d, "XLA Modules", 2);
    dspace_event(&d, module, 100, 100, NO_STATS);
    dspace_event(&d, module, 200, 100, NO_STATS);
    dspace_event(&d, module, 400, 100, NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, add, 200, 10, USES(5)); /* touches both, lies in the second */
    dspace_event(&d, add, 450, 90, USES(6)); /* longer than its run */
    dspace_load(&d);
    is_in(&d, "XLA Modules", 100, XPD_NO_GROUP);
    is_in(&d, "XLA Modules", 200, 0);
    is_in(&d, "XLA Modules", 400, XPD_NO_GROUP);
    dspace_free(&d);
}

/* A request is served by events of known names only; a program is launched where its queue is
 * known too. */
static void linked_by_name(void **state)
{
    struct dspace d = {0};
    (void)state;
    const struct dstat request[] = {{"request_id", 4, NULL}, {"queue_addr", 9, NULL}, {0}};
    const struct dstat run[] = {{"run_id", 4, NULL}, {"device_ordinal", 0, NULL}, {0}};
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t put = plain(&d, "EnqueueRequestLocked"), served = plain(&d, "RunProgramRequest");
    uint32_t other = plain(&d, "SomeRequest"), enqueue = plain(&d, "DoEnqueueProgram");
    dspace_line(&d, "main", 11);
    dspace_event(&d, put, 0, 1, request);
    dspace_event(&d, served, 10, 1, request);
    dspace_event(&d, other, 20, 1, request);
    dspace_event(&d, enqueue, 30, 1, run);
    dspace_load(&d);
    assert_int_equal(d.flows->point_count, 2);
    assert_int_equal(d.flows->matched_count, 1);
    assert_int_equal(d.flows->point[0].category, 11);
    dspace_free(&d);
}

/* Batches are roots of level 2 whatever they say; asynchronous spans hold nothing; nothing of a
 * chip is a root. */
static void roots_and_spans(void **state)
{
    struct dspace d = {0};
    (void)state;
    dspace_plane(&d, "/host:CPU", 0);
    uint32_t batch = plain(&d, "ProcessBatch"), run = plain(&d, "BatchingSessionRun");
    uint32_t work = plain(&d, "work");
    dspace_line(&d, "main", 11);
    dspace_event(&d, run, 0, 10, NO_STATS);
    dspace_event(&d, batch, 20, 10, (const struct dstat[]){{"_r", 1, NULL}, {0}});
    dspace_event(&d, run, 40, 20, (const struct dstat[]){{"_a", 1, NULL}, {0}});
    dspace_event(&d, work, 45, 5, NO_STATS);
    dspace_plane(&d, TPU0, 2);
    uint32_t module = plain(&d, "jit_f(1)");
    dspace_line(&d, "XLA Modules", 2);
    dspace_event(&d, module, 100, 10, ROOT(3));
    dspace_load(&d);
    is_in(&d, "main", 20, 0); /* the higher level first */
    is_in(&d, "main", 0, 1);
    is_in(&d, "main", 40, 2);
    is_in(&d, "main", 45, XPD_NO_GROUP);
    is_in(&d, "XLA Modules", 100, 3); /* counted, not begun */
    dspace_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_step_behind_hosts), cmocka_unit_test(sparse_cores),
        cmocka_unit_test(links_inside_of_runs), cmocka_unit_test(linked_by_name),
        cmocka_unit_test(roots_and_spans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
