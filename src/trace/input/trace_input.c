/* The analysis of the input, put together. In: the events of a host. Out: steps with their parts,
 * stages, threads, stages of tf.data. */
#include "stages.h"
#include "sweep.h"
#include "tfdata.h"

#include "xprofd/base/checked.h"
#include "xprofd/trace/tf_op.h"

#include <stdlib.h>

#define IN_GAPS  0.01 /* of all time waited between the marks: then steps reach over the gaps */
#define A_LOADER 0.01 /* of the steps a thread works on input: then it is a loader */

struct making {
    const struct xpd_input_ask *ask;
    const struct xpd_view *view;
    struct xpd_input_run *out;
    struct xpd_arena *arena;
    const struct input_name *name;
    struct input_spans spans;
    struct xpd_intervals busy, fetches, fetch_idle;
    struct input_account program, loader;
    struct input_stages stages;
    bool *is_loader; /* by row */
    XPD_VEC(struct xpd_input_piece) piece;
    bool failed;
};

static struct input_sweep sweep_of(struct making *m, struct input_account *account)
{
    return (struct input_sweep){.view = m->view,
                                .name = m->name,
                                .account = account,
                                .busy = &m->busy,
                                .fetch_idle = &m->fetch_idle,
                                .mark = m->spans.mark};
}

/* ---- steps ---- */

/* Whether the program waits for its input between the marks. */
static bool waits_between(struct making *m)
{
    struct input_spans gaps;
    struct input_account account;
    int64_t length_ps = 0, input_ps = 0;
    for (size_t i = 1; i < m->spans.count; i++)
        xpd_grow_i64(&length_ps, m->spans.at[i].to_ps - m->spans.at[i - 1].to_ps);
    m->failed |= !input_spans_between(&gaps, &m->spans) || !input_account_open(&account, &gaps);
    struct input_sweep sweep = sweep_of(m, &account);
    if (!m->failed) {
        m->failed = !input_sweep_program(&sweep, m->spans.program);
        for (int c = 0; c <= XPD_INPUT_PREPROCESS; c++)
            xpd_grow_i64(&input_ps, account.all[c]);
    }
    input_account_close(&account);
    XPD_VEC_FINI(&gaps);
    return length_ps > 0 && (double)input_ps > IN_GAPS * (double)length_ps;
}

static int find_busy(struct making *m, struct xpd_time_range range, struct xpd_err *err)
{
    m->busy.count = m->fetch_idle.count = 0;
    int rc = input_busy(&m->busy, m->view, m->ask->table, range, err);
    m->failed |= rc == XPD_OK && !input_without(&m->fetch_idle, &m->fetches, &m->busy);
    return rc;
}

/* Where the program waits between the marks, a step reaches over the gap before it. Only fetches of
 * other threads ask when the devices were busy between all of them. */
static int stretch(struct making *m, struct xpd_err *err)
{
    int rc = XPD_OK;
    const struct xpd_input_run *same = m->ask->same;
    if (m->spans.what != XPD_INPUT_MARKS || m->spans.count < 2)
        return rc;
    if (!same && m->fetches.count > 0)
        rc = find_busy(m, xpd_view_all(m->view), err);
    bool waits =
        same ? same->what == XPD_INPUT_PERIODS : rc == XPD_OK && !m->failed && waits_between(m);
    if (waits) {
        input_spans_stretch(&m->spans);
        m->spans.what = XPD_INPUT_PERIODS;
    }
    return rc;
}

/* In the steps that are left; where nothing ran in them, whether anything ever did. */
static int find_busy_in_steps(struct making *m, struct xpd_err *err)
{
    int rc = XPD_OK;
    if (m->busy.count == 0 && m->ask->chosen_count > 0 && m->spans.count > 0)
        rc = find_busy(m, input_spans_range(&m->spans), err);
    if (rc == XPD_OK && m->busy.count == 0)
        rc = find_busy(m, xpd_view_all(m->view), err);
    return rc;
}

