/* Parsing of tf_op. XProf's patterns, written as loops over characters. */
#include "xprofd/trace/tf_op.h"
#include <strings.h>

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_lower(c) || is_upper(c) || is_digit(c) || c == '_';
}

/* [A-Za-z0-9.][A-Za-z0-9_.\\/>-]* */
bool xpd_tf_is_name(struct xpd_str text)
{
    if (text.size == 0 || (!is_word(text.data[0]) && text.data[0] != '.') || text.data[0] == '_')
        return false;
    for (size_t i = 1; i < text.size; i++)
        if (!is_word(text.data[i]) && (text.data[i] == 0 || !strchr(".\\/>-", text.data[i])))
            return false;
    return true;
}

/* [A-Z_][a-zA-Z0-9_]* */
bool xpd_tf_is_type(struct xpd_str text)
{
    if (text.size == 0 || !(is_upper(text.data[0]) || text.data[0] == '_'))
        return false;
    for (size_t i = 1; i < text.size; i++)
        if (!is_word(text.data[i]))
            return false;
    return true;
}

/* [a-z_][a-z0-9_]*(\[.*\])? ; a dot in XProf's pattern does not match a line break */
static bool is_jax_type(struct xpd_str text)
{
    if (text.size == 0 || !(is_lower(text.data[0]) || text.data[0] == '_'))
        return false;
    size_t i = 1;
    while (i < text.size && is_word(text.data[i]) && !is_upper(text.data[i]))
        i++;
    if (i == text.size)
        return true;
    return text.data[i] == '[' && text.size - i >= 2 && text.data[text.size - 1] == ']' &&
           !memchr(text.data + i, '\n', text.size - i);
}

static struct xpd_str part(struct xpd_str text, size_t from, size_t to)
{
    return (struct xpd_str){text.data + from, to - from};
}

/* Position of the last c, or SIZE_MAX. */
static size_t last_of(struct xpd_str text, char c)
{
    for (size_t i = text.size; i > 0; i--)
        if (text.data[i - 1] == c)
            return i - 1;
    return SIZE_MAX;
}

static struct xpd_str after_last_slash(struct xpd_str text)
{
    size_t at = last_of(text, '/');
    return at == SIZE_MAX ? text : part(text, at + 1, text.size);
}

/* The text after the last "::". */
static struct xpd_str after_colons(struct xpd_str text)
{
    for (size_t at; (at = xpd_str_find(text, XPD_STR("::"), false)) != SIZE_MAX;)
        text = part(text, at + 2, text.size);
    return text;
}

bool xpd_tf_is_jax(struct xpd_str name, struct xpd_str type)
{
    return name.size > 0 && is_jax_type(type) &&
           xpd_str_find(after_last_slash(name), type, false) != SIZE_MAX;
}

/* "add_3" without "_3"; what counts as a number is an integer of 64 bits, with a sign or without.
 */
static struct xpd_str without_number(struct xpd_str text)
{
    size_t at = last_of(text, '_');
    int64_t number;
    return at != SIZE_MAX && xpd_str_to_i64(part(text, at + 1, text.size), &number)
               ? part(text, 0, at)
               : text;
}

static struct xpd_str trim_right(struct xpd_str text)
{
    while (text.size > 0 && strchr(" \t\n\v\f\r", text.data[text.size - 1]) &&
           text.data[text.size - 1] != 0)
        text.size--;
    return text;
}

static struct xpd_tf_op unknown(struct xpd_str full)
{
    return (struct xpd_tf_op){.kind = XPD_TF_UNKNOWN,
                              .name = full,
                              .type = XPD_STR(""),
                              .caption = trim_right(full),
                              .prefix = ""};
}

static struct xpd_tf_op without_type(struct xpd_str full)
{
    static const struct {
        const char *prefix, *type;
    } copies[] = {{"MEMCPYHToD", "MemcpyHToD"},
                  {"MEMCPYDToH", "MemcpyDToH"},
                  {"MEMCPYDToD", "MemcpyDToD"},
                  {"MEMCPYHToH", "MemcpyHToH"}};
    struct xpd_tf_op op = unknown(full);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (full.size >= 10 && strncasecmp(full.data, copies[i].prefix, 10) == 0) {
            op.kind = XPD_TF_MEMCPY;
            op.type = op.caption = xpd_str_of(copies[i].type);
        }
    return op;
}

