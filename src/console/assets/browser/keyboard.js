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

function openHelp() {
  const help = document.getElementById('keyboard-help');
  if (help instanceof HTMLDialogElement && !help.open) help.showModal();
}

let chordUntil = 0;

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
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
  switch (event.key) {
    case '/': {
      const search = document.querySelector('.search input');
      if (!(search instanceof HTMLInputElement)) return;
      event.preventDefault();
      search.focus();
      search.select();
      return;
    }
    case '?':
      openHelp();
      return;
    case 'j':
      moveRow(1);
      return;
    case 'k':
      moveRow(-1);
      return;
    case 'x':
      tickRow();
      return;
    case 'g':
      chordUntil = now + CHORD_MS;
      return;
    default:
  }
}

/** Keys of the frame and of lists; `?` shows them. Enter opens a row, because its link has focus. */
export function listenToKeys() {
  document.addEventListener('keydown', onKey);
  document.querySelector('.keys')?.addEventListener('click', openHelp);
}
