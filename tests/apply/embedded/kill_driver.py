"""`python -m tests.apply.embedded.kill_driver FOLDER SEED [BEHAVIOUR]`: moves actors until it is killed."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from kagent_apply.embedded.refusal import ControlError
from tests.apply.embedded.calls import Client, template
from tests.apply.embedded.processes import open_program

NAMES = ("a", "b", "c", "d")


def note(client: Client, folder: Path, name: str) -> None:
    """Have a running actor's folder hold something, and remember outside that it does."""
    uid = client.get(name).metadata.uid
    data = client.control.folders.data(uid)
    (data / "partial").write_text(uid)
    (data / "partial").replace(data / "note")
    (folder / "noted" / uid).touch()


def move(client: Client, folder: Path, name: str, chosen: str) -> None:
    if chosen == "delete":
        client.delete(name, any_state=True)
    else:
        getattr(client, chosen)(name)
    if chosen == "resume":
        note(client, folder, name)


def main(folder: Path, seed: int, behaviour: str = "serve") -> None:
    dice = random.Random(seed)
    client = Client(open_program(folder, behaviour))
    if not (folder / "begun").exists():
        client.begin(template(KAGENT_NAME="agent"))
        (folder / "begun").touch()
    print("open", flush=True)
    while True:
        name = dice.choice(NAMES)
        chosen = dice.choices(("create", "resume", "suspend", "pause", "delete"), (4, 6, 3, 1, 1))[0]
        try:
            move(client, folder, name, chosen)
        except ControlError as error:
            if error.code not in ("ALREADY_EXISTS", "NOT_FOUND", "FAILED_PRECONDITION"):
                raise


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
