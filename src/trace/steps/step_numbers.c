/* Numbers of steps that begin again. In: the numbers that a program gave its steps, in the order of
 * their starts. Out: numbers of which no two of a thread or device are the same.
 *
 * A program that counts the batches of each epoch from 0 marks step 3 once in each epoch. These are
 * different steps: means, growth and links go by the number. So numbers count on from the highest
 * where they begin again, the same way on all hosts. Names stay as they were given. */
#include "../derived/derive.h"
#include "xprofd/base/order.h"
#include <stdlib.h>

int64_t xpd_step_counted(struct xpd_step_count *count, int64_t given)
{
    int64_t number;
    if (__builtin_add_overflow(given, count->ahead, &number))
        return given;
    if (count->any && number <= count->highest) {
        int64_t next, ahead;
        if (__builtin_add_overflow(count->highest, 1, &next) ||
            __builtin_sub_overflow(next, given, &ahead))
            return given;
        count->ahead = ahead;
        count->again++;
        number = next;
    }
    count->any = true;
    count->highest = number;
    return number;
}

int64_t xpd_step_counted_on(struct xpd_step_count *count)
{
    if (count->any && count->highest < INT64_MAX)
        count->highest++;
    count->any = true;
    return count->highest;
}

void xpd_steps_tell_again(struct xpd_warnings *warnings, uint32_t again)
{
    if (again != 0)
        xpd_warn(warnings, XPD_NOTE, "steps_again", XPD_NO_OFFSET,
                 "the step numbers begin again %u time%s (at 0 in each epoch, for example); here "
                 "they continue, so that each step has its own number",
                 again, again == 1 ? "" : "s");
}

struct marked {
    uint32_t row, root;
    int64_t start_ps;
};

static int by_thread(const void *a, const void *b)
{
    const struct marked *x = a, *y = b;
    if (x->row != y->row)
        return XPD_ORDER(x->row, y->row);
    if (x->start_ps != y->start_ps)
        return XPD_ORDER(x->start_ps, y->start_ps);
    return XPD_ORDER(x->root, y->root);
}

void xpd_steps_count_roots(struct xpd_deriving *deriving)
{
    size_t count = deriving->groups.root.count, n = 0;
    struct marked *marked = calloc(count + 1, sizeof *marked);
    struct xpd_step_count counting = {0};
    if (!marked) {
        deriving->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct xpd_depth *depth;
        uint32_t index;
        if (xpd_trace_find(deriving->trace, deriving->groups.root.at[i].event, &depth, &index))
            marked[n++] = (struct marked){depth->row, (uint32_t)i, xpd_depth_start(depth, index)};
    }
    if (n > 1)
        qsort(marked, n, sizeof *marked, by_thread);
    for (size_t i = 0; i < n; i++) {
        struct xpd_group_root *root = &deriving->groups.root.at[marked[i].root];
        if (i > 0 && marked[i].row != marked[i - 1].row)
            counting = (struct xpd_step_count){.again = counting.again};
        root->number = xpd_step_counted(&counting, root->number);
    }
    free(marked);
    xpd_steps_tell_again(&deriving->out->warnings, counting.again);
}
