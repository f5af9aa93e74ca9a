import { canonicalJson } from '../kernel/canonical-json.ts';

/** An annotation of approval files: the digest of what was reviewed. An answer to another review does not count. */
export const reviewAnnotation = 'gitfleet.dev/review';

/** An annotation of a Gate that is rejected: why. Other approvals have it in their condition. */
export const reasonAnnotation = 'gitfleet.dev/reason';

/** `reviewed` holds everything that an approval covers. Any change of it requires a new approval. */
export const digestOfReview = (reviewed: object, digest: (text: string) => string): string =>
  `sha256:${digest(canonicalJson(reviewed))}`;
