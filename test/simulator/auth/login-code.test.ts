import { expect, test } from 'vitest';
import { LOGIN_CODE_MS, LoginCodes } from '../../../src/simulator/auth/login-code.ts';
import { Mailbox } from '../../../src/simulator/mail/mailbox.ts';
import { State } from '../../../src/simulator/state/state.ts';

const EMAIL = 'ana@example.com';

function loginCodes(): { codes: LoginCodes; send: (nowMs: number) => string } {
  const state = new State({ seed: 1 });
  const mailbox = new Mailbox(state.table('mails'));
  const codes = new LoginCodes(state.table('loginCodes'), mailbox);
  const send = (nowMs: number): string => {
    codes.send(EMAIL, nowMs);
    return mailbox.to(EMAIL).at(-1)?.code ?? '';
  };
  return { codes, send };
}

const wrong = (code: string): string => (code === '000000' ? '000001' : '000000');

test('a code of six digits works once, with the e-mail in upper or lower case', () => {
  const { codes, send } = loginCodes();
  const code = send(0);
  expect(code).toMatch(/^\d{6}$/);
  expect(codes.redeem('ANA@example.com', code, 1)).toBe(true);
  expect(codes.redeem(EMAIL, code, 2)).toBe(false);
});

test('a code dies after ten minutes', () => {
  const { codes, send } = loginCodes();
  const code = send(0);
  expect(codes.redeem(EMAIL, code, LOGIN_CODE_MS)).toBe(false);
  expect(codes.redeem(EMAIL, code, 1)).toBe(false);
});

test('a code survives four wrong tries and dies with the fifth', () => {
  const { codes, send } = loginCodes();
  const first = send(0);
  for (let tries = 0; tries < 4; tries += 1) codes.redeem(EMAIL, wrong(first), 1);
  expect(codes.redeem(EMAIL, first, 1)).toBe(true);
  const second = send(0);
  for (let tries = 0; tries < 5; tries += 1) codes.redeem(EMAIL, wrong(second), 1);
  expect(codes.redeem(EMAIL, second, 1)).toBe(false);
});

test('only the newest code counts', () => {
  const { codes, send } = loginCodes();
  const first = send(0);
  let second = send(1);
  while (second === first) second = send(1);
  expect(codes.redeem(EMAIL, first, 2)).toBe(false);
  expect(codes.redeem(EMAIL, second, 2)).toBe(true);
});
