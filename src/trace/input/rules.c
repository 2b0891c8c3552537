/* The rules by which an event counts as waiting, loading and so on. In: its name. Out: its kind.
 *
 * One table, first match. A Python frame is "$file.py:line function"; a function of C is "$module
 * function", or "$<unknown> method" where the tracer knows no module. Names of the runtimes are
 * those of TensorFlow, of PJRT (JAX and PyTorch/XLA), and of their tracers. */
#include "rules.h"

enum form {
    STARTS,
    HAS,
    ENDS,
    EQUALS,
    FUNCTION,     /* of a Python frame */
    FUNCTION_HAS, /* likewise */
    C_FUNCTION,   /* a function that is not written in Python */
    MODULE,       /* file or module of a Python frame */
    LAST          /* last stage of "Iterator::A::B" */
};
static const char *const form_words[] = {"starts with", "contains",        "ends with",
                                         "is",          "Python function", "Python function with",
                                         "C function",  "Python module",   "tf.data stage with"};

static const struct rule {
    uint8_t kind, class, form; /* class: for people */
    const char *text;
} table[] = {
    {KIND_LOAD, XPD_INPUT_LOAD, LAST, "Record"},
    {KIND_LOAD, XPD_INPUT_LOAD, LAST, "TextLine"},
    {KIND_LOAD, XPD_INPUT_LOAD, LAST, "SSTable"},
    {KIND_FETCH, XPD_INPUT_WAIT, STARTS, "IteratorGetNext"},
    {KIND_FETCH, XPD_INPUT_WAIT, STARTS, "MultiDeviceIteratorGetNext"},
    {KIND_FETCH, XPD_INPUT_WAIT, ENDS, ":IteratorGetNext"},
    {KIND_FETCH, XPD_INPUT_WAIT, EQUALS, "Iterator::Root"},
    {KIND_FETCH, XPD_INPUT_WAIT, HAS, "InputPipeline"},
    {KIND_GET, XPD_INPUT_WAIT, FUNCTION, "get@queue.py"},
    {KIND_GET, XPD_INPUT_WAIT, FUNCTION, "get@queues.py"},
    {KIND_GET, XPD_INPUT_WAIT, FUNCTION, "get@keyd_queue.py"},
    {KIND_PUT, XPD_INPUT_FULL, FUNCTION, "put@queue.py"},
    {KIND_PUT, XPD_INPUT_FULL, FUNCTION, "put@queues.py"},
    {KIND_PUT, XPD_INPUT_FULL, FUNCTION, "put@keyd_queue.py"},
    {KIND_NEXT_PLAIN, XPD_INPUT_WAIT, C_FUNCTION, "next"},
    {KIND_NEXT, XPD_INPUT_WAIT, FUNCTION_HAS, "next"},
    {KIND_NEXT, XPD_INPUT_WAIT, FUNCTION_HAS, "get_batch"},
    {KIND_BLOCKED, XPD_INPUT_REST, FUNCTION, "acquire"},
    {KIND_BLOCKED, XPD_INPUT_REST, FUNCTION, "wait"},
    {KIND_BLOCKED, XPD_INPUT_REST, FUNCTION, "poll"},
    {KIND_BLOCKED, XPD_INPUT_REST, FUNCTION, "select"},
    {KIND_BLOCKED, XPD_INPUT_REST, FUNCTION, "sleep"},
    {KIND_BLOCKED, XPD_INPUT_REST, FUNCTION, "recv"},
    {KIND_BLOCKED, XPD_INPUT_REST, FUNCTION, "recv_bytes"},
    {KIND_BLOCKED, XPD_INPUT_REST, FUNCTION, "_wait_for_tstate_lock"},
    {KIND_LOAD, XPD_INPUT_LOAD, C_FUNCTION, "open"},
    {KIND_LOAD, XPD_INPUT_LOAD, C_FUNCTION, "read"},
    {KIND_LOAD, XPD_INPUT_LOAD, C_FUNCTION, "readinto"},
    {KIND_LOAD, XPD_INPUT_LOAD, C_FUNCTION, "readline"},
    {KIND_LOAD, XPD_INPUT_LOAD, C_FUNCTION, "readlines"},
    {KIND_LOAD, XPD_INPUT_LOAD, C_FUNCTION, "pread"},
    {KIND_LOAD, XPD_INPUT_LOAD, C_FUNCTION, "decompress"},
    {KIND_LOAD, XPD_INPUT_LOAD, MODULE, "zlib"},
    {KIND_LOAD, XPD_INPUT_LOAD, MODULE, "gzip.py"},
    {KIND_LOAD, XPD_INPUT_LOAD, MODULE, "lzma.py"},
    {KIND_LOAD, XPD_INPUT_LOAD, MODULE, "bz2.py"},
    {KIND_LOAD, XPD_INPUT_LOAD, MODULE, "zipfile.py"},
    {KIND_LOAD, XPD_INPUT_LOAD, MODULE, "tarfile.py"},
    {KIND_LOAD, XPD_INPUT_LOAD, MODULE, "io"},
    {KIND_LOAD, XPD_INPUT_LOAD, HAS, "TFRecord"},
    {KIND_LOAD, XPD_INPUT_LOAD, HAS, "RecordReader"},
    {KIND_LOAD, XPD_INPUT_LOAD, HAS, "GcsFile"},
    {KIND_LOAD, XPD_INPUT_LOAD, HAS, "ReadFile"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, FUNCTION, "device_put"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, FUNCTION, "batched_device_put"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, FUNCTION, "shard_args"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, FUNCTION, "make_array_from_process_local_data"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, FUNCTION, "send_cpu_data_to_device"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, STARTS, "shard_args"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, STARTS, "DevicePut"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, STARTS, "EagerCopyToDevice"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, HAS, "BufferFromHost"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, HAS, "TransferToDevice"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, HAS, "TransferShardsToDevice"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, HAS, "H2D Dispatch"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, HAS, "InfeedEnqueue"},
    {KIND_TRANSFER, XPD_INPUT_TRANSFER, EQUALS, "MemcpyH2D"},
    {KIND_RESULT, XPD_INPUT_RESULT, EQUALS, "np.asarray(jax.Array)"},
    {KIND_RESULT, XPD_INPUT_RESULT, FUNCTION, "__float__"},
    {KIND_RESULT, XPD_INPUT_RESULT, FUNCTION, "__int__"},
    {KIND_RESULT, XPD_INPUT_RESULT, FUNCTION, "__bool__"},
    {KIND_RESULT, XPD_INPUT_RESULT, FUNCTION, "__array__"},
    {KIND_RESULT, XPD_INPUT_RESULT, FUNCTION, "device_get"},
    {KIND_RESULT, XPD_INPUT_RESULT, C_FUNCTION, "item"},
    {KIND_RESULT, XPD_INPUT_RESULT, HAS, "TransferFromDevice"},
    {KIND_RESULT, XPD_INPUT_RESULT, EQUALS, "MemcpyD2H"},
    {KIND_LAUNCH, XPD_INPUT_LAUNCH, STARTS, "PjitFunction("},
    {KIND_LAUNCH, XPD_INPUT_LAUNCH, HAS, "ExecuteReplicated"},
    {KIND_LAUNCH, XPD_INPUT_LAUNCH, HAS, "::ExecuteComputation"},
    {KIND_LAUNCH, XPD_INPUT_LAUNCH, HAS, "LoadedExecutable::Execute"},
    {KIND_LAUNCH, XPD_INPUT_LAUNCH, HAS, "SyncTensorsGraph"},
    {KIND_LAUNCH, XPD_INPUT_LAUNCH, FUNCTION, "mark_step"},
    {KIND_LAUNCH_RUNS, XPD_INPUT_LAUNCH, STARTS, "TFE_Py_ExecuteCancelable"},
    {KIND_LAUNCH_RUNS, XPD_INPUT_LAUNCH, STARTS, "TFE_Py_FastPathExecute"},
    {KIND_LAUNCH_RUNS, XPD_INPUT_LAUNCH, STARTS, "EagerExecute"},
    {KIND_LAUNCH_RUNS, XPD_INPUT_LAUNCH, STARTS, "EagerLocalExecute"},
    {KIND_LAUNCH_RUNS, XPD_INPUT_LAUNCH, STARTS, "EagerKernelExecute"},
    {KIND_LAUNCH_RUNS, XPD_INPUT_LAUNCH, STARTS, "FunctionRun"},
    {KIND_HOLD, XPD_INPUT_PREPROCESS, STARTS, "ExecutorState::"},
};

