// Passkeys: has the browser make one, or show one to sign in, and sends the form with what it says.

import { gettext } from "../scripts/translation.js";

const ENCODED_RESPONSES = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];

// --- Bytes as text, as the server writes and reads them -------------------------------------------

function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (sign) => sign.charCodeAt(0));
}

function text(buffer) {
  const plain = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function credentialsOf(list = []) {
  return list.map((one) => ({ ...one, id: bytes(one.id) }));
}

function toMake({ publicKey }) {
  return {
    ...publicKey,
    challenge: bytes(publicKey.challenge),
    user: { ...publicKey.user, id: bytes(publicKey.user.id) },
    excludeCredentials: credentialsOf(publicKey.excludeCredentials),
  };
}

function toShow({ publicKey }) {
  return {
    ...publicKey,
    challenge: bytes(publicKey.challenge),
    allowCredentials: credentialsOf(publicKey.allowCredentials),
  };
}

function answerOf(credential) {
  const response = {};
  for (const name of ENCODED_RESPONSES) {
    if (credential.response[name]) response[name] = text(credential.response[name]);
  }
  if (credential.response.getTransports) response.transports = credential.response.getTransports();
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    response,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}

// --- Forms ----------------------------------------------------------------------------------------

async function optionsOf(form) {
  const own = document.getElementById("passkey-options");
  if (own) return JSON.parse(own.textContent);
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.json();
}

async function ask(form) {
  const options = await optionsOf(form);
  const credential = options.creation_options
    ? await navigator.credentials.create({ publicKey: toMake(options.creation_options) })
    : await navigator.credentials.get({ publicKey: toShow(options.request_options) });
  form.elements.credential.value = JSON.stringify(answerOf(credential));
  form.submit();
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.hidden = !window.PublicKeyCredential;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const failure = form.querySelector("[data-passkey-failed]");
    failure.hidden = true;
    try {
      await ask(form);
    } catch {
      failure.textContent = gettext("Nothing came from the passkey. Try again, or use another way.");
      failure.hidden = false;
    }
  });
}