static int find_steps(struct making *m, struct xpd_err *err)
{
    m->failed |= !input_spans_find(&m->spans, m->ask, m->name) ||
                 !input_fetches(&m->fetches, m->view, m->name, m->spans.program);
    int rc = m->failed ? XPD_OK : stretch(m, err);
    input_spans_keep(&m->spans, m->ask->chosen, m->ask->chosen_count);
    if (rc == XPD_OK && !m->failed)
        rc = find_busy_in_steps(m, err);
    if (rc != XPD_OK || m->failed)
        return rc;
    m->out->what = m->spans.what;
    m->out->given_count = m->ask->given_count;
    m->out->why_none = m->spans.why_none;
    m->out->program = m->spans.program;
    m->out->launch = m->spans.launch;
    m->out->devices = m->busy.count > 0;
    m->out->step_count = (uint32_t)m->spans.count;
    m->out->step = XPD_NEW_ARRAY(m->arena, struct xpd_input_step, m->spans.count);
    if (m->spans.count == 0 && !m->out->why_none)
        m->out->why_none = "none of the steps asked for was recorded";
    m->failed |= !m->out->step;
    return XPD_OK;
}

/* ---- the program ---- */

static bool keep_waits(struct xpd_input_waits *out, const struct xpd_intervals *input,
                       uint32_t name, struct xpd_arena *arena)
{
    int64_t *start_ps = XPD_NEW_ARRAY(arena, int64_t, input->count);
    int64_t *end_ps = XPD_NEW_ARRAY(arena, int64_t, input->count);
    for (size_t i = 0; start_ps && end_ps && i < input->count; i++) {
        start_ps[i] = input->at[i].start_ps;
        end_ps[i] = input->at[i].end_ps;
    }
    *out = (struct xpd_input_waits){start_ps, end_ps, (uint32_t)input->count, name};
    return start_ps && end_ps;
}

/* By device, host and input: what of each step nothing ran, and why. */
static void split_idle(struct making *m)
{
    struct xpd_intervals input = {0}, transfer = {0};
    xpd_intervals_join(&m->program.input);
    xpd_intervals_join(&m->program.transfer);
    m->failed |= !input_without(&input, &m->program.input, &m->busy) ||
                 !input_without(&transfer, &m->program.transfer, &m->busy);
    for (uint32_t s = 0; m->out->devices && s < m->out->step_count; s++) {
        struct xpd_input_step *step = &m->out->step[s];
        step->busy_ps = xpd_intervals_inside(&m->busy, step->from_ps, step->to_ps);
        step->idle_input_ps = xpd_intervals_inside(&input, step->from_ps, step->to_ps);
        step->idle_transfer_ps = xpd_intervals_inside(&transfer, step->from_ps, step->to_ps);
        step->idle_other_ps = step->to_ps - step->from_ps - step->busy_ps - step->idle_input_ps -
                              step->idle_transfer_ps;
    }
    XPD_VEC_FINI(&input);
    XPD_VEC_FINI(&transfer);
}

/* The event with most of a class of the program, by the claims of its lane. */
static uint32_t most_of(const struct input_account *account, bool input, int64_t *ps)
{
    uint32_t most = XPD_NO_INDEX;
    *ps = -1;
    for (size_t i = 0; i < account->claim.count; i++) {
        const struct input_claim *claim = &account->claim.at[i];
        bool wanted = input ? xpd_input_is_input(claim->class) : claim->class == XPD_INPUT_OTHER;
        if (wanted && claim->name != XPD_NO_INDEX && claim->total_ps > *ps) {
            *ps = claim->total_ps;
            most = claim->name;
        }
    }
    return most;
}

