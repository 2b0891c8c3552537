#include "hlo_builder.h"

#include <stdlib.h>
#include <string.h>

/*
 * Messages grow in place: what is open is the end of its buffer, so a mark of pbw_begin is enough
 * to close it. A mark of 0 means closed, for begin writes at least two bytes.
 */

void hb_init(struct hb *hb, const char *module_name)
{
    *hb = (struct hb){.name = module_name, .entry_name = "main", .entry_id = 1};
}

static void ints(const struct hb *hb, struct pbw *w, uint32_t field, const int64_t *v, int n)
{
    pbw_ints(w, field, v, (size_t)n, !hb->unpacked);
}

/* ---- shapes ---- */

static void write_layout(struct hb *hb, struct pbw *w, const struct hb_shape *s)
{
    int64_t minor[HB_MAX_RANK];
    for (int i = 0; i < s->rank; i++) {
        minor[i] = s->layout == HB_MINOR ? s->minor[i] : s->rank - 1 - i;
    }
    size_t layout = pbw_begin(w, 5);
    ints(hb, w, 1, minor, s->rank);
    for (int i = 0; i < HB_MAX_TILES && s->tiles[i][0] != 0; i++) {
        int n = 0;
        while (n < HB_MAX_RANK && s->tiles[i][n] != 0) {
            n++;
        }
        size_t tile = pbw_begin(w, 6);
        ints(hb, w, 1, s->tiles[i], n);
        pbw_end(w, tile);
    }
    pbw_int(w, 7, s->element_bits);
    pbw_int(w, 8, s->memory_space);
    pbw_int(w, 16, s->tail_align);
    pbw_end(w, layout);
}

void hb_shape(struct hb *hb, struct pbw *w, uint32_t field, const struct hb_shape *s)
{
    size_t shape = pbw_begin(w, field);
    pbw_int(w, 2, s->type);
    ints(hb, w, 3, s->dims, s->rank);
    for (int i = 0; i < s->n_elements; i++) {
        hb_shape(hb, w, 4, &s->elements[i]);
    }
    if (s->layout != HB_NO_LAYOUT) {
        write_layout(hb, w, s);
    }
    /* XLA writes the flags of all dimensions, also when none is dynamic. */
    int64_t dynamic[HB_MAX_RANK];
    for (int i = 0; i < s->rank; i++) {
        dynamic[i] = s->dynamic[i];
    }
    ints(hb, w, 6, dynamic, s->rank);
    pbw_end(w, shape);
}

/* ---- the module ---- */

void hb_begin_computation(struct hb *hb, const char *name, int64_t id, bool is_fusion)
{
    hb->computation = pbw_begin(&hb->computations, 3);
    hb->computation_id = id;
    hb->computation_is_fusion = is_fusion;
    pbw_str(&hb->computations, 1, name);
}

void hb_end_computation(struct hb *hb, int64_t root_id)
{
    struct pbw *w = &hb->computations;
    pbw_int(w, 5, hb->computation_id);
    pbw_int(w, 6, root_id);
    pbw_int(w, 7, hb->computation_is_fusion);
    pbw_end(w, hb->computation);
    hb->computation = 0;
}

static void write_metadata(struct pbw *w, const struct hb_instr *in)
{
    size_t metadata = pbw_begin(w, 7);
    pbw_str(w, 1, in->op_type);
    pbw_str(w, 2, in->op_name);
    pbw_str(w, 3, in->source_file);
    pbw_int(w, 4, in->source_line);
    pbw_int(w, 15, in->stack_frame_id);
    pbw_end(w, metadata);
}

void hb_instruction(struct hb *hb, const struct hb_instr *in)
{
    struct pbw *w = &hb->computations;
    size_t instruction = pbw_begin(w, 2);
    pbw_str(w, 1, in->name);
    pbw_str(w, 2, in->opcode);
    if (in->shape) {
        hb_shape(hb, w, 3, in->shape);
    }
    write_metadata(w, in);
    pbw_int(w, 9, in->parameter_number);
    pbw_str(w, 11, in->fusion_kind);
    pbw_int(w, 13, in->tuple_index);
    pbw_str(w, 28, in->custom_call_target);
    pbw_int(w, 35, in->id);
    ints(hb, w, 36, in->operands, in->n_operands);
    ints(hb, w, 37, in->control, in->n_control);
    ints(hb, w, 38, in->called, in->n_called);
    pbw_str(w, 43, in->backend_config);
    if (in->backend_config_payload) {
        size_t payload = pbw_begin(w, 99);
        pbw_str(w, 1, in->backend_config_payload);
        pbw_end(w, payload);
    }
    if (in->more)
        pbw_raw(w, in->more->data, in->more->len);
    pbw_end(w, instruction);
}

