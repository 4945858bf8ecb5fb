/** What is wrong with a filter or a period, and what to do. */
export interface FilterProblem {
  readonly title: string;
  readonly detail: string;
}
