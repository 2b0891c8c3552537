/* What of the events of devices computes and communicates, for any range.
 *
 * In: a view with derived rows. Out: a role for each name that occurs in rows of work, and the
 * asynchronous collectives of each process: the k-th start with the k-th done of one instruction,
 * by start, so that a range finds its own by bisection. With both, sums over the time. */
#include "overlap_work.h"

#include "xprofd/trace/async.h"
#include "xprofd/trace/op_loose.h"

#include <stdlib.h>

/* Copies of a name that does not tell their way are looked at one by one, so many at most: the way
 * of more is left open. */
#define COPIES_MOST 4096

struct half { /* of an asynchronous collective */
    uint32_t process, key, name;
    bool done;
    int64_t start_ps, end_ps;
    uint64_t event;
};

struct making {
    const struct xpd_view *view;
    uint8_t *role;                   /* by name of the view */
    uint32_t *key;                   /* the same: halves of one instruction have one key */
    bool *tells_kernels;             /* by process */
    uint32_t *asked;                 /* by name: copies whose own stats told the way */
    struct xpd_arena scratch, stats; /* stats: of one event */
    struct xpd_intern keys;
    XPD_VEC(struct half) half;
};

/* "all-reduce-start.7": the opcode, and which half it is. */
static struct xpd_str stem_of(struct xpd_str caption, struct xpd_str *number)
{
    size_t end = caption.size;
    while (end > 0 && caption.data[end - 1] >= '0' && caption.data[end - 1] <= '9')
        end--;
    *number = (struct xpd_str){caption.data + end, caption.size - end};
    if (end > 0 && end < caption.size && caption.data[end - 1] == '.')
        end--;
    else
        end = caption.size;
    return (struct xpd_str){caption.data, end};
}

static uint32_t key_of(struct making *making, struct xpd_str stem, size_t cut,
                       struct xpd_str number, uint64_t program)
{
    struct xpd_strbuf text = {0};
    xpd_strbuf_add(&text, stem.data, stem.size - cut);
    xpd_strbuf_putc(&text, '.');
    xpd_strbuf_add(&text, number.data, number.size);
    xpd_strbuf_putc(&text, ' ');
    xpd_strbuf_u64(&text, program);
    uint32_t key = xpd_intern_put(&making->keys, text.data ? text.data : "", text.size);
    xpd_strbuf_fini(&text);
    return key;
}

/* By what the compiler calls it: of operations of TPUs and of the CPU, whose threads do the copying
 * themselves. */
static enum xpd_overlap_role role_of_op(struct making *making, uint32_t name, bool threads)
{
    const struct xpd_event_name *at = xpd_view_name(making->view, name);
    struct xpd_str number, stem = stem_of(xpd_view_caption(making->view, name), &number);
    if (at->group == XPD_OP_COLLECTIVE) {
        bool start = xpd_str_ends(stem, "-start"), done = xpd_str_ends(stem, "-done");
        struct xpd_str of = xpd_async_start_name(xpd_view_text(making->view, name, at->name));
        if (done && of.size != 0)
            stem = stem_of(of, &number);
        if (start || done)
            making->key[name] =
                key_of(making, stem, xpd_str_ends(stem, "-done") ? 5 : 6, number, at->program_id);
        return start ? XPD_ROLE_COMM_START : done ? XPD_ROLE_COMM_DONE : XPD_ROLE_COMM;
    }
    if (xpd_str_eq(stem, XPD_STR("copy")))
        return threads ? XPD_ROLE_COMPUTE : XPD_ROLE_COPY;
    if (at->wait || xpd_str_eq(stem, XPD_STR("copy-done")) || xpd_str_ends(stem, "-start"))
        return XPD_ROLE_NEITHER;
    if (at->group == XPD_OP_CONTROL)
        return threads ? XPD_ROLE_CONTROL : XPD_ROLE_NEITHER;
    return XPD_ROLE_COMPUTE;
}

