/* One sentence for each operation. In: an opcode, or the name of a computation. Out: constant text.
 */
#include "xprofd/explain/parts.h"

#include "xprofd/hlo/module.h"

#include <string.h>

struct sentence {
    const char *opcode, *text;
};

/* Most used first; the rest is elementwise or unknown to us. */
static const struct sentence operations[] = {
    {"fusion",
     "A fusion: several operations compiled into one; intermediate results stay in the core."},
    {"dot", "A matrix product: multiplies and sums over the contracting dimensions."},
    {"convolution", "A convolution; on a TPU also how every matrix product is written."},
    {"parameter", "An input of the computation."},
    {"constant", "A value fixed in the program."},
    {"get-tuple-element", "Takes one element of a tuple; nothing is copied."},
    {"tuple", "Puts several results together; only addresses are written."},
    {"bitcast", "The same bytes under another shape; nothing is moved."},
    {"copy", "Writes the same values again, in another layout or memory."},
    {"copy-start", "Starts an asynchronous copy; its copy-done waits for it."},
    {"copy-done", "Waits until the asynchronous copy has arrived."},
    {"async-start", "Starts an operation that runs in parallel with others."},
    {"async-update", "Continues an asynchronous operation."},
    {"async-done", "Waits for an asynchronous operation."},
    {"while", "A loop: runs its body as long as its condition holds."},
    {"conditional", "Runs one of several computations."},
    {"call", "Calls a computation."},
    {"custom-call", "Calls code outside of HLO, for example a Pallas kernel."},
    {"broadcast", "Repeats values along new dimensions."},
    {"reshape", "The same elements in the same order, with other dimensions."},
    {"transpose", "Changes the order of the dimensions."},
    {"reverse", "Reverses the order of elements along dimensions."},
    {"slice", "Takes a part at fixed positions."},
    {"dynamic-slice", "Takes a part at positions computed at run time."},
    {"dynamic-update-slice", "Overwrites a part at positions computed at run time."},
    {"concatenate", "Puts arrays one after another along a dimension."},
    {"pad", "Adds elements around or between the existing ones."},
    {"gather", "Collects slices at computed positions."},
    {"scatter", "Writes or adds slices at computed positions."},
    {"iota", "Counts up along a dimension: 0, 1, 2, ..."},
    {"reduce", "Reduces dimensions, for example by a sum or a maximum."},
    {"reduce-window", "Reduces the elements under a sliding window."},
    {"select-and-scatter", "The backward pass of a pooling window."},
    {"sort", "Sorts along a dimension."},
    {"topk", "Takes the largest elements."},
    {"fft", "A Fourier transform."},
    {"convert", "Changes the element type."},
    {"bitcast-convert", "Reads the same bits as another element type."},
    {"select", "Takes elements of one or the other array, by a mask."},
    {"compare", "Compares element by element."},
    {"clamp", "Limits values from below and above."},
    {"map", "Applies a computation to every element."},
    {"rng", "Draws random numbers."},
    {"rng-bit-generator", "Draws random bits."},
    {"infeed", "Waits for data that the host sends."},
    {"outfeed", "Sends data to the host."},
    {"send", "Sends to another device or the host."},
    {"recv", "Receives from another device or the host."},
    {"send-done", "Waits until the data is sent."},
    {"recv-done", "Waits until the data has arrived."},
    {"after-all", "Orders operations that have side effects."},
    {"opt-barrier", "Keeps the compiler from moving operations across it."},
    {"partition-id", "The number of this part of the program."},
    {"replica-id", "The number of this replica."},
};

/* Longer names first: "all-reduce-scatter" is a reduce-scatter, "all-reduce" is not. */
static const struct {
    const char *in_name, *kind, *text;
} collectives[] = {
    {"reduce-scatter", "reduce-scatter", "sums over devices, each keeps its own part."},
    {"reduce_scatter", "reduce-scatter", "sums over devices, each keeps its own part."},
    {"all-reduce", "all-reduce", "sums over devices, all keep the whole result."},
    {"all_reduce", "all-reduce", "sums over devices, all keep the whole result."},
    {"all-gather", "all-gather", "puts the parts of all devices together on each of them."},
    {"all_gather", "all-gather", "puts the parts of all devices together on each of them."},
    {"all-to-all", "all-to-all", "every device sends a part to every other."},
    {"all_to_all", "all-to-all", "every device sends a part to every other."},
    {"collective-permute", "collective-permute", "every device sends to one other."},
    {"collective_permute", "collective-permute", "every device sends to one other."},
    {"collective-broadcast", "collective-broadcast", "one device sends to the others."},
};

const char *xpd_collective_sentence(struct xpd_str name, const char **kind)
{
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (xpd_str_find(name, xpd_str_of(collectives[i].in_name), false) != SIZE_MAX) {
            *kind = collectives[i].kind;
            return collectives[i].text;
        }
    return NULL;
}

static const char *collective_opcode_sentence(struct xpd_str opcode)
{
    static const struct sentence of[] = {
        {"reduce-scatter", "A collective: sums over devices, each keeps its own part."},
        {"all-reduce", "A collective: sums over devices, all keep the whole result."},
        {"all-gather", "A collective: puts the parts of all devices together on each of them."},
        {"all-to-all", "A collective: every device sends a part to every other."},
        {"ragged-all-to-all", "A collective: devices exchange parts of different sizes."},
        {"collective-permute", "A collective: every device sends to one other."},
        {"collective-broadcast", "A collective: one device sends to the others."},
    };
    bool done = xpd_str_ends(opcode, "-done"), start = xpd_str_ends(opcode, "-start");
    opcode.size -= done ? strlen("-done") : start ? strlen("-start") : 0;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (xpd_str_eq(opcode, xpd_str_of(of[i].opcode)))
            return done ? "Waits for a collective between devices." : of[i].text;
    return NULL;
}

const char *xpd_opcode_known(struct xpd_str opcode)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (xpd_str_eq(opcode, xpd_str_of(operations[i].opcode)))
            return operations[i].text;
    return collective_opcode_sentence(opcode);
}

const char *xpd_opcode_sentence(struct xpd_str opcode)
{
    const char *known = xpd_opcode_known(opcode);
    return known                            ? known
           : xpd_hlo_is_elementwise(opcode) ? "Works element by element."
                                            : "An operation that is not described here.";
}