static struct xpd_tf_op dataset(struct xpd_str full)
{
    return (struct xpd_tf_op){.kind = XPD_TF_DATASET,
                              .name = full,
                              .type = XPD_STR("Dataset"),
                              .prefix = "Iterator::",
                              .caption = after_colons(full)};
}

struct xpd_tf_op xpd_tf_op_parse(struct xpd_str full)
{
    const char *colon = full.size ? memchr(full.data, ':', full.size) : NULL;
    if (!colon)
        return without_type(full);
    size_t at = (size_t)(colon - full.data);
    struct xpd_str left = part(full, 0, at), right = part(full, at + 1, full.size);
    struct xpd_tf_op op = unknown(full);
    if (xpd_str_eq(left, XPD_STR("Iterator")))
        return dataset(full);
    struct xpd_str type = right.size ? right : without_number(after_last_slash(left));
    if (xpd_tf_is_name(left) && xpd_tf_is_type(right)) {
        op.kind = XPD_TF_TENSORFLOW;
    } else if (is_jax_type(type)) {
        op.kind = XPD_TF_JAX;
        const char *bracket = memchr(type.data, '[', type.size);
        type.size = bracket ? (size_t)(bracket - type.data) : type.size;
    } else if (right.size == 0) {
        op.kind = XPD_TF_TENSORFLOW;
    } else {
        return op;
    }
    op.name = left;
    op.type = op.caption = type;
    size_t slash = last_of(left, '/');
    if (slash != SIZE_MAX)
        op.scopes = part(left, 0, slash);
    return op;
}

bool xpd_tf_op_next_scope(struct xpd_str *scopes, struct xpd_str *scope)
{
    if (!scopes->data)
        return false;
    const char *slash = scopes->size ? memchr(scopes->data, '/', scopes->size) : NULL;
    if (!slash) {
        *scope = *scopes;
        *scopes = (struct xpd_str){NULL, 0};
        return true;
    }
    size_t at = (size_t)(slash - scopes->data);
    *scope = part(*scopes, 0, at);
    *scopes = part(*scopes, at + 1, scopes->size);
    return true;
}

bool xpd_is_tf_op(struct xpd_str name)
{
    return xpd_str_eq(name, XPD_STR("TfOpRun")) || xpd_tf_op_parse(name).kind == XPD_TF_TENSORFLOW;
}

static bool begins_with_any(struct xpd_str text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (xpd_str_starts(text, words[i]))
            return true;
    return false;
}
#define BEGINS(text, words) begins_with_any(text, words, sizeof(words) / sizeof *(words))

bool xpd_tf_is_executor(struct xpd_str event_name)
{
    static const char *const words[] = {"ExecutorState::", "EagerKernelExecute"};
    return BEGINS(event_name, words);
}

bool xpd_tf_is_data_thread(struct xpd_str thread)
{
    return xpd_str_starts(thread, "tf_data");
}

bool xpd_tf_computes(struct xpd_str event_name)
{
    static const char *const words[] = {"IteratorGetNext", "MultiDeviceIteratorGetNext",
                                        "QueueDequeue",    "Recv",
                                        "_Recv",           "_HostRecv",
                                        "Unstage",         "BarrierTake"};
    struct xpd_tf_op op = xpd_tf_op_parse(event_name);
    return op.kind == XPD_TF_TENSORFLOW && !BEGINS(op.type, words);
}

bool xpd_tf_calls(struct xpd_str type)
{
    static const char *const words[] = {"PartitionedCall",
                                        "StatefulPartitionedCall",
                                        "While",
                                        "_While",
                                        "StatelessWhile",
                                        "If",
                                        "_If",
                                        "StatelessIf",
                                        "Case",
                                        "StatelessCase",
                                        "RemoteCall",
                                        "SymbolicGradient"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (xpd_str_eq(type, xpd_str_of(words[i])))
            return true;
    return false;
}
