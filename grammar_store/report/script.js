"use strict";

// Everything from the corpus is put into the page as text or as a copy of what is there already:
// nothing is ever parsed as HTML here.

const page = document.documentElement;
const find = (selector, within = document) => within.querySelector(selector);
const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
const data = JSON.parse(find("#data").textContent);
const numbers = new Intl.NumberFormat("en");
const many = (number, one, more) => `${numbers.format(number)} ${number === 1 ? one : more}`;

for (const part of findAll(".js")) part.hidden = false;

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function phrase(source, target) {
  const bar = element("span", "gs-bar", "|");
  bar.setAttribute("aria-hidden", "true");
  const sides = [source, target].map((text) => element("bdi", "gs-side", text));
  return element("span", "text", sides[0], " ", bar, " ", sides[1]);
}

// A label leads to its card, where there is one.
function label(number) {
  const name = "X" + number;
  if (!document.getElementById(name)) return element("span", "label", name);
  const link = element("a", "label", name);
  link.href = "#" + name;
  return link;
}

/* ---- Light and dark ------------------------------------------------------------------------- */

function useTheme(theme) {
  if (theme) page.dataset.theme = theme;
  else delete page.dataset.theme;
}

// Pages opened from files may have no storage, or one that they share.
const memory = {
  get() {
    try { return localStorage.getItem("grammar-store-theme") || ""; } catch { return ""; }
  },
  set(theme) {
    try { localStorage.setItem("grammar-store-theme", theme); } catch { /* only until it closes */ }
  },
};

for (const choice of findAll("[name=theme]")) {
  choice.checked = choice.value === memory.get();
  choice.addEventListener("change", () => {
    useTheme(choice.value);
    memory.set(choice.value);
  });
}
useTheme(memory.get());

/* ---- History -------------------------------------------------------------------------------- */

const slider = find("#step");
if (slider) {
  const { stops, classes, largest, texts } = data.history;
  const steps = new Map(findAll(".all-steps [data-step]").map((each) => [+each.dataset.step, each]));
  const total = stops[stops.length - 1];
  const line = find(".chart .now");

  const show = (place) => {
    const step = stops[place];
    const share = total ? (1000 * step) / total : 0;
    line.setAttribute("x1", share);
    line.setAttribute("x2", share);
    const amount = many(classes[place], "class", "classes");
    slider.setAttribute("aria-valuetext", `step ${numbers.format(step)} of ${numbers.format(total)}, ${amount}`);
    find(".step-number").textContent = step ? `Step ${numbers.format(step)} of ${numbers.format(total)}` : "Before the first step";
    find(".step-classes").textContent = amount;
    const what = find(".step-what");
    what.replaceChildren();
    if (steps.has(step)) what.append(...[...steps.get(step).childNodes].map((node) => node.cloneNode(true)));
    else what.textContent = "Every non-terminal was a class of its own.";
    const rows = [];
    for (let at = 0; at < largest[place].length; at += 2) {
      const [source, target, number] = texts[largest[place][at]];
      const members = largest[place][at + 1];
      const size = element("span", "", many(members, "member", "members"));
      const row = element("li", "", label(number), phrase(source, target), size);
      row.title = `${source} | ${target}`;
      rows.push(row);
    }
    find(".largest").replaceChildren(...rows);
  };

  const go = (place) => {
    slider.value = Math.max(0, Math.min(stops.length - 1, place));
    show(+slider.value);
  };
  slider.addEventListener("input", () => show(+slider.value));
  const ways = {
    first: () => 0,
    previous: () => +slider.value - 1,
    next: () => +slider.value + 1,
    last: () => stops.length - 1,
  };
  for (const button of findAll("[data-go]")) {
    button.addEventListener("click", () => go(ways[button.dataset.go]()));
  }
  find(".chart svg").addEventListener("click", (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const wanted = ((event.clientX - box.left) / box.width) * total;
    const distance = (place) => Math.abs(stops[place] - wanted);
    go(stops.reduce((best, _, place) => (distance(place) < distance(best) ? place : best), 0));
  });
  // Browsers keep the place of a slider when a page is loaded again.
  go(stops.length - 1);
}

