/* What XProf 2.24.2 was seen to write beside calls of GPU libraries: its answers to each of these
 * configs. Most stand as a profile in tests/golden too. */
#include "xprofd/hlo/gpu_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct said {
    const char *config;
    uint32_t count;
    const char *lines;
};

static void check(const char *target, bool is_complex, const struct said *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct xpd_strbuf out = {0};
        uint32_t n =
            xpd_gpu_config_lines(xpd_str_of(target), xpd_str_of(rows[i].config), is_complex, &out);
        xpd_strbuf_putc(&out, '\0');
        assert_string_equal(out.data, rows[i].lines);
        assert_int_equal(n, rows[i].count);
        xpd_strbuf_fini(&out);
    }
}

#define CONV(inner)      "{\"operation_queue_id\":\"0\",\"cudnn_conv_backend_config\":{" inner "}}"
#define ALGORITHM(inner) CONV("\"conv_result_scale\":1,\"algorithm\":{" inner "}")
#define NOTHING_ELSE     "activation_mode=none\nalgo=eng0{}\n"

static void test_convolutions(void **state)
{
    static const struct said rows[] = {
        {CONV("\"activation_mode\":\"kRelu\",\"conv_result_scale\":1,\"side_input_scale\":0,"
              "\"leakyrelu_alpha\":0,\"algorithm\":{\"algo_id\":\"7\",\"math_type\":"
              "\"DEFAULT_MATH\",\"tuning_knobs\":{},\"is_cudnn_frontend\":false,"
              "\"workspace_size\":\"7150336\"}"),
         2, "activation_mode=relu\nalgo=eng7{}\n"},
        {ALGORITHM("\"algo_id\":3,\"tuning_knobs\":{\"2\":\"3\",\"10\":\"-1\",\"1\":\"0\"}"), 2,
         "activation_mode=none\nalgo=eng3{k1=0,k2=3,k10=-1}\n"},
        {CONV("\"conv_result_scale\":3.14159265,\"side_input_scale\":0.5"), 4,
         "conv_result_scale=3.14159\nside_input_scale=0.5\n" NOTHING_ELSE},
        {CONV("\"conv_result_scale\":\"NaN\""), 3, "conv_result_scale=nan\n" NOTHING_ELSE},
        {CONV("\"conv_result_scale\":1000000"), 3, "conv_result_scale=1e+06\n" NOTHING_ELSE},
        {CONV("\"conv_result_scale\":1,\"side_input_scale\":1"), 2, NOTHING_ELSE},
        {CONV("\"leakyrelu_alpha\":0.2,\"activation_mode\":8,\"conv_result_scale\":1"), 3,
         "leakyrelu_alpha=0.2\nactivation_mode=leakyrelu\nalgo=eng0{}\n"},
        {CONV("\"conv_result_scale\":1,\"activation_mode\":\"kGeluExact\""), 2,
         "activation_mode=unknown: 9\nalgo=eng0{}\n"},
        {CONV("\"conv_result_scale\":1,\"activation_mode\":-1"), 2,
         "activation_mode=unknown: -1\nalgo=eng0{}\n"},
        /* what is not said is 0 */
        {"", 3, "conv_result_scale=0\n" NOTHING_ELSE},
        {CONV(""), 3, "conv_result_scale=0\n" NOTHING_ELSE},
        {"{\"fusion_backend_config\":{\"kind\":\"x\"}}", 3, "conv_result_scale=0\n" NOTHING_ELSE},
        {"{\"cudnn_conv_backend_config\":{\"conv_result_scale\":1},\"reification_cost\":[{\"name\":"
         "\"x\",\"exec_time_us\":2}],\"force_earliest_schedule\":false,\"device_type\":"
         "\"DEVICE_TYPE_HOST\"}",
         2, NOTHING_ELSE}};
    (void)state;
    check("__cudnn$convForward", false, rows, sizeof rows / sizeof *rows);
    check("__cudnn$convBiasActivationForward", true, rows, 1);
}

