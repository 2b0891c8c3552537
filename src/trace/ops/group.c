/* Which colour an event gets, and whether it waits.
 *
 * In: the category that the compiler gave the operation (stat hlo_category) and its name. Out: the
 * same groups as on every page, where no HLO says better (load_hlo.c). Categories are sentences
 * ("loop fusion", "all-reduce fusion"): the strongest word in them decides; without one the name
 * does, which XLA makes from the opcode. */
#include "../load/core.h"

struct word {
    const char *text;
    enum xpd_op_group group;
};

/* In order of strength: the group that dominates the time of an operation comes first. */
static const struct word words[] = {
    {"all-reduce", XPD_OP_COLLECTIVE},
    {"all-gather", XPD_OP_COLLECTIVE},
    {"all-to-all", XPD_OP_COLLECTIVE},
    {"reduce-scatter", XPD_OP_COLLECTIVE},
    {"collective", XPD_OP_COLLECTIVE},
    {"host transfer", XPD_OP_HOST},
    {"host send", XPD_OP_HOST},
    {"host recv", XPD_OP_HOST},
    {"send", XPD_OP_COLLECTIVE},
    {"recv", XPD_OP_COLLECTIVE},
    {"infeed", XPD_OP_HOST},
    {"outfeed", XPD_OP_HOST},
    {"convolution", XPD_OP_MATMUL},
    {"matmul", XPD_OP_MATMUL},
    {"cholesky", XPD_OP_MATMUL},
    {"triangular-solve", XPD_OP_MATMUL},
    {"dot", XPD_OP_MATMUL},
    {"fft", XPD_OP_MATMUL},
    {"custom", XPD_OP_CUSTOM},
    {"reduce", XPD_OP_REDUCE},
    {"sort", XPD_OP_REDUCE},
    {"topk", XPD_OP_REDUCE},
    {"top-k", XPD_OP_REDUCE},
    {"select-and-scatter", XPD_OP_REDUCE},
    {"data formatting", XPD_OP_MOVE},
    {"copy", XPD_OP_MOVE},
    {"transpose", XPD_OP_MOVE},
    {"reshape", XPD_OP_MOVE},
    {"bitcast", XPD_OP_MOVE},
    {"broadcast", XPD_OP_MOVE},
    {"concatenate", XPD_OP_MOVE},
    {"slice", XPD_OP_MOVE},
    {"gather", XPD_OP_MOVE},
    {"scatter", XPD_OP_MOVE},
    {"reverse", XPD_OP_MOVE},
    {"pad", XPD_OP_MOVE},
    {"memcpy", XPD_OP_MOVE},
    {"memset", XPD_OP_MOVE},
    {"while", XPD_OP_CONTROL},
    {"conditional", XPD_OP_CONTROL},
    {"call", XPD_OP_CONTROL},
    {"async", XPD_OP_CONTROL},
    {"after-all", XPD_OP_CONTROL},
    {"barrier", XPD_OP_CONTROL},
    {"partition-id", XPD_OP_CONTROL},
    {"replica-id", XPD_OP_CONTROL},
    {"fusion", XPD_OP_ELEMENTWISE},
    {"elementwise", XPD_OP_ELEMENTWISE},
    {"convert", XPD_OP_ELEMENTWISE},
    {"iota", XPD_OP_ELEMENTWISE},
    {"rng", XPD_OP_ELEMENTWISE},
    {"select", XPD_OP_ELEMENTWISE},
    {"compare", XPD_OP_ELEMENTWISE},
    {"add", XPD_OP_ELEMENTWISE},
    {"subtract", XPD_OP_ELEMENTWISE},
    {"multiply", XPD_OP_ELEMENTWISE},
    {"divide", XPD_OP_ELEMENTWISE},
    {"maximum", XPD_OP_ELEMENTWISE},
    {"minimum", XPD_OP_ELEMENTWISE},
    {"exponential", XPD_OP_ELEMENTWISE},
    {"tanh", XPD_OP_ELEMENTWISE},
};

static bool is_letter(char c)
{
    char small = (char)(c | 0x20);
    return small >= 'a' && small <= 'z';
}