/* ---- Search --------------------------------------------------------------------------------- */

// Some of each kind, so that members, of which there are most, leave room for the others.
const MOST = { member: 60, context: 25, sentence: 15 };
const query = find("#query");
const results = find("#results");
const cards = findAll(".card");
const folded = (text) => text.normalize("NFC").toLowerCase();
let entries = null;

// All that can be found, made when it is first needed: non-terminals from the index, then what
// stands on the cards.
function everything() {
  const { source, target, label: labels, count } = data.index;
  const made = source.map((text, place) => ({
    kind: "member",
    text: folded(`${text} | ${target[place]}`),
    number: labels[place],
    about: `${numbers.format(count[place])} ×`,
    content: () => phrase(text, target[place]),
  }));
  const known = new Set(made.map((entry) => `${entry.number} ${entry.text}`));
  for (const card of cards) {
    const number = +card.dataset.label.slice(1);
    for (const part of findAll("[data-kind]", card)) {
      const sides = findAll(":scope > .gs-side, .what > .gs-side, p > .gs-side", part);
      const text = folded(sides.map((side) => side.textContent).join(" | "));
      const { kind } = part.dataset;
      if (kind === "member" && known.has(`${number} ${text}`)) continue;
      const shown = kind === "context" ? find(".what", part) : part;
      made.push({
        kind,
        text: kind === "member" ? folded(part.textContent) : text,
        number,
        about: kind,
        content: () => {
          const copy = shown.cloneNode(true);
          const box = element("div", kind === "sentence" ? "example" : "text");
          box.append(...copy.childNodes);
          return box;
        },
      });
    }
  }
  return made;
}

// Show the classes of these numbers only; null for all.
function filter(classes) {
  for (const card of cards) card.hidden = classes !== null && !classes.has(+card.dataset.label.slice(1));
  const left = cards.filter((card) => !card.hidden).length;
  find("#filtered").hidden = classes === null;
  find("#filtered span").textContent = `Of ${many(cards.length, "card", "cards")} the search leaves ${numbers.format(left)}.`;
}

function search() {
  const terms = folded(query.value).split(/\s+/).filter(Boolean);
  results.hidden = terms.length === 0;
  if (results.hidden) {
    filter(null);
    find("#found").textContent = "";
    find(".hits").replaceChildren();
    return;
  }
  entries ??= everything();
  const hits = entries.filter((entry) => terms.every((term) => entry.text.includes(term)));
  const classes = new Set(hits.map((hit) => hit.number));
  filter(classes);
  const listed = Object.entries(MOST).flatMap(
    ([kind, most]) => hits.filter((hit) => hit.kind === kind).slice(0, most));
  find("#found").textContent = hits.length === 0
    ? `Nothing found among ${many(entries.length, "entry", "entries")}.`
    : `${many(hits.length, "match", "matches")} in ${many(classes.size, "class", "classes")}` +
      (listed.length < hits.length ? `; ${listed.length} of them are listed.` : ".");
  find(".hits").replaceChildren(...listed.map((hit) => {
    return element("li", "", label(hit.number), hit.content(), element("span", "kind", hit.about));
  }));
}

function clear() {
  query.value = "";
  search();
}

let waiting = 0;
query.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 80);
});
query.form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
query.addEventListener("focus", () => {
  results.hidden = find(".hits").childElementCount === 0;
});
find("#filtered button").addEventListener("click", () => {
  clear();
  query.focus();
});
document.addEventListener("keydown", (event) => {
  const inside = event.target.closest?.(".search, #results");
  const writing = event.target.closest?.("input:not([type=range], [type=radio]), textarea, select");
  if (event.key === "Escape" && inside) {
    query.focus();
    clear();
  } else if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    query.focus();
    query.select();
  }
});

// A link to a card works while a search hides it, and moves the focus there, for the keyboard.
document.addEventListener("click", (event) => {
  if (!event.target.closest?.(".search, #results")) results.hidden = true;
  const link = event.target.closest?.("a.label");
  const card = link && document.getElementById(link.hash.slice(1));
  if (card) {
    card.hidden = false;
    results.hidden = true;
    setTimeout(() => card.focus({ preventScroll: true }));
  }
});