static void test_not_read(void **state)
{
    static const struct said rows[] = {
        {"null", 0, ""},
        {"[]", 0, ""},
        {"text", 0, ""},
        {CONV("\"bogus\":1"), 0, ""},
        {CONV("\"activation_mode\":\"kBogus\""), 0, ""},
        {CONV("\"activation_mode\":2.5"), 0, ""},
        {CONV("\"conv_result_scale\":true"), 0, ""},
        {CONV("\"conv_result_scale\":1e400"), 0, ""},
        {CONV("\"serialized_graph\":1"), 0, ""},
        {ALGORITHM("\"algo_id\":\"9223372036854775808\""), 0, ""},
        {ALGORITHM("\"tuning_knobs\":{\"x\":1}"), 0, ""},
        {ALGORITHM("\"tuning_knobs\":[]"), 0, ""},
        {ALGORITHM("\"workspace_size\":-1"), 0, ""},
        {ALGORITHM("\"is_cudnn_frontend\":1"), 0, ""},
        {"{\"algorithm\":{\"algo_id\":\"1\"},\"conv_result_scale\":1}", 0, ""}, /* XLA of 2022 */
        {"{\"cudnn_conv_backend_config\":{},\"gemm_backend_config\":{}}", 0, ""},
        {"{\"operation_queue_id\":true}", 0, ""}};
    (void)state;
    check("__cudnn$convForward", false, rows, sizeof rows / sizeof *rows);
    check("__cudnn$convReorderFilter", false, rows + 3, 1);
}

#define GEMM(inner) "{\"gemm_backend_config\":{" inner "},\"force_earliest_schedule\":false}"
#define NO_DIMS     "lhs_contracting_dims={}\nrhs_contracting_dims={}\n"

static void test_products(void **state)
{
    static const struct said rows[] = {
        {GEMM("\"selected_algorithm\":\"-1\",\"alpha_real\":1,\"beta\":0,\"dot_dimension_numbers\":"
              "{\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"0\"],"
              "\"lhs_batch_dimensions\":[],\"rhs_batch_dimensions\":[]},\"alpha_imag\":0,"
              "\"precision_config\":{\"operand_precision\":[\"DEFAULT\",\"HIGHEST\"],"
              "\"algorithm\":\"ALG_UNSET\"},\"epilogue\":\"DEFAULT\",\"lhs_stride\":\"16\","
              "\"grad_x\":false,\"autotune_workspace_size\":\"0\",\"scale_mode\":0"),
         2, "lhs_contracting_dims={1}\nrhs_contracting_dims={0}\nalgorithm=-1\n"},
        {GEMM("\"alpha_real\":0.5,\"beta\":0.25,\"epilogue\":\"BIAS_RELU\""), 4,
         "alpha=0.5\nbeta=0.25\n" NO_DIMS "epilogue=BIAS_RELU\n"},
        {GEMM("\"alpha_real\":1,\"beta\":1"), 1, NO_DIMS},
        {GEMM("\"alpha_real\":1,\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\","
              "2],\"rhs_contracting_dimensions\":\"3\",\"lhs_batch_dimensions\":[0]}"),
         1, "lhs_batch_dims={0}\nlhs_contracting_dims={1,2}\nrhs_contracting_dims={3}\n"},
        {"", 2, "alpha=0\n" NO_DIMS},
        {GEMM("\"mx_mode\":false"), 0, ""}, /* a field of another version of XLA */
        {GEMM("\"epilogue\":\"BOGUS\""), 0, ""},
        {GEMM("\"scale_mode\":2147483648"), 0, ""},
        {"{\"alpha_real\":1,\"beta\":0}", 0, ""}};
    static const struct said complex[] = {
        {GEMM("\"alpha_real\":2,\"alpha_imag\":3"), 3, "alpha_real=2\nalpha_imag=2\n" NO_DIMS},
        {GEMM("\"alpha_real\":1,\"alpha_imag\":1"), 1, NO_DIMS}};
    static const struct said none[] = {{GEMM("\"alpha_real\":1"), 0, ""}};
    (void)state;
    check("__cublas$lt$matmul", false, rows, sizeof rows / sizeof *rows);
    check("__cublas$lt$matmul$f8", true, complex, sizeof complex / sizeof *complex);
    check("__cublas$gemm", false, none, 1); /* the older library's call is not looked into */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convolutions),
        cmocka_unit_test(test_not_read),
        cmocka_unit_test(test_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
