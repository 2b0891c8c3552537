/* XProf's memory_viewer answer (PreprocessResult as proto3 JSON): MiB as doubles,
 * zero and empty fields left out, 64-bit integers as strings. The numbers come from memory/xprof.h;
 * nothing is computed here but units. */
#include "compat.h"
#include "memory_json.h"
#include <stdio.h>

static double mib(int64_t bytes)
{
    return (double)bytes / 1048576.0;
}

static void kmib(struct xpd_jsonw *w, const char *key, double value)
{
    if (value != 0)
        xpd_json_kdouble(w, key, value);
}

static void kint(struct xpd_jsonw *w, const char *key, int64_t value)
{
    if (value != 0)
        xpd_json_ki64(w, key, value);
}

static void kstr(struct xpd_jsonw *w, const char *key, struct xpd_str text)
{
    if (text.size > 0)
        xpd_json_kstr(w, key, text);
}

static void curve(struct xpd_jsonw *w, const char *key, const int64_t *bytes, uint32_t count,
                  int64_t indefinite_bytes)
{
    if (count == 0)
        return;
    xpd_json_key(w, key);
    xpd_json_arr(w);
    for (uint32_t i = 0; i < count; i++)
        xpd_json_double(w, mib(bytes[i]) + mib(indefinite_bytes));
    xpd_json_arr_end(w);
}

static void source(struct xpd_jsonw *w, struct xpd_compat_json *j, uint32_t instruction)
{
    struct xpd_str file;
    int32_t line;
    xpd_strbuf_clear(&j->scratch);
    if (!xpd_source_of_xprof(j->hlo, instruction, &file, &line, &j->scratch))
        return;
    struct xpd_str stack = {j->scratch.data ? j->scratch.data : "", j->scratch.size};
    if (file.size == 0 && line == 0 && stack.size == 0)
        return;
    xpd_json_key(w, "sourceInfo");
    xpd_json_obj(w);
    kstr(w, "fileName", file);
    kint(w, "lineNumber", line);
    kstr(w, "stackFrame", stack);
    xpd_json_obj_end(w);
}

static void small_box(struct xpd_jsonw *w, const struct xpd_xprof_bar *bar, uint32_t number)
{
    char label[64];
    snprintf(label, sizeof label, "small (<%d bytes)", XPD_XPROF_SMALL_BYTES);
    xpd_json_obj(w);
    xpd_json_ki64(w, "numbered", number);
    xpd_json_ktext(w, "label", label);
    xpd_json_ki64(w, "logicalBufferId", -1);
    kmib(w, "logicalBufferSizeMib", mib(bar->size_bytes));
    xpd_json_obj_end(w);
}

static void heap_object(struct xpd_jsonw *w, struct xpd_compat_json *j, uint32_t number)
{
    const struct xpd_xprof_bar *bar = &j->numbers->bar[number];
    if (bar->buffer == XPD_NO_INDEX) {
        small_box(w, bar, number);
        return;
    }
    const struct xpd_mem_buffer *buffer = &j->mem->buffer[bar->buffer];
    const struct xpd_hlo_instructions *ins = &j->hlo->instructions;
    struct xpd_str name = xpd_hlo_text(j->hlo, ins->name[buffer->instruction]);
    struct xpd_str op_name = xpd_hlo_text(j->hlo, ins->op_name[buffer->instruction]);
    xpd_json_obj(w);
    xpd_json_ki64(w, "numbered", number);
    struct xpd_str shape = xpd_compat_shape(j, buffer);
    xpd_strbuf_clear(&j->scratch);
    xpd_strbuf_add(&j->scratch, name.data, name.size);
    xpd_strbuf_puts(&j->scratch, ": ");
    xpd_strbuf_add(&j->scratch, shape.data, shape.size);
    xpd_strbuf_puts(&j->scratch, " # ");
    xpd_strbuf_add(&j->scratch, op_name.data, op_name.size);
    xpd_json_kstr(w, "label", (struct xpd_str){j->scratch.data, j->scratch.size});
    /* int32 in XProf's message: larger ids arrive cut */
    kint(w, "logicalBufferId", (int32_t)(uint32_t)(uint64_t)j->hlo->buffers.id[bar->buffer]);
    kmib(w, "logicalBufferSizeMib", mib(bar->size_bytes));
    kmib(w, "unpaddedShapeMib", mib(bar->unpadded_bytes));
    kstr(w, "instructionName", xpd_compat_name(j, bar->buffer));
    kstr(w, "shapeString", shape);
    kstr(w, "tfOpName", op_name);
    xpd_json_ktext(w, "groupName", xpd_compat_category(buffer->mem_class));
    kstr(w, "opCode", xpd_hlo_text(j->hlo, ins->opcode[buffer->instruction]));
    source(w, j, buffer->instruction);
    xpd_json_obj_end(w);
}

