#!/bin/sh
# Replaces an installed station by this version; the data are backed up first, and when the
# new version does not start, program and data are put back as they were.
#   sudo systemd/upgrade.sh [--root DIR]
set -eu
# shellcheck source=systemd/common.sh
. "$(dirname "$0")/common.sh"
KEEP=5 # backups

back_up() {
    mkdir -p "$backups"
    chmod 700 "$backups"
    backup=$backups/$(date -u +%Y%m%dT%H%M%SZ)-$$
    mkdir "$backup"
    [ ! -d "$data" ] || cp -a "$data/." "$backup/"
    # shellcheck disable=SC2012 # the names are our own: dates
    ls -1 "$backups" | sort -r | tail -n "+$((KEEP + 1))" |
        while IFS= read -r old; do rm -rf "${backups:?}/$old"; done
}

set_aside() {
    rm -rf "$opt.previous"
    cp -a "$opt" "$opt.previous"
}

# A new version must find the books in order before it may write in them. Not as root: the
# database makes files beside itself, which the service could not open then.
sound() {
    [ ! -e "$data/table.db" ] || here runuser -u "$name" -- "$opt/.venv/bin/python" -m companion audit "$data"
}

# One line a step: the shell stops at the first that fails only where nothing asks how it went.
replace() {
    lay_out
    here packages
    system_files
    sound
    start
}

roll_back() {
    manager stop "$name.service" || true
    rm -rf "$opt"
    mv "$opt.previous" "$opt"
    if [ -d "$data" ]; then
        rm -rf "$data"
        cp -a "$backup" "$data"
    fi
    system_files
    start || stop "The upgrade failed and the old version does not start either. The data are in $backup; see: journalctl -u $name -n 30"
    stop "The upgrade failed; the old version runs again with the data as they were (also kept in $backup)."
}

options "$@"
[ -d "$opt/app" ] || stop "No station is installed in $opt; use install.sh."
[ "$source" != "$(cd "$opt/app" && pwd)" ] || stop "Run upgrade.sh from the new version's folder, not from the installed one."
say "1/3 Stopping, and backing the data up"
manager stop "$name.service"
back_up
set_aside
say "2/3 The new version"
# In a shell of its own: what ends it must lead to the roll-back, not end the upgrade.
set +e
(set -e; replace)
status=$?
set -e
[ "$status" = 0 ] || roll_back
say "3/3 Done. The data before the upgrade are in $backup"
rm -rf "$opt.previous"
