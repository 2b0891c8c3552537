/* What names mean. A name gets its id where the text first has it, as a definition or as a
 * reference to something that comes later; an instruction's name means something in one computation
 * only. */
#include "parse_internal.h"

uint32_t xpd_parse_new_instruction_id(struct xpd_parse *p)
{
    if (p->instruction_of.count >= INT32_MAX) {
        p->too_many = true;
        return XPD_PARSE_NO_ID;
    }
    XPD_PUSH(&p->instruction_of, XPD_NO_INDEX);
    return (uint32_t)p->instruction_of.count;
}

/* Many an operand is the instruction of the line before: its name is not looked up. */
static xpd_name_id name_id(struct xpd_parse *p, struct xpd_str name)
{
    if (p->name_before != 0 && xpd_str_eq(name, p->instruction_name.text[p->name_before]))
        return p->name_before;
    return xpd_intern_put(&p->instruction_name, name.data, name.size);
}

static struct xpd_name_use *use_of(struct xpd_parse *p, struct xpd_str name)
{
    xpd_name_id id = name_id(p, name);
    while (p->name_use.count <= id && !p->name_use.failed)
        XPD_PUSH(&p->name_use, (struct xpd_name_use){0});
    p->no_use = (struct xpd_name_use){0};
    return p->name_use.failed ? &p->no_use : &p->name_use.at[id];
}

/* What a name means in the computation that is read; a new meaning gets an id. */
static struct xpd_name_use *meaning_of(struct xpd_parse *p, struct xpd_str name)
{
    struct xpd_name_use *use = use_of(p, name);
    uint32_t computation = (uint32_t)p->computation.count + 1;
    if (use->computation != computation)
        *use = (struct xpd_name_use){computation, xpd_parse_new_instruction_id(p), use->defined};
    return use;
}

uint32_t xpd_parse_instruction_id(struct xpd_parse *p, struct xpd_str name)
{
    uint32_t id = meaning_of(p, name)->id;
    if (id != XPD_PARSE_NO_ID && !p->instruction_of.failed &&
        p->instruction_of.at[id - 1] == XPD_NO_INDEX)
        XPD_PUSH(&p->operand_ahead, ((struct xpd_reference){name, id}));
    return id;
}

uint32_t xpd_parse_define_instruction(struct xpd_parse *p, struct xpd_str name)
{
    struct xpd_name_use *use = meaning_of(p, name);
    uint32_t id = use->id;
    p->name_before = p->name_use.failed ? 0 : (xpd_name_id)(use - p->name_use.at);
    use->defined = id;
    if (id == XPD_PARSE_NO_ID || p->instruction_of.failed ||
        p->instruction_of.at[id - 1] == XPD_NO_INDEX)
        return id;
    xpd_parse_warn(p, name.data, XPD_WARNING, "hlo_text_name_twice",
                   "a second instruction of its computation is called \"%.*s\"; what comes behind "
                   "it means this one",
                   (int)(name.size < 80 ? name.size : 80), name.data);
    use->defined = use->id = xpd_parse_new_instruction_id(p);
    return use->id;
}

uint32_t xpd_parse_new_computation_id(struct xpd_parse *p)
{
    XPD_PUSH(&p->computation_of, XPD_NO_INDEX);
    XPD_PUSH(&p->is_fusion, false);
    return (uint32_t)p->computation_of.count;
}

static uint32_t *computation_slot(struct xpd_parse *p, struct xpd_str name)
{
    xpd_name_id id = xpd_intern_put(&p->computation_name, name.data, name.size);
    while (p->computation_id.count <= id && !p->computation_id.failed)
        XPD_PUSH(&p->computation_id, XPD_PARSE_NO_ID);
    p->no_id = XPD_PARSE_NO_ID;
    return p->computation_id.failed ? &p->no_id : &p->computation_id.at[id];
}

static uint32_t computation_id_of(struct xpd_parse *p, struct xpd_str name)
{
    uint32_t *id = computation_slot(p, name);
    if (*id == XPD_PARSE_NO_ID)
        *id = xpd_parse_new_computation_id(p);
    return *id;
}

uint32_t xpd_parse_computation_id(struct xpd_parse *p, struct xpd_str name)
{
    uint32_t id = computation_id_of(p, name);
    if (!p->computation_of.failed && p->computation_of.at[id - 1] == XPD_NO_INDEX)
        XPD_PUSH(&p->computation_ahead, ((struct xpd_reference){name, id}));
    return id;
}

uint32_t xpd_parse_define_computation(struct xpd_parse *p, struct xpd_str name)
{
    uint32_t id = computation_id_of(p, name);
    if (p->computation_of.failed || p->computation_of.at[id - 1] == XPD_NO_INDEX)
        return id;
    xpd_parse_warn(p, name.data, XPD_WARNING, "hlo_text_computation_twice",
                   "a second computation is called \"%.*s\"; later references mean this one",
                   (int)(name.size < 80 ? name.size : 80), name.data);
    id = xpd_parse_new_computation_id(p);
    *computation_slot(p, name) = id;
    return id;
}

/* ---- kept after the parse ---- */

struct xpd_hlo_names {
    struct xpd_intern name;
    uint32_t *instruction; /* by id of the name: the last instruction of that name, or no id */
};

struct xpd_hlo_names *xpd_parse_keep_names(struct xpd_parse *p)
{
    struct xpd_hlo_names *names = XPD_NEW(p->arena, struct xpd_hlo_names);
    if (!names || !xpd_intern_freeze(&names->name, &p->instruction_name))
        return NULL;
    names->instruction = XPD_NEW_ARRAY(p->arena, uint32_t, names->name.count);
    if (!names->instruction)
        return NULL;
    for (uint32_t i = 0; i < p->name_use.count; i++) {
        uint32_t id = p->name_use.at[i].defined;
        /* One whose line turned out to be none is not an instruction. */
        if (id != XPD_PARSE_NO_ID && p->instruction_of.at[id - 1] != XPD_NO_INDEX)
            names->instruction[i] = id;
    }
    return names;
}

bool xpd_hlo_names_instruction(const struct xpd_hlo_names *names, struct xpd_str name, int64_t *id)
{
    xpd_name_id at = xpd_intern_find(&names->name, name);
    if (at == XPD_NO_NAME || names->instruction[at] == XPD_PARSE_NO_ID)
        return false;
    *id = names->instruction[at];
    return true;
}