static void look_at_program(struct making *m)
{
    struct xpd_input_run *out = m->out;
    struct input_sweep sweep = sweep_of(m, &m->program);
    int64_t ps;
    m->failed |= !input_sweep_program(&sweep, m->spans.program);
    out->python = sweep.python;
    out->told = sweep.told;
    for (uint32_t s = 0; s < out->step_count; s++) {
        out->step[s].number = m->spans.at[s].number;
        out->step[s].from_ps = m->spans.at[s].from_ps;
        out->step[s].to_ps = m->spans.at[s].to_ps;
        for (int c = 0; c < XPD_INPUT_PARTS; c++)
            out->step[s].part_ps[c] = m->program.sum[c][s];
    }
    split_idle(m);
    out->other_name = most_of(&m->program, false, &out->other_name_ps);
    m->failed |=
        !keep_waits(&out->waits, &m->program.input, most_of(&m->program, true, &ps), m->arena);
}

/* ---- loaders ---- */

enum { LOADS = 1, WORKS = 2, RUNS = 4 }; /* what names of a row are about */

static uint8_t about(const struct making *m, uint32_t number)
{
    const struct input_name *name = &m->name[number];
    const struct xpd_event_name *event = xpd_view_name(m->view, number);
    bool loads = name->kind == KIND_PUT || name->kind == KIND_LOAD || name->tf_stage ||
                 (name->kind == KIND_NOTED && xpd_input_is_input(name->class));
    bool works = name->kind == KIND_OP || name->kind == KIND_LAUNCH;
    return (uint8_t)((loads ? LOADS : 0) | (works ? WORKS : 0) |
                     (event->op || event->tf ? RUNS : 0));
}

/* By row, of threads; whichever steps are asked about. NULL: no memory. */
static const uint8_t *look_at_names(struct making *m)
{
    const struct xpd_trace *trace = m->view->trace;
    uint8_t *of = XPD_NEW_ARRAY(m->arena, uint8_t, (size_t)trace->row_count + 1);
    uint8_t *by_name = malloc((size_t)trace->name_count + 1);
    for (uint32_t n = 0; by_name && n < trace->name_count; n++)
        by_name[n] = about(m, n);
    for (uint32_t row = 0; of && by_name && row < trace->row_count; row++) {
        const struct xpd_trace_row *at = xpd_view_row(m->view, row);
        for (uint32_t d = 0; input_is_thread(m->view, row) && d < at->depth_count; d++) {
            const struct xpd_depth *depth = xpd_view_depth(m->view, row, d);
            for (uint32_t i = 0; i < depth->count; i++)
                of[row] |= by_name[depth->name[i]];
        }
    }
    bool fine = by_name != NULL;
    free(by_name);
    return fine ? of : NULL;
}

/* By its names alone a thread may be one: it reads, hands over, or belongs to tf.data. */
static bool may_load(const struct making *m, uint32_t row)
{
    uint8_t of = m->out->row_names[row];
    bool loads = (of & LOADS) || xpd_tf_is_data_thread(xpd_view_row_caption(m->view, row));
    return loads && !(of & WORKS) && row != m->spans.program && input_is_thread(m->view, row);
}

static int64_t work_of(const struct input_account *a)
{
    int64_t sum_ps = a->all[XPD_INPUT_LOAD];
    xpd_grow_i64(&sum_ps, a->all[XPD_INPUT_PREPROCESS]);
    return sum_ps;
}

/* Adds what one thread did to the steps. */
static void add_to_steps(struct making *m, const struct input_account *a)
{
    for (uint32_t s = 0; s < m->out->step_count; s++) {
        struct xpd_input_step *step = &m->out->step[s];
        int64_t work_ps = a->sum[XPD_INPUT_LOAD][s];
        xpd_grow_i64(&work_ps, a->sum[XPD_INPUT_PREPROCESS][s]);
        xpd_grow_i64(&step->load_ps, a->sum[XPD_INPUT_LOAD][s]);
        xpd_grow_i64(&step->preprocess_ps, a->sum[XPD_INPUT_PREPROCESS][s]);
        xpd_grow_i64(&step->full_ps, a->sum[XPD_INPUT_FULL][s]);
        step->most_ps = work_ps > step->most_ps ? work_ps : step->most_ps;
    }
}

