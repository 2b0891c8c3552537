/* Names in a folder of XLA dumps.
 *
 * XLA writes module_<number>.<name>.<what>, where <what> is a stage ("before_optimizations",
 * "cpu_after_optimizations", "sm_8.0_gpu_after_optimizations", "cl_1003875606.after_optimizations")
 * or a stage, a dash and a report ("...-buffer-assignment", "...-live-range"). If that is too long
 * for a file name XLA leaves <name> out; with --xla_dump_include_timestamp "<microseconds>." comes
 * first. Copied dumps are often named <name>.<stage> and <name>.<report>. No file is opened here: a
 * folder of thousands is listed by names alone. */
#include "dump_names.h"

#include <stdlib.h>
#include <string.h>

struct xpd_str xpd_dump_plain(struct xpd_str name)
{
    if (name.size > 3 && xpd_str_ends(name, ".gz"))
        name.size -= 3;
    return name;
}

struct xpd_str xpd_dump_stem(struct xpd_str name)
{
    static const char *const ending[] = {".xplane.pb", ".hlo_proto.pb", ".hlo.pb", ".txt", ".hlo"};
    struct xpd_str plain = xpd_dump_plain(name);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (plain.size > strlen(ending[i]) && xpd_str_ends(plain, ending[i])) {
            plain.size -= strlen(ending[i]);
            return plain;
        }
    return plain;
}

/* XLA writes a module once per stage. The one with the buffer assignment is after_optimizations;
 * the others are better than nothing when a compilation broke off. First match wins. */
static const struct {
    const char *text;
    int rank;
} stages[] = {
    {"after_optimizations_before_buffer_assignment", 3},
    {"after_optimizations_after_buffer_assignment", 5},
    {"before_optimizations", 2},
    {"oom_intermediate", 4},
    {"after_codegen", 6},
    {"after_optimizations", 9},
};
enum { RANK_HLO_PROTO = 10, RANK_UNKNOWN = 1 };

static bool is_text(struct xpd_str plain)
{
    return xpd_str_ends(plain, ".txt") || xpd_str_ends(plain, ".hlo");
}

/* For one stage the proto has priority over the text: it has more data. */
static int rank_of(struct xpd_str name)
{
    struct xpd_str plain = xpd_dump_plain(name);
    int rank = xpd_str_ends(plain, ".hlo_proto.pb") ? RANK_HLO_PROTO : RANK_UNKNOWN;
    for (size_t i = 0; i < sizeof stages / sizeof *stages && rank == RANK_UNKNOWN; i++)
        if (xpd_str_find(name, xpd_str_of(stages[i].text), false) != SIZE_MAX)
            rank = stages[i].rank;
    return 2 * rank + !is_text(plain);
}

bool xpd_dump_is_module_text(struct xpd_str name)
{
    struct xpd_str plain = xpd_dump_plain(name);
    if (!xpd_str_ends(plain, ".txt"))
        return xpd_str_ends(plain, ".hlo");
    plain.size -= strlen(".txt");
    if (xpd_str_ends(plain, "oom_intermediate_module"))
        return true;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (xpd_str_ends(plain, stages[i].text))
            return true;
    return false;
}

/* Position of "module_", after an optional timestamp; SIZE_MAX: none. */
static size_t number_at(struct xpd_str name)
{
    size_t at = 0;
    while (at < name.size && name.data[at] >= '0' && name.data[at] <= '9')
        at++;
    at += at != 0 && at < name.size && name.data[at] == '.';
    bool is_time = at == 0 || name.data[at - 1] == '.';
    struct xpd_str rest = {name.data + at, name.size - at};
    return is_time && xpd_str_starts(rest, "module_") ? at : SIZE_MAX;
}

bool xpd_dump_is_numbered(struct xpd_str name)
{
    return number_at(name) != SIZE_MAX;
}

/* Whether a part of a name begins XLA's suffix after the program's name: a stage, or the target
 * before it. */
static bool is_stage(struct xpd_str part)
{
    static const char *const word[] = {"before_optimizations", "after_", "cpu_after_", "gpu_after_",
                                       "oom_intermediate",     "sm_",    "cl_",        "gfx"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        size_t size = strlen(word[i]);
        bool target = i >= 5; /* with a number */
        if (xpd_str_starts(part, word[i]) &&
            (!target || (part.size > size && part.data[size] >= '0' && part.data[size] <= '9')))
            return true;
    }
    return false;
}

/* The dot before the stage; a program's name may have dots of its own ("SyncTensorsGraph.123").
 * Without a stage the first dot; NULL: none. */
