/* The operations of several hosts together: their times, and their executions.
 *
 * In: a joined trace, the parts of each host. Out: the same with the numbers of the joined trace.
 * Operations of two hosts are one if their program (same_program) and name are the same; devices
 * stay separate, so each host's sums are in the shares. */
#include "../load/core.h"
#include "../ops/op_times.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/join.h"

#include <stdlib.h>

/* ---- which programs are the same ---- */

struct ran { /* a program on a host */
    const struct xpd_op_program *of;
    struct xpd_str name; /* as its events say, else its HLO; "" = nothing does */
    uint64_t likeness;   /* of its HLO; 0 = the file of the host does not hold it */
    uint32_t program;    /* of the build; XPD_NO_INDEX = not placed yet */
};

static struct ran ran_of(const struct xpd_trace *trace, const struct xpd_op_times *times,
                         const struct xpd_op_program *of)
{
    struct ran ran = {
        .of = of, .name = xpd_intern_get(&times->names, of->name), .program = XPD_NO_INDEX};
    uint32_t at = of->loose ? XPD_NO_INDEX : xpd_trace_hlo_of(trace->space, of->id, ran.name);
    struct xpd_hlo *hlo = at == XPD_NO_INDEX ? NULL : xpd_trace_hlo(trace, at);
    if (at != XPD_NO_INDEX && ran.name.size == 0)
        ran.name = xpd_intern_get(&trace->space->names, trace->space->hlo[at].name);
    if (hlo)
        ran.likeness = xpd_hlo_likeness(hlo);
    xpd_hlo_free(hlo);
    return ran;
}

static bool one_id(const struct ran *a, const struct ran *b)
{
    return a->of->loose == b->of->loose && a->of->has_id == b->of->has_id && a->of->id == b->of->id;
}

/* One program: of one name, and the HLO of both is the same. Where a file does not hold it the id
 * decides (without ids the name): a TPU's is computed from the program, that of others is a number
 * in order, which the hosts of one job count alike. */
static bool same_program(const struct ran *a, const struct ran *b)
{
    if (a->of->loose || b->of->loose)
        return a->of->loose == b->of->loose;
    if (a->name.size > 0 && b->name.size > 0 && !xpd_str_eq(a->name, b->name))
        return false;
    if (a->likeness && b->likeness)
        return a->likeness == b->likeness;
    return one_id(a, b);
}

/* ---- times ---- */

struct joining {
    struct xpd_op_build build;
    struct xpd_op_part *part;
    struct ran **ran;          /* by part, by program of its times */
    XPD_VEC(struct ran) first; /* by program of the build: where it was met first */
    XPD_VEC(uint32_t) last;    /* likewise: the last part that has it */
};

static void put_program(struct joining *j, struct ran *ran, uint32_t part, uint32_t at)
{
    if (at == j->first.count) {
        struct xpd_op_program program = {.id = ran->of->id,
                                         .has_id = ran->of->has_id,
                                         .loose = ran->of->loose,
                                         .likeness = ran->likeness};
        program.name = xpd_intern_put(&j->build.out->names, ran->name.data, ran->name.size);
        XPD_PUSH(&j->build.program, program);
        XPD_PUSH(&j->first, *ran);
        XPD_PUSH(&j->last, part);
    }
    if (j->build.program.failed || j->first.failed || j->last.failed)
        return;
    ran->program = at;
    j->last.at[at] = part;
}

/* Those of one id first, so that a program that a host compiled twice meets its twin. Programs of
 * one host are never one. */
static void place_programs(struct joining *j, uint32_t part, bool by_id)
{
    uint32_t count = j->part[part].times->program_count;
    for (uint32_t p = 0; p < count; p++) {
        struct ran *ran = &j->ran[part][p];
        size_t at = 0;
        while (at < j->first.count &&
               (j->last.at[at] == part || (by_id && !one_id(&j->first.at[at], ran)) ||
                !same_program(&j->first.at[at], ran)))
            at++;
        if (ran->program == XPD_NO_INDEX && (at < j->first.count || !by_id))
            put_program(j, ran, part, (uint32_t)at);
    }
}