struct said { /* by the stats of an event */
    bool op, kernel, copy;
    enum xpd_copy_way way;
};

static struct said read_said(struct making *making, uint64_t event)
{
    struct xpd_stat_value *stat;
    uint32_t count = 0, from_metadata;
    struct said said = {0};
    xpd_arena_reset(&making->stats);
    (void)xpd_trace_stats(making->view->trace, event, &making->stats, &stat, &count, &from_metadata,
                          NULL);
    for (uint32_t i = 0; i < count; i++) {
        struct xpd_str name = stat[i].name;
        if (xpd_str_eq(name, XPD_STR("hlo_op")))
            said.op = xpd_op_innermost(stat[i].text).size > 0;
        said.kernel |= xpd_str_eq(name, XPD_STR("kernel_details")) ||
                       xpd_str_eq(name, XPD_STR("cuda_graph_exec_id"));
        if (xpd_str_eq(name, XPD_STR("memcpy_details")))
            said.way = xpd_copy_way_of_details(stat[i].text);
        said.copy |= xpd_str_eq(name, XPD_STR("memcpy_details")) ||
                     xpd_str_eq(name, XPD_STR("memset_details"));
    }
    return said;
}

static enum xpd_overlap_role role_of_copy(struct making *making, uint32_t name, struct said said)
{
    enum xpd_copy_way way = xpd_copy_way_of_name(xpd_view_caption(making->view, name));
    if (way == XPD_COPY_UNKNOWN) {
        way = said.way;
        making->asked[name]++;
    }
    return way == XPD_COPY_IN    ? XPD_ROLE_COPY_IN
           : way == XPD_COPY_OUT ? XPD_ROLE_COPY_OUT
                                 : XPD_ROLE_COPY;
}

/* By what the profiler says of it: a plane that tells kernels apart has other events as well
 * (allocations, synchronization), which are no work. */
static enum xpd_overlap_role role_of_kernel(struct making *making, uint32_t process, uint32_t name,
                                            struct said said)
{
    struct xpd_str caption = xpd_view_caption(making->view, name);
    enum xpd_op_loose kind = xpd_op_loose_of(
        &(struct xpd_loose_event){.name = caption, .kernel = said.kernel, .copy = said.copy});
    if (kind == XPD_LOOSE_COPIES)
        return role_of_copy(making, name, said);
    bool collective = said.op && xpd_view_name(making->view, name)->group == XPD_OP_COLLECTIVE;
    if (collective || kind == XPD_LOOSE_COLLECTIVES)
        return XPD_ROLE_COMM;
    bool work = said.kernel || said.op || !making->tells_kernels[process];
    return work ? XPD_ROLE_COMPUTE : XPD_ROLE_NEITHER;
}

/* Events of one name are of one kind: operations have names of their own, beside what else is
 * called the same (single.c); whether a GPU's event is a kernel the first one says. */
static enum xpd_overlap_role role_of(struct making *making, uint32_t process, uint32_t name,
                                     uint64_t event)
{
    enum xpd_process_kind kind = making->view->trace->process[process].kind;
    if (kind == XPD_PROCESS_GPU)
        return role_of_kernel(making, process, name, read_said(making, event));
    if (kind == XPD_PROCESS_HOST && xpd_view_name(making->view, name)->tf)
        return xpd_view_name(making->view, name)->group == XPD_OP_CONTROL ? XPD_ROLE_NEITHER
                                                                          : XPD_ROLE_COMPUTE;
    if (kind == XPD_PROCESS_HOST && !xpd_view_name(making->view, name)->op)
        return XPD_ROLE_NEITHER;
    return role_of_op(making, name, kind == XPD_PROCESS_HOST);
}

/* Events of one name, which does not tell their way, may go both ways: then it is unknown. */
static void check_way(struct making *making, uint32_t process, uint32_t name, uint64_t event)
{
    if (making->asked[name] > 0 &&
        (making->asked[name] >= COPIES_MOST ||
         role_of(making, process, name, event) != (enum xpd_overlap_role)making->role[name]))
        making->role[name] = XPD_ROLE_COPY;
}

