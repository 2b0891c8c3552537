/* The attributes of an instruction: ", key=value" until the line ends.
 *
 * In: the text after the operands. Out: fields of the instruction's message. Each row of the table
 * has the parser of a key and its field. Keys that fill one message together (the dimensions of a
 * dot) collect it in a group, which is written when the line ends. */
#include "parse_internal.h"

#include <stdlib.h>

/* ---- simple kinds ---- */

static bool read_ints(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                      const struct xpd_parse_row *row)
{
    (void)p;
    return xpd_parse_list(&value, line->out, row->field);
}

static bool read_int(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                     const struct xpd_parse_row *row)
{
    int64_t number;
    (void)p;
    if (!xpd_scan_int(&value, &number))
        return false;
    xpd_out_int(line->out, row->field, number);
    return true;
}

static bool is_true(struct xpd_text_scan value)
{
    return xpd_scan_word(&value, XPD_STR("true")) || xpd_scan_word(&value, XPD_STR("1"));
}

static bool read_bool(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                      const struct xpd_parse_row *row)
{
    (void)p;
    if (is_true(value))
        xpd_out_int(line->out, row->field, 1);
    return true;
}

static bool read_text(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                      const struct xpd_parse_row *row)
{
    xpd_out_text(line->out, row->field, xpd_parse_text(p, value));
    return true;
}

/* Of the word of an enum; `group` is its list of words. */
static bool read_word(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                      const struct xpd_parse_row *row)
{
    int64_t number;
    (void)p;
    if (!xpd_proto_value(row->group, xpd_scan_rest(&value), &number)) {
        (void)xpd_scan_word(&value, XPD_STR("unknown(")); /* a number that has no word */
        if (!xpd_scan_int(&value, &number))
            return false;
    }
    xpd_out_int(line->out, row->field, number);
    return true;
}

static bool read_thread(struct xpd_parse *p, struct xpd_parse_line *line,
                        struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    line->thread = xpd_arena_str(&p->scratch, xpd_parse_text(p, value));
    xpd_out_text(line->own, row->field, line->thread);
    return true;
}

static bool read_float(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                       const struct xpd_parse_row *row)
{
    double number;
    (void)p;
    if (!xpd_parse_real(&value, &number))
        return false;
    xpd_out_float(line->out, row->field, (float)number);
    return true;
}

static bool read_tri(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                     const struct xpd_parse_row *row)
{
    (void)p;
    xpd_out_int(line->out, row->field, is_true(value) ? 1 : 2);
    return true;
}

/* ---- groups ---- */

static const struct {
    uint16_t field, inside; /* inside: the group is field `inside` of this one */
} groups[XPD_GROUPS] = {[XPD_GROUP_DOT] = {30, 0},        [XPD_GROUP_RAGGED] = {90, 0},
                        [XPD_GROUP_GATHER] = {33, 0},     [XPD_GROUP_SCATTER] = {48, 0},
                        [XPD_GROUP_TRIANGULAR] = {59, 0}, [XPD_GROUP_CHOLESKY] = {62, 0},
                        [XPD_GROUP_PRECISION] = {51, 0},  [XPD_GROUP_ROTATE] = {103, 1}};

static struct xpd_strbuf *open_group(struct xpd_parse *p, struct xpd_parse_line *line,
                                     uint32_t group)
{
    if (!p->in_group[group])
        xpd_strbuf_clear(&p->group[group]);
    p->in_group[group] = line->has_groups = true;
    return &p->group[group];
}

static bool read_group_ints(struct xpd_parse *p, struct xpd_parse_line *line,
                            struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    return xpd_parse_list(&value, open_group(p, line, row->group), row->field);
}

/* Gather and scatter share some lists. */
static bool read_index_dim(struct xpd_parse *p, struct xpd_parse_line *line,
                           struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    int64_t number;
    bool scatter = xpd_str_eq(line->opcode, XPD_STR("scatter"));
    if (!xpd_scan_int(&value, &number))
        return false;
    xpd_out_int(open_group(p, line, scatter ? XPD_GROUP_SCATTER : XPD_GROUP_GATHER), row->field,
                number);
    return true;
}

