/**
 * The player: one trace, or two side by side, moved by one integer.
 *
 * Rules of this file:
 *
 * 1. One ES module without imports or build step. The same text runs in JupyterLab, where anywidget imports it,
 *    and in the exported page, where it is inlined.
 * 2. Recorded text reaches the page as text nodes only and through `visible`. `h` is the one place that makes
 *    nodes; there is no innerHTML, no link, no style text made from data.
 * 3. A step touches what changed and nothing else; a jump starts from a keyframe. Nothing here is slower than
 *    linear in the steps.
 * 4. All that is above "The page" is pure: data in, data out, and exported for the tests.
 * 5. No sentence is written here; they come as `view.strings` and `view.sentences`.
 *
 * @typedef {{trace: object, sentences: string[], strings: Object<string,string>, page?: boolean}} View
 * @typedef {{mark: "new"|"changed"|"dropped", was?: number}} Mark
 */

// ---------------------------------------------------------------- Text

/** Code point ranges shown as tokens; the same table as `simulator/text/visible.py`. */
export const HIDDEN = [
  [0x00, 0x08], [0x0b, 0x0c], [0x0d, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x61c, 0x61c], [0x180e, 0x180e],
  [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0xd800, 0xdfff], [0xfeff, 0xfeff], [0xfff9, 0xfffb],
  [0xe0000, 0xe007f],
];

const UNSEEN = new RegExp(
  "[" + HIDDEN.map((range) => range.map((code) => `\\u{${code.toString(16)}}`).join("-")).join("") + "]", "gu");

