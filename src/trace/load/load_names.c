/* The table of names: one for each metadata entry of each plane with events, and one more per plane
 * for events whose metadata is in no table.
 *
 * In: the tables of the planes. Out: captions, groups, and what the compiler says of an operation
 * (category, framework operation, source, program, cost), read from the stats of the metadata once.
 * Planes whose stats are called otherwise are not read at all. Events that say otherwise themselves
 * get further names while rows are filled. */
#include "core.h"

#include "xprofd/trace/op_loose.h"
#include "xprofd/trace/op_times.h"
#include "xprofd/trace/tf_op.h"
#include "xprofd/wire/cursor.h"
#include <stdlib.h>

#define WHOLE_BYTES ((uint64_t)1 << 20) /* of one metadata entry; larger ones give no facts */

enum fact { CATEGORY, TF_OP, SOURCE, PROGRAM_ID, FLOPS, MODEL_FLOPS, BYTES, ASYNC, FACT_COUNT };
static const char *const fact_name[FACT_COUNT] = {"hlo_category",   "tf_op", "source",
                                                  "program_id",     "flops", "model_flops",
                                                  "bytes_accessed", "_a"};

struct naming {
    struct xpd_trace_build *build;
    struct xpd_window window;
    struct xpd_map64 program_of; /* program id -> index in space->hlo */
    uint32_t capacity;
    /* of the plane in work */
    uint32_t plane;
    bool device, host, core, gpu;
    bool ops; /* its events say each which operation they are: on GPUs, on a host without chips */
    bool tf;  /* a host without chips, on which TensorFlow ran operations itself */
    uint64_t id[FACT_COUNT];
    uint32_t known;
};

static int no_room(const struct naming *naming, struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, xpd_source_name(naming->build->trace->source), XPD_NO_OFFSET,
                    "The names of the events do not fit the memory budget; raise --memory-limit.");
}

bool xpd_trace_is_internal(struct xpd_str name)
{
    static const char *const internal[] = {"MemoryAllocation",
                                           "MemoryDeallocation",
                                           "PrefetchProduce",
                                           "PrefetchConsume",
                                           "ParallelInterleaveProduce",
                                           "ParallelInterleaveConsume",
                                           "ParallelInterleaveInitializeInput",
                                           "ParallelMapProduce",
                                           "ParallelMapConsume",
                                           "MapAndBatchProduce",
                                           "MapAndBatchConsume",
                                           "ParseExampleProduce",
                                           "ParseExampleConsume"};
    for (size_t i = 0; i < sizeof internal / sizeof *internal; i++)
        if (xpd_str_eq(name, xpd_str_of(internal[i])))
            return true;
    return false;
}

/* ---- facts from stats ---- */

struct stat { /* as written */
    uint64_t id, number;
    double real;
    struct xpd_str text;
    uint32_t kind;
};

static struct stat read_stat(const struct xpd_field *message)
{
    struct xpd_cursor cursor = xpd_cursor_sub(message);
    struct stat stat = {.text = XPD_STR("")};
    struct xpd_field field;
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number == 1) {
            stat.id = field.value;
            continue;
        }
        stat.kind = field.number;
        stat.number = field.value;
        if (field.wire_type == 2)
            stat.text = xpd_field_str(&field);
        if (field.number == 2)
            memcpy(&stat.real, &field.value, sizeof stat.real);
    }
    return stat;
}

static int64_t whole_number(const struct stat *stat)
{
    if (stat->kind == 2)
        return stat->real >= 0 && stat->real < 9e18 ? (int64_t)stat->real : -1;
    int64_t number = stat->kind == 3 || stat->kind == 4 ? (int64_t)stat->number : -1;
    return number >= 0 ? number : -1;
}

/* Text, or the name that a ref stands for (7). */
static xpd_name_id text_of(struct naming *naming, const struct stat *stat)
{
    struct xpd_trace *trace = naming->build->trace;
    const struct xpd_plane_tables *tables = &trace->tables[naming->plane];
    if (stat->kind == 5)
        return xpd_intern_put(&trace->names, stat->text.data, stat->text.size);
    uint32_t index = stat->kind == 7 ? xpd_map64_get(&tables->stat_of, stat->number) : XPD_NO_INDEX;
    return index == XPD_NO_INDEX ? 0 : tables->stat_name[index];
}

