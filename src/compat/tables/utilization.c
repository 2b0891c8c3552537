/* tag=utilization_viewer: what the hardware counters of a TPU say of its units, each against what
 * it could do in the cycles of the sample. XProf knows two kinds of chips. A counter is known by
 * the address of its register; registers of one kind lie at equal distances, so that a chip is a
 * few numbers. Rules: XProf's tpu_generic_utilization_utils.cc. */
#include "../opstats/file_events.h"
#include "../opstats/walk.h"
#include "tables.h"

#include "xprofd/base/vec.h"

#include <inttypes.h>
#include <stdlib.h>

struct use {
    double host, device, sample, node, achieved, peak;
    struct xpd_str name, unit;
};
static const struct xpd_column use_columns[] = {
    XPD_COLUMN(struct use, host, "Host"),     XPD_COLUMN(struct use, device, "Device"),
    XPD_COLUMN(struct use, sample, "Sample"), XPD_COLUMN(struct use, node, "Node"),
    XPD_COLUMN(struct use, name, "Name"),     XPD_COLUMN(struct use, achieved, "Achieved"),
    XPD_COLUMN(struct use, peak, "Peak"),     XPD_COLUMN(struct use, unit, "Unit"),
};

/* ---- chips ---- */

enum { CORES_MAX = 2, SPARSE_MAX = 4, TILES = 16, REGISTER = 8, MXUS = 2, BYTES_OF_BEAT = 32 };
enum { BYTES_OF_FLIT = 128, VECTOR_SLOTS = 4 };
#define GIBI 1073741824.0

struct chip {
    const char *type;             /* device_type_string */
    uint32_t cores;               /* TensorCores */
    uint64_t xlu_cycles;          /* of an instruction */
    double hz, hbm_per_s;         /* clock, bytes */
    uint64_t core[CORES_MAX];     /* the counter of cycles; the others follow it */
    uint64_t throttle[CORES_MAX]; /* cycles with those skipped; 0 = it counts none */
    uint64_t behind_matmul;       /* from there to MXU_BUSY_0; what follows keeps its distance */
    bool integers;                /* the MXU multiplies them, and says so */
    uint64_t hbm[CORES_MAX], hbm_stride, hbm_channels;
    uint64_t ici, ici_stride, ici_writes, ici_count;
    uint32_t sparse_count;
    uint64_t sparse[SPARSE_MAX], tile_stride; /* cycles of the first tile */
    uint64_t scalar, vector, vector_stride, sequencer;
    const char *vector_name[8]; /* issue, then the slots in the order of XProf's rows */
};

#define VECTOR_NAMES(blank)                                                                        \
    {                                                                                              \
        "SC Vector Issue", "SC Vector Issue:" blank "V0 Slot", "SC Vector Issue: V1 Slot",         \
            "SC Vector Issue: V2 Slot", "SC Vector Issue: VLD Slot", "SC Vector Issue: VST Slot",  \
            "SC Vector Issue:" blank "VEX Slot", "SC Vector Issue:" blank "VRES Slot"              \
    }

static const struct chip chips[] = {
    {.type = "TPU v6 Lite",
     .cores = 1,
     .xlu_cycles = 4,
     .hz = 1.75e9,
     .hbm_per_s = 1525.5 * GIBI,
     .core = {3257466888},
     .behind_matmul = 512,
     .integers = true,
     .hbm = {3019980824},
     .hbm_stride = 2097152,
     .hbm_channels = 32,
     .ici = 2953257136,
     .ici_stride = 56,
     .ici_writes = 112,
     .ici_count = 2,
     .sparse_count = 2,
     .sparse = {3490185224, 3534225416},
     .tile_stride = 2097152,
     .scalar = 480,
     .vector = 952,
     .vector_stride = 2097152,
     .sequencer = 42008576,
     .vector_name = VECTOR_NAMES("")},
    {.type = "TPU v7x",
     .cores = 2,
     .xlu_cycles = 1,
     .hz = 1.9e9,
     .hbm_per_s = 3433.0 * GIBI,
     .core = {2791874568, 3328745480},
     .throttle = {2847490056, 3384360968},
     .behind_matmul = 448,
     .hbm = {2705724440, 3242595352},
     .hbm_stride = 131072,
     .hbm_channels = 64,
     .ici = 3238449440,
     .ici_stride = 32768,
     .ici_writes = 56,
     .ici_count = 4,
     .sparse_count = 4,
     .sparse = {2792513544, 2819776520, 3329384456, 3356647432},
     .tile_stride = 1048576,
     .scalar = 8,
     .vector = 16769032,
     .vector_stride = 524288,
     .sequencer = 25407488,
     .vector_name = VECTOR_NAMES(" ")},
};

