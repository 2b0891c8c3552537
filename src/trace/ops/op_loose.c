/* Operations without a program. In: stats of a GPU's event. Out: its op, and facts from the name of
 * the op. */
#include "xprofd/trace/op_loose.h"
#include "xprofd/trace/tf_op.h"

#define OF " of " /* between a copy and the operation it is for */

struct xpd_str xpd_op_loose_word(enum xpd_op_loose loose)
{
    return loose == XPD_LOOSE_COPIES        ? XPD_STR("memory copies")
           : loose == XPD_LOOSE_THREADS     ? XPD_STR("operations without a program")
           : loose == XPD_LOOSE_COLLECTIVES ? XPD_STR("collectives without a program")
                                            : XPD_STR("kernels without a program");
}

static bool begins(struct xpd_str text, const char *with)
{
    return xpd_str_find(text, xpd_str_of(with), true) == 0;
}

enum xpd_op_loose xpd_op_loose_of(const struct xpd_loose_event *event)
{
    if (event->copy ||
        (!event->kernel && (begins(event->name, "memcpy") || begins(event->name, "memset"))))
        return XPD_LOOSE_COPIES;
    return begins(event->name, "nccl") || begins(event->name, "rccl") ? XPD_LOOSE_COLLECTIVES
                                                                      : XPD_LOOSE_KERNELS;
}

static void put(struct xpd_strbuf *out, struct xpd_str text)
{
    xpd_strbuf_add(out, text.data, text.size);
}

/* Words that xpd_copy_way_of_name reads again. */
static const char *word_of_way(enum xpd_copy_way way)
{
    return way == XPD_COPY_IN    ? " (host to device)"
           : way == XPD_COPY_OUT ? " (device to host)"
           : way == XPD_COPY_ON  ? " (device to device)"
                                 : "";
}

void xpd_op_loose_name(struct xpd_strbuf *out, const struct xpd_loose_event *event,
                       enum xpd_op_loose loose)
{
    if (loose != XPD_LOOSE_COPIES) {
        put(out, event->tf_op.size > 0 ? event->tf_op : event->name);
        return;
    }
    put(out, event->name);
    if (xpd_copy_way_of_name(event->name) == XPD_COPY_UNKNOWN)
        xpd_strbuf_puts(out, word_of_way(xpd_copy_way_of_details(event->memcpy_details)));
    if (event->tf_op.size == 0)
        return;
    xpd_strbuf_puts(out, OF);
    put(out, xpd_tf_op_parse(event->tf_op).name);
}

/* ---- facts from a name ---- */

struct word {
    const char *text;
    enum xpd_op_group group;
};

/* In order of strength, like those of XLA's categories (group.c). Words of a type in CamelCase. */
static const struct word words[] = {
    {"MatMul", XPD_OP_MATMUL},   {"Matmul", XPD_OP_MATMUL},  {"Einsum", XPD_OP_MATMUL},
    {"Conv", XPD_OP_MATMUL},     {"Conv2D", XPD_OP_MATMUL},  {"Conv3D", XPD_OP_MATMUL},
    {"Conv2d", XPD_OP_MATMUL},   {"RNN", XPD_OP_MATMUL},     {"FFT", XPD_OP_MATMUL},
    {"Cholesky", XPD_OP_MATMUL}, {"Sum", XPD_OP_REDUCE},     {"Mean", XPD_OP_REDUCE},
    {"Max", XPD_OP_REDUCE},      {"Min", XPD_OP_REDUCE},     {"Prod", XPD_OP_REDUCE},
    {"Pool", XPD_OP_REDUCE},     {"Norm", XPD_OP_REDUCE},    {"Softmax", XPD_OP_REDUCE},
    {"Loss", XPD_OP_REDUCE},     {"Sort", XPD_OP_REDUCE},    {"Top", XPD_OP_REDUCE},
    {"Cumsum", XPD_OP_REDUCE},   {"Cumprod", XPD_OP_REDUCE}, {"BiasAddGrad", XPD_OP_REDUCE},
    {"Transpose", XPD_OP_MOVE},  {"Concat", XPD_OP_MOVE},    {"Slice", XPD_OP_MOVE},
    {"Pad", XPD_OP_MOVE},        {"Gather", XPD_OP_MOVE},    {"Scatter", XPD_OP_MOVE},
    {"Tile", XPD_OP_MOVE},       {"Pack", XPD_OP_MOVE},      {"Unpack", XPD_OP_MOVE},
    {"Split", XPD_OP_MOVE},      {"Reshape", XPD_OP_MOVE},   {"Broadcast", XPD_OP_MOVE},
    {"Reverse", XPD_OP_MOVE},    {"Fill", XPD_OP_MOVE},      {"Where", XPD_OP_MOVE},
};

static bool is_between(char c, char low, char high)
{
    return c >= low && c <= high;
}

/* The name contains the whole word: "FusedMatMul", "Conv2DBackpropFilter", not "Maximum". */
static bool holds(struct xpd_str type, struct xpd_str word)
{
    for (size_t i = 0; i + word.size <= type.size; i++) {
        size_t end = i + word.size;
        if (memcmp(type.data + i, word.data, word.size) == 0 &&
            (end == type.size || !is_between(type.data[end], 'a', 'z')))
            return true;
    }
    return false;
}

static enum xpd_op_group group_of(enum xpd_tf_op_kind kind, struct xpd_str type)
{
    if (kind == XPD_TF_JAX)
        return xpd_trace_group(XPD_STR(""), type, true);
    if (kind != XPD_TF_TENSORFLOW || type.size == 0)
        return XPD_OP_NONE;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds(type, xpd_str_of(words[i].text)))
            return words[i].group;
    return XPD_OP_ELEMENTWISE;
}

static struct xpd_loose_op read_copy(struct xpd_str name)
{
    struct xpd_loose_op op = {.path = XPD_STR(""), .type = name};
    size_t at = xpd_str_find(name, XPD_STR(OF), false);
    if (at != SIZE_MAX) {
        size_t end = at + xpd_str_of(OF).size;
        op.type.size = at;
        op.path = (struct xpd_str){name.data + end, name.size - end};
    }
    op.way = xpd_copy_way_of_name(op.type);
    bool host = op.way == XPD_COPY_IN || op.way == XPD_COPY_OUT;
    op.group = host ? XPD_OP_HOST : XPD_OP_MOVE;
    op.category = host                        ? XPD_STR("host transfer")
                  : begins(op.type, "memset") ? XPD_STR("memset")
                                              : XPD_STR("memory copy");
    return op;
}

struct xpd_loose_op xpd_op_loose_read(enum xpd_op_loose loose, struct xpd_str name)
{
    if (loose == XPD_LOOSE_COPIES)
        return read_copy(name);
    struct xpd_tf_op of = xpd_tf_op_parse(name);
    struct xpd_loose_op op = {.path = XPD_STR(""), .type = XPD_STR(""), .category = XPD_STR("")};
    if (of.kind != XPD_TF_UNKNOWN) {
        op.path = of.name;
        op.type = op.category = of.type;
        op.group = group_of(of.kind, of.type);
    } else if (loose == XPD_LOOSE_KERNELS) { /* as the trace colours the kernel */
        op.group = xpd_trace_group(XPD_STR(""), name, true);
    }
    if (loose == XPD_LOOSE_THREADS && xpd_tf_calls(op.type))
        op.group = XPD_OP_CONTROL;
    if (loose == XPD_LOOSE_COLLECTIVES) {
        op.category = XPD_STR("collective");
        op.group = XPD_OP_COLLECTIVE;
    }
    return op;
}
