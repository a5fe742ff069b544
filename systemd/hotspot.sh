# A network of the station's own, so that phones join where there is no router.
# shellcheck shell=sh disable=SC2154 # sourced after common.sh, whose names these are

# The name as NetworkManager's file can hold it without quoting.
hotspot_name() {
    case $hotspot in
        "" | *[!A-Za-z0-9._\ -]* | " "* | *" ") stop "--hotspot: letters, digits, dot, hyphen, underscore and spaces within, not \"$hotspot\"." ;;
    esac
    [ "${#hotspot}" -le 32 ] || stop "--hotspot: a network's name has at most 32 characters."
    [ -n "$root" ] || command -v nmcli >/dev/null ||
        stop "The hotspot needs NetworkManager; run: sudo apt install network-manager"
}

# Made once: whoever has it keeps it. No letters or digits that are mistaken for each other.
passphrase() {
    [ ! -e "$wifi" ] || sed -n 's/^passphrase = "\(.*\)"$/\1/p' "$wifi"
}

# tr is cut off by head, and says so where that signal is ignored.
new_passphrase() {
    LC_ALL=C tr -dc 'abcdefghjkmnpqrstuvwxyz23456789' </dev/urandom 2>/dev/null | head -c 12
}

# private FILE: keeps standard input in FILE, which nobody else may read at any moment.
private() {
    mkdir -p "$(dirname "$1")"
    (umask 077 && cat >"$1.new")
    mv "$1.new" "$1"
}

hotspot_on() {
    psk=$(passphrase)
    [ -n "$psk" ] || psk=$(new_passphrase)
    private "$wifi" <<END
# The station's own network, made by install.sh --hotspot; the room's screen shows it.
ssid = "$hotspot"
passphrase = "$psk"
END
    here chgrp "$name" "$wifi" # the station's user reads it, nobody else
    chmod 640 "$wifi"
    # Settings in a file, not on nmcli's command line, where every user could read the passphrase.
    private "$network" <<END
[connection]
id=$name
type=wifi
autoconnect=true

[wifi]
mode=ap
band=bg
ssid=$hotspot

[wifi-security]
key-mgmt=wpa-psk
proto=rsn;
pairwise=ccmp;
group=ccmp;
psk=$psk

[ipv4]
method=shared
address1=10.42.0.1/24

[ipv6]
method=disabled
END
    here hotspot_up ||
        say "The hotspot does not start now (is the Wi-Fi on, its country set?); it is tried again at every start."
}

# Where NetworkManager does not run now, it finds the file when it starts.
hotspot_up() { nmcli connection reload && nmcli connection up "$name"; }

hotspot_off() {
    [ -e "$network" ] || return 0
    here nmcli connection down "$name" 2>/dev/null || true # it may not be up
    rm -f "$network" "$wifi"
    here nmcli connection reload 2>/dev/null || true # NetworkManager may not run, or be gone
}