static void add_ops(struct joining *j, const struct xpd_op_times *times, uint32_t first_process,
                    const struct ran *ran)
{
    for (uint32_t o = 0; o < ran->of->op_count; o++) {
        const struct xpd_op *op = &times->op[ran->of->first_op + o];
        struct xpd_str name = xpd_intern_get(&times->names, op->name);
        xpd_name_id id = xpd_intern_put(&j->build.out->names, name.data, name.size);
        for (uint32_t s = 0; s < op->share_count; s++) {
            const struct xpd_op_share *share = &times->share[op->first_share + s];
            const struct xpd_op_device *device = &times->device[share->device];
            uint32_t put =
                xpd_op_device_put(&j->build, first_process + device->process, device->number);
            uint32_t slot = xpd_op_slot_put(&j->build, ran->program, id, put);
            if (xpd_op_build_failed(&j->build))
                return;
            j->build.slot.at[slot].sums = share->sums;
            xpd_op_slot_kind(&j->build, slot, xpd_intern_get(&times->names, op->category),
                             op->group, op->said);
            j->build.slot.at[slot].most_count = s == 0 ? op->most_count : 0; /* of the host */
        }
    }
}

static bool add_part(struct joining *j, uint32_t part)
{
    const struct xpd_trace_host *host = &j->build.trace->part[part];
    const struct xpd_op_times *times = j->part[part].times;
    struct ran *ran = j->ran[part] = calloc((size_t)times->program_count + 1, sizeof *ran);
    if (!ran)
        return false;
    for (uint32_t p = 0; p < times->program_count; p++)
        ran[p] = ran_of(host->trace, times, &times->program[p]);
    place_programs(j, part, true);
    place_programs(j, part, false);
    for (uint32_t p = 0; p < times->program_count && !xpd_op_build_failed(&j->build); p++)
        add_ops(j, times, host->first_process, &ran[p]);
    j->build.out->unchecked += times->unchecked;
    return !xpd_op_build_failed(&j->build) && !j->first.failed && !j->last.failed;
}

static bool keep_parts(struct joining *j)
{
    struct xpd_op_times *out = j->build.out;
    for (uint32_t i = 0; i < out->part_count; i++) {
        uint32_t count = j->part[i].times->program_count;
        uint32_t *program = XPD_NEW_ARRAY(&out->arena, uint32_t, count);
        for (uint32_t p = 0; program && p < count; p++)
            program[p] = j->build.program_place[j->ran[i][p].program];
        j->part[i].program = program;
    }
    return !out->arena.failed;
}

/* Whether any of a host's times are by the device's clock: then all are. */
static bool by_device(const struct xpd_op_times *times)
{
    for (uint32_t p = 0; p < times->program_count; p++)
        if (times->program[p].device_count > 0)
            return true;
    return false;
}

/* Where the times of some hosts are by the host's clock, those of the others are made so as well: a
 * sum over two clocks would be of neither. */
static int choose_parts(struct joining *j, const struct xpd_op_times *const *of, uint64_t budget,
                        struct xpd_err *err)
{
    bool any[2] = {false, false};
    int rc = XPD_OK;
    for (uint32_t i = 0; i < j->build.out->part_count; i++) {
        j->part[i].times = of[i];
        if (of[i]->program_count > 0)
            any[by_device(of[i])] = true;
    }
    for (uint32_t i = 0; rc == XPD_OK && any[false] && i < j->build.out->part_count; i++) {
        struct xpd_op_times *own;
        if (!by_device(of[i]))
            continue;
        rc = xpd_op_times_by_host(&own, j->build.trace->part[i].trace, budget, err);
        if (rc == XPD_OK)
            j->part[i] = (struct xpd_op_part){.times = own, .own = true};
    }
    j->build.out->host_clock = any[false] && any[true];
    return rc;
}

