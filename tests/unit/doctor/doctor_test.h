/* Helpers of the doctor's tests: small programs whose buffers are their instructions, and findings
 * looked up by rule. */
#ifndef TESTS_UNIT_DOCTOR_DOCTOR_TEST_H
#define TESTS_UNIT_DOCTOR_DOCTOR_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../support/hlo_builder.h"
#include "../../support/xspace_hlo.h"
#include "xprofd/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB INT64_C(1048576)

struct sick_proto { /* the program's bytes, and how often a rule asked for them */
    const void *bytes;
    size_t size;
    int asked;
};
struct sick { /* one program and its findings */
    struct pbw bytes;
    struct sick_proto *proto;
    struct xpd_hlo *hlo;
    struct xpd_mem *mem;
    struct xpd_arena arena;
    struct xpd_doctor_input input;
    struct xpd_doctor doctor;
};
/* Takes the builder's program; examine() runs the doctor over its space 0. */
void sick_open(struct sick *s, struct hb *hb);
void sick_open_bytes(struct sick *s, const void *bytes, size_t size);
void sick_examine(struct sick *s);
void sick_close(struct sick *s);
/* The n-th finding of a rule, NULL when there are fewer. */
const struct xpd_finding *sick_finding(const struct sick *s, const char *id, uint32_t n);

/* A program as a table: each row is an instruction of the entry with one buffer of `mib` MiB. */
struct op {
    int64_t id;
    const char *name, *opcode;
    const struct hb_shape *shape;
    int64_t operand[4]; /* ends with 0 */
    int64_t mib;        /* of its buffer; 0 = none */
    char kind;          /* 't' temporary, 'p' argument, 'o' output, 'c' constant */
    const char *op_name, *target;
    int64_t called[3];
    int64_t index; /* of an argument or get-tuple-element */
};
/* Adds them to the open computation, their buffers with an allocation each for arguments, outputs
 * and constants, and one heap for temporaries with this trace ("A3 A4 F3"). */
void sick_program(struct hb *hb, const struct op *op, size_t n, const char *trace);
/* The instructions only, as a computation of its own. */
void sick_computation(struct hb *hb, const char *name, int64_t id, bool fusion, const struct op *op,
                      size_t n);

#endif
