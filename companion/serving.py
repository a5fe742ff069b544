"""The web server of a station: waitress in this process, beside the camera's thread."""

from __future__ import annotations

from typing import Any

import waitress
from flask import Flask


class CannotListen(Exception):  # noqa: N818 - a state of the machine
    """The pages cannot be offered where the settings say."""


def listening(web: Flask, host: str, port: int) -> Any:
    """The server; its ``run`` answers screens until it is closed. Raises CannotListen."""
    try:
        return waitress.create_server(
            web,
            host=host,
            port=port,
            threads=256,  # a stream holds a thread for as long as its screen is on
            connection_limit=1000,
            asyncore_use_poll=True,  # select() fails near 1,016 sockets
        )
    except OSError as fault:
        raise CannotListen(
            f"port {port} of {host} cannot be used ({fault.strerror}); the table is kept as it "
            "was. Close the program that has it, or name another port"
        ) from fault
