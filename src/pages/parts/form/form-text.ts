/** Fields of a form that a browser sent, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** A field's text; empty where the form has none. */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/** The version that a form was filled from; a form without one compares nothing. */
export function basisIn(fields: Fields): { readonly basis?: string } {
  const basis = textOf(fields, 'basis');
  return basis === '' ? {} : { basis };
}

/** The texts of every field of a name, such as ticked boxes. */
export function textsOf(fields: Fields, name: string): string[] {
  const values: readonly unknown[] = [fields[name]].flat();
  return values.filter((one) => typeof one === 'string');
}