static void take_fact(struct naming *naming, const struct stat *stat, enum fact fact,
                      struct xpd_event_name *name)
{
    int64_t number = whole_number(stat);
    switch (fact) {
    case CATEGORY: name->category = text_of(naming, stat); break;
    case TF_OP: name->tf_op = text_of(naming, stat); break;
    case SOURCE: name->source = text_of(naming, stat); break;
    case PROGRAM_ID:
        if (stat->kind == 3 || stat->kind == 4)
            name->program_id = stat->number;
        break;
    case FLOPS: name->flops = number; break;
    case MODEL_FLOPS: name->flops = name->flops < 0 ? number : name->flops; break;
    case BYTES: name->bytes = number; break;
    default: name->async = number != 0; break;
    }
}

static int read_facts(struct naming *naming, const struct xpd_event_metadata *metadata,
                      struct xpd_event_name *name, struct xpd_err *err)
{
    const uint8_t *bytes;
    struct xpd_cursor cursor;
    struct xpd_field field;
    if (metadata->range.size > WHOLE_BYTES)
        return XPD_OK;
    size_t size = (size_t)metadata->range.size;
    int rc = xpd_window_peek(&naming->window, metadata->range.offset, size, &bytes, err);
    if (rc != XPD_OK)
        return rc;
    xpd_cursor_init(&cursor, bytes, size, metadata->range.offset);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number != 5 || field.wire_type != 2)
            continue;
        struct stat stat = read_stat(&field);
        for (int fact = 0; fact < FACT_COUNT; fact++)
            if ((naming->known >> fact & 1) && stat.id == naming->id[fact])
                take_fact(naming, &stat, (enum fact)fact, name);
    }
    return XPD_OK;
}

static void name_program(struct naming *naming, struct xpd_event_name *name)
{
    struct xpd_trace *trace = naming->build->trace;
    if (name->program_id == 0 && naming->device)
        (void)xpd_name_program_id(xpd_intern_get(&trace->names, name->name), &name->program_id);
    uint32_t index =
        name->program_id ? xpd_map64_get(&naming->program_of, name->program_id) : XPD_NO_INDEX;
    if (index == XPD_NO_INDEX)
        return;
    struct xpd_str key = xpd_intern_get(&trace->space->names, trace->space->hlo[index].key);
    name->program = xpd_intern_put(&trace->names, key.data, key.size);
}

/* ---- planes ---- */

static void add_name(struct naming *naming, const struct xpd_event_metadata *metadata,
                     uint32_t index, struct xpd_event_name *name)
{
    *name = (struct xpd_event_name){
        .plane = naming->plane, .metadata = index, .flops = -1, .bytes = -1};
    if (!metadata)
        return;
    name->name = metadata->name;
    name->caption = metadata->display_name ? metadata->display_name : metadata->name;
}

/* Moves data from or to memory space 5, the host's: what xpd_op_group_of says of the instruction.
 * Here its name and its text stand for opcode and shapes. */
static bool is_host_copy(struct xpd_str caption, struct xpd_str hlo_text)
{
    while (caption.size > 0 && caption.data[caption.size - 1] >= '0' &&
           caption.data[caption.size - 1] <= '9')
        caption.size--;
    caption.size -= xpd_str_ends(caption, ".");
    bool copies = xpd_str_eq(caption, XPD_STR("copy")) ||
                  xpd_str_find(caption, XPD_STR("async"), false) != SIZE_MAX ||
                  xpd_str_find(caption, XPD_STR("-start"), false) != SIZE_MAX ||
                  xpd_str_find(caption, XPD_STR("-done"), false) != SIZE_MAX;
    return copies && xpd_str_find(hlo_text, XPD_STR("S(5)"), false) != SIZE_MAX;
}

