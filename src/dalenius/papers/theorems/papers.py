"""The five papers."""

from dalenius.papers.theorems.theorem import Paper

KS = Paper(
    "KS",
    "Kasiviswanathan and Smith",
    "A Note on Differential Privacy: Defining Resistance to Arbitrary Side Information",
)
CW = Paper(
    "CW",
    "Bassily, Groce, Katz and Smith",
    "Coupled-Worlds Privacy: Exploiting Adversarial Uncertainty in Statistical Data Privacy",
)
CH = Paper("CH", "the chapter", "Differential Privacy Fundamentals")
GK = Paper(
    "GK", "Grining and Klonowski", "Towards Extending Noiseless Privacy: Dependent Data and More Practical Approach"
)
KM = Paper("KM", "Kifer and Machanavajjhala", "Pufferfish: A Framework for Mathematical Privacy Definitions")

PAPERS = (KS, CW, CH, GK, KM)
