// The card grid: keeps the order in which cards are picked, never takes one too many, and
// asks the table what the hand makes so far.
const NAME_MS = 120; // a little after the last pick
const decks = new WeakMap();

function prepare(form) {
  if (decks.has(form)) return;
  const deck = { picks: [], timer: 0, asked: 0 };
  decks.set(form, deck);
  for (const box of form.querySelectorAll("[data-cell]")) box.removeAttribute("name");
  form.addEventListener("change", (event) => {
    if (event.target.matches("[data-cell]")) pick(form, deck, event.target);
  });
  show(form, deck);
}

function pick(form, deck, box) {
  deck.picks = deck.picks.filter((other) => other !== box);
  if (box.checked) deck.picks.push(box);
  if (deck.picks.length > Number(form.dataset.count)) deck.picks.shift().checked = false;
  show(form, deck);
}

function show(form, deck) {
  const left = Number(form.dataset.count) - deck.picks.length;
  form.querySelector("[data-picked]").replaceChildren(...deck.picks.map(picked));
  const text = form.querySelector("[data-left]");
  text.hidden = left === 0;
  if (deck.picks.length) text.textContent = left === 1 ? text.dataset.one : text.dataset.more.replace("#", left);
  form.querySelector(".deck-done").disabled = left !== 0;
  clearTimeout(deck.timer);
  if (form.dataset.name) deck.timer = setTimeout(() => name(form, deck), NAME_MS);
}

// The picked card again, with the field that posts it: the fields' order is the picks' order.
function picked(box) {
  const card = box.parentElement.querySelector(".card").cloneNode(true);
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: "card", value: box.value });
  card.append(field);
  return card;
}

async function name(form, deck) {
  const asked = ++deck.asked;
  const cards = deck.picks.map((box) => box.value).join(" ");
  const url = `${form.dataset.name}?${new URLSearchParams({ cards })}`;
  const answer = await fetch(url, { headers: { Accept: "application/json" } }).catch(() => null);
  if (!answer?.ok || asked !== deck.asked) return;
  const found = await answer.json().catch(() => null);
  if (!found) return; // cut off in the middle
  form.querySelector("[data-hand-name]").textContent = found.name;
  form.querySelector("[data-total]").textContent = cards ? found.total.replace("-", "−") : "";
}

const prepareAll = () => document.querySelectorAll("form[data-deck]").forEach(prepare);
document.addEventListener("sheet-opened", prepareAll);
prepareAll();
