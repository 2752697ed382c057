// The only script of the reference: search, trying a call with a key of one's own, copying, and one language for all examples. The
// pages are whole without it. The key stays in this page and is sent to this origin only.
const { root, index } = document.body.dataset;

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// --- search ---

const box = document.querySelector("search");
const input = box.querySelector("input");
const list = make("ul", { className: "found", hidden: true });
let entries = null;
let at = -1;

const load = () => {
  entries ??= fetch(index).then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))));
  entries.catch(() => (entries = null));
  return entries;
};

const weights = { page: 40, guide: 30, operation: 20, trigger: 10, condition: 10, step: 10, event: 8, field: 5 };

/** How well an entry fits: every word must be in it, at the beginning of one of its words or within. */
function scoreOf([kind, title, words], sought) {
  const name = title.toLowerCase();
  const rest = words.toLowerCase();
  let score = weights[kind] ?? 0;
  for (const word of sought) {
    const place = name.indexOf(word);
    if (place === 0) score += name.length === word.length ? 100 : 50;
    else if (place > 0) score += /\W|_/.test(name[place - 1]) ? 35 : 10;
    else if (rest.includes(word)) score += 8;
    else return 0;
  }
  const inText = kind === "guide" ? sought.filter((word) => !name.includes(word)) : [];
  return score + (inText.length === 0 ? 0 : matterOf(rest, inText)) - name.length / 20;
}

/** The words of a guide are in groups: first what it is about, and last what it only names. Of several words the one that it is least about counts. */
function matterOf(words, sought) {
  const groups = words.split(";");
  const places = sought.map((word) => groups.findIndex((group) => group.includes(word)));
  return 2 * (groups.length - 1 - Math.max(...places));
}

async function search() {
  const sought = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (sought.length === 0) return (list.hidden = true);
  const all = await load().catch(() => []);
  const best = all
    .map((entry) => ({ entry, score: scoreOf(entry, sought) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 20);
  list.replaceChildren(
    ...best.map(({ entry: [kind, title, words, path] }) =>
      make("li", {}, make("a", { href: `${root}/docs/${path}` }, title, make("small", {}, [kind, kind === "guide" ? "" : words.slice(0, 120)].filter(Boolean).join(" · ")))),
    ),
    ...(best.length === 0 ? [make("li", {}, make("p", {}, "Nothing has all of these words."))] : []),
  );
  list.hidden = false;
  at = -1;
}

const choose = (step) => {
  const links = [...list.querySelectorAll("a")];
  if (links.length === 0) return;
  at = (at + step + links.length) % links.length;
  links.forEach((link, i) => link.classList.toggle("at", i === at));
  links[at].scrollIntoView({ block: "nearest" });
};

box.hidden = false;
box.append(list);
input.addEventListener("focus", load);
input.addEventListener("input", search);
input.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") choose(event.key === "ArrowDown" ? 1 : -1);
  else if (event.key === "Enter") (list.querySelector("a.at") ?? list.querySelector("a"))?.click();
  else if (event.key === "Escape") input.value = "";
  else return;
  event.preventDefault();
  if (event.key === "Enter" || event.key === "Escape") list.hidden = true;
});
document.addEventListener("click", (event) => {
  if (!box.contains(event.target) || event.target.closest(".found a")) list.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea") || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  input.focus();
});

// --- one language for all examples ---

document.addEventListener("change", ({ target }) => {
  if (!target.matches(".tabs input")) return;
  const top = target.getBoundingClientRect().top;
  for (const other of document.querySelectorAll(`.tabs input[value="${target.value}"]`)) other.checked = true;
  window.scrollBy(0, target.getBoundingClientRect().top - top);
});

// --- trying a call ---

let key = "";

const field = (label, element) => make("label", {}, label, element);

function tryIt({ method, path, places, query, body, lasts, dry: canBeTried }) {
  const keyInput = make("input", { type: "password", value: key, autocomplete: "off", placeholder: "api_…", required: true });
  // "." and ".." would make another path of it, and so another call.
  const place = { required: true, autocomplete: "off", pattern: "\\s*(?!\\.{1,2}\\s*$)\\S.*", title: "An id" };
  const placeInputs = places.map((name) => make("input", { name, ...place }));
  const queryInput = make("input", { value: query, autocomplete: "off", placeholder: "name=value" });
  const bodyInput = body === null ? null : make("textarea", { value: body, spellcheck: false });
  const dry = !canBeTried ? null : make("input", { type: "checkbox", checked: true });
  const output = make("output");
  const close = make("button", { type: "button", className: "button plain", textContent: "Close" });
  const form = make(
    "form",
    {},
    make("h2", {}, `${method} ${path}`),
    field("Your key. It stays in this page.", keyInput),
    ...placeInputs.map((one) => field(one.name, one)),
    field("Query", queryInput),
    ...(bodyInput ? [field("Body", bodyInput)] : []),
    make("div", { className: "row" }, ...(dry ? [make("label", {}, dry, "Only try it (dry_run)")] : []), close, make("button", { className: "button", textContent: "Send" })),
    output,
  );
  const dialog = make("dialog", { ariaLabel: `Try ${method} ${path}` }, form);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    key = keyInput.value.trim();
    const filled = placeInputs.reduce((text, one) => text.replace(`{${one.name}}`, encodeURIComponent(one.value.trim())), path);
    const asked = new URLSearchParams(queryInput.value);
    if (dry?.checked) asked.set("dry_run", "true");
    const address = new URL(`${root}/api/v1${filled}${asked.size > 0 ? `?${asked}` : ""}`, location.origin);
    output.replaceChildren(await answerOf(address, { method, body: bodyInput?.value, lasts }));
  });
  document.body.append(dialog);
  dialog.showModal();
}

async function answerOf(address, { method, body, lasts }) {
  const began = performance.now();
  const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) };
  try {
    if (address.origin !== location.origin) throw new Error("Only this service is asked.");
    const answer = await fetch(address, { method, headers, body, redirect: "error", credentials: "omit", ...(lasts && { signal: AbortSignal.timeout(5000) }) });
    const text = lasts ? await firstPiece(answer) : await answer.text();
    const words = `${answer.status} in ${Math.round(performance.now() - began)} ms · ${answer.headers.get("x-request-id") ?? ""}`;
    return block(words, pretty(text));
  } catch (error) {
    return block("No answer", error.message);
  }
}

async function firstPiece(answer) {
  const { value } = await answer.body.pipeThrough(new TextDecoderStream()).getReader().read();
  return value ?? "";
}

const block = (words, text) =>
  make("figure", { className: "code" }, make("figcaption", {}, words), make("pre", { tabIndex: 0 }, make("code", {}, text)));

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

for (const part of document.querySelectorAll("[data-try]")) {
  const button = make("button", { type: "button", textContent: "Try it" });
  button.addEventListener("click", () => tryIt(JSON.parse(part.dataset.try)));
  part.querySelector(".tabs").append(button);
}
