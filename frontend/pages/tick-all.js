// A checkbox above a table that ticks all checkboxes in it, for staff pages without such a script.

const all = document.getElementById("action-toggle");
if (all) {
  all.style.display = "inline"; // hidden by the style sheet in case this script doesn't run
  all.addEventListener("change", () => {
    for (const box of document.querySelectorAll("input.action-select")) box.checked = all.checked;
  });
}
