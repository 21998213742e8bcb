// The dials: what is asked of the server is a verdict under other assumptions; nothing is judged here.
"use strict";
(function () {
  const panel = document.getElementById("dials");
  if (!panel) return;
  panel.hidden = false;
  const names = ["knows", "wrong", "epsilon"];
  const words = {pass: "They may go out.", fail: "They may not go out.", review: "Not decided at a glance."};
  const answer = document.getElementById("dial-answer");
  const back = document.getElementById("dial-back");
  const dial = (name) => document.getElementById(name);
  const heads = {nobody: "nobody is in it", little: "tells next to nothing", some: "tells little",
    close: "tells as much as may be", open: "not decided", much: "tells too much"};
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
        answer.textContent = "With these: " + words[found.verdict] + " (delta at most " + found.delta + ") The table above shows this.";
        back.hidden = false;
        answer.className = "dial-answer " + found.verdict;
        document.querySelectorAll("[data-cell]").forEach(function (cell) {
          const tells = found.cells[Number(cell.dataset.cell)];
          if (!tells) return;
          cell.className = "tells " + tells;
          cell.textContent = signs[tells];
          const label = cell.getAttribute("aria-label");
          cell.setAttribute("aria-label", label.slice(0, label.lastIndexOf(": ") + 2) + heads[tells]);
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