static const char *end_of_program(struct xpd_str rest)
{
    const char *end = rest.data + rest.size;
    for (const char *dot = rest.data; dot && dot < end;) {
        dot = memchr(dot, '.', (size_t)(end - dot));
        if (dot && is_stage((struct xpd_str){dot + 1, (size_t)(end - dot - 1)}))
            return dot;
        dot = dot ? dot + 1 : NULL;
    }
    return memchr(rest.data, '.', rest.size);
}

/* The common prefix of the files of one program: "module_0012.jit_f", or the text before the stage.
 */
static struct xpd_str program_of(struct xpd_str name)
{
    size_t number = number_at(name);
    const char *dot =
        number == SIZE_MAX ? NULL : memchr(name.data + number, '.', name.size - number);
    if (dot) {
        struct xpd_str rest = {dot + 1, name.size - (size_t)(dot + 1 - name.data)};
        const char *end = is_stage(rest) ? dot : end_of_program(rest);
        if (end)
            return (struct xpd_str){name.data, (size_t)(end - name.data)};
    }
    static const char *const part[] = {".after_optimizations",  ".after_codegen",
                                       ".before_optimizations", ".oom_intermediate",
                                       ".buffer-assignment",    ".live-range"};
    struct xpd_str stem = xpd_dump_stem(name);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        size_t at = xpd_str_find(stem, xpd_str_of(part[i]), false);
        if (at != SIZE_MAX)
            stem.size = at;
    }
    return stem;
}

struct xpd_str xpd_dump_module_name(struct xpd_str name)
{
    struct xpd_str program = program_of(name);
    size_t number = number_at(program);
    const char *dot =
        number == SIZE_MAX ? NULL : memchr(program.data + number, '.', program.size - number);
    if (!dot)
        return program;
    return (struct xpd_str){dot + 1, (size_t)(program.data + program.size - dot - 1)};
}

uint64_t xpd_dump_module_id(struct xpd_str name)
{
    size_t at = number_at(name);
    uint64_t id = 0;
    if (at == SIZE_MAX)
        return 0;
    at += sizeof "module_" - 1;
    const char *dot = memchr(name.data + at, '.', name.size - at);
    if (dot)
        xpd_str_to_u64((struct xpd_str){name.data + at, (size_t)(dot - name.data) - at}, &id);
    return id;
}

const char *xpd_dump_platform(struct xpd_str name)
{
    if (xpd_str_find(name, XPD_STR("cpu_after_optimizations"), false) != SIZE_MAX)
        return "cpu";
    if (xpd_str_find(name, XPD_STR("gpu_after_optimizations"), false) != SIZE_MAX)
        return "gpu";
    return xpd_str_find(name, XPD_STR(".cl_"), false) != SIZE_MAX ? "tpu" : "";
}

static int by_program(const void *a, const void *b)
{
    const struct xpd_scan_file *x = a, *y = b;
    struct xpd_str s = xpd_str_of(x->name), t = xpd_str_of(y->name);
    int order = xpd_str_order(program_of(s), program_of(t));
    if (order == 0)
        order = rank_of(t) - rank_of(s);
    return order ? order : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    const struct xpd_scan_file *x = a, *y = b;
    return strcmp(x->name, y->name);
}

size_t xpd_dump_pick(struct xpd_scan_file *file, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(file, count, sizeof *file, by_program);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !xpd_str_eq(program_of(xpd_str_of(file[i].name)),
                                  program_of(xpd_str_of(file[kept - 1].name))))
            file[kept++] = file[i];
    if (kept > 1)
        qsort(file, kept, sizeof *file, by_name);
    return kept;
}

void xpd_dump_sort(struct xpd_scan_file *file, size_t count)
{
    if (count > 1)
        qsort(file, count, sizeof *file, by_program);
}

/* In a dump of XLA's the report is called like the text: "<stem>-buffer-assignment.txt". */
static bool is_named_after(struct xpd_str report, struct xpd_str module_text)
{
    struct xpd_str stem = xpd_dump_stem(module_text);
    if (!xpd_dump_is_numbered(module_text))
        return true;
    return report.size > stem.size && memcmp(report.data, stem.data, stem.size) == 0 &&
           report.data[stem.size] == '-';
}

const struct xpd_scan_file *xpd_dump_report(const struct xpd_scan_file *file, size_t count,
                                            struct xpd_str module_text, enum xpd_name_class class)
{
    struct xpd_str program = program_of(module_text);
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (xpd_str_order(program_of(xpd_str_of(file[middle].name)), program) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count; low++) {
        struct xpd_str name = xpd_str_of(file[low].name);
        if (!xpd_str_eq(program_of(name), program))
            return NULL;
        if (file[low].name_class == class && is_named_after(name, module_text))
            return &file[low];
    }
    return NULL;
}
