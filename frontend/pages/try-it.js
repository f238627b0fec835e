// Calls a function without leaving its page; if that fails, the form is posted as without a script.

const form = document.querySelector("form[data-try]");

/** Fetch the result as the server renders it. */
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
    // A new call aborts the former one, which frees its slot on the server.
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
