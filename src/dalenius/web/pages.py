"""The pages of the workbench and of the desk: each reads a form, calls the library, and shows what it says."""

import csv
import io
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files as resources
from pathlib import Path
from typing import Any, final

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from dalenius.basics.errors import DaleniusError, InputError
from dalenius.desk.audit.auditing import audit
from dalenius.desk.dials import Dials
from dalenius.desk.examples.demo import FILES as DEMO
from dalenius.desk.policy import Policy
from dalenius.desk.proposal import propose, read_numbers
from dalenius.desk.review import approve, comment, decided_alike, may_decide, reject, submit
from dalenius.desk.session import Decision, carry_out, decide, named_policies
from dalenius.desk.spec import spec_of
from dalenius.desk.spec.load import load_keys
from dalenius.desk.spec.persons import EACH_ROW
from dalenius.enclosure.formats import at_most
from dalenius.plan import Publish
from dalenius.plan.alternative import Alternative
from dalenius.plan.words import headline
from dalenius.record.ledger import Ledger, Recorded, open_ledger
from dalenius.show.cells import SIGNS, WORDS, ShownCell, cell_lines, shown_tables
from dalenius.show.defect import describe_defect
from dalenius.show.html.audit import audit_html
from dalenius.show.layout import WIDTH, paper
from dalenius.show.ledger import masked
from dalenius.show.plan import answer, tables_after
from dalenius.show.review import BLIND, approval_words, overruling, precedent, state_words, vote_words
from dalenius.show.text import goal
from dalenius.web import drafts
from dalenius.web.guard import REPORT_POLICY
from dalenius.web.jobs import Job, Jobs
from dalenius.web.places import Places
from dalenius.web.sessions import Session, Work

SECONDS_TO_PLAN, SECONDS_TO_BELIEVE, SECONDS_TO_AUDIT, SECONDS = 60.0, 30.0, 60.0, 10.0
STEPS = ("columns", "figures", "beliefs", "attacker", "verdict", "plan", "release")
MOST_AFTER = 12  # rows of a table that are shown after each change
BACK = {"verdict": "columns", "plan": "verdict", "release": "verdict"}  # where to mend what did not work there
FIRST = {"columns": "what each column is", "figures": "which figures are wanted", "attacker": "against whom"}
SECRET_FILES = {".html": "text/html", ".csv": "text/csv", ".json": "application/json", ".txt": "text/plain"}


@final
@dataclass(frozen=True, slots=True)
class Bench:
    """What all pages share: where files are, where releases are recorded, what is demanded, and who works."""

    places: Places
    ledger_place: str | Path
    ledger_keys: tuple[str | Path, ...] = ()
    policy: Path | None = None
    jobs: Jobs = field(default_factory=Jobs)

    def ledger(self) -> Ledger:
        return open_ledger(self.ledger_place, keys=self.ledger_keys)

    def policies(self) -> tuple[Policy, ...]:
        return named_policies(self.policy)

    def decide(self, work: Work, progress: Callable[[str, int, int], None], user: str) -> Decision:
        """As `dalenius check` does, for this user."""
        found = decide(
            drafts.written(work),
            str(self.places.data(work.data)),
            policy=self.policy,
            ledger=self.ledger_place,
            ledger_keys=self.ledger_keys or None,
            progress=progress,
            margins=False,
            seconds=SECONDS,
        )
        return found.made_by(user)


