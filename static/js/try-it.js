// Calls a function without leaving its page; where that doesn't work, the form posts as it always could.

const form = document.querySelector("form[data-try]");

/** The result as the server draws it on a page of its own. */
async function call(signal) {
  const response = await fetch(form.action, { method: "POST", body: new FormData(form), signal });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const result = page.querySelector("[data-try-result]");
  if (!result || response.redirected) throw new Error(String(response.status));
  return result;
}

function enhance() {
  const place = document.querySelector("[data-try-result]");
  const button = form.querySelector("button[type=submit]");
  const args = form.elements.namedItem("args");
  let calling = null;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    // Who calls again gives the former call up, and its place with it.
    calling?.abort();
    const mine = (calling = new AbortController());
    button.setAttribute("aria-busy", "true");
    try {
      place.replaceChildren(...(await call(mine.signal)).childNodes);
    } catch (error) {
      if (error.name !== "AbortError") form.submit();
    } finally {
      if (calling === mine) button.removeAttribute("aria-busy");
    }
  });
  args.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
}

if (form) enhance();
