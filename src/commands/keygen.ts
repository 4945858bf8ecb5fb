import { createHash, createPublicKey, randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { generateKeyPair, keyIdOf } from '../custody/token.ts';
import type { Terminal } from '../daemon/process/terminal.ts';
import { notCreated, notWhole } from './out-file.ts';

interface KeygenFlags {
  readonly out?: string;
  readonly token?: boolean;
  readonly json?: boolean;
}

/** 256 bits of randomness. */
const TOKEN_BYTES = 32;

const HELP = `
Without --token: makes an RSA key pair (2048 bits) for the custody API. The private key stays on this
machine; name its file in custody.privateKeyFile. Attach the public key to your API client in the
custody console and put the client's id into custody.clientId.

With --token: makes a random token. As a path token, name its file in intake.pathTokensFile. As the
secret that several receivers share, name its file in receiver.secretFile. As an API token, name the
file of its SHA-256 in api.tokens[].sha256File and give the token itself to its user, once. Only an API
token needs its SHA-256.

With --out, existing files are not overwritten.

Exit code 0 when the files are written or printed, 1 when they cannot be written, 2 for bad usage.

Examples:
  counterfoil keygen --out custody                  writes custody.key (mode 600) and custody.pub
  counterfoil keygen --token --out secrets/ana      writes secrets/ana.token (mode 600) and secrets/ana.sha256
  counterfoil keygen --token                        prints both`;

/** The command `keygen`: makes the key pair of an API client, or a random token. */
export function keygenCommand(terminal: Terminal): Command {
  return new Command('keygen')
    .addHelpText('after', HELP)
    .option(
      '--out <name>',
      'write <name>.key and <name>.pub, or with --token <name>.token and <name>.sha256, instead of printing',
    )
    .option('--token', 'make a token and its SHA-256 instead of a key pair')
    .option('--json', 'print one JSON line')
    .action(async (flags: KeygenFlags) => {
      if (flags.token === true) makeToken(terminal, flags);
      else await makeKeyPair(terminal, flags);
    });
}

function makeToken(terminal: Terminal, flags: KeygenFlags): void {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const sha256 = createHash('sha256').update(token).digest('hex');
  if (flags.out === undefined) {
    terminal.result(
      flags.json === true ? JSON.stringify({ token, sha256 }) : tokenText({ token, sha256 }, ''),
    );
    return;
  }
  const files = { tokenFile: `${flags.out}.token`, sha256File: `${flags.out}.sha256` };
  writePair(
    { path: files.tokenFile, text: `${token}\n` },
    { path: files.sha256File, text: `${sha256}\n` },
  );
  terminal.result(
    flags.json === true
      ? JSON.stringify(files)
      : tokenText({ token: files.tokenFile, sha256: files.sha256File }, 'File'),
  );
}

/** What each of both is for. `suffix`: of the configuration's keys that take a file. */
function tokenText(
  { token, sha256 }: { readonly token: string; readonly sha256: string },
  suffix: '' | 'File',
): string {
  return [
    `token   ${token}  (secret: for intake.pathTokens${suffix}, receiver.secret${suffix}, or the user of an API token)`,
    `sha256  ${sha256}  (for api.tokens[].sha256${suffix} alone; a path token and a receiver.secret do not need it)`,
  ].join('\n');
}

async function makeKeyPair(terminal: Terminal, flags: KeygenFlags): Promise<void> {
  const { privateKeyPem, publicKeyPem } = await generateKeyPair();
  const keyId = keyIdOf(createPublicKey(publicKeyPem));
  if (flags.out === undefined) {
    terminal.result(
      flags.json === true
        ? JSON.stringify({ keyId, publicKeyPem, privateKeyPem })
        : `${privateKeyPem}${publicKeyPem}key id (kid)  ${keyId}`,
    );
    return;
  }
  const files = { privateKeyFile: `${flags.out}.key`, publicKeyFile: `${flags.out}.pub` };
  writePair(
    { path: files.privateKeyFile, text: privateKeyPem },
    { path: files.publicKeyFile, text: publicKeyPem },
  );
  terminal.result(
    flags.json === true
      ? JSON.stringify({ keyId, ...files })
      : [
          `private key   ${files.privateKeyFile}  (keep it secret; name it in custody.privateKeyFile)`,
          `public key    ${files.publicKeyFile}  (attach it to your API client in the custody console)`,
          `key id (kid)  ${keyId}`,
        ].join('\n'),
  );
}

interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** Writes both files or none: half of a new pair would not fit the other half of an older one. */
function writePair(secret: NewFile, open: NewFile): void {
  writeNew(secret.path, secret.text, 0o600);
  try {
    writeNew(open.path, open.text, 0o644);
  } catch (error) {
    rmSync(secret.path, { force: true });
    throw error;
  }
}

function writeNew(path: string, text: string, mode: number): void {
  try {
    writeFileSync(path, text, { mode, flag: 'wx' });
  } catch (error) {
    const failure = notCreated(path, error);
    if (failure !== undefined) throw failure;
    // A full disk leaves half a file, which the next attempt would not overwrite.
    rmSync(path, { force: true });
    throw notWhole(path, error);
  }
}
