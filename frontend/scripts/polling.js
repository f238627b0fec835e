// Polls for events where sockets are blocked.

export class Polling {
  /** `stream` has the subscriptions; its `pollingFailed` is called if no request succeeds. */
  constructor(stream) {
    this.stream = stream;
    this.isOn = false;
    this.timer = null;
  }

  start() {
    if (this.isOn) return;
    this.isOn = true;
    this.soon(0);
  }

  stop() {
    this.isOn = false;
    clearTimeout(this.timer);
    this.timer = null;
  }

  soon(delayMs) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = null;
      this.#poll();
    }, delayMs);
  }

  async #poll() {
    const followings = this.stream.all().filter((following) => !following.isPaused);
    const answers = await Promise.all(followings.map((following) => this.#pollOne(following)));
    // Another poll has started meanwhile, or sockets work again.
    if (!this.isOn || this.timer) return;
    if (answers.length > 0 && answers.every((answer) => answer === "failed")) {
      this.stream.pollingFailed();
    } else {
      this.soon(answers.includes("more") ? 0 : this.stream.options.pollMs);
    }
  }

  /** Fetch the next events of a topic; returns "more", "done" or "failed". */
  async #pollOne(following) {
    const { topic, position } = following;
    const { status, answer } = await this.#ask(topic, position);
    const isStale = !this.isOn || !this.stream.has(following);
    if (isStale || following.isPaused) return "done";
    if (status === 403 || status === 404) {
      this.stream.refuse(following, answer?.detail ?? "this topic is not for you");
    } else if (status !== 200) {
      following.interrupt();
      return "failed";
    } else if (answer.reset) {
      following.reset(answer);
    } else if (following.take(answer.events) && following.received < answer.head) {
      return "more";
    } else {
      following.reach(answer.head, { polling: true });
    }
    return "done";
  }

  async #ask(topic, position) {
    try {
      const url = this.stream.options.pollUrl(topic, position);
      const response = await fetch(url, { cache: "no-store" });
      return { status: response.status, answer: await response.json() };
    } catch {
      return { status: 0, answer: null };
    }
  }
}
