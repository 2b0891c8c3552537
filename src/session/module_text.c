/* The HloProto of a program that a dump holds as text: the module, the report of its buffer
 * assignment and its live ranges, read on demand and joined into one proto.
 *
 * In: an input with the reports that belong to it. Out: bytes as a .hlo_proto.pb would hold them,
 * and notes on what text does not hold. If a report cannot be read, the program has no memory data,
 * and a note says so. */
#include "session_internal.h"

#include "xprofd/hlo/assignment_text.h"
#include "xprofd/hlo/parse.h"

#include <stdlib.h>
#include <string.h>

struct text_file {
    char *data;
    struct xpd_str text;
};

struct text_load {
    const struct xpd_input *input;
    uint64_t room; /* bytes that may still be taken */
    struct text_file module, assignment, live_range;
    struct xpd_arena arena; /* of the result */
    struct xpd_warnings *notes;
};

static int read_text(struct text_load *load, const struct xpd_input *input, struct text_file *file,
                     struct xpd_err *err)
{
    struct xpd_source *source;
    if (input->problem)
        return xpd_fail(err, XPD_EIO, input->name, XPD_NO_OFFSET, "%s", input->problem);
    int rc = xpd_input_open(input, load->room, NULL, &source, err);
    if (rc != XPD_OK)
        return rc;
    uint64_t size = xpd_source_size(source);
    if (size >= load->room) {
        rc = XPD_ELIMIT;
    } else if ((file->data = malloc((size_t)size + 1)) == NULL) {
        rc = xpd_no_memory(err, input->name, "to read this text");
    } else {
        rc = xpd_source_read(source, 0, file->data, (size_t)size, err);
        file->text = (struct xpd_str){file->data, rc == XPD_OK ? (size_t)size : 0};
        load->room -= size;
    }
    if (rc == XPD_OK)
        rc = xpd_source_check(source, err);
    xpd_source_close(source);
    return rc;
}

/* Errors that end the work; other problems of a report are notes. */
static bool is_fatal(int rc)
{
    return rc == XPD_ENOMEM || rc == XPD_ELIMIT || rc == XPD_ECHANGED;
}

static int read_report(struct text_load *load, const struct xpd_input *input,
                       struct text_file *file, struct xpd_err *err)
{
    struct xpd_err why = {0};
    int rc = input ? read_text(load, input, file, &why) : XPD_OK;
    if (is_fatal(rc) && err)
        *err = why;
    if (is_fatal(rc))
        return rc;
    if (rc != XPD_OK)
        xpd_warn(load->notes, XPD_ERROR, "text_report_unreadable", XPD_NO_OFFSET,
                 "%s cannot be read: %s", input->name, why.text);
    return XPD_OK;
}

static void note_assignment(struct text_load *load, const struct xpd_assignment_facts *facts)
{
    const char *name = load->input->assignment->name;
    if (facts->events != 0)
        xpd_warn(
            load->notes, XPD_NOTE, "events_from_live_ranges", XPD_NO_OFFSET,
            "The heap events are derived from live ranges: the dump has %s, not the heap "
            "simulator's trace. The bytes held at an instruction are the same, except in the fast "
            "memory of a TPU (VMEM), which the compiler plans differently: peaks there differ by "
            "up to an eighth. The order of two events at one instruction may differ. Values that "
            "take turns in one storage (the branches of a conditional) are told apart: without one "
            "of them the peak falls by less than without the storage.",
            name);
    else if (!facts->has_live_ranges)
        xpd_warn(load->notes, XPD_WARNING, "no_live_ranges", XPD_NO_OFFSET,
                 "%s has no live ranges, and there is no *-live-range.txt beside it: lifetimes are "
                 "unknown, and each temporary buffer counts for the whole program.",
                 name);
}

static int make_assignment(struct text_load *load, struct xpd_str module_proto,
                           const struct xpd_hlo_names *names, struct xpd_str *assignment,
                           struct xpd_err *err)
{
    const struct xpd_input *input = load->input;
    struct xpd_assignment_text text = {
        .assignment = load->assignment.text,
        .live_range = load->live_range.text,
        .name = input->assignment ? input->assignment->name : "",
        .live_name = input->live_range ? input->live_range->name : "",
    };
    struct xpd_assignment_facts facts;
    struct xpd_err why = {0};
    *assignment = (struct xpd_str){"", 0};
    if (text.assignment.size == 0)
        return XPD_OK;
    int rc = xpd_assignment_text_parse(&text, module_proto, names, &load->arena, load->notes,
                                       assignment, &facts, &why);
    if (rc == XPD_OK)
        note_assignment(load, &facts);
    else if (!is_fatal(rc))
        xpd_warn(load->notes, XPD_ERROR, "text_report_unreadable", XPD_NO_OFFSET, "%s: %s",
                 text.name, why.text);
    if (!is_fatal(rc))
        return XPD_OK;
    if (err)
        *err = why;
    return rc;
}

static int make(struct text_load *load, struct xpd_str *proto, struct xpd_err *err)
{
    const struct xpd_input *input = load->input;
    struct xpd_str module_proto, assignment;
    struct xpd_hlo_names *names;
    int rc = read_text(load, input, &load->module, err);
    if (rc == XPD_OK)
        rc = read_report(load, input->assignment, &load->assignment, err);
    if (rc == XPD_OK)
        rc = read_report(load, input->live_range, &load->live_range, err);
    if (rc != XPD_OK)
        return rc;
    load->arena.budget_bytes = load->room;
    rc = xpd_hlo_text_parse(load->module.text, input->name, &load->arena, load->notes,
                            &module_proto, &names, err);
    if (rc == XPD_OK)
        rc = make_assignment(load, module_proto, names, &assignment, err);
    if (rc == XPD_OK && !xpd_hlo_proto_join(module_proto, assignment, &load->arena, proto))
        rc = load->arena.over_budget ? XPD_ELIMIT
                                     : xpd_no_memory(err, input->name, "to read this module");
    return rc;
}

int xpd_module_text_bytes(const struct xpd_input *input, uint64_t room, struct xpd_proto_bytes *out,
                          struct xpd_warnings *notes, struct xpd_err *err)
{
    struct xpd_arena scratch = {0};
    struct xpd_warnings unheard = {.arena = &scratch};
    struct text_load load = {.input = input, .room = room, .notes = notes ? notes : &unheard};
    struct xpd_str proto = {"", 0};
    int rc = make(&load, &proto, err);
    uint8_t *owned = rc == XPD_OK ? malloc(proto.size + 1) : NULL;
    if (rc == XPD_OK && !owned)
        rc = xpd_no_memory(err, input->name, "to read this module");
    if (owned) {
        memcpy(owned, proto.data, proto.size);
        out->owned = owned;
        out->size = proto.size;
    }
    free(load.module.data);
    free(load.assignment.data);
    free(load.live_range.data);
    xpd_arena_fini(&load.arena);
    xpd_arena_fini(&scratch);
    return rc;
}
