import { z } from 'zod';

const jsonObject = z.record(z.string(), z.unknown());
export type Json = z.infer<typeof jsonObject>;
const rows = z.looseObject({ data: z.array(jsonObject) });

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
  /** The rows of a list answer. */
  readonly rows: Json[];
}

/** A text field of an answer; an error when it is none. */
export function textOf(body: Json | undefined, field: string): string {
  return z.string().parse(body?.[field]);
}

/** Calls `url` and reads a JSON object; `text` sends a body unchanged. */
export async function send(
  url: string,
  method: string,
  options: { token?: string | undefined; body?: unknown; text?: string } = {},
): Promise<Answer> {
  const { token, body } = options;
  const text = options.text ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
  const received = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const read = isJson ? jsonObject.parse(JSON.parse(received)) : {};
  const list = rows.safeParse(read);
  return {
    status: response.status,
    headers: response.headers,
    body: read,
    rows: list.success ? list.data.data : [],
  };
}
