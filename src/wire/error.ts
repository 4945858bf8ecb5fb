import { z } from 'zod';

/** The closed list of error codes and their HTTP statuses (section "Errors"). */
export const ERROR_STATUSES = {
  'BR-1': [400],
  'BR-2': [400],
  'BR-1001': [400],
  'BR-1002': [400],
  'AU-1': [401, 403],
  'NE-1': [404],
  'CFR-1': [409],
  'ADR-3001': [409],
  'ADR-3002': [409],
  'MEM-4001': [409],
  'TX-2002': [409],
  'UE-1': [422],
  'RL-1': [429],
  'GE-1': [500],
  'APM-1': [500],
  'HAC-1': [503],
  'HAC-2': [503],
  'HAC-3': [503],
} as const satisfies Record<string, readonly number[]>;
export type ErrorCode = keyof typeof ERROR_STATUSES;
export const ERROR_CODES = Object.keys(ERROR_STATUSES) as [ErrorCode, ...ErrorCode[]];

/**
 * The body of every failed API call (the specification, section "Errors"); `endpoint` is `<METHOD>
 * <path>`, `timestamp` ISO 8601.
 */
export const errorBody = z.looseObject({
  statusCode: z.int(),
  errorCode: z.enum(ERROR_CODES),
  errorMessage: z.string(),
  timestamp: z.string(),
  endpoint: z.string(),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** The same as readers take it: a code that the list does not have yet is a code. */
export const errorRecord = errorBody.extend({ errorCode: z.string() });
export type ErrorRecord = z.infer<typeof errorRecord>;