static const char *const class_words[] = {"wait",   "load",    "preprocess", "transfer", "launch",
                                          "result", "compute", "other",      "full",     "rest"};

const char *xpd_input_class_word(enum xpd_input_class class)
{
    return class < XPD_INPUT_CLASSES ? class_words[class] : "other";
}

bool xpd_input_known_rule(uint32_t number, struct xpd_input_known *out)
{
    if (number >= sizeof table / sizeof *table)
        return false;
    *out = (struct xpd_input_known){class_words[table[number].class],
                                    form_words[table[number].form], table[number].text};
    return true;
}

/* ---- Python frames ---- */

static bool digits(struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.size > 0;
}

static size_t last_of(struct xpd_str text, char c)
{
    for (size_t i = text.size; i > 0; i--)
        if (text.data[i - 1] == c)
            return i - 1;
    return SIZE_MAX;
}

/* "$loader.py:49 next", or without the sign: the file or module and the function. False: it is not
 * a Python frame. */
static bool python_frame(struct xpd_str caption, struct xpd_str *file, struct xpd_str *function)
{
    bool sign = caption.size > 0 && caption.data[0] == '$';
    struct xpd_str text = {caption.data + sign, caption.size - sign};
    size_t blank = last_of(text, ' ');
    if (blank == SIZE_MAX || blank == 0)
        return false;
    *file = (struct xpd_str){text.data, blank};
    *function = (struct xpd_str){text.data + blank + 1, text.size - blank - 1};
    size_t colon = last_of(*file, ':');
    bool line = colon != SIZE_MAX &&
                digits((struct xpd_str){file->data + colon + 1, file->size - colon - 1});
    if (line)
        file->size = colon;
    return sign || (line && xpd_str_ends(*file, ".py"));
}

