// Bringing a piece of the page up to a fresh copy of it: only what differs is touched, so the focus,
// a selection and what is scrolled stay where they are.

/**
 * Make `old` say what `fresh` does. What the reader has unfolded stays unfolded, and what is marked
 * `data-readers` is theirs: it stays.
 */
export function morph(old, fresh) {
  if (!isSame(old, fresh)) {
    old.replaceWith(document.importNode(fresh, true));
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  morphAttributes(old, fresh);
  morphChildren(old, fresh);
}

function morphAttributes(old, fresh) {
  const isReaders = (name) => name === "open" && old.localName === "details";
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isReaders(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !isReaders(name)) old.setAttribute(name, value);
  }
}

function morphChildren(old, fresh) {
  let at = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    // What has a name may have others before it now, or stand where others were taken away.
    const found = nameOf(wanted) ? [...old.childNodes].find((node) => isSame(node, wanted)) : at;
    if (found && isSame(found, wanted)) {
      if (found === at) at = at.nextSibling;
      else old.insertBefore(found, at);
      morph(found, wanted);
    } else old.insertBefore(document.importNode(wanted, true), at);
  }
  while (at) {
    const next = at.nextSibling;
    if (!at.dataset || !("readers" in at.dataset)) at.remove();
    at = next;
  }
}

const nameOf = (node) => node.id || node.dataset?.taskRow || "";
const isSame = (old, fresh) => old.nodeName === fresh.nodeName && nameOf(old) === nameOf(fresh);
