/* Runs a fuzz target over files and folders of files, for builds without libFuzzer. Ends with an
 * error when it found nothing to run. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replayed;

static int replay_file(const char *path, size_t size)
{
    uint8_t *data = malloc(size ? size : 1);
    FILE *file = fopen(path, "rb");
    size_t got = data && file ? fread(data, 1, size, file) : 0;
    if (file)
        fclose(file);
    if (got != size) {
        fprintf(stderr, "cannot read %s\n", path);
        free(data);
        return 1;
    }
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    replayed++;
    return 0;
}

static int replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(st.st_mode))
        return replay_file(path, (size_t)st.st_size);
    DIR *dir = opendir(path);
    if (!dir) {
        perror(path);
        return 1;
    }
    int rc = 0;
    for (struct dirent *entry; rc == 0 && (entry = readdir(dir)) != NULL;) {
        char inner[4096];
        if (entry->d_name[0] == '.')
            continue;
        if (snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) < (int)sizeof inner)
            rc = replay(inner);
    }
    closedir(dir);
    return rc;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-' && replay(argv[i]) != 0)
            return 1;
    printf("replayed %d inputs\n", replayed);
    return replayed > 0 ? 0 : 1;
}