/* The outermost call of a thread with most time: what it is called where it has no name. */
static uint32_t longest_call(const struct input_account *a)
{
    uint32_t most = XPD_NO_INDEX;
    for (size_t i = 0; i < a->claim.count; i++)
        if (a->claim.at[i].name != XPD_NO_INDEX &&
            (most == XPD_NO_INDEX || a->claim.at[i].total_ps > a->claim.at[most].total_ps))
            most = (uint32_t)i;
    return most == XPD_NO_INDEX ? XPD_NO_INDEX : a->claim.at[most].name;
}

static void put_thread(struct making *m, uint32_t row, enum xpd_input_role role,
                       const struct input_account *a)
{
    struct xpd_input_thread *thread = &m->out->thread[m->out->thread_count++];
    *thread = (struct xpd_input_thread){.row = row, .name = XPD_NO_INDEX, .role = (uint8_t)role};
    for (int c = 0; a && c < XPD_INPUT_CLASSES; c++)
        thread->ps[c] = a->all[c];
    if (a)
        thread->name = longest_call(a);
}

/* Of the thread that was listed last. */
static void keep_pieces(struct making *m, const struct input_account *a)
{
    for (size_t i = 0; i < a->piece.count; i++) {
        struct xpd_input_piece piece = a->piece.at[i];
        piece.thread = m->out->thread_count - 1;
        XPD_PUSH(&m->piece, piece);
    }
    m->failed |= m->piece.failed;
}

/* Of the devices: of no thread. */
static void keep_busy(struct making *m)
{
    for (size_t i = 0; i < m->busy.count; i++)
        for (size_t s = input_spans_after(&m->spans, m->busy.at[i].start_ps);
             s < m->spans.count && m->spans.at[s].from_ps < m->busy.at[i].end_ps; s++) {
            struct xpd_input_piece piece = {XPD_NO_INDEX, XPD_INPUT_COMPUTE, m->busy.at[i].start_ps,
                                            m->busy.at[i].end_ps};
            if (piece.from_ps < m->spans.at[s].from_ps)
                piece.from_ps = m->spans.at[s].from_ps;
            if (piece.to_ps > m->spans.at[s].to_ps)
                piece.to_ps = m->spans.at[s].to_ps;
            XPD_PUSH(&m->piece, piece);
        }
    m->failed |= m->piece.failed;
}

/* "tf_data_private_threadpool" of "tf_data_private_threadpool/123". */
static struct xpd_str pool_of(const struct xpd_view *view, uint32_t row)
{
    struct xpd_str name = xpd_view_row_caption(view, row);
    size_t slash = xpd_str_find(name, XPD_STR("/"), false);
    return slash == SIZE_MAX ? name : (struct xpd_str){name.data, slash};
}

/* A thread that works on input for a part of the steps that counts; then it is listed. */
static void try_loader(struct making *m, uint32_t row)
{
    struct input_account account;
    m->failed |= !input_account_open(&account, &m->spans);
    account.keeps = m->ask->pieces;
    struct input_sweep sweep = sweep_of(m, &account);
    m->failed = m->failed || !input_sweep_loader(&sweep, row);
    int64_t counts_ps = work_of(&account);
    xpd_grow_i64(&counts_ps, account.all[XPD_INPUT_FULL]);
    m->is_loader[row] =
        !m->failed && counts_ps > 0 && (double)counts_ps >= A_LOADER * (double)m->out->length_ps;
    if (m->is_loader[row]) {
        put_thread(m, row, XPD_INPUT_LOADER, &account);
        add_to_steps(m, &account);
        keep_pieces(m, &account);
        m->out->loaders++;
    }
    input_account_close(&account);
}

