/** Text of an override that changes Deployment `web/web` on every cluster by one operation of a JSON patch. */
export const overrideEverywhere = (
  name: string,
  operation: string,
): string => `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: ${name}, namespace: web}
spec:
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy:
    overrideRules:
    - clusterSelector: {clusterSelectorTerms: []}
      jsonPatchOverrides: [${operation}]
`;