static bool read_group_bool(struct xpd_parse *p, struct xpd_parse_line *line,
                            struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    bool cholesky = xpd_str_eq(line->opcode, XPD_STR("cholesky"));
    struct xpd_strbuf *out = open_group(p, line, cholesky ? XPD_GROUP_CHOLESKY : row->group);
    if (is_true(value))
        xpd_out_int(out, cholesky ? 1 : row->field, 1);
    return true;
}

static bool read_transpose(struct xpd_parse *p, struct xpd_parse_line *line,
                           struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    int64_t number;
    if (!xpd_proto_value(XPD_WORDS_Transpose, xpd_scan_rest(&value), &number))
        return false;
    xpd_out_int(open_group(p, line, row->group), row->field, number);
    return true;
}

/* {highest,default} */
static bool read_precision(struct xpd_parse *p, struct xpd_parse_line *line,
                           struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    struct xpd_strbuf *out = open_group(p, line, XPD_GROUP_PRECISION);
    size_t begin = xpd_out_begin(out, row->field);
    bool good = xpd_scan_take(&value, '{');
    do {
        int64_t number;
        xpd_scan_space(&value);
        struct xpd_str word = xpd_scan_name(&value);
        bool nibble = xpd_str_eq(word, XPD_STR("packed_nibble")); /* 3, of older files */
        number = 3;
        good = good && (nibble || xpd_proto_value(XPD_WORDS_Precision, word, &number) ||
                        xpd_str_to_i64(word, &number));
        if (good)
            xpd_out_varint(out, (uint64_t)number);
    } while (good && xpd_scan_take(&value, ','));
    xpd_out_end(out, begin);
    return good;
}

/* rng_philox of a generator, dot_bf16_bf16_f32 of a dot. */
static bool read_algorithm(struct xpd_parse *p, struct xpd_parse_line *line,
                           struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    struct xpd_str word = xpd_scan_rest(&value);
    int64_t number;
    if (xpd_str_starts(word, "rng_")) {
        if (!xpd_proto_value(XPD_WORDS_RandomAlgorithm, word, &number))
            return false;
        xpd_out_int(line->out, row->field, number);
        return true;
    }
    if (!xpd_proto_value(XPD_WORDS_DotAlgorithm, word, &number) && !xpd_str_to_i64(word, &number))
        return false;
    xpd_out_int(open_group(p, line, XPD_GROUP_PRECISION), 2, number);
    return true;
}

/* mode=rotate, shifts={1,2} */
static bool read_mode(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_text_scan value,
                      const struct xpd_parse_row *row)
{
    if (xpd_scan_word(&value, XPD_STR("rotate")))
        (void)open_group(p, line, row->group);
    return true;
}

static void put_groups(struct xpd_parse *p, struct xpd_parse_line *line)
{
    static const char no_text[1];
    if (p->in_group[XPD_GROUP_RAGGED] && p->in_group[XPD_GROUP_DOT]) {
        xpd_out_text(&p->group[XPD_GROUP_RAGGED], 1,
                     (struct xpd_str){p->group[XPD_GROUP_DOT].data, p->group[XPD_GROUP_DOT].size});
        p->in_group[XPD_GROUP_DOT] = false;
    }
    for (uint32_t g = 0; g < XPD_GROUPS; g++) {
        const struct xpd_strbuf *group = &p->group[g];
        struct xpd_str text = {group->data ? group->data : no_text, group->size};
        if (!p->in_group[g])
            continue;
        p->in_group[g] = false;
        if (groups[g].inside == 0) {
            xpd_out_text(line->out, groups[g].field, text);
            continue;
        }
        size_t begin = xpd_out_begin(line->out, groups[g].field);
        xpd_out_text(line->out, groups[g].inside, text);
        xpd_out_end(line->out, begin);
    }
}

/* ---- names of computations and instructions ---- */

/* Those that are called stand in the order of their ranks: the body of a loop before its condition.
 */