/* ---- one name ---- */

struct parts {
    struct xpd_str caption, file, function;
    bool python, c;
};

static bool has(struct xpd_str text, const char *what)
{
    return xpd_str_find(text, xpd_str_of(what), false) != SIZE_MAX;
}

/* "get@queue.py": a function of a file; without one of any. */
static bool is_function(const struct parts *p, const char *text)
{
    const char *at = strchr(text, '@');
    struct xpd_str function = {text, at ? (size_t)(at - text) : strlen(text)};
    return p->python && xpd_str_eq(p->function, function) &&
           (!at || xpd_str_eq(p->file, xpd_str_of(at + 1)));
}

static bool last_stage_has(struct xpd_str caption, const char *what)
{
    size_t colon = last_of(caption, ':');
    if (!xpd_str_starts(caption, "Iterator::") || colon == SIZE_MAX)
        return false;
    return has((struct xpd_str){caption.data + colon, caption.size - colon}, what);
}

static bool fits(const struct rule *rule, const struct parts *p)
{
    switch ((enum form)rule->form) {
    case STARTS: return xpd_str_starts(p->caption, rule->text);
    case HAS: return !xpd_str_starts(p->caption, "Iterator::") && has(p->caption, rule->text);
    case ENDS: return xpd_str_ends(p->caption, rule->text);
    case EQUALS: return xpd_str_eq(p->caption, xpd_str_of(rule->text));
    case FUNCTION: return is_function(p, rule->text);
    case FUNCTION_HAS: return p->python && has(p->function, rule->text);
    case C_FUNCTION: return p->c && xpd_str_eq(p->function, xpd_str_of(rule->text));
    case MODULE: return p->python && xpd_str_eq(p->file, xpd_str_of(rule->text));
    case LAST: return last_stage_has(p->caption, rule->text);
    }
    return false;
}