/* Its name has everything: "dense/MatMul:MatMul". */
static void take_tf_op(struct naming *naming, struct xpd_event_name *name)
{
    struct xpd_intern *names = &naming->build->trace->names;
    struct xpd_str text = xpd_intern_get(names, name->name);
    if (!xpd_tf_computes(text))
        return;
    struct xpd_loose_op op = xpd_op_loose_read(XPD_LOOSE_THREADS, text);
    name->tf = true;
    name->group = (uint8_t)op.group;
    name->category = xpd_intern_put(names, op.category.data, op.category.size);
}

/* What a program computes under the name "fusion.3" only its HLO says. */
static bool take_kind(struct naming *naming, struct xpd_event_name *name)
{
    uint32_t program =
        name->program_id ? xpd_map64_get(&naming->program_of, name->program_id) : XPD_NO_INDEX;
    const struct xpd_op_kind *kind =
        xpd_trace_op_kind(naming->build, program, xpd_op_instruction(naming->build->trace, name));
    if (!kind)
        return false;
    name->group = kind->group;
    name->wait = kind->feed;
    name->category = name->category ? name->category : kind->category;
    return true;
}

/* Without HLO, its category and the words of its name say what it computes. */
static void guess_kind(struct naming *naming, struct xpd_event_name *name, struct xpd_str caption)
{
    struct xpd_intern *names = &naming->build->trace->names;
    if (naming->gpu && name->category == 0) {
        struct xpd_str said = xpd_trace_kernel_category(caption);
        name->category = xpd_intern_put(names, said.data, said.size);
    }
    name->group =
        (uint8_t)xpd_trace_group(xpd_intern_get(names, name->category), caption, naming->device);
    if (naming->device && name->group == XPD_OP_MOVE &&
        is_host_copy(caption, xpd_intern_get(names, name->name)))
        name->group = XPD_OP_HOST;
    name->wait = naming->device && xpd_trace_is_feed(xpd_op_instruction(naming->build->trace, name),
                                                     (enum xpd_op_group)name->group);
}

static void finish_name(struct naming *naming, struct xpd_event_name *name)
{
    struct xpd_trace *trace = naming->build->trace;
    struct xpd_str caption = xpd_intern_get(&trace->names, name->caption);
    bool of_program = naming->device && name->program_id != 0;
    name_program(naming, name);
    if (!of_program || !take_kind(naming, name))
        guess_kind(naming, name, caption);
    name->wait |= xpd_trace_is_wait(caption, naming->device);
    name->half = naming->device && xpd_trace_is_half(caption);
    name->internal =
        naming->host && xpd_trace_is_internal(xpd_intern_get(&trace->names, name->name));
    if (naming->tf)
        take_tf_op(naming, name);
}

bool xpd_trace_plane_runs_tf(const struct xpd_trace *trace, uint32_t plane)
{
    const struct xpd_plane_tables *tables = &trace->tables[plane];
    for (uint32_t i = 0; i < tables->event_count; i++)
        if (xpd_tf_is_executor(xpd_intern_get(&trace->names, tables->event[i].name)))
            return true;
    return false;
}

static const char *const single_name[XPD_SINGLE_COUNT] = {
    "step_name", "tf_op", "source", "_a", "hlo_module", "program_id", "hlo_op"};

static bool wants_single(const struct naming *naming, int single)
{
    if (single == XPD_SINGLE_STEP_NAME)
        return true;
    return single <= XPD_SINGLE_ASYNC ? naming->core : naming->ops;
}

static void find_ids(struct naming *naming, struct xpd_plane_names *plane)
{
    struct xpd_trace *trace = naming->build->trace;
    const struct xpd_plane_tables *tables = &trace->tables[naming->plane];
    naming->known = 0;
    for (int fact = 0; fact < FACT_COUNT; fact++)
        if (xpd_plane_stat_id(tables, &trace->names, xpd_str_of(fact_name[fact]),
                              &naming->id[fact]))
            naming->known |= 1u << fact;
    for (int i = 0; i < XPD_SINGLE_COUNT; i++) {
        uint64_t *id = &plane->single_id[plane->wanted.mark_count];
        if (!wants_single(naming, i) ||
            !xpd_plane_stat_id(tables, &trace->names, xpd_str_of(single_name[i]), id))
            continue;
        plane->single[plane->wanted.mark_count++] = (uint8_t)i;
        plane->wants_async |= i == XPD_SINGLE_ASYNC;
    }
    plane->wanted.mark_id = plane->single_id;
    plane->wanted.has_device = xpd_plane_stat_id(
        tables, &trace->names, XPD_STR("device_duration_ps"), &plane->wanted.device_duration_id);
    plane->wanted.has_device_start = xpd_plane_stat_id(
        tables, &trace->names, XPD_STR("device_offset_ps"), &plane->wanted.device_offset_id);
}