/* All threads of one pool, of which `first` is listed first. */
static void add_pool(struct making *m, uint32_t first)
{
    struct input_account account;
    struct xpd_input_thread *thread = m->out->thread;
    struct xpd_str pool = pool_of(m->view, thread[first].row);
    m->failed |= !input_account_open(&account, &m->spans);
    struct input_sweep sweep = sweep_of(m, &account);
    for (uint32_t t = first; !m->failed && t < m->out->thread_count; t++)
        if (t == first || (pool.size > 0 && xpd_str_eq(pool_of(m->view, thread[t].row), pool)))
            m->failed = !input_sweep_loader(&sweep, thread[t].row);
    input_stages_add(&m->stages, &account, first,
                     1u << XPD_INPUT_LOAD | 1u << XPD_INPUT_PREPROCESS | 1u << XPD_INPUT_TRANSFER |
                         1u << XPD_INPUT_FULL);
    input_account_close(&account);
}

static void look_at_loaders(struct making *m)
{
    const struct xpd_trace *trace = m->view->trace;
    for (uint32_t row = 0; !m->failed && row < trace->row_count; row++)
        if (may_load(m, row))
            try_loader(m, row);
    for (uint32_t t = 0; !m->failed && t < m->out->thread_count; t++) {
        struct xpd_str pool = pool_of(m->view, m->out->thread[t].row);
        bool seen = m->out->thread[t].role != XPD_INPUT_LOADER;
        for (uint32_t i = 0; i < t && !seen; i++)
            seen = pool.size > 0 && m->out->thread[i].role == XPD_INPUT_LOADER &&
                   xpd_str_eq(pool_of(m->view, m->out->thread[i].row), pool);
        if (!seen)
            add_pool(m, t);
    }
}

/* ---- other threads ---- */

static bool runs_operations(const struct making *m, uint32_t row)
{
    return (m->out->row_names[row] & RUNS) && xpd_view_executes(m->view, row);
}

/* What of a row's outermost events lies in the steps. */
static int64_t busy_in_steps(const struct making *m, uint32_t row)
{
    struct xpd_intervals work = {0};
    int64_t sum_ps = 0;
    const struct xpd_trace_row *of = xpd_view_row(m->view, row);
    const struct xpd_depth *depth = of->depth_count > 0 ? xpd_view_depth(m->view, row, 0) : NULL;
    uint32_t first = 0, end = 0;
    if (depth)
        xpd_view_range(m->view, depth, input_spans_range(&m->spans), &first, &end);
    for (uint32_t i = first; i < end; i++) {
        int64_t end_ps = xpd_depth_start(depth, i);
        xpd_grow_i64(&end_ps, xpd_depth_duration(depth, i));
        xpd_intervals_put(&work, INT64_MIN, INT64_MAX, xpd_depth_start(depth, i), end_ps);
    }
    xpd_intervals_join(&work);
    for (size_t s = 0; s < m->spans.count; s++)
        xpd_grow_i64(&sum_ps,
                     xpd_intervals_inside(&work, m->spans.at[s].from_ps, m->spans.at[s].to_ps));
    XPD_VEC_FINI(&work);
    return sum_ps;
}

static void look_at_others(struct making *m)
{
    for (uint32_t row = 0; row < m->view->trace->row_count; row++) {
        if (row == m->spans.program || m->is_loader[row] || !input_is_thread(m->view, row))
            continue;
        put_thread(m, row, runs_operations(m, row) ? XPD_INPUT_DEVICE : XPD_INPUT_RUNTIME, NULL);
    }
    for (uint32_t t = 0; t < m->out->thread_count; t++)
        m->out->thread[t].busy_ps = busy_in_steps(m, m->out->thread[t].row);
}

/* ---- infeed ---- */

static bool is_infeed(const struct xpd_view *view, uint32_t name)
{
    const struct xpd_event_name *of = xpd_view_name(view, name);
    struct xpd_str caption = xpd_view_caption(view, name);
    if (caption.size > 0 && caption.data[0] == '%')
        caption = (struct xpd_str){caption.data + 1, caption.size - 1};
    return xpd_str_eq(xpd_view_text(view, name, of->category), XPD_STR("infeed")) ||
           xpd_str_starts(caption, "infeed");
}

