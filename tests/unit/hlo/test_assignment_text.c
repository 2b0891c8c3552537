/* Reports of buffer assignments in each dialect, the events made of live ranges, and texts that
 * were cut, edited or mixed. */
#include "hlo_test.h"
#include "xprofd/hlo/assignment_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char PROGRAM[] =
    "HloModule jit_f, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }\n\n"
    "ENTRY %main (a: f32[8]) -> f32[8] {\n"
    "  %a = f32[8]{0} parameter(0)\n"
    "  %b = f32[8]{0} negate(%a)\n"
    "  %c = f32[8]{0} negate(%b)\n"
    "  %d = f32[8]{0} negate(%c)\n"
    "  ROOT %e = f32[8]{0} negate(%d)\n}\n";

struct read {
    struct xpd_arena arena;
    struct xpd_warnings notes;
    struct xpd_assignment_facts facts;
    struct xpd_hlo *hlo;
    struct xpd_err err;
    int rc;
};

static void read_report(struct read *r, const char *report, const char *ranges)
{
    struct xpd_str module_proto, assignment, proto;
    struct xpd_hlo_names *names;
    struct xpd_assignment_text text = {.assignment = xpd_str_of(report),
                                       .live_range = xpd_str_of(ranges),
                                       .name = "report.txt",
                                       .live_name = "ranges.txt"};
    *r = (struct read){0};
    r->notes.arena = &r->arena;
    assert_int_equal(xpd_hlo_text_parse(xpd_str_of(PROGRAM), "f.txt", &r->arena, &r->notes,
                                        &module_proto, &names, &r->err),
                     XPD_OK);
    r->rc = xpd_assignment_text_parse(&text, module_proto, names, &r->arena, &r->notes, &assignment,
                                      &r->facts, &r->err);
    if (r->rc != XPD_OK)
        return;
    assert_true(xpd_hlo_proto_join(module_proto, assignment, &r->arena, &proto));
    r->hlo = ht_load_bytes(proto.data, proto.size, &r->err);
    assert_non_null(r->hlo);
}

static void end(struct read *r)
{
    xpd_hlo_free(r->hlo);
    xpd_arena_fini(&r->arena);
}

static uint64_t noted(const struct read *r, const char *code)
{
    for (uint32_t i = 0; i < r->notes.count; i++)
        if (strcmp(r->notes.item[i].code, code) == 0)
            return r->notes.item[i].count;
    return 0;
}

/* "A1 S2>1 F1 F2" */
static const char *events(const struct read *r)
{
    static char text[512];
    const struct xpd_hlo_events *e = &r->hlo->events;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < e->count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%c%lld", i ? " " : "",
                                 "AFS"[e->kind[i]], (long long)e -> buffer_id[i]);
        if (e->kind[i] == XPD_EVENT_SHARE_WITH)
            used += (size_t)snprintf(text + used, sizeof text - used, ">%lld",
                                     (long long)r->hlo->buffers.id[e->canonical[i]]);
    }
    return text;
}

static void test_words(void **state)
{
    struct read r;
    (void)state;
    read_report(&r,
                "BufferAssignment:\n"
                "allocation 0: 0x7f00, size 32, parameter 0, shape |f32[8]| at ShapeIndex {}, "
                "maybe-live-out:\n"
                " value: <0 a @0> (size=32,offset=0): f32[8]{0}\n"
                "allocation 1: size 4, color 2, page 0, thread-local:\n"
                " value: <1 b @2> (size=4,offset=0): f32[8]{0}\n"
                "allocation 2: size 16, output shape is |(f32[8], f32[8])|, maybe-live-out:\n"
                " value: <2 c{} (phi) @0> (size=16,offset=0): (f32[8]{0}, f32[8]{0})\r\n"
                "allocation 3: size 8, constant:\n"
                " value: <3 d{1,0} @0> (size=8,offset=0): f32[8]{0}\n"
                "\nTotal bytes used: 60 (60B)\n",
                "");
    assert_int_equal(r.rc, XPD_OK);
    assert_int_equal(r.notes.count, 0);
    const struct xpd_hlo_allocation *a = r.hlo->allocation;
    assert_int_equal(r.hlo->allocation_count, 4);
    assert_int_equal(a[0].flags,
                     XPD_ALLOC_PARAMETER | XPD_ALLOC_LIVE_OUT | XPD_ALLOC_PARAMETER_ALIASED);
    assert_int_equal(a[0].size_bytes, 32);
    assert_int_equal(a[1].flags, XPD_ALLOC_THREAD_LOCAL);
    assert_int_equal(a[1].color, 2);
    assert_int_equal(a[2].flags, XPD_ALLOC_LIVE_OUT | XPD_ALLOC_TUPLE);
    assert_int_equal(a[3].flags, XPD_ALLOC_CONSTANT);
    assert_true(ht_is(r.hlo, r.hlo->instructions.name[r.hlo->buffers.instruction[3]], "d"));
    assert_int_equal(r.hlo->buffers.index_first[4] - r.hlo->buffers.index_first[3], 2);
    assert_int_equal(r.facts.held_bytes, 60);
    end(&r);
}

