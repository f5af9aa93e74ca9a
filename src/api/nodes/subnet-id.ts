/** An ARM id of a subnet. */
const subnetPattern =
  /^\/subscriptions\/[^/]+\/resourceGroups\/[a-zA-Z0-9_\-().]{0,89}[a-zA-Z0-9_\-()]\/providers\/Microsoft\.Network\/virtualNetworks\/[^/]+\/subnets\/[^/]+$/i;

export const isSubnetId = (text: string): boolean => subnetPattern.test(text);