static int join_times(struct joining *j, const struct xpd_op_times *const *of, uint64_t budget,
                      struct xpd_err *err)
{
    struct xpd_op_times *out = j->build.out;
    out->part_count = j->build.trace->part_count;
    out->part = j->part = XPD_NEW_ARRAY(&out->arena, struct xpd_op_part, out->part_count);
    j->ran = calloc((size_t)out->part_count + 1, sizeof *j->ran);
    int rc = j->part && j->ran ? choose_parts(j, of, budget, err) : xpd_op_no_memory(err);
    bool fine = rc == XPD_OK;
    for (uint32_t i = 0; fine && i < out->part_count; i++)
        fine = add_part(j, i);
    if (rc == XPD_OK)
        rc = fine ? xpd_op_freeze(&j->build, err) : xpd_op_no_memory(err);
    if (rc == XPD_OK && !keep_parts(j))
        rc = xpd_op_no_memory(err);
    for (uint32_t i = 0; j->ran && i < out->part_count; i++)
        free(j->ran[i]);
    free(j->ran);
    XPD_VEC_FINI(&j->first);
    XPD_VEC_FINI(&j->last);
    xpd_op_build_fini(&j->build);
    return rc;
}

int xpd_join_op_times(struct xpd_op_times **out, const struct xpd_trace *joined,
                      const struct xpd_op_times *const *of, uint64_t budget_bytes,
                      struct xpd_err *err)
{
    struct xpd_op_times *times = calloc(1, sizeof *times);
    *out = NULL;
    if (!times)
        return xpd_op_no_memory(err);
    xpd_arena_init(&times->arena, budget_bytes);
    xpd_intern_init(&times->names, &times->arena);
    struct joining joining = {.build = {.trace = joined, .out = times}};
    int rc = join_times(&joining, of, budget_bytes, err);
    if (rc == XPD_OK)
        *out = times;
    else
        xpd_op_times_free(times);
    return rc;
}

const struct xpd_op_program *xpd_op_program_joined(const struct xpd_op_times *times, uint32_t part,
                                                   const struct xpd_op_program *of)
{
    const struct xpd_op_part *at = &times->part[part];
    return &times->program[at->program[of - at->times->program]];
}

/* ---- executions ---- */

/* By op of the host: that of all; NULL without memory. */
static uint32_t *ops_of(const struct xpd_op_times *times, uint32_t part)
{
    const struct xpd_op_times *of = times->part[part].times;
    uint32_t *op = calloc((size_t)of->op_count + 1, sizeof *op);
    for (uint32_t p = 0; op && p < of->program_count; p++) {
        const struct xpd_op_program *from = &of->program[p];
        const struct xpd_op_program *to = xpd_op_program_joined(times, part, from);
        for (uint32_t i = from->first_op; i < from->first_op + from->op_count; i++)
            op[i] = (uint32_t)(xpd_op_of(times, to, xpd_intern_get(&of->names, of->op[i].name)) -
                               times->op);
    }
    return op;
}

/* Columns of a device under the numbers of all; what is the same is the host's. */
static bool add_device(struct xpd_arena *arena, struct xpd_op_device_runs *to,
                       const struct xpd_op_device_runs *from, const uint32_t *op, int64_t shift_ps)
{
    uint32_t *renamed = XPD_NEW_ROOM(arena, uint32_t, from->count);
    int64_t *moved = shift_ps != 0 ? XPD_NEW_ROOM(arena, int64_t, from->count) : NULL;
    *to = *from;
    to->run = NULL; /* steps are of each host by itself */
    to->run_count = 0;
    if (!renamed || (shift_ps != 0 && !moved))
        return false;
    for (uint32_t i = 0; i < from->count; i++)
        renamed[i] = op[from->op[i]];
    for (uint32_t i = 0; moved && i < from->count; i++) {
        bool overflow = false;
        moved[i] = xpd_add_i64(from->start_ps[i], shift_ps, &overflow);
    }
    to->op = renamed;
    to->start_ps = moved ? moved : from->start_ps;
    return true;
}

/* Where its executions stand in the trace of all. */
static void borrow_device(struct xpd_op_device_runs *to, const struct xpd_op_device_runs *from,
                          const struct xpd_trace *joined, uint32_t part, const uint32_t *op_of_name)
{
    const struct xpd_trace_host *host = &joined->part[part];
    *to = *from;
    to->trace = joined;
    to->depth = &joined->depth[host->first_depth + (from->depth - host->trace->depth)];
    to->op_of_name = op_of_name;
}

