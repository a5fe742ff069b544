// The set-up pages' living parts: light and focus, the tray's corners, faces shown to the
// camera, a throw tried out. Every page also works by its plain forms.
import "./act.js";
import { pageIn } from "./live.js";

const main = document.querySelector("main.setup");
const svg = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};
const byId = (id) => document.getElementById(id);

// Forms that take a while say so, and are not sent twice.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.wait) return;
  const button = event.submitter;
  if (form.getAttribute("aria-busy")) return event.preventDefault();
  form.setAttribute("aria-busy", "true");
  if (button) {
    button.textContent = form.dataset.wait;
    button.classList.add("waiting");
  }
});

// The box's Confirm, and Enter, press the page's main button.
function confirm() {
  const main_button = document.querySelector("[data-confirm]:not(:disabled)");
  main_button?.click();
}
new EventSource("/events?want=all").addEventListener("key-confirm", confirm);
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches?.("input:not([type=radio]):not([type=checkbox]), a, button, summary, .corner");
  if (["Enter", "NumpadEnter"].includes(event.code) && !typing && !event.repeat) {
    event.preventDefault();
    confirm();
  }
});

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const shown = () => document.visibilityState === "visible";

async function ask(url, options = {}) {
  const answer = await fetch(url, {
    ...options,
    headers: { Accept: "application/json" },
    credentials: "same-origin",
    cache: "no-store",
  }).catch(() => null);
  if (!answer) return { lines: [document.body.dataset.offline] };
  if (answer.status === 403) location.reload();
  return { ok: answer.ok, ...(await answer.json().catch(() => ({ lines: [] }))) };
}

// A picture takes the place of the last one only when it has arrived.
function load(url) {
  return new Promise((done) => {
    const loader = new Image();
    loader.addEventListener("load", () => done(loader));
    loader.addEventListener("error", () => done(null));
    loader.src = url;
  });
}

async function show(url, size) {
  const picture = await load(url);
  if (!picture) return;
  const [width, height] = size ?? [picture.naturalWidth, picture.naturalHeight];
  const image = byId("shot-image");
  image.ownerSVGElement.setAttribute("viewBox", `0 0 ${width} ${height}`);
  image.setAttribute("width", width);
  image.setAttribute("height", height);
  image.setAttribute("href", picture.src);
}

let count = 0;
const fresh = (url) => `${url}${url.includes("?") ? "&" : "?"}n=${Date.now() % 1e6}-${count++}`;

function list(target, lines, className = "") {
  const items = lines.map((text) => Object.assign(document.createElement("li"), { textContent: text, className }));
  if (target.textContent !== items.map((item) => item.textContent).join("")) target.replaceChildren(...items);
}

// Light and focus

async function watchLight() {
  for (;;) {
    if (shown()) {
      const seen = await ask(main.dataset.light);
      if (seen.size) await show(fresh(byId("shot-image").dataset.src), seen.size);
      list(byId("told"), seen.good ? [byId("fine").textContent] : seen.lines, seen.good ? "fine" : "");
      if (seen.level !== undefined) byId("level").value = seen.level;
      if (Number.isFinite(seen.focus)) byId("focus").value = seen.focus;
      const spots = (seen.spots ?? []).map(([x, y, width, height]) =>
        svg("rect", { class: "spot", x: x - 12, y: y - 12, width: width + 24, height: height + 24, rx: 12 }),
      );
      byId("spots").replaceChildren(...spots);
    }
    await pause(500);
  }
}

async function watchTray() {
  for (;;) {
    if (shown()) await show(fresh(byId("shot-image").dataset.src));
    await pause(600);
  }
}

// The tray's corners: dragged by finger, moved by arrow keys; a loupe shows what the finger hides.

function prepareCorners(picture) {
  const field = byId("corners");
  const handles = [...picture.querySelectorAll("[data-corner]")];
  const [, , width, height] = picture.getAttribute("viewBox").split(" ").map(Number);
  const points = field.value.trim().split(/\s+/).map((pair) => pair.split(",").map(Number));
  const loupe = byId("loupe");
  let dragged = null;

  function draw() {
    const text = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
    field.value = text;
    byId("floor").setAttribute("points", picture.hasAttribute("data-round") ? curved(points).join(" ") : text);
    handles.forEach((handle, i) => handle.setAttribute("transform", `translate(${points[i][0]} ${points[i][1]})`));
  }
  // Handles keep their size under the finger whatever the picture's size on the screen.
  function fit() {
    const scale = 1 / (picture.getScreenCTM()?.a || 1);
    for (const handle of handles) {
      handle.querySelector(".hit").setAttribute("r", 30 * scale);
      handle.querySelector(".ring").setAttribute("r", 15 * scale);
      handle.querySelector(".dot").setAttribute("r", 2.5 * scale);
    }
  }
  function move(i, x, y) {
    points[i] = [Math.min(Math.max(x, 0), width - 1), Math.min(Math.max(y, 0), height - 1)];
    draw();
    look(i);
  }
  function look(i) {
    const [x, y] = points[i];
    const reach = width / 20;
    loupe.setAttribute("viewBox", `${x - reach} ${y - reach} ${2 * reach} ${2 * reach}`);
    loupe.querySelector(".cross").setAttribute("d", `M${x - reach} ${y}h${2 * reach}M${x} ${y - reach}v${2 * reach}`);
    loupe.classList.toggle("left", x > width / 2);
    loupe.removeAttribute("hidden");
  }
  const at = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    return [point.x, point.y];
  };
  handles.forEach((handle, i) => {
    handle.addEventListener("pointerdown", (event) => {
      const [x, y] = at(event);
      dragged = { i, dx: points[i][0] - x, dy: points[i][1] - y };
      handle.setPointerCapture(event.pointerId);
      handle.focus({ preventScroll: true });
      look(i);
      event.preventDefault();
    });
    handle.addEventListener("pointermove", (event) => {
      if (dragged?.i !== i) return;
      const [x, y] = at(event);
      move(i, x + dragged.dx, y + dragged.dy);
    });
    for (const kind of ["pointerup", "pointercancel"]) {
      handle.addEventListener(kind, () => {
        dragged = null;
        loupe.setAttribute("hidden", "");
      });
    }
    handle.addEventListener("focus", () => look(i));
    handle.addEventListener("blur", () => loupe.setAttribute("hidden", ""));
    handle.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 10 : 1;
      const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [];
      if (dx === undefined) return;
      event.preventDefault();
      move(i, points[i][0] + dx * step, points[i][1] + dy * step);
    });
  });
  window.addEventListener("resize", fit);
  fit();
  draw();
}

