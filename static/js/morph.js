// Updates a part of the page from a fresh copy. Only differences are changed, so focus, selection and
// scroll positions are kept.

/**
 * Make `old` equal to `fresh`. Open details stay open, and elements marked `data-readers`, which the
 * user made, are kept.
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
    // A named element may have moved, as others were inserted or removed before it.
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
