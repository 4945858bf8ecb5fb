/**
 * Views that a person saved: links of a list, by name. The browser keeps them, by person and list:
 * they are a preference and no fact of the books, so the journal does not hold them.
 *
 * @typedef {{ name: string, href: string }} View
 */

/** A list shows so many saved views at most. */
const VIEWS_MAX = 20;
const NAME_CHARACTERS_MAX = 40;

/** Parts of a link that select a page of a list, not a view. */
const PAGE_PARTS = ['page', 'after', 'before', 'chosen'];

/** @param {HTMLElement} bar */
function keyOf(bar) {
  return `counterfoil.views.${bar.dataset['person'] ?? ''}.${location.pathname}`;
}

/**
 * @param {unknown} one
 * @returns {one is View}
 */
function isView(one) {
  if (typeof one !== 'object' || one === null || !('name' in one) || !('href' in one)) return false;
  const { name, href } = one;
  return (
    typeof name === 'string' && typeof href === 'string' && href.startsWith(`${location.pathname}?`)
  );
}

/**
 * @param {HTMLElement} bar
 * @returns {View[]}
 */
function kept(bar) {
  try {
    /** @type {unknown} */
    const views = JSON.parse(localStorage.getItem(keyOf(bar)) ?? '[]');
    return Array.isArray(views) ? views.filter(isView).slice(0, VIEWS_MAX) : [];
  } catch {
    // The browser keeps nothing, or something else.
    return [];
  }
}

/**
 * @param {HTMLElement} bar
 * @param {View[]} views
 */
function keep(bar, views) {
  localStorage.setItem(keyOf(bar), JSON.stringify(views));
  render(bar);
}

/** The link of what the page shows, from its first page. */
function here() {
  const query = new URLSearchParams(location.search);
  for (const part of PAGE_PARTS) query.delete(part);
  const text = query.toString();
  return text === '' ? location.pathname : `${location.pathname}?${text}`;
}

/**
 * @param {HTMLElement} bar
 * @param {View} view
 */
function viewItem(bar, view) {
  const link = document.createElement('a');
  link.href = view.href;
  link.textContent = view.name;
  if (view.href === here()) link.setAttribute('aria-current', 'true');
  const remove = document.createElement('button');
  remove.type = 'button';
  remove.textContent = '×';
  remove.setAttribute('aria-label', `Remove the view ${view.name}`);
  remove.addEventListener('click', () => {
    keep(
      bar,
      kept(bar).filter(({ name }) => name !== view.name),
    );
  });
  const item = document.createElement('li');
  item.dataset['own'] = '';
  item.append(link, remove);
  return item;
}

/** @param {HTMLElement} bar */
function saveItem(bar) {
  const name = document.createElement('input');
  name.required = true;
  name.maxLength = NAME_CHARACTERS_MAX;
  name.placeholder = 'Name of this view';
  name.setAttribute('aria-label', 'Name of this view');
  const save = document.createElement('button');
  save.textContent = 'Save view';
  const form = document.createElement('form');
  form.append(name, save);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    // The page's own listener would send the form.
    event.stopPropagation();
    const view = { name: name.value.trim(), href: here() };
    if (view.name === '') return;
    keep(bar, [...kept(bar).filter((one) => one.name !== view.name), view]);
  });
  const item = document.createElement('li');
  item.dataset['own'] = '';
  item.append(form);
  return item;
}

/** @param {HTMLElement} bar */
function render(bar) {
  for (const old of bar.querySelectorAll('[data-own]')) old.remove();
  const views = kept(bar);
  bar.append(...views.map((view) => viewItem(bar, view)));
  const links = [...bar.querySelectorAll('a')].map((link) => link.getAttribute('href'));
  if (!links.includes(here()) && views.length < VIEWS_MAX) bar.append(saveItem(bar));
}

/** Shows a person's own views beside those of everybody, and saves what the page shows. */
export function showViews() {
  for (const bar of document.querySelectorAll('[data-views]')) {
    if (bar instanceof HTMLElement) render(bar);
  }
}
