// The sheet on which a screen chooses its theme and its caller; both hold for this screen only.
import { hasVoice, keep, play, settings, speak } from "./caller.js";

const YEAR_S = 365 * 24 * 3600;

function wear(theme) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  const life = theme ? YEAR_S : 0;
  document.cookie = `theme=${theme}; max-age=${life}; path=/; samesite=lax${secure}`;
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  for (const sheet of document.querySelectorAll("link[data-theme-sheet]")) {
    const { wish, themeSheet } = sheet.dataset;
    sheet.media = theme ? (theme === themeSheet ? "all" : "not all") : wish;
  }
}

function prepare() {
  for (const button of document.querySelectorAll("[data-unscripted]")) button.hidden = true;
  const set = document.querySelector("[data-caller-set]");
  if (!set) return;
  const now = settings();
  set.hidden = false;
  set.querySelector("[name=voice]").checked = now.voice;
  set.querySelector("[name=sounds]").checked = now.sounds;
  set.querySelector("[name=volume]").value = now.volume;
  set.querySelector("[data-needs-voice]").hidden = !hasVoice;
  set.querySelector("[data-no-voice]").hidden = hasVoice;
}

document.addEventListener("change", ({ target }) => {
  if (target.closest("form[data-look]")) wear(target.value);
  if (!target.closest("[data-caller-set]")) return;
  keep({ [target.name]: target.type === "checkbox" ? target.checked : Number(target.value) });
});

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-try]");
  if (!button) return;
  const all = { ...settings(), voice: true, sounds: true };
  play("win", all);
  speak(button.dataset.say, all);
});

document.addEventListener("sheet-opened", prepare);
prepare();
