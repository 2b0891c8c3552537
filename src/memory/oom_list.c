/* The list of largest allocations in the long form of an error.
 *
 * In: lines such as "1. Size: 128.00M", "Shape: ...", "XLA label: name = ...", perhaps with the
 * prefix of a log line before each. Out: one item per number. */
#include "oom_scan.h"

#define ITEMS_MAX 512

static struct xpd_str line_at(struct xpd_str text, size_t at)
{
    struct xpd_str line = xpd_oom_until(text, at, '\n');
    while (line.size > 0 && (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
        line.size--;
    return line;
}

/* What stands behind the key in the line; data NULL when the key is not there. */
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
