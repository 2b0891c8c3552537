/* gen_broken: writes the broken profiles as a logdir, or as files beside one another. */
#include "broken.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char usage[] =
    "gen_broken DIR          DIR/plugins/profile/<case>/host0.xplane.pb\n"
    "gen_broken --flat DIR   DIR/<case>.xplane.pb, without the large ones\n";

static bool make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    perror(path);
    return false;
}

static bool write_case(const struct broken *broken, const char *dir, bool flat)
{
    struct pbw bytes = {0};
    char path[4096];
    if (flat && broken->large)
        return true;
    snprintf(path, sizeof path, flat ? "%s/%s.xplane.pb" : "%s/plugins/profile/%s", dir,
             broken->name);
    if (!flat) {
        if (!make_folder(path))
            return false;
        strncat(path, "/host0.xplane.pb", sizeof path - strlen(path) - 1);
    }
    broken->build(&bytes);
    bool ok = pbw_save(&bytes, path);
    pbw_free(&bytes);
    return ok;
}

int main(int argc, char **argv)
{
    bool flat = argc == 3 && strcmp(argv[1], "--flat") == 0;
    if (argc != 2 + flat || argv[1 + flat][0] == '-') {
        fputs(usage, stderr);
        return 2;
    }
    const char *dir = argv[1 + flat];
    char path[4096];
    bool ok = make_folder(dir);
    snprintf(path, sizeof path, "%s/plugins", dir);
    ok = ok && (flat || make_folder(path));
    snprintf(path, sizeof path, "%s/plugins/profile", dir);
    ok = ok && (flat || make_folder(path));
    for (size_t i = 0; ok && i < n_broken_hlo; i++)
        ok = write_case(&broken_hlo[i], dir, flat);
    for (size_t i = 0; ok && i < n_broken_spaces; i++)
        ok = write_case(&broken_spaces[i], dir, flat);
    return ok ? 0 : 1;
}