static const char HEAP[] = "BufferAssignment:\n"
                           "allocation 0: size 64, preallocated-temp:\n"
                           " value: <1 b @0> (size=32,offset=0): f32[8]{0}\n"
                           " value: <2 c @0> (size=32,offset=0): f32[8]{0}\n"
                           " value: <3 d @0> (size=32,offset=32): f32[8]{0}\n"
                           " value: <4 e{} @0> (size=16,offset=48): (f32[8]{0})\n\n";

static void test_events(void **state)
{
    struct read r;
    (void)state;
    read_report(&r, HEAP,
                "HloLiveRange (max 5):\n  InstructionSequence:\n    0:a\n  BufferLiveRange:\n"
                "    b{}:1-2\n    c{}:2-4\n    d{}:3-3\n    e{}:4-5\n    a{}:0-1\n"
                "  Live ranges at 3 (peak):\n    b{}: 32 bytes\n");
    assert_int_equal(r.notes.count, 0);
    assert_string_equal(events(&r), "A1 S2>1 F1 A3 F3 F2");
    assert_int_equal(r.facts.events, 6);
    assert_int_equal(r.hlo->value_count, 1);
    end(&r);
    /* In one file, as until 2025; c begins after b has ended. */
    char both[1024];
    snprintf(both, sizeof both, "%s%s", HEAP,
             "HloLiveRange (max 5):\nHloLiveRange (max 5):\n  BufferLiveRange:\n"
             "    b{}:1-2\n    c{}:3-4\n    d{}:1-4\n");
    read_report(&r, both, "");
    assert_string_equal(events(&r), "A1 A3 F1 A2 F3 F2");
    end(&r);
    read_report(&r, HEAP, "");
    assert_int_equal(r.hlo->trace_count, 0);
    assert_false(r.facts.has_live_ranges);
    end(&r);
}

static void test_fast_memory(void **state)
{
    struct read r;
    (void)state;
    read_report(&r,
                "BufferAssignment:\nallocation 0: size 64, color 1, page 0, preallocated-temp:\n"
                " value: <2 b @1> (size=32,offset=0): f32[8]{0}\n"
                " value: <1 c @1> (size=32,offset=0): f32[8]{0}\n",
                "  BufferLiveRange:\n    b{}:1-2\n    c{}:2-2\n");
    assert_string_equal(events(&r), "A2 F2");
    end(&r);
    read_report(&r,
                "BufferAssignment:\nallocation 0: size 64, color 1, page 0, preallocated-temp:\n"
                " value: <2 b @1> (size=32,offset=0): f32[8]{0}\n"
                " value: <1 c @1> (size=32,offset=0): f32[8]{0}\n",
                "  BufferLiveRange:\n    b{}:1-3\n    c{}:2-3\n");
    assert_string_equal(events(&r), "A2 A1 F1 F2");
    end(&r);
}

/* Temporaries lie one behind another and have the flags of the first: a tuple of no bytes goes
 * before the value at the same offset, one of 8 bytes does not. */