static void heap_objects(struct xpd_jsonw *w, struct xpd_compat_json *j)
{
    const struct xpd_xprof_memory *n = j->numbers;
    if (n->bar_count == 0)
        return;
    xpd_json_key(w, "maxHeap");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n->bar_count; i++)
        heap_object(w, j, i);
    xpd_json_arr_end(w);
    xpd_json_key(w, "maxHeapBySize");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n->bar_count; i++)
        heap_object(w, j, n->by_size[i]);
    xpd_json_arr_end(w);
}

static void heap_orders(struct xpd_jsonw *w, const struct xpd_compat_json *j,
                        struct xpd_arena *arena)
{
    const struct xpd_xprof_memory *n = j->numbers;
    uint32_t *inverse = XPD_NEW_ARRAY(arena, uint32_t, n->bar_count);
    if (n->bar_count == 0 || !inverse)
        return;
    for (uint32_t i = 0; i < n->bar_count; i++)
        inverse[n->by_size[i]] = i;
    xpd_json_col_u32(w, "maxHeapToBySize", inverse, n->bar_count);
    xpd_json_col_u32(w, "bySizeToMaxHeap", n->by_size, n->bar_count);
}

static void spans(struct xpd_jsonw *w, const struct xpd_compat_json *j)
{
    const struct xpd_xprof_memory *n = j->numbers;
    if (n->span_count == 0)
        return;
    xpd_json_key(w, "logicalBufferSpans");
    xpd_json_obj(w);
    for (uint32_t i = 0; i < n->span_count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)j->hlo->buffers.id[n->span[i].buffer]);
        xpd_json_key(w, key);
        xpd_json_obj(w);
        kint(w, "start", n->span[i].start);
        kint(w, "limit", n->span[i].limit);
        xpd_json_obj_end(w);
    }
    xpd_json_obj_end(w);
}

static bool has_record(const struct xpd_compat_json *j, const struct xpd_hlo_assigned *assigned)
{
    return assigned->buffer != XPD_NO_INDEX &&
           j->mem->buffer[assigned->buffer].instruction != XPD_NO_INDEX;
}

/* Description of a buffer, except its id and assigned bytes. */
static void indefinite_record(struct xpd_jsonw *w, struct xpd_compat_json *j, uint32_t number)
{
    const struct xpd_hlo_buffers *b = &j->hlo->buffers;
    uint32_t first = b->index_first[number], end = b->index_first[number + 1];
    kstr(w, "shape", xpd_compat_shape(j, &j->mem->buffer[number]));
    kstr(w, "hloName",
         xpd_hlo_text(j->hlo, j->hlo->instructions.name[j->mem->buffer[number].instruction]));
    if (end == first)
        return;
    xpd_json_key(w, "shapeIndex");
    xpd_json_arr(w);
    for (uint32_t i = first; i < end; i++)
        xpd_json_i64_string(w, b->shape_index[i]);
    xpd_json_arr_end(w);
}

static void indefinite_buffer(struct xpd_jsonw *w, struct xpd_compat_json *j,
                              const struct xpd_hlo_assigned *assigned)
{
    xpd_json_obj(w);
    if (assigned->buffer_id != 0) {
        xpd_json_key(w, "id");
        xpd_json_i64_string(w, assigned->buffer_id);
    }
    kmib(w, "sizeMib", mib(assigned->size_bytes));
    if (has_record(j, assigned))
        indefinite_record(w, j, assigned->buffer);
    xpd_json_obj_end(w);
}

