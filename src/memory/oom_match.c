/* Which buffers of a module an item of an error text speaks of.
 *
 * In: an item and a memory space. Out: the buffers with the most reasons. Type and dimensions of
 * the shape are compared, not its layout: the compiler may have printed another one. */
#include "xprofd/memory/oom_match.h"
#include "memory_internal.h"
#include "oom_scan.h"
#include "xprofd/base/checked.h"
#include <math.h>

/* Sizes and words in error texts.
 *
 * In: a text and a position. Out: values with the place they stand at. Nothing is copied. A size is
 * exact when it is printed in bytes; else its slack is half a unit of its last digit. */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '-';
}

/* Letters after the number; returns the factor and moves *at past them. */
static double unit_at(struct xpd_str text, size_t *at)
{
    static const char letters[] = "KMGTP";
    double factor = 1;
    size_t i = *at;
    char c = i < text.size ? text.data[i] : '\0';
    for (size_t k = 0; letters[k] != '\0'; k++)
        if (c == letters[k] || (c == letters[k] + 32 && c != 'm' && c != 'p')) {
            factor = ldexp(1, 10 * (int)(k + 1));
            i++;
        }
    if (factor > 1 && i < text.size && text.data[i] == 'i')
        i++;
    if (i < text.size && text.data[i] == 'B')
        i++;
    if (i < text.size && (is_digit(text.data[i]) ||
                          (is_word(text.data[i]) && text.data[i] != '.' && text.data[i] != '-')))
        return 1; /* "10 Kernels": letters of a word */
    *at = i;
    return factor;
}

bool xpd_oom_size_at(struct xpd_str text, size_t at, struct xpd_oom_size *out)
{
    while (at < text.size && (text.data[at] == ' ' || text.data[at] == '('))
        at++;
    size_t i = at, digits = 0;
    double value = 0, last = 1;
    for (; i < text.size && (is_digit(text.data[i]) || (text.data[i] == ',' && i + 1 < text.size &&
                                                        is_digit(text.data[i + 1])));
         i++)
        if (text.data[i] != ',') {
            value = value * 10 + (text.data[i] - '0');
            digits++;
        }
    if (digits == 0 || digits > 19)
        return false;
    int64_t whole = value < 9e18 ? 0 : INT64_MAX;
    for (size_t k = at; whole != INT64_MAX && k < i; k++)
        if (text.data[k] != ',')
            whole = whole * 10 + (text.data[k] - '0');
    if (i + 1 < text.size && text.data[i] == '.' && is_digit(text.data[i + 1])) {
        for (i++; i < text.size && is_digit(text.data[i]); i++) {
            last /= 10;
            value += last * (text.data[i] - '0');
        }
    }
    if (i < text.size && text.data[i] == ' ' && i + 1 < text.size) {
        size_t behind = i + 1; /* "1.5 GiB", but not "5 of" */
        double factor = unit_at(text, &behind);
        if (factor > 1 && behind > i + 2)
            i++;
    }
    double factor = unit_at(text, &i);
    bool exact = factor == 1 && last == 1;
    double bytes = value * factor;
    *out = (struct xpd_oom_size){.bytes = exact             ? whole
                                          : bytes >= 9.2e18 ? INT64_MAX
                                                            : (int64_t)llround(bytes),
                                 .slack_bytes =
                                     exact ? 0 : (int64_t)ceil(fmin(last * factor / 2, 9e18)),
                                 .at = at,
                                 .end = i};
    return true;
}

size_t xpd_oom_after(struct xpd_str text, size_t from, const char *words)
{
    if (from > text.size)
        return SIZE_MAX;
    struct xpd_str rest = {text.data + from, text.size - from};
    size_t at = xpd_str_find(rest, xpd_str_of(words), true);
    return at == SIZE_MAX ? SIZE_MAX : from + at + strlen(words);
}

void xpd_oom_mark(struct xpd_oom_scan *s, size_t at, size_t size, const char *what)
{
    struct xpd_oom_part part = {.offset = (uint32_t)at, .size = (uint32_t)size, .what = what};
    if (size > 0 && s->part.count < 4096)
        XPD_PUSH(&s->part, part);
}

bool xpd_oom_size_after(struct xpd_oom_scan *s, size_t from, const char *words, const char *what,
                        struct xpd_oom_size *out)
{
    size_t at = xpd_oom_after(s->text, from, words);
    if (at == SIZE_MAX || !xpd_oom_size_at(s->text, at, out))
        return false;
    xpd_oom_mark(s, out->at, out->end - out->at, what);
    return true;
}

