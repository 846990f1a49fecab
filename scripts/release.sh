#!/usr/bin/env bash
# Makes and checks the files of a release of the version in Cargo.toml, for the system that it runs on:
#
# tengen-VERSION-SYSTEM.tar.gz   both programs, for x86-64 also faster ones for x86-64-v3 (AVX2); manual pages, shell
#                                completions, README, docs with examples, changelog and licences. SYSTEM is
#                                linux-x86_64, linux-aarch64, macos-aarch64, macos-x86_64 or windows-x86_64 (a .zip)
# Tengen.zip                     with --gomocup: the Windows program for Gomocup, by package.sh
# tengen-VERSION-page.zip        with --page: the page that needs no program, by web.sh
# NOTES.md                       the version's section of CHANGELOG.md
# SHA256SUMS                     the checksums of all these
#
# usage: release.sh [--gomocup] [--page] [--dirty]
#
# --dirty lets changes that are not committed pass. All is left in $CARGO_TARGET_DIR/release-VERSION
# (target/release-VERSION). Needs Rust and GNU's tar, sed, grep and sha256sum, on Windows Git's bash and 7z, and what
# package.sh and web.sh need.
set -euo pipefail
. "$(dirname "$0")/common.sh"

with_gomocup=0 with_page=0 is_dirty=0
for option; do
    case $option in
    --gomocup) with_gomocup=1 ;;
    --page) with_page=1 ;;
    --dirty) is_dirty=1 ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
done

cd "$root"
[[ $is_dirty == 1 || -z $(git status --porcelain) ]] || die "there are changes that are not committed"
host=$(rustc -vV | sed -n 's/^host: //p')
processor=generic exe='' flags=()
case $host in
x86_64-*-linux-gnu) system=linux-x86_64 ;;
aarch64-*-linux-gnu) system=linux-aarch64 ;;
aarch64-apple-darwin) system=macos-aarch64 processor=apple-m1 ;;
x86_64-apple-darwin) system=macos-x86_64 ;;
x86_64-pc-windows-*) system=windows-x86_64 exe=.exe flags=(-C target-feature=+crt-static) ;;
*) die "no release is made on $host" ;;
esac
processors=("$processor")
[[ $system != *-x86_64 ]] || processors=(x86-64 x86-64-v3)
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
name=tengen-$version-$system
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
place=$work/$name
mkdir -p "$place"
wanted="CHANGELOG.md LICENSE-APACHE LICENSE-MIT README.md SECURITY.md completions docs man"
for processor in "${processors[@]}"; do
    suffix=$([[ $processor != x86-64-v3 ]] || echo -v3)
    CARGO_ENCODED_RUSTFLAGS=$(release_flags "$processor" "${flags[@]}") CARGO_PROFILE_RELEASE_STRIP=symbols \
        cargo build --release --locked -p tengen -p tengen-app --target "$host" \
        --target-dir "$target/release-build/$processor"
    for program in pbrain-tengen tengen; do
        cp "$target/release-build/$processor/$host/release/$program$exe" "$place/$program$suffix$exe"
        [[ $system == windows-* ]] || check_paths "$place/$program$suffix"
        chmod 755 "$place/$program$suffix$exe"
        wanted+=" $program$suffix$exe"
    done
done
cargo run --quiet --locked -p tengen-app --example manual -- "$place"
cp -r README.md CHANGELOG.md SECURITY.md LICENSE-APACHE LICENSE-MIT docs "$place"
rm "$place/docs/experiments.md"
# What the archive lacks is named there, but not linked.
sed -i '/badge\.svg/,+1d' "$place/README.md"
find "$place" -name '*.md' -exec \
    sed -Ei 's@\[([^]]*)\]\(((\.\./)*(scripts|src|tests|crates|releases)[^)]*|(\.\./)?CONTRIBUTING\.md[^)]*|(docs/)?experiments\.md)\)@\1@g' {} +
find "$place" -type d -exec chmod 755 {} + -o -type f ! -perm -100 -exec chmod 644 {} +
if [[ $system == windows-* ]]; then
    archive=$name.zip
    (cd "$work" && 7z a -bso0 -tzip -mx=9 "$out/$archive" "$name")
else
    archive=$name.tar.gz
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner \
        --mtime="@$(git log -1 --format=%ct)" -c "$name" | gzip -9 -n >"$out/$archive"
fi

# What was packed is what is checked.
found=$(ls "$place" | LC_ALL=C sort | xargs)
[[ $found == "$(xargs -n1 <<<"$wanted" | LC_ALL=C sort | xargs)" ]] || die "the archive holds '$found'"
for file in man/tengen.1 man/pbrain-tengen.1 completions/tengen.bash docs/examples/game.psq; do
    [[ -s $place/$file ]] || die "the archive lacks $file"
done
"$root/scripts/try.sh" "$out/$archive"

files=("$archive")
if [[ $with_gomocup == 1 ]]; then
    scripts/package.sh
    cp "$target/package/Tengen.zip" "$out"
    files+=(Tengen.zip)
fi
if [[ $with_page == 1 ]]; then
    scripts/web.sh
    page=tengen-$version-page.zip
    (cd "$target/web" && zip -q -9 -X -r "$out/$page" .)
    files+=("$page")
fi
(cd "$out" && sha256sum "${files[@]}" >SHA256SUMS && sha256sum --quiet -c SHA256SUMS)
echo "release: $version is in $out, bench $(<tests/bench_signature.txt)"
(cd "$out" && wc -c "${files[@]}" NOTES.md SHA256SUMS)
