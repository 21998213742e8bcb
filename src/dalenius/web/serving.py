"""A server on this machine, until somebody stops it."""

import secrets
import socket
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from dalenius.basics.errors import InputError
from dalenius.data.completion import complete, who
from dalenius.desk.session import find_ledger, named_policies

NEEDED = ("starlette", "jinja2", "uvicorn", "python_multipart")


def check_installed() -> None:
    """InputError if the packages for the pages are not there."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(
            f"Pages in a browser need the package {missing[0]}, but it is not installed. Run pip install "
            "'dalenius[web]'."
        )


def serve(
    root: Path,
    *,
    port: int = 0,
    ledger: str | Path | None = None,
    ledger_keys: Sequence[str | Path] | None = None,
    policy: Path | None = None,
    databases: Sequence[str] = (),
    proxy_header: str = "",
    hosts: Sequence[str] = (),
    say: Callable[[str], object] = print,
) -> None:
    """Serve the pages at 127.0.0.1 until it is interrupted, and say at which address. With a `proxy_header`, user names
    come from there, and `hosts` are the names that the proxy serves under.
    """
    check_installed()
    import uvicorn

    from dalenius.web.app import application
    from dalenius.web.guard import Entrance
    from dalenius.web.pages import Bench
    from dalenius.web.places import Places

    if not root.is_dir():
        raise InputError(f"Needed a folder to serve, but {root} is none. Name one, or create it.")
    if proxy_header and not hosts:
        raise InputError(
            "Needed the name under which the proxy serves these pages, but there is none. Name it with --host."
        )
    place = find_ledger(ledger, None, root)
    named_policies(policy)
    place.check_key()
    if place.exists():  # what was recorded when an earlier server was killed is written before anybody comes
        for one in complete(place):
            say(str(one))
    try:
        listening = socket.create_server(("127.0.0.1", port))
    except OSError:
        raise InputError(
            f"Needed the port {port} of this machine, but it is taken. Name another with --port."
        ) from None
    port = listening.getsockname()[1]
    here = {f"127.0.0.1:{port}", f"localhost:{port}"}
    entrance = Entrance(frozenset({*here, *hosts}), secrets.token_urlsafe(24), who(), proxy_header.lower())
    where = root.resolve()
    shown: str | Path = place.database.file or ledger or place.shown
    bench = Bench(Places(where, tuple(databases)), shown, tuple(ledger_keys or ()), policy)
    settings = uvicorn.Config(
        application(bench, entrance),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=5,
        limit_concurrency=200,
    )
    if proxy_header:
        say(f"Serving {where} behind a proxy: http://127.0.0.1:{port}/, users from the header {proxy_header}")
    else:
        say(f"Open http://127.0.0.1:{port}/?token={entrance.token}")
        say(f"Serving {where}; only this machine can reach it. Stop it with Ctrl-C.")
    uvicorn.Server(settings).run(sockets=[listening])
