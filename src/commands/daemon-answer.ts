import { CommandFailed } from './terminal.ts';

/** What a running daemon said in place of what it was asked for. */
export function refusedBy(where: URL, status: number, text: string): CommandFailed {
  const hint = isRefusedToken(status) ? ' Set COUNTERFOIL_TOKEN or --token-file.' : '';
  return new CommandFailed(`${where.href} answered ${status}: ${detailOf(text)}${hint}`);
}

function isRefusedToken(status: number): boolean {
  return status === 401 || status === 403;
}

/** What a problem document says to people; of anything else its beginning. */
function detailOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'detail' in body) return String(body.detail);
  } catch {
    // A proxy between may answer with a page.
  }
  return text.slice(0, 500);
}