struct xpd_str xpd_oom_word_at(struct xpd_str text, size_t at)
{
    size_t end = at;
    while (end < text.size && is_word(text.data[end]))
        end++;
    while (end > at && (text.data[end - 1] == '.' || text.data[end - 1] == '-'))
        end--;
    return (struct xpd_str){text.data + (at < text.size ? at : text.size), end - at};
}

struct xpd_str xpd_oom_until(struct xpd_str text, size_t at, char stop)
{
    size_t end = at;
    while (end < text.size && text.data[end] != stop && text.data[end] != '\n')
        end++;
    return (struct xpd_str){text.data + (at < text.size ? at : text.size), end - at};
}

#define RANK_MAX 16

struct wanted { /* "bf16[8,128]{...}" parsed */
    struct xpd_str type;
    int64_t dims[RANK_MAX];
    uint32_t rank;
    bool known;
};

static struct wanted take_apart(struct xpd_str shape)
{
    struct wanted w = {.known = false};
    size_t at = 0;
    while (at < shape.size && shape.data[at] != '[')
        at++;
    w.type = (struct xpd_str){shape.data, at};
    if (at == 0 || at == shape.size)
        return w;
    for (at++; at < shape.size && shape.data[at] != ']';) {
        bool overflow = false;
        int64_t value = 0;
        size_t digits = 0;
        if (w.rank > 0 && shape.data[at] == ',')
            at++;
        for (; at < shape.size && shape.data[at] >= '0' && shape.data[at] <= '9'; at++, digits++)
            value = xpd_add_i64(xpd_mul_i64(value, 10, &overflow), shape.data[at] - '0', &overflow);
        if (digits == 0 || overflow || w.rank == RANK_MAX)
            return w;
        w.dims[w.rank++] = value;
    }
    w.known = at < shape.size;
    return w;
}

static bool shape_fits(const struct wanted *w, const struct xpd_shape *shape)
{
    char scratch[16];
    if (!w->known || shape->rank != w->rank ||
        !xpd_str_eq(w->type, xpd_str_of(xpd_type_name(shape->type, scratch))))
        return false;
    for (uint32_t i = 0; i < w->rank; i++)
        if (shape->dims[i] != w->dims[i])
            return false;
    return true;
}

static uint32_t reasons_of(const struct xpd_mem *mem, const struct xpd_oom_item *item,
                           const struct wanted *w, xpd_name_id instruction, xpd_name_id op_name,
                           uint32_t buffer)
{
    const struct xpd_mem_buffer *b = &mem->buffer[buffer];
    const struct xpd_hlo_instructions *ins = &mem->hlo->instructions;
    uint32_t reasons = 0;
    if (item->size_bytes >= 0 && b->size_bytes >= item->size_bytes - item->size_slack_bytes &&
        b->size_bytes - item->size_slack_bytes <= item->size_bytes)
        reasons |= XPD_OOM_SIZE;
    if (shape_fits(w, b->shape))
        reasons |= XPD_OOM_SHAPE;
    if (b->instruction == XPD_NO_INDEX)
        return reasons;
    if (item->op_name.size > 0 && ins->op_name[b->instruction] == op_name)
        reasons |= XPD_OOM_OP_NAME;
    if (item->instruction.size > 0 && ins->name[b->instruction] == instruction)
        reasons |= XPD_OOM_INSTRUCTION;
    return reasons;
}

uint32_t xpd_oom_item_buffers(const struct xpd_mem *mem, const struct xpd_oom_item *item,
                              int64_t color, uint32_t *out, uint32_t capacity, uint32_t *reasons)
{
    const struct xpd_hlo *hlo = mem->hlo;
    struct wanted w = take_apart(item->shape);
    xpd_name_id instruction = xpd_intern_find(&hlo->names, item->instruction);
    xpd_name_id op_name = xpd_intern_find(&hlo->names, item->op_name);
    bool size_only =
        item->shape.size == 0 && item->op_name.size == 0 && item->instruction.size == 0;
    uint32_t best = size_only ? 0 : XPD_OOM_SIZE, count = 0;
    for (uint32_t i = 0; i < hlo->buffers.count; i++) {
        uint32_t a = mem->buffer[i].allocation;
        if (color >= 0 &&
            (a == XPD_NO_INDEX ? hlo->buffers.color[i] : hlo->allocation[a].color) != color)
            continue;
        uint32_t found = reasons_of(mem, item, &w, instruction, op_name, i);
        if (found == 0 || found < best ||
            (found == best && count == 0 && !size_only && found == XPD_OOM_SIZE))
            continue;
        if (found > best)
            count = 0;
        best = found;
        if (count < capacity)
            out[count] = i;
        count++;
    }
    if (reasons)
        *reasons = count ? best : 0;
    return count;
}

