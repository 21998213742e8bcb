"""The report, from top to bottom. Everything that comes from a specification or a table is escaped."""

import math
from collections.abc import Iterable
from fractions import Fraction
from html import escape
from itertools import groupby

from dalenius.claims import Verdict
from dalenius.enclosure.formats import at_most, counted, percent, short
from dalenius.facts.secret import hides_presence
from dalenius.plan import AddNoise, Coarsen, Finding, Publish, Refuse, Undecided, verdict_of
from dalenius.plan.grounds import Grounds, grounds
from dalenius.plan.promise import promised
from dalenius.plan.words import changes, how, remarks, whom
from dalenius.show.chart import drawn
from dalenius.show.factor import factor_of
from dalenius.show.html.account import Account, after
from dalenius.show.html.style import sheet
from dalenius.show.text import (
    LONG,
    NOBODY,
    AtomNames,
    definition,
    known_among,
    known_anywhere,
    left_out,
    places,
    reveals,
    row_names,
)
from dalenius.show.views import Seen, view_svg
from dalenius.tables.computed import ComputedNumber
from dalenius.tables.figures import Figure
from dalenius.tables.published import Published

WORDS = {
    Verdict.PASS: ("✓ may go out", "pass"),
    Verdict.FAIL: ("✗ may not go out", "fail"),
    Verdict.REVIEW: ("? somebody has to look", "review"),
}
SHOWN = 30
BOX = '<span class="box" role="img" aria-label="box for initials"></span>'
GENERAL = (
    "The figures do teach about people in general; that is what they are for. If smoking causes illness, a smoker's "
    "risk is known to be higher, whether or not this smoker is in the data."
)
SEEN = (
    "What is believed of one person: the dot before, the thin bar after the figures without {theirs}, the broad pale "
    "bar after the figures with {theirs}."
)
UNREAD = "Nothing is published on its strength. It says why, against which attacker, and on which assumptions."
READ = (
    "It holds against the attacker who is described below, and only as long as the list of assumptions is true. Read "
    "that list, put your initials beside each line that you can answer for, and sign at the end."
)


def report_html(account: Account) -> bytes:
    """The whole page, in UTF-8."""
    rests = grounds(account.plan, account.question, (*account.history, *account.figures), account.figures)
    parts = [
        *_head(account),
        "<main>",
        *_figures(account),
        *_table(account),
        *_learning(account),
        *_promised(account),
        *_advice(account),
        *_curves(account),
        *_checklist(rests),
        *_broken(rests),
        *_history(account),
        *_policy(account),
        *_numbers(account),
        *_signature(account),
        "</main>",
        f"<footer><p>Made by dalenius {escape(account.version)}.",
        f"{_machines(account)}</p></footer>",
        "</body></html>",
    ]
    return ("\n".join(parts) + "\n").encode()


def _machines(account: Account) -> str:
    if account.approved and not isinstance(account.plan, Publish):
        return "There is no certificate: who answers for the figures is in judgement.json, too."
    return "The same facts for machines are in certificate.json." if account.imprint.certificate else ""


def _answer(account: Account) -> tuple[str, str, str]:
    """The class, the answer and what it means, in words for everybody."""
    people = counted(account.question.frame.size).replace(",", "\u00a0")
    match account.plan:
        case Publish():
            answer = f"Yes. These figures may go out {how(changes(account.figures))}."
            return "pass", answer, f"They are about {people} people."
        case Coarsen() | AddNoise() | Refuse() if verdict_of(account.plan) == "fail":
            return (
                "fail",
                "No. These figures may not go out as they stand.",
                "Below is what reveals too much, and what would help.",
            )
        case _:
            told = "They are neither certified as safe nor shown to be unsafe. A person must decide."
            return "review", "Not decided. Somebody has to look.", told