/* The word stands here, at the beginning of a word of the text: "dot.3" and "loop dot", not
 * "dotted" (but "copying", "reduce-window": what follows a long word only bends it). */
static bool stands(struct xpd_str text, size_t at, const char *word)
{
    size_t end = at;
    for (; *word != 0; word++, end++)
        if (end == text.size || text.data[end] != *word)
            return false;
    return end - at > 4 || end == text.size || !is_letter(text.data[end]);
}

static bool begins_word(struct xpd_str text, size_t at)
{
    return at == 0 || !is_letter(text.data[at - 1]);
}

static bool holds(struct xpd_str text, const char *word)
{
    for (size_t at = 0; at < text.size; at++)
        if (begins_word(text, at) && stands(text, at, word))
            return true;
    return false;
}

/* Once through the text: a program has a hundred thousand names. */
static enum xpd_op_group by_words(struct xpd_str text)
{
    size_t strongest = sizeof words / sizeof *words;
    for (size_t at = 0; at < text.size; at++)
        for (size_t i = 0; begins_word(text, at) && i < strongest; i++)
            if (stands(text, at, words[i].text))
                strongest = i;
    return strongest < sizeof words / sizeof *words ? words[strongest].group : XPD_OP_NONE;
}

/* "fusion.12", "%dot.3": what XLA calls an instruction; nothing that a program calls a function. */
static bool is_instruction_name(struct xpd_str text)
{
    if (text.size == 0 || text.size > 200)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                    c == '.' || c == '%';
        if (!fine)
            return false;
    }
    return true;
}

/* "loop fusion": how it is compiled, not what it computes, which its name may tell:
 * "add_reduce_fusion", "async-collective-start". */
static bool is_open(struct xpd_str category, enum xpd_op_group group)
{
    return (group == XPD_OP_ELEMENTWISE || group == XPD_OP_CUSTOM) && holds(category, "fusion");
}

static bool is_heavy(enum xpd_op_group group)
{
    return group == XPD_OP_COLLECTIVE || group == XPD_OP_MATMUL || group == XPD_OP_REDUCE;
}

/* A matrix product of a library, by the name of its kernel ("ampere_sgemm_128x64_nn" of cuBLAS,
 * "nvjet_hsh_128x256_64x4_..." of cuBLASLt, "Cijk_Ailk_Bljk_BBS_..." of rocBLAS) or of the
 * operation ("cublas-gemm.2", "cudnn-conv.1"). */
static bool is_library_matmul(struct xpd_str name)
{
    return xpd_str_find(name, XPD_STR("gemm"), true) != SIZE_MAX ||
           xpd_str_find(name, XPD_STR("gemv"), true) != SIZE_MAX ||
           xpd_str_starts(name, "nvjet_") || xpd_str_starts(name, "Cijk_") ||
           xpd_str_starts(name, "cudnn-conv");
}

enum xpd_op_group xpd_trace_group(struct xpd_str category, struct xpd_str caption, bool device)
{
    enum xpd_op_group said = by_words(category), named = XPD_OP_NONE;
    if (device && (category.size == 0 || said == XPD_OP_CUSTOM) && is_library_matmul(caption))
        return XPD_OP_MATMUL;
    if (is_instruction_name(caption))
        named = by_words(caption);
    if (said != XPD_OP_NONE)
        return is_open(category, said) && is_heavy(named) ? named : said;
    if (device)
        return named != XPD_OP_NONE || category.size == 0 ? named : XPD_OP_ELEMENTWISE;
    return named != XPD_OP_NONE ? named : XPD_OP_HOST;
}

/* "loop_add_fusion.3.clone" without what makes it one of many. */
static struct xpd_str stem_of(struct xpd_str op)
{
    size_t end = op.size;
    for (size_t i = op.size; i-- > 1;)
        if (op.data[i] == '.')
            end = i;
    return (struct xpd_str){op.data, end};
}

