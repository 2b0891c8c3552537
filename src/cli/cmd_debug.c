/* xprofd debug dump PROFILE: the frozen models of a profile as text, one line for each thing, so
 * that two readings of a file, or two versions of the program, can be compared with diff. */
#include "profile_args.h"
#include "xprofd/cli/command.h"
#include "xprofd/hlo/module.h"
#include "xprofd/hlo/shape.h"
#include "xprofd/memory/memory.h"
#include "xprofd/trace/trace.h"

#include <inttypes.h>
#include <string.h>

#define TEXT_MAX 400 /* bytes of a name */

static const char help[] =
    "usage: xprofd debug dump PROFILE [--run=NAME]\n"
    "Prints what xprofd holds in memory for a profile, one line for each plane, line, program,\n"
    "computation, instruction, allocation, buffer, lifetime, row and event. For developers: the\n"
    "format may change with any version. Compare two dumps with diff.\n";

static void put(const char *key, struct xpd_str text)
{
    printf(" %s=\"", key);
    xpd_cli_put(stdout, text, TEXT_MAX);
    putchar('"');
}

/* "none" where there is no such index. */
static void put_index(const char *key, uint32_t index)
{
    if (index == XPD_NO_INDEX)
        printf(" %s=none", key);
    else
        printf(" %s=%" PRIu32, key, index);
}

/* ---- the directory of a file ---- */

static void dump_space(const struct xpd_xspace *space)
{
    for (uint32_t i = 0; i < space->plane_count; i++) {
        const struct xpd_plane *plane = &space->plane[i];
        printf("plane %" PRIu32 " id=%" PRId64 " offset_bytes=%" PRIu64 " size_bytes=%" PRIu64
               " events=%" PRIu64 " lines=%" PRIu32 " stats=%" PRIu32,
               i, plane->id, plane->range.offset, plane->range.size, plane->event_count,
               plane->line_count, plane->stat_count);
        put("name", xpd_intern_get(&space->names, plane->name));
        putchar('\n');
        for (uint32_t j = 0; j < plane->line_count; j++) {
            const struct xpd_line *line = &plane->line[j];
            printf("line %" PRIu32 ".%" PRIu32 " id=%" PRId64 " display_id=%" PRId64
                   " timestamp_ns=%" PRId64 " offset_bytes=%" PRIu64 " size_bytes=%" PRIu64
                   " events=%" PRIu64 " cut=%d",
                   i, j, line->id, line->display_id, line->timestamp_ns, line->range.offset,
                   line->range.size, line->event_count, line->cut);
            put("name", xpd_intern_get(&space->names, line->name));
            putchar('\n');
        }
    }
}

/* ---- programs ---- */

static void dump_instruction(const struct xpd_hlo *hlo, uint32_t i, struct xpd_strbuf *text)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    printf("instruction %" PRIu32 " id=%" PRId64, i, ins->id[i]);
    put_index("computation", ins->computation[i]);
    put("name", xpd_hlo_text(hlo, ins->name[i]));
    put("opcode", xpd_hlo_text(hlo, ins->opcode[i]));
    xpd_strbuf_clear(text);
    xpd_shape_text(text, ins->shape[i], true);
    put("shape", (struct xpd_str){text->data ? text->data : "", text->size});
    put("op_name", xpd_hlo_text(hlo, ins->op_name[i]));
    fputs(" operands=", stdout);
    for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++)
        printf("%s%" PRId64, k > ins->operand_first[i] ? "," : "",
               ins->operand[k] == XPD_NO_INDEX ? -1 : (int64_t)ins->operand[k]);
    putchar('\n');
}

static void dump_module(const struct xpd_hlo *hlo)
{
    struct xpd_strbuf text = {0};
    for (uint32_t c = 0; c < hlo->computations.count; c++) {
        printf("computation %" PRIu32 " id=%" PRId64 " instructions=%" PRIu32, c,
               hlo->computations.id[c], hlo->computations.instruction_count[c]);
        put_index("root", hlo->computations.root[c]);
        put("name", xpd_hlo_text(hlo, hlo->computations.name[c]));
        putchar('\n');
    }
    for (uint32_t i = 0; i < hlo->instructions.count; i++)
        dump_instruction(hlo, i, &text);
    xpd_strbuf_fini(&text);
}

static void dump_memory_space(const struct xpd_mem_space *space)
{
    const struct xpd_mem_totals *totals = &space->totals;
    printf("space %" PRId64 " peak_bytes=%" PRId64 " reserved_bytes=%" PRId64
           " argument_bytes=%" PRId64 " output_bytes=%" PRId64 " alias_bytes=%" PRId64
           " constant_bytes=%" PRId64 " heap_bytes=%" PRId64 " steps=%" PRIu32,
           space->color, space->peak_bytes, totals->reserved, totals->argument, totals->output,
           totals->alias, totals->constant, space->heap_bytes, space->step_count);
    put_index("peak_step", space->peak_step);
    putchar('\n');
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *one = &space->tenancy[i];
        printf("lifetime %" PRId64 ".%" PRIu32 " buffer=%" PRIu32 " start_step=%" PRIu32
               " end_step=%" PRIu32 " offset_bytes=%" PRId64 " size_bytes=%" PRId64
               " flags=%" PRIu32 "\n",
               space->color, i, one->buffer, one->start_step, one->end_step, one->offset_bytes,
               one->size_bytes, one->flags);
    }
    for (uint32_t i = 0; i < space->step_count; i++)
        printf("step %" PRId64 ".%" PRIu32 " live_bytes=%" PRId64 "\n", space->color, i,
               space->live_bytes[i]);
}