/* The shape text all buffers of the allocation share, or "". */
static struct xpd_str common_shape(struct xpd_compat_json *j,
                                   const struct xpd_hlo_allocation *allocation)
{
    struct xpd_str common = {"", 0};
    bool first = true;
    for (uint32_t i = 0; i < allocation->assigned_count; i++) {
        const struct xpd_hlo_assigned *a = &j->hlo->assigned[allocation->assigned_first + i];
        struct xpd_str shape = has_record(j, a) ? xpd_compat_shape(j, &j->mem->buffer[a->buffer])
                                                : (struct xpd_str){"", 0};
        if (!first && !xpd_str_eq(common, shape))
            return (struct xpd_str){"", 0};
        common = shape;
        first = false;
    }
    return common;
}

static void indefinite_attributes(struct xpd_jsonw *w, uint32_t flags)
{
    bool reusable = !(flags & (XPD_ALLOC_THREAD_LOCAL | XPD_ALLOC_TUPLE));
    if (!reusable && !(flags & (XPD_ALLOC_PARAMETER | XPD_ALLOC_LIVE_OUT)))
        return;
    xpd_json_key(w, "attributes");
    xpd_json_arr(w);
    if (flags & XPD_ALLOC_PARAMETER)
        xpd_json_text(w, "entry computation parameter");
    if (flags & XPD_ALLOC_LIVE_OUT)
        xpd_json_text(w, "may-be live out");
    if (reusable)
        xpd_json_text(w, "reusable");
    xpd_json_arr_end(w);
}

static void indefinite_lifetime(struct xpd_jsonw *w, struct xpd_compat_json *j,
                                const struct xpd_hlo_allocation *allocation)
{
    xpd_json_obj(w);
    if (allocation->index != 0) {
        xpd_json_key(w, "id");
        xpd_json_i64_string(w, allocation->index);
    }
    kmib(w, "sizeMib", mib(allocation->size_bytes));
    indefinite_attributes(w, allocation->flags);
    bool open = false;
    for (uint32_t i = 0; i < allocation->assigned_count; i++) {
        const struct xpd_hlo_assigned *a = &j->hlo->assigned[allocation->assigned_first + i];
        if (!open) {
            xpd_json_key(w, "logicalBuffers");
            xpd_json_arr(w);
            open = true;
        }
        indefinite_buffer(w, j, a);
    }
    if (open)
        xpd_json_arr_end(w);
    kstr(w, "commonShape", common_shape(j, allocation));
    xpd_json_obj_end(w);
}

static void indefinite_lifetimes(struct xpd_jsonw *w, struct xpd_compat_json *j)
{
    if (j->numbers->indefinite_count == 0)
        return;
    xpd_json_key(w, "indefiniteLifetimes");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < j->numbers->indefinite_count; i++)
        indefinite_lifetime(w, j, &j->hlo->allocation[j->numbers->indefinite[i]]);
    xpd_json_arr_end(w);
}

static void block(struct xpd_jsonw *w, struct xpd_compat_json *j, const struct xpd_xprof_block *b,
                  uint32_t color)
{
    bool container = b->buffer == XPD_NO_INDEX;
    const struct xpd_mem_buffer *buffer = container ? NULL : &j->mem->buffer[b->buffer];
    bool local = j->hlo->allocation[b->allocation].flags & XPD_ALLOC_THREAD_LOCAL;
    const char *category = xpd_compat_category(!container ? buffer->mem_class
                                               : local    ? XPD_CLASS_THREAD_LOCAL
                                                          : XPD_CLASS_TEMPORARY);
    xpd_json_obj(w);
    if (container)
        xpd_json_ki64(w, "logicalBufferId", -1);
    else
        kint(w, "logicalBufferId", (int32_t)(uint32_t)(uint64_t)j->hlo->buffers.id[b->buffer]);
    kstr(w, "name", container ? xpd_str_of(category) : xpd_compat_name(j, b->buffer));
    kmib(w, "offset", (double)b->offset_bytes);
    kmib(w, "size", (double)b->size_bytes);
    kint(w, "startStep", b->start_step);
    kint(w, "endStep", b->end_step);
    if (!container)
        kstr(w, "tfOpName",
             xpd_hlo_text(j->hlo, j->hlo->instructions.op_name[buffer->instruction]));
    xpd_json_ktext(w, "category", category);
    if (!container) {
        source(w, j, buffer->instruction);
        kstr(w, "shapeString", xpd_compat_shape(j, buffer));
        kmib(w, "unpaddedSize", (double)buffer->xprof_unpadded_bytes);
    }
    char text[8] = "#ffffff";
    if (!container)
        xpd_compat_color(color, text);
    xpd_json_ktext(w, "color", text);
    xpd_json_obj_end(w);
}

