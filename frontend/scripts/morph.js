// Updates a part of the page from a fresh copy. Only differences are changed, so focus, selection and
// scroll positions are kept.

// Attributes that only scripts set.
const SCRIPTED = new Set(["aria-expanded", "aria-controls"]);

/**
 * Make `old` equal to `fresh`. Open details stay open, and elements marked `data-readers`, which the
 * user made, or `data-kept`, which belong to scripts, stay as they are.
 */
export function morph(old, fresh) {
  if (!isSame(old, fresh)) {
    old.replaceWith(document.importNode(fresh, true));
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.replaceWith(document.importNode(fresh, true));
    return;
  }
  if (old.isEqualNode(fresh) || (old.dataset && "kept" in old.dataset)) return;
  morphAttributes(old, fresh);
  morphChildren(old, fresh);
}

function morphAttributes(old, fresh) {
  // Readers open details; scripts show what needs them.
  const isKept = (name) =>
    (name === "open" && old.localName === "details") ||
    (name === "hidden" && "script" in old.dataset) ||
    SCRIPTED.has(name);
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isKept(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !isKept(name)) old.setAttribute(name, value);
  }
}

function morphChildren(old, fresh) {
  // Named elements may have moved, as others were inserted or removed before them.
  const named = new Map([...old.childNodes].map((node) => [nameOf(node), node]));
  let at = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const name = nameOf(wanted);
    const found = name ? named.get(name) : at;
    if (found && isSame(found, wanted)) {
      if (found === at) at = at.nextSibling;
      else old.insertBefore(found, at);
      morph(found, wanted);
    } else old.insertBefore(document.importNode(wanted, true), at);
  }
  while (at) {
    const next = at.nextSibling;
    if (!at.dataset || !("readers" in at.dataset || "kept" in at.dataset)) at.remove();
    at = next;
  }
}

/** What an element is called among its siblings; cells are called like the square in them. */
function nameOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  const { taskRow, row, implementation, test, cell } = node.dataset;
  return node.id || taskRow || row || implementation || test || cell || (node.localName === "td" && cellOf(node)) || "";
}

const cellOf = (cell) => cell.firstElementChild?.dataset.cell;
const isSame = (old, fresh) => old.nodeName === fresh.nodeName && nameOf(old) === nameOf(fresh);