static void add_called(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_str name,
                       uint8_t rank)
{
    uint32_t id = xpd_parse_computation_id(p, name);
    if (xpd_str_eq(line->opcode, XPD_STR("fusion")) && !p->is_fusion.failed)
        p->is_fusion.at[id - 1] = true;
    XPD_PUSH(&p->called, id);
    line->called_count++;
    if (rank == 0 && line->called_count == 2 && !p->called.failed) { /* the first of two */
        uint32_t *at = &p->called.at[p->called.count - 2];
        uint32_t before = at[0];
        at[0] = at[1];
        at[1] = before;
    }
}

enum { IN_TURN = 2 }; /* a rank: where the text has it */

static bool read_called(struct xpd_parse *p, struct xpd_parse_line *line,
                        struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    bool braces = xpd_scan_take(&value, '{');
    if (braces && xpd_scan_take(&value, '}'))
        return true;
    do {
        xpd_scan_space(&value);
        struct xpd_str name = xpd_scan_name(&value);
        if (name.size == 0)
            return false;
        add_called(p, line, name, row->rank);
    } while (xpd_scan_take(&value, ','));
    return !braces || xpd_scan_take(&value, '}');
}

static bool read_control(struct xpd_parse *p, struct xpd_parse_line *line,
                         struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    bool good = xpd_scan_take(&value, '{');
    if (good && xpd_scan_take(&value, '}'))
        return true;
    size_t begin = xpd_out_begin(line->own, row->field);
    do {
        xpd_scan_space(&value);
        struct xpd_str name = xpd_scan_name(&value);
        good = good && name.size != 0;
        if (!good)
            break;
        uint32_t id = xpd_parse_instruction_id(p, name);
        XPD_PUSH(&p->operand, id);
        xpd_out_varint(line->own, id);
        line->control_count++;
    } while (xpd_scan_take(&value, ','));
    xpd_out_end(line->own, begin);
    return good && xpd_scan_take(&value, '}');
}

/* ---- the table ---- */