// A closed curve through points (Catmull and Rom's), as many short sides.
function curved(points) {
  const at = (i) => points[(i + points.length) % points.length];
  const steps = Array.from({ length: 8 }, (_, k) => k / 8);
  return points.flatMap((_, i) => steps.map((t) => [0, 1].map((axis) => {
    const [a, b, c, d] = [-1, 0, 1, 2].map((k) => at(i + k)[axis]);
    return (b + (t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * b - a - 3 * c + d)))) / 2).toFixed(1);
  }).join(",")));
}

// Faces shown to the camera

let looking = null; // the look the button would take

async function watchDie() {
  let sure = 0;
  for (;;) {
    if (shown()) {
      const face = byId("teach").dataset.face;
      const seen = await ask(`${main.dataset.look}?face=${encodeURIComponent(face)}`);
      if (seen.size) await show(fresh(main.dataset.now), seen.size);
      await tellDie(seen);
      sure = seen.ready ? sure + 1 : 0;
      if (sure > 1 && !byId("teach").dataset.ready) {
        sure = 0;
        await take(seen);
      }
    }
    await pause(250);
  }
}

async function tellDie(seen) {
  looking = seen.can_take ? seen : null;
  byId("told").textContent = seen.lines.join(" ");
  byId("told").className = `say ${seen.ready ? "fine" : seen.looks_like ? "ask" : ""}`;
  for (const polygon of byId("shot").querySelectorAll("polygon")) polygon.setAttribute("points", seen.quad ?? "");
  byId("die").classList.toggle("unsure", !seen.ready);
  const button = byId("take-it");
  button.disabled = !seen.can_take;
  button.querySelector("span").textContent = seen.looks_like ? main.dataset.sure : main.dataset.plainTake;
  const crop = byId("crop");
  const picture = seen.quad ? await load(fresh(main.dataset.crop)) : null;
  if (picture) crop.src = picture.src;
  crop.hidden = !picture;
}

let taking = false;

async function take(seen) {
  if (taking || !seen) return;
  taking = true;
  const form = byId("take");
  form.elements.number.value = seen.number;
  const done = await ask(main.dataset.take, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  if (done.ok) await turnTo(done.next || form.elements.face.value);
  else byId("told").textContent = done.lines?.join(" ") ?? "";
  taking = false;
}

// The page of the next face, put in place of this one's without a flash of the picture.
async function turnTo(face) {
  const url = `${main.dataset.teach}?face=${encodeURIComponent(face)}`;
  const answer = await fetch(url, { credentials: "same-origin", cache: "no-store" }).catch(() => null);
  const page = answer?.ok ? await pageIn(answer) : null;
  if (!page?.getElementById("teach")) return location.assign(url);
  byId("teach").dataset.face = page.getElementById("teach").dataset.face;
  byId("teach").dataset.ready = page.getElementById("teach").dataset.ready;
  document.querySelector(".told").replaceWith(page.querySelector(".told"));
  document.querySelector(".setup-bar").replaceWith(page.querySelector(".setup-bar"));
  byId("take").replaceWith(page.getElementById("take"));
}

document.addEventListener("click", (event) => {
  if (event.target.closest?.("#take-it")) take(looking);
  const face = event.target.closest?.("#teach a.face");
  if (face) {
    event.preventDefault();
    turnTo(new URL(face.href).searchParams.get("face"));
  }
});

// A throw tried out

async function watchThrow() {
  let last = 0;
  for (;;) {
    if (shown()) {
      const seen = await ask(main.dataset.try);
      if (seen.number !== last) {
        last = seen.number;
        await show(fresh(main.dataset.now), seen.size);
        tellThrow(seen);
      }
    }
    await pause(400);
  }
}

function tellThrow(seen) {
  const dice = seen.dice ?? [];
  byId("told").textContent = (seen.lines ?? []).join(" ");
  byId("dice").replaceChildren(...dice.flatMap(drawn));
  byId("read").dataset.read = dice.map((die) => die.face || "?").join(" ");
  list(byId("read"), dice.map((die) => die.words));
}

function drawn(die) {
  const [x, y] = die.label;
  const words = svg("text", { x, y: y + 36 });
  words.textContent = die.words;
  return [
    svg("polygon", { points: die.points }),
    svg("polygon", { class: `line ${die.sure ? "" : "unsure"}`, points: die.points }),
    words,
  ];
}

if (main?.dataset.light && byId("shot")) watchLight();
else if (main?.dataset.look) watchDie();
else if (main?.dataset.try) watchThrow();
else if (byId("tray-draft")) prepareCorners(byId("tray-draft"));
else if (byId("shot-image")) watchTray();
