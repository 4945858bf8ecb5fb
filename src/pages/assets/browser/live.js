import { writeMoments } from './moments.js';

/**
 * A person who acts extends the session; the server hears of it at most so often, milliseconds. Far
 * below the shortest idle time, one minute: its clock lags behind the person by as much.
 */
const ACTED_MS = 15_000;

/** How long to wait before a lost stream is opened again, milliseconds. */
const RETRY_MS = 5_000;

/** @returns {Element[]} */
function liveParts() {
  return [...document.querySelectorAll('[data-live]')];
}

/** @param {Element} part */
function topicsOf(part) {
  return (part.getAttribute('data-live') ?? '').split(' ');
}

/**
 * Whether a person changed a field since the page was rendered.
 *
 * @param {Element} field
 */
function isChanged(field) {
  if (field instanceof HTMLSelectElement) {
    const preset = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(preset, 0);
  }
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLInputElement)) return false;
  return field.checked !== field.defaultChecked || field.value !== field.defaultValue;
}

/**
 * Whether a person is at work in a part: the focus, an open form or dialog, a changed field, or
 * selected text. Such a part waits.
 *
 * @param {Element} part
 */
function isInUse(part) {
  const selection = document.getSelection();
  if (selection !== null && !selection.isCollapsed && selection.containsNode(part, true))
    return true;
  if (part.querySelector('details.confirm[open], dialog[open]') !== null) return true;
  if ([...part.querySelectorAll('input, select, textarea')].some(isChanged)) return true;
  const { activeElement } = document;
  return (
    part.contains(activeElement) &&
    (activeElement instanceof HTMLInputElement ||
      activeElement instanceof HTMLTextAreaElement ||
      activeElement instanceof HTMLSelectElement)
  );
}

/**
 * @param {Element} part
 * @param {Document} fresh
 */
function morph(part, fresh) {
  const next = fresh.getElementById(part.id);
  if (next === null) return;
  Idiomorph.morph(part, next, {
    callbacks: {
      // A person opened it, or the script of the page set it.
      beforeAttributeUpdated: (name, element) =>
        !(name === 'open' && element instanceof HTMLDetailsElement),
    },
  });
}

/** Ids of the parts that changed since they were rendered. */
const stale = new Set();
let isFetching = false;

/** @param {(topic: string) => boolean} hasChanged */
function markStale(hasChanged) {
  for (const part of liveParts()) if (topicsOf(part).some(hasChanged)) stale.add(part.id);
}

/** @returns {Element[]} */
function renderable() {
  return liveParts().filter((part) => stale.has(part.id) && !isInUse(part));
}

/** @param {string} state */
function showLink(state) {
  document.body.dataset['link'] = state;
}

/** Leads to the sign-in page, but not while a person is at work: what they wrote would be lost. */
function leaveEnded() {
  disconnect();
  if (!isInUse(document.body)) return location.reload();
  // The next look, after the work, leaves.
  markStale(() => true);
  showLink('ended');
}

/** Fetches this page once, and renders the parts that changed and that nobody uses. */
async function refresh() {
  if (isFetching || renderable().length === 0) return;
  isFetching = true;
  const asked = new Set(stale);
  stale.clear();
  try {
    const answer = await fetch(location.href, { headers: { 'X-Live': '1' }, cache: 'no-store' });
    if (answer.status === 401) return leaveEnded();
    if (!answer.ok) throw new Error(answer.statusText);
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    writeMoments(fresh);
    for (const part of liveParts()) {
      if (!asked.has(part.id)) continue;
      if (isInUse(part)) stale.add(part.id);
      else morph(part, fresh);
    }
    showLink('up');
  } catch {
    for (const id of asked) stale.add(id);
    showLink('down');
  } finally {
    isFetching = false;
  }
}

/** @type {EventSource | null} */
let stream = null;
let retry = 0;

/** A hidden page holds no stream: browsers allow six connections to a server. */
function connect() {
  clearTimeout(retry);
  const path = document.body.dataset['stream'];
  if (path === undefined || document.hidden || stream !== null || liveParts().length === 0) return;
  const opened = new EventSource(path);
  stream = opened;
  opened.addEventListener('hello', () => {
    showLink('up');
    document.body.dataset['live'] = 'on';
  });
  opened.addEventListener('changed', (event) => {
    const topics = String(event.data).split(' ');
    markStale((topic) => topics.includes(topic));
    void refresh();
  });
  opened.addEventListener('heartbeat', () => {
    markStale((topic) => topic === 'tick');
    void refresh();
  });
  opened.addEventListener('ended', leaveEnded);
  opened.addEventListener('error', () => {
    disconnect();
    showLink('down');
    retry = setTimeout(connect, RETRY_MS);
  });
}

function disconnect() {
  stream?.close();
  stream = null;
}

function onVisibility() {
  if (document.hidden) return disconnect();
  // Whatever changed meanwhile.
  markStale(() => true);
  connect();
  void refresh();
}

let actedAt = Date.now();

function onActed() {
  const path = document.body.dataset['acted'];
  if (path === undefined) return;
  const now = Date.now();
  if (now - actedAt < ACTED_MS) return;
  actedAt = now;
  fetch(path, { method: 'POST' }).catch(() => showLink('down'));
}

/** Keeps the live parts of this page current, and tells the server that a person is at the page. */
export function goLive() {
  connect();
  document.addEventListener('visibilitychange', onVisibility);
  for (const name of ['focusout', 'toggle', 'change', 'selectionchange', 'pointerup']) {
    document.addEventListener(name, () => void refresh(), { capture: true, passive: true });
  }
  for (const name of ['pointermove', 'pointerdown', 'keydown', 'wheel']) {
    document.addEventListener(name, onActed, { passive: true });
  }
}
