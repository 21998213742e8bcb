"""Attack risk by riskcal: advantage, and what is missed at a rate of false alarms, for noise on one number.

Prints JSON: for each noise its scale, the advantage, the share of cases that is found at each rate, and the chance to
guess one of two values. Gaussian noise by riskcal's formula, the others from the distributions of dp-accounting.
"""

import json

from dp_accounting.pld import privacy_loss_distribution as pld
from riskcal import analysis

RATES = (0.001, 0.01, 0.05, 0.1, 0.3)
SCALES = (0.5, 1.0, 2.0, 5.0, 20.0)
FINE = 1e-4


def main() -> None:
    found = []
    for scale in SCALES:
        gaussian = 1 / scale
        found.append(
            {
                "noise": "Gaussian",
                "scale": scale,
                "advantage": float(analysis.get_advantage_from_gdp(gaussian)),
                "found": [1 - float(analysis.get_beta_from_gdp(gaussian, rate)) for rate in RATES],
                "guessed": 1 - float(analysis.get_bayes_risk_from_gdp(gaussian, 0.5)),
            }
        )
        losses = {
            "Laplace": pld.from_laplace_mechanism(scale, value_discretization_interval=FINE),
            "geometric": pld.from_discrete_laplace_mechanism(1 / scale, 1, value_discretization_interval=FINE),
        }
        for name, loss in losses.items():
            found.append(
                {
                    "noise": name,
                    "scale": scale,
                    "advantage": float(analysis.get_advantage_from_pld(loss)),
                    "found": [1 - float(analysis.get_beta_from_pld(loss, rate)) for rate in RATES],
                    "guessed": 1 - float(analysis.get_bayes_risk_from_pld(loss, 0.5)),
                }
            )
    print(json.dumps({"rates": RATES, "found": found}))


if __name__ == "__main__":
    main()
