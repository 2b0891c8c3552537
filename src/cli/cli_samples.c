/* The sample profiles in the program (.cmake/Samples.cmake packs them), with their descriptions. */
#include "cli_samples.h"

struct xpd_sample_file { /* a row of the table that pack_samples writes; do not change one without
                            the other */
    const char *name;
    const uint8_t *gzip;
    uint64_t gzip_bytes, file_bytes;
};
_Static_assert(sizeof(struct xpd_sample_file) == 32, "pack_samples writes four 8-byte words");

extern const struct xpd_sample_file xpd_sample_file_table[];
extern const uint64_t xpd_sample_file_count;

static const struct {
    const char *name, *title, *shows;
} texts[] = {
    {"tpu_padded_demo", "A TPU program with padding",
     "A step compiled for a TPU v5e whose arrays do not fit the memory tiles: where padding comes "
     "from and what it costs at the peak."},
    {"tpu_scan_layers", "A training step with layers in a loop",
     "A transformer compiled for a TPU with its layers in lax.scan: what the loop keeps for the "
     "backward pass, and the heap's address map."},
    {"cpu_mlp_train", "A small training run",
     "Six steps of a small network traced on a CPU: the memory of each program next to its "
     "events."},
};
enum { SAMPLES = sizeof texts / sizeof *texts };

const struct xpd_sample *xpd_cli_samples(uint32_t *count)
{
    static struct xpd_sample samples[SAMPLES];
    *count = 0;
    for (size_t t = 0; t < SAMPLES; t++)
        for (uint64_t i = 0; i < xpd_sample_file_count; i++) {
            const struct xpd_sample_file *file = &xpd_sample_file_table[i];
            if (strcmp(file->name, texts[t].name) == 0)
                samples[(*count)++] = (struct xpd_sample){.name = texts[t].name,
                                                          .title = texts[t].title,
                                                          .shows = texts[t].shows,
                                                          .gzip = file->gzip,
                                                          .gzip_bytes = file->gzip_bytes,
                                                          .file_bytes = file->file_bytes};
        }
    return samples;
}
