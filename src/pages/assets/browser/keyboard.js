/** How long `g` waits for the second key, milliseconds. */
const CHORD_MS = 1_500;

/** @param {EventTarget | null} target */
function isTyping(target) {
  return (
    (target instanceof HTMLInputElement && target.type !== 'checkbox') ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  );
}

/** @returns {HTMLElement[]} */
function rows() {
  return [...document.querySelectorAll('[data-row]')].filter((row) => row instanceof HTMLElement);
}

/**
 * Moves the focus to the link of the next or previous row.
 *
 * @param {1 | -1} step
 */
function moveRow(step) {
  const all = rows();
  const here = all.findIndex((row) => row.contains(document.activeElement));
  const next = here < 0 && step < 0 ? all.length - 1 : here + step;
  const row = all[Math.min(Math.max(next, 0), all.length - 1)];
  const link = row?.querySelector('a');
  if (!(link instanceof HTMLElement)) return;
  link.focus();
  row?.scrollIntoView({ block: 'nearest' });
}

/** Ticks or unticks the row that has the focus. */
function tickRow() {
  const row = rows().find((one) => one.contains(document.activeElement));
  const box = row?.querySelector('input[type="checkbox"]');
  if (box instanceof HTMLInputElement) box.click();
}

function focusSearch() {
  const search = document.querySelector('.search input');
  if (!(search instanceof HTMLInputElement)) return;
  search.focus();
  search.select();
}

function openHelp() {
  const help = document.getElementById('keyboard-help');
  if (help instanceof HTMLDialogElement && !help.open) help.showModal();
}

/**
 * Follows the list's link to its next or previous page.
 *
 * @param {'next' | 'prev'} rel
 */
function turnPage(rel) {
  const link = document.querySelector(`.pager a[rel="${rel}"]`);
  if (link instanceof HTMLAnchorElement) link.click();
}

/**
 * The filter that `f` unfolded: Escape folds it again.
 *
 * @type {HTMLDetailsElement | null}
 */
let unfolded = null;

/** Opens the list's filter at its first field. */
function openFilter() {
  const field = document.querySelector('[data-filter] input, [data-filter] select');
  const folded = field?.closest('details');
  if (folded instanceof HTMLDetailsElement && !folded.open) {
    folded.open = true;
    unfolded = folded;
  }
  if (field instanceof HTMLElement) field.focus();
}

/** Moves to the reason of the form that changes the ticked rows. */
function giveReason() {
  const field = document.querySelector('.bulk [name="reason"]');
  if (field instanceof HTMLElement) field.focus();
}

/**
 * Leaves a field, so that the other keys work again.
 *
 * @param {EventTarget | null} field
 */
function leaveField(field) {
  if (!(field instanceof HTMLElement)) return;
  field.blur();
  if (unfolded?.contains(field) === true) unfolded.open = false;
  unfolded = null;
}

/** Keys that need no event. */
const ACTIONS = new Map([
  ['?', openHelp],
  ['j', () => moveRow(1)],
  ['k', () => moveRow(-1)],
  ['x', tickRow],
  ['n', () => turnPage('next')],
  ['p', () => turnPage('prev')],
]);

/** Keys that move into a field, which must not receive the key. */
const FIELD_ACTIONS = new Map([
  ['/', focusSearch],
  ['f', openFilter],
  ['r', giveReason],
]);

let chordUntil = 0;

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === 'Escape' && !event.isComposing) leaveField(event.target);
    return;
  }
  const now = Date.now();
  if (now < chordUntil) {
    chordUntil = 0;
    const link = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (link instanceof HTMLAnchorElement) {
      event.preventDefault();
      link.click();
    }
    return;
  }
  if (event.key === 'g') {
    chordUntil = now + CHORD_MS;
    return;
  }
  ACTIONS.get(event.key)?.();
  const intoField = FIELD_ACTIONS.get(event.key);
  if (intoField === undefined) return;
  event.preventDefault();
  intoField();
}

/** Keys of the frame and of lists; `?` shows them. Enter opens a row, because its link has focus. */
export function listenToKeys() {
  document.addEventListener('keydown', onKey);
  document.querySelector('.keys')?.addEventListener('click', openHelp);
}
