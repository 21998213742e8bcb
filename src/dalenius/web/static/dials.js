// The dials: what is asked of the server is a verdict under other assumptions; nothing is judged here.
"use strict";
(function () {
  const panel = document.getElementById("dials");
  if (!panel) return;
  panel.hidden = false;
  const names = ["knows", "wrong", "epsilon"];
  const words = {pass: "They may go out.", fail: "They may not go out.", review: "Not decided at a glance."};
  const answer = document.getElementById("dial-answer");
  const dial = (name) => document.getElementById(name);
  const signs = {nobody: "–", little: "✓", some: "✓", close: "✓!", open: "?", much: "✗"};
  let busy = false;
  let again = false;

  function told() {
    for (const name of names) {
      const value = Number(dial(name).value);
      dial(name + "-o").textContent = name === "epsilon" ? value.toFixed(2) : (100 * value).toFixed(1) + " %";
    }
  }

  async function turn() {
    told();
    if (busy) { again = true; return; }
    busy = true;
    const asked = new URLSearchParams();
    for (const name of names) asked.set(name, dial(name).value);
    try {
      const found = await (await fetch(panel.dataset.place + "?" + asked, {credentials: "same-origin"})).json();
      if (found.error) {
        answer.textContent = found.error;
      } else {
        answer.textContent = words[found.verdict] + " (delta at most " + found.delta + ")";
        answer.className = "dial-answer " + found.verdict;
        document.querySelectorAll("[data-cell]").forEach(function (cell) {
          const tells = found.cells[Number(cell.dataset.cell)];
          if (tells) { cell.className = "tells " + tells; cell.textContent = signs[tells]; }
        });
      }
    } catch (problem) {
      answer.textContent = "The server does not answer: the session may be over.";
    }
    busy = false;
    if (again) { again = false; turn(); }
  }

  for (const name of names) dial(name).addEventListener("input", turn);
  told();
})();