static const struct xpd_parse_row rows[] = {
    /* sorted by key */
    {"algorithm", read_algorithm, 70, 0, 0},
    {"api_version", read_word, 77, XPD_WORDS_CustomCallApi, 0},
    {"async_execution_thread", read_thread, 79, 0, 0},
    {"backend_config", xpd_read_config, 43, 0, 0},
    {"batch_group_count", read_int, 58, 0, 0},
    {"block_scaling_config", xpd_read_scaling, 101, 0, 0},
    {"body", read_called, 0, 0, 0},
    {"branch_computations", read_called, 0, 0, IN_TURN},
    {"called_computations", read_called, 0, 0, IN_TURN},
    {"calls", read_called, 0, 0, IN_TURN},
    {"channel_id", read_int, 26, 0, 0},
    {"collapsed_slice_dims", read_group_ints, 2, XPD_GROUP_GATHER, 0},
    {"condition", read_called, 0, 0, 1},
    {"constrain_layout", read_bool, 56, 0, 0},
    {"control-predecessors", read_control, 37, 0, 0},
    {"convolution_kind", read_word, 97, XPD_WORDS_ConvolutionKind, 0},
    {"cross_program_prefetch_index", read_int, 80, 0, 0},
    {"custom_call_has_side_effect", read_bool, 65, 0, 0},
    {"custom_call_target", read_text, 28, 0, 0},
    {"delta", read_int, 66, 0, 0},
    {"dim_labels", xpd_read_dim_labels, 16, 0, 0},
    {"dimensions", read_ints, 14, 0, 0},
    {"direction", read_text, 63, 0, 0},
    {"distribution", read_word, 23, XPD_WORDS_RandomDistribution, 0},
    {"domain", xpd_read_domain, 0, 0, 0},
    {"dynamic_slice_sizes", read_ints, 20, 0, 0},
    {"epsilon", read_float, 24, 0, 0},
    {"exponent_bits", read_int, 18, 0, 0},
    {"false_computation", read_called, 0, 0, 1},
    {"feature_group_count", read_int, 50, 0, 0},
    {"feature_index", read_int, 25, 0, 0},
    {"fft_length", read_ints, 32, 0, 0},
    {"fft_type", read_word, 31, XPD_WORDS_FftType, 0},
    {"frontend_attributes", xpd_read_frontend, 68, 0, 0},
    {"has_dynamic_root", read_bool, 100, 0, 0},
    {"index", read_int, 13, 0, 0},
    {"index_vector_dim", read_index_dim, 4, 0, 0},
    {"indices_are_sorted", read_bool, 67, 0, 0},
    {"infeed_config", read_text, 27, 0, 0},
    {"inferred_dimension", read_int, 14, 0, 0},
    {"input_batching_dims", read_group_ints, 5, XPD_GROUP_SCATTER, 0},
    {"inserted_window_dims", read_group_ints, 2, XPD_GROUP_SCATTER, 0},
    {"iota_dimension", read_int, 14, 0, 0},
    {"is_associative", read_tri, 96, 0, 0},
    {"is_composite", read_bool, 89, 0, 0},
    {"is_cross_program_prefetch", read_bool, 73, 0, 0},
    {"is_host_transfer", read_bool, 47, 0, 0},
    {"is_reverse", read_bool, 94, 0, 0},
    {"is_stable", read_bool, 60, 0, 0},
    {"k", read_int, 81, 0, 0},
    {"kind", read_text, 11, 0, 0},
    {"largest", read_bool, 85, 0, 0},
    {"left_side", read_group_bool, 1, XPD_GROUP_TRIANGULAR, 0},
    {"lhs_batch_dims", read_group_ints, 3, XPD_GROUP_DOT, 0},
    {"lhs_contracting_dims", read_group_ints, 1, XPD_GROUP_DOT, 0},
    {"lhs_ragged_dims", read_group_ints, 2, XPD_GROUP_RAGGED, 0},
    {"literal", xpd_read_literal_attribute, 8, 0, 0},
    {"lower", read_group_bool, 2, XPD_GROUP_TRIANGULAR, 0},
    {"mantissa_bits", read_int, 19, 0, 0},
    {"metadata", xpd_read_metadata, 7, 0, 0},
    {"mode", read_mode, 0, XPD_GROUP_ROTATE, 0},
    {"num_carries", read_int, 95, 0, 0},
    {"offset_dims", read_group_ints, 1, XPD_GROUP_GATHER, 0},
    {"operand_batching_dims", read_group_ints, 5, XPD_GROUP_GATHER, 0},
    {"operand_layout_constraints", xpd_read_layout_constraints, 57, 0, 0},
    {"operand_precision", read_precision, 1, XPD_GROUP_PRECISION, 0},
    {"order", read_text, 102, 0, 0},
    {"origin", xpd_read_origin, 88, 0, 0},
    {"outfeed_config", read_text, 22, 0, 0},
    {"outfeed_shape", xpd_read_outfeed_shape, 29, 0, 0},
    {"output_to_operand_aliasing", xpd_read_aliasing, 74, 0, 0},
    {"padding", xpd_read_padding, 21, 0, 0},
    {"padding_type", read_word, 75, XPD_WORDS_PaddingType, 0},
    {"parameter_replication", xpd_read_replication, 61, 0, 0},
    {"replica_groups", xpd_read_replica_groups, 0, 0, 0},
    {"result_accuracy", xpd_read_accuracy, 91, 0, 0},
    {"rhs_batch_dims", read_group_ints, 4, XPD_GROUP_DOT, 0},
    {"rhs_contracting_dims", read_group_ints, 2, XPD_GROUP_DOT, 0},
    {"rhs_group_dims", read_group_ints, 3, XPD_GROUP_RAGGED, 0},
    {"scatter", read_called, 0, 0, 1},
    {"scatter_dims_to_operand_dims", read_group_ints, 3, XPD_GROUP_SCATTER, 0},
    {"scatter_indices_batching_dims", read_group_ints, 6, XPD_GROUP_SCATTER, 0},
    {"schedule", read_word, 76, XPD_WORDS_CustomCallSchedule, 0},
    {"select", read_called, 0, 0, 0},
    {"sharding", xpd_read_sharding, 40, 0, 0},
    {"shifts", read_group_ints, 1, XPD_GROUP_ROTATE, 0},
    {"slice", xpd_read_slice, 17, 0, 0},
    {"slice_sizes", xpd_read_slice_sizes, 34, 0, 0},
    {"source_target_pairs", xpd_read_pairs, 52, 0, 0},
    {"sparsity_config", xpd_read_sparsity, 98, 0, 0},
    {"start_index_map", read_group_ints, 3, XPD_GROUP_GATHER, 0},
    {"start_indices_batching_dims", read_group_ints, 6, XPD_GROUP_GATHER, 0},
    {"statistics", xpd_read_statistics, 82, 0, 0},
    {"to_apply", read_called, 0, 0, IN_TURN},
    {"transpose_a", read_transpose, 4, XPD_GROUP_TRIANGULAR, 0},
    {"true_computation", read_called, 0, 0, 0},
    {"type", read_text, 72, 0, 0},
    {"unique_indices", read_bool, 69, 0, 0},
    {"unit_diagonal", read_group_bool, 3, XPD_GROUP_TRIANGULAR, 0},
    {"update_window_dims", read_group_ints, 1, XPD_GROUP_SCATTER, 0},
    {"use_global_device_ids", read_bool, 71, 0, 0},
    {"window", xpd_read_window, 15, 0, 0},
};