/* Of a TensorCore, from its counter of cycles on. */
enum {
    SCALAR_ALU = 80,
    VECTOR_ALU = 248,
    STORE = 280,
    LOAD = 296,
    MATMUL = 384, /* VREG F32, BF16, F8 (I8, I4), LMR BF16 (I8, I4), of two MXUs each */
    VPU_OPERATIONS = 1688,
    VPU_COUNTERS = 20
};
enum { /* from MXU_BUSY_0 on */
       MATPUSH = 40,
       PERMUTE = 72, /* rotations, sets of them, transposes, packed ones, of two XLUs each */
       XLU_BUSY = 136
};

/* ---- a sample ---- */

struct counted {
    uint64_t id, order, value;
};
struct uses {
    XPD_VEC(struct use) list;
};
struct sample {
    const struct chip *chip;
    double device, number; /* id of the device, of the line */
    struct counted *counted;
    size_t count;
    struct uses *uses;
};

static int by_id(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* The last one of that id; 0 = none. */
static uint64_t value_of(const struct sample *sample, uint64_t id)
{
    size_t low = 0, high = sample->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sample->counted[middle].id <= id)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && sample->counted[low - 1].id == id ? sample->counted[low - 1].value : 0;
}

static uint64_t sum_of(const struct sample *sample, uint64_t first, uint64_t count, uint64_t stride)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += value_of(sample, first + i * stride);
    return sum;
}

static void add(struct sample *sample, uint32_t node, const char *name, double achieved,
                double peak, const char *unit)
{
    XPD_PUSH(&sample->uses->list, ((struct use){.device = sample->device,
                                                .sample = sample->number,
                                                .node = node,
                                                .achieved = achieved,
                                                .peak = peak,
                                                .name = xpd_str_of(name),
                                                .unit = xpd_str_of(unit)}));
}

/* ---- units of a TensorCore ---- */

/* Cycles of an MXU by what it multiplies: those of a vector of the register file, of the latched
 * matrix register. */
struct products {
    uint64_t bf16, f8, i8, i4;
};

static struct products products_of(const struct sample *sample, uint64_t core, uint32_t unit)
{
    uint64_t at = core + MATMUL + unit * REGISTER, pair = UINT64_C(2) * REGISTER;
    bool ints = sample->chip->integers;
    struct products p = {0};
    p.bf16 = 4 * value_of(sample, at) + 8 * value_of(sample, at + pair) +
             4 * value_of(sample, at + (ints ? 5 : 3) * pair);
    p.f8 = 8 * value_of(sample, at + 2 * pair);
    if (ints) {
        p.i8 = 8 * value_of(sample, at + 3 * pair) + 2 * value_of(sample, at + 6 * pair);
        p.i4 = 8 * value_of(sample, at + 4 * pair) + 2 * value_of(sample, at + 7 * pair);
        p.bf16 += p.f8; /* XProf counts them as one here, and apart where there are no integers */
        p.f8 = 0;
    }
    return p;
}

static void add_products(struct sample *sample, uint32_t node, uint64_t core, double cycles)
{
    struct products a = products_of(sample, core, 0), b = products_of(sample, core, 1);
    double both = cycles * MXUS;
    add(sample, node, "MXU0", (double)(a.bf16 + a.f8 + a.i8 + a.i4), cycles, "cycles");
    add(sample, node, "MXU1", (double)(b.bf16 + b.f8 + b.i8 + b.i4), cycles, "cycles");
    add(sample, node, "MXU BF16", (double)(a.bf16 + b.bf16), both, "cycles");
    if (!sample->chip->integers) {
        add(sample, node, "MXU E4M3 + E5M2", (double)(a.f8 + b.f8), both, "cycles");
        return;
    }
    add(sample, node, "MXU I8", (double)(a.i8 + b.i8), both, "cycles");
    add(sample, node, "MXU I4", (double)(a.i4 + b.i4), both, "cycles");
}

/* Three counters: cycles in which none, one, two of the units were busy. */
static void add_busy(struct sample *sample, uint32_t node, uint64_t first, double cycles,
                     const char *const name[4])
{
    double busy[3];
    for (uint32_t i = 0; i < 3; i++) {
        busy[i] = (double)value_of(sample, first + (uint64_t)i * REGISTER);
        add(sample, node, name[i], busy[i], cycles, "cycles");
    }
    add(sample, node, name[3], 0.5 * busy[1] + busy[2], cycles, "cycles");
}

