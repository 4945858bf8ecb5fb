import { benchDecode } from './decode.ts';

const BENCHES = { decode: benchDecode } as const;

/** `npm run bench` runs every bench; `npm run bench -- decode` only the named ones. */
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(`no bench ${unknown.join(', ')}; there are: ${Object.keys(BENCHES).join(', ')}`);
  process.exitCode = 2;
} else {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (asked.length === 0 || asked.includes(name)) console.log(JSON.stringify(bench()));
  }
}
