"""Releases whose genuine certificates were once refused, and their certificates."""

from fractions import Fraction

from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain, discrete_gaussian
from dalenius.plan import Publish, Question, Target, largest_known, plan
from dalenius.record.certificate.written import certificate
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History

F = Fraction
ILL, JOB, PAY = Numbers(F(1), F(0), F(1)), Categories(("a", "b", "c")), Numbers(F(1000), F(0), F(1000))
COLUMNS = {"ill": ILL, "job": JOB, "pay": PAY}
EXACT, NOISE = Chain(()), Chain((discrete_gaussian(6),))


def counted(name, column, *values, channel=EXACT):
    return Figure(name, "count", None, Where(((column, OneOf(values)),)), (), channel)


def asked(groups, rate, epsilon, delta, column="ill"):
    """Of people by region, with this share of the column's second value."""
    values = COLUMNS[column].values
    belief = ColumnBelief(column, {(): ((values[0], 1 - rate), (values[1], rate))}, "a table")
    target = Target(F(epsilon), F(delta))
    return Question(Frame(("region",), groups), COLUMNS, (belief,), Attacker(0), Value(), target)


def certified(figures, question):
    """The certificate of figures that may go out."""
    found = plan(figures, History(), question)
    assert isinstance(found, Publish)
    most = None if any(one.method != "atom" for one in found.findings) else largest_known(found, question)
    return certificate(found, question, figures, (), version="0.1.0", largest_known=most, table=b"")


def in_two_words():
    """A sum of zeros and ones, and how many are one, both with noise; and the count twice."""
    question = asked({("a",): 40}, F(1, 10), 1, "0.1")
    words = (Figure("sum", "sum", "ill", Where(), (), NOISE), counted("count", "ill", F(1), channel=NOISE))
    same = (counted("one", "ill", F(1), channel=NOISE), counted("two", "ill", F(1), channel=NOISE))
    return certified(words, question), certified(same, question)


def beside_a_public_count():
    """Three people whom three hundred hide, by moves; how many they are is published."""
    public = Figure("people of b", "count", None, Where((("region", OneOf(("b",))),)))
    question = asked({("a",): 300, ("b",): 3}, F(1, 2), "0.5", "1e-4")
    return certified((public, counted("ill", "ill", F(1))), question)
