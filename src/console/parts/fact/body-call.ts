/** The API's call for the body of a fact. A role that may read one body may read all. */
export function bodyCall(seq: number | string = 1) {
  return { method: 'GET', path: `/v1/journal/${seq}/body` } as const;
}
