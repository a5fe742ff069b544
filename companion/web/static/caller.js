// Says rolls and results aloud and plays short sounds, where this screen was told to. The
// sentences are the server's; each is said once, when its number is higher than any before.
const KEY = "caller";
const OFF = { voice: false, sounds: false, volume: 70 };
const NOTES = {
  open: [[523, 0, 0.12]],
  closed: [[440, 0, 0.1], [330, 0.11, 0.16]],
  roll: [[660, 0, 0.09], [880, 0.09, 0.12]],
  win: [[523, 0, 0.1], [659, 0.1, 0.1], [784, 0.2, 0.22]],
  ask: [[740, 0, 0.09], [740, 0.16, 0.09]],
}; // [hertz, after seconds, for seconds] // prettier-ignore
const unlock = document.getElementById("unlock");
export const hasVoice = "speechSynthesis" in globalThis;
let audio = null;

export function settings() {
  try {
    return { ...OFF, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...OFF }; // storage is barred or was damaged: silent, as at first
  }
}

export function keep(changed) {
  const next = { ...settings(), ...changed };
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    return; // a private window forgets it; nothing else depends on it
  }
  offerUnlock();
}

const wanted = ({ voice, sounds, volume }) => (voice || sounds) && volume > 0;

function sounder() {
  const Kind = globalThis.AudioContext;
  if (!audio && Kind) audio = new Kind();
  return audio;
}

// Browsers let a page sound only after a touch; until then a button asks for one.
function offerUnlock() {
  if (!unlock) return;
  const on = wanted(settings());
  unlock.hidden = !on || sounder()?.state !== "suspended";
}

function wake() {
  if (!wanted(settings())) return;
  sounder()?.resume().then(offerUnlock, () => {});
}

export function play(tone, { sounds, volume } = settings()) {
  const to = sounds && volume > 0 ? sounder() : null;
  if (!to || to.state === "closed") return;
  for (const [hertz, after, length] of NOTES[tone] ?? []) {
    const start = to.currentTime + after;
    const note = new OscillatorNode(to, { type: "triangle", frequency: hertz });
    const gain = new GainNode(to, { gain: 0 });
    gain.gain.setTargetAtTime((volume / 100) * 0.3, start, 0.008); // no click at either end
    gain.gain.setTargetAtTime(0, start + length, 0.03);
    note.connect(gain).connect(to.destination);
    note.start(start);
    note.stop(start + length + 0.3);
  }
}

export function speak(text, { voice, volume } = settings()) {
  if (!voice || volume <= 0 || !hasVoice || !text) return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = document.documentElement.lang;
  words.volume = volume / 100;
  speechSynthesis.cancel(); // only the newest counts
  speechSynthesis.speak(words);
}

const call = () => document.getElementById("caller-line");
const asked = () => document.getElementById("view")?.dataset.ask ?? "";
let heard = Number(call()?.dataset.no ?? 0); // what happened before this page is never said
let answering = asked();

function listen() {
  const now = asked();
  if (now !== answering && now) play("ask");
  answering = now;
  const said = call();
  const no = Number(said?.dataset.no ?? 0);
  if (no <= heard || document.visibilityState !== "visible") return; // hidden: said on waking
  heard = no;
  play(said.dataset.tone);
  speak(said.textContent.trim());
}

document.addEventListener("view-fresh", listen);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") listen();
});
for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, wake, { passive: true });
if (call() || document.getElementById("view")) offerUnlock();
