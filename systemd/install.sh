#!/bin/sh
# Installs the dealer's station as a service. May be run again at any time.
#   sudo systemd/install.sh [--kiosk] [--hotspot NAME] [--root DIR]
set -eu
# shellcheck source=systemd/common.sh
. "$(dirname "$0")/common.sh"

needs() {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        stop "Python 3.11 or newer is needed (Raspberry Pi OS 12 and later have it)."
    python3 -c 'import cv2, numpy, venv, ensurepip' 2>/dev/null ||
        stop "Something is missing; run: sudo apt install python3-venv python3-opencv python3-numpy python3-picamera2 python3-lgpio"
}

# The settings file is the owner's once it exists.
settings() {
    mkdir -p "$etc"
    [ ! -e "$etc/table.toml" ] || return 0
    install -m 644 "$opt/app/systemd/table.toml" "$etc/table.toml"
}

# shellcheck source=systemd/hotspot.sh
. "$(dirname "$0")/hotspot.sh"

options "$@"
[ -z "$hotspot" ] || hotspot_name
here needs
say "1/4 The program, in $opt"
lay_out
say "2/4 Its packages"
here packages
say "3/4 Settings in $etc, service, users, device rules"
settings
system_files
[ -z "$hotspot" ] || hotspot_on
manager enable --quiet "$name.service"
[ "$kiosk" = no ] || manager enable --quiet "$name-kiosk.service"
say "4/4 Starting"
start || stop "The station does not start; everything is installed. See why with: journalctl -u $name -n 30"
say "Ready. The dealer's first PIN: sudo cat /var/lib/$name/dealer-pin; the addresses: journalctl -u $name"