static void add_infeed_row(struct making *m, uint32_t row, const bool *infeed, int64_t *sum_ps)
{
    const struct xpd_trace_row *of = xpd_view_row(m->view, row);
    for (uint32_t d = 0; d < of->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(m->view, row, d);
        for (uint32_t i = 0; i < depth->count; i++) {
            int64_t from_ps = xpd_depth_start(depth, i), to_ps = from_ps;
            xpd_grow_i64(&to_ps, xpd_depth_duration(depth, i));
            for (size_t s = infeed[depth->name[i]] ? input_spans_after(&m->spans, from_ps)
                                                   : m->spans.count;
                 s < m->spans.count && m->spans.at[s].from_ps < to_ps; s++) {
                const struct xpd_input_given *span = &m->spans.at[s];
                int64_t start_ps = from_ps > span->from_ps ? from_ps : span->from_ps;
                xpd_grow_i64(&sum_ps[s], (to_ps < span->to_ps ? to_ps : span->to_ps) - start_ps);
            }
        }
    }
}

/* A SparseCore beside a TensorCore is a process of its own, and never runs infeed. */
static bool may_infeed(const struct xpd_trace *trace, uint32_t process)
{
    return trace->process[process].kind == XPD_PROCESS_TPU;
}

/* Mean of the chips that work. */
static void look_at_infeed(struct making *m)
{
    const struct xpd_trace *trace = m->view->trace;
    bool *infeed = calloc((size_t)trace->name_count + 1, sizeof *infeed), any = false;
    int64_t *sum_ps = calloc(m->spans.count + 1, sizeof *sum_ps), chips = 0;
    m->failed |= !infeed || !sum_ps;
    for (uint32_t n = 0; !m->failed && n < trace->name_count; n++) {
        infeed[n] = is_infeed(m->view, n);
        any |= infeed[n];
    }
    for (uint32_t p = 0; any && p < trace->process_count; p++)
        chips += may_infeed(trace, p) && trace->process[p].event_count > 0;
    for (uint32_t row = 0; chips > 0 && row < trace->row_count; row++)
        if (may_infeed(trace, trace->row[row].process) && xpd_view_executes(m->view, row))
            add_infeed_row(m, row, infeed, sum_ps);
    for (uint32_t s = 0; chips > 0 && s < m->out->step_count; s++) {
        m->out->step[s].infeed_ps = sum_ps[s] / chips;
        m->out->told |= sum_ps[s] > 0;
    }
    free(infeed);
    free(sum_ps);
}

/* ---- main ---- */

static void add_step(struct xpd_input_step *sum, const struct xpd_input_step *step)
{
    for (int c = 0; c < XPD_INPUT_PARTS; c++)
        xpd_grow_i64(&sum->part_ps[c], step->part_ps[c]);
    xpd_grow_i64(&sum->load_ps, step->load_ps);
    xpd_grow_i64(&sum->preprocess_ps, step->preprocess_ps);
    xpd_grow_i64(&sum->full_ps, step->full_ps);
    xpd_grow_i64(&sum->most_ps, step->most_ps);
    xpd_grow_i64(&sum->busy_ps, step->busy_ps);
    xpd_grow_i64(&sum->idle_input_ps, step->idle_input_ps);
    xpd_grow_i64(&sum->idle_transfer_ps, step->idle_transfer_ps);
    xpd_grow_i64(&sum->idle_other_ps, step->idle_other_ps);
    xpd_grow_i64(&sum->infeed_ps, step->infeed_ps);
}

static void add_up(struct xpd_input_run *out)
{
    for (uint32_t s = 0; s < out->step_count; s++)
        add_step(&out->sum, &out->step[s]);
    out->sum.from_ps = out->step[0].from_ps;
    out->sum.to_ps = out->step[out->step_count - 1].to_ps;
}

