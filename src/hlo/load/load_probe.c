/* Is this an HloProto at all?
 *
 * Protobuf has no magic number, so the first fields are held against what an HloProto begins with.
 * A file of another kind gets a sentence that names the kind: people hand in what they have. */
#include "load_internal.h"

#include <ctype.h>

enum { NAME_MAX_SHOWN = 60 };

static bool begins(const uint8_t *bytes, size_t size, const char *text)
{
    size_t length = strlen(text);
    return size >= length && memcmp(bytes, text, length) == 0;
}

static bool is_text(const uint8_t *bytes, size_t size)
{
    size_t n = size < 512 ? size : 512;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] < 0x20 && !isspace(bytes[i]))
            return false;
    return n != 0;
}

/* The kind of a file that is not an HloProto. */
static const char *other_kind(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return "the file is empty";
    if (begins(bytes, size, "\x1f\x8b"))
        return "this is gzip data inside gzip data; unpack it once more";
    if (begins(bytes, size, "HloModule"))
        return "this is HLO text, not a binary HloProto; dump with --xla_dump_hlo_as_proto";
    if (begins(bytes, size, "\xef\xbf\xbd"))
        return "the file was passed through a text conversion and is damaged beyond repair";
    if (is_text(bytes, size))
        return bytes[0] == '<'
                   ? "this is a web page or XML, not an HloProto; the download may have "
                     "failed"
                   : "this is a text file, not a binary HloProto";
    return "this is not an HloProto";
}

/* The fields of HloModuleProto that distinguish it from other messages. */
static bool module_field_fits(const struct xpd_field *field)
{
    switch (field->number) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 7:
    case 8:
    case 17:
    case 18:
    case 21:
    case 22: return field->wire_type == 2;
    case 5:
    case 6:
    case 11: return field->wire_type == 0;
    default: return field->number < 1000;
    }
}

struct probe {
    bool has_assignment, fits, looks_like_xspace;
    struct xpd_str name;
};

static void probe_module(struct probe *probe, const struct xpd_field *module)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, module, XPD_FIELD_BIT(3), NULL);
    struct xpd_field field;
    uint64_t count = 0, wrong = 0;
    bool telling = module->size == 0, name_like_plane = false;
    while (xpd_hlo_walk_next(&walk, &field)) {
        count++;
        if (!module_field_fits(&field)) {
            wrong++;
            if (count == 1)
                break;
            continue;
        }
        telling = telling || field.number <= 6;
        if (field.number == 1)
            probe->name = xpd_field_str(&field);
        else if (field.number == 2)
            name_like_plane = field.size != 0 && field.bytes[0] == '/';
    }
    /* XSpace.planes[1] = XPlane{id[1] varint, name[2] "/host:CPU"}. */
    probe->looks_like_xspace = probe->looks_like_xspace || name_like_plane ||
                               (wrong != 0 && module->size != 0 && module->bytes[0] == 0x08);
    probe->fits = probe->fits ||
                  (wrong == 0 && telling && !name_like_plane && (count != 0 || module->size == 0));
}

static bool assignment_fits(const struct xpd_field *assignment)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, assignment, ~UINT64_C(0), NULL);
    struct xpd_field field;
    return xpd_hlo_walk_next(&walk, &field) && field.number <= 5 && field.wire_type == 2;
}

static void probe_top(struct probe *probe, const uint8_t *bytes, size_t size, uint64_t offset)
{
    const struct xpd_field top = {.bytes = bytes, .size = size, .offset = offset};
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, &top, XPD_FIELD_BIT(1) | XPD_FIELD_BIT(3), NULL);
    struct xpd_field field;
    bool strange = false;
    while (xpd_hlo_walk_next(&walk, &field)) {
        if (field.number == 1 && field.wire_type == 2) {
            probe_module(probe, &field);
        } else if (field.number == 3 && field.wire_type == 2) {
            probe->has_assignment = true;
            probe->fits = probe->fits || assignment_fits(&field);
        } else {
            strange = true;
        }
    }
    /* An empty module does not count if the following fields are invalid. */
    bool empty = probe->name.size == 0 && !probe->has_assignment && size < 8;
    if (empty && (strange || walk.cursor.error_text))
        probe->fits = false;
}

static int refuse(const struct probe *probe, const uint8_t *bytes, size_t size, uint64_t offset,
                  const char *where, struct xpd_err *err)
{
    const char *kind = other_kind(bytes, size);
    if (probe->looks_like_xspace)
        kind = "this is a profile (XSpace), not an HloProto; open it as NAME.xplane.pb";
    else if (size > 2 && bytes[0] == 0x0a && bytes[1] != 0 && bytes[1] < 0x80 &&
             (size_t)bytes[1] + 2 < size && bytes[bytes[1] + 2] == 0x12 &&
             is_text(bytes + 2, bytes[1]))
        kind = "this is a bare HloModuleProto; an HloProto holds the module and its buffers";
    return xpd_fail(err, XPD_EFORMAT, where, offset, "%s", kind);
}

int xpd_hlo_probe(const uint8_t *bytes, size_t size, uint64_t file_offset, const char *where,
                  struct xpd_err *err)
{
    struct probe probe = {0};
    probe_top(&probe, bytes, size, file_offset);
    return probe.fits ? XPD_OK : refuse(&probe, bytes, size, file_offset, where, err);
}
