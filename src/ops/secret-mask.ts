/** What must never stand in a log line, and what stands there instead. */
const RULES: readonly (readonly [RegExp, string])[] = [
  // The path token of a webhook URL is the sender's only proof (spec, "Webhook destination").
  [/(\/hooks\/)[^/?#\s"'\\]+/g, '$1***'],
  [/\b(Bearer|Basic)(\s+)[^\s"'\\,]+/gi, '$1$2***'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '***'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '***'],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s"'\\/:@]*:)[^\s"'\\/@]+@/gi, '$1***@'],
];

/** Masks secrets by their form, and `secrets` wherever they stand. */
export function secretMask(secrets: readonly string[] = []): (text: string) => string {
  // A short one would mask half of every line; none of ours is.
  const known = secrets.filter((secret) => secret.length >= 8);
  return (text) => {
    let masked = text;
    for (const secret of known) masked = masked.replaceAll(secret, '***');
    for (const [form, replacement] of RULES) masked = masked.replaceAll(form, replacement);
    return masked;
  };
}