@final
@dataclass(slots=True)
class Visit:
    """A request: whose it is, and what came with it."""

    bench: Bench
    session: Session
    path: Mapping[str, str]
    query: Mapping[str, str]
    place: str  # the page itself
    form: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    many: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def work(self) -> Work:
        return self.session.work(self.path["draft"])

    def page(self, name: str, status: int = 200, **more: Any) -> Response:
        """A page of ours."""
        if "first" in self.query and not more.get("error") and more.get("step") in FIRST:
            more["error"] = f"Before anything can be judged, say {FIRST[more['step']]}."
        text = ENVIRONMENT.get_template(name).render(
            user=self.session.user,
            csrf=self.session.csrf,
            steps=STEPS,
            **{"work": None, "step": "", "error": "", **more},
        )
        return HTMLResponse(text, status_code=status)

    def to(self, place: str) -> Response:
        return RedirectResponse(place, status_code=303)

    def begin(self, title: str, after: str, work: Callable[[Callable[[str, int, int], None]], Any]) -> Response:
        """Start long work, and show how far it is."""
        for name in [name for name, job in self.session.jobs.items() if job.finished.is_set()]:
            self.session.jobs.pop(name)
        if len(self.session.jobs) >= 4:
            raise InputError("Four things are being worked on already. Wait for one of them, or cancel it.")
        job = self.bench.jobs.start(title, after, self.place, work)
        self.session.jobs[job.id] = job
        job.finished.wait(0.4)  # what is quick needs no page in between
        if job.finished.is_set() and not job.error:
            return self.to(job.after)
        return self.to(f"/job/{job.id}")