/* Gives the names of a depth their roles, and keeps the halves in it. */
static void read_depth(struct making *making, uint32_t process, const struct xpd_depth *depth)
{
    for (uint32_t i = 0; i < depth->count; i++) {
        uint32_t name = depth->name[i];
        if (making->role[name] == XPD_ROLE_UNKNOWN)
            making->role[name] = (uint8_t)role_of(making, process, name, depth->first_event + i);
        else if (making->role[name] == XPD_ROLE_COPY_IN || making->role[name] == XPD_ROLE_COPY_OUT)
            check_way(making, process, name, depth->first_event + i);
        bool done = making->role[name] == XPD_ROLE_COMM_DONE;
        if (!done && making->role[name] != XPD_ROLE_COMM_START)
            continue;
        struct half half = {process,
                            making->key[name],
                            name,
                            done,
                            xpd_depth_start(depth, i),
                            xpd_depth_end(depth, i),
                            depth->first_event + i};
        XPD_PUSH(&making->half, half);
    }
}

static void read_rows(struct making *making)
{
    const struct xpd_view *view = making->view;
    for (uint32_t r = 0; r < xpd_view_rows(view); r++)
        for (uint32_t d = 0; xpd_view_executes(view, r) && d < xpd_view_row(view, r)->depth_count;
             d++)
            read_depth(making, xpd_view_process(view, r), xpd_view_depth(view, r, d));
}

/* ---- pairs ---- */

static int by_key(const void *a, const void *b)
{
    const struct half *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (int)x->done - (int)y->done;
}

static int by_start(const void *a, const void *b)
{
    const struct xpd_overlap_pair *x = a, *y = b;
    return (x->of.at.start_ps > y->of.at.start_ps) - (x->of.at.start_ps < y->of.at.start_ps);
}

struct pairing { /* of the halves of one instruction on one process */
    const struct half *at;
    size_t count;
    bool one_by_one; /* a start gives up those before it that wait for their done */
    uint32_t pairs;
    uint32_t lone_starts, lone_dones;
};

/* A queue of starts; a done takes the oldest. */
static void pair_key(struct pairing *of, struct xpd_overlap_pair *pair)
{
    const struct half *at = of->at;
    size_t waits = 0; /* the oldest start that does */
    uint32_t starts = 0, dones = 0;
    of->pairs = 0;
    for (size_t i = 0; i < of->count; i++) {
        starts += !at[i].done;
        dones += at[i].done;
        if (!at[i].done) {
            waits = of->one_by_one ? i : waits;
            continue;
        }
        while (waits < i && at[waits].done)
            waits++;
        if (waits == i)
            continue;
        const struct half *start = &at[waits++];
        pair[of->pairs++] =
            (struct xpd_overlap_pair){.of = {{start->start_ps, at[i].end_ps}, start->name},
                                      .start = start->event,
                                      .done = at[i].event};
    }
    of->lone_starts = starts - of->pairs;
    of->lone_dones = dones - of->pairs;
}

/* Of a loop, several starts may be in flight on one core, all of which get their dones. Where some
 * start gets none, an event is missing: the k-th start would no longer belong to the k-th done, so
 * a start ends the wait of the one before. A host's threads run the same for many devices. */
static uint32_t pair_instruction(const struct making *making, const struct half *at, size_t count,
                                 struct xpd_overlap_pair *pair, uint32_t *lone)
{
    struct pairing of = {.at = at, .count = count};
    pair_key(&of, pair);
    if (of.lone_starts > 0 && xpd_process_is_tpu(making->view->trace->process[at->process].kind)) {
        of.one_by_one = true;
        pair_key(&of, pair);
    }
    if (of.pairs > 0)
        *lone += of.lone_starts + of.lone_dones;
    return of.pairs;
}

