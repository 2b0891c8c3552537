/* See utilization.h. A counter is known by the address of its register; registers of one kind lie
 * at equal distances, so that a chip is a few numbers. */
#include "utilization.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- chips ---- */

enum { CORES_MAX = 2, SPARSE_MAX = 4, TILES = 16, REGISTER = 8, MXUS = 2, BYTES_OF_BEAT = 32 };
enum { BYTES_OF_FLIT = 128, VECTOR_SLOTS = 4 };
#define GIBI 1073741824.0

struct xpd_use_chip {
    const char *type;             /* device_type_string */
    uint32_t cores;               /* TensorCores */
    uint64_t xlu_cycles;          /* of an instruction */
    double hz, hbm_per_s;         /* clock, bytes */
    uint64_t core[CORES_MAX];     /* the counter of cycles; the others follow it */
    uint64_t throttle[CORES_MAX]; /* cycles with those skipped; 0 = it counts none */
    uint64_t behind_matmul;       /* from there to MXU_BUSY_0; what follows keeps its distance */
    bool integers;                /* the MXU multiplies them, and has a counter */
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

static const struct xpd_use_chip chips[] = {
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

const struct xpd_use_chip *xpd_use_chip_called(struct xpd_str type)
{
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (xpd_str_eq(type, xpd_str_of(chips[i].type)))
            return &chips[i];
    return NULL;
}

/* ---- a sample ---- */

static int by_id(const void *a, const void *b)
{
    const struct xpd_use_counted *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* The last one of that id; 0 = none. */
static uint64_t value_of(const struct xpd_use_sample *sample, uint64_t id)
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

static uint64_t sum_of(const struct xpd_use_sample *sample, uint64_t first, uint64_t count,
                       uint64_t stride)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += value_of(sample, first + i * stride);
    return sum;
}

static void add(struct xpd_use_sample *sample, uint32_t node, const char *name, double achieved,
                double peak, const char *unit)
{
    XPD_PUSH(&sample->uses->list, ((struct xpd_use){.device = sample->device,
                                                    .sample = sample->number,
                                                    .node = node,
                                                    .achieved = achieved,
                                                    .peak = peak,
                                                    .name = xpd_str_of(name),
                                                    .unit = xpd_str_of(unit)}));
}

/* ---- units of a TensorCore ---- */

/* Cycles of an MXU by operand: a vector of the register file, the latched matrix
 * register. */
struct products {
    uint64_t bf16, f8, i8, i4;
};

static struct products products_of(const struct xpd_use_sample *sample, uint64_t core,
                                   uint32_t unit)
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

static void add_products(struct xpd_use_sample *sample, uint32_t node, uint64_t core, double cycles)
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
static void add_busy(struct xpd_use_sample *sample, uint32_t node, uint64_t first, double cycles,
                     const char *const name[4])
{
    double busy[3];
    for (uint32_t i = 0; i < 3; i++) {
        busy[i] = (double)value_of(sample, first + (uint64_t)i * REGISTER);
        add(sample, node, name[i], busy[i], cycles, "cycles");
    }
    add(sample, node, name[3], 0.5 * busy[1] + busy[2], cycles, "cycles");
}

static void add_throttle(struct xpd_use_sample *sample, uint32_t node, double cycles)
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

static void add_core(struct xpd_use_sample *sample, uint32_t node)
{
    static const char *const mxu[] = {"No MXU Busy", "1 MXU Busy", "2 MXU Busy", "Avg MXU Busy"};
    static const char *const xlu[] = {"No XLU Busy", "1 XLU Busy", "2 XLUs Busy", "Avg XLU Busy"};
    static const char *const inst = "instructions", *const xlus[] = {"XLU0", "XLU1"};
    const struct xpd_use_chip *chip = sample->chip;
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
static void add_hbm(struct xpd_use_sample *sample, uint32_t node)
{
    static const char *const name[] = {"HBM Rd+Wr - core 0", "HBM Rd+Wr - core 1"};
    const struct xpd_use_chip *chip = sample->chip;
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
static void add_ici(struct xpd_use_sample *sample)
{
    const struct xpd_use_chip *chip = sample->chip;
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

static void add_sparse(struct xpd_use_sample *sample, uint32_t node)
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
    const struct xpd_use_chip *chip = sample->chip;
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

void xpd_use_add(struct xpd_use_sample *sample)
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
