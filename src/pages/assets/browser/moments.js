const DAY = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/**
 * Writes every moment in the reader's zone. The title keeps UTC.
 *
 * @param {ParentNode} root
 */
export function writeMoments(root) {
  for (const time of root.querySelectorAll('time[data-moment]')) {
    const at = time.getAttribute('datetime');
    if (at !== null) time.textContent = DAY.format(new Date(at));
  }
}