static void read_one(struct xpd_parse *p, struct xpd_parse_line *line, struct xpd_str key,
                     struct xpd_text_scan value)
{
    const struct xpd_parse_row *row =
        bsearch(&key, rows, sizeof rows / sizeof rows[0], sizeof rows[0], xpd_str_compare_row);
    if (!row) {
        xpd_parse_warn(p, key.data, XPD_NOTE, "hlo_text_attribute",
                       "the attribute \"%.*s\" is not known and left out",
                       (int)(key.size < 80 ? key.size : 80), key.data);
        return;
    }
    size_t out = line->out->size, own = line->own->size;
    if (row->read(p, line, value, row))
        return;
    if (!line->out->failed)
        line->out->size = out;
    if (!line->own->failed)
        line->own->size = own;
    xpd_parse_warn(p, value.at, XPD_WARNING, "hlo_text_value",
                   "the value of the attribute \"%.*s\" is not understood and left out",
                   (int)(key.size < 80 ? key.size : 80), key.data);
}

/* "mesh['a'=2], device_ids=(...) {'a'}": one value with a comma in it. */
static void join_devices(struct xpd_parse *p, struct xpd_text_scan *value)
{
    struct xpd_text_scan ahead = p->scan;
    if (!xpd_scan_word(&ahead, XPD_STR(", device_ids=")))
        return;
    p->scan.at = ahead.at;
    value->end = xpd_parse_value(p, false).end;
}

static bool may_break(struct xpd_str key)
{
    return xpd_str_eq(key, XPD_STR("backend_config")) ||
           xpd_str_eq(key, XPD_STR("frontend_attributes"));
}

/* Defaults that XLA does not print, because its parser sets them. Written before the fields of the
 * line: the last value of a number counts. */
static void put_defaults(struct xpd_parse_line *line)
{
    enum { FEATURE_GROUPS = 50, BATCH_GROUPS = 58, API_VERSION = 77, ORIGINAL = 1 };
    bool custom = xpd_str_eq(line->opcode, XPD_STR("custom-call"));
    if (!custom && !xpd_str_eq(line->opcode, XPD_STR("convolution")))
        return;
    xpd_out_int(line->out, FEATURE_GROUPS, 1);
    xpd_out_int(line->out, BATCH_GROUPS, 1);
    if (custom)
        xpd_out_int(line->out, API_VERSION, ORIGINAL);
}

void xpd_parse_attributes(struct xpd_parse *p, struct xpd_parse_line *line)
{
    put_defaults(line);
    for (struct xpd_str key; xpd_parse_next_key(p, &key);) {
        struct xpd_text_scan value = xpd_parse_value(p, may_break(key));
        if (xpd_str_eq(key, XPD_STR("replica_groups")))
            join_devices(p, &value);
        read_one(p, line, key, value);
    }
    if (xpd_scan_more(&p->scan))
        xpd_parse_warn(p, p->scan.at, XPD_WARNING, "hlo_text_rest",
                       "the rest of the line is not understood and left out");
    if (line->has_groups)
        put_groups(p, line);
}