/* Pairs of [first, end) of the halves, which are of one process. */
static uint32_t pair_halves(const struct making *making, size_t first, size_t end,
                            struct xpd_overlap_pair *pair, uint32_t *lone)
{
    const struct half *at = making->half.at;
    uint32_t count = 0;
    for (size_t next; first < end; first = next) {
        for (next = first + 1; next < end && at[next].key == at[first].key;)
            next++;
        count += pair_instruction(making, &at[first], next - first, &pair[count], lone);
    }
    if (count > 1)
        qsort(pair, count, sizeof *pair, by_start);
    for (uint32_t i = 0; i < count; i++) {
        int64_t before_ps = i > 0 ? pair[i - 1].last_end_ps : INT64_MIN;
        pair[i].last_end_ps = pair[i].of.at.end_ps > before_ps ? pair[i].of.at.end_ps : before_ps;
    }
    return count;
}

static void pair_all(struct making *making, struct xpd_overlap_table *out,
                     struct xpd_overlap_pair *pair, uint32_t *first)
{
    const struct half *half = making->half.at;
    size_t at = 0;
    uint32_t count = 0;
    if (making->half.count > 0)
        qsort(making->half.at, making->half.count, sizeof *half, by_key);
    for (uint32_t p = 0; p < making->view->trace->process_count; p++) {
        size_t end = at;
        while (end < making->half.count && half[end].process == p)
            end++;
        first[p] = count;
        count += pair_halves(making, at, end, &pair[count], &out->lone_halves);
        first[p + 1] = count;
        at = end;
    }
    out->pair = pair;
    out->pair_first = first;
}

static bool make(struct making *making, struct xpd_overlap_table *out, struct xpd_arena *arena)
{
    making->key = XPD_NEW_ARRAY(&making->scratch, uint32_t, xpd_view_names(making->view));
    making->role = XPD_NEW_ARRAY(arena, uint8_t, xpd_view_names(making->view));
    making->tells_kernels =
        XPD_NEW_ARRAY(&making->scratch, bool, making->view->trace->process_count);
    making->asked = XPD_NEW_ARRAY(&making->scratch, uint32_t, xpd_view_names(making->view));
    if (!making->key || !making->role || !making->tells_kernels || !making->asked)
        return false;
    for (uint32_t p = 0; p < making->view->trace->process_count; p++)
        making->tells_kernels[p] =
            xpd_trace_process_says(making->view->trace, p, XPD_STR("kernel_details"));
    read_rows(making);
    if (making->half.failed || making->keys.failed || making->half.count > UINT32_MAX)
        return false;
    struct xpd_overlap_pair *pair =
        XPD_NEW_ARRAY(arena, struct xpd_overlap_pair, making->half.count / 2 + 1);
    uint32_t *first =
        XPD_NEW_ARRAY(arena, uint32_t, (size_t)making->view->trace->process_count + 1);
    if (!pair || !first)
        return false;
    pair_all(making, out, pair, first);
    out->role = making->role;
    return true;
}

static int no_memory(struct xpd_err *err)
{
    return xpd_no_memory(err, NULL, "for the pairs of collectives");
}

int xpd_overlap_roles_make(struct xpd_overlap_table *out, const struct xpd_view *view,
                           struct xpd_arena *arena, struct xpd_err *err)
{
    struct making making = {.view = view};
    *out = (struct xpd_overlap_table){0};
    xpd_intern_init(&making.keys, &making.scratch);
    bool fine = make(&making, out, arena);
    XPD_VEC_FINI(&making.half);
    xpd_intern_fini(&making.keys);
    xpd_arena_fini(&making.scratch);
    xpd_arena_fini(&making.stats);
    return fine ? XPD_OK : no_memory(err);
}

int xpd_overlap_table_make(struct xpd_overlap_table *out, const struct xpd_view *view,
                           struct xpd_arena *arena, struct xpd_err *err)
{
    int rc = xpd_overlap_roles_make(out, view, arena, err);
    if (rc == XPD_OK && !xpd_overlap_sums_make(out, view, arena))
        rc = no_memory(err);
    return rc;
}