static int name_plane(struct naming *naming, uint32_t index, struct xpd_err *err)
{
    struct xpd_trace *trace = naming->build->trace;
    struct xpd_plane_names *plane = &naming->build->plane[index];
    const struct xpd_plane_tables *tables = &trace->tables[index];
    int64_t device;
    struct xpd_str plane_name =
        xpd_intern_get(&trace->space->names, trace->space->plane[index].name);
    enum xpd_process_kind kind = xpd_trace_process_kind(plane_name, &device);
    naming->plane = index;
    naming->host = kind == XPD_PROCESS_HOST;
    naming->device = kind <= XPD_PROCESS_CUSTOM;
    naming->core = kind == XPD_PROCESS_TPU;
    naming->gpu = kind == XPD_PROCESS_GPU;
    bool alone = naming->host && !xpd_trace_has_devices(trace);
    naming->ops = naming->gpu || alone;
    naming->tf = alone && xpd_trace_plane_runs_tf(trace, index);
    find_ids(naming, plane);
    plane->first = trace->name_count;
    plane->unknown = plane->first + tables->event_count;
    plane->wanted.metadata_base = plane->first;
    for (uint32_t i = 0; i < tables->event_count; i++) {
        struct xpd_event_name *name = &trace->name[plane->first + i];
        add_name(naming, &tables->event[i], i, name);
        int rc = naming->known ? read_facts(naming, &tables->event[i], name, err) : XPD_OK;
        if (rc != XPD_OK)
            return rc;
        finish_name(naming, name);
        plane->has_internal |= name->internal;
    }
    add_name(naming, NULL, XPD_NO_METADATA, &trace->name[plane->unknown]);
    trace->name_count = plane->unknown + 1;
    return trace->names.failed ? no_room(naming, err) : XPD_OK;
}

static int load_tables(struct naming *naming, struct xpd_err *err)
{
    struct xpd_trace *trace = naming->build->trace;
    const struct xpd_xspace *space = trace->space;
    uint64_t names = 0;
    for (uint32_t i = 0; i < space->plane_count; i++) {
        if (space->plane[i].event_count == 0)
            continue;
        int rc = xpd_plane_tables_load(&trace->tables[i], trace->source, &space->plane[i],
                                       &trace->names, &trace->arena, &trace->warnings, err);
        if (rc != XPD_OK)
            return rc;
        names += (uint64_t)trace->tables[i].event_count + 1;
    }
    if (names > UINT32_MAX / 2)
        return no_room(naming, err);
    trace->name = XPD_NEW_ARRAY(&trace->arena, struct xpd_event_name, (size_t)names);
    return trace->name ? XPD_OK : no_room(naming, err);
}

int xpd_trace_names(struct xpd_trace_build *build, struct xpd_err *err)
{
    struct naming naming = {.build = build};
    const struct xpd_xspace *space = build->trace->space;
    int rc = load_tables(&naming, err);
    for (uint32_t i = 0; i < space->hlo_count; i++)
        xpd_map64_put(&naming.program_of, space->hlo[i].program_id, i);
    if (rc == XPD_OK && naming.program_of.failed)
        rc = no_room(&naming, err);
    if (rc == XPD_OK)
        rc = xpd_window_init(&naming.window, build->trace->source, err);
    for (uint32_t i = 0; rc == XPD_OK && i < space->plane_count; i++)
        if (space->plane[i].event_count != 0)
            rc = name_plane(&naming, i, err);
    xpd_window_fini(&naming.window);
    xpd_map64_fini(&naming.program_of);
    return rc;
}
