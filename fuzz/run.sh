#!/usr/bin/env bash
# Fuzzes with cargo-fuzz (`cargo install cargo-fuzz`) and stable Rust.
#
# usage: run.sh TARGET [OPTION...]     a name of fuzz_targets; options of libFuzzer, such as
#                                      -max_total_time=3600
#
# It begins with tests/corpus/TARGET.txt, each input a line, and with what earlier runs found, which
# gathers in fuzz/corpus/TARGET. A fault ends the run: its input is in fuzz/artifacts/TARGET, and
# belongs into the text once it is understood, as `print(open(FILE, "rb").read())` of Python writes
# it, below a line that names what was wrong.
set -euo pipefail
cd "$(dirname "$0")"

target=${1:?usage: run.sh TARGET [OPTION...]}
shift
targets=$(cd fuzz_targets && echo *.rs)
[[ -f fuzz_targets/$target.rs ]] || { echo "run.sh: no target '$target'; there are ${targets//.rs/}" >&2; exit 2; }
mkdir -p "corpus/$target" "seeds/$target"
python3 - "../tests/corpus/$target.txt" "seeds/$target" <<'END'
import pathlib, sys

corpus, seeds = map(pathlib.Path, sys.argv[1:])
for number, line in enumerate(corpus.read_bytes().split(b"\n")):
    if line and not line.startswith(b"#"):
        (seeds / str(number)).write_bytes(line.decode("unicode_escape").encode("latin-1"))
END
dictionary=dict/$target.dict
[[ -f $dictionary ]] || dictionary=dict/binary.dict
# cargo-fuzz gives the compiler flags that stable Rust only takes so.
export RUSTC_BOOTSTRAP=1
exec cargo fuzz run "$target" "corpus/$target" "seeds/$target" -- "-dict=$dictionary" "$@"