def _head(account: Account) -> list[str]:
    verdict, answer, means = _answer(account)
    names = " · ".join(figure.name for figure in account.figures)
    factor = factor_of(account.question.target.epsilon)
    rare = _rarely(account.question.target.delta)
    goal = (
        f"The promise that was asked for: whatever two facts about {whom(account.question)} one compares, anything "
        f"that these figures can show is at most {factor} times as likely under one as under the other, plus {rare}."
    )
    return [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{escape(answer)} – {escape(names)}</title><style>{sheet()}</style></head><body>",
        '<header><p class="over">Report on a release of figures from confidential data</p>',
        f'<h1>May these figures be published?</h1><p class="names break">{escape(names)}</p>',
        *_imprint(account),
        *_approved(account),
        f'<div class="answer {verdict}"><strong>{escape(answer)}</strong>{escape(means)}</div>',
        f"<p>{escape(goal)}</p>",
        *(f"<p><strong>{escape(line)}</strong></p>" for line in (*remarks(account.question), *account.notes)),
        f"<p>{READ if isinstance(account.plan, Publish) else UNREAD}</p></header>",
    ]


def _approved(account: Account) -> list[str]:
    """By whom the figures were let out, before what dalenius found."""
    if not account.approved:
        return []
    kind = "pass" if isinstance(account.plan, Publish) else "review"
    head = "What persons decided" if isinstance(account.plan, Publish) else "Released, and not certified"
    return [f'<div class="answer break {kind}"><strong>{head}</strong>{escape(account.approved)}</div>']


def _imprint(account: Account) -> list[str]:
    """Which release this is, as a list that fits a telephone."""
    told = (
        f'<div><dt>{escape(name)}</dt><dd class="break">{escape(value)}</dd></div>'
        for name, value in account.imprint.rows
    )
    return ['<dl class="imprint">', *told, "</dl>"]


def _rarely(delta: Fraction) -> str:
    """A probability as one case in so many, rounded to the careful side."""
    if delta <= 0:
        return "no case at all"
    many = math.floor(1 / delta)
    return f"at most one case in {counted(many)}".replace(",", "\u00a0") if many > 1 else "any case"


def _section(name: str, title: str, *parts: str, fresh: bool = False) -> list[str]:
    page = ' class="newpage"' if fresh else ""
    return [
        f'<section id="{name}"{page} aria-labelledby="{name}-h"><h2 id="{name}-h">{escape(title)}</h2>',
        *parts,
        "</section>",
    ]


def _figures(account: Account) -> list[str]:
    parts, alike = list[str](), dict[tuple[Verdict, str], list[Figure]]()
    for figure in account.figures:
        alike.setdefault((account.verdict(figure), _because(account, figure)), []).append(figure)
    for (verdict, because), figures in alike.items():
        word, kind = WORDS[verdict]
        names = " · ".join(figure.name for figure in figures)
        defined = "; ".join(definition(figure, account.question) for figure in figures)
        whose = "Its definition" if len(figures) == 1 else "Their definitions"
        parts.append(f'<div class="one"><h3 class="break">{escape(names)}</h3><p class="mark-word {kind}">{word}</p>')
        parts.append(f'<p class="break">{escape(because)}</p>')
        parts.append(f'<p class="note break">{whose}: {escape(defined)}.</p></div>')
    if not account.plan.findings:
        parts.append(f"<p>{escape(NOBODY)}</p>")
    return _section("figures", "Each figure", *parts)


def _because(account: Account, figure: Figure) -> str:
    worst = account.worst(figure)
    if worst is None:
        return "Nobody is in it."
    name = AtomNames(account.plan.findings, mark='"')[id(worst)]
    if len(name) > LONG:
        name = places(account.plan.findings).get(id(worst), name)
    people = f"{worst.atom.size} people, {known_among(worst, account.question)}"
    match account.verdict(figure):
        case Verdict.PASS:
            return f"Even where it tells most ({name}: {people}), one person stays hidden among the others."
        case Verdict.FAIL:
            return f"{reveals(worst.reveals)} tells too much about one of {people}."
        case _:
            return f"No bound passes for {name} ({people}), and nothing shows that it is unsafe."