static void blocks(struct xpd_jsonw *w, struct xpd_compat_json *j)
{
    if (j->numbers->block_count == 0)
        return;
    xpd_json_key(w, "bufferBlocks");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < j->numbers->block_count; i++)
        block(w, j, &j->numbers->block[i], i);
    xpd_json_arr_end(w);
}

static void names(struct xpd_jsonw *w, const struct xpd_compat_json *j)
{
    const struct xpd_xprof_memory *n = j->numbers;
    if (n->point_count == 0)
        return;
    xpd_json_key(w, "hloInstructionNames");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n->point_count; i++)
        xpd_json_str(w, xpd_hlo_text(j->hlo, n->instruction_name[i]));
    xpd_json_arr_end(w);
}

static void totals(struct xpd_jsonw *w, const struct xpd_compat_json *j)
{
    const struct xpd_xprof_memory *n = j->numbers;
    kmib(w, "peakHeapMib", mib(n->peak_bytes) + mib(n->indefinite_bytes));
    kmib(w, "peakUnpaddedHeapMib", mib(n->peak_unpadded_bytes) + mib(n->indefinite_bytes));
    kint(w, "peakHeapSizePosition", n->peak_position);
    kmib(w, "entryComputationParametersMib", mib(n->parameter_bytes));
    kmib(w, "nonReusableMib", mib(n->non_reusable_bytes));
    kmib(w, "maybeLiveOutMib", mib(n->live_out_bytes));
    kmib(w, "totalBufferAllocationMib", mib(n->total_bytes));
    kmib(w, "indefiniteBufferAllocationMib", mib(n->indefinite_total_bytes));
    kmib(w, "maxScopedVmemAllocationMib", mib(n->scoped_bytes));
    if (n->scoped_bytes > 0 && n->scoped_instruction != XPD_NO_INDEX)
        kstr(w, "maxScopedVmemInstructionName",
             xpd_hlo_text(j->hlo, j->hlo->instructions.name[n->scoped_instruction]));
}

int xpd_compat_memory_viewer(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                             struct xpd_err *err)
{
    struct xpd_compat_memory memory;
    int rc = xpd_compat_open_memory(ctx, &memory, out, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_compat_json j;
    xpd_compat_json_init(&j, &memory, ctx->arena);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    curve(&w, "heapSizes", memory.numbers.heap_bytes, memory.numbers.point_count,
          memory.numbers.indefinite_bytes);
    curve(&w, "unpaddedHeapSizes", memory.numbers.unpadded_heap_bytes, memory.numbers.point_count,
          memory.numbers.indefinite_bytes);
    names(&w, &j);
    heap_objects(&w, &j);
    heap_orders(&w, &j, ctx->arena);
    spans(&w, &j);
    kstr(&w, "moduleName", xpd_hlo_text(memory.hlo, memory.hlo->name));
    kstr(&w, "entryComputationName", xpd_hlo_text(memory.hlo, memory.hlo->entry_name));
    totals(&w, &j);
    indefinite_lifetimes(&w, &j);
    blocks(&w, &j);
    xpd_json_obj_end(&w);
    xpd_compat_json_fini(&j);
    return XPD_OK;
}
