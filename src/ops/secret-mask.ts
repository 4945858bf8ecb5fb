/** Secrets by form, and their replacements. */
const RULES: readonly (readonly [RegExp, string])[] = [
  // The path token of a webhook URL is the sender's only proof (spec, "Webhook destination").
  [/(\/hooks\/)[^/?#\s"'\\]+/g, '$1***'],
  [/\b(Bearer|Basic)(\s+)[^\s"'\\,]+/gi, '$1$2***'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '***'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '***'],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s"'\\/:@]*:)[^\s"'\\/@]+@/gi, '$1***@'],
];

/** A function that masks secrets by form, and `secrets` anywhere. */
export function secretMask(secrets: readonly string[] = []): (text: string) => string {
  // A short secret would mask half of every line; ours are long.
  const known = secrets.filter((secret) => secret.length >= 8);
  return (text) => {
    let masked = text;
    for (const secret of known) masked = masked.replaceAll(secret, '***');
    for (const [form, replacement] of RULES) masked = masked.replaceAll(form, replacement);
    return masked;
  };
}