def _tabled(caption: str, heads: Iterable[str], rows: Iterable[str], numbers: Iterable[int] = ()) -> list[str]:
    right = set(numbers)
    cells = "".join(
        f'<th scope="col"{" class=num" if place in right else ""}>{escape(head)}</th>'
        for place, head in enumerate(heads)
    )
    return [
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">',
        f"<table><caption>{escape(caption)}</caption>",
        f"<thead><tr>{cells}</tr></thead><tbody>",
        *rows,
        "</tbody></table></div>",
    ]


def _table(account: Account) -> list[str]:
    if account.published is None:
        return []
    parts: list[str] = []
    for one in account.computed:
        numbers = [number for number in account.computed_numbers or () if number.computed == one]
        by = numbers[0].by if numbers else ()
        heads = [*by, "value"] if by else ["figure", "value"]
        parts += _tabled(f"{one.name} ({one.released})", heads, map(_computed_row, numbers), [len(heads) - 1])
    for (by, released), run in groupby(
        account.figures, key=lambda one: (one.by, one.released(account.question.columns))
    ):
        figures = list(run)  # in one table where they stand beside each other and are split alike
        several = len(figures) > 1
        heads = [*(["figure"] if several or not by else []), *by, "value"]
        rows = [_row(item, named=several) for one in figures for item in account.published if item.figure == one]
        what = f"{len(figures)} figures{' by ' * bool(by)}{' and '.join(by)}" if several else figures[0].name
        parts += _tabled(f"{what} ({released})", heads, rows, [len(heads) - 1])
    hashed = (
        f'<p class="note">SHA-256 of figures.csv: <code>{escape(account.sha256)}</code></p>' if account.sha256 else ""
    )
    return _section("table", "What is published", *parts, hashed)


def _computed_row(item: ComputedNumber) -> str:
    return _cells([str(label) for label in item.cell] or [item.computed.name], item.text or "–")


def _row(item: Published, *, named: bool) -> str:
    """A number, with the name of its figure where there are several in the table."""
    labels = [str(label) for label in item.cell]
    labels = [item.figure.name, *labels] if named or not labels else labels
    return _cells(labels, item.text or "–")


def _cells(labels: Iterable[str], value: str) -> str:
    cells = "".join(f'<th scope="row" class="break">{escape(label)}</th>' for label in labels)
    return f'<tr>{cells}<td class="num">{escape(value)}</td></tr>'


def _promised(account: Account) -> list[str]:
    """Which definition the claim is one of, and what follows from it for others."""
    lines = promised(account.plan, account.question)
    if not lines:
        return []
    return _section("definition", "Which promise is this?", *(f"<p>{escape(line)}</p>" for line in lines))


