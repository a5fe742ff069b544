# Shared by install.sh, upgrade.sh and uninstall.sh; sourced, never run.
# shellcheck shell=sh disable=SC2034 # each script uses its own part of the names below
#
# With --root DIR everything is laid out under DIR and the machine itself is left alone:
# no packages, no users, no services, unless SYSTEMCTL names a command to use for them.

umask 022 # the service's user must be able to read the program
name=spike-companion
source=$(cd "$(dirname "$0")/.." && pwd)
root=
kiosk=no
hotspot=
purge=no

say() { printf '%s\n' "$*"; }
stop() { printf '%s\n' "$*" >&2; exit 1; }

# options "$@": reads the flags that all three scripts share.
options() {
    while [ $# -gt 0 ]; do
        case $1 in
            --root) [ $# -ge 2 ] || stop "--root needs a folder."; root=${2%/}; shift ;;
            --kiosk) kiosk=yes ;;
            --hotspot) [ -n "${2:-}" ] || stop "--hotspot needs the network's name."; hotspot=$2; shift ;;
            --purge) purge=yes ;;
            *) stop "Unknown option $1. Known are --root DIR, --kiosk and --hotspot NAME (install), --purge (uninstall)." ;;
        esac
        shift
    done
    [ -n "$root" ] || [ "$(id -u)" = 0 ] || stop "This changes the system: run it with sudo."
    opt=$root/opt/$name
    etc=$root/etc/$name
    data=$root/var/lib/$name
    backups=$root/var/backups/$name
    units=$root/etc/systemd/system
    users=$root/etc/sysusers.d/$name.conf
    network=$root/etc/NetworkManager/system-connections/$name.nmconnection
    wifi=$etc/wifi.toml
    rules=$root/etc/udev/rules.d/60-$name.rules
}

# The service manager; silent success under --root, where nothing runs.
manager() {
    if [ -n "${SYSTEMCTL:-}" ]; then "$SYSTEMCTL" "$@"
    elif [ -z "$root" ]; then systemctl "$@"
    fi
}

# One command that only makes sense on the machine itself.
here() { [ -n "$root" ] || "$@"; }

# The program: a fresh copy beside the old one, then exchanged, so that a break leaves one whole.
lay_out() {
    rm -rf "$opt/app.new"
    mkdir -p "$opt/app.new"
    for part in companion vision hardware systemd; do
        (cd "$source" && find "$part" -name __pycache__ -prune -o -type f -print) |
            while IFS= read -r file; do
                mkdir -p "$opt/app.new/$(dirname "$file")"
                cp "$source/$file" "$opt/app.new/$file" # root's, whoever owns the checkout
            done
    done
    cp "$source/requirements-pi.txt" "$source/LICENSE" "$opt/app.new/"
    rm -rf "$opt/app"
    mv "$opt/app.new" "$opt/app"
}

# OpenCV, numpy, picamera2 and lgpio are apt's on a Pi: pip's would break against each other.
packages() {
    [ -x "$opt/.venv/bin/python" ] || python3 -m venv --system-site-packages "$opt/.venv"
    "$opt/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
        --require-hashes --only-binary :all: -r "$opt/app/requirements-pi.txt" ||
        stop "The packages could not be installed; is there a network connection and free disk space? Run this again."
    "$opt/.venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' |
        while IFS= read -r folder; do printf '%s\n' "$opt/app" >"$folder/spike_companion.pth"; done
}

# Units, users and rules, as this version has them.
system_files() {
    mkdir -p "$units" "$(dirname "$users")" "$(dirname "$rules")"
    install -m 644 "$opt/app/systemd/$name.service" "$units/$name.service"
    if [ "$kiosk" = yes ] || [ -e "$units/$name-kiosk.service" ]; then
        install -m 644 "$opt/app/systemd/$name-kiosk.service" "$units/$name-kiosk.service"
    fi
    install -m 644 "$opt/app/systemd/$name.sysusers" "$users"
    install -m 644 "$opt/app/systemd/60-$name.rules" "$rules"
    here systemd-sysusers
    here udevadm control --reload
    here udevadm trigger --subsystem-match=gpio --subsystem-match=dma_heap
    manager daemon-reload
}

# Started and, as the unit is of Type=notify, answering.
start() { manager restart "$name.service" && manager is-active --quiet "$name.service"; }
