#!/usr/bin/env bash
# Copies a component without its custom sections: names and the like, which only tools show, 5 KB.
#
#   strip-component.sh FROM TO
#
# rustc's `strip` reaches the module inside the component, but not what the linker writes around it.
set -euo pipefail

from=$1 to=$2
size=$(wc -c < "$from")
at=8 kept=0   # behind the header; where what is to be copied begins

copy() {
  if [ "$1" -gt "$kept" ]; then head -c "$1" "$from" | tail -c "$(($1 - kept))" >> "$to"; fi
}

: > "$to"
while [ "$at" -lt "$size" ]; do
  # A section: its id, 0 for a custom one; its length in groups of seven bits, lowest first; that many bytes.
  read -ra byte < <(od -An -v -tu1 -j "$at" -N 6 "$from")
  length=0 i=1
  while length=$((length | (byte[i] & 127) << 7 * (i - 1))); [ "${byte[i]}" -ge 128 ]; do i=$((i + 1)); done
  next=$((at + 1 + i + length))
  if [ "${byte[0]}" = 0 ]; then
    copy "$at"
    kept=$next
  fi
  at=$next
done
copy "$size"