void hb_sequence(struct hb *hb, int64_t computation_id, const int64_t *instructions, size_t n)
{
    struct pbw *w = &hb->schedule;
    size_t entry = pbw_begin(w, 1);
    pbw_int(w, 1, computation_id);
    size_t sequence = pbw_begin(w, 2);
    pbw_ints(w, 1, instructions, n, !hb->unpacked);
    pbw_end(w, sequence);
    pbw_end(w, entry);
}

void hb_alias(struct hb *hb, const int64_t *output_index, int n_output_index, int64_t parameter,
              const int64_t *parameter_index, int n_parameter_index, int kind)
{
    struct pbw *w = &hb->aliases;
    size_t entry = pbw_begin(w, 1);
    ints(hb, w, 1, output_index, n_output_index);
    pbw_int(w, 2, parameter);
    ints(hb, w, 3, parameter_index, n_parameter_index);
    pbw_int(w, 4, kind);
    pbw_end(w, entry);
}

void hb_donor(struct hb *hb, int64_t parameter, const int64_t *index, int n_index)
{
    struct pbw *w = &hb->donors;
    size_t entry = pbw_begin(w, 1);
    pbw_int(w, 1, parameter);
    ints(hb, w, 2, index, n_index);
    pbw_end(w, entry);
}

enum frame_table { FRAME_FILES, FRAME_FUNCTIONS, FRAME_LOCATIONS, FRAME_FRAMES };

int64_t hb_file(struct hb *hb, const char *name)
{
    pbw_bytes(&hb->frames[FRAME_FILES], 1, name, strlen(name));
    return ++hb->n_frames[FRAME_FILES];
}

int64_t hb_function(struct hb *hb, const char *name)
{
    pbw_bytes(&hb->frames[FRAME_FUNCTIONS], 2, name, strlen(name));
    return ++hb->n_frames[FRAME_FUNCTIONS];
}

int64_t hb_location(struct hb *hb, int64_t file, int64_t function, int64_t line, int64_t column)
{
    struct pbw *w = &hb->frames[FRAME_LOCATIONS];
    size_t location = pbw_begin(w, 3);
    pbw_int(w, 1, file);
    pbw_int(w, 2, function);
    pbw_int(w, 3, line);
    pbw_int(w, 4, column);
    pbw_end(w, location);
    return ++hb->n_frames[FRAME_LOCATIONS];
}

int64_t hb_frame(struct hb *hb, int64_t location, int64_t parent)
{
    struct pbw *w = &hb->frames[FRAME_FRAMES];
    size_t frame = pbw_begin(w, 4);
    pbw_int(w, 1, location);
    pbw_int(w, 2, parent);
    pbw_end(w, frame);
    return ++hb->n_frames[FRAME_FRAMES];
}

/* ---- the buffer assignment ---- */

void hb_logical(struct hb *hb, const struct hb_logical *b)
{
    struct pbw *w = &hb->logical;
    size_t buffer = pbw_begin(w, 1);
    pbw_int(w, 1, b->id);
    pbw_int(w, 2, b->size);
    size_t location = pbw_begin(w, 3);
    pbw_str(w, 2, b->instruction_name);
    ints(hb, w, 3, b->shape_index, b->n_shape_index);
    pbw_int(w, 4, b->instruction_id);
    pbw_end(w, location);
    pbw_int(w, 4, b->color);
    pbw_end(w, buffer);
}

void hb_alloc_begin(struct hb *hb, const struct hb_alloc *a)
{
    struct pbw *w = &hb->allocations;
    hb->allocation = pbw_begin(w, 3);
    pbw_int(w, 1, a->index);
    pbw_int(w, 2, a->size);
    pbw_int(w, 3, a->is_thread_local);
    pbw_int(w, 5, a->parameter);
    pbw_int(w, 6, a->parameter_number);
    pbw_int(w, 7, a->live_out);
    pbw_int(w, 8, a->color);
    ints(hb, w, 10, a->parameter_shape_index, a->n_parameter_shape_index);
    pbw_int(w, 11, a->tuple);
    pbw_int(w, 12, a->constant);
    pbw_int(w, 13, a->aliased);
}

