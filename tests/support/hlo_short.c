/* The short forms of hlo_builder.h: buffers with their own instruction, members and events as text.
 */
#include "hlo_builder.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void remember_size(struct hb *hb, int64_t id, int64_t size)
{
    struct hb_size *sizes = realloc(hb->sizes, (hb->n_sizes + 1) * sizeof *sizes);
    if (!sizes) {
        abort();
    }
    hb->sizes = sizes;
    sizes[hb->n_sizes++] = (struct hb_size){id, size};
}

static int64_t remembered_size(const struct hb *hb, int64_t id)
{
    for (size_t i = 0; i < hb->n_sizes; i++) {
        if (hb->sizes[i].id == id) {
            return hb->sizes[i].size;
        }
    }
    return 0;
}

void hb_shaped_buffer(struct hb *hb, int64_t id, int64_t size, int64_t color,
                      const struct hb_shape *shape, const int64_t *index, int n_index)
{
    char name[32];
    char op_name[64];
    snprintf(name, sizeof name, "op.%lld", (long long)id);
    snprintf(op_name, sizeof op_name, "jit(%.32s)/op_%lld", hb->name, (long long)id);
    if (!hb->computation) {
        hb_begin_computation(hb, hb->entry_name, hb->entry_id, false);
    }
    hb_instruction(
        hb, &(struct hb_instr){
                .name = name, .opcode = "fusion", .id = id, .shape = shape, .op_name = op_name});
    hb_logical(hb, &(struct hb_logical){.id = id,
                                        .size = size,
                                        .color = color,
                                        .instruction_id = id,
                                        .shape_index = index,
                                        .n_shape_index = n_index});
    remember_size(hb, id, size);
}

void hb_buffer(struct hb *hb, int64_t id, int64_t size, int64_t unpadded, int64_t color)
{
    struct hb_shape shape = {.type = HB_U8, .rank = 1, .dims = {unpadded}, .layout = HB_DESCENDING};
    hb_shaped_buffer(hb, id, size, color, &shape, NULL, 0);
}

/* A test's own text is wrong: nothing to recover from. */
static _Noreturn void bad_text(const char *what, const char *at)
{
    fprintf(stderr, "hlo_builder: %s expected at \"%s\"\n", what, at);
    abort();
}

static int64_t number(const char **text)
{
    if (!isdigit((unsigned char)**text)) {
        bad_text("number", *text);
    }
    char *end;
    long long value = strtoll(*text, &end, 10);
    if (*end == 'K') {
        value *= 1024;
        end++;
    } else if (*end == 'M') {
        value *= 1024 * 1024;
        end++;
    }
    *text = end;
    return value;
}

static bool next_item(const char **text)
{
    while (**text == ' ') {
        (*text)++;
    }
    return **text != '\0';
}

void hb_alloc(struct hb *hb, const struct hb_alloc *alloc, const char *members)
{
    hb_alloc_begin(hb, alloc);
    while (next_item(&members)) {
        int64_t id = number(&members);
        if (*members++ != '@') {
            bad_text("@", members - 1);
        }
        int64_t offset = number(&members);
        int64_t size = remembered_size(hb, id);
        if (*members == ':') {
            members++;
            size = number(&members);
        }
        hb_assign(hb, id, offset, size);
    }
    hb_alloc_end(hb);
}

void hb_trace_at(struct hb *hb, const char *events, bool whole_module, int64_t allocation_index)
{
    static const char letters[] = "AFS"; /* in the order of enum hb_event_kind */
    const char *computation = hb->event_computation ? hb->event_computation : hb->entry_name;
    hb_trace_begin(hb);
    while (next_item(&events)) {
        const char *at = strchr(letters, *events++);
        if (!at) {
            bad_text("A, F or S", events - 1);
        }
        enum hb_event_kind kind = (enum hb_event_kind)(at - letters);
        int64_t buffer = number(&events);
        int64_t share_with = 0;
        if (kind == HB_SHARE) {
            if (*events++ != '>') {
                bad_text(">", events - 1);
            }
            share_with = number(&events);
        }
        char name[32];
        snprintf(name, sizeof name, "op.%lld", (long long)buffer);
        hb_event(hb, kind, buffer, computation, name, share_with);
    }
    hb_trace_end(hb, whole_module, allocation_index);
}

void hb_trace(struct hb *hb, const char *events)
{
    hb_trace_at(hb, events, true, 0);
}
