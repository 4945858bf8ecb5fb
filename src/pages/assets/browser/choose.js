/**
 * The boxes of a form's choices, also those in a table outside of it.
 *
 * @param {HTMLFormElement} form
 */
function boxesOf(form) {
  return [...form.elements]
    .filter((one) => one instanceof HTMLInputElement)
    .filter((one) => one.type === 'checkbox' && !('every' in one.dataset));
}

/**
 * Shows how many boxes are ticked, and whether that is every one.
 *
 * @param {HTMLFormElement} form
 */
function count(form) {
  const chosen = form.querySelector('[data-chosen]');
  const boxes = boxesOf(form);
  const ticked = boxes.filter((box) => box.checked);
  if (chosen !== null) chosen.textContent = ticked.length === 0 ? '' : `${ticked.length} chosen`;
  const every = form.querySelector('[data-every]');
  // A link can tick every row, and a person can untick one of them.
  if (every instanceof HTMLInputElement)
    every.checked = boxes.length > 0 && ticked.length === boxes.length;
}

/** @param {Event} event */
function onChange(event) {
  const { target } = event;
  if (!(target instanceof HTMLInputElement) || target.form === null) return;
  if ('every' in target.dataset) {
    for (const box of boxesOf(target.form)) box.checked = target.checked;
  }
  count(target.form);
}

/** Lets one box tick every box of its form, and shows whether all are ticked and how many. */
export function listenToChoices() {
  document.addEventListener('change', onChange);
  for (const chosen of document.querySelectorAll('[data-chosen]')) {
    const form = chosen.closest('form');
    if (form !== null) count(form);
  }
}
