import { listenToChoices } from './choose.js';
import { listenToKeys } from './keyboard.js';
import { goLive } from './live.js';
import { writeMoments } from './moments.js';
import { showViews } from './views.js';

/** How long a copy button says that it copied, milliseconds. */
const COPIED_MS = 1_500;

/** @param {MouseEvent} event */
async function onClick(event) {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null;
  const text = button?.getAttribute('data-copy');
  if (!(button instanceof HTMLElement) || text === null || text === undefined) return;
  await navigator.clipboard.writeText(text);
  button.dataset['copied'] = '';
  setTimeout(() => delete button.dataset['copied'], COPIED_MS);
}

/**
 * Leaves empty fields out of a filter's link.
 *
 * @param {SubmitEvent} event
 */
function onSubmit(event) {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  if (form.method === 'post') {
    // Later: the browser leaves a disabled button's name and value out.
    setTimeout(() => {
      for (const button of form.querySelectorAll('button')) button.disabled = true;
    });
    return;
  }
  for (const field of form.elements) {
    if (
      (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) &&
      field.value === ''
    ) {
      field.disabled = true;
    }
  }
}

document.documentElement.dataset['script'] = '';
writeMoments(document);
listenToKeys();
listenToChoices();
showViews();
goLive();
document.addEventListener('click', (event) => {
  onClick(event).catch(() => undefined);
});
document.addEventListener('submit', onSubmit);
// A page that comes back from the browser's cache has its fields and buttons disabled.
addEventListener('pageshow', () => {
  for (const element of document.querySelectorAll('form :disabled'))
    element.removeAttribute('disabled');
});