static void add_throttle(struct sample *sample, uint32_t node, double cycles)
{
    static const struct {
        const char *name;
        uint64_t at;
    } skipped[] = {{"Clocks Skipped", 8},
                   {"Ext Throttle Clocks Skipped", 32},
                   {"LDIDT Droop Clocks Skipped", 56}};
    uint64_t first = sample->chip->throttle[node];
    for (size_t i = 0; first && i < sizeof skipped / sizeof *skipped; i++)
        add(sample, node, skipped[i].name, (double)value_of(sample, first + skipped[i].at), cycles,
            "cycles");
}

static void add_core(struct sample *sample, uint32_t node)
{
    static const char *const mxu[] = {"No MXU Busy", "1 MXU Busy", "2 MXU Busy", "Avg MXU Busy"};
    static const char *const xlu[] = {"No XLU Busy", "1 XLU Busy", "2 XLUs Busy", "Avg XLU Busy"};
    static const char *const inst = "instructions", *const xlus[] = {"XLU0", "XLU1"};
    const struct chip *chip = sample->chip;
    uint64_t core = chip->core[node], tail = core + chip->behind_matmul;
    uint64_t whole = value_of(sample, chip->throttle[node] ? chip->throttle[node] : core);
    uint64_t permutes = whole / chip->xlu_cycles; /* that could be made */
    double cycles = (double)whole;
    if (whole == 0)
        return;
    add_throttle(sample, node, cycles);
    add(sample, node, "Scalar Unit", (double)sum_of(sample, core + SCALAR_ALU, 2, REGISTER),
        cycles * 2, inst);
    add(sample, node, "Vector ALUs",
        (double)sum_of(sample, core + VECTOR_ALU, VECTOR_SLOTS, REGISTER), cycles * VECTOR_SLOTS,
        inst);
    add(sample, node, "VPU Utilization",
        (double)sum_of(sample, core + VPU_OPERATIONS, VPU_COUNTERS, REGISTER),
        cycles * VECTOR_SLOTS, inst);
    add(sample, node, "Vmem Stores", (double)value_of(sample, core + STORE), cycles, inst);
    add(sample, node, "Vmem Loads", (double)sum_of(sample, core + LOAD, 2, REGISTER), cycles * 2,
        inst);
    add_busy(sample, node, tail, cycles, mxu);
    add_products(sample, node, core, cycles);
    add(sample, node, "MXU matpush", (double)sum_of(sample, tail + MATPUSH, 2, REGISTER),
        cycles * MXUS, "cycles");
    add_busy(sample, node, tail + XLU_BUSY, cycles, xlu);
    for (uint32_t i = 0; i < 2; i++)
        add(sample, node, xlus[i],
            (double)sum_of(sample, tail + PERMUTE + (uint64_t)i * REGISTER, 4,
                           UINT64_C(2) * REGISTER),
            (double)permutes, inst);
}

/* ---- memory and links ---- */

/* Writes, partial ones, reads: two registers each. */
static void add_hbm(struct sample *sample, uint32_t node)
{
    static const char *const name[] = {"HBM Rd+Wr - core 0", "HBM Rd+Wr - core 1"};
    const struct chip *chip = sample->chip;
    uint64_t cycles = value_of(sample, chip->core[node]), read = 0, written = 0;
    for (uint64_t c = 0; c < chip->hbm_channels; c++) {
        uint64_t at = chip->hbm[node] + c * chip->hbm_stride;
        written += sum_of(sample, at, 4, REGISTER) * BYTES_OF_BEAT;
        read += sum_of(sample, at + UINT64_C(4) * REGISTER, 2, REGISTER) * BYTES_OF_BEAT;
    }
    if (cycles == 0)
        return;
    double seconds = (double)cycles / chip->hz, all = (double)(read + written);
    add(sample, 0, name[node ? 1 : 0], all, chip->hbm_per_s * seconds, "bytes");
    if (all > 0) {
        add(sample, node, "HBM Read Ratio", (double)read, all, "percent");
        add(sample, node, "HBM Write Ratio", (double)written, all, "percent");
    }
}

/* XProf takes these cycles for nanoseconds. */
static void add_ici(struct sample *sample)
{
    const struct chip *chip = sample->chip;
    uint64_t cycles = value_of(sample, chip->throttle[0] ? chip->throttle[0] : chip->core[0]);
    double peak = 294947368421.0526 * ((double)cycles / 1e9);
    if (cycles == 0)
        return;
    uint64_t read = sum_of(sample, chip->ici, chip->ici_count, chip->ici_stride);
    uint64_t written =
        sum_of(sample, chip->ici + chip->ici_writes, chip->ici_count, chip->ici_stride);
    add(sample, 0, "ICI (Read)", (double)(read * BYTES_OF_FLIT), peak, "bytes");
    add(sample, 0, "ICI (Write)", (double)(written * BYTES_OF_FLIT), peak, "bytes");
}