/** `text` with every hidden or reordering character as a token such as ⟨U+202E⟩. */
export function visible(text) {
  return String(text).replace(/\r\n/g, "\n").replace(
    UNSEEN, (char) => `⟨U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** The first `limit` UTF-16 units of `text`, never half a character. */
export function clip(text, limit) {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit);
}

/** Put `values` in the placeholders of `sentence`: "step {n}" → "step 7". */
export function fill(sentence, values = {}) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/**
 * `value` as JSON on one line, in pieces: `[["k", '"path"'], ["", ": "], ["", '"."']]`; "k" marks a key.
 * Strings longer than `limit` are cut with an ellipsis.
 */
export function jsonPieces(value, limit = Infinity, depth = 0) {
  if (typeof value === "string") {
    const cut = clip(value, limit);
    return [["", JSON.stringify(visible(cut)) + (cut.length < value.length ? "…" : "")]];
  }
  if (value === null || typeof value !== "object") return [["", String(value)]];
  if (depth > 40) return [["", "…"]];
  const list = Array.isArray(value);
  const pieces = [["", list ? "[" : "{"]];
  Object.entries(value).forEach(([key, item], i) => {
    if (i) pieces.push(["", ", "]);
    if (!list) pieces.push(["k", JSON.stringify(visible(key))], ["", ": "]);
    for (const piece of jsonPieces(item, limit, depth + 1)) pieces.push(piece);
  });
  pieces.push(["", list ? "]" : "}"]);
  return pieces;
}

/** `value` as one line of JSON text. */
export function jsonText(value, limit) {
  return jsonPieces(value, limit).map((piece) => piece[1]).join("");
}

/** A call as a person writes it: `read_file(path: "a.txt")`. */
export function callText(name, input) {
  const pairs = input && typeof input === "object" ? Object.entries(input) : [];
  return name + "(" + pairs.map(([key, value]) => `${key}: ${jsonText(value, 200)}`).join(", ") + ")";
}

/** What a tool result or a message content says, as plain text. */
export function plainText(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : jsonText(content);
  return content.map((b) => (b && b.type === "text" ? String(b.text) : jsonText(b))).join("\n");
}

// ---------------------------------------------------------------- A trace, opened

/** `table[key]` where the table itself has it: a key may be recorded text, such as "constructor". */
function own(table, key) {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** The content of a message as blocks; a string is itself the one block. */
export function blocksOf(message) {
  const content = message && typeof message === "object" ? message.content : undefined;
  if (Array.isArray(content)) return content;
  return content === undefined ? [] : [content];
}

function idsOf(message, type, key) {
  return blocksOf(message).filter((b) => b && b.type === type).map((b) => b[key]);
}

/** The state after `ops`, as a new list of references into the pool. */
export function applyOps(refs, ops = []) {
  let next = refs.slice();
  for (const op of ops) {
    if (op.op === "append") for (const ref of op.refs) next.push(ref);
    else if (op.op === "splice") next.splice(op.at, op.delete, ...op.refs);
    else if (op.op === "replace") next[op.at] = op.ref;
    else next = op.refs.slice();
  }
  return next;
}

/** References of `messages[]` after step `n` (-1: before the first). Costs at most one stretch between keyframes. */
export function refsAt(model, n) {
  if (n < 0) return [];
  const { cache, steps } = model;
  if (cache.n === n) return cache.refs;
  let from = cache.n >= 0 && cache.n < n && n - cache.n < 64 ? cache.n : -1;
  let refs = from < 0 ? [] : cache.refs;
  for (let i = n; from < 0 && i >= 0; i--) {
    if (!steps[i].keyframe) continue;
    refs = steps[i].keyframe.flatMap(([start, count]) => Array.from({ length: count }, (_, k) => start + k));
    from = i;
  }
  for (let i = from + 1; i <= n; i++) if (steps[i].ops && steps[i].ops.length) refs = applyOps(refs, steps[i].ops);
  model.cache = { n, refs };
  return refs;
}

/** Open a document for stepping. One pass over its steps. */
export function openTrace(view) {
  const doc = view.trace;
  const model = {
    doc, steps: doc.steps, pool: doc.pool, sentences: view.sentences || [], cache: { n: -1, refs: [] },
    uses: doc.pool.map((m) => (m && m.role === "assistant" ? idsOf(m, "tool_use", "id") : [])),
    results: doc.pool.map((m) => (m && m.role === "user" ? idsOf(m, "tool_result", "tool_use_id") : [])),
    labels: new Map(),
  };
  for (const step of doc.steps) if (step.kind === "response") for (const id of model.uses[step.ref] || []) label(model, id);
  for (const ids of model.uses) for (const id of ids) label(model, id);
  model.rows = conversation(model);
  model.rowsUpTo = countUpTo(model.rows.map((row) => row.n), doc.steps.length);
  model.tally = tally(model);
  return model;
}

function label(model, id) {
  if (!model.labels.has(id)) model.labels.set(id, model.labels.size + 1);
  return model.labels.get(id);
}

function countUpTo(sorted, length) {
  const counts = [];
  for (let n = 0, k = 0; n < length; n++) {
    while (k < sorted.length && sorted[k] <= n) k++;
    counts.push(k);
  }
  return counts;
}

// ---------------------------------------------------------------- What changed

/** Longest common subsequence of two short lists, as pairs of indices. */
export function lcs(a, b, same = (x, y) => x === y) {
  const width = b.length + 1;
  const best = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] = same(a[i], b[j])
        ? best[(i + 1) * width + j + 1] + 1
        : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (same(a[i], b[j]) && best[i * width + j] === best[(i + 1) * width + j + 1] + 1) pairs.push([i++, j++]);
    else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i++;
    else j++;
  }
  return pairs;
}

/**
 * How `before` became `after`: `{marks: Map(index in after → Mark), ghosts: [{at, item}], prefix}`.
 * As many dropped as new between two kept ones, and alike by `akin`, are changes; else they are drops and news.
 */
export function difference(before, after, same, akin) {
  const shortest = Math.min(before.length, after.length);
  let prefix = 0, suffix = 0;
  while (prefix < shortest && same(before[prefix], after[prefix])) prefix++;
  while (suffix < shortest - prefix && same(before.at(-1 - suffix), after.at(-1 - suffix))) suffix++;
  const old = before.slice(prefix, before.length - suffix);
  const fresh = after.slice(prefix, after.length - suffix);
  const kept = old.length * fresh.length > 250000 ? [] : lcs(old, fresh, same);
  const marks = new Map(), ghosts = [];
  let i = 0, j = 0;
  for (const [nextI, nextJ] of [...kept, [old.length, fresh.length]]) {
    const changed = nextI - i === nextJ - j && old.slice(i, nextI).every((item, k) => akin(item, fresh[j + k]));
    for (let k = i; k < nextI && !changed; k++) ghosts.push({ at: prefix + j, item: old[k] });
    for (let k = j; k < nextJ; k++) {
      marks.set(prefix + k, changed ? { mark: "changed", was: old[i + k - j] } : { mark: "new" });
    }
    i = nextI + 1;
    j = nextJ + 1;
  }
  return { marks, ghosts, prefix };
}

/** How the messages of one state became those of another. */
export function messageChanges(model, before, after) {
  const role = (ref) => (model.pool[ref] || {}).role;
  return difference(before, after, (a, b) => a === b, (a, b) => role(a) === role(b));
}

/** How the content blocks of one message became those of another. */
export function blockChanges(before, after) {
  const key = (block) => JSON.stringify(block);
  const type = (block) => (block && block.type) || typeof block;
  return difference(blocksOf(before), blocksOf(after), (a, b) => key(a) === key(b), (a, b) => type(a) === type(b));
}

// ---------------------------------------------------------------- Who answers whom

function neighbours(model, refs, i, step, role) {
  const found = [];
  let k = i + step;
  // The API joins same-role neighbours, so skip the message's own side first when looking back.
  const own = (model.pool[refs[i]] || {}).role;
  while (step < 0 && k >= 0 && (model.pool[refs[k]] || {}).role === own) k += step;
  while (step > 0 && k < refs.length && (model.pool[refs[k]] || {}).role === own) k += step;
  for (; k >= 0 && k < refs.length && (model.pool[refs[k]] || {}).role === role; k += step) found.push(refs[k]);
  return found;
}

/**
 * For each block of message `i`: null, or `{label, state}` for a call ("answered", "waiting", "no_result") and
 * for a result ("answered", "no_call"). `sent` says that this state has been sent, so nothing more can come.
 */
export function pairing(model, refs, i, sent) {
  const message = model.pool[refs[i]];
  const mine = blocksOf(message);
  if (message && message.role === "assistant" && model.uses[refs[i]].length) {
    const turns = neighbours(model, refs, i, 1, "user");
    const answered = new Set(turns.flatMap((ref) => model.results[ref]));
    const open = turns.length || sent ? "no_result" : "waiting";
    return mine.map((b) => b && b.type === "tool_use"
      ? { label: model.labels.get(b.id), state: answered.has(b.id) ? "answered" : open } : null);
  }
  if (message && message.role === "user" && model.results[refs[i]].length) {
    const asked = new Set(neighbours(model, refs, i, -1, "assistant").flatMap((ref) => model.uses[ref]));
    return mine.map((b) => b && b.type === "tool_result"
      ? { label: model.labels.get(b.tool_use_id), state: asked.has(b.tool_use_id) ? "answered" : "no_call" } : null);
  }
  return mine.map((b) => b && b.type === "tool_result" ? { label: undefined, state: "no_call" } : null);
}

/** True when after step `n` nothing can be added to what the model has been sent. */
export function isSent(step) {
  return Boolean(step) && (step.kind === "request" || step.kind === "response" || step.kind === "exit");
}

// ---------------------------------------------------------------- The conversation lane

/** The rows of the conversation, each with the step `n` that brings it, in order. */
export function conversation(model) {
  const told = { texts: new Set(), results: new Set(), seen: new Set(), open: [], answered: false };
  const rows = [];
  model.steps.forEach((step, n) => {
    const add = (kind, row) => rows.push({ n, kind, ...row });
    newMessages(model, step, told).forEach((message) => spoken(model, message, told, add));
    if (step.kind === "request") requestRow(model, n, step, told, add);
    else if (step.kind === "response") answerRows(model, step, told, add);
    else if (step.kind === "tool_result") {
      told.results.add(step.id);
      told.answered = true;
      add("result", { label: model.labels.get(step.id), name: step.name, content: step.content, failed: step.is_error });
    } else if (step.kind === "exit") add("exit", { step });
  });
  return threaded(rows);
}

/** Mark the rows between a call and the last result of its turn ("start", "through", "end"), and who speaks on. */
function threaded(rows) {
  let calls = [], speaker = "";
  rows.forEach((row, i) => {
    const now = row.kind === "text" ? row.role : { call: "assistant", other: "assistant", result: "tool" }[row.kind] || row.kind;
    row.quiet = now === speaker;
    speaker = row.kind === "stop" ? speaker : now;
    if (row.kind === "request") calls = [];
    else if (row.kind === "call") calls.push(i);
    else if (row.kind === "result" && calls.length) {
      for (let k = calls[0]; k < i; k++) rows[k].thread = k === calls[0] ? "start" : "through";
      row.thread = "end";
    }
  });
  return rows;
}

function newMessages(model, step, told) {
  const found = [];
  for (const op of step.ops || []) {
    for (const ref of op.op === "replace" ? [op.ref] : op.refs) {
      if (op.op === "append" || !told.seen.has(ref)) found.push(model.pool[ref]);
      told.seen.add(ref);
    }
  }
  return found;
}

function spoken(model, message, told, add) {
  const echo = (text) => message.role === "assistant" && told.texts.has(text);
  for (const block of blocksOf(message)) {
    const text = typeof block === "string" ? block : block && block.type === "text" ? block.text : null;
    if (text !== null && !echo(text)) add("text", { role: message.role, text: String(text) });
    else if (block && block.type === "tool_use" && !told.texts.has(block.id)) callRow(model, block, told, add);
    else if (block && block.type === "tool_result" && !told.results.has(block.tool_use_id) && !told.answered) {
      add("result", { label: model.labels.get(block.tool_use_id), content: block.content, failed: block.is_error });
    }
  }
}

function callRow(model, block, told, add) {
  told.texts.add(block.id);
  told.open.push(block.id);
  add("call", { label: model.labels.get(block.id), name: block.name, input: block.input });
}

function requestRow(model, n, step, told, add) {
  const refs = refsAt(model, n);
  const sent = new Set(refs.slice(-4).flatMap((ref) => model.results[ref]));
  const lost = told.open.filter((id) => !sent.has(id) && !refs.some((ref) => model.results[ref].includes(id)));
  add("request", { turn: step.turn, count: refs.length, repeats: step.repeats,
                   lost: lost.map((id) => model.labels.get(id)) });
  told.open = [];
  told.answered = false;
}

function answerRows(model, step, told, add) {
  if (step.error) return add("error", { status: step.status, error: step.error });
  for (const block of blocksOf(model.pool[step.ref])) {
    if (typeof block === "string" || (block && block.type === "text")) {
      const text = typeof block === "string" ? block : block.text;
      told.texts.add(text);
      add("text", { role: "assistant", text: String(text) });
    } else if (block && block.type === "tool_use") callRow(model, block, told, add);
    else add("other", { block });
  }
  return add("stop", { reason: step.stop_reason, branch: step.branch, insteadOf: step.instead_of });
}

// ---------------------------------------------------------------- The rail and the budget

/** The seven values of `stop_reason`, in the order of the rail. */
export const SIGNALS = ["end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn", "refusal",
                        "model_context_window_exceeded"];
/** What else can end or turn a loop. */
export const GUARDS = ["limit", "error", "exit"];

const ENDS = { returned: "exit", exited: "exit", recorded: "exit", runaway: "limit", deadline: "limit" };

/** Running figures, one entry for each step: the answer and the decision in force, requests, tokens. */
export function tally(model) {
  const now = { request: -1, response: -1, branch: -1, guard: -1, requests: 0, input: 0, output: 0, last: 0 };
  const visits = Object.create(null);
  const at = model.steps.map((step, n) => {
    if (step.kind === "request") Object.assign(now, { request: n, response: -1, branch: -1, requests: now.requests + 1 });
    else if (step.kind === "response") {
      Object.assign(now, { response: n, guard: -1, ...tokens(now, step.usage || {}) });
      (visits[step.error ? "error" : step.stop_reason] ||= []).push(n);
    } else if (step.kind === "branch") now[step.guard ? "guard" : "branch"] = n;
    return { ...now };
  });
  return { at, visits };
}

function tokens(now, usage) {
  const read = (key) => (Number.isFinite(usage[key]) ? usage[key] : 0);
  const last = read("input_tokens") + read("cache_creation_input_tokens") + read("cache_read_input_tokens");
  return { input: now.input + last, output: now.output + read("output_tokens"), last };
}

/**
 * What the rail shows after step `n`: `{states: {name: "seen"|"taken"|"checked"}, visits, test, answer}`.
 * Names that are not in `states` were not taken.
 */
export function railAt(model, n) {
  const states = Object.create(null), visits = Object.create(null);
  const now = model.tally.at[n];
  for (const [name, list] of Object.entries(model.tally.visits)) visits[name] = list.filter((k) => k <= n).length;
  if (!now) return { states, visits, test: null, answer: 0 };
  const step = model.steps[n];
  const response = model.steps[now.response];
  const ended = step.kind === "exit";
  if (now.guard >= 0) states.limit = ended && now.guard > Math.max(now.branch, now.request) ? "taken" : "checked";
  if (response) {
    const name = response.error ? "error" : String(response.stop_reason);
    states[name] = now.branch >= 0 || ended || response.error ? "taken" : "seen";
  }
  if (ended) states[ENDS[step.reason] || "error"] = "taken";
  const decided = model.steps[Math.max(now.branch, now.guard)];
  return { states, visits, test: decided || null, answer: response ? now.requests : 0 };
}

/** The loop's own limit on requests, as `{name, value}`, when its arguments show one. */
export function capOf(doc) {
  const named = Object.entries((doc.loop && doc.loop.arguments) || {});
  const found = named.find(([name, value]) => Number.isInteger(value) && value > 0
    && /max|limit|cap|budget/i.test(name) && /iter|turn|step|request|round|call/i.test(name));
  return found ? { name: found[0], value: found[1] } : null;
}

// ---------------------------------------------------------------- One cursor over one or two traces

/**
 * Two traces on one cursor: rows `[n in left | null, n in right | null]`. Steps are matched by kind (and tool)
 * within one turn, by longest common subsequence; what has no partner faces a gap.
 */
export function align(left, right) {
  const key = (step) => step.kind + (step.name || "");
  const groups = [left, right].map((steps) => {
    const turns = new Map();
    steps.forEach((step, n) => turns.set(step.turn, [...(turns.get(step.turn) || []), n]));
    return turns;
  });
  const turns = [...new Set([...groups[0].keys(), ...groups[1].keys()])].sort((a, b) => a - b);
  return turns.flatMap((turn) => {
    const a = groups[0].get(turn) || [], b = groups[1].get(turn) || [];
    const rows = [];
    let i = 0, j = 0;
    for (const [p, q] of [...lcs(a, b, (x, y) => key(left[x]) === key(right[y])), [a.length, b.length]]) {
      while (i < p) rows.push([a[i++], null]);
      while (j < q) rows.push([null, b[j++]]);
      if (p < a.length) rows.push([a[i++], b[j++]]);
    }
    return rows;
  });
}

/** What a step did, as text that is equal when two loops did the same; how a test is spelled does not count. */
export function signature(model, n) {
  const step = model.steps[n];
  const message = (ref) => JSON.stringify(model.pool[ref]);
  switch (step.kind) {
    case "request": return `request ${step.digest}`;
    case "response": return `response ${step.status} ${step.stop_reason} ${message(step.ref)}`;
    case "branch": return `branch ${step.signal} ${Boolean(step.guard)}`;
    case "tool_call": return `call ${step.name} ${JSON.stringify(step.input)}`;
    case "tool_result": return `result ${JSON.stringify(step.content)} ${Boolean(step.is_error)}`;
    case "exit": return `exit ${step.reason} ${step.error_type}`;
    case "append": return "append " + (step.ops || []).flatMap((op) => op.refs || [op.ref]).map(message).join();
    default: return step.kind;
  }
}

/** The first row in which two aligned traces part, or -1. */
export function firstDifference(models, rows) {
  return rows.findIndex(([a, b]) => a === null || b === null || signature(models[0], a) !== signature(models[1], b));
}

/** One cursor: `{length, stops, branches, parting, sides: [{model, at, own}]}`; `at[row]` is the step in force. */
export function openTrack(view) {
  const models = (view.left ? [view.left, view.right] : [view]).map(openTrace);
  const rows = models.length === 2 ? align(models[0].steps, models[1].steps) : models[0].steps.map((_, n) => [n]);
  const sides = models.map((model, s) => {
    let last = -1;
    return { model, own: rows.map((row) => row[s]), at: rows.map((row) => (last = row[s] ?? last)) };
  });
  const where = (test) => rows.flatMap((row, r) => (row.some((n, s) => n !== null && test(models[s], n)) ? [r] : []));
  const kind = models.some((m) => m.steps.some((step) => step.kind === "branch")) ? "branch" : "response";
  return {
    length: rows.length, sides,
    stops: where((model, n) => model.steps[n].kind === "request" || n === model.steps.length - 1),
    branches: where((model, n) => model.steps[n].kind === kind),
    parting: models.length === 2 ? firstDifference(models, rows) : -1,
  };
}

/** The first of `sorted` after `row`, or null. */
export function after(sorted, row) {
  return sorted.find((r) => r > row) ?? null;
}

/** The last of `sorted` before `row`, or null. */
export function before(sorted, row) {
  return sorted.findLast((r) => r < row) ?? null;
}

const KEYS = { ArrowLeft: "back", ArrowRight: "step", Home: "first", End: "last", " ": "play", b: "next_branch",
               B: "previous_branch", x: "difference", g: "go", "?": "help" };

/**
 * What a key does: an action's name, "keep" for a key that is only kept from the notebook, or null for one that
 * is none of the player's business (Tab, Escape, anything with Ctrl, Alt or Meta, and Shift+Enter: like Ctrl+Enter
 * it runs a cell, in the player as everywhere in a notebook).
 */
export function keyAction(event, tag = "") {
  if (event.ctrlKey || event.altKey || event.metaKey || event.key === "Tab" || event.key === "Escape") return null;
  if (event.shiftKey && event.key === "Enter") return null;
  if (tag === "select" || tag === "number") return "keep";
  if (tag === "button" && event.key === " ") return "keep";
  return KEYS[event.key] || "keep";
}

// ---------------------------------------------------------------- The page

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "path"]);

/** Make one element. Strings among `children` become visible text nodes; attributes are ours, never data. */
function h(tag, attributes = {}, ...children) {
  const el = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) el.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) el.setAttribute(name, visible(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) el.append(child instanceof Node ? child : visible(child));
  }
  return el;
}

function say(el, text) {
  const shown = visible(text);
  if (el.textContent !== shown) el.textContent = shown;
}

const ICONS = {
  first: "M3 3v10M13 3L6 8l7 5z", last: "M13 3v10M3 3l7 5-7 5z", play: "M5 3l8 5-8 5z", pause: "M5 3v10M11 3v10",
  reset: "M4 5a5.2 5.2 0 1 1-1 5M3 2v4h4", help: "M5.5 6a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.7-.9 1.4v.3M8 12.6v.4",
};

function icon(name) {
  return h("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true", focusable: "false" },
    h("path", { d: ICONS[name] }));
}

/** Text that may be long: its beginning, and a button that shows the rest. */
function long(text, s, limit = 900) {
  const cut = clip(text, limit);
  if (cut.length === text.length) return [h("span", { class: "v" }, text)];
  const body = h("span", { class: "v" }, cut + "…");
  const more = h("button", { type: "button", class: "more" }, fill(s.show_all, { count: text.length }));
  more.addEventListener("click", () => { say(body, text); more.remove(); });
  return [body, more];
}

function jsonNodes(value, limit) {
  return jsonPieces(value, limit).map(([kind, text]) => (kind ? h("span", { class: "k" }, text) : text));
}

/** The chip that pairs a call with its result: the same number, the same hue, and a word where one is missing. */
function chip(pair, s) {
  if (!pair) return null;
  const number = pair.label === undefined ? "#?" : `#${pair.label}`;
  const hue = pair.label === undefined ? "none" : String((pair.label - 1) % 6);
  const word = pair.state === "answered" || !pair.state ? null : s[pair.state];
  return h("span", { class: "chip", "data-hue": hue, "data-state": pair.state || "answered" },
    number, word && h("b", {}, word));
}

function mark(kind, s) {
  return h("span", { class: "mark", "data-mark": kind }, s[kind]);
}

// ---- messages[]

/** The element of one message: a line for the role, a line for each block, the closing bracket. */
function messageElement(message, s) {
  const odd = message === null || typeof message !== "object" || Array.isArray(message);
  if (odd) return h("li", { class: "msg" }, h("div", { class: "line" }, index(), h("code", {}, jsonNodes(message, 600))));
  const { role, content, ...rest } = message;
  const open = ["{", h("span", { class: "k" }, '"role"'), ": ", h("span", { class: "role" }, jsonText(role)), ", ",
                jsonNodes(rest, 600).slice(1, -1), Object.keys(rest).length ? ", " : "",
                h("span", { class: "k" }, '"content"'), ":", Array.isArray(content) ? " [" : ""];
  const blocks = blocksOf(message).map((block) => blockElement(block, s));
  const last = blocks.at(-1) || null;
  if (last) last.querySelector("code").append(Array.isArray(content) ? " ]}" : " }");
  return h("li", { class: "msg", "data-role": ["user", "assistant"].includes(role) ? role : "other" },
    h("div", { class: "line head" }, index(), h("code", {}, open, last ? null : "]}")), blocks);
}

function index() {
  return h("span", { class: "index" });
}

function blockElement(block, s) {
  const body = h("span", {}, jsonNodes(block, 600)), code = h("code", {}, body);
  if (jsonText(block).length > jsonText(block, 600).length) {
    const more = h("button", { type: "button", class: "more" }, fill(s.show_all, { count: jsonText(block).length }));
    more.addEventListener("click", () => { body.replaceChildren(h("span", {}, jsonNodes(block))); more.remove(); });
    code.append(more);
  }
  return h("div", { class: "line block" }, h("span", { class: "slot" }), code);
}

/** The lane of messages[]: keeps one element for each message and touches only those that differ. */
function messagesLane(model, s) {
  const list = h("ol", { class: "messages" });
  const count = h("span", { class: "note" });
  const state = { refs: [], items: [], ghosts: [], marked: [], pairs: [] };

  function sync(refs) {
    const { refs: old, items } = state;
    const shortest = Math.min(old.length, refs.length);
    let head = 0, tail = 0;
    while (head < shortest && old[head] === refs[head]) head++;
    while (tail < shortest - head && old.at(-1 - tail) === refs.at(-1 - tail)) tail++;
    const fresh = refs.slice(head, refs.length - tail).map((ref) => messageElement(model.pool[ref], s));
    for (const el of items.splice(head, old.length - head - tail, ...fresh)) el.remove();
    if (head + fresh.length === items.length) list.append(...fresh);
    else items[head + fresh.length].before(...fresh);
    const moved = old.length === refs.length ? head + fresh.length : items.length;
    for (let i = head; i < moved; i++) say(items[i].querySelector(".index"), `[${i}]`);
    state.refs = refs;
    return Math.min(head, refs.length);
  }

  function clear() {
    for (const el of state.ghosts.splice(0)) el.remove();
    for (const el of state.marked.splice(0)) {
      delete el.dataset.mark;
      for (const old of el.querySelectorAll(".mark, .ghost")) old.remove();
      for (const line of el.querySelectorAll("[data-mark]")) delete line.dataset.mark;
    }
  }

  function flag(i, change) {
    const el = state.items[i];
    state.marked.push(el);
    el.dataset.mark = change.mark;
    el.querySelector(".line").append(mark(change.mark, s));
    if (change.mark !== "changed") return;
    const { marks, ghosts } = blockChanges(model.pool[change.was], model.pool[state.refs[i]]);
    const lines = [...el.querySelectorAll(".block")];
    for (const [k, { mark: kind }] of marks) {
      lines[k].dataset.mark = kind;
      lines[k].append(mark(kind, s));
    }
    for (const { at, item } of ghosts) {
      const ghost = blockElement(item, s);
      ghost.classList.add("ghost");
      ghost.append(mark("dropped", s));
      if (lines[at]) lines[at].before(ghost); else el.append(ghost);
    }
  }

  function haunt({ at, item }) {
    const el = messageElement(model.pool[item], s);
    el.classList.add("ghost");
    el.dataset.mark = "dropped";
    say(el.querySelector(".index"), "[ ]");
    el.querySelector(".line").append(mark("dropped", s));
    state.ghosts.push(el);
    if (state.items[at]) state.items[at].before(el); else list.append(el);
  }

  function pair(from, sent) {
    state.pairs.length = state.refs.length;
    for (let i = Math.max(0, from); i < state.refs.length; i++) {
      const pairs = pairing(model, state.refs, i, sent);
      const key = pairs.map((p) => (p ? p.label + p.state : "")).join();
      const el = state.items[i];
      if (el.pairKey === key) continue;
      el.pairKey = key;
      el.querySelectorAll(".block:not(.ghost) > .slot").forEach((slot, k) => {
        slot.replaceChildren(...(pairs[k] ? [chip(pairs[k], s)] : []));
      });
    }
  }

  function show(n, previous) {
    clear();
    const was = n === previous ? refsAt(model, n) : refsAt(model, previous);
    const refs = refsAt(model, n);
    const moved = state.refs.length !== refs.length;
    const from = sync(refs);
    const { marks, ghosts } = messageChanges(model, was, refs);
    for (const [i, change] of marks) flag(i, change);
    for (const ghost of ghosts) haunt(ghost);
    pair(Math.min(from, refs.length) - 3, isSent(model.steps[n]));
    say(count, fill(refs.length === 1 ? s.turns_one : s.turns, { count: refs.length }));
    const told = [...state.ghosts, ...[...marks.keys()].map((i) => state.items[i])].sort(byPlace);
    if (told.length) return [told[0], told.at(-1)];
    return moved && refs.length ? [state.items.at(-1), state.items.at(-1)] : null;
  }

  return { el: lane("messages", "messages[]", count, list), show, list, way: "near" };
}

function byPlace(a, b) {
  return a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

/** One lane: a labelled region that scrolls by itself. */
function lane(name, title, note, ...body) {
  return h("div", { class: "lane", "data-lane": name },
    h("div", { class: "lane-head" }, h("span", { class: "lane-title" }, title), note),
    h("div", { class: "lane-body", tabindex: "0", role: "group", "aria-label": title }, body));
}

/** Pixels at the upper and lower edge of a lane in which its lines fade; what is revealed stays clear of them. */
const FADE = 12;

/** Lines of source that stand before and after the current one, where there are as many. */
const AROUND = 3;

/** How far `[first, last]` may scroll its lane; the page itself never moves. */
function extent([first, last], body) {
  const top = first.offsetTop - FADE, bottom = last.offsetTop + last.offsetHeight + FADE;
  return { top, bottom, fits: bottom - top <= body.clientHeight };
}

/** Three ways to bring the elements from `first` to `last` into sight. Each returns where the lane should stand. */
const REVEAL = {
  /** As little as it takes; the beginning of what is longer than the lane. */
  near(range, body) {
    const { top, bottom, fits } = extent(range, body);
    if (!fits || top < body.scrollTop) return top;
    return Math.max(body.scrollTop, bottom - body.clientHeight);
  },
  /** The end of the lane, as far as `first` allows. */
  end([first], body) {
    return Math.min(body.scrollHeight - body.clientHeight, first.offsetTop - FADE);
  },
  /** With a few lines around it; in the middle when the lane has to move. */
  among(range, body) {
    const line = range[0], { top, bottom } = extent(range, body);
    const free = Math.max(0, (body.clientHeight - (bottom - top)) / 2);
    const margin = Math.min(free, AROUND * line.firstElementChild.offsetHeight);
    const seen = top - margin >= body.scrollTop && bottom + margin <= body.scrollTop + body.clientHeight;
    return seen ? body.scrollTop : top - free;
  },
};

/** Move a lane to where `range` is seen; whether it moved. */
function reveal(range, body, way) {
  const was = body.scrollTop;
  body.scrollTop = Math.max(0, REVEAL[way](range, body));
  return Math.abs(body.scrollTop - was) > 1;
}

/** Look again once it has been drawn, until nothing moves: the heights of what was never in sight were guesses. */
function settle(look, times = 6) {
  requestAnimationFrame(() => requestAnimationFrame(() => { if (look() && times > 1) settle(look, times - 1); }));
}

// ---- conversation

const ROWS = {
  request: (row, s) => [h("span", { class: "rule" }, fill(s.request_row, { turn: row.turn })),
    row.repeats ? h("b", { class: "flag" }, fill(s.same_as, { turn: row.repeats })) : null,
    row.lost.length ? h("b", { class: "flag" }, fill(s.lost, { calls: row.lost.map((k) => `#${k}`).join(", ") })) : null],
  text: (row, s) => [who(row.role, s), h("div", { class: "said" }, long(row.text, s))],
  call: (row, s) => [who("assistant", s), h("div", { class: "said chipped" }, chip({ label: row.label }, s),
    h("code", {}, callText(row.name, row.input)))],
  other: (row, s) => [who("assistant", s), h("div", { class: "said" }, h("code", {}, jsonNodes(row.block, 300)))],
  stop: (row, s) => [h("span", { class: "who" }), h("div", { class: "said reason" }, "stop_reason ",
    h("code", {}, jsonText(row.reason ?? null)), row.branch ? [" ", h("i", {}, fill(s.by_branch, { branch: row.branch }))] : null,
    row.insteadOf ? [" ", h("b", { class: "flag what-if" }, fill(s.instead_of, { signal: clip(row.insteadOf, 80) }))] : null)],
  result: (row, s) => [who("tool", s), h("div", { class: "said chipped" }, chip({ label: row.label }, s),
    row.failed ? h("b", { class: "flag" }, s.failed) : null, h("code", {}, long(plainText(row.content), s, 500)))],
  error: (row, s) => [who("api", s), h("div", { class: "said" },
    h("b", { class: "flag" }, `${row.status} ${row.error.type ?? ""}`), " ", long(String(row.error.message ?? ""), s))],
  exit: (row, s) => [who("exit", s), h("div", { class: "said" }, h("b", {}, own(s.exit, row.step.reason) ?? row.step.reason),
    row.step.error_type ? [" ", h("code", {}, clip(row.step.error_type, 80))] : null)],
};

function who(role, s) {
  return h("span", { class: "who" }, own(s.who, role) ?? String(role));
}

/** The lane of the conversation: rows come and go at its end only. */
function conversationLane(model, s) {
  const list = h("ol", { class: "talk" });
  let marked = [];
  function show(n, previous) {
    const wanted = n < 0 ? 0 : model.rowsUpTo[n], old = previous < 0 ? 0 : model.rowsUpTo[previous];
    while (list.childElementCount > wanted) list.lastElementChild.remove();
    for (let i = list.childElementCount; i < wanted; i++) list.append(rowElement(model.rows[i], s));
    for (const el of marked) { delete el.dataset.mark; el.querySelector(".mark").remove(); }
    marked = old < wanted ? [...list.children].slice(old) : [];
    for (const el of marked) { el.dataset.mark = "new"; el.append(mark("new", s)); }
    const first = marked[0] || list.lastElementChild;
    return first && [first, list.lastElementChild];
  }
  return { el: lane("conversation", s.conversation, null, list), show, way: "end" };
}

function rowElement(row, s) {
  return h("li", { class: "row", "data-kind": row.kind, "data-role": row.role === "user" ? "user" : null,
                   "data-thread": row.thread, "data-quiet": row.quiet }, ROWS[row.kind](row, s));
}

// ---- the loop's source

const WHEN = { request: "running", response: "just_ran", branch: "just_decided", tool_call: "about_to_run",
               tool_result: "just_ran", append: "just_ran", line: "about_to_run", exit: "left_here" };

/** One line of source; where it wraps, it goes on under its own indent. */
function sourceLine(number, text) {
  const code = h("code", {}, text.trimStart() || " ");
  code.style.setProperty("--indent", `${text.replace(/\t/g, "    ").search(/\S|$/)}ch`);
  return h("li", { class: "src" }, h("span", { class: "num" }, String(number)), h("span", { class: "here" }), code);
}

/** The lane of the loop's source with the line of this step. */
function sourceLane(model, s) {
  const source = model.doc.source;
  const lines = source ? source.text.replace(/\r?\n$/, "").split(/\r?\n/).map((text, i) => sourceLine(i + 1, text)) : [];
  const note = h("span", { class: "note" });
  const name = clip((model.doc.loop && model.doc.loop.name) || "", 80);
  let current = null;
  function show(n) {
    const step = model.steps[n];
    const next = step && step.line ? lines[step.line - 1] : null;
    if (current) { current.removeAttribute("aria-current"); delete current.dataset.when; current.children[1].textContent = ""; }
    current = next || null;
    const when = step ? WHEN[step.kind] : null;
    say(note, next ? `${name ? name + ", " : ""}${fill(s.line, { line: step.line })}: ${s.when[when]}` : source ? s.no_line : "");
    if (!current) return null;
    current.setAttribute("aria-current", "step");
    current.dataset.when = when;
    current.children[1].textContent = when === "about_to_run" || when === "running" ? "▶" : "✓";
    return [current, current];
  }
  const body = source ? h("ol", { class: "source" }, lines) : h("p", { class: "empty" }, s.no_source);
  return { el: lane("loop", s.loop, note, body), show, way: "among" };
}

// ---- the rail

/** The branch rail: a trunk with one stop for each value of stop_reason and each guard. */
function railLane(model, s) {
  const unknown = Object.keys(model.tally.visits).filter((name) => name !== "error" && !SIGNALS.includes(name));
  const stop = (name, known) => {
    const parts = { count: h("span", { class: "visits" }), state: h("span", { class: "state" }) };
    const el = h("li", { class: "stop" }, h("span", { class: "dot" }), h("code", {}, known || name),
      parts.state, h("span", { class: "meaning" }, own(s.means, name) ?? s.means.unknown), parts.count);
    return { name, el, ...parts };
  };
  const stops = [...SIGNALS, ...unknown].map((name) => stop(name));
  const guards = GUARDS.map((name) => stop(name, s.guard[name]));
  const head = h("div", { class: "rail-root" });
  const test = h("p", { class: "test" });
  const body = h("div", { class: "rail" }, head, h("ol", {}, stops.map((x) => x.el)),
    h("div", { class: "rail-split" }, s.guards), h("ol", {}, guards.map((x) => x.el)), test);
  return { el: lane("rail", s.rail, null, body), show: (n) => showRail(model, n, [...stops, ...guards], head, test, s) };
}

function showRail(model, n, stops, head, test, s) {
  const { states, visits, test: step, answer } = railAt(model, n);
  const deepest = stops.findLastIndex((x) => states[x.name] === "taken" || states[x.name] === "seen");
  stops.forEach((stop, i) => {
    const state = states[stop.name] || "open";
    stop.el.dataset.state = state;
    stop.el.toggleAttribute("data-passed", i < deepest);
    say(stop.state, state === "open" ? "" : s.state[state]);
    say(stop.count, visits[stop.name] ? `×${visits[stop.name]}` : "");
  });
  head.toggleAttribute("data-live", answer > 0);
  say(head, answer ? fill(s.answer, { turn: answer }) : s.no_answer);
  test.replaceChildren(...(states.error && !step ? [visible(s.refused_test)] : testNodes(step, s)));
  return null;
}

function testNodes(step, s) {
  if (!step) return [visible(s.no_test)];
  if (!step.test) return [visible(s.unseen_test)];
  return [h("code", {}, step.test), " → ", h("b", {}, step.value === true ? "True" : step.value === false ? "False" : "?"),
          h("span", { class: "note" }, step.line ? fill(s.line, { line: step.line }) : "")];
}

// ---- the budget

/** The budget: requests of the loop's own limit, tokens, and one bar for each request. */
function budgetLane(model, s, lang) {
  const number = new Intl.NumberFormat(lang);
  const cap = capOf(model.doc);
  const figure = (name) => {
    const value = h("b", {}), note = h("span", { class: "note" });
    return { value, note, el: h("div", { class: "figure" }, h("span", { class: "name" }, name), value, note) };
  };
  const requests = figure(s.requests), input = figure(s.input), output = figure(s.output);
  const gauge = h("span", { class: "gauge", "aria-hidden": "true" }, h("i", {}));
  if (cap) requests.el.append(gauge);
  const spark = sparkline(model);
  function show(n) {
    const now = model.tally.at[n] || { requests: 0, input: 0, output: 0, last: 0 };
    say(requests.value, number.format(now.requests));
    say(requests.note, cap ? fill(s.of_cap, { cap: number.format(cap.value), name: clip(cap.name, 40) }) : "");
    gauge.firstChild.style.setProperty("width", `${Math.min(100, 100 * now.requests / (cap ? cap.value : 1))}%`);
    say(input.value, number.format(now.input));
    say(input.note, now.last ? fill(s.last_request, { count: number.format(now.last) }) : "");
    say(output.value, number.format(now.output));
    spark.show(now.requests);
    return null;
  }
  const body = h("div", { class: "budget" }, requests.el, input.el, output.el,
    h("div", { class: "figure wide" }, h("span", { class: "name" }, s.growth), spark.el));
  return { el: h("div", { class: "lane", "data-lane": "budget", role: "group", "aria-label": s.budget }, body), show };
}

/** Bars of the input tokens of each request; those to come are hollow. */
function sparkline(model) {
  const bars = [];
  model.steps.forEach((step, n) => { if (step.kind === "response") bars.push(model.tally.at[n].last); });
  const top = Math.max(1, ...bars), width = Math.max(8, bars.length);
  const bar = (value, i) => `M${i + 0.15} 20v${-20 * value / top}h.7v${20 * value / top}z`;
  const done = h("path", { class: "done" });
  const el = h("svg", { viewBox: `0 0 ${width} 20`, preserveAspectRatio: "none", class: "spark", "aria-hidden": "true" },
    h("path", { class: "todo", d: bars.map(bar).join("") }), done);
  let drawn = -1;
  return { el, show(count) {
    if (count !== drawn) done.setAttribute("d", bars.slice(0, count).map(bar).join(""));
    drawn = count;
  } };
}

// ---- one trace on the page

/** The word for the kind of a step; null is a gap. */
function kindOf(step, s) {
  return step ? own(s.kind, step.error ? "error" : step.kind) ?? step.kind : s.kind.gap;
}

/** What is spoken of two loops at one row: the sentence of each that moves, under its title; one where they agree. */
function spokenOf(sides, row) {
  const told = sides.map((side) => [side.title, side.told(row)]).filter(([, sentence]) => sentence !== null);
  if (new Set(told.map(([, sentence]) => sentence)).size < told.length) return told[0][1];
  return told.map(([title, sentence]) => `${title}: ${sentence}`).join(" ");
}

/** Everything that shows one trace: its sentence and its lanes. */
function makeSide(side, view, s, lang, live) {
  const { model } = side;
  const lanes = [conversationLane(model, s), messagesLane(model, s), sourceLane(model, s), railLane(model, s), budgetLane(model, s, lang)];
  const kind = h("span", { class: "kind" }), words = h("span", { class: "v" });
  const sentence = h("p", { class: "say" }, kind, words);
  if (live) words.setAttribute("aria-live", "polite");
  const el = h("div", { class: "side", role: view.title ? "group" : null, "aria-label": view.title }, view.title ? h("div", { class: "side-title" }, view.title, " ", whatIfBadges(model.doc, s)) : null, sentence,
    h("div", { class: "lanes" }, lanes.map((x) => x.el)));
  let shown = -9, targets = [];
  const look = () => lanes.map((x, i) => (
    targets[i] && targets[i][0].isConnected ? reveal(targets[i], x.el.lastElementChild, x.way) : false)).includes(true);
  function show(row, from) {
    const n = side.at[row], previous = from < 0 ? -1 : side.at[from];
    const gap = side.own[row] === null;
    el.toggleAttribute("data-gap", gap);
    const step = model.steps[n];
    el.toggleAttribute("data-failed", Boolean(step && !gap && (step.error || step.is_error || (step.kind === "exit" && ENDS[step.reason] !== "exit"))));
    say(kind, kindOf(gap ? null : step, s));
    say(words, gap ? s.gap : model.sentences[n] || "");
    // First all that is written, then all that is measured: one layout for the whole step.
    targets = lanes.map((x) => x.show(n, gap ? n : previous));
    const far = Math.abs(n - shown) > 1;
    shown = n;
    look();
    if (far) settle(() => shown === n && look());
  }
  return { el, show, look: () => settle(look), told: (row) => (side.own[row] === null ? null : model.sentences[side.at[row]] || ""),
           kind: (row) => kindOf(model.steps[side.own[row]], s), title: view.title };
}

/** The strip above the slider: tall ticks are requests, triangles are errors, a block is the end, a break is a gap. */
function strip(side) {
  const steps = side.own.map((n) => (n === null ? null : side.model.steps[n]));
  const width = Math.max(1, steps.length - 1);
  const at = (test, draw) => steps.flatMap((step, i) => (step && test(step) ? [draw(i)] : [])).join("");
  const run = steps.map((step, i) => (step && i < width && steps[i + 1] ? `M${i} 14h1` : "")).join("");
  const path = (name, d) => (d ? h("path", { class: name, d }) : null);
  return h("svg", { class: "strip", viewBox: `0 0 ${width} 16`, preserveAspectRatio: "none", "aria-hidden": "true" },
    path("base", run), path("fine", at((x) => x.kind !== "request", (i) => `M${i} 11v3`)),
    path("turn", at((x) => x.kind === "request", (i) => `M${i} 4v10`)),
    path("bad", at((x) => x.error || x.is_error, (i) => `M${i} 0v14`)),
    path("end", at((x) => x.kind === "exit", (i) => `M${i} 2v12`)));
}

// ---- the controls

const BUTTONS = ["first", "back", "step", "last", "play", "reset"];

function button(name, s, drawn) {
  return h("button", { type: "button", class: drawn ? "drawn" : null, "data-act": name, title: s.tip[name], "aria-label": drawn ? s[name] : null },
    drawn ? icon(drawn) : s[name]);
}

/** The controls, and the elements that change in them. */
function makeControls(track, s) {
  const act = {};
  for (const name of BUTTONS) act[name] = button(name, s, { first: "first", last: "last", reset: "reset" }[name]);
  for (const name of ["previous_branch", "next_branch", "difference", "help"]) act[name] = button(name, s, name === "help" ? "help" : null);
  const slider = h("input", { type: "range", min: "1", max: String(track.length), step: "1", "aria-label": s.slider });
  const number = h("input", { type: "number", min: "1", max: String(track.length), "aria-label": s.go_label, title: s.tip.go });
  const size = h("button", { type: "button", "data-act": "coarse", "aria-pressed": "false", title: s.tip.coarse }, s.coarse);
  const speed = h("select", { "aria-label": s.speed, title: s.speed },
    ["0.5", "1", "2", "4"].map((x) => h("option", { value: x, selected: x === "1" }, `${x}×`)));
  const group = (name, ...items) => h("div", { class: "group " + name, role: "group", "aria-label": s.group[name] }, items);
  const el = h("div", { class: "controls" },
    group("move", act.first, act.back, act.step, act.last), group("run", act.play, speed, act.reset),
    group("jump", act.previous_branch, act.next_branch, track.sides.length > 1 ? act.difference : null),
    h("div", { class: "scrub" }, h("div", { class: "strips" }, track.sides.map(strip)), slider),
    group("where", h("label", { class: "count" }, s.step_word, " ", number, " ", fill(s.of, { count: track.length })), size, act.help));
  return { el, act, slider, number, size, speed };
}

/** The sheet that `?` opens: every key, in words. */
function helpSheet(s, two) {
  const keys = [["← →", "step"], ["Home End", "ends"], ["Space", "play"], ["b B", "branch"],
                ...(two ? [["x", "difference"]] : []), ["g", "go"], ["?", "help"]];
  return h("div", { class: "help", hidden: true, role: "group", "aria-label": s.help_sheet.title },
    h("p", {}, h("b", {}, s.help_sheet.title), " ", s.help_sheet.intro),
    h("dl", {}, keys.map(([key, id]) => h("div", {}, h("dt", {}, key.split(" ").map((k) => h("kbd", {}, k))), h("dd", {}, s.help_sheet[id])))),
    h("p", { class: "note" }, s.help_sheet.marks));
}

/** What was asked of the answers of a trace, `[{turn, signal, came}]`: came is false where no answer ended so. */
export function whatIfs(doc) {
  const ended = new Set(doc.steps.filter((step) => step.instead_of).map((step) => step.turn));
  return Object.entries((doc.scenario && doc.scenario.what_if) || {})
    .map(([turn, signal]) => ({ turn: Number(turn), signal, came: ended.has(Number(turn)) }));
}

/** A badge for each what-if of a trace. */
function whatIfBadges(doc, s) {
  return whatIfs(doc).map(({ turn, signal, came }) => h("span", { class: "badge", "data-kind": "what-if" },
    fill(came ? s.what_if : s.what_if_missed, { turn, signal: clip(signal, 80) })));
}

/** Name, loop and provenance of what is shown. */
function heading(view, s) {
  const doc = (view.left || view).trace;
  const from = (doc.scenario && doc.scenario.provenance) || {};
  const kind = from.kind === "recorded" ? "recorded" : "scripted";
  const badge = h("span", { class: "badge", "data-kind": kind, title: s.about[kind] }, s[kind],
    from.kind === "recorded" && from.model ? ` · ${clip(from.model, 80)}` : "", from.date ? ` · ${clip(from.date, 40)}` : "");
  const title = (doc.scenario && (doc.scenario.title || doc.scenario.name)) || s.player;
  return h("div", { class: "top" }, view.page ? null : h("span", { class: "title" }, title), badge,
    view.left ? null : whatIfBadges(doc, s));
}

// ---- the player

/**
 * Show the model's `view` in `el`. The model is anywidget's, or any object with get, set, on, off, save_changes.
 * Returns what takes the player away again.
 */
function mount({ model, el }) {
  const view = JSON.parse(model.get("view"));
  const s = view.strings;
  const track = openTrack(view);
  const two = track.sides.length > 1;
  const sides = track.sides.map((side, i) => makeSide(side, two ? [view.left, view.right][i] : {}, s, view.lang, !two));
  // Of two loops the one that moves is told; where both do the same, it is told once.
  const spoken = two ? h("p", { class: "spoken", "aria-live": "polite" }) : null;
  const controls = makeControls(track, s);
  const help = helpSheet(s, two);
  const root = h("div", { class: "alk", tabindex: "0", role: "group", "aria-label": s.player, "data-lm-suppress-shortcuts": "true",
                          "data-two": two, lang: view.lang }, heading(view, s), controls.el, help, spoken,
    h("div", { class: "sides" }, sides.map((side) => side.el)));
  const player = { model, view, s, track, sides, spoken, controls, help, root, row: -1, coarse: false, timer: null };
  listen(player);
  el.append(root);
  const follow = () => { if (clamp(player, model.get("step")) !== player.row) { pause(player); draw(player); } };
  model.on("change:step", follow);
  draw(player);
  // In another width every line breaks elsewhere.
  let width = root.clientWidth;
  const resized = new ResizeObserver(() => {
    if (root.clientWidth !== width) for (const side of sides) side.look();
    width = root.clientWidth;
  });
  resized.observe(root);
  return () => { pause(player); resized.disconnect(); model.off("change:step", follow); root.remove(); };
}

function clamp(player, step) {
  return Math.max(0, Math.min(player.track.length - 1, (Number.isInteger(step) ? step : 1) - 1));
}

function draw(player) {
  const { track, controls, s } = player;
  const row = player.row = clamp(player, player.model.get("step"));
  const from = player.coarse ? before(track.stops, row) ?? -1 : row - 1;
  for (const side of player.sides) side.show(row, from);
  controls.slider.value = String(row + 1);
  // The sentence is spoken where it stands; a slider that said it too would say everything twice.
  controls.slider.setAttribute("aria-valuetext", visible(`${row + 1} / ${track.length}: ${player.sides[0].kind(row)}`));
  if (player.spoken) say(player.spoken, spokenOf(player.sides, row));
  controls.slider.style.setProperty("--at", String(track.length > 1 ? row / (track.length - 1) : 0));
  controls.number.value = String(row + 1);
  explain(player, row, s);
}

/** Buttons that can do nothing stay reachable and say why. */
function explain({ track, controls, s }, row) {
  const why = {
    first: row === 0 && s.why.at_start, back: row === 0 && s.why.at_start, step: row === track.length - 1 && s.why.at_end,
    last: row === track.length - 1 && s.why.at_end, next_branch: after(track.branches, row) === null && s.why.no_next_branch,
    previous_branch: before(track.branches, row) === null && s.why.no_previous_branch,
    difference: track.parting < 0 && s.why.no_difference,
  };
  for (const [name, reason] of Object.entries(why)) {
    controls.act[name].setAttribute("aria-disabled", String(Boolean(reason)));
    controls.act[name].title = reason || s.tip[name];
  }
}

function go(player, row) {
  if (row === null || row < 0) return;
  player.row = Math.min(row, player.track.length - 1);
  player.model.set("step", player.row + 1);
  draw(player);
  if (!player.timer) player.model.save_changes();
}

function pause(player) {
  if (!player.timer) return;
  clearInterval(player.timer);
  player.timer = null;
  player.model.save_changes();
  playFace(player);
}

function play(player) {
  if (player.timer) return pause(player);
  if (player.row === player.track.length - 1) go(player, 0);
  player.timer = setInterval(() => {
    go(player, nextRow(player));
    if (player.row === player.track.length - 1 || !player.root.isConnected) pause(player);
  }, 1100 / Number(player.controls.speed.value));
  return playFace(player);
}

function playFace({ timer, controls, s }) {
  say(controls.act.play, timer ? s.pause : s.play);
  controls.act.play.toggleAttribute("data-on", Boolean(timer));
}

function nextRow(player) {
  return player.coarse ? after(player.track.stops, player.row) ?? player.track.length - 1 : player.row + 1;
}

const ACTIONS = {
  first: (p) => go(p, 0),
  last: (p) => go(p, p.track.length - 1),
  back: (p) => go(p, p.coarse ? before(p.track.stops, p.row) ?? 0 : Math.max(0, p.row - 1)),
  step: (p) => go(p, nextRow(p)),
  next_branch: (p) => go(p, after(p.track.branches, p.row)),
  previous_branch: (p) => go(p, before(p.track.branches, p.row)),
  difference: (p) => go(p, p.track.parting),
  reset: (p) => { coarse(p, false); go(p, 0); },
  go: (p) => { p.controls.number.focus(); p.controls.number.select(); },
  help: (p) => { p.help.hidden = !p.help.hidden; p.controls.act.help.setAttribute("aria-expanded", String(!p.help.hidden)); },
  coarse: (p) => { coarse(p, !p.coarse); draw(p); },
};

function coarse(player, on) {
  player.coarse = on;
  player.controls.size.setAttribute("aria-pressed", String(on));
}

function act(player, name) {
  if (name === "play") return play(player);
  if (name !== "help" && name !== "go") pause(player);
  if (player.controls.act[name]?.getAttribute("aria-disabled") === "true") return undefined;
  return ACTIONS[name](player);
}

function listen(player) {
  const { root, controls } = player;
  // JupyterLab honours this attribute for every shortcut; keys that are not ours must still reach it (Ctrl+S).
  root.addEventListener("keydown", (event) => {
    if (keyAction(event) !== null) return;
    root.removeAttribute("data-lm-suppress-shortcuts");
    setTimeout(() => root.setAttribute("data-lm-suppress-shortcuts", "true"));
  }, true);
  root.addEventListener("keydown", (event) => onKey(player, event));
  root.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-act]");
    if (pressed) act(player, pressed.dataset.act);
  });
  controls.slider.addEventListener("input", () => { pause(player); go(player, Number(controls.slider.value) - 1); });
  controls.number.addEventListener("change", () => { pause(player); go(player, Math.max(0, Number(controls.number.value) - 1)); draw(player); });
  controls.speed.addEventListener("change", () => { if (player.timer) { pause(player); play(player); } });
}

function onKey(player, event) {
  const target = event.target;
  const tag = target.type === "number" ? "number" : target.localName;
  const name = keyAction(event, tag);
  if (name === null) return;
  event.stopPropagation();
  if (tag === "number" && event.key === "Enter") { player.root.focus(); return; }
  if (name === "keep") return;
  event.preventDefault();
  act(player, name);
}

export default { render: mount };
