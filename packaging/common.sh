# What the scripts of packaging/ share; each of them reads it from the top of the tree.
# shellcheck shell=bash disable=SC2034
version=$(sed -n 's/^project(xprofd VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
# The time of the commit is that of every file in an artefact, so that the same commit gives the same bytes.
if [ -e .git ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
else
    SOURCE_DATE_EPOCH=$(date -u -d "$(sed 's/.* //' .cmake/commit.txt)" +%s)
fi
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
umask 022
stop() {
    printf '%s: %s\n' "${0##*/}" "$@" >&2
    exit 1
}
debian_arch() { case $1 in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) stop "no such architecture: $1" ;; esac }
program_of() { # program_of ARCH: the static program, which packaging/static makes
    [ -x "build-static/xprofd-$1" ] || stop "build-static/xprofd-$1 is missing: packaging/static $1 makes it."
    echo "$PWD/build-static/xprofd-$1"
}
# tar_of FOLDER OUT: a .tar.gz of a folder's contents that is the same whoever makes it, and when.
tar_of() {
    tar -C "$1" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw -cf - . | gzip -9n >"$2"
}