struct xpd_str xpd_trace_op_category(struct xpd_str op)
{
    static const struct {
        const char *begin, *category;
    } known[] = {{"copy", "data formatting"},    {"transpose", "data formatting"},
                 {"bitcast", "data formatting"}, {"reshape", "data formatting"},
                 {"cudnn-", "custom-call"},      {"cublas-", "custom-call"},
                 {"custom-call", "custom-call"}};
    struct xpd_str stem = stem_of(op);
    if (xpd_str_starts(stem, "wrapped_") || xpd_str_starts(stem, "loop_"))
        return XPD_STR("loop fusion");
    if (xpd_str_find(stem, XPD_STR("fusion"), false) != SIZE_MAX)
        return xpd_str_starts(stem, "input_")   ? XPD_STR("input fusion")
               : xpd_str_starts(stem, "fusion") ? XPD_STR("fusion")
                                                : XPD_STR("custom fusion");
    bool async = xpd_str_ends(stem, "-start") || xpd_str_ends(stem, "-done");
    for (size_t i = 0; !async && i < sizeof known / sizeof *known; i++)
        if (xpd_str_starts(stem, known[i].begin))
            return xpd_str_of(known[i].category);
    bool call = xpd_str_find(stem, XPD_STR("_"), false) != SIZE_MAX;
    return call ? XPD_STR("custom-call") : stem;
}

struct xpd_str xpd_trace_kernel_category(struct xpd_str caption)
{
    static const struct {
        const char *begin, *category;
    } known[] = {{"memcpyh2d", "host transfer"},  {"memcpyd2h", "host transfer"},
                 {"memcpyhtod", "host transfer"}, {"memcpydtoh", "host transfer"},
                 {"memcpy", "memory copy"},       {"memset", "memset"},
                 {"nccl", "collective"},          {"rccl", "collective"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (xpd_str_find(caption, xpd_str_of(known[i].begin), true) == 0)
            return xpd_str_of(known[i].category);
    return XPD_STR("");
}

/* "copy-done.3" is "copy-done" once its number is off. */
static struct xpd_str without_number(struct xpd_str name)
{
    while (name.size != 0 && name.data[name.size - 1] >= '0' && name.data[name.size - 1] <= '9')
        name.size--;
    if (name.size != 0 && name.data[name.size - 1] == '.')
        name.size--;
    return name;
}

static bool is_instruction_ending(struct xpd_str caption, const char *end)
{
    return xpd_str_ends(without_number(caption), end) && is_instruction_name(caption);
}

bool xpd_trace_is_feed(struct xpd_str op, enum xpd_op_group group)
{
    static const char *const transfer[] = {"send", "send-done", "recv", "recv-done"};
    if (xpd_str_starts(op, "infeed") || xpd_str_starts(op, "outfeed"))
        return true;
    struct xpd_str stem = without_number(op);
    for (size_t i = 0; group == XPD_OP_HOST && i < sizeof transfer / sizeof *transfer; i++)
        if (xpd_str_eq(stem, xpd_str_of(transfer[i])))
            return true;
    return false;
}

bool xpd_trace_is_half(struct xpd_str caption)
{
    return is_instruction_ending(caption, "-start") || is_instruction_ending(caption, "-done");
}

bool xpd_trace_is_wait(struct xpd_str caption, bool device)
{
    static const char *const device_words[] = {"dependency-wait", "barrier", "semaphore", "wait",
                                               "sync-flag"};
    static const char *const host_words[] = {"wait",  "await",   "blockuntil", "block_until",
                                             "sleep", "barrier", "semaphore"};
    if (is_instruction_ending(caption, "-done"))
        return true;
    const char *const *word = device ? device_words : host_words;
    size_t count = device ? sizeof device_words / sizeof *device_words
                          : sizeof host_words / sizeof *host_words;
    for (size_t i = 0; i < count; i++) {
        size_t at = xpd_str_find(caption, xpd_str_of(word[i]), true);
        if (at == SIZE_MAX)
            continue;
        /* "wait" in the middle of a word ("trait-waiter") says nothing, at its beginning it does;
         * CamelCase begins a word too. */
        char here = caption.data[at];
        if (at == 0 || !is_letter(caption.data[at - 1]) || (here >= 'A' && here <= 'Z'))
            return true;
    }
    return false;
}