static void dump_memory(const struct xpd_mem *mem)
{
    const struct xpd_hlo *hlo = mem->hlo;
    for (uint32_t i = 0; i < hlo->buffers.count; i++) {
        const struct xpd_mem_buffer *buffer = &mem->buffer[i];
        printf("buffer %" PRIu32 " id=%" PRId64 " class=%s size_bytes=%" PRId64
               " unpadded_bytes=%" PRId64,
               i, hlo->buffers.id[i], xpd_mem_class_word((enum xpd_mem_class)buffer->mem_class),
               buffer->size_bytes, buffer->unpadded_bytes);
        put_index("instruction", buffer->instruction);
        put_index("allocation", buffer->allocation);
        putchar('\n');
    }
    for (uint32_t i = 0; i < mem->space_count; i++)
        dump_memory_space(&mem->space[i]);
}

/* ---- events ---- */

static void dump_depth(const struct xpd_trace *trace, const struct xpd_depth *depth)
{
    for (uint32_t i = 0; i < depth->count; i++) {
        printf("event %" PRIu64 " row=%" PRIu32 " depth=%" PRIu32 " start_ps=%" PRId64
               " duration_ps=%" PRId64,
               depth->first_event + i, depth->row, depth->depth, xpd_depth_start(depth, i),
               xpd_depth_duration(depth, i));
        put("name", xpd_intern_get(&trace->names, trace->name[depth->name[i]].name));
        if (depth->value)
            printf(" value=%.17g", depth->value[i]);
        putchar('\n');
    }
}

static void dump_trace(const struct xpd_trace *trace)
{
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[r];
        printf("row %" PRIu32 " process=%" PRIu32 " id=%" PRId64 " depths=%" PRIu32
               " events=%" PRIu64 " first_ps=%" PRId64 " end_ps=%" PRId64 " busy_ps=%" PRId64,
               r, row->process, row->id, row->depth_count, row->event_count, row->first_ps,
               row->end_ps, row->busy_ps);
        put("caption", xpd_intern_get(&trace->names, row->caption));
        putchar('\n');
    }
    for (uint32_t d = 0; d < trace->depth_count; d++)
        dump_depth(trace, &trace->depth[d]);
}

/* ---- a profile ---- */

static void dump_error(const struct xpd_err *err)
{
    fputs("error", stdout);
    put("text", xpd_str_of(err->text));
    putchar('\n');
}

static void dump_host(const struct xpd_cli_profile *profile, uint32_t index)
{
    const struct xpd_host *host = &profile->run->host[index];
    const struct xpd_trace *trace = NULL;
    struct xpd_load_state state;
    struct xpd_err err = {0};
    printf("file %" PRIu32 " size_bytes=%" PRIu64, index, host->input->identity.size_bytes);
    put("name", xpd_str_of(host->input->name));
    putchar('\n');
    if (host->error.code != XPD_OK)
        dump_error(&host->error);
    if (!host->space)
        return;
    dump_space(host->space);
    if (xpd_store_trace(profile->store, profile->run, index, -1, &trace, &state, &err) == XPD_OK)
        dump_trace(trace);
    else
        dump_error(&err);
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 struct xpd_err *err)
{
    (void)args, (void)err;
    for (uint32_t i = 0; i < profile->run->host_count; i++)
        dump_host(profile, i);
    for (uint32_t i = 0; i < profile->run->module_count; i++) {
        const struct xpd_hlo *hlo;
        const struct xpd_mem *mem;
        struct xpd_err why = {0};
        printf("program %" PRIu32, i);
        put("key", xpd_str_of(profile->run->module[i].key));
        putchar('\n');
        if (xpd_store_module(profile->store, profile->run, i, &hlo, &mem, &why) != XPD_OK) {
            dump_error(&why);
            continue;
        }
        dump_module(hlo);
        dump_memory(mem);
    }
    return XPD_OK;
}

/* "dump" is the only kind there is. */
static int run(int argc, char **argv)
{
    bool named = argc > 1 && strcmp(argv[1], "dump") == 0;
    if (named)
        argv[1] = argv[0];
    return xpd_cli_run("debug", help, argc - named, argv + named, print);
}

const struct xpd_command xpd_command_debug = {
    .name = "debug", .help = "print the models of a profile as text, for developers", .run = run};
