/** Something that happened to an object, as `kubectl describe` would list it. */
export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}