/* ---- SparseCores ---- */

static void add_sparse(struct sample *sample, uint32_t node)
{
    static const struct {
        const char *of_tiles, *of_sequencer;
        uint64_t at;
    } scalar[] = {{"TEC Scalar Issue", "SCS Scalar Issue", 0},
                  {"TEC Scalar Issue: S0 slot", "SCS: S0 Slot", 16},
                  {"TEC Scalar Issue: S1 slot", "SCS: S1 Slot", 24},
                  {"TEC Scalar Issue: Smisc slot", "SCS: Smisc Slot", 32}};
    static const uint64_t vector[] = {0, 8, 16, 24, 32, 40, 56, 48};
    enum { SCALARS = sizeof scalar / sizeof *scalar, VECTORS = sizeof vector / sizeof *vector };
    const struct chip *chip = sample->chip;
    uint64_t first = chip->sparse[node], sequencer = first + chip->sequencer;
    double tiles = (double)(value_of(sample, first) * TILES);
    for (size_t i = 0; i < SCALARS; i++)
        add(sample, node, scalar[i].of_tiles,
            (double)sum_of(sample, first + chip->scalar + scalar[i].at, TILES, chip->tile_stride),
            tiles, "instructions");
    for (size_t i = 0; i < VECTORS; i++)
        add(sample, node, chip->vector_name[i],
            (double)sum_of(sample, first + chip->vector + vector[i], TILES, chip->vector_stride),
            tiles, "instructions");
    for (size_t i = 0; i < SCALARS; i++)
        add(sample, node, scalar[i].of_sequencer,
            (double)value_of(sample, sequencer + REGISTER + scalar[i].at),
            (double)value_of(sample, sequencer), "instructions");
}

static void add_sample(struct sample *sample)
{
    if (sample->count == 0)
        return;
    qsort(sample->counted, sample->count, sizeof *sample->counted, by_id);
    for (uint32_t i = 0; i < sample->chip->cores; i++) {
        add_core(sample, i);
        add_hbm(sample, i);
        add_ici(sample); /* again for each core, as XProf has it */
    }
    for (uint32_t i = 0; i < sample->chip->sparse_count; i++)
        add_sparse(sample, i);
}

/* ---- the file ---- */

enum { COUNTER_ID, COUNTER_VALUE, ASKED };
static const char *const asked[ASKED] = {"performance_counter_id", "counter_value"};

struct said { /* by metadata */
    bool read, has_value;
    uint64_t id, value;
};
struct reading {
    struct xpd_ops_walk walk;
    struct xpd_arena scratch;
    struct said *said;
    XPD_VEC(struct counted) counted;
    struct uses uses;
    bool failed;
};

/* A number that is none counts 0; below 0 too. */
static uint64_t whole(double value)
{
    if (!(value >= 0))
        return 0;
    return value >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)value;
}

static const struct said *said_of(struct reading *r, uint32_t metadata)
{
    struct said *said = &r->said[metadata];
    const struct xpd_trace *trace = r->walk.trace;
    struct xpd_stat_value *stat;
    uint32_t count = 0;
    struct xpd_err unread = {0};
    if (said->read)
        return said;
    said->read = true;
    xpd_arena_reset(&r->scratch);
    if (xpd_stats_decode(trace->source, r->walk.tables->event[metadata].range, 5, r->walk.tables,
                         &trace->names, &r->scratch, &stat, &count, &unread) != XPD_OK)
        return said;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = xpd_stat_is_integer(stat[i].type) ? (uint64_t)stat[i].integer : 0;
        if (xpd_str_eq(stat[i].name, xpd_str_of(asked[COUNTER_ID]))) {
            said->id = number;
        } else if (xpd_str_eq(stat[i].name, xpd_str_of(asked[COUNTER_VALUE]))) {
            said->has_value = true;
            said->value = stat[i].type == XPD_STAT_DOUBLE ? whole(stat[i].real) : number;
        }
    }
    return said;
}

