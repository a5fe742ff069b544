"""The command line; the commands of the reader are in `station_commands`, `reader_commands`."""

from __future__ import annotations

import argparse
import logging
import secrets
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion import (
    __version__,
    archive_commands,
    bootstrap,
    config,
    demo,
    greeting,
    rank,
    reader_commands,
    selftest,
    station_commands,
)
from companion.address import lan_address
from companion.command_lines import USAGE, warn
from companion.config import ConfigError, Settings
from companion.database import Database, StorageError, file_fault
from companion.games import GAMES
from companion.machine_check import check_machine
from companion.rules.engine import Engine
from companion.table import audit

STOPS = (signal.SIGTERM, signal.SIGINT)
FAULTS = (
    ConfigError,
    StorageError,
    bootstrap.CameraError,
    bootstrap.CannotListen,
    bootstrap.PinsError,
    bootstrap.StationError,
    bootstrap.WifiError,
)  # what a person can put right; the sentence is enough


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; gives the exit status."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except FAULTS as fault:
        warn(fault)
        return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="companion", description="The dealer's station.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    shown = commands.add_parser("demo", help="play a recorded session")
    shown.add_argument("--auto", type=int, metavar="N", help="play N rounds unattended, then stop")
    shown.set_defaults(run=_demo)
    served = commands.add_parser("serve", help="run the station")
    served.add_argument("--config", type=Path, help="settings file (TOML)")
    served.add_argument("--camera", help="replay:FOLDER, usb:0, picamera2 or disabled")
    served.add_argument("--station", help="station folder")
    served.set_defaults(run=_serve)
    tested = commands.add_parser("selftest", help="check this machine's camera, box and disk")
    tested.add_argument("--config", type=Path, help="settings file (TOML)")
    tested.add_argument("--camera", help="as for serve")
    tested.add_argument("--station", help="station folder")
    tested.set_defaults(run=_selftest)
    for command in (shown, served, tested):
        command.add_argument("--data-dir", dest="data_dir")
    for command in (shown, served):
        command.add_argument("--host")
        command.add_argument("--port", type=int)
    station_commands.add_commands(commands)
    reader_commands.add_commands(commands)
    rank.add_command(commands)
    archive_commands.add_commands(commands)
    checked = commands.add_parser("audit", help="check log, ledger and balances")
    checked.add_argument("data_dir", type=Path)
    checked.set_defaults(run=_audit)
    return parser


def _settings(arguments: argparse.Namespace, **given: Any) -> Settings:
    names = ("data_dir", "host", "port", "camera", "station")
    flags = {name: getattr(arguments, name, None) for name in names}
    wanted = {**given, **{name: value for name, value in flags.items() if value is not None}}
    return config.load(getattr(arguments, "config", None), flags=wanted)


def _demo(arguments: argparse.Namespace) -> int:
    print("Calibrating and enrolling from the recorded station ...", flush=True)
    settings = _settings(
        arguments,
        data_dir=getattr(arguments, "data_dir", None) or "var/demo",
        camera=f"replay:{demo.RECORDING}",
        table_name="Demo table",
    )
    return _run(replace(settings, station=demo.RECORDING), arguments.auto, is_demo=True)


def _serve(arguments: argparse.Namespace) -> int:
    return _run(_settings(arguments), None, is_demo=False)


def _selftest(arguments: argparse.Namespace) -> int:
    settings = _settings(arguments)
    print("Looking at camera, box and disk; leave the tray empty, and the buttons until asked ...")
    person = greeting.at_terminal() and sys.stdin.isatty()
    done = check_machine(settings, ask=_ask if person else None)
    print("\n".join(selftest.report(done, selftest.facts(__version__))), flush=True)
    return 1 if selftest.failed(done) else 0


def _ask(sentence: str) -> None:
    print(sentence, flush=True)


def _run(settings: Settings, rounds: int | None, *, is_demo: bool) -> int:

    def address() -> str:
        return f"http://{lan_address()}:{settings.port}"

    station = bootstrap.build(settings, address)
    try:
        _tell_pin(station, is_demo)
        if is_demo:
            demo.set_table(station.services)
        station.start()
        if rounds is not None:
            faults = demo.play_rounds(station.services, rounds, lambda s: print(s, flush=True))
            print("Audit: " + ("; ".join(faults) if faults else "sound."))
            return 1 if faults else 0
        _greet(station, address())
        _on_stop(lambda: _interrupt(station))
        station.serve()
    except KeyboardInterrupt:
        print("\nStopped; everything is kept in", settings.data_dir)
    finally:
        station.close()
    return 0


def _interrupt(station: bootstrap.Station) -> None:
    """End the streams first: the server waits for its threads, and they wait for events.

    Another signal would interrupt this and wait for ever for locks that are held here: an
    impatient second Ctrl-C, or one signal to the group and one to the process.
    """
    _on_stop(lambda: None)
    station.notifier.stopping()
    station.services.hub.close()
    raise KeyboardInterrupt


def _on_stop(then: Callable[[], None]) -> None:
    """Do ``then`` at every signal to stop from now on."""
    for stop in STOPS:
        signal.signal(stop, lambda *_: then())


def _tell_pin(station: bootstrap.Station, is_demo: bool) -> None:
    """A first PIN is made and told once; the demo, which keeps no secrets, makes a new one."""
    if is_demo or not station.services.pin.is_set:
        pin = f"{secrets.randbelow(10**6):06}"
        folder = station.services.settings.data_dir
        try:
            told = greeting.pin_line(pin, folder, seen=is_demo or greeting.at_terminal())
        except OSError as fault:
            raise file_fault(fault) from fault
        station.services.pin.set(pin)
        if not is_demo:
            station.services.setup.table.begin()
        print(told, flush=True)


def _greet(station: bootstrap.Station, address: str) -> None:
    join = f"{address}/join?t={station.services.tokens.issue()}"
    seen = greeting.at_terminal()
    if seen:
        greeting.draw_code(join)
    print("\n".join(greeting.lines(address, join, seen)), flush=True)


def _audit(arguments: argparse.Namespace) -> int:
    if not (arguments.data_dir / "table.db").exists():
        raise StorageError(f"{arguments.data_dir} holds no table")
    faults = audit(Database.in_folder(arguments.data_dir), Engine(GAMES))
    print("\n".join(faults) or "Sound: chain, fold, ledger and balances agree.")
    return 1 if faults else 0
