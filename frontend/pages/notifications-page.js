// The list of notifications: marks opened ones as read, and offers newer ones.

const token = () => document.querySelector("[name=csrfmiddlewaretoken]").value;
const newer = document.querySelector("[data-newer]");
let unread = null;

for (const link of document.querySelectorAll("[data-notification]")) {
  link.addEventListener("click", () => {
    fetch("/api/v1/notifications/read/", {
      method: "POST",
      keepalive: true,
      headers: { "Content-Type": "application/json", "X-CSRFToken": token() },
      body: JSON.stringify({ ids: [Number(link.dataset.notification)] }),
    }).catch(() => {}); // it stays unread
  });
}

addEventListener("unread", ({ detail }) => {
  const before = unread ?? Number(document.querySelector("[data-bell]").dataset.unread);
  if (detail > before && newer) newer.hidden = false;
  unread = detail;
});
