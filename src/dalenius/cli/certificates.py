"""Certificates: do they hold, and who signed them?"""

import json
from pathlib import Path
from typing import Annotated

import typer

from dalenius.cli.app import Json, app

CertificateFile = Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="The certificate of a release.")]

keys = typer.Typer(no_args_is_help=True, help="Keys to sign certificates and the entries of a ledger with (Ed25519).")
app.add_typer(keys, name="key")


@app.command()
def verify(
    certificate: CertificateFile,
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="CSV", help="The published figures: is it about these?")
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", metavar="PUBLIC", help="A public key: was it signed with this one?")
    ] = None,
    signature: Annotated[
        Path | None,
        typer.Option("--signature", metavar="SIG", help="The signature; by default beside the certificate."),
    ] = None,
    json_: Json = False,
) -> None:
    """Does a certificate hold? Computed again, from the certificate alone: no data, no specification, no network.

    Exit codes: 0 it holds; 1 refused: changed, signed by somebody else, or not true; 3 not all of it could be computed;
    2 no certificate, or one of a newer version.
    """
    from dalenius.record.certificate.recheck import verify_certificate

    found = verify_certificate(certificate, figures, key, signature)
    typer.echo(json.dumps(found.json(), indent=2, ensure_ascii=False) if json_ else found.text())
    raise typer.Exit(found.code)


@app.command()
def sign(
    certificate: CertificateFile,
    key: Annotated[Path, typer.Option("--key", metavar="KEYFILE", help="The private key.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="SIG", help="Where to write it instead: a new file.")
    ] = None,
    json_: Json = False,
) -> None:
    """Sign a certificate: writes a file of its name with the ending .sig beside it (certificate.sig).

    Exit codes: 0 signed; 2 bad input.
    """
    from dalenius.record.certificate.signing import sign as signed

    made = signed(certificate, key, output)
    typer.echo(json.dumps({"signature": str(made)}, ensure_ascii=False) if json_ else f"Written: {made}")


@keys.command()
def new(
    target: Annotated[Path, typer.Argument(metavar="KEYFILE", help="A new file for the private key.")],
    json_: Json = False,
) -> None:
    """Make a key: KEYFILE is private and stays with you, KEYFILE.pub is for everybody.

    Exit codes: 0 made; 2 bad input.
    """
    from dalenius.record.certificate.signing import new_key

    public = new_key(target)
    if json_:
        typer.echo(json.dumps({"private": str(target), "public": str(public)}, ensure_ascii=False))
        return
    typer.echo(f"Written: {target}, the private key. Keep it to yourself; sign with it: dalenius sign --key {target}")
    typer.echo(f"Written: {public}, the public key. Give it to all who check: dalenius verify --key {public}")
