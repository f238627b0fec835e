// On pages for staff that come without a script for it: a box above a table ticks all boxes in it.

const all = document.getElementById("action-toggle");
if (all) {
  all.style.display = "inline"; // where nothing works it, a style sheet hides it
  all.addEventListener("change", () => {
    for (const box of document.querySelectorAll("input.action-select")) box.checked = all.checked;
  });
}
