/* Executions that a GPU's host started and the profile does not hold: the GPU's tracer drops events
 * when its buffers are full, and says nothing. In: launches that the host's runtime recorded
 * (run_ids.c), op times. Out: the program that lacks most. */
#include "../load/core.h"
#include "xprofd/trace/op_times.h"

#include <inttypes.h>

static bool has_gpu(const struct xpd_trace *trace)
{
    for (uint32_t i = 0; i < trace->process_count; i++)
        if (trace->process[i].kind == XPD_PROCESS_GPU && trace->process[i].event_count > 0)
            return true;
    return false;
}

/* An operation runs at least once in each execution, unless all operations are inside branches. */
static uint64_t most_events(const struct xpd_op_times *times, const struct xpd_op_program *program)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < program->op_count; i++) {
        uint64_t count = times->op[program->first_op + i].sums.count;
        most = count > most ? count : most;
    }
    return most;
}

bool xpd_lost_runs_of(struct xpd_lost_runs *out, const struct xpd_trace *trace,
                      const struct xpd_op_times *times)
{
    uint32_t found = 0;
    *out = (struct xpd_lost_runs){0};
    if (!trace->space || !has_gpu(trace))
        return false;
    for (uint32_t p = 0; p < times->program_count; p++) {
        const struct xpd_op_program *program = &times->program[p];
        uint32_t at = program->loose != XPD_LOOSE_NOT
                          ? XPD_NO_INDEX
                          : xpd_trace_hlo_of(trace->space, program->id,
                                             xpd_intern_get(&times->names, program->name));
        if (at == XPD_NO_INDEX || !trace->space->hlo[at].run_count_known)
            continue;
        uint64_t started = trace->space->hlo[at].run_count, recorded = most_events(times, program);
        if (recorded == 0 || recorded >= started - started / 10)
            continue;
        if (found++ == 0 || started - recorded > out->started - out->recorded)
            *out = (struct xpd_lost_runs){
                .name = xpd_intern_get(&trace->space->names, trace->space->hlo[at].name),
                .started = started,
                .recorded = recorded};
    }
    out->others = found > 0 ? found - 1 : 0;
    return found > 0;
}

const char *xpd_lost_runs_text(const struct xpd_lost_runs *lost, struct xpd_arena *arena)
{
    const char *others =
        lost->others == 0
            ? ""
            : xpd_arena_printf(arena, " (%" PRIu32 " other program%s a tenth or more)",
                               lost->others, lost->others == 1 ? " lacks" : "s lack");
    return xpd_arena_printf(
        arena,
        "the host started %.*s %" PRIu64 " times over all GPUs, and at most %" PRIu64
        " of these executions are in the profile%s: the rest ran after the recording ended, or the "
        "GPU's tracer dropped it",
        (int)(lost->name.size < 120 ? lost->name.size : 120), lost->name.data, lost->started,
        lost->recorded, others ? others : "");
}