def _learning(account: Account) -> list[str]:
    found = account.learning
    if found is None:
        return []
    rows, seen = [], list[Seen]()
    for view in found.rows:
        least, most = after(view.before, found.epsilon)
        ends = (float(least.removesuffix(" %")) / 100, float(most.removesuffix(" %")) / 100)
        seen.append((view.fact, float(view.before), (float(view.least), float(view.most)), ends))
        alone_ = percent(view.before)
        if view.moved:
            alone_ = f"{percent(view.least)} to {percent(view.most, up=True)}"
        rows.append(
            f'<tr><th scope="row" class="break">{escape(view.fact)}</th><td class="num">{percent(view.before)}</td>'
            f'<td class="num">{alone_}</td><td class="num">{escape(least)} to {escape(most)}</td></tr>'
        )
    factor = factor_of(found.epsilon)
    what = "record, or whether there is one," if hides_presence(account.question.secret) else "record"
    alone = account.question.frame.together is None
    whose, others = ("a person's", "the others'") if alone else ("the whole household's", "other households'")
    records = "the record" if alone else "its records"
    between = " between two values that must look alike" if found.alike else ""
    nothing = (
        f"Without {whose} {what} the figures say nothing about that person that was not believed before, because "
        f"{others} records are independent of it."
    )
    something = (
        f"Also without {whose} {what} the figures tell something about that person, because others' records do: what "
        "is true of people like them is learned from anybody."
    )
    without = (
        f"{nothing if found.apart else something} With {records}, odds{between} move by at most a factor of {factor}, "
        "so that beliefs stay within these limits"
    )
    promised = account.question.target.epsilon
    more = (
        f" This factor is larger than the {factor_of(promised)} of the promise, which leaves some probability (delta) "
        "over, in which odds may move further; with the larger factor, no more than that is left over."
        if found.epsilon > promised and found.chance <= account.question.target.delta
        else ""
    )
    sure = f", except with a probability of at most {at_most(found.chance)}" if found.chance else ""
    chance = f", whatever the figures turn out to be{sure}."
    if found.alike:
        chance += " Other values may be told apart: nothing is said of them."
    theirs = "their record" if alone else "their household's records"
    heads = ["believed of a person", "before", f"after, without {theirs}", f"after, with {theirs}"]
    told = SEEN.format(theirs=theirs)
    caption = "How strongly an attacker believes something about one person"
    return _section(
        "learn",
        "What could an attacker learn about one person?",
        f"<p>{escape(without + chance + more)}</p>",
        *([f"<figure>{view_svg(seen, told)}<figcaption>{told}</figcaption></figure>"] if seen else []),
        *(_tabled(caption, heads, rows, [1, 2, 3]) if rows else []),
        f'<p class="note">{GENERAL}</p>',
    )


def _advice(account: Account) -> list[str]:
    if isinstance(account.plan, Publish):
        return []
    failing = [finding for finding in account.plan.findings if finding.verdict == Verdict.FAIL]
    parts = [_event(finding) for finding in sorted(failing, key=lambda finding: -finding.delta.upper)[:3]]
    advice = account.plan.advice
    if advice.remedies:
        parts.append("<h3>What would make them safe</h3><ul>")
        parts += [f"<li>{escape(str(remedy))}</li>" for remedy in advice.remedies]
        parts.append("</ul>")
    parts += [f"<p>{escape(advice.words)}</p>"] if advice.words else []
    untried = "; ".join(account.plan.untried)
    parts += [f"<p>The time for this was up. Not tried: {escape(untried)}.</p>"] if untried else []
    reason = account.plan.reason if isinstance(account.plan, Undecided) else ""
    parts += [f"<p>Not decided because {escape(reason)}.</p>"] if reason else []
    return _section("advice", "Why not, and what would help", *parts)


def _event(finding: Finding) -> str:
    event = f" An event that tells: {finding.witness}." if finding.witness else ""
    return f'<p class="break">{escape(reveals(finding.reveals))} tells too much.{escape(event)}</p>'


def _curves(account: Account) -> list[str]:
    parts = [] if account.charts else [f"<p>{_undrawn(account)}</p>"]
    for place, chart in enumerate(account.charts):
        if not chart.points:
            parts.append(f"<h3>{escape(chart.title)}</h3><p>{escape(chart.told)}</p>")
            continue
        parts.append(f"<figure><h3>{escape(chart.title)}</h3>{drawn(chart, f'chart{place}')}")
        parts.append(f"<figcaption>{escape(chart.told)}</figcaption></figure>")
    margin = ""
    if account.largest_known is not None:
        size = account.question.frame.size
        known = f"{account.largest_known} of the {size} records"
        margin = f"<p>The answer stays yes as long as the attacker knows at most {known}.</p>"
    return _section("curves", "How much room is there?", margin, *parts)


def _undrawn(account: Account) -> str:
    """Why there are no curves."""
    if not account.plan.findings:
        return "Nobody is in these figures, so there are no curves to draw."
    if any(finding.method == "moves" for finding in account.plan.findings):
        return (
            "No curves are drawn. Some of the figures pass by a comparison with other tables of the same totals, "
            "and that was made for the wanted numbers only."
        )
    return "No curves are drawn: for figures of so many possible values they would take too long."