void hb_assign(struct hb *hb, int64_t buffer, int64_t offset, int64_t size)
{
    struct pbw *w = &hb->allocations;
    size_t assigned = pbw_begin(w, 9);
    pbw_int(w, 1, buffer);
    pbw_int(w, 2, offset);
    pbw_int(w, 3, size);
    pbw_end(w, assigned);
}

void hb_alloc_end(struct hb *hb)
{
    pbw_end(&hb->allocations, hb->allocation);
    hb->allocation = 0;
}

void hb_trace_begin(struct hb *hb)
{
    hb->trace = pbw_begin(&hb->traces, 4);
}

void hb_event(struct hb *hb, enum hb_event_kind kind, int64_t buffer, const char *computation,
              const char *instruction, int64_t share_with)
{
    struct pbw *w = &hb->traces;
    size_t event = pbw_begin(w, 1);
    pbw_int(w, 1, kind);
    pbw_int(w, 2, buffer);
    pbw_str(w, 3, computation);
    pbw_str(w, 4, instruction);
    pbw_int(w, 5, share_with);
    pbw_end(w, event);
}

void hb_trace_end(struct hb *hb, bool whole_module, int64_t allocation_index)
{
    struct pbw *w = &hb->traces;
    pbw_int(w, 2, whole_module);
    pbw_int(w, 3, allocation_index);
    pbw_end(w, hb->trace);
    hb->trace = 0;
}

void hb_peak_buffers(struct hb *hb, int64_t index, const int64_t *buffers, size_t n)
{
    struct pbw *w = &hb->assignment;
    size_t peak = pbw_begin(w, 5);
    pbw_int(w, 1, index);
    pbw_ints(w, 2, buffers, n, !hb->unpacked);
    pbw_end(w, peak);
}

/* ---- the whole ---- */

static void message_unless_empty(struct pbw *out, uint32_t field, const struct pbw *content)
{
    if (content->len > 0) {
        pbw_msg(out, field, content);
    }
}

static void write_module(struct hb *hb, struct pbw *out)
{
    size_t module = pbw_begin(out, 1);
    pbw_str(out, 1, hb->name);
    pbw_str(out, 2, hb->entry_name);
    pbw_raw(out, hb->computations.data, hb->computations.len);
    pbw_int(out, 6, hb->entry_id);
    message_unless_empty(out, 7, &hb->schedule);
    message_unless_empty(out, 8, &hb->aliases);
    struct pbw frames = {0};
    for (int i = 0; i < 4; i++) {
        pbw_raw(&frames, hb->frames[i].data, hb->frames[i].len);
        pbw_free(&hb->frames[i]);
    }
    message_unless_empty(out, 17, &frames);
    pbw_free(&frames);
    message_unless_empty(out, 18, &hb->donors);
    pbw_raw(out, hb->module.data, hb->module.len);
    pbw_end(out, module);
}

void hb_finish(struct hb *hb, struct pbw *out)
{
    if (hb->computation) {
        hb_end_computation(hb, 0);
    }
    if (hb->allocation) {
        hb_alloc_end(hb);
    }
    if (hb->trace) {
        hb_trace_end(hb, true, 0);
    }
    write_module(hb, out);
    if (!hb->no_assignment) {
        size_t assignment = pbw_begin(out, 3);
        pbw_raw(out, hb->logical.data, hb->logical.len);
        pbw_raw(out, hb->allocations.data, hb->allocations.len);
        pbw_raw(out, hb->traces.data, hb->traces.len);
        pbw_raw(out, hb->assignment.data, hb->assignment.len);
        pbw_end(out, assignment);
    }
    struct pbw *all[] = {&hb->module,      &hb->computations, &hb->schedule,
                         &hb->aliases,     &hb->donors,       &hb->logical,
                         &hb->allocations, &hb->traces,       &hb->assignment};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        pbw_free(all[i]);
    }
    free(hb->sizes);
    *hb = (struct hb){0};
}
