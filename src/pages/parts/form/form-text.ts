/** Fields of a form that a browser sent, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** A field's text; empty where the form has none. */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/** The texts of every field of a name, such as ticked boxes. */
export function textsOf(fields: Fields, name: string): string[] {
  const values: readonly unknown[] = [fields[name]].flat();
  return values.filter((one) => typeof one === 'string');
}