static void test_tuples(void **state)
{
    static const struct {
        const char *first, *second;
        bool tuple;
    } set[] = {
        {"<1 b @0> (size=4,offset=0): f32[]", "<2 c{} @0> (size=0,offset=0): ()", true},
        {"<1 b @0> (size=4,offset=0): f32[]", "<2 c{} @0> (size=0,offset=64): ()", false},
        {"<1 b{} @0> (size=8,offset=0): (f32[8])", "<2 c @0> (size=4,offset=64): f32[]", true},
        {"<1 b{} @0> (size=8,offset=0): (f32[8])", "<2 c @0> (size=8,offset=0): f32[2]", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        struct read r;
        char report[400];
        snprintf(report, sizeof report,
                 "BufferAssignment:\nallocation 0: size 128, preallocated-temp:\n value: %s\n"
                 " value: %s\n",
                 set[i].first, set[i].second);
        read_report(&r, report, "");
        assert_int_equal(r.rc, XPD_OK);
        assert_int_equal((r.hlo->allocation[0].flags & XPD_ALLOC_TUPLE) != 0, set[i].tuple);
        end(&r);
    }
}

static void test_bad_text(void **state)
{
    struct read r;
    (void)state;
    read_report(&r, "", "");
    assert_int_equal(r.rc, XPD_EFORMAT);
    end(&r);
    read_report(&r,
                "BufferAssignment:\n"
                "allocation 0: size 99999999999999999999, constant:\n"
                " value: <0 a @0> (size=32,offset=0): f32[8]{0}\n"
                "allocation 1: size 8, sideways, constant:\n"
                " value: <1 b @0> (size=-1,offset=0): f32[8]{0}\n"
                " value: <2 nobody @0> (size=8,offset=0): f32[8]{0}\n"
                "what is this\n"
                "\nTotal bytes used: 70 (70B)\n",
                "  BufferLiveRange:\n    b{}:5-1\n    b:1-2\n    }\n");
    assert_int_equal(r.rc, XPD_OK);
    assert_int_equal(noted(&r, "assignment_text_allocation"), 1);
    assert_int_equal(noted(&r, "assignment_text_word"), 1);
    assert_int_equal(noted(&r, "assignment_text_value"), 1);
    assert_int_equal(noted(&r, "assignment_text_line"), 1);
    assert_int_equal(noted(&r, "assignment_text_total"), 1);
    assert_int_equal(noted(&r, "assignment_text_range"), 3);
    assert_int_equal(noted(&r, "assignment_text_mixed"), 1);
    assert_int_equal(r.hlo->allocation_count, 1);
    assert_int_equal(r.hlo->buffers.count, 1);
    assert_int_equal(r.hlo->buffers.instruction[0], XPD_NO_INDEX);
    end(&r);
    /* Any beginning of a report: never a crash, and what is whole is there. */
    for (size_t size = 0; size < sizeof HEAP; size++) {
        char cut[sizeof HEAP];
        snprintf(cut, size + 1, "%s", HEAP);
        read_report(&r, cut, "  BufferLiveRange:\n    b{}:1-2\n    c{}:2-4\n");
        assert_true(r.rc == XPD_OK || r.rc == XPD_EFORMAT);
        end(&r);
    }
}

/* Reports of another compilation of one program: names in common, other shapes; a schedule of
 * other instructions. */
static void test_mixed(void **state)
{
    struct read r;
    (void)state;
    read_report(&r,
                "BufferAssignment:\n"
                "allocation 0: size 64, preallocated-temp:\n"
                " value: <1 b @0> (size=32,offset=0): f32[8]{0}\n"
                " value: <2 c @0> (size=64,offset=0): f32[16]{0}\n"
                " value: <3 d @0> (size=64,offset=0): f32[4,4]{1,0}\n"
                " value: <4 e @0> (size=32,offset=0): f32[<=8]{0}\n\n",
                "  BufferLiveRange:\n    b{}:1-2\n    other{}:2-4\n    c.7{0}:2-4\n");
    assert_int_equal(r.rc, XPD_OK);
    assert_int_equal(r.notes.count, 2);
    assert_string_equal(r.notes.item[0].code, "assignment_text_mixed");
    assert_string_equal(r.notes.item[0].text,
                        "2 of the 4 values in report.txt do not fit the program, the first in line "
                        "4: c has the dimensions [16] there alone. The files are of different "
                        "compilations, or one was edited.");
    assert_string_equal(r.notes.item[1].text,
                        "2 live ranges in ranges.txt are of instructions that the program does not "
                        "have, the first in line 3: other. The files are of different "
                        "compilations, or one was edited.");
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),       cmocka_unit_test(test_events),
        cmocka_unit_test(test_fast_memory), cmocka_unit_test(test_tuples),
        cmocka_unit_test(test_bad_text),    cmocka_unit_test(test_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
