#!/bin/sh
# Removes the station. Settings and data are kept, unless --purge is given.
#   sudo systemd/uninstall.sh [--purge] [--root DIR]
set -eu
# shellcheck source=systemd/common.sh
. "$(dirname "$0")/common.sh"

# shellcheck source=systemd/hotspot.sh
. "$(dirname "$0")/hotspot.sh"

options "$@"
for unit in "$name-kiosk.service" "$name.service"; do
    [ ! -e "$units/$unit" ] || manager disable --now --quiet "$unit"
    rm -f "$units/$unit"
done
rm -f "$users" "$rules"
hotspot_off
rm -rf "$opt" "$opt.previous"
manager daemon-reload
if [ "$purge" = yes ]; then
    rm -rf "$etc" "$data" "$backups" "$root/var/lib/spike-kiosk"
    say "Removed, with settings, data and backups."
else
    say "Removed. Kept: settings in $etc, data in $data, backups in $backups."
fi
