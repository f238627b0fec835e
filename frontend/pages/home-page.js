// The first page: keeps what happens now up to date.

import { refresher } from "../scripts/fresh.js";

const EVERY_MS = 10_000;
const refresh = refresher({ url: () => "/pulse/", delayMs: 1000 });

setInterval(refresh, EVERY_MS);
