#!/usr/bin/env bash
# Makes a release of the version in Cargo.toml, and checks what it made:
#
# tengen-VERSION-linux-x86_64.tar.gz   both programs for every x86-64 processor, faster ones for
#                                      x86-64-v3 (AVX2), manual pages, shell completions, README, docs,
#                                      changelog and licences
# Tengen.zip                           the Windows program for Gomocup, by package.sh
# NOTES.md                             the version's section of CHANGELOG.md
# SHA256SUMS                           the checksums of the archive and the zip
#
# usage: release.sh [--without-windows] [--dirty] [OPTIONS OF package.sh]
#
# --without-windows leaves the zip out, where its tools are missing. --dirty lets changes that are
# not committed pass. All is left in $CARGO_TARGET_DIR/release-VERSION (target/release-VERSION).
# Needs Rust, tar, gzip and sha256sum besides what package.sh needs.
set -euo pipefail
. "$(dirname "$0")/common.sh"

with_windows=1 is_dirty=0
while [[ $# -gt 0 ]]; do
    case $1 in
    --without-windows) with_windows=0 ;;
    --dirty) is_dirty=1 ;;
    --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    *) break ;;
    esac
    shift
done

cd "$root"
[[ $(uname -sm) == "Linux x86_64" ]] || die "a release is made on Linux on an x86-64 processor"
[[ $is_dirty == 1 || -z $(git status --porcelain) ]] || die "there are changes that are not committed"
version=$(cargo metadata --offline --no-deps --format-version 1 |
    sed -E 's/.*"name":"tengen","version":"([^"]+)".*/\1/')
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "no version in Cargo.toml"
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
out=$target/release-$version
rm -rf "$out"
mkdir -p "$out"

# Everything between the version's headline and the next one.
awk -v head="## $version" '/^## / { on = $0 == head || index($0, head " ") == 1; next } on' CHANGELOG.md |
    sed '/./,$!d' >"$out/NOTES.md"
[[ -s $out/NOTES.md ]] || die "CHANGELOG.md has no section '## $version'"

# Paths of the machine and the time stay out, so that the same commit makes the same archive.
name=tengen-$version-linux-x86_64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
place=$work/$name
mkdir -p "$place"
build() { # PACKAGE PROGRAM PROCESSOR NAME
    CARGO_ENCODED_RUSTFLAGS=$(release_flags "$3") CARGO_PROFILE_RELEASE_STRIP=symbols \
        cargo build --release --locked -p "$1" --bin "$2" --target x86_64-unknown-linux-gnu \
        --target-dir "$target/release-build/$3"
    cp "$target/release-build/$3/x86_64-unknown-linux-gnu/release/$2" "$place/$4"
    check_paths "$place/$4"
}
build tengen pbrain-tengen x86-64 pbrain-tengen
build tengen pbrain-tengen x86-64-v3 pbrain-tengen-v3
build tengen-app tengen x86-64 tengen
build tengen-app tengen x86-64-v3 tengen-v3
cargo run --quiet --locked -p tengen-app --example manual -- "$place"
cp -r README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT docs "$place"
rm "$place/docs/experiments.md"
# What the archive lacks is named there, but not linked.
find "$place" -name '*.md' -exec \
    sed -Ei 's@\[([^]]*)\]\(((\.\./)?(scripts|src|tests|crates)/[^)]*|(docs/)?experiments\.md)\)@\1@g' {} +
find "$place" -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
chmod 755 "$place"/{pbrain-,}tengen{,-v3}
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="@$(git log -1 --format=%ct)" -c "$name" | gzip -9 -n >"$out/$name.tar.gz"

# What was packed is what is checked.
check=$work/check
mkdir "$check"
tar -C "$check" -xzf "$out/$name.tar.gz"
wanted="CHANGELOG.md LICENSE-APACHE LICENSE-MIT README.md completions docs man pbrain-tengen pbrain-tengen-v3 tengen tengen-v3"
found=$(ls "$check/$name" | LC_ALL=C sort | xargs)
[[ $found == "$wanted" ]] || die "the archive holds '$found'"
[[ -s $check/$name/man/tengen.1 && -s $check/$name/completions/tengen.bash ]] ||
    die "the archive lacks the manual or the completions"
signature=$(<tests/bench_signature.txt)
for program in {pbrain-,}tengen{,-v3}; do
    path=$check/$name/$program
    if [[ $program == *-v3 ]] && ! grep -qw avx2 /proc/cpuinfo; then
        echo "release: $program NOT RUN, since this processor has no AVX2" >&2
        continue
    fi
    word=$([[ $program == pbrain-* ]] || echo engine)
    about=$(printf 'ABOUT\nEND\n' | "$path" $word) || die "$program fails"
    [[ $about == *"version=\"$version ("* ]] || die "$program says $about"
    [[ $program == pbrain-* ]] || continue
    nodes=$("$path" bench | awk '/^Bench:/ { print $2 }') || die "the bench of $program fails"
    [[ $nodes == "$signature" ]] || die "the bench of $program is '$nodes', not $signature"
done

files=("$name.tar.gz")
if [[ $with_windows == 1 ]]; then
    scripts/package.sh "$@"
    cp "$target/package/Tengen.zip" "$out"
    files+=(Tengen.zip)
else
    echo "release: WITHOUT the Windows zip, as asked by --without-windows" >&2
fi
(cd "$out" && sha256sum "${files[@]}" >SHA256SUMS && sha256sum --quiet -c SHA256SUMS)
echo "release: $version is in $out, bench $signature"
(cd "$out" && wc -c "${files[@]}" NOTES.md SHA256SUMS)
