// Keeps a page true: listens for the table's version number, fetches the page's own
// server-made view and morphs it in. The page works without this file, by reloading.
const view = document.getElementById("view");
const status = document.getElementById("live-status");
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const SILENT_MS = 40_000; // the server sends a beat at least every 15 s

let source = null;
let heardAt = 0;
let failures = 0;
let fetching = null;
let again = false;
let retryTimer = 0;

export const version = () => Number(view?.dataset.version ?? 0);

function say(state) {
  document.documentElement.dataset.link = state;
  if (status) status.hidden = state === "on";
}

// One fetch at a time; what arrives meanwhile asks for one more.
export function refresh() {
  if (!view) return Promise.resolve();
  if (fetching) {
    again = true;
    return fetching;
  }
  fetching = load().finally(() => {
    fetching = null;
    if (again) {
      again = false;
      refresh();
    }
  });
  return fetching;
}

// The page that an answer brings; null where it was cut off in the middle, as if it had not come.
export async function pageIn(answer) {
  const html = await answer.text().catch(() => null);
  return html === null ? null : new DOMParser().parseFromString(html, "text/html");
}

async function load() {
  const answer = await fetch(view.dataset.src, {
    headers: { "X-Part": "view" },
    credentials: "same-origin",
    cache: "no-store",
  }).catch(() => null);
  if (!answer) return; // offline: the stream's own retry brings us back
  if (answer.status === 401 || answer.status === 403 || answer.redirected) {
    location.reload(); // signed out or seat given up: let the server say what now
    return;
  }
  if (!answer.ok) return;
  const page = await pageIn(answer);
  if (!page) return;
  const fresh = page.getElementById("view");
  if (!fresh || Number(fresh.dataset.version) < version()) return; // overtaken by a newer answer
  morph(view, fresh);
  document.dispatchEvent(new CustomEvent("view-fresh"));
}

function morph(target, fresh) {
  globalThis.Idiomorph.morph(target, fresh, {
    morphStyle: "outerHTML",
    ignoreActiveValue: true,
    callbacks: {
      // What a person has open or half typed stays as it is.
      beforeNodeMorphed: (old) => !(old instanceof Element && old.matches("[data-keep]")),
      beforeAttributeUpdated: (name, node) => !(name === "open" && node.matches("details")),
    },
  });
}

function connect() {
  clearTimeout(retryTimer);
  source?.close();
  const url = new URL(view.dataset.events, location.href);
  url.searchParams.set("after", String(version()));
  source = new EventSource(url);
  heardAt = Date.now();
  const heard = () => {
    heardAt = Date.now();
    failures = 0;
    say("on");
  };
  source.addEventListener("open", heard);
  source.addEventListener("beat", heard);
  for (const kind of ["table", "tray"]) {
    source.addEventListener(kind, () => {
      heard();
      refresh();
    });
  }
  for (const name of ["confirm", "correct", "next"]) {
    source.addEventListener(`key-${name}`, () => {
      heard();
      document.dispatchEvent(new CustomEvent("box-key", { detail: name }));
    });
  }
  source.addEventListener("closing", () => again_later());
  source.addEventListener("error", () => {
    say("off");
    if (source.readyState === EventSource.CLOSED) again_later(); // e.g. 503: the browser gave up
  });
}

function again_later() {
  source?.close();
  say("off");
  clearTimeout(retryTimer);
  const wait = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)];
  retryTimer = setTimeout(() => {
    connect();
    refresh();
  }, wait * (0.7 + 0.6 * Math.random())); // spread, so 200 phones do not return at once
}

// A phone that slept may hold a dead connection and an old view.
function woken() {
  if (document.visibilityState !== "visible" || !view?.dataset.events) return;
  if (source?.readyState !== EventSource.OPEN || Date.now() - heardAt > SILENT_MS / 2) connect();
  refresh();
}

if (view?.dataset.events) {
  connect();
  document.addEventListener("visibilitychange", woken);
  window.addEventListener("pageshow", (event) => event.persisted && woken());
  window.addEventListener("online", woken);
  window.addEventListener("pagehide", () => source?.close());
  setInterval(() => {
    if (document.visibilityState === "visible" && Date.now() - heardAt > SILENT_MS) again_later();
  }, 5000);
}
