#!/usr/bin/env bash
# Makes the page that needs no server program: target/web/, the board with the engine in WebAssembly. Any server of files
# serves it, as GitHub Pages or `python3 -m http.server`; after the first load it needs none.
#
# Needs Rust's target wasm32-unknown-unknown. Where that cannot be downloaded, Rust's sources do:
# scripts/web.sh -Zbuild-std=std,panic_abort, with a Rust that takes such options.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
out=$target/web
page=crates/app/web
own=crates/web/static

# The search needs more stack than WebAssembly's megabyte.
export RUSTFLAGS="-C target-feature=+simd128 -C link-arg=-zstack-size=8388608"
cargo build --release -p tengen-web --target wasm32-unknown-unknown "$@"

rm -rf "$out"
mkdir -p "$out"
cp "$page"/*.* "$out"
mkdir "$out/words"
for file in "$page"/words/*.json; do
    (printf 'export const words = ' && cat "$file" && echo ';') >"$out/words/$(basename "$file" .json).js"
done
cp "$own"/wasm.js "$own"/worker.js "$own"/manifest.webmanifest "$out"
rm "$out/report.js"
# The session is in the page, and no program behind it.
cp "$own/local.js" "$out/link.js"
cp "$target/wasm32-unknown-unknown/release/tengen_web.wasm" "$out/tengen.wasm"
sed -i 's|<link rel="icon"|<link rel="manifest" href="manifest.webmanifest">\n&|' "$out/index.html"

files=$(cd "$out" && printf '"%s", ' *.* words/*)
version=$(cd "$out" && cat ./*.* words/* | sha256sum | cut -c1-16)
sed "s|{version}|$version|; s|{files}|[\".\", ${files%, }]|" "$own/sw.js" >"$out/sw.js"
bytes=$(cat "$out"/*.* "$out"/words/* | gzip -9 | wc -c)
echo "web: $out, $((bytes / 1024)) KiB compressed"
