/** What these modules use of the package's script, which a page loads before them. */
declare const Idiomorph: {
  morph(
    part: Element,
    next: Element,
    config: {
      callbacks: {
        beforeAttributeUpdated: (name: string, element: Element) => boolean;
      };
    },
  ): void;
};