def _checklist(rests: Grounds) -> list[str]:
    items = [f'<li>{BOX}<span class="break">{escape(line)}</span></li>' for line in rests.needed]
    idle = [f'<li class="break">{escape(line)}</li>' for line in rests.idle]
    told = f"<p>Stated, but not needed for the answer, since {escape(rests.why)}:</p>"
    intro = "<p>The numbers are computed; these lines are not. Somebody has to answer for each of them.</p>"
    return _section(
        "assumptions",
        "What this rests on: initial each line",
        intro,
        '<ul class="initial">',
        *items,
        "</ul>",
        *([told, "<ul>", *idle, "</ul>"] if idle else []),
        fresh=True,
    )


def _broken(rests: Grounds) -> list[str]:
    items = [f"<li>{escape(line)}</li>" for line in rests.breaks]
    return _section("broken", "What would break it", "<ul>", *items, "</ul>")


def _history(account: Account) -> list[str]:
    if not account.history:
        told = "<p>Nothing that was published before was named, so nothing was judged with these figures.</p>"
        return _section("history", "What was already out", told)
    items = [f'<li class="break">{escape(definition(old, account.question))}</li>' for old in account.history]
    told = "<p>These figures are about the same people, and were judged together with the new ones:</p>"
    return _section("history", "What was already out", told, "<ul>", *items, "</ul>")


def _policy(account: Account) -> list[str]:
    parts: list[str] = []
    for policy in account.policies:
        parts.append(f"<h3>{escape(policy.name)}</h3><ul>")
        parts += [f"<li>{escape(line)}</li>" for line in policy.demands or ("nothing",)]
        parts.append("</ul>")
        if policy.unused:
            parts.append(f'<p class="note">Not used by dalenius: {escape(", ".join(policy.unused))}.</p>')
    return _section("policy", "The policy that it was held to", *parts) if parts else []


def _numbers(account: Account) -> list[str]:
    """The certified numbers, for those who want them."""
    target = account.question.target
    found = sorted(account.plan.findings, key=lambda finding: (finding.verdict != Verdict.FAIL, -finding.delta.upper))
    shown = found[:SHOWN]
    rows = [
        f'<tr><th scope="row" class="break">{escape(name)}</th><td class="num">{finding.atom.size}</td>'
        f'<td class="num">{finding.known}</td><td class="num">{escape(at_most(finding.delta.upper, target.delta))}</td>'
        f"<td>{escape(str(finding.verdict))}</td></tr>"
        for finding, name in zip(shown, row_names(shown, found), strict=True)
    ]
    wanted = f"ε = {escape(short(target.epsilon))}; wanted: δ of at most {escape(short(target.delta))}"
    intro = (
        f"<p>Noiseless privacy at {wanted}. Each number is an upper bound after rounding, tails and floating-point "
        "errors. It is not differential privacy.</p>"
    )
    heads = ["published about the same people", "people", "known", "δ at most", "verdict"]
    told = [f'<p class="note">… and {rest}.</p>' for rest in left_out(found, SHOWN)]
    told += [f"<p>{escape(line)}</p>" for line in known_anywhere(found, account.question)]
    return _section(
        "numbers",
        "The certified numbers",
        intro,
        *_tabled("Groups of people, worst first", heads, rows, [1, 2, 3]),
        *told,
    )


def _signature(account: Account) -> list[str]:
    done = (
        "I have read this report"
        if not isinstance(account.plan, Publish)
        else "I have read this report, and answer for the lines that I initialled"
    )
    about = account.imprint
    bound = ""
    if about.release:
        hashed = f"; SHA-256 of certificate.json: <code>{escape(about.certificate)}</code>" if about.certificate else ""
        bound = (
            f'<p class="break">Release {escape(about.release)} of the dataset {escape(about.dataset)}, '
            f"{escape(about.when)}{hashed}</p>"
        )
    boxes = "".join(f"<div>{label}</div>" for label in ("name", "role", "date", "signature"))
    return _section("sign", "Signature", bound, f"<p>{done}.</p>", f'<div class="sign">{boxes}</div>')
