"""The five papers, and the subjects of the theory since."""

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


OURS = "stated here from the definitions, not compared with the printed text"
PC = Paper("PC", "arXiv:2602.02718", f"Composition for Pufferfish; {OURS}")
SP = Paper("SP", "arXiv:2501.12893 and 2602.09627", f"Statistical privacy; {OURS}")
SD = Paper("SD", "arXiv:2410.17468 and 2204.01102", f"Semi-differential privacy; {OURS}")
PP = Paper("PP", "arXiv:2601.22945", f"Persuasive privacy; {OURS}")
PL = Paper("PL", "arXiv:2509.22428", f"Pointwise maximal leakage with estimated priors; {OURS}")
CO = Paper("CO", "arXiv:1910.13027", f"Noiseless privacy by counting outputs; {OURS}")
RP = Paper("RP", "arXiv:2312.13985", f"Rényi Pufferfish; {OURS}")

PAPERS = (KS, CW, CH, GK, KM, PC, SP, SD, PP, PL, CO, RP)
