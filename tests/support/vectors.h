/*
 * vectors: the test vectors V1–V21 (buffers, allocations, heap traces) and S1–S13 (shapes), built
 * with hlo_builder. What is expected of each is in the tests that use them.
 */
#ifndef TESTS_SUPPORT_VECTORS_H
#define TESTS_SUPPORT_VECTORS_H

#include "pbw.h"

struct vec {
    const char *name; /* also the name of the module */
    void (*build)(struct pbw *out);
};

extern const struct vec vectors[];
extern const size_t n_vectors;

/* NULL if there is none of that name. */
const struct vec *vec_find(const char *name);

/* Appends the HloProto of the vector to out. */
void vec_V1(struct pbw *out);  /* basic */
void vec_V2(struct pbw *out);  /* share before the free */
void vec_V3(struct pbw *out);  /* share after the free */
void vec_V4(struct pbw *out);  /* chain of shares */
void vec_V5(struct pbw *out);  /* the sharer's name at the peak; colour 1 */
void vec_V6(struct pbw *out);  /* a sharer larger than its canonical */
void vec_V7(struct pbw *out);  /* all kinds of indefinite allocations; small buffers folded */
void vec_V8(struct pbw *out);  /* two equal peaks */
void vec_V9(struct pbw *out);  /* a buffer that is never freed */
void vec_V10(struct pbw *out); /* events of an unknown buffer */
void vec_V11(struct pbw *out); /* freed twice */
void vec_V12(struct pbw *out); /* one trace over two allocations */
void vec_V13(struct pbw *out); /* two traces of one allocation */
void vec_V14(struct pbw *out); /* temp allocation of another colour than its buffers */
void vec_V15(struct pbw *out); /* VMEM with a scoped allocation */
void vec_V16(struct pbw *out); /* padding */
void vec_V17(struct pbw *out); /* an empty trace, an empty allocation */
void vec_V18(struct pbw *out); /* allocated twice */
void vec_V19(struct pbw *out); /* which buffer stands for an allocation */
void vec_V20(struct pbw *out); /* only small buffers */
void vec_V21(struct pbw *out); /* offsets beyond 32 bits */

/*
 * Every S vector has one temp allocation (index 0, colour 0) with the buffer 1, defined by the
 * instruction op.1, and the trace "A1 F1". Only the shape is of interest, and with it the unpadded
 * size; the size of the buffer is what a TPU would reserve, or at least 512.
 */
void vec_S1(struct pbw *out);  /* f32[96,512]{1,0} */
void vec_S2(struct pbw *out);  /* bf16[8,56,24,16384]{3,2,1,0:T(8,128)(2,1)} */
void vec_S3(struct pbw *out);  /* f32[]{:T(128)} */
void vec_S4(struct pbw *out);  /* f32[] with an empty layout */
void vec_S5(struct pbw *out);  /* s4[10]{0:E(4)} */
void vec_S5b(struct pbw *out); /* s4[10]{0}: a byte an element */
void vec_S6(struct pbw *out);  /* pred[7] */
void vec_S7(struct pbw *out);  /* tuple of 3 */
void vec_S8(struct pbw *out);  /* token */
void vec_S9(struct pbw *out);  /* opaque */
void vec_S10(struct pbw *out); /* f32[<=8,4] */
void vec_S11(struct pbw *out); /* element {1,0} of (f32[4], (s32[2], f32[100])) */
void vec_S12(struct pbw *out); /* f32[0,5] */
void vec_S13(struct pbw *out); /* bf16[1,4096,8,1281]{1,3,2,0:T(8,128)(2,1)} */

#endif
