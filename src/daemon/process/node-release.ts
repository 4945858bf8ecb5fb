/**
 * The reason why the program must not run under a release of Node, with what to do instead;
 * undefined where it may run.
 *
 * From 24.19 on, Node 24 crashes when better-sqlite3 12 frees a statement while no JavaScript runs.
 * better-sqlite3 13 does not cause the crash, but it needs a Node-API that Node 20 does not have.
 */
export function nodeRefusal(release: string): string | undefined {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  if (major !== 24 || minor < 19) return undefined;
  return `Node ${release} would crash this program, because better-sqlite3 12 does not work with Node 24 from 24.19 on: run it with Node 22, then \`npm rebuild better-sqlite3\``;
}
