// The dealer's keys (the same four as the station's buttons) and the living tray picture.
import { busy, openSheet, press, submit } from "./act.js";

const sheet = document.getElementById("sheet");
const HOLD_MS = 900;
const KEYS = new Map([
  ["Enter", "confirm"], ["NumpadEnter", "confirm"],
  ["KeyC", "correct"], ["NumpadDivide", "correct"], ["Slash", "correct"],
  ["Backspace", "undo"], ["KeyU", "undo"], ["NumpadSubtract", "undo"],
  ["Space", "next"], ["KeyN", "next"], ["NumpadAdd", "next"],
]); // prettier-ignore
let held = null;

function run(name) {
  const control = document.querySelector(`#view [data-key="${name}"]`);
  if (!control || control.disabled || busy()) return;
  if (control.matches("a[data-sheet]")) openSheet(control.href);
  else submit(control.form, control);
}

function startHold(source) {
  if (held) return;
  const button = document.querySelector('#view [data-key="next"]');
  button?.classList.add("holding");
  held = { source, button, done: false };
  held.timer = setTimeout(() => {
    held.done = true;
    button?.classList.remove("holding");
    run("void");
  }, HOLD_MS);
}

// True when the press was long and has already voided.
function endHold() {
  if (!held) return false;
  clearTimeout(held.timer);
  held.button?.classList.remove("holding");
  const { done } = held;
  held = null;
  return done;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (sheet.open) return sheetKey(event);
  const name = KEYS.get(event.code);
  // A control reached with Tab keeps its own Enter and Space; one just touched does not.
  const onControl = event.target.matches?.("a, button, input, summary") && event.target.matches(":focus-visible");
  if (!name || (onControl && ["Enter", "Space"].includes(event.code))) return;
  event.preventDefault();
  if (event.repeat) return;
  if (name === "next") startHold("key");
  else run(name);
});

document.addEventListener("keyup", (event) => {
  if (KEYS.get(event.code) === "next" && held?.source === "key" && !endHold()) run("next");
});

document.addEventListener("pointerdown", (event) => {
  if (event.target.closest?.('#view [data-key="next"]')) startHold("pointer");
});
for (const kind of ["pointerup", "pointercancel"]) {
  document.addEventListener(kind, () => {
    if (held?.source === "pointer" && endHold()) swallow = performance.now() + 400;
  });
}
let swallow = 0;
document.addEventListener(
  "click",
  (event) => {
    if (performance.now() < swallow) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  },
  true,
);

// In a sheet digits pick faces (1 to 6) or type into the pad; Enter sends.
function sheetKey(event) {
  const digit = /^(Digit|Numpad)(\d)$/.exec(event.code)?.[2];
  const input = sheet.querySelector("input[data-field=number]");
  if (digit !== undefined && input) press(input, digit);
  else if (digit !== undefined) pickFace(Number(digit));
  else if (event.code === "Backspace" && input) press(input, "back");
  else if (["Enter", "NumpadEnter"].includes(event.code) && !event.target.closest("a, button")) {
    const main = sheet.querySelector("form button.primary:not(:disabled)");
    if (main) submit(main.form, main);
  } else return;
  event.preventDefault();
}

function pickFace(points) {
  const slots = [...sheet.querySelectorAll("fieldset[data-slot]")];
  if (!slots.length) return;
  const here = slots.findIndex((slot) => slot.classList.contains("now"));
  const slot = slots[Math.max(here, 0)];
  const tile = slot.querySelector(`input[data-points="${points}"]`);
  if (!tile) return;
  tile.checked = true;
  tile.dispatchEvent(new Event("change", { bubbles: true }));
  mark(slots, Math.min(Math.max(here, 0) + 1, slots.length - 1));
}

function mark(slots, index) {
  slots.forEach((slot, i) => slot.classList.toggle("now", i === index));
}
document.addEventListener("sheet-opened", () => {
  mark([...sheet.querySelectorAll("fieldset[data-slot]")], 0);
});

// The box's buttons act at the table; only what needs a choice is opened here. With the dice
// editor open its faces count, so Confirm sends them, as Enter does.
const sheetLink = (name) => document.querySelector(`#view a[data-sheet][data-key="${name}"]`);
document.addEventListener("box-key", ({ detail: name }) => {
  if (sheet.open) {
    const main = sheet.querySelector("form:has([data-slot]) button.primary:not(:disabled)");
    if (name === "confirm" && main) submit(main.form, main);
    return;
  }
  const link = sheetLink(name) ?? (name === "confirm" ? sheetLink("correct") : null);
  if (link) openSheet(link.href);
});

// The living picture: the next one is asked for only when the last one has arrived.
const PICTURE_MS = 600;
let picture = 0;
function nextPicture() {
  const image = document.querySelector("#tray-live");
  if (!image || document.visibilityState !== "visible") return void setTimeout(nextPicture, 1500);
  const loader = new Image();
  const later = (wait) => () => setTimeout(nextPicture, wait);
  loader.addEventListener("load", () => {
    image.setAttribute("href", loader.src);
    later(PICTURE_MS)();
  });
  loader.addEventListener("error", later(3000));
  loader.src = `${image.dataset.src}?n=${picture++}`;
}
setTimeout(nextPicture, PICTURE_MS);
