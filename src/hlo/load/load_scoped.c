/* Scoped memory: `used_scoped_memory_configs` in the backend config of an instruction.
 *
 * In: the config's JSON, inline or one of the module's shared payloads. Out: load->scoped. Nearly
 * every instruction of a TPU module has a config and almost none has this key, so a text is parsed
 * only if it contains the key and its array is not empty. A shared payload is read once, however
 * many instructions refer to it. */
#include "load_internal.h"
#include "xprofd/json/reader.h"

#define KEY        "used_scoped_memory_configs"
#define MAX_SCOPED 16 /* of one config: there are about ten memory spaces */
#define MAX_EACH   4  /* per instruction of the module, on average; real ones have one in thirty */

static bool mentions_scoped(struct xpd_str text)
{
    size_t at = xpd_str_find(text, XPD_STR(KEY "\":"), false);
    if (at == SIZE_MAX) /* other writers' JSON may have blanks before the colon */
        return xpd_str_find(text, XPD_STR(KEY), false) != SIZE_MAX;
    struct xpd_str rest = {text.data + at, text.size - at};
    return !xpd_str_starts(rest, KEY "\":[]");
}

/* A small file could have every instruction point to one long payload. */
static void push_scoped(struct xpd_hlo_load *load, const struct xpd_hlo_scoped *scoped)
{
    if (load->scoped.count / MAX_EACH < load->count_instructions)
        XPD_PUSH(&load->scoped, *scoped);
    else
        XPD_HLO_WARN(load, XPD_WARNING, "scoped_too_many", XPD_NO_OFFSET,
                     "the backend configs list more than %d scoped memories per instruction; the "
                     "rest is left out",
                     MAX_EACH);
}

static void push_item(struct xpd_hlo_load *load, const struct xpd_json *item, uint32_t instruction)
{
    struct xpd_hlo_scoped scoped = {.instruction = instruction};
    if (xpd_json_to_i64_loosely(xpd_json_member(item, "memory_space"), &scoped.memory_space) &&
        xpd_json_to_i64_loosely(xpd_json_member(item, "size"), &scoped.size_bytes))
        push_scoped(load, &scoped);
}

static void scan_text(struct xpd_hlo_load *load, struct xpd_str text, uint64_t offset,
                      uint32_t instruction)
{
    if (!mentions_scoped(text))
        return;
    struct xpd_json *doc = xpd_json_parse(text);
    if (!doc) {
        XPD_HLO_WARN(load, XPD_NOTE, "config_not_json", offset,
                     "the backend config of an instruction names scoped memory but is no JSON that "
                     "can be read");
        return;
    }
    const struct xpd_json *list = xpd_json_member(doc, KEY);
    size_t count = xpd_json_count(list);
    if (count > MAX_SCOPED)
        XPD_HLO_WARN(load, XPD_WARNING, "scoped_too_many", offset,
                     "a backend config lists %zu scoped memories; %d are read", count, MAX_SCOPED);
    for (size_t i = 0; i < count && i < MAX_SCOPED; i++)
        push_item(load, xpd_json_item(list, i), instruction);
    xpd_json_free(doc);
}

void xpd_hlo_scan_config(struct xpd_hlo_load *load, const struct xpd_field *config,
                         uint32_t instruction)
{
    scan_text(load, xpd_field_str(config), config->offset, instruction);
}

void xpd_hlo_scan_payload(struct xpd_hlo_load *load, int64_t id, uint32_t instruction,
                          uint64_t offset)
{
    if (id < 0 || (uint64_t)id >= load->payload.count) {
        XPD_HLO_WARN(load, XPD_WARNING, "payload_missing", offset,
                     "a backend config is payload %lld of the module, which has %zu", (long long)id,
                     load->payload.count);
        return;
    }
    struct xpd_hlo_payload *payload = &load->payload.at[id];
    if (!payload->scanned) {
        payload->scanned = true;
        payload->scoped_first = (uint32_t)load->scoped.count;
        scan_text(load, payload->text, payload->offset, instruction);
        payload->scoped_count = (uint32_t)load->scoped.count - payload->scoped_first;
        return;
    }
    for (uint32_t i = 0; i < payload->scoped_count; i++) {
        struct xpd_hlo_scoped scoped = load->scoped.at[payload->scoped_first + i];
        scoped.instruction = instruction;
        push_scoped(load, &scoped);
    }
}
