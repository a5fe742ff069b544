// Posts forms without leaving the page, opens sheets, runs the number and letter pads.
import { pageIn, refresh } from "./live.js";

const toast = document.getElementById("toast");
const sheet = document.getElementById("sheet");
const GUARD_MS = 450; // a bouncing finger must not also press what replaces the button
let busyUntil = 0;
let toastTimer = 0;

export const busy = () => busyUntil > performance.now();

export function tell(text, tone = "bad") {
  if (!toast || !text) return;
  // Behind an open dialog it would be dimmed, and silent for a screen reader.
  (sheet?.open ? sheet : document.body).append(toast);
  toast.textContent = text;
  toast.dataset.tone = tone;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.hidden = true), tone === "bad" ? 8000 : 3000);
}

async function post(form, submitter) {
  if (busy()) return;
  busyUntil = Infinity;
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await send(form, new FormData(form, submitter));
    const result = await answer.json().catch(() => ({}));
    if (answer.ok) {
      if (sheet?.open && sheet.contains(form)) closeSheet();
      if (result.next) return void location.assign(result.next);
      tell(result.sentence, "good");
    } else {
      tell(result.sentence ?? form.dataset.failed);
      if (answer.status === 409 && sheet?.open) closeSheet(); // its facts are old
    }
    await refresh();
  } catch {
    tell(document.body.dataset.offline);
  } finally {
    form.removeAttribute("aria-busy");
    busyUntil = performance.now() + GUARD_MS;
  }
}

// The browser gives the focus back to what opened the sheet; the station's keys should be free.
function closeSheet() {
  sheet.close();
  document.activeElement?.blur();
}

// The same request id goes out again after a lost answer, so nothing is done twice.
async function send(form, data, tries = 2) {
  const options = {
    method: "POST",
    body: new URLSearchParams(data),
    headers: { Accept: "application/json" },
    credentials: "same-origin",
  };
  try {
    return await fetch(form.action, options);
  } catch (fault) {
    if (tries <= 1) throw fault;
    await new Promise((done) => setTimeout(done, 400));
    return send(form, data, tries - 1);
  }
}

export function submit(form, submitter) {
  if (form.reportValidity()) post(form, submitter);
}

export async function openSheet(url) {
  const answer = await fetch(url, { headers: { "X-Part": "sheet" }, cache: "no-store" }).catch(
    () => null,
  );
  if (answer && !answer.ok) return location.assign(url);
  const page = answer && (await pageIn(answer));
  if (!page) return tell(document.body.dataset.offline);
  const body = page.getElementById("sheet-body");
  if (!body) return location.assign(url);
  sheet.replaceChildren(body);
  sheet.setAttribute("aria-label", body.dataset.title ?? "");
  if (!sheet.open) sheet.showModal();
  sheet.scrollTop = 0;
  document.dispatchEvent(new CustomEvent("sheet-opened"));
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.matches("[data-plain]")) return;
  event.preventDefault();
  post(form, event.submitter);
});

document.addEventListener("click", (event) => {
  const target = event.target.closest?.("a[data-sheet], [data-close], [data-pad], [data-add], [data-set], [data-by]");
  if (!target) {
    if (event.target === sheet) sheet.close(); // the backdrop
    return;
  }
  if (target.matches("a[data-sheet]") && sheet) {
    event.preventDefault();
    openSheet(target.href);
  } else if (target.matches("[data-close]") && sheet?.open) {
    event.preventDefault();
    sheet.close();
  } else if (target.dataset.pad !== undefined) {
    press(field(target), target.dataset.pad);
  } else if (target.dataset.add !== undefined) {
    const input = field(target);
    put(input, String(Number(input.value || 0) + Number(target.dataset.add)));
  } else if (target.dataset.set !== undefined) {
    put(field(target), target.dataset.set);
  } else if (target.dataset.by !== undefined) {
    step(target.closest("[data-step]").querySelector("input"), Number(target.dataset.by));
  }
});

function step(input, by) {
  const { least = -1e6, most = 1e6 } = input.dataset;
  input.value = String(Math.min(Math.max(Number(input.value || 0) + by, Number(least)), Number(most)));
}

const field = (button) => button.closest("[data-pad-for]").querySelector("input[data-field]");

function put(input, text) {
  const most = input.dataset.most ? Number(input.dataset.most) : null;
  input.value = most !== null && Number(text) > most ? String(most) : text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

export function press(input, key) {
  const typed = input.value;
  if (key === "back") put(input, typed.slice(0, -1));
  else if (key === "clear") put(input, "");
  else if (key === "max") put(input, input.dataset.most);
  else if (typed.length < Number(input.maxLength > 0 ? input.maxLength : 12)) {
    put(input, input.dataset.field === "number" && typed === "0" ? key : typed + key);
  }
}
