import { expect, test } from 'vitest';
import { configFolder, MINIMAL } from './config-folder.ts';

const { configOf, problemsOf } = configFolder();

test('variables are filled in inside strings, a port too, and $${ stays a literal ${', () => {
  const config = configOf(
    {
      ...MINIMAL,
      listen: { host: '${HOST}', port: '${PORT}' },
      store: 'sqlite:/data/${NAME}-$${NAME}.db',
    },
    { HOST: '0.0.0.0', PORT: '9000', NAME: 'books' },
  );
  expect(config.listen).toEqual({ host: '0.0.0.0', port: 9000, proxyProtocol: false });
  expect(config.store).toEqual({ kind: 'sqlite', path: '/data/books-${NAME}.db' });
});

test('the value of a variable is not searched for variables', () => {
  const config = configOf({ ...MINIMAL, store: 'sqlite:/${A}' }, { A: '${B}', B: 'no' });
  expect(config.store).toEqual({ kind: 'sqlite', path: '/${B}' });
});

test('a missing variable is reported once, with its key', () => {
  const intake = { pathTokens: ['${TOKEN}', '${EMPTY}', '${not a name}'] };
  expect(problemsOf({ ...MINIMAL, intake }, { EMPTY: '' })).toEqual([
    'intake.pathTokens[0]: the environment variable TOKEN is not set; set it, or write the value in its place',
    'intake.pathTokens[1]: the environment variable EMPTY is empty; set it, or write the value in its place',
    'intake.pathTokens[2]: ${not a name} is not the name of an environment variable; write $${ for a literal ${',
  ]);
});
