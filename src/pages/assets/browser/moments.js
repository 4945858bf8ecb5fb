const DAY = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  // A page beside times of another zone must not leave the zone to be guessed.
  timeZoneName: 'short',
});

/**
 * Writes every moment in the reader's zone, and names the zone. The title keeps UTC.
 *
 * @param {ParentNode} root
 */
export function writeMoments(root) {
  for (const time of root.querySelectorAll('time[data-moment]')) {
    const at = time.getAttribute('datetime');
    if (at !== null) time.textContent = DAY.format(new Date(at));
  }
}
