# What the shell scripts share: engines from commits, flags of releases, checks of paths. To be sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() { echo "${0##*/}: $*" >&2; exit 2; }

# Prints the absolute path of the engine that the argument names: an executable file, or a commit,
# which is built once into $TENGEN_BUILDS (default target/builds). It sets an EXIT trap: call it in
# a subshell, as $(engine_of ...) does.
engine_of() {
    local name=$1
    if [[ -f $name && -x $name ]]; then
        echo "$(cd "$(dirname "$name")" && pwd)/$(basename "$name")"
        return
    fi
    local hash
    hash=$(git -C "$root" rev-parse --verify --quiet --short=12 "$name^{commit}") ||
        die "'$name' is neither an executable file nor a commit"
    local builds=${TENGEN_BUILDS:-$root/target/builds}
    local binary=$builds/$hash/pbrain-tengen
    if [[ ! -x $binary ]]; then
        # Every commit has a target folder of its own: cargo judges by file times, and those of an
        # older commit would pass for built already.
        local work
        mkdir -p "$builds/$hash"
        work=$(mktemp -d "$builds/$hash/work.XXXXXX")
        # A failed or interrupted build leaves nothing behind.
        trap "rm -rf ${work@Q}" EXIT
        git -C "$root" archive --output "$work/source.tar" "$hash" && tar -xf "$work/source.tar" -C "$work" ||
            die "cannot write $hash"
        CARGO_TARGET_DIR=$work/target cargo build --quiet --release -p tengen --bin pbrain-tengen \
            --manifest-path "$work/Cargo.toml" >&2 || die "cannot build $hash"
        mv "$work/target/release/pbrain-tengen" "$binary"
    fi
    echo "$(cd "$builds/$hash" && pwd)/pbrain-tengen"
}

# Prints the nodes in the output of a bench, which it reads.
nodes_of() { tr -d '\r' | awk '/^Bench: [0-9]+ nodes/ { print $2 }'; }

# Prints the path of an engine as c-gomoku-cli takes it: with blanks escaped.
command_of() {
    local path=${1//\\/\\\\}
    echo "${path// /\\ }"
}

# Prints the value of CARGO_ENCODED_RUSTFLAGS for a program that is given away: for processors of
# the named kind, without a path of this machine. Further arguments are flags of rustc.
release_flags() {
    local flags=(-C "target-cpu=$1" "${@:2}") folder
    for folder in "$root=tengen" "${CARGO_HOME:-$HOME/.cargo}=cargo" "$(rustc --print sysroot)=rust"; do
        flags+=("--remap-path-prefix=$folder")
    done
    (IFS=$'\x1f' && echo "${flags[*]}")
}

# Runs a command for a limited time. A signal to this shell ends the command. Not for subshells: no signal
# reaches those.
limited() { # TIME COMMAND...
    local child='' status=0
    trap '[[ -z $child ]] || { kill "$child" 2>/dev/null; wait "$child"; } || true; exit 130' INT TERM
    timeout "$@" &
    child=$!
    wait "$child" || status=$?
    trap - INT TERM
    return "$status"
}

# Fails if a program names a folder of this machine.
check_paths() {
    local word status
    for word in "$root" "$HOME"; do
        [[ $word != / ]] || continue
        # The folder src/search/root is not /root.
        status=0
        LC_ALL=C grep -qaP "(?<![\\w.-])\\Q$word/\\E" "$1" || status=$?
        case $status in
        0) die "$1 names the folder $word" ;;
        1) ;;
        *) die "grep cannot look for folders in $1" ;;
        esac
    done
}

# Prints the path of c-gomoku-cli.
match_tool() {
    [[ -n ${GOMOKU_CLI:-} ]] || die "set GOMOKU_CLI to the c-gomoku-cli program"
    [[ -x $GOMOKU_CLI ]] || die "GOMOKU_CLI='$GOMOKU_CLI' is not a program"
    realpath "$GOMOKU_CLI"
}

# Prints the absolute path of a file that must be there.
file_of() {
    [[ -f $1 ]] || die "no file '$1'"
    realpath "$1"
}

# Says that something was not tried, which is a failure under CI=true.
not_tried() {
    echo "${0##*/}: NOT TRIED: $*" >&2
    [[ ${CI:-} != true ]] || exit 1
}

# Installs packages of Debian or Ubuntu, where this is one and we are root.
install_packages() {
    [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 0
    echo "${0##*/}: installing $*"
    { apt-get update && apt-get install --yes --no-install-recommends "$@"; } >/dev/null || true
}

# Takes Debian's Rust with its sources for this shell: it can build for systems whose standard library
# rustup cannot download. Fails if it cannot be had.
use_debian_rust() {
    local sources=/usr/lib/rustlib/src/rust/library
    # Named for the browser that needs it, it is newer than Debian 12's rustc.
    [[ -d $sources ]] || install_packages rustc-web cargo-web rust-web-src
    [[ -d $sources && -x /usr/bin/cargo ]] || return 1
    export PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
}

# Builds the page without a program, by rustup's Rust or Debian's. Fails if neither can.
build_web() (
    target=wasm32-unknown-unknown
    if [[ -d $(rustc --print target-libdir --target $target) ]] || rustup target add $target 2>/dev/null; then
        "$root/scripts/web.sh"
    else
        use_debian_rust || return 1
        command -v wasm-ld >/dev/null || install_packages lld
        export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
        "$root/scripts/web.sh" -Zbuild-std=std,panic_abort
    fi
)