static bool put_stages(struct making *m)
{
    int64_t *busy_ps = malloc((m->spans.count + 1) * sizeof *busy_ps);
    for (uint32_t s = 0; busy_ps && s < m->out->step_count; s++)
        busy_ps[s] = m->out->step[s].busy_ps;
    input_stages_add(&m->stages, &m->program, m->spans.program == XPD_NO_INDEX ? XPD_NO_INDEX : 0,
                     (1u << XPD_INPUT_PARTS) - 1 - (1u << XPD_INPUT_COMPUTE));
    if (busy_ps)
        input_stages_add_time(&m->stages, XPD_INPUT_COMPUTE, &m->spans, busy_ps);
    free(busy_ps);
    return busy_ps && input_stages_keep(m->out, &m->stages, m->arena);
}

static void look(struct making *m)
{
    struct xpd_input_run *out = m->out;
    for (size_t s = 0; s < m->spans.count; s++)
        xpd_grow_i64(&out->length_ps, m->spans.at[s].to_ps - m->spans.at[s].from_ps);
    out->thread =
        XPD_NEW_ARRAY(m->arena, struct xpd_input_thread, (size_t)m->view->trace->row_count + 1);
    m->is_loader = XPD_NEW_ARRAY(m->arena, bool, (size_t)m->view->trace->row_count + 1);
    out->row_names =
        m->ask->same && m->ask->same->row_names ? m->ask->same->row_names : look_at_names(m);
    m->failed |= !out->thread || !m->is_loader || !out->row_names ||
                 !input_account_open(&m->program, &m->spans);
    if (m->failed)
        return;
    m->program.keeps = m->ask->pieces;
    look_at_program(m);
    if (m->spans.program != XPD_NO_INDEX) {
        put_thread(m, m->spans.program, XPD_INPUT_PROGRAM, &m->program);
        keep_pieces(m, &m->program);
    }
    look_at_loaders(m);
    if (m->ask->pieces)
        keep_busy(m);
    look_at_others(m);
    look_at_infeed(m);
    add_up(out);
    m->failed =
        m->failed || !put_stages(m) || !input_tf_data(out, m->view, m->name, &m->spans, m->arena);
}

int xpd_input_make(struct xpd_input_run *out, const struct xpd_input_ask *ask,
                   struct xpd_arena *arena, struct xpd_err *err)
{
    struct making m = {.ask = ask, .view = ask->view, .out = out, .arena = arena};
    *out = (struct xpd_input_run){.program = XPD_NO_INDEX,
                                  .tf_bounds = XPD_NO_INDEX,
                                  .map_name = XPD_NO_INDEX,
                                  .map_busy_ps = -1,
                                  .map_name_ps = -1,
                                  .other_name = XPD_NO_INDEX,
                                  .waits = {.name = XPD_NO_INDEX}};
    m.name = ask->same ? ask->same->name_facts : input_facts(ask->view, ask->rules, arena);
    out->name_facts = m.name;
    m.failed = !m.name;
    int rc = m.failed ? XPD_OK : find_steps(&m, err);
    if (rc == XPD_OK && !m.failed && m.spans.count > 0)
        look(&m);
    out->piece = XPD_COPY_VEC(arena, &m.piece);
    out->piece_count = out->piece ? m.piece.count : 0;
    m.failed |= !out->piece;
    input_account_close(&m.program);
    XPD_VEC_FINI(&m.piece);
    XPD_VEC_FINI(&m.stages.row);
    XPD_VEC_FINI(&m.busy);
    XPD_VEC_FINI(&m.fetches);
    XPD_VEC_FINI(&m.fetch_idle);
    XPD_VEC_FINI(&m.spans);
    if (rc == XPD_OK && m.failed)
        rc = xpd_no_memory(err, NULL, "for the input analysis");
    return rc;
}
