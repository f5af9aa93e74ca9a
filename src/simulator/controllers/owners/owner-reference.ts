import type { OwnerReference, Stored } from '../../object.ts';

export const controllerOf = (object: Stored): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((reference) => reference.controller);

export const referenceTo = (owner: Stored): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
});