/* The list of largest allocations in the long form of an error.
 *
 * In: lines such as "1. Size: 128.00M", "Shape: ...", "XLA label: name = ...", perhaps with the
 * prefix of a log line before each. Out: one item per number. */

#define ITEMS_MAX 512

static struct xpd_str line_at(struct xpd_str text, size_t at)
{
    struct xpd_str line = xpd_oom_until(text, at, '\n');
    while (line.size > 0 && (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
        line.size--;
    return line;
}

/* The text after the key in the line; data NULL if the key is missing. */
static struct xpd_str value_of(struct xpd_str line, const char *key)
{
    size_t at = xpd_oom_after(line, 0, key);
    if (at == SIZE_MAX || !line.data)
        return (struct xpd_str){NULL, 0};
    while (at < line.size && line.data[at] == ' ')
        at++;
    return (struct xpd_str){line.data + at, line.size - at};
}

static bool starts_item(struct xpd_str line)
{
    size_t at = xpd_oom_after(line, 0, ". Size:");
    return at != SIZE_MAX && at > 7 && line.data[at - 8] >= '0' && line.data[at - 8] <= '9';
}

static void mark(struct xpd_oom_scan *s, struct xpd_str value, const char *what)
{
    xpd_oom_mark(s, (size_t)(value.data - s->text.data), value.size, what);
}

static void read_operator(struct xpd_oom_scan *s, struct xpd_oom_item *item, struct xpd_str value)
{
    size_t at = xpd_oom_after(value, 0, "op_name=\"");
    item->op_name = at == SIZE_MAX ? value : xpd_oom_until(value, at, '"');
    mark(s, item->op_name, "op");
}

static void read_label(struct xpd_oom_scan *s, struct xpd_oom_item *item, struct xpd_str value)
{
    if (value.size > 0 && value.data[0] == '%')
        value = (struct xpd_str){value.data + 1, value.size - 1};
    item->instruction = xpd_oom_word_at(value, 0);
    mark(s, item->instruction, "op");
}

static void read_line(struct xpd_oom_scan *s, struct xpd_oom_item *item, struct xpd_str line)
{
    struct xpd_oom_size size;
    struct xpd_str value;
    if ((value = value_of(line, "Unpadded size:")).data) {
        if (xpd_oom_size_at(value, 0, &size))
            item->unpadded_bytes = size.bytes;
    } else if ((value = value_of(line, "XLA label:")).data) {
        read_label(s, item, value);
    } else if ((value = value_of(line, "Operator:")).data) {
        read_operator(s, item, value);
    } else if ((value = value_of(line, "Tag:")).data) {
        item->tag = value;
    } else if ((value = value_of(line, "Shape:")).data) {
        item->shape = value;
        mark(s, value, "shape");
    }
}

void xpd_oom_read_list(struct xpd_oom_scan *s)
{
    bool open = false;
    for (size_t at = 0; at < s->text.size;) {
        struct xpd_str line = line_at(s->text, at);
        struct xpd_oom_size size;
        if (starts_item(line)) {
            struct xpd_str value = value_of(line, ". Size:");
            open = s->item.count < ITEMS_MAX && xpd_oom_size_at(value, 0, &size);
            if (open) {
                struct xpd_oom_item item = {.size_bytes = size.bytes,
                                            .size_slack_bytes = size.slack_bytes,
                                            .unpadded_bytes = -1};
                item.shape = item.op_name = item.instruction = item.tag = XPD_STR("");
                value.size = size.end;
                mark(s, value, "size");
                XPD_PUSH(&s->item, item);
                open = !s->item.failed;
            }
        } else if (xpd_oom_after(line, 0, "=====") != SIZE_MAX) {
            open = false;
        } else if (open) {
            read_line(s, &s->item.at[s->item.count - 1], line);
        }
        at += xpd_oom_until(s->text, at, '\n').size + 1;
    }
}
