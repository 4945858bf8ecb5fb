/** What a retry of a quarantined body depends on: a body takes effect once. */
export function quarantineParts({ state }: { readonly state: 'kept' | 'retried' }) {
  return [['state', state]] as const;
}
