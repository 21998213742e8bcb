// The dials: what is asked of the server is a verdict under other assumptions; nothing is judged here.
// Until the answer to where the dials stand is there, what is shown is marked as being of before.
"use strict";
(function () {
  const panel = document.getElementById("dials");
  if (!panel) return;
  panel.hidden = false;
  const names = ["knows", "wrong", "epsilon"];
  const words = {pass: "they may go out", fail: "they may not go out", review: "not decided at a glance"};
  const answer = document.getElementById("dial-answer");
  const back = document.getElementById("dial-back");
  const main = document.getElementById("main");
  const dial = (name) => document.getElementById(name);
  let busy = false;
  let again = false;

  function told() {
    for (const name of names) {
      const value = Number(dial(name).value);
      dial(name + "-o").textContent = name === "epsilon" ? value.toFixed(2) : (100 * value).toFixed(1) + " %";
    }
  }

  function colour(found) {
    document.querySelectorAll("[data-cell]").forEach(function (cell) {
      const tells = found.cells[Number(cell.dataset.cell)];
      if (!tells) return;
      cell.className = "tells " + tells;
      cell.textContent = found.signs[tells];
      const label = cell.getAttribute("aria-label");
      cell.setAttribute("aria-label", label.slice(0, label.lastIndexOf(": ") + 2) + found.words[tells]);
    });
  }

  async function turn() {
    told();
    main.classList.add("turning");
    if (busy) { again = true; return; }
    busy = true;
    const asked = new URLSearchParams();
    for (const name of names) asked.set(name, dial(name).value);
    try {
      const found = await (await fetch(panel.dataset.place + "?" + asked, {credentials: "same-origin"})).json();
      if (found.error) {
        answer.textContent = found.error;
        answer.className = "dial-answer";
      } else {
        answer.textContent = "With these: " + words[found.verdict] + " (delta at most " + found.delta +
          "). The table above shows it.";
        document.querySelectorAll(".elsewhere").forEach(function (line) { line.hidden = false; });
        back.hidden = false;
        answer.className = "dial-answer " + found.verdict;
        colour(found);
      }
    } catch (problem) {
      answer.textContent = "The server does not answer: the session may be over.";
      answer.className = "dial-answer";
    }
    busy = false;
    if (again) { again = false; turn(); return; }
    main.classList.remove("turning");
  }

  for (const name of names) dial(name).addEventListener("input", turn);
  told();
})();
