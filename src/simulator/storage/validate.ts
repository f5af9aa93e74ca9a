import type { StatusCause } from '../../engine/server-rules/cause.ts';
import { metadataCauses } from '../../engine/server-rules/metadata-causes.ts';
import { objectCauses } from '../../engine/server-rules/object-causes.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Fields } from '../schema/schema.ts';
import { shapeCauses } from './validate-shape.ts';

/** Validation errors of an object, as the causes of a 422; empty if it is valid. */
export const validate = (object: Fields, kind: Kind): StatusCause[] => [
  ...metadataCauses(object, kind),
  ...shapeCauses(object, kind),
  ...objectCauses(object, kind),
];