/* An annotation is the class's word alone: jax.profiler.TraceAnnotation("load"). */
static bool noted(struct xpd_str caption, uint8_t *class)
{
    for (int c = 0; c <= XPD_INPUT_TRANSFER; c++)
        if (xpd_str_eq(caption, xpd_str_of(class_words[c]))) {
            *class = (uint8_t)c;
            return true;
        }
    return false;
}

static bool ruled(struct xpd_str caption, const struct xpd_input_rules *rules, uint8_t *class)
{
    for (uint32_t i = 0; rules && i < rules->count; i++)
        if (xpd_str_find(caption, rules->rule[i].text, false) != SIZE_MAX) {
            *class = rules->rule[i].class;
            return true;
        }
    return false;
}

bool input_is_stage(struct xpd_str caption)
{
    return xpd_str_starts(caption, "Iterator::");
}

struct input_name input_name_of(struct xpd_str caption, const struct xpd_input_rules *rules)
{
    struct parts p = {.caption = caption};
    struct input_name out = {0};
    p.python = python_frame(caption, &p.file, &p.function);
    p.c = p.python && !xpd_str_ends(p.file, ".py") && !xpd_str_starts(p.file, "<frozen");
    out.python = p.python;
    out.tf_stage = input_is_stage(caption);
    out.inert = p.python && xpd_str_eq(p.file, XPD_STR("contextlib.py"));
    if (ruled(caption, rules, &out.class) || noted(caption, &out.class)) {
        out.kind = KIND_NOTED;
        return out;
    }
    if (out.tf_stage)
        out.kind = KIND_HOLD;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (fits(&table[i], &p)) {
            out.kind = table[i].kind;
            break;
        }
    return out;
}

/* ---- the user's ---- */

static bool class_of(struct xpd_str word, uint8_t *class)
{
    if (xpd_str_eq(word, XPD_STR("none"))) {
        *class = XPD_INPUT_OTHER;
        return true;
    }
    for (int c = 0; c < XPD_INPUT_COMPUTE; c++)
        if (xpd_str_eq(word, xpd_str_of(class_words[c]))) {
            *class = (uint8_t)c;
            return true;
        }
    return false;
}

int xpd_input_rules_read(struct xpd_input_rules *out, struct xpd_str text, struct xpd_err *err)
{
    *out = (struct xpd_input_rules){.count = 0};
    while (text.size > 0) {
        const char *comma = memchr(text.data, ',', text.size);
        struct xpd_str one = {text.data, comma ? (size_t)(comma - text.data) : text.size};
        const char *colon = memchr(one.data, ':', one.size);
        size_t used = one.size + (comma != NULL);
        text = (struct xpd_str){text.data + used, text.size - used};
        struct xpd_str word = {one.data, colon ? (size_t)(colon - one.data) : 0};
        struct xpd_input_rule *rule = &out->rule[out->count];
        if (out->count == XPD_INPUT_RULES_MAX)
            return xpd_fail(err, XPD_EINVAL, "rules", XPD_NO_OFFSET, "more than %d rules",
                            XPD_INPUT_RULES_MAX);
        if (!colon || !class_of(word, &rule->class) || one.size == word.size + 1)
            return xpd_fail(err, XPD_EINVAL, "rules", XPD_NO_OFFSET,
                            "a rule is CLASS:TEXT with the class wait, load, preprocess, transfer, "
                            "launch, result or none; rules are separated by commas");
        rule->text = (struct xpd_str){colon + 1, one.size - word.size - 1};
        out->count++;
    }
    return XPD_OK;
}
