/* What kind of file it is, by its first bytes (and for LevelDB tables its last ones).
 *
 * In: a source. Out: a kind, and for unsupported kinds a sentence with advice. All protobuf files
 * look alike, so the first fields are compared with those of each kind. */
#include "profile_walk.h"

#include <string.h>

#define HEAD_BYTES       ((size_t)64 << 10)
#define PPROF_TYPE_BYTES 24               /* two numbers with their tags, at most */
#define PRELUDE_FIELDS   1024             /* of a pprof file, before the types of its values */
#define PRELUDE_BYTES    ((uint64_t)4096) /* of one of them, a comment's numbers for instance */

enum { VARINT = 0, LENGTH = 2 };

static bool has_bytes(const uint8_t *head, size_t size, const void *bytes, size_t length)
{
    return size >= length && memcmp(head, bytes, length) == 0;
}

static bool is_text_byte(uint8_t c)
{
    return c >= 0x20 ? c != 0x7F : c == '\t' || c == '\n' || c == '\r';
}

/* Length of the UTF-8 sequence at p, 0 = none. One that the end cuts counts as whole. */
static size_t utf8_length(const uint8_t *p, size_t left)
{
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (p[0] >= 0xF5)
        return 0;
    for (size_t i = 1; i < length && i < left; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return length < left ? length : left;
}

struct text_facts {
    bool utf8, printable;
    size_t replaced; /* U+FFFD, which a text conversion writes for invalid bytes */
};

static struct text_facts look_at_text(const uint8_t *head, size_t size)
{
    struct text_facts facts = {.utf8 = true, .printable = true};
    for (size_t i = 0; i < size;) {
        size_t length = utf8_length(head + i, size - i);
        if (length == 0) {
            facts.utf8 = facts.printable = false;
            break;
        }
        facts.printable &= is_text_byte(head[i]);
        facts.replaced += length == 3 && memcmp(head + i, "\xEF\xBF\xBD", 3) == 0;
        i += length;
    }
    return facts;
}

/* A module of MLIR, which begins with its operation or with an alias ("#loc = ...", "!t = ..."),
 * and has functions: StableHLO, MHLO, what Pallas and Triton print. */
static bool is_mlir(struct xpd_str start)
{
    static const char *const begins[] = {"module", "\"builtin.module\"", "#",
                                         "!",      "func.func",          "//"};
    static const char *const holds[] = {"func.func",      "stablehlo.", "mhlo.",
                                        "builtin.module", "vhlo.",      "module @"};
    bool begin = false, held = false;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        begin |= xpd_str_starts(start, begins[i]);
    for (size_t i = 0; begin && i < sizeof holds / sizeof *holds; i++)
        held |= xpd_str_find(start, xpd_str_of(holds[i]), false) != SIZE_MAX;
    return held;
}

static enum xpd_file_kind kind_of_text(const uint8_t *head, size_t size)
{
    struct xpd_str text = {(const char *)head, size};
    while (text.size != 0 &&
           (*text.data == ' ' || *text.data == '\n' || *text.data == '\r' || *text.data == '\t')) {
        text.data++;
        text.size--;
    }
    struct xpd_str start = {text.data, text.size < 4096 ? text.size : 4096};
    if (start.size != 0 && start.data[0] == '<' &&
        xpd_str_find(start, XPD_STR("html"), true) != SIZE_MAX)
        return XPD_FILE_HTML;
    if (start.size != 0 && (start.data[0] == '{' || start.data[0] == '[') &&
        (xpd_str_find(text, XPD_STR("\"traceEvents\""), false) != SIZE_MAX ||
         xpd_str_find(start, XPD_STR("\"displayTimeUnit\""), false) != SIZE_MAX ||
         xpd_str_find(start, XPD_STR("\"ph\""), false) != SIZE_MAX))
        return XPD_FILE_TRACE_JSON;
    if (xpd_str_starts(start, "heap profile:") || xpd_str_starts(start, "heap_v2/"))
        return XPD_FILE_HEAP_TEXT;
    if (xpd_str_starts(start, "HloModule "))
        return XPD_FILE_HLO_TEXT;
    if (xpd_str_starts(start, "BufferAssignment:"))
        return XPD_FILE_ASSIGNMENT_TEXT;
    return is_mlir(start) ? XPD_FILE_MLIR : XPD_FILE_TEXT;
}

static bool payload_is_name(struct xpd_reader *reader, struct xpd_wire_range range)
{
    const uint8_t *bytes;
    size_t size = (size_t)(range.size < 256 ? range.size : 256);
    if (size == 0 || xpd_window_peek(&reader->window, range.offset, size, &bytes, NULL) != XPD_OK)
        return false;
    struct text_facts facts = look_at_text(bytes, size);
    return facts.utf8 && facts.printable && memchr(bytes, '\n', size) == NULL;
}

/* Two numbers, and then? ValueType ends there, LogicalBufferProto{id 1, size 2} goes on with the
 * place where the buffer is defined, a message. */
static enum xpd_file_kind kind_of_numbers(struct xpd_reader *reader, struct xpd_wire_range first,
                                          uint64_t at)
{
    struct xpd_walk_field field;
    if (xpd_walk_next(reader, &at, xpd_range_end(first), &field, NULL) == XPD_WALK_FIELD)
        return field.number == 3 && field.type == LENGTH ? XPD_FILE_ASSIGNMENT : XPD_FILE_UNKNOWN;
    return first.size <= PPROF_TYPE_BYTES ? XPD_FILE_PPROF : XPD_FILE_UNKNOWN;
}

/* The file's first field is a message `first`; what is it a message of? XPlane{id 1, name 2},
 * HloModuleProto{name 1}, pprof's ValueType{type 1, unit 2}, both numbers, LogicalBufferProto. */
static enum xpd_file_kind kind_of_first(struct xpd_reader *reader, struct xpd_wire_range first)
{
    struct xpd_walk_field field;
    uint64_t at = first.offset;
    for (int i = 0; i < 2; i++) {
        if (xpd_walk_next(reader, &at, xpd_range_end(first), &field, NULL) != XPD_WALK_FIELD)
            return XPD_FILE_UNKNOWN;
        bool name = field.type == LENGTH && payload_is_name(reader, field.payload);
        if (field.number == 1 && i == 0 && field.type == LENGTH)
            return name ? XPD_FILE_HLO_PROTO : XPD_FILE_UNKNOWN;
        if (field.number == 2)
            return name                   ? XPD_FILE_XSPACE
                   : field.type == VARINT ? kind_of_numbers(reader, first, at)
                                          : XPD_FILE_UNKNOWN;
        if (field.number != 1 || field.type != VARINT)
            return XPD_FILE_UNKNOWN;
    }
    return XPD_FILE_UNKNOWN;
}

/* What may come before the types of values in a pprof file: Go writes times and period first, its
 * older versions mappings. */
static bool is_pprof_prelude(const struct xpd_walk_field *field)
{
    return field->number >= 2 && field->number <= 15 &&
           (field->type == VARINT ||
            (field->type == LENGTH && field->payload.size <= PRELUDE_BYTES));
}

static enum xpd_file_kind kind_of_protobuf(struct xpd_reader *reader)
{
    struct xpd_walk_field field = {0};
    uint64_t at = 0;
    enum xpd_walk step = xpd_walk_next(reader, &at, XPD_WALK_TOP, &field, NULL);
    if (step == XPD_WALK_FIELD && field.type == LENGTH && field.number >= 2 && field.number <= 4 &&
        payload_is_name(reader, field.payload))
        return XPD_FILE_XSPACE;
    int prelude = 0;
    while (prelude < PRELUDE_FIELDS && step == XPD_WALK_FIELD && is_pprof_prelude(&field)) {
        prelude++;
        step = xpd_walk_next(reader, &at, XPD_WALK_TOP, &field, NULL);
    }
    if (prelude > 0)
        return step == XPD_WALK_FIELD && field.number == 1 && field.type == LENGTH &&
                       kind_of_first(reader, field.payload) == XPD_FILE_PPROF
                   ? XPD_FILE_PPROF
                   : XPD_FILE_UNKNOWN;
    if ((step != XPD_WALK_FIELD && step != XPD_WALK_CUT) || field.number != 1 ||
        field.type != LENGTH)
        return XPD_FILE_UNKNOWN;
    if (field.payload.offset >= reader->size)
        return XPD_FILE_UNKNOWN;
    enum xpd_file_kind kind = kind_of_first(reader, field.payload);
    if (kind != XPD_FILE_UNKNOWN || step == XPD_WALK_CUT)
        return kind;
    /* HloModuleProto{name 1, entry computation name 2, computations 3} */
    struct xpd_wire_range name = field.payload;
    if (payload_is_name(reader, name) &&
        xpd_walk_next(reader, &at, XPD_WALK_TOP, &field, NULL) == XPD_WALK_FIELD &&
        (field.number == 2 || field.number == 3) && field.type == LENGTH)
        return XPD_FILE_HLO_MODULE;
    return XPD_FILE_UNKNOWN;
}

/* The header of gperftools' CPU profiles: words 0, 3, 0 (version) of 8 or 4 bytes, of either order;
 * the period and a 0 follow. */
static bool is_cpu_words(const uint8_t *head, size_t size)
{
    for (size_t word = 4; word <= 8; word += 4) {
        size_t ones = 0;
        for (size_t i = 0; i < 3 * word && 5 * word <= size; i++)
            ones += head[i] != 0;
        if (ones == 1 && (head[word] == 3 || head[2 * word - 1] == 3))
            return true;
    }
    return false;
}

static bool ends_as_table(struct xpd_reader *reader)
{
    static const uint8_t magic[8] = {0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB};
    const uint8_t *bytes;
    return reader->size >= 48 &&
           xpd_window_peek(&reader->window, reader->size - 8, 8, &bytes, NULL) == XPD_OK &&
           memcmp(bytes, magic, 8) == 0;
}

enum xpd_file_kind xpd_file_kind_of(const struct xpd_source *source)
{
    static const uint8_t riegeli[8] = {0x83, 0xAF, 0x70, 0xD1, 0x0D, 0x88, 0x4A, 0x3F};
    struct xpd_reader reader = {.size = xpd_source_size(source)};
    if (reader.size == 0)
        return XPD_FILE_EMPTY;
    if (xpd_window_init(&reader.window, source, NULL) != XPD_OK)
        return XPD_FILE_UNKNOWN;
    enum xpd_file_kind kind = XPD_FILE_UNKNOWN;
    size_t size = reader.size < HEAD_BYTES ? (size_t)reader.size : HEAD_BYTES;
    const uint8_t *head;
    if (xpd_window_peek(&reader.window, 0, size, &head, NULL) == XPD_OK) {
        struct text_facts facts = look_at_text(head, size);
        if (has_bytes(head, size, riegeli, sizeof riegeli))
            kind = XPD_FILE_RIEGELI;
        else if (facts.utf8 && !facts.printable && facts.replaced >= 3)
            kind = XPD_FILE_UTF8_MANGLED;
        else if (facts.utf8 && facts.printable)
            kind = kind_of_text(head, size);
        else if (ends_as_table(&reader))
            kind = XPD_FILE_SSTABLE;
        else if (is_cpu_words(head, size))
            kind = XPD_FILE_CPU_WORDS;
        else
            kind = kind_of_protobuf(&reader);
    }
    xpd_window_fini(&reader.window);
    return kind;
}

const char *xpd_file_kind_advice(enum xpd_file_kind kind)
{
    switch (kind) {
    case XPD_FILE_EMPTY:
        return "The file has 0 bytes: the profiler writes one when saving fails, most often "
               "because the profile exceeds 2 GB. Profile fewer steps, or set "
               "python_tracer_level=0.";
    case XPD_FILE_PPROF:
        return "This is a pprof profile (jax.profiler.save_device_memory_profile or another pprof "
               "writer), not an XSpace: call it <name>.prof, and it opens as a heap file.";
    case XPD_FILE_HEAP_TEXT:
        return "This is a heap profile of gperftools or jemalloc in text form, which has addresses "
               "without names. Convert it with `pprof -proto PROGRAM FILE > heap.prof`.";
    case XPD_FILE_CPU_WORDS:
        return "This is a CPU profile of gperftools, which has addresses without names. Convert it "
               "with `pprof -proto PROGRAM FILE > cpu.prof`.";
    case XPD_FILE_TRACE_JSON:
        return "This is a Chrome trace (trace.json), which contains only a part of the profile. "
               "Open the .xplane.pb beside it, or this file in ui.perfetto.dev.";
    case XPD_FILE_HTML: return "This is an HTML page, not a profile; a download may have failed.";
    case XPD_FILE_TEXT:
        return "This is text, neither a profile nor an HLO module. An HLO module begins with "
               "\"HloModule\", "
               "as "
               "compiled.as_text() prints it and --xla_dump_to writes it.";
    case XPD_FILE_MLIR:
        return "This is MLIR (StableHLO or MHLO, as jax.jit(f).lower(...).as_text() prints it): a "
               "program before XLA compiled it, without schedule and buffers. Open the HLO text of "
               "lower(...).compile().as_text(), or a folder of --xla_dump_to.";
    case XPD_FILE_ASSIGNMENT_TEXT:
        return "This is XLA's report of a buffer assignment. Open the *after_optimizations.txt "
               "beside "
               "it, which holds the program, or the whole folder.";
    case XPD_FILE_ASSIGNMENT:
        return "This is a BufferAssignmentProto "
               "(memory_analysis().serialized_buffer_assignment_proto)"
               ": it has the buffers but not the program. Save the program's HloProto "
               "(--xla_dump_to with --xla_dump_hlo_as_proto), or take a profile.";
    case XPD_FILE_UTF8_MANGLED:
        return "The file went through a text conversion: bytes that are not UTF-8 were replaced by "
               "EF BF BD, which cannot be undone. Copy the original again in binary mode.";
    case XPD_FILE_RIEGELI:
        return "This is a profile in Riegeli chunks (.xplane.riegeli), which xprofd does not read. "
               "Save it "
               "as "
               ".xplane.pb (jax.profiler.start_trace and TensorFlow's profiler write that), or "
               "convert "
               "it with the riegeli library: its records are XSpace messages.";
    case XPD_FILE_SSTABLE:
        return "This is a cache that XProf made from a profile (SSTABLE). Open the original "
               ".xplane.pb.";
    case XPD_FILE_UNKNOWN:
        return "The file is neither an XSpace nor an HloProto, or it is damaged at its start.";
    case XPD_FILE_XSPACE:
    case XPD_FILE_HLO_PROTO:
    case XPD_FILE_HLO_MODULE:
    case XPD_FILE_HLO_TEXT: return NULL;
    }
    return NULL;
}
