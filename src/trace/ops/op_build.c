/* What is counted apart while instructions are added up: programs, devices, an instruction on a
 * device. In: their ids. Out: places, made when new. */
#include "op_times.h"

#include "xprofd/base/checked.h"

int xpd_op_no_memory(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, NULL, XPD_NO_OFFSET,
                    "The times of the instructions do not fit the memory budget; raise "
                    "--memory-limit.");
}

uint32_t xpd_op_program_put(struct xpd_op_build *build, bool has_id, uint64_t id, xpd_name_id name)
{
    struct xpd_map64 *map = has_id ? &build->program_of_id : &build->program_of_name;
    uint64_t key = has_id ? id : name;
    uint32_t at = xpd_map64_get(map, key);
    if (at == XPD_NO_INDEX) {
        struct xpd_op_program program = {.id = has_id ? id : 0, .has_id = has_id};
        at = (uint32_t)build->program.count;
        XPD_PUSH(&build->program, program);
        xpd_map64_put(map, key, at);
    }
    if (build->program.failed || map->failed)
        return XPD_NO_INDEX;
    if (build->program.at[at].name == 0)
        build->program.at[at].name = name;
    return at;
}

uint32_t xpd_op_device_put(struct xpd_op_build *build, uint32_t process, int64_t number)
{
    uint64_t key[2] = {process, (uint64_t)number};
    uint64_t hash = xpd_hash(key, sizeof key);
    uint32_t at = xpd_map64_get(&build->device_of, hash);
    if (at == XPD_NO_INDEX) {
        struct xpd_op_device device = {process, number};
        at = (uint32_t)build->device.count;
        XPD_PUSH(&build->device, device);
        xpd_map64_put(&build->device_of, hash, at);
    }
    return build->device.failed || build->device_of.failed ? XPD_NO_INDEX : at;
}

uint32_t xpd_op_slot_put(struct xpd_op_build *build, uint32_t program, xpd_name_id name,
                         uint32_t device)
{
    uint32_t key[3] = {program, name, device};
    uint64_t hash = xpd_hash(key, sizeof key);
    uint32_t at = xpd_map64_get(&build->slot_of, hash);
    if (at == XPD_NO_INDEX) {
        struct xpd_op_slot slot = {program, device, name, {.min_ps = INT64_MAX}};
        at = (uint32_t)build->slot.count;
        XPD_PUSH(&build->slot, slot);
        xpd_map64_put(&build->slot_of, hash, at);
    }
    return build->slot.failed || build->slot_of.failed ? XPD_NO_INDEX : at;
}

static void keep(struct xpd_op_build *build, uint32_t device, const struct xpd_op_run *run)
{
    while (build->kept.count <= device && !build->kept.failed)
        XPD_PUSH(&build->kept, (struct xpd_op_kept){0});
    if (build->kept.failed)
        return;
    struct xpd_op_kept *kept = &build->kept.at[device];
    uint32_t at = (uint32_t)kept->run.count;
    if (kept->piece_number != build->piece_number) {
        struct xpd_op_piece piece = {at, at, kept->inside.count};
        XPD_PUSH(&kept->piece, piece);
        kept->piece_number = build->piece_number;
    }
    XPD_PUSH(&kept->run, *run);
    if (run->inside_ps > 0) {
        struct xpd_op_inside inside = {at, run->inside_ps};
        XPD_PUSH(&kept->inside, inside);
    }
    kept->clockless |= !run->device;
    build->kept.failed |= kept->run.failed || kept->inside.failed || kept->piece.failed ||
                          kept->run.count == XPD_NO_INDEX;
    if (!build->kept.failed)
        kept->piece.at[kept->piece.count - 1].end = at + 1;
}

void xpd_op_take(struct xpd_op_build *build, const struct xpd_op_run *run)
{
    struct xpd_op_slot *slot = &build->slot.at[run->slot];
    int64_t self_ps = run->own_ps - run->inside_ps;
    struct xpd_op_sums one = {.count = 1,
                              .device_count = run->device,
                              .total_ps = run->own_ps,
                              .self_ps = self_ps > 0 ? self_ps : 0,
                              .min_ps = run->own_ps,
                              .max_ps = run->own_ps,
                              .host_total_ps = run->host_ps};
    xpd_op_add_sums(&slot->sums, &one);
    if (build->keeps)
        keep(build, slot->device, run);
}

bool xpd_op_build_failed(const struct xpd_op_build *build)
{
    return build->program.failed || build->device.failed || build->slot.failed ||
           build->kept.failed || build->program_of_id.failed || build->program_of_name.failed ||
           build->device_of.failed || build->slot_of.failed || build->out->names.failed;
}

void xpd_op_add_sums(struct xpd_op_sums *sums, const struct xpd_op_sums *more)
{
    sums->count += more->count;
    sums->device_count += more->device_count;
    xpd_grow_i64(&sums->total_ps, more->total_ps);
    xpd_grow_i64(&sums->self_ps, more->self_ps);
    xpd_grow_i64(&sums->host_total_ps, more->host_total_ps);
    sums->min_ps = more->min_ps < sums->min_ps ? more->min_ps : sums->min_ps;
    sums->max_ps = more->max_ps > sums->max_ps ? more->max_ps : sums->max_ps;
}

void xpd_op_kept_fini(struct xpd_op_kept *kept)
{
    XPD_VEC_FINI(&kept->run);
    XPD_VEC_FINI(&kept->inside);
    XPD_VEC_FINI(&kept->piece);
}

void xpd_op_build_fini(struct xpd_op_build *build)
{
    XPD_VEC_FINI(&build->program);
    XPD_VEC_FINI(&build->device);
    XPD_VEC_FINI(&build->slot);
    for (size_t i = 0; i < build->kept.count; i++)
        xpd_op_kept_fini(&build->kept.at[i]);
    XPD_VEC_FINI(&build->kept);
    xpd_map64_fini(&build->program_of_id);
    xpd_map64_fini(&build->program_of_name);
    xpd_map64_fini(&build->device_of);
    xpd_map64_fini(&build->slot_of);
}