ENVIRONMENT = Environment(
    loader=FunctionLoader(lambda name: (resources("dalenius.web") / "templates" / name).read_text(encoding="utf-8")),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.globals.update(SIGNS=SIGNS, WORDS=WORDS)


def handler(bench: Bench, answer: Callable[[Visit], Response]) -> Callable[[Request], Any]:
    """A page from a function: forms are read, errors are told in words."""

    async def endpoint(request: Request) -> Response:
        session: Session = request.scope["session"]
        asked = Visit(bench, session, request.path_params, dict(request.query_params), request.url.path)
        if request.method == "POST":
            async with request.form(max_files=40, max_fields=4000, max_part_size=drafts.LARGEST_UPLOAD) as form:
                for name, value in form.multi_items():
                    if isinstance(value, str):
                        asked.form[name] = value
                        asked.lists.setdefault(name, []).append(value)
                    elif value.filename:
                        content = await value.read(drafts.LARGEST_UPLOAD + 1)
                        asked.files[name] = (value.filename, content)
                        asked.many.append((value.filename, content))
            if not secrets.compare_digest(asked.form.get("csrf", "").encode(), session.csrf.encode()):
                return asked.page(
                    "message.html", 403, title="Not from this page", error="Open the page anew.", back="/"
                )
        try:
            return await run_in_threadpool(answer, asked)
        except DaleniusError as error:
            back = _mended_at(asked.place)
            return asked.page("message.html", 400, title="That cannot be used", error=_told(error), back=back)
        except Exception as error:  # noqa: BLE001 - told without its words, which may quote data
            told, back = describe_defect(error), _mended_at(asked.place)
            return asked.page("message.html", 500, title="A defect of dalenius", error=told, back=back)

    return endpoint


def _mended_at(place: str) -> str:
    """The page where what did not work at this one can be mended."""
    head, _, step = place.rpartition("/")
    return f"{head}/{BACK[step]}" if head.startswith("/draft/") and step in BACK else place


def _told(error: DaleniusError) -> str:
    """What is wrong, in words."""
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


def _wrong(change: Callable[[], object]) -> str:
    """Do what a form asks. If it cannot be done: why, to be said where it was asked, beside what was typed."""
    try:
        change()
    except DaleniusError as error:
        return _told(error)
    return ""


# -- start -----------------------------------------------------------------------------------------------------------


def start(asked: Visit, error: str = "") -> Response:
    """Choose a table, a specification, or what was begun."""
    places = asked.bench.places
    return asked.page(
        "start.html",
        400 if error else 200,
        error=error,
        typed=asked.form,
        tables=places.tables(),
        databases=list(places.shown),
        specifications=places.specifications(),
        works=list(asked.session.works.values()),
    )


def begin(asked: Visit) -> Response:
    """A new draft, about a table or from a specification."""
    try:
        return _begun(asked)
    except DaleniusError as error:
        return start(asked, _told(error))


def _begun(asked: Visit) -> Response:
    places, form = asked.bench.places, asked.form
    if form.get("from") == "demo":
        return _demo(asked)
    if form.get("from") == "specification":
        path = places.find(form.get("name", ""))
        keys = load_keys(path)
        work = asked.session.add("", {})
        _keep_counts(keys, path.parent, work, places)
        named = places.name(keys["data"]) if isinstance(keys.get("data"), str) else None
        if named is not None and named in places.shown:
            keys["data"] = named
        elif named is not None:
            inside = (path.parent / named).resolve()
            named = inside.relative_to(places.root).as_posix() if inside.is_relative_to(places.root) else named
            keys["data"] = named
        for name in drafts.SERVER:
            keys.pop(name, None)
        work.data = str(named or "")
        work.keys = drafts.keys_of(drafts.text_of(keys), work, places)
        _names(work, places)
        return asked.to(f"/draft/{work.id}/figures")
    name = form.get("name", "")
    if form.get("from") == "database" and name not in places.shown:
        raise InputError("Needed one of the databases of the list, but got another. Choose one.")
    if form.get("header") != "yes" and name.lower().endswith((".csv", ".csv.gz", ".tsv")):
        raise InputError(
            "The first line of the file needs to name its columns, which nobody looks at before you say so. Tick the "
            "box if it does; otherwise put such a line there."
        )
    places.data(name)
    work = asked.session.add(name, {"data": name})
    if form.get("table", "").strip():
        work.keys["table"] = form["table"].strip()
    _names(work, places)
    return asked.to(f"/draft/{work.id}/columns")


def _keep_counts(keys: Mapping[str, Any], base: Path, work: Work, places: Places) -> None:
    """Copy the public tables that a specification names to the draft, as far as they are below the folder."""
    beliefs = keys.get("beliefs")
    for one in beliefs.values() if isinstance(beliefs, Mapping) else beliefs if isinstance(beliefs, list) else ():
        if isinstance(one, dict) and isinstance(one.get("counts"), str):
            path = (base / one["counts"]).resolve()
            if not path.is_relative_to(places.root):
                raise InputError("Needed public tables below the folder that is served, but one is elsewhere. Move it.")
            one["counts"] = drafts.upload(work, path.name, places.find(str(path.relative_to(places.root))).read_bytes())


def _demo(asked: Visit) -> Response:
    """The invented register, put into the folder that is served, if it is not there yet."""
    here = resources("dalenius.desk.examples")
    for name in DEMO[:-1]:
        target = asked.bench.places.root / name
        if not target.exists():
            target.write_bytes((here / name).read_bytes())
    work = asked.session.add(DEMO[0], {"data": DEMO[0]})
    _names(work, asked.bench.places)
    return asked.to(f"/draft/{work.id}/columns")


def _names(work: Work, places: Places) -> None:
    found = drafts.schema(work, places)
    work.names, work.types = found.names, found.types


# -- the steps of a draft --------------------------------------------------------------------------------------------


def columns(asked: Visit) -> Response:
    """What each column is."""
    work, form, bench = asked.work, asked.form, asked.bench

    def keep() -> None:
        told = drafts.columns_from(form, drafts.schema(work, bench.places), bench.policies())
        work.change(**told, figures=drafts.about_missing({**work.keys, **told}))

    error = _wrong(keep) if form else ""
    if form and not error:
        return asked.to(f"/draft/{work.id}/figures")
    return asked.page(
        "columns.html",
        400 if error else 200,
        work=work,
        step="columns",
        columns=drafts.columns_of(work) if not form else drafts.columns_typed(work, form),
        each_row=form.get("each_row") == "yes" if form else work.keys.get("person") == EACH_ROW,
        roles=drafts.ROLES,
        error=error,
        **_beside(work),
    )


def figures(asked: Visit) -> Response:
    """Figures by clicking, and the empty tables that they will be."""
    work, form = asked.work, asked.form
    before = list(work.keys.get("figures", []))
    error = ""
    if form.get("do") == "remove":
        work.change(figures=[one for place, one in enumerate(before) if str(place) != form.get("at")])
        return asked.to(f"/draft/{work.id}/figures")
    if form.get("do") == "add":

        def add() -> None:
            added = drafts.figure_from(form, asked.lists.get("by", []), [one.get("name") for one in before])
            wanted = drafts.about_missing({**work.keys, "figures": [*before, added]})
            drafts.preview({**work.keys, "figures": wanted}, work.folder)
            work.change(figures=wanted)

        error = _wrong(add)
        if not error:
            return asked.to(f"/draft/{work.id}/figures")
    empty: list[dict[str, Any]] = []
    if before:
        unbuilt = _wrong(lambda: empty.extend(drafts.preview(work.keys, work.folder)))
        error = error or unbuilt
    return asked.page(
        "figures.html",
        400 if form else 200,
        work=work,
        step="figures",
        figures=[(one.get("name", ""), drafts.figure_words(one)) for one in before],
        empty=empty,
        kinds=drafts.KINDS,
        columns=drafts.kinds_of_columns(work.keys),
        labels=drafts.labels(work.keys),
        typed=form,
        split=asked.lists.get("by", []),
        error=error,
        **_beside(work),
    )


def beliefs(asked: Visit) -> Response:
    """What an attacker may think beforehand: one form, so that nothing that was typed is lost."""
    work, form, wrong = asked.work, asked.form, dict[int, str]()
    columns = list(work.keys.get("confidential", {}))
    said = work.keys.get("beliefs", {})
    typed = [drafts.belief_typed(place, name, form, asked.lists, said) for place, name in enumerate(columns)]
    for place, has in enumerate(typed if form else ()):
        wrong[place] = _wrong(partial(drafts.keep_belief, work, has, asked.files, place))
    error = "\n".join(f"{columns[place]}: {told}" for place, told in wrong.items() if told)
    if form and not error:
        return asked.to(f"/draft/{work.id}/{'attacker' if form.get('do') == 'on' else 'beliefs'}")
    said = work.keys.get("beliefs", {})
    return asked.page(
        "beliefs.html",
        400 if error else 200,
        work=work,
        step="beliefs",
        columns=drafts.kinds_of_columns(work.keys),
        beliefs=[has if wrong.get(place) else drafts.belief_said(has["name"], said) for place, has in enumerate(typed)],
        missing=drafts.without_belief(work.keys),
        written=not isinstance(said, Mapping),
        drawn=drafts.drawn_beliefs(work),
        example=drafts.example_counts(work.keys),
        error=error,
        **_beside(work),
    )


def attacker(asked: Visit) -> Response:
    """Who attacks, what they know, and what is promised."""
    work, form, error = asked.work, asked.form, ""
    told = {
        "attacker": work.keys.get("attacker", {"knows": "5 %", "source": ""}),
        "target": work.keys.get("target", {"epsilon": "0.5", "delta": "1e-6"}),
        "secret": work.keys.get("secret", "value"),
    }
    if form:
        told = {
            "attacker": {"knows": form.get("knows", "").strip(), "source": form.get("source", "").strip()},
            "target": {"epsilon": form.get("epsilon", "").strip(), "delta": form.get("delta", "").strip()},
            "secret": "presence" if form.get("secret") == "presence" else "value",
        }
        work.change(**{**told, "attacker": {**told["attacker"], "source": told["attacker"]["source"] or "not said"}})
        error = _wrong(lambda: drafts.check(work))
        if not error:
            return asked.to(f"/draft/{work.id}/verdict")
    return asked.page(
        "attacker.html", 400 if error else 200, work=work, step="attacker", error=error, **told, **_beside(work)
    )


def specification(asked: Visit) -> Response:
    """The same as YAML, both ways."""
    work, error, text = asked.work, "", drafts.text_of(asked.work.keys)
    if asked.form:
        text = asked.form.get("text", "")

        def read() -> None:
            keys = drafts.keys_of(text, work, asked.bench.places)
            spec_of(keys)
            before = work.keys, work.data
            work.keys, work.data = keys, str(keys.get("data", work.data))
            try:
                _names(work, asked.bench.places)
            except DaleniusError:
                work.keys, work.data = before
                raise
            work.change()

        error = _wrong(read)
        if not error:
            return asked.to(f"/draft/{work.id}/verdict")
    if asked.query.get("download"):
        return _download(text.encode(), "release.yaml")
    return asked.page("yaml.html", 400 if error else 200, work=work, step="", text=text, error=error)


def _earlier(asked: Visit) -> Response | None:
    """The first step that is still open, if anything has to be said before there can be a verdict."""
    step = drafts.open_step(asked.work.keys)
    return asked.to(f"/draft/{asked.work.id}/{step}?first=1") if step else None


def _beside(work: Work) -> dict[str, Any]:
    return {"yaml": drafts.text_of(work.keys)}


def verdict(asked: Visit) -> Response:
    """The verdict, with the table: how much each number tells."""
    work, bench = asked.work, asked.bench
    if (earlier := _earlier(asked)) is not None:
        return earlier
    if work.decision is None:
        spec_of(work.keys)  # what is missing is said before work begins

        def judge(progress: Callable[[str, int, int], None]) -> None:
            work.decision = bench.decide(work, progress, asked.session.user)

        return asked.begin("Judging the figures", f"/draft/{work.id}/verdict", judge)
    decision = work.decision
    tables, chosen = _tables(decision, asked.query.get("cell", ""))
    question = decision.question
    known, size = question.attacker.known, question.frame.size
    share = float(known) / size if isinstance(known, int) else float(known)
    return asked.page(
        "verdict.html",
        work=work,
        step="verdict",
        decision=decision,
        answer=headline(decision.as_specified, decision.prepared.figures),
        kind=decision.verdict,
        goal=goal(question),
        tables=tables,
        chosen=chosen,
        lines=[] if chosen is None else cell_lines(chosen, question),
        dials={"knows": share, "epsilon": float(question.target.epsilon), "wrong": 0.0},
        judged_with=decision.judged_with,
        notes=decision.notes,
        grounds=_brief(decision),
        **_beside(work),
    )


def _brief(decision: Decision) -> str:
    with paper(WIDTH):
        return str(masked(decision.brief()))


def _tables(decision: Decision, cell: str) -> tuple[list[dict[str, Any]], ShownCell | None]:
    """The tables, with a number for each cell, and the one that is asked about."""
    prepared = decision.prepared
    found = shown_tables(decision.as_specified.findings, prepared.figures, decision.question, prepared.public)
    number, chosen, tables = 0, None, []
    for table in found:
        rows = []
        for labels, cells in table.rows[:400]:
            row = []
            for one in cells:
                row.append({"cell": one, "number": number})
                if str(number) == cell:
                    chosen = one
                number += 1
            rows.append({"labels": [str(label) for label in labels] or ["all"], "cells": row})
        tables.append(
            {
                "heads": list(table.by) or ["whom"],
                "figures": [figure.name for figure in table.figures],
                "rows": rows,
                "more": max(0, len(table.rows) - 400),
            }
        )
    return tables, chosen


def dial(asked: Visit) -> Response:
    """The verdict under other assumptions, for the script that moves the dials."""
    work, decision = asked.work, asked.work.decision
    if decision is None:
        raise InputError("Judge the figures first.")
    given = {name: asked.query[name] for name in ("knows", "wrong", "epsilon") if asked.query.get(name)}
    try:
        if work.dials is None or work.dials.decision is not decision:
            work.dials = Dials(decision)
        glance = work.dials.turned(**given)
    except DaleniusError as error:
        return JSONResponse({"error": str(error)})
    prepared = decision.prepared
    found = shown_tables(glance.findings, prepared.figures, glance.question, prepared.public)
    cells = [one for table in found for _, row in table.rows[:400] for one in row]
    worst = max((finding.delta.upper for finding in glance.findings), default=0.0)
    wanted = glance.question.target.delta
    return JSONResponse(
        {
            "verdict": glance.verdict,
            "delta": at_most(worst, wanted),
            "cells": [None if one is None else str(one.tells) for one in cells],
            "words": WORDS,
            "signs": SIGNS,
        }
    )


def plan(asked: Visit) -> Response:
    """The alternatives side by side; one click takes one."""
    work, bench = asked.work, asked.bench
    if (earlier := _earlier(asked)) is not None:
        return earlier
    if asked.form.get("do") == "take" and work.proposal is not None:
        taking = work.proposal.taking(read_numbers(asked.form.get("number", "")))
        target = work.folder / f"taken-{secrets.token_hex(4)}.yaml"
        taking.write(target)
        keys = load_keys(target)
        target.unlink()
        keys["data"] = work.data
        for name in drafts.SERVER:
            keys.pop(name, None)
        work.change()
        work.keys = keys
        return asked.to(f"/draft/{work.id}/verdict")
    if work.proposal is None:

        def search(progress: Callable[[str, int, int], None]) -> None:
            work.proposal = propose(
                drafts.written(work),
                str(bench.places.data(work.data)),
                policy=bench.policy,
                ledger=bench.ledger_place,
                ledger_keys=bench.ledger_keys or None,
                progress=progress,
                seconds=SECONDS_TO_PLAN,
            )
            believing = work.proposal.decision.within(SECONDS_TO_BELIEVE, progress=progress)
            work.weakest = tuple(believing.weakest_lines())  # what one would have to assume, if nothing is believed
            work.untried = believing.untried_beliefs

        return asked.begin("Looking for the least change", f"/draft/{work.id}/plan", search)
    decision, found = work.proposal.decision, work.proposal.decision.plan
    ways = [] if isinstance(found, Publish) else _different(found.alternatives)
    figures, question = decision.prepared.figures, decision.question
    return asked.page(
        "plan.html",
        work=work,
        step="plan",
        answer=answer(found),
        ways=[(place, way, tables_after(figures, way, question)) for place, way in ways if way.certified],
        others=[(place, way) for place, way in ways if not way.certified],
        most=MOST_AFTER,
        publish=isinstance(found, Publish),
        words="" if isinstance(found, Publish) else found.advice.words,
        weakest="\n".join(work.weakest).strip(),
        untried=[*(() if isinstance(found, Publish) else found.untried), *work.untried],
        **_beside(work),
    )


def _different(ways: Sequence[Alternative]) -> list[tuple[int, Alternative]]:
    """Alternatives by their numbers, each change once: several searches may end at one."""
    found: list[tuple[int, Alternative]] = []
    for number, way in enumerate(ways, 1):
        same = [at for at, (_, one) in enumerate(found) if way.changes and one.changes == way.changes]
        if not same:
            found.append((number, way))
        elif way.chosen:
            found[same[0]] = (number, way)
    return found


def release(asked: Visit) -> Response:
    """Let the figures out, as `dalenius release` does, or put them before reviewers."""
    work, bench = asked.work, asked.bench
    if (earlier := _earlier(asked)) is not None:
        return earlier
    if asked.form.get("do") == "submit":
        words = asked.form.get("words", "")

        def submitting(progress: Callable[[str, int, int], None]) -> str:
            decision = bench.decide(work, progress, asked.session.user)
            return f"/desk/{submit(decision, words, user=asked.session.user, spec=drafts.written(work)).id}"

        return asked.begin("Putting it before reviewers", "/desk", submitting)
    if asked.form.get("do") == "release":
        target = bench.places.target(asked.form.get("folder", ""))
        approved = asked.form.get("submission", "").strip() or None

        def releasing(progress: Callable[[str, int, int], None]) -> None:
            decision = bench.decide(work, progress, asked.session.user)
            progress("recording, and writing the report", 0, 0)
            outcome = carry_out(decision, target, submission=approved)
            work.decision = outcome.decision
            if outcome.release is None:
                raise InputError("These figures may not go out: nothing was released. The verdict says why.")
            work.released = target.name

        return asked.begin("Releasing the figures", f"/draft/{work.id}/release", releasing)
    done = _released(bench, work.released) if work.released else None
    ready = [one for one in _submissions(bench) if one.state == "approved"]
    return asked.page("release.html", work=work, step="release", done=done, ready=ready, **_beside(work))


def _released(bench: Bench, folder: str) -> dict[str, Any] | None:
    """What a released folder has: the figures as a table, the files to download."""
    place = bench.places.target(folder)
    for found in reversed(bench.ledger().releases()):
        if Path(found.folder) == place:
            return _shown_release(bench, found)
    return None


def _shown_release(bench: Bench, found: Recorded) -> dict[str, Any]:
    files = bench.ledger().files(found)
    rows = list(csv.reader(io.StringIO(files["figures.csv"].decode())))
    return {
        "id": found.id,
        "folder": found.folder,
        "certified": found.certified,
        "words": "" if found.approval is None else approval_words(found.approval),
        "names": [name for name in files if "/" not in name],
        "heads": rows[0],
        "rows": rows[1:200],
    }


# -- what is out -----------------------------------------------------------------------------------------------------


def timeline(asked: Visit) -> Response:
    """What is out already, from the ledger."""
    ledger = asked.bench.ledger()
    found = [
        {
            "id": one.id,
            "when": one.body["when"],
            "user": one.body["user"],
            "dataset": one.dataset,
            "figures": [figure["name"] for figure in one.body["figures"]],
            "certified": one.certified,
            "words": "" if one.approval is None else approval_words(one.approval),
        }
        for one in (ledger.releases() if ledger.exists() else ())
    ]
    return asked.page("timeline.html", releases=masked(found), ledger=ledger.shown)


def released(asked: Visit) -> Response:
    """One release: its numbers, and its files."""
    found = _find(asked.bench, asked.path["release"])
    return asked.page("released.html", done=masked(_shown_release(asked.bench, found)))


def released_file(asked: Visit) -> Response:
    """A file of a release, as it was recorded."""
    found, name = _find(asked.bench, asked.path["release"]), asked.path["file"]
    files = asked.bench.ledger().files(found)
    if name not in files:
        raise InputError("There is no such file in this release. Choose one of the list.")
    return _download(files[name], f"{found.id}-{name}", look=name == "report.html" and "look" in asked.query)


def _find(bench: Bench, name: str) -> Recorded:
    for found in bench.ledger().releases():
        if found.id == name:
            return found
    raise InputError("There is no such release in the ledger. Choose one of the timeline.")


def _download(content: bytes, name: str, *, look: bool = False) -> Response:
    kind = SECRET_FILES.get(Path(name).suffix, "application/octet-stream")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if look:  # a page of its own style, in which nothing can run
        headers = {"Content-Security-Policy": REPORT_POLICY}
    return Response(content, media_type=kind, headers=headers)


# -- the desk --------------------------------------------------------------------------------------------------------


def _submissions(bench: Bench) -> Sequence[Any]:
    ledger = bench.ledger()
    return ledger.submissions() if ledger.exists() else ()


def queue(asked: Visit) -> Response:
    """What waits for a decision, and what was decided."""
    found = [
        {"one": one, "state": state_words(one), "open": one.state == "open"}
        for one in reversed(_submissions(asked.bench))
    ]
    return asked.page("queue.html", cases=found)


def case(asked: Visit) -> Response:
    """One submission: what dalenius found, what was said, and the decision."""
    bench, user, name = asked.bench, asked.session.user, asked.path["case"]
    ledger = bench.ledger()
    match asked.form.get("do"):
        case "comment":
            comment(ledger, name, asked.form.get("words", ""), user=user)
        case "approve":
            approve(ledger, name, asked.form.get("words", ""), user=user, policies=bench.policies())
        case "reject":
            reject(ledger, name, asked.form.get("words", ""), user=user, policies=bench.policies())
        case _:
            return _case(asked, ledger)
    return asked.to(f"/desk/{name}")


def _case(asked: Visit, ledger: Ledger) -> Response:
    bench, user = asked.bench, asked.session.user
    found = ledger.submission(asked.path["case"])
    seen = found.votes_for(user)
    hidden = len(found.votes) - len(seen)
    rule = bench.policies()
    return asked.page(
        "case.html",
        one=found,
        state=state_words(found),
        rule=found.rule,
        overruling=overruling(found),
        votes=[vote_words(one.user, one.when, one.because, approves=one.approves) for one in seen],
        hidden=BLIND.format(many=hidden, verb="has" if hidden == 1 else "have") if hidden else "",
        alike=[precedent(one) for one in decided_alike(found, ledger.submissions())],
        not_approve=may_decide(found, rule, user, approves=True),
        not_reject=may_decide(found, rule, user, approves=False),
    )


def case_file(asked: Visit) -> Response:
    """A file that reviewers read."""
    ledger = asked.bench.ledger()
    found, name = ledger.submission(asked.path["case"]), asked.path["file"]
    files = ledger.files(found)
    if name not in files:
        raise InputError("There is no such file in this submission. Choose one of the list.")
    return _download(files[name], f"{found.id}-{name}", look=name == "report.html" and "look" in asked.query)


def audits(asked: Visit) -> Response:
    """What follows from tables that are already made: a folder, or files that are put here."""
    bench, session = asked.bench, asked.session
    if not asked.form:
        return asked.page("audit.html", folders=bench.places.folders())
    name, known = asked.form.get("name", ""), bench.places.folders()
    if name and name not in known:
        raise InputError("Needed one of the folders of the list, but got another. Choose one, or put files here.")
    places = [str(bench.places.find(name))] if name else []
    work = session.add("", {}) if asked.many else None
    for name, content in asked.many if work is not None else ():
        if work is not None:
            places.append(str(work.folder / drafts.upload(work, name, content)))
    if not places:
        raise InputError("Needed a folder or files with tables, but none was chosen. Choose one.")
    threshold = asked.form.get("threshold", "").strip()
    if threshold and not (threshold.isascii() and threshold.isdecimal() and len(threshold) < 8):
        raise InputError("A threshold needs a whole number such as 10, but got something else. Write a number.")
    key, blank = secrets.token_urlsafe(9), asked.form.get("blank", "")

    def examine(progress: Callable[[str, int, int], None]) -> None:
        session.audits[key] = audit(
            *places,
            tables_file={blank: ["blank"]} if blank in ("hidden", "zero") else None,
            threshold=int(threshold) if threshold else None,
            zeros="shown" if asked.form.get("zeros") == "shown" else "hidden",
            attacker="member" if asked.form.get("attacker") == "member" else "outside",
            seconds=SECONDS_TO_AUDIT,
            progress=progress,
        )

    return asked.begin("Working out what follows", f"/audit/{key}", examine)


def audited(asked: Visit) -> Response:
    """What follows, with pictures of the tables."""
    from dalenius import __version__

    found = asked.session.audits.get(asked.path["audit"])
    if found is None:
        raise InputError("There is no such audit in this session. Begin anew.")
    if "look" in asked.query:
        page = audit_html(found.examined, found.notes, found.advice, version=__version__)
        return _download(page, "audit.html", look=True)
    return asked.page("audited.html", key=asked.path["audit"], kind=found.verdict, text=found.text())


# -- work ------------------------------------------------------------------------------------------------------------


def job(asked: Visit) -> Response:
    """How far the work is."""
    found = _job(asked)
    if asked.form.get("do") == "cancel":
        found.cancelled = True
        return asked.to(f"/job/{found.id}")
    if found.finished.is_set() and not found.error:
        return asked.to(found.after)
    status = 400 if found.error else 200
    draft, back = "", found.before
    if found.before.startswith("/draft/"):
        _, _, draft, back = _mended_at(found.before).split("/")
    running = not found.finished.is_set()
    return asked.page("job.html", status, job=found, running=running, error=found.error, draft=draft, back=back)


def _job(asked: Visit) -> Job:
    found = asked.session.jobs.get(asked.path["job"])
    if found is None:
        raise InputError("There is no such work in this session. Begin anew.")
    return found


def leave(asked: Visit) -> Response:
    """End the session."""
    asked.session.begun = float("-inf")
    asked.session.end()
    told = "What was uploaded and not released is gone. To come back, open the address that was printed."
    return asked.page("message.html", title="The session is over", error=told, back="")