/* By name of the trace of all: what the names of a host are for its own executions. */
static void put_names(uint32_t *op_of_name, const struct xpd_trace_host *host,
                      const struct xpd_op_runs *of, const uint32_t *op)
{
    for (uint32_t n = 0; of->op_of_name && n < host->trace->name_count; n++) {
        uint32_t at = of->op_of_name[n];
        op_of_name[host->first_name + n] = at < of->times->op_count ? op[at] : XPD_NO_INDEX;
    }
}

static bool join_host(struct xpd_op_runs *out, const struct xpd_trace *joined, uint32_t part,
                      const struct xpd_op_runs *of, uint32_t first_device, uint32_t *op_of_name)
{
    uint32_t *op = ops_of(out->times, part);
    bool fine = op != NULL;
    if (fine)
        put_names(op_of_name, &joined->part[part], of, op);
    for (uint32_t d = 0; fine && d < of->device_count; d++)
        if (of->device[d].trace)
            borrow_device(&out->device[first_device + d], &of->device[d], joined, part, op_of_name);
        else
            fine = add_device(&out->arena, &out->device[first_device + d], &of->device[d], op,
                              joined->part[part].shift_ps);
    free(op);
    return fine;
}

/* Those of a host, by the clock of its times in the join. */
static const struct xpd_op_runs *runs_of(const struct xpd_op_runs *out,
                                         const struct xpd_op_runs *const *of, uint32_t part)
{
    return out->own[part] ? out->own[part] : of[part];
}

static int make_own(struct xpd_op_runs *out, const struct xpd_trace *joined, uint64_t budget,
                    struct xpd_err *err)
{
    int rc = XPD_OK;
    out->own = XPD_NEW_ARRAY(&out->arena, struct xpd_op_runs *, joined->part_count);
    if (!out->own)
        return xpd_op_no_memory(err);
    out->own_count = joined->part_count;
    for (uint32_t i = 0; rc == XPD_OK && i < joined->part_count; i++)
        if (out->times->part[i].own)
            rc = xpd_op_runs_make(&out->own[i], joined->part[i].trace, out->times->part[i].times,
                                  budget, err);
    return rc;
}

static bool join_runs(struct xpd_op_runs *out, const struct xpd_trace *joined,
                      const struct xpd_op_runs *const *of)
{
    uint32_t device = 0; /* of all: sorted by process, so those of a host are one after another */
    uint32_t *op_of_name = NULL;
    bool fine = true;
    out->device = XPD_NEW_ARRAY(&out->arena, struct xpd_op_device_runs, out->device_count);
    for (uint32_t i = 0; i < joined->part_count; i++)
        if (of[i]->op_of_name && !op_of_name)
            op_of_name = XPD_NEW_ARRAY(&out->arena, uint32_t, joined->name_count);
    out->op_of_name = op_of_name;
    for (uint32_t i = 0; fine && !out->arena.failed && i < joined->part_count; i++) {
        const struct xpd_op_runs *host = runs_of(out, of, i);
        fine = join_host(out, joined, i, host, device, op_of_name);
        device += host->device_count;
    }
    return fine && !out->arena.failed;
}

int xpd_join_op_runs(struct xpd_op_runs **out, const struct xpd_trace *joined,
                     const struct xpd_op_times *times, const struct xpd_op_runs *const *of,
                     uint64_t budget_bytes, struct xpd_err *err)
{
    struct xpd_op_runs *runs = calloc(1, sizeof *runs);
    *out = NULL;
    if (!runs)
        return xpd_op_no_memory(err);
    xpd_arena_init(&runs->arena, budget_bytes);
    runs->times = times;
    runs->device_count = times->device_count;
    int rc = make_own(runs, joined, budget_bytes, err);
    if (rc == XPD_OK && !join_runs(runs, joined, of))
        rc = xpd_op_no_memory(err);
    if (rc == XPD_OK)
        *out = runs;
    else
        xpd_op_runs_free(runs);
    return rc;
}
