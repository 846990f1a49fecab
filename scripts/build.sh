#!/usr/bin/env bash
# Prints the path of an engine, for programs that take no commit.
#
# usage: build.sh ENGINE     a program, or a commit of this repository, which is built once
set -euo pipefail
. "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
engine_of "$1"