static bool take_event(void *user, const struct xpd_ops_event *event)
{
    static const struct said none;
    struct reading *r = user;
    const struct said *said =
        event->metadata == XPD_NO_METADATA ? &none : said_of(r, event->metadata);
    const struct xpd_ops_stat *value = &event->stat[COUNTER_VALUE];
    uint64_t id =
        event->stat[COUNTER_ID].field ? xpd_ops_any_int(&event->stat[COUNTER_ID]) : said->id;
    struct counted one = {.id = id ? id : event->metadata_id, .order = r->counted.count};
    if (!value->field && !said->has_value)
        return true;
    one.value = said->value;
    if (value->field)
        one.value = value->field == 2 ? whole(xpd_ops_double(value)) : xpd_ops_any_int(value);
    if (one.id != 0)
        XPD_PUSH(&r->counted, one);
    return !r->counted.failed;
}

/* The kind of chip and the device's number; NULL where XProf makes nothing of the plane. */
static const struct chip *chip_of(const struct xpd_xspace *space, const struct xpd_plane *plane,
                                  double *device)
{
    const struct chip *chip = NULL;
    bool numbered = false;
    if (!xpd_str_starts(xpd_intern_get(&space->names, plane->name), "/device:TPU:"))
        return NULL;
    for (uint32_t i = 0; i < plane->stat_count; i++) {
        const struct xpd_stat *stat = &plane->stat[i];
        struct xpd_str name = xpd_intern_get(&space->names, stat->name);
        if (xpd_str_eq(name, XPD_STR("device_id"))) {
            int64_t number = xpd_stat_is_integer(stat->type) ? stat->integer : 0;
            *device = (double)number;
            numbered = number != -1;
        } else if (xpd_str_eq(name, XPD_STR("device_type_string")) && stat->type == XPD_STAT_TEXT) {
            chip = NULL;
            for (size_t k = 0; k < sizeof chips / sizeof *chips; k++)
                if (xpd_str_eq(xpd_intern_get(&space->names, stat->text),
                               xpd_str_of(chips[k].type)))
                    chip = &chips[k];
        }
    }
    return numbered ? chip : NULL;
}

static void read_plane(struct reading *r, uint32_t number)
{
    const struct xpd_xspace *space = r->walk.trace->space;
    const struct xpd_plane *plane = &space->plane[number];
    struct sample sample = {.uses = &r->uses};
    sample.chip = chip_of(space, plane, &sample.device);
    if (!sample.chip)
        return;
    xpd_ops_walk_plane(&r->walk, number, asked, ASKED);
    r->said = calloc((size_t)r->walk.tables->event_count + 1, sizeof *r->said);
    r->failed |= !r->said;
    for (uint32_t l = 0; !r->failed && l < plane->line_count; l++) {
        r->counted.count = 0;
        xpd_ops_walk_line(&r->walk, &plane->line[l], take_event, r);
        sample.number = (double)plane->line[l].id;
        sample.counted = r->counted.at;
        sample.count = r->counted.count;
        add_sample(&sample);
        r->failed |= r->counted.failed || r->uses.list.failed;
    }
    free(r->said);
}

static int read_host(struct reading *r, const struct xpd_tool_ctx *ctx, uint32_t number,
                     struct xpd_err *err)
{
    struct xpd_file_host host;
    if (!xpd_host_has_events(&ctx->run->host[number]))
        return XPD_OK;
    int rc = xpd_file_host_open(ctx, number, &host, err);
    if (rc == XPD_OK)
        rc = xpd_ops_walk_init(&r->walk, host.trace, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t p = 0; !r->failed && p < host.trace->space->plane_count; p++)
        read_plane(r, p);
    xpd_ops_walk_fini(&r->walk);
    return XPD_OK;
}

static int utilization(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    struct reading r = {0};
    struct xpd_data_table table = {XPD_COLUMNS(use_columns), .row_bytes = sizeof(struct use)};
    uint32_t first, end;
    int rc = xpd_file_hosts_meant(ctx, &first, &end, err);
    for (uint32_t i = first; rc == XPD_OK && i < end; i++)
        rc = read_host(&r, ctx, i, err);
    table.row = XPD_COPY_VEC(ctx->arena, &r.uses.list);
    table.row_count = (uint32_t)r.uses.list.count;
    if (rc == XPD_OK && (!table.row || r.failed))
        rc = xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                      "the samples of counters do not fit the memory of a request");
    XPD_VEC_FINI(&r.counted);
    XPD_VEC_FINI(&r.uses.list);
    xpd_arena_fini(&r.scratch);
    return rc == XPD_OK ? xpd_tables_alone(out, ctx, &table, err) : rc;
}

const struct xpd_table_tool xpd_table_utilization_viewer = {.tag = "utilization_viewer",
                                                            .make = utilization};
